package tests

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/internal/testproc"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/messages/bus/broker"
	"croupier/messages/conduct"
)

// contribution is a line of `croupier runs actors list --json`.
type contribution struct {
	Actor, Name       string
	Present           bool
	Consumed, Refused uint64
	Quarantine        *conduct.Quarantine `json:"aside"`
}

// actorsOf runs `croupier runs actors list`.
func actorsOf(t testing.TB, c *cluster) map[string]contribution {
	t.Helper()
	out, err := testproc.Output(exec.Command(croupier(t), "runs", "actors", "list", "--json", "--run", c.run))
	if err != nil {
		t.Logf("the run is not open yet: %v", err)
		return nil
	}
	var list []contribution
	require.NoError(t, json.Unmarshal(out, &list))
	by := map[string]contribution{}
	for _, a := range list {
		by[a.Actor] = a
	}
	return by
}

// contributed finds the games that were learnt from, and those refused, in a contributor's line.
var contributed = regexp.MustCompile(
	`games \| \S+ games/s \| (\d+) learnt from \| \d+ too old \| (\d+) refused \| \d+ lost \| version \d+\n`)

// TestContribute has a stranger lend a machine, then send garbage under the same key.
func TestContribute(t *testing.T) {
	t.Parallel()
	c := newCluster(t, "evening")
	public, seed, err := broker.NewUser()
	require.NoError(t, err)
	key := filepath.Join(t.TempDir(), "anna.seed")
	require.NoError(t, os.WriteFile(key, []byte("# run: evening\n# role: contributor\n# name: anna\n"+string(seed)),
		0o600))
	startRole(t, "broker", "--dir", t.TempDir(), "--listen", strings.TrimPrefix(c.nats, "nats://"), "--nkey", public)
	c.role("learner", "kuhn", "--creds", key)
	p := start(t, "contribute", croupier(t), "contribute", c.nats, "--key", key, "--name", "Anna's laptop", "--cores", "1")
	p.hurry = p.holdBack()
	eventually(t, "her games are learnt from", func() error {
		if a := actorsOf(t, c)["anna"]; a.Consumed < 1000 || !a.Present || a.Name != "Anna's laptop" || a.Refused > 0 {
			return fmt.Errorf("%+v", a)
		}
		return nil
	})
	eventually(t, "she learns the outcome of her games", func() error {
		told := contributed.FindAllStringSubmatch(p.output(), -1)
		if len(told) == 0 || told[len(told)-1][1] == "0" || told[len(told)-1][2] != "0" {
			return errors.New(p.output())
		}
		return nil
	})
	left, err := os.ReadDir(filepath.Dir(key))
	require.NoError(t, err)
	require.Len(t, left, 1, "nothing is left on her machine")

	b, err := bus.Connect(t.Context(), bus.NATSOptions{URL: c.nats, Run: "evening", Role: "test", Credentials: key})
	require.NoError(t, err)
	defer b.Close()
	for range 2 * conduct.DefaultConfig().Offences {
		require.NoError(t, b.Publish(t.Context(), bus.Experience, "anna", []byte("garbage")))
	}
	require.Equal(t, 1, p.wait())
	require.Contains(t, p.output(), "anna is quarantined")
	eventually(t, "the list says why", func() error {
		if a := actorsOf(t, c)["anna"]; a.Quarantine == nil || a.Quarantine.Reason != string(messages.ReasonDecode) {
			return fmt.Errorf("%+v", a)
		}
		return nil
	})

	lift := []string{"runs", "actors", "lift", "anna", "--nats", c.nats, "--run", "evening", "--creds", key}
	out, err := testproc.CombinedOutput(exec.Command(croupier(t), lift...))
	require.NoError(t, err, string(out))
	require.Nil(t, actorsOf(t, c)["anna"].Quarantine)
	out, err = testproc.CombinedOutput(exec.Command(croupier(t), lift...))
	require.Error(t, err)
	require.Contains(t, string(out), "anna is not quarantined")
	before := actorsOf(t, c)["anna"].Consumed
	start(t, "contribute", croupier(t), "contribute", c.nats, "--key", key, "--cores", "1")
	eventually(t, "she is welcome again", func() error {
		return above(float64(actorsOf(t, c)["anna"].Consumed), float64(before+1000))
	})
}

func TestContributeSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, seed, err := broker.NewUser()
	require.NoError(t, err)
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		return path
	}
	nameless, letter := file("nameless.seed", string(seed)), file(
		"letter", "# run: evening\nDear Anna, here is your key\n")
	for _, test := range []struct{ args, want []string }{
		{[]string{"contribute", "nats://127.0.0.1:1"}, []string{"key"}},
		{[]string{"contribute", "nats://127.0.0.1:1", "--key", "/nowhere"}, []string{"--key", "/nowhere"}},
		{[]string{"contribute", "nats://127.0.0.1:1", "--key", nameless}, []string{nameless, "--run"}},
		{[]string{"contribute", "nats://127.0.0.1:1", "--key", letter},
			[]string{"--key: " + letter + ": it is not a key", "begins with SU",
				"croupier broker credentials add FOLDER NAME --contributor"}},
		{[]string{"contribute", "nats://127.0.0.1:1", "--key", nameless, "--cores", "0"}, []string{"--cores 0"}},
		{[]string{"runs", "actors", "list", "--run", "/nowhere"}, []string{"/nowhere"}},
	} {
		out, err := testproc.CombinedOutput(exec.Command(croupier(t), test.args...))
		var exit *exec.ExitError
		require.ErrorAs(t, err, &exit)
		require.Contains(t, []int{1, 2}, exit.ExitCode(), string(out))
		for _, want := range test.want {
			require.Contains(t, string(out), want)
		}
	}
}
