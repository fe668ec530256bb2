package tests

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/internal/certificate/certtest"
	"croupier/internal/nightly"
	"croupier/internal/rundir"
	"croupier/internal/testport"
	"croupier/internal/testproc"
	"croupier/messages/bus"
	"croupier/messages/bus/broker"
)

// guarded is a run whose every role has a key of its own.
type guarded struct {
	*cluster
	set   string // folder of the credential set
	roles map[string]*role
}

// command runs croupier, which must succeed, and returns its output.
func (g *guarded) command(args ...string) string {
	g.t.Helper()
	out, err := testproc.CombinedOutput(exec.Command(croupier(g.t), args...))
	require.NoError(g.t, err, "%v: %s", args, out)
	return string(out)
}

// with starts a role with the key of that name.
func (g *guarded) with(key, name string, args ...string) {
	g.t.Helper()
	g.roles[key] = g.role(name, append(args, "--creds", g.seed(key))...)
}

func (g *guarded) seed(key string) string { return filepath.Join(g.set, key+".seed") }

// reaches waits until a metric of a role is at least so high.
func (g *guarded) reaches(key, metric string, least float64, labels ...string) {
	g.t.Helper()
	eventually(g.t, key+": "+metric, func() error {
		if v := g.roles[key].value(metric, labels...); v < least {
			return fmt.Errorf("%v, not yet %v", v, least)
		}
		return nil
	})
}

// feedShows reads the page's feed until it has shown all the words.
func feedShows(t *testing.T, page string, words ...string) {
	t.Helper()
	eventually(t, "the page's feed", func() error {
		response, err := http.Get("http://" + page + "/api/events")
		if err != nil {
			return err
		}
		defer response.Body.Close()
		seen := map[string]bool{}
		lines := bufio.NewReader(response.Body)
		for range 200 {
			line, err := lines.ReadString('\n')
			for _, word := range words {
				seen[word] = seen[word] || strings.Contains(line, word)
			}
			if err != nil {
				return err
			}
			all := true
			for _, word := range words {
				all = all && seen[word]
			}
			if all {
				return nil
			}
		}
		return fmt.Errorf("seen: %v", seen)
	})
}

