//go:build unix

// Package guides runs the commands of the guides: README.md, docs and deploy.
//
// Each block of sh is typed as it stands, the blocks of a page in order, in a directory that begins empty but for the
// folders of this tree that the page names: those of the pages in each with every change, those of all pages but the
// untried at night. In a block of console each command begins with the number of the machine on which it is typed, and
// each machine has a directory of its own; all are this one, whose loopback device has the addresses 10.0.0.0/8. A word
// after sh says what a block needs that a test does not have (see needed); such blocks are checked for the names of
// commands, flags and settings alone (cli).
//
// Programs of the guides are stood in for where they would take long, never end or leave this machine (shims_test.go).
package guides

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/internal/nightly"
	"croupier/internal/testproc"
	"croupier/internal/testprogram"
	"croupier/tests/netns"
)

// longest is how long a block may take on a busy machine.
const longest = 5 * time.Minute

// tree is the folder of the module.
const tree = "../.."

// each are the pages of which every change runs the commands, with a few seconds of processor time.
var each = []string{"docs/guide/serve.md", "docs/explain/trust.md", "docs/reference/messages.md", "docs/guide/tournaments.md",
	"docs/guide/sweep.md", "docs/tutorial/agent.md", "docs/tutorial/machines.md", "docs/tutorial/page.md",
	"docs/guide/install.md"}

// untried are the pages whose commands were not yet seen to work, or that take longer than a block may.
var untried = []string{"docs/lab/experiments.md", "games/tysiac/README.md"}

// needed are the words after sh of blocks that are not run, and what each stands for.
var needed = map[string]string{
	"hours":      "it takes hours, or measures the speed of the machine",
	"docker":     "it needs a Docker engine (tests/docker_nightly_linux_test.go runs it)",
	"kubernetes": "it needs a Kubernetes cluster",
	"root":       "it changes the system on which it runs",
	"release":    "it makes or checks a release (tests/release_nightly_test.go)",
	"network":    "it fetches something",
	"clone":      "it changes the sources (tests/module_path_test.go runs it)",
	"history":    "it reads older commits, which a shallow clone lacks",
	"template":   "it has names in capitals to fill in",
	"help":       "it is of a command's help, whose examples cli checks",
}

// named are the parts of the tree that commands name, which a page finds in its directory as in the clone.
var named = []string{"sweep/testdata", "deploy/training", "docs/lab/experiments", "docs/reference/banluck-report.md", "tests/peers",
	"tests/outside/nim", "tests/outside/reinforce",
	"engine/wasm/kits", "engine/program/kits"}

