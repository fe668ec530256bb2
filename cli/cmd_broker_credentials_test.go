package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCredentialsCommand(t *testing.T) {
	set := filepath.Join(t.TempDir(), "set")
	require.Contains(t, succeed(t, "", "broker", "credentials", "create", set, "--run", "runs/evening", "--actors", "2"),
		"6 keys for the run evening in "+set)
	for _, name := range []string{"operator", "learner", "league", "web", "actor-1", "actor-2"} {
		info, err := os.Stat(filepath.Join(set, name+".seed"))
		require.NoError(t, err)
		require.EqualValues(t, 0o600, info.Mode().Perm(), name)
	}
	public, err := os.ReadFile(filepath.Join(set, "broker.yaml"))
	require.NoError(t, err)
	require.NotRegexp(t, `\bSU[A-Z2-7]{56}\b`, string(public), "a seed")
	require.Contains(t, refused(t, 1, "broker", "credentials", "create", set, "--run", "evening"),
		"holds a credential set already")
	require.Contains(t, refused(t, 1, "broker", "credentials", "add", set, "actor-2"), "has a key actor-2 already")
	require.Contains(t, refused(t, 1, "broker", "credentials", "add", set, "a b"), `name "a b"`)
	require.Contains(t, refused(t, 1, "broker", "credentials", "rotate", set, "nobody"), "has no key nobody")
	require.Contains(t, refused(t, 1, "broker", "credentials", "revoke", t.TempDir(), "actor-1"), "no credential set")

	seed := filepath.Join(set, "alice.seed")
	require.Contains(t, succeed(t, "", "broker", "credentials", "add", set, "alice", "--contributor"), seed)
	succeed(t, "", "broker", "credentials", "add", set, "there", "--leaf")
	before, err := os.ReadFile(seed)
	require.NoError(t, err)
	require.Contains(t, succeed(t, "", "broker", "credentials", "rotate", set, "alice"), seed)
	after, err := os.ReadFile(seed)
	require.NoError(t, err)
	require.NotEqual(t, before, after)
	succeed(t, "", "broker", "credentials", "retire", set, "alice")
	succeed(t, "", "broker", "credentials", "revoke", set, "alice")
	require.NoFileExists(t, seed)

	nats := []string{"--nats", "nats://127.0.0.1:1", "--run", "runs/evening", "--metrics", "off"}
	actor := func(more ...string) string {
		return refused(t, 2, append(append([]string{"actor"}, nats...), more...)...)
	}
	one := filepath.Join(set, "actor-1.seed")
	require.Contains(t, actor("--creds", one, "--id", "actor-2"), "is for the id actor-1")
	require.Contains(t, actor("--creds", filepath.Join(set, "league.seed")),
		"is the credential of the league, not of an actor")
	require.Contains(t, actor("--id", "a.b"), "--id: name")
	require.Contains(t, refused(t, 1, "broker", "--dir", t.TempDir(), "--listen", "0.0.0.0:0"), "or --insecure")
}