// A run in which every role has its own key does all that a run does, and no role asks the broker
// for anything that a key does not allow.
func TestKeysPerRole(t *testing.T) {
	t.Parallel()
	g := &guarded{cluster: newCluster(t, "keys"), set: filepath.Join(t.TempDir(), "set"), roles: map[string]*role{}}
	g.command("broker", "credentials", "create", g.set, "--run", g.run)
	g.command("broker", "credentials", "add", g.set, "anna", "--contributor")
	public, seed, err := broker.NewUser()
	require.NoError(t, err)
	owner := filepath.Join(t.TempDir(), "croupier.nk") // the one key of before, while roles go over to their own
	require.NoError(t, os.WriteFile(owner, seed, 0o600))
	server := startRole(t, "broker", "--dir", t.TempDir(), "--listen", strings.TrimPrefix(g.nats, "nats://"),
		"--credentials", filepath.Join(g.set, "broker.yaml"), "--nkey", public)
	page := testport.Free(t)
	g.with("learner", "learner", append([]string{"kuhn"}, quick[2:]...)...)
	g.with("league", "league")
	g.with("actor-1", "actor", "--actors", "1")
	g.with("web", "web", "--listen", page)
	anna := start(t, "contribute", croupier(t), "contribute", g.nats, "--key", g.seed("anna"), "--cores", "1")
	anna.hurry = anna.holdBack()

	g.reaches("league", "croupier_league_results_total", 3, "outcome", "applied")
	eventually(t, "versions are rated", func() error {
		out, err := testproc.CombinedOutput(exec.Command(croupier(t), "ladder", "--run", g.run))
		if err != nil || !strings.Contains(string(out), "main@1") {
			return fmt.Errorf("%v: %s", err, out)
		}
		return nil
	})
	for _, key := range []string{g.seed("operator"), g.seed("web"), owner} {
		eventually(t, "actors with the key "+key, func() error {
			list := g.command("runs", "actors", "list", "--nats", g.nats, "--run", "keys", "--creds", key)
			if !strings.Contains(list, "actor-1") || !strings.Contains(list, "anna") {
				return errors.New(list)
			}
			return nil
		})
	}
	feedShows(t, page, "actor-1", "anna", "main@1")

	before, err := os.ReadFile(g.seed("actor-1"))
	require.NoError(t, err)
	read := strings.Count(server.output(), "credentials read")
	g.command("broker", "credentials", "rotate", g.set, "actor-1")
	after, err := os.ReadFile(g.seed("actor-1"))
	require.NoError(t, err)
	require.NotEqual(t, before, after)
	eventually(t, "the broker knows both keys", func() error {
		return above(float64(strings.Count(server.output(), "credentials read")), float64(read+1))
	})
	g.command("broker", "credentials", "retire", g.set, "actor-1")
	g.roles["actor-1"].says("connected to NATS again")
	results := g.roles["league"].value("croupier_league_results_total", "outcome", "applied")
	g.reaches("actor-1", "croupier_actor_decisions_total", g.roles["actor-1"].value("croupier_actor_decisions_total")+1)
	g.reaches("league", "croupier_league_results_total", results+1, "outcome", "applied")

	require.Zero(t, server.value("croupier_broker_refused_total"), server.tail())
	require.True(t, anna.running(), anna.tail())
	anna.stop()
	for _, key := range []string{"actor-1", "web", "league", "learner"} {
		g.roles[key].stop()
		require.NotRegexp(t, "(?i)violation|permission|not allow", g.roles[key].output(), key)
	}
	require.NotRegexp(t, "(?i)violation|permission|not allow", anna.output())
	require.Zero(t, server.value("croupier_broker_refused_total"), server.tail())
}

// admitted waits until the broker of a training knows the key, which takes it up to a second.
func (g *guarded) admitted(key string) {
	g.t.Helper()
	eventually(g.t, "the broker knows "+key, func() error {
		reach, err := rundir.ReadReach(g.run)
		if err != nil {
			return err
		}
		b, err := bus.Connect(g.t.Context(), bus.NATSOptions{
			URL: reach.URL, Run: filepath.Base(g.run), Role: "test", Credentials: g.seed(key),
			Log: slog.New(slog.DiscardHandler),
		})
		if err == nil {
			err = b.Close()
		}
		return err
	})
}

// helper lends a machine to the run, with a copy of a contributor's key.
func (g *guarded) helper(key string, args ...string) *process {
	g.t.Helper()
	own := filepath.Join(g.t.TempDir(), key+".seed") // as on a machine of hers
	secret, err := os.ReadFile(g.seed(key))
	require.NoError(g.t, err)
	require.NoError(g.t, os.WriteFile(own, secret, 0o600))
	args = append([]string{"contribute", g.nats, "--key", own, "--cores", "1"}, args...)
	p := start(g.t, key, croupier(g.t), args...)
	p.hurry = p.holdBack()
	return p
}

// learnt waits until the learner has taken games of all these actors, and refused none.
func (g *guarded) learnt(actors ...string) {
	g.t.Helper()
	eventually(g.t, "games are learnt from", func() error {
		now := actorsOf(g.t, g.cluster)
		for _, name := range actors {
			if a := now[name]; a.Consumed == 0 || a.Refused > 0 {
				return fmt.Errorf("%s: %+v", name, a)
			}
		}
		return nil
	})
}

