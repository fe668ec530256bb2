package tests

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/internal/nightly"
	"croupier/internal/testproc"
)

// walk are the commands of deploy/README.md by which one laptop becomes three machines.
var walk = regexp.MustCompile("(?s)<!-- walk -->\n```console\n(.*?)```\n<!-- end -->")

// hosts makes three hosts with the addresses 10.0.0.1 to 10.0.0.3 on one switch, all of them network namespaces, and
// returns their names.
func hosts(t *testing.T) (names []string) {
	asRoot(t)
	ip := func(args ...string) {
		t.Helper()
		out, err := testproc.CombinedOutput(exec.Command(needs(t, "ip"), args...))
		require.NoError(t, err, "ip %v: %s", args, out)
	}
	wire := fmt.Sprintf("croupier-walk-%d", os.Getpid())
	ip("netns", "add", wire)
	t.Cleanup(func() { ip("netns", "del", wire) })
	ip("-n", wire, "link", "add", "switch", "up", "type", "bridge")
	for n := 1; n <= 3; n++ {
		host, port := fmt.Sprintf("%s-%d", wire, n), fmt.Sprintf("port%d", n)
		ip("netns", "add", host)
		t.Cleanup(func() { ip("netns", "del", host) })
		ip("-n", host, "link", "set", "lo", "up")
		ip("-n", wire, "link", "add", port, "up", "master", "switch", "type", "veth", "peer", "name", "eth0", "netns", host)
		ip("-n", host, "address", "add", fmt.Sprintf("10.0.0.%d/24", n), "dev", "eth0")
		ip("-n", host, "link", "set", "eth0", "up")
		names = append(names, host)
	}
	return names
}

// copies is an scp between the hosts' folders, which have no SSH.
const copies = `#!/bin/sh
exec cp "$1" "%s/${2#10.0.0.}"
`

// The ten commands of deploy/README.md do what it says, as they stand there, but that each change trains for a shorter
// time first.
func TestWalk(t *testing.T) {
	t.Parallel()
	names, home := hosts(t), t.TempDir()
	programs := filepath.Join(home, "bin")
	require.NoError(t, os.Mkdir(programs, 0o755))
	require.NoError(t, os.Symlink(croupier(t), filepath.Join(programs, "croupier")))
	require.NoError(t, os.WriteFile(filepath.Join(programs, "scp"), fmt.Appendf(nil, copies, home), 0o755))
	for n := range names {
		// scp names a host 10.0.0.2: with a colon.
		folder := filepath.Join(home, fmt.Sprint(n+1))
		require.NoError(t, os.Mkdir(folder, 0o755))
		require.NoError(t, os.Symlink(folder, folder+":"))
	}
	page, err := os.ReadFile(filepath.Join(deployDir, "README.md"))
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(walk.FindStringSubmatch(string(page))[1]), "\n")
	require.Len(t, lines, 10)
	run := func(n int) string { return filepath.Join(home, fmt.Sprint(n), "runs/evening") }
	var alone uint64
	for i, line := range lines {
		machine, command, ok := strings.Cut(line, "$ ")
		require.True(t, ok, line)
		if i == 0 && !nightly.On {
			require.Contains(t, command, " --for 20s ")
			command = strings.Replace(command, "--for 20s", "--for 2s "+strings.Join(quick[2:], " "), 1)
		}
		role := regexp.MustCompile(`^croupier (broker|learner|league|web|actor) (?:bank|--)`).FindStringSubmatch(command)
		if role != nil {
			command = "exec " + command
		}
		shell := []string{"netns", "exec", names[machine[0]-'1'], "env", "PATH=" + programs + ":" + os.Getenv("PATH"),
			"sh", "-c", "cd " + filepath.Join(home, machine) + " && " + command}
		if i == len(lines)-1 {
			walked(t, run, alone)
		}
		if role != nil {
			p := start(t, role[1]+" on "+machine, needs(t, "ip"), shell...)
			if role[1] == "actor" {
				p.hurry = p.holdBack()
			}
			continue
		}
		out, err := testproc.CombinedOutput(exec.Command(needs(t, "ip"), shell...))
		require.NoError(t, err, "%s: %s", line, out)
		if i == 0 {
			last, err := newest(run(1))
			require.NoError(t, err)
			alone = last.Samples
		}
		if i == len(lines)-1 {
			require.Contains(t, string(out), "main@")
		}
	}
}

// walked waits until the machines of the actors have played and the learner has gone on from where the laptop was.
func walked(t *testing.T, run func(machine int) string, alone uint64) {
	t.Helper()
	for _, machine := range []int{2, 3} {
		eventually(t, fmt.Sprintf("machine %d plays", machine), func() error {
			played := uint64(0)
			files, err := filepath.Glob(filepath.Join(run(machine), "actors", "*.json"))
			for _, file := range files {
				doc, _ := os.ReadFile(file)
				var j journal
				json.Unmarshal(doc, &j) // while it is being made it is empty
				played += j.Episodes
			}
			if played < 100 {
				return fmt.Errorf("%d games: %v", played, err)
			}
			return nil
		})
	}
	eventually(t, "the learner continues", func() error {
		last, err := newest(run(1))
		if err == nil && last.Samples <= alone {
			err = fmt.Errorf("%d samples, %d on the laptop", last.Samples, alone)
		}
		return err
	})
}