func TestMain(m *testing.M) {
	if name := filepath.Base(os.Args[0]); os.Getenv(stateFolder) != "" && slices.Contains(shims, name) {
		if err := standIn(name, os.Args[1:]); err != nil {
			fmt.Fprintf(os.Stderr, "%s, as the guides' test runs it: %v\n", name, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if err := netns.Own(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

var (
	fence    = regexp.MustCompile("(?ms)^ *```([^\n]*)\n(.*?)^ *```")
	indented = regexp.MustCompile(`(?m)(?:^    [^\n]*\n)+`)
	// filed finds the name of a file that a block is to be.
	filed  = regexp.MustCompile(`^# ([a-z-]+\.yaml)\n`)
	prompt = regexp.MustCompile(`(?m)^(\d)\$ `)
	// command finds what is to be typed.
	command = regexp.MustCompile(`(?m)^\s*(?:\d\$ )?(?:[A-Z]+=\S+ )*(?:` +
		`croupier [a-z-]+ |croupier\n|croupier [a-z-]+\n|go (?:run|test|build|install|tool) |make [a-z]+\n|` +
		`(?:curl|openssl|sudo|docker|kubectl|git|taskset|python3?) )`)
)

// block is a block of a page that is to be typed.
type block struct {
	kind   string // sh, console, or file: its text is to be that file
	reason string // why it is not run; name of the file
	text   string
}

// pages returns the texts of all guides by path below the tree.
func pages(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, root := range []string{"README.md", "CONTRIBUTING.md", "docs", "deploy", "games"} {
		require.NoError(t, filepath.WalkDir(filepath.Join(tree, root), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || filepath.Ext(path) != ".md" || root == "games" && entry.Name() != "README.md" {
				return err
			}
			text, err := os.ReadFile(path)
			name, _ := filepath.Rel(tree, path)
			texts[filepath.ToSlash(name)] = string(text)
			return err
		}))
	}
	return texts
}

// blocks returns the blocks of a page that are to be typed, in order.
func blocks(text string) (found []block) {
	for _, m := range fence.FindAllStringSubmatch(text, -1) {
		kind, reason, _ := strings.Cut(m[1], " ")
		file := filed.FindStringSubmatch(m[2])
		switch {
		case kind == "sh" || kind == "console":
			found = append(found, block{kind: kind, reason: reason, text: m[2]})
		case file != nil:
			found = append(found, block{kind: "file", reason: file[1], text: m[2]})
		}
	}
	return found
}

// Whatever is to be typed is in a block of sh or console, and what is not run has a known reason.
func TestCommandsStandInTheirBlocks(t *testing.T) {
	for path, text := range pages(t) {
		for _, b := range blocks(text) {
			if b.kind == "file" {
				continue
			}
			require.Equal(t, b.kind == "console", prompt.MatchString(b.text), "%s: %s", path, b.text)
			if b.reason != "" {
				require.Contains(t, needed, b.reason, "%s: %s", path, b.text)
			}
		}
		for _, m := range fence.FindAllStringSubmatch(text, -1) {
			if kind, _, _ := strings.Cut(m[1], " "); kind != "sh" && kind != "console" {
				require.NotRegexp(t, command, m[2], "%s: a block of commands without sh", path)
			}
		}
		require.NotRegexp(t, command, strings.Join(indented.FindAllString(fence.ReplaceAllString(text, ""), -1), "\n"),
			"%s: an indented block of commands", path)
	}
}

func TestGuides(t *testing.T) {
	if os.Geteuid() != 0 {
		require.Empty(t, os.Getenv("CI"), "%s needs root", t.Name())
		fmt.Fprintln(os.Stderr, "LEFT OUT:", t.Name(), "needs root, for addresses of its own: sudo make test")
		t.Skip("needs root")
	}
	address(t)
	shell, err := exec.LookPath("bash")
	require.NoError(t, err)
	program := testprogram.Path(t)
	for path, text := range pages(t) {
		typed := slices.DeleteFunc(blocks(text), func(b block) bool { return b.kind != "file" && b.reason != "" })
		runs := nightly.On && !slices.Contains(untried, path) || slices.Contains(each, path)
		if !runs || !slices.ContainsFunc(typed, func(b block) bool { return b.kind != "file" }) {
			continue
		}
		t.Run(path, func(t *testing.T) {
			d := newDesk(t, shell, program)
			for _, b := range typed {
				d.spread(b.text)
			}
			for _, b := range typed {
				d.enter(b)
			}
			d.leave()
		})
	}
}

// address gives the loopback device, which is this process's own, the addresses of all machines of the guides.
func address(t *testing.T) {
	t.Helper()
	ip, err := exec.LookPath("ip")
	require.NoError(t, err, "ip is missing: run make needs (tests/needs.sh), which installs it")
	out, err := testproc.CombinedOutput(exec.Command(ip, "address", "replace", "10.0.0.1/8", "dev", "lo"))
	require.NoError(t, err, "%s", out)
}

// desk is where the commands of a page are typed.
type desk struct {
	t     *testing.T
	shell string
	home  string // folders of the machines by number
	env   []string
}

func newDesk(t *testing.T, shell, program string) *desk {
	t.Helper()
	home, programs, state := t.TempDir(), t.TempDir(), t.TempDir()
	self, err := os.Executable()
	require.NoError(t, err)
	for _, name := range shims {
		require.NoError(t, os.Symlink(self, filepath.Join(programs, name)))
	}
	root, err := filepath.Abs(tree)
	require.NoError(t, err)
	d := &desk{t: t, shell: shell, home: home}
	d.env = append(os.Environ(), stateFolder+"="+state, homeFolder+"="+home, realProgram+"="+program, treeFolder+"="+root,
		searched+"="+os.Getenv("PATH"), "PATH="+programs+":"+os.Getenv("PATH"), "HOME="+filepath.Join(home, "user"),
		"XDG_CONFIG_HOME="+filepath.Join(home, "user", ".config"), "TERM=dumb")
	for _, cache := range []string{"GOCACHE", "GOMODCACHE"} {
		folder, err := testproc.Output(exec.Command("go", "env", cache))
		require.NoError(t, err)
		d.env = append(d.env, cache+"="+strings.TrimSpace(string(folder)))
	}
	t.Cleanup(func() { endServers(state) })
	return d
}

// machine returns the folder of the machine, which is made.
func (d *desk) machine(number int) string {
	folder := filepath.Join(d.home, strconv.Itoa(number))
	require.NoError(d.t, os.MkdirAll(folder, 0o755))
	return folder
}

// spread copies what the text names of the tree to machine 1.
func (d *desk) spread(text string) {
	for _, part := range named {
		to := filepath.Join(d.machine(1), part)
		if _, err := os.Stat(to); err == nil || !strings.Contains(text, part) {
			continue
		}
		require.NoError(d.t, os.MkdirAll(filepath.Dir(to), 0o755))
		from := filepath.Join(tree, part)
		info, err := os.Stat(from)
		require.NoError(d.t, err)
		if info.IsDir() {
			require.NoError(d.t, os.CopyFS(to, os.DirFS(from)))
			continue
		}
		content, err := os.ReadFile(from)
		require.NoError(d.t, err)
		require.NoError(d.t, os.WriteFile(to, content, 0o644))
	}
}

// enter types the block.
func (d *desk) enter(b block) {
	if b.kind == "file" {
		require.NoError(d.t, os.WriteFile(filepath.Join(d.machine(1), b.reason), []byte(b.text), 0o644))
		return
	}
	if b.kind == "sh" {
		d.run(1, b.text)
		return
	}
	starts := prompt.FindAllStringSubmatchIndex(b.text, -1)
	for i, at := range starts {
		end := len(b.text)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		number, _ := strconv.Atoi(b.text[at[2]:at[3]])
		d.run(number, b.text[at[1]:end])
	}
}

// run types the text on the machine.
func (d *desk) run(machine int, text string) {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(d.t.Context(), longest)
	defer cancel()
	cmd := exec.CommandContext(ctx, d.shell, "-euo", "pipefail", "-c", text)
	cmd.Dir, cmd.Env, cmd.WaitDelay = d.machine(machine), d.env, time.Second
	began := time.Now()
	out, err := testproc.CombinedOutput(cmd)
	d.t.Logf("%.1f s: %s", time.Since(began).Seconds(), text)
	if err != nil {
		d.t.Errorf("%v\n%s\n%s\n%s", err, text, out, d.logs())
	}
}

// leave ends what still runs, which must be well and end in order.
func (d *desk) leave() {
	d.t.Helper()
	require.NoError(d.t, leaveServers(d.state()), "%s", d.logs())
}

func (d *desk) state() string {
	for _, pair := range d.env {
		if folder, found := strings.CutPrefix(pair, stateFolder+"="); found {
			return folder
		}
	}
	return ""
}

// logs returns the last of what each server has written.
func (d *desk) logs() string {
	var out strings.Builder
	files, _ := filepath.Glob(filepath.Join(d.state(), "*.log"))
	for _, file := range files {
		content, _ := os.ReadFile(file)
		fmt.Fprintf(&out, "%s:\n%s\n", filepath.Base(file), content[max(0, len(content)-2000):])
	}
	return out.String()
}