// Others help a training in one process, each with a key of its own; a helper without one, or with one that was
// revoked, does not.
func TestTrainTakesTheGamesOfOthers(t *testing.T) {
	t.Parallel()
	c := newCluster(t, "evening")
	g := &guarded{cluster: c, set: filepath.Join(c.run, "credentials"), roles: map[string]*role{}}
	listen := []string{"--listen", "off", "--nats-listen", strings.TrimPrefix(c.nats, "nats://")}
	train := startTrain(t, c.run, append([]string{"kuhn"}, listen...)...)
	train.hurry = train.holdBack()
	train.says("Other machines " + c.nats + ", with keys of " + g.set)
	g.command("broker", "credentials", "add", g.set, "anna", "--contributor")
	g.command("broker", "credentials", "add", g.set, "berta")
	g.admitted("anna")
	g.admitted("berta")
	anna := g.helper("anna")
	g.with("berta", "actor", "--actors", "1")
	g.learnt("anna", "berta")
	g.roles["berta"].stop()

	_, err := bus.Connect(t.Context(), bus.NATSOptions{URL: c.nats, Run: "evening", Role: "test"})
	require.ErrorContains(t, err, "Authorization Violation", "nobody comes in without a key")
	g.command("broker", "credentials", "revoke", g.set, "anna")
	g.command("broker", "credentials", "add", g.set, "clara", "--contributor")
	g.admitted("clara")
	clara := g.helper("clara")
	g.learnt("clara")
	_, err = bus.Connect(t.Context(), bus.NATSOptions{URL: c.nats, Run: "evening", Role: "test",
		Credentials: anna.cmd.Args[4]})
	require.ErrorContains(t, err, "Authorization Violation", "her key was revoked")
	if nightly.On { // ten seconds later
		require.Equal(t, 1, anna.wait())
		require.Contains(t, anna.output(), "croupier: "+anna.cmd.Args[4]+": the broker does not know this key any more")
	}

	train.interrupt()
	clara.says("connection to NATS lost")
	again := startTrain(t, c.run, append([]string{"--resume"}, listen...)...)
	again.hurry = again.holdBack()
	var before uint64
	eventually(t, "the run knows clara still", func() error {
		a, ok := actorsOf(t, c)["clara"]
		if before = a.Consumed; !ok {
			return errors.New("it does not")
		}
		return nil
	})
	eventually(t, "clara comes back to the run that continues", func() error {
		return above(float64(actorsOf(t, c)["clara"].Consumed), float64(before+1))
	})
	clara.stop()
	again.interrupt()
}

// Over TLS others help all the same, if they trust the authority that signed the broker's certificate, which can be
// renewed meanwhile. Programs on the machine of the training need no certificate.
func TestTrainWithTLS(t *testing.T) {
	t.Parallel()
	c, authority, another := newCluster(t, "evening"), certtest.New(t), certtest.New(t)
	port := strings.TrimPrefix(c.nats, "nats://127.0.0.1:")
	c.nats = "tls://127.0.0.1:" + port
	g := &guarded{cluster: c, set: filepath.Join(c.run, "credentials"), roles: map[string]*role{}}
	cert, key := authority.Issue(t, 1, time.Hour)
	train := startTrain(t, c.run, "kuhn", "--listen", "off", "--nats-listen", "0.0.0.0:"+port, "--nats-tls-cert", cert,
		"--nats-tls-key", key)
	train.hurry = train.holdBack()
	train.says("Other machines tls://0.0.0.0:" + port + ", with keys of " + g.set)
	g.command("broker", "credentials", "add", g.set, "anna", "--contributor")
	g.command("broker", "credentials", "add", g.set, "clara", "--contributor")
	g.command("broker", "credentials", "add", g.set, "berta")
	g.admitted("berta")
	anna := g.helper("anna", "--tls-ca", authority.File)
	g.with("berta", "actor", "--actors", "1", "--tls-ca", authority.File)
	g.learnt("anna", "berta")

	for want, args := range map[string][]string{
		"--tls-ca FILE names the authority that signed":      nil,
		"the authority in " + another.File + " did not sign": {"--tls-ca", another.File},
	} {
		stranger := g.helper("clara", args...)
		require.Equal(t, 1, stranger.wait())
		require.Contains(t, stranger.output(), "croupier: connect to NATS at "+c.nats)
		require.Contains(t, stranger.output(), want)
	}
	plain, err := net.Dial("tcp", "127.0.0.1:"+port)
	require.NoError(t, err)
	defer plain.Close()
	require.NoError(t, plain.SetDeadline(time.Now().Add(patience)))
	_, err = plain.Write([]byte("CONNECT {}\r\nPING\r\n"))
	require.NoError(t, err)
	answer, err := io.ReadAll(plain) // until the broker closes it
	require.NotErrorIs(t, err, os.ErrDeadlineExceeded)
	require.NotContains(t, string(answer), "PONG")
	train.says("what=tls")

	newCert, newKey := another.Issue(t, 2, time.Hour)
	require.NoError(t, os.Rename(newCert, cert))
	require.NoError(t, os.Rename(newKey, key))
	eventually(t, "the new certificate is read", func() error {
		b, err := bus.Connect(t.Context(), bus.NATSOptions{
			URL: c.nats, Run: "evening", Role: "test", Credentials: g.seed("clara"), CA: another.File,
			Log: slog.New(slog.DiscardHandler),
		})
		if err == nil {
			err = b.Close()
		}
		return err
	})
	before := actorsOf(t, c)["anna"].Consumed
	clara := g.helper("clara", "--tls-ca", another.File)
	g.learnt("clara")
	eventually(t, "participants continue", func() error {
		return above(float64(actorsOf(t, c)["anna"].Consumed), float64(before+1))
	})
	require.NotContains(t, anna.output(), "connection to NATS lost")
	anna.stop()
	clara.stop()
	g.roles["berta"].stop()
	train.interrupt()
}

