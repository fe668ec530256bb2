package tests

import (
	"bufio"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

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
	out, err := exec.Command(croupier(g.t), args...).CombinedOutput()
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

// A run in which every role has its own key does all that a run does, and nobody asks the broker
// for anything that a key does not allow.
func TestKeysPerRole(t *testing.T) {
	g := &guarded{cluster: newCluster(t, "keys"), set: filepath.Join(t.TempDir(), "set"), roles: map[string]*role{}}
	g.command("credentials", "create", g.set, "--run", g.run)
	g.command("credentials", "add", g.set, "anna", "--contributor")
	public, seed, err := broker.NewUser()
	require.NoError(t, err)
	owner := filepath.Join(t.TempDir(), "croupier.nk") // the one key of before, while roles go over to their own
	require.NoError(t, os.WriteFile(owner, seed, 0o600))
	server := startRole(t, "broker", "--dir", t.TempDir(), "--listen", strings.TrimPrefix(g.nats, "nats://"),
		"--credentials", filepath.Join(g.set, "broker.yaml"), "--nkey", public)
	page := freeAddress(t)
	g.with("learner", "learner", append([]string{"kuhn"}, quick[2:]...)...)
	g.with("league", "league")
	g.with("actor-1", "actor", "--actors", "1")
	g.with("web", "web", "--listen", page)
	anna := start(t, "contribute", croupier(t), "contribute", g.nats, "--key", g.seed("anna"), "--cores", "1")

	g.reaches("league", "croupier_league_results_total", 3, "outcome", "applied")
	eventually(t, "versions are rated", func() error {
		out, err := exec.Command(croupier(t), "ladder", "--run", g.run).CombinedOutput()
		if err != nil || !strings.Contains(string(out), "main@1") {
			return fmt.Errorf("%v: %s", err, out)
		}
		return nil
	})
	for _, key := range []string{g.seed("operator"), g.seed("web"), owner} {
		eventually(t, "actors with the key "+key, func() error {
			list := g.command("actors", "list", "--nats", g.nats, "--run", "keys", "--creds", key)
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
	g.command("credentials", "rotate", g.set, "actor-1")
	after, err := os.ReadFile(g.seed("actor-1"))
	require.NoError(t, err)
	require.NotEqual(t, before, after)
	eventually(t, "the broker knows both keys", func() error {
		return above(float64(strings.Count(server.output(), "credentials read")), float64(read+1))
	})
	g.command("credentials", "retire", g.set, "actor-1")
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
