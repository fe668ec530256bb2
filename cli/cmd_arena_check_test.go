package cli

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/agents/external"
	"croupier/messages"
)

// python is the example of the documentation as an agent.
func python(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("python3")
	require.NoError(t, err, "the example is in Python")
	script, err := filepath.Abs("../tests/peers/agent.py")
	require.NoError(t, err)
	return "exec:" + path + " " + script
}

func TestAgentInAnotherLanguage(t *testing.T) {
	agent := python(t)
	status, stdout, stderr := croupier("", "arena", "check", agent, "--game", "leduc", "--json")
	require.Zero(t, status, stderr)
	var findings []external.Finding
	require.NoError(t, json.Unmarshal([]byte(stdout), &findings))
	require.Len(t, findings, 6)

	args := []string{"arena", agent, "random", "--game", "leduc", "--games", "60", "--json"}
	status, first, stderr := croupier("", args...)
	require.Zero(t, status, stderr)
	require.Empty(t, stderr)
	_, second, _ := croupier("", args...)
	require.Equal(t, first, second, "with the same seeds it plays the same")
	var ladder messages.Ladder
	require.NoError(t, json.Unmarshal([]byte(first), &ladder))
	require.Equal(t, agent, ladder.Agents[0].Name)

	status, stdout, stderr = croupier("check\ncall\ncall\ncall\ncall\ncall\n", "play", "kuhn", "--seed", "1", "--timeout",
		"0",
		"--folder", t.TempDir(), "--against", agent)
	require.Zero(t, status, stderr)
	require.Contains(t, stdout, agent)
}

func TestAgentThatFails(t *testing.T) {
	status, stdout, stderr := croupier("", "arena", "check", "exec:true", "--game", "kuhn")
	require.Equal(t, 1, status)
	require.Equal(t, "WRONG  starts and answers the greeting: hello: the process ended (exit status 0)\n", stdout)
	require.Equal(t, "croupier: the agent violates the protocol: starts and answers the greeting\n", stderr)
	require.Contains(t, refused(t, 1, "arena", "exec:true", "random", "--game", "kuhn"),
		"agent exec:true: hello: the process ended")
	for says, args := range map[string][]string{
		"only exec:COMMAND and http://HOST/PATH are checked": {"random", "--game", "kuhn"},
		"unknown option": {"exec(speed=3):true", "--game", "kuhn"},
		"unknown game":   {"exec:true", "--game", "chess"},
		"--games must":   {"exec:true", "--game", "kuhn", "--games", "0"},
	} {
		require.Contains(t, refused(t, 2, append([]string{"arena", "check"}, args...)...), says)
	}
}