func TestTrainRefusesToListen(t *testing.T) {
	t.Parallel()
	other := filepath.Join(t.TempDir(), "other")
	require.NoError(t, testproc.Run(exec.Command(croupier(t), "broker", "credentials", "create", other, "--run",
		"morning")))
	keys, nobody := filepath.Join(other, "broker.yaml"), filepath.Join(other, "nobody.yaml")
	require.NoError(t, os.WriteFile(nobody, []byte("{}\n"), 0o600))
	for _, test := range []struct {
		args []string
		exit int
		want string
	}{
		{[]string{"--credentials", keys}, 2, "--nats-listen, which is not given"},
		{[]string{"--nats-listen", "127.0.0.1:0", "--nats", "nats://127.0.0.1:1"}, 2, "with --nats there is none"},
		{[]string{"--nats-listen", "127.0.0.1:0", "--credentials", keys}, 2, "is for the run morning, not for evening"},
		{[]string{"--nats-listen", "127.0.0.1:0", "--credentials", "/nowhere"}, 1, "--credentials: open /nowhere"},
		{[]string{"--nats-listen", "127.0.0.1:0", "--credentials", os.DevNull}, 1, "not a regular file"},
		{[]string{"--nats-listen", "127.0.0.1:0", "--credentials", nobody}, 1, "run: "},
		{[]string{"--nats-listen", "nonsense"}, 2, "--nats-listen nonsense"},
		{[]string{"--nats-tls-cert", "c.pem", "--nats-tls-key", "c.key"}, 2, "for --nats-listen, which is not given"},
		{[]string{"--nats-listen", "0.0.0.0:0", "--nats-tls-cert", "c.pem"}, 2, "belong together"},
		{[]string{"--nats-listen", "0.0.0.0:0"}, 2, "opens the run to other machines: add --nats-tls-cert"},
		{[]string{"--nats-listen", "0.0.0.0:0", "--nats-tls-cert", "c.pem", "--nats-tls-key", "c.key"}, 1,
			"TLS: the certificate: open c.pem"},
	} {
		dir := filepath.Join(t.TempDir(), "evening")
		out, err := testproc.CombinedOutput(exec.Command(croupier(t),
			append([]string{"train", "kuhn", "--run", dir}, test.args...)...))
		var exit *exec.ExitError
		require.ErrorAs(t, err, &exit, string(out))
		require.Equal(t, test.exit, exit.ExitCode(), string(out))
		require.Contains(t, string(out), test.want)
		require.NoDirExists(t, dir)
	}
}
