//go:build nightly || long

package tests

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/internal/testproc"
)

// engine is a Docker engine of the test's own. It has its own namespaces of processes,
// mounts and network, so that its containers, bridges and firewall rules touch nothing of
// this machine, and all of them are gone when its first process ends: at the latest when
// this process does, which holds a pipe that it reads.
type engine struct {
	*process
	dir    string // its socket and data
	name   string // of its network device here and of its group of processes
	subnet string // 10.A.B: .0/24 between here and the engine, of the containers 10.(A+1).B.0/24
	alive  *os.File
}

// firstProcess brings up the network and runs the engine until its standard input ends.
const firstProcess = `ip link set lo up; dockerd "$@" & read -r _; kill $! 2>/dev/null; wait`

// startEngine starts an engine, which the end of the test removes with all that is in it.
func startEngine(t *testing.T) *engine {
	asRoot(t)
	for _, program := range []string{"dockerd", "docker", "unshare", "nsenter", "ip", "iptables"} {
		needs(t, program)
	}
	dir, err := os.MkdirTemp("", "croupier-docker-") // short, because paths of sockets are
	require.NoError(t, err)
	number := os.Getpid() % 250
	e := &engine{dir: dir, name: fmt.Sprintf("croupier%d", number), subnet: fmt.Sprintf("10.%d.%d", 210, number)}
	t.Cleanup(e.clean) // after the process has ended
	input, alive, err := os.Pipe()
	require.NoError(t, err)
	defer input.Close()
	e.alive = alive
	e.process = startWith(t, "dockerd", input, needs(t, "unshare"), "--net", "--mount", "--pid", "--fork", "--kill-child",
		"--mount-proc", "sh", "-c", firstProcess, "sh", "--host", "unix://"+e.socket(), "--data-root",
		filepath.Join(dir, "data"),
		"--exec-root", filepath.Join(dir, "exec"), "--pidfile", filepath.Join(dir, "pid"), "--log-level", "fatal",
		"--cgroup-parent", "/"+e.name,
		"--bip", fmt.Sprintf("10.212.%d.1/24", number),
		"--default-address-pool", fmt.Sprintf("base=10.211.%d.0/24,size=24", number))
	t.Cleanup(e.end)
	eventually(t, "the Docker engine answers", func() error {
		if !e.running() {
			t.Fatalf("dockerd ended\n%s", e.tail())
		}
		_, err := e.run("docker", "info")
		return err
	})
	e.connect()
	return e
}

func (e *engine) socket() string { return filepath.Join(e.dir, "docker.sock") }

// connect makes the containers reachable from here, by their own addresses and by what they publish at e.address().
func (e *engine) connect() {
	e.shell("ip", "link", "add", e.name, "type", "veth", "peer", "name", "outside", "netns", fmt.Sprint(e.cmd.Process.Pid))
	e.shell("ip", "address", "add", e.subnet+".1/24", "dev", e.name)
	e.shell("ip", "link", "set", e.name, "up")
	e.inside("ip", "address", "add", e.address()+"/24", "dev", "outside")
	e.inside("ip", "link", "set", "outside", "up")
	e.shell("ip", "route", "add", strings.Replace(e.subnet, "10.210.", "10.211.", 1)+".0/24", "via", e.address())
	e.inside("iptables", "--insert", "DOCKER-USER", "--in-interface", "outside", "--jump", "ACCEPT")
}

// address is where the engine publishes ports to here.
func (e *engine) address() string { return e.subnet + ".2" }

// end stops the containers and the engine.
func (e *engine) end() {
	if e.running() {
		e.run("sh", "-c", "docker ps --quiet | xargs --no-run-if-empty docker kill")
	}
	e.alive.Close()
	<-e.exited
}

// clean removes what the kernel keeps when all processes are gone.
func (e *engine) clean() {
	groups, _ := filepath.Glob("/sys/fs/cgroup/*/" + e.name)
	for _, group := range append(groups, "/sys/fs/cgroup/"+e.name) {
		var folders []string
		filepath.WalkDir(group, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				folders = append([]string{path}, folders...)
			}
			return nil
		})
		for _, folder := range folders {
			os.Remove(folder)
		}
	}
	if err := os.RemoveAll(e.dir); err != nil {
		e.t.Errorf("what the Docker engine kept is not removed: %v", err)
	}
}

// run runs a program that finds this engine, and returns its standard output.
func (e *engine) run(program string, args ...string) (string, error) {
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), "DOCKER_HOST=unix://"+e.socket())
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := testproc.Run(cmd); err != nil {
		return "", fmt.Errorf("%s: %w\n%s%s", cmd, err, out.String(), said.String())
	}
	return strings.TrimSpace(out.String()), nil
}

// shell runs a program that must succeed.
func (e *engine) shell(program string, args ...string) string {
	e.t.Helper()
	out, err := e.run(program, args...)
	require.NoError(e.t, err)
	return out
}

// inside runs a program in the engine's namespaces, where processes have the numbers that the engine knows.
func (e *engine) inside(program string, args ...string) {
	e.t.Helper()
	children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%[1]d/children", e.cmd.Process.Pid))
	require.NoError(e.t, err)
	first := strings.TrimSpace(string(children))
	e.shell("nsenter", append([]string{"--target", first, "--net", "--mount", "--pid", program}, args...)...)
}

// container is one container of an engine. Its address changes when it is started again.
type container struct {
	*engine
	id string
}

// inspect returns a field of the container's description.
func (c container) inspect(format string) string {
	c.t.Helper()
	return c.shell("docker", "inspect", "--format", format, c.id)
}

// kill ends the container's process like `kill -9`, and waits until the engine has seen it. The engine starts it again.
func (c container) kill() {
	c.t.Helper()
	before := c.inspect("{{.State.StartedAt}}")
	c.inside("kill", "-9", c.inspect("{{.State.Pid}}"))
	eventually(c.t, "the container starts again", func() error {
		if c.inspect("{{.State.Running}} {{.State.StartedAt}}") == "true "+before {
			return errors.New("it has not ended")
		}
		return nil
	})
}

// role returns the role in the container, to ask for its metrics.
func (c container) role() (*role, error) {
	address := c.inspect("{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}")
	if address == "" {
		return nil, fmt.Errorf("%s has no address", c.inspect("{{.Name}}"))
	}
	return &role{process: c.process, metrics: address + ":9400"}, nil
}
