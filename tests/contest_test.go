package tests

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/internal/testproc"
	"croupier/messages/bus"
)

// TestTournamentOnACluster: the actors of a run with keys play a tournament, of which one is killed in the middle, and
// the program that holds it as well. The ladder is that of the same tournament on this machine; neither league nor
// learner learns of it, nothing of it stays on the broker, and training continues.
func TestTournamentOnACluster(t *testing.T) {
	t.Parallel()
	g := &guarded{cluster: newCluster(t, "host"), set: filepath.Join(t.TempDir(), "set"), roles: map[string]*role{}}
	g.command("broker", "credentials", "create", g.set, "--run", g.run, "--actors", "2")
	g.command("broker", "credentials", "add", g.set, "cup", "--arena")
	server := startRole(t, "broker", "--dir", t.TempDir(), "--listen", strings.TrimPrefix(g.nats, "nats://"),
		"--credentials", filepath.Join(g.set, "broker.yaml"))
	g.with("learner", "learner", append([]string{"kuhn"}, quick[2:]...)...)
	g.with("league", "league")
	g.with("actor-1", "actor", "--actors", "1")
	g.with("actor-2", "actor", "--actors", "1")
	member := filepath.Join(g.run, "population", "main@1.safetensors")
	eventually(t, "a first version", func() error { _, err := os.Stat(member); return err })

	agents := []string{"arena", "main@1", "random", "solver:equilibrium", "greedy:main@1", "--games", "3000", "--seed",
		"7", "--json",
		"--run", g.run}
	want := g.command(agents...)
	cup := filepath.Join(t.TempDir(), "cup")
	call := func() (*exec.Cmd, *bytes.Buffer) {
		cmd := exec.Command(croupier(t), append(agents, "--nats", g.nats, "--creds", g.seed("cup"), "--out", cup)...)
		var out, errors bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errors
		t.Cleanup(func() {
			if t.Failed() {
				t.Log(errors.String())
			}
		})
		require.NoError(t, testproc.Start(cmd))
		return cmd, &out
	}
	played := func() int {
		text, _ := os.ReadFile(filepath.Join(cup, "results.log"))
		return bytes.Count(text, []byte("\n"))
	}
	reach := func(n int) {
		require.Eventually(t, func() bool { return played() >= n }, patience, 5*time.Millisecond)
	}
	first, _ := call()
	reach(40)
	require.NoError(t, first.Process.Signal(syscall.SIGTERM))
	require.Error(t, first.Wait(), "it was at work")
	left := waiting(t, g)
	require.Zero(t, left[bus.Contests])
	require.LessOrEqual(t, left[bus.Outcomes], uint64(2), "no more than what the actors were about to end")

	decisions := g.roles["learner"].value("croupier_learner_samples_total")
	second, _ := call()
	reach(played() + 40)
	require.NoError(t, second.Process.Kill())
	require.Error(t, second.Wait())
	g.reaches("learner", "croupier_learner_samples_total", decisions+1)
	g.roles["learner"].stop() // training continued; it is not needed while the lease of a killed actor's match runs out
	third, out := call()
	reach(played() + 40)
	g.roles["actor-2"].kill()
	require.NoError(t, third.Wait())
	require.Equal(t, want, out.String())
	require.Equal(t, 6*150, played(), "no match was counted twice")
	// Games of a match are kept before its result, so that some are there twice after a kill.
	require.Regexp(t, `of (18|19|20)\d{3} games`, g.command("archive", "list", "--run", cup, "--limit", "1"))

	g.reaches("league", "croupier_league_results_total", 1, "outcome", "applied")
	require.Zero(t, g.roles["league"].value("croupier_league_results_total", "outcome", "refused"))
	require.NotContains(t, g.command("runs", "actors", "list", "--nats", g.nats, "--run", "host", "--creds",
		g.seed("operator")), "quarantined")
	require.Zero(t, server.value("croupier_broker_refused_total"), server.tail())
}

// waiting counts the messages of streams.
func waiting(t *testing.T, g *guarded) map[bus.Stream]uint64 {
	b, err := bus.Connect(t.Context(), bus.NATSOptions{URL: g.nats, Run: "host", Role: "test",
		Credentials: g.seed("operator")})
	require.NoError(t, err)
	defer b.Close()
	count := map[bus.Stream]uint64{}
	for _, s := range bus.Streams {
		info, err := b.Info(t.Context(), s)
		require.NoError(t, err)
		count[s] = info.Messages
	}
	return count
}
