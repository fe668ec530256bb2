//go:build unix

package guides

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"croupier/internal/testport"
	"croupier/internal/testproc"
)

// Names of environment variables by which the programs of a guide know where they are.
const (
	stateFolder = "CROUPIER_GUIDE_STATE"   // what runs in the background
	homeFolder  = "CROUPIER_GUIDE_HOME"    // folders of the machines
	realProgram = "CROUPIER_GUIDE_PROGRAM" // croupier itself
	treeFolder  = "CROUPIER_GUIDE_TREE"    // the module
	searched    = "CROUPIER_GUIDE_PATH"    // where the programs are that are stood in for
)

// shims are the programs that this one stands in for.
var shims = []string{"croupier", "go", "make", "scp"}

// patience is how long a server may take until it answers, on a busy machine.
const patience = 2 * time.Minute

// standIn does what the program is there for in a guide.
func standIn(name string, args []string) error {
	switch name {
	case "croupier":
		return croupier(args)
	case "go":
		return goTool(args)
	case "make":
		return through("make", append([]string{"-n", "-C", os.Getenv(treeFolder)}, args...)...)
	}
	return scp(args)
}

// through runs the program that is stood in for.
func through(name string, args ...string) error {
	if err := os.Setenv("PATH", os.Getenv(searched)); err != nil {
		return err
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return err
	}
	return replaceBy(path, args)
}

// replaceBy makes this process the program.
func replaceBy(path string, args []string) error {
	return syscall.Exec(path, append([]string{path}, args...), os.Environ())
}

// goTool runs croupier for go run, and the program of a module of its own with this tree's packages; of other calls it
// checks that packages and tests are there.
func goTool(args []string) error {
	if len(args) > 1 && args[0] == "run" && args[1] == "./cmd/croupier" {
		return croupier(args[2:])
	}
	if _, err := os.Stat("go.mod"); err == nil && args[0] == "run" {
		return outside(args)
	}
	if args[0] == "env" {
		return through("go", args...)
	}
	var sources []string
	for _, arg := range args {
		if !strings.HasPrefix(arg, "./") {
			continue
		}
		files, err := filepath.Glob(filepath.Join(os.Getenv(treeFolder), strings.TrimSuffix(arg, "/..."), "*.go"))
		if err != nil || len(files) == 0 && !strings.HasSuffix(arg, "/...") {
			return fmt.Errorf("%s is no package", arg)
		}
		sources = append(sources, files...)
	}
	for i, arg := range args[:len(args)-1] {
		kind := map[string]string{"-run": "(?:Test|Example|Fuzz)", "-bench": "Benchmark"}[arg]
		if kind == "" || args[i+1] == "." || args[i+1] == "^$" {
			continue
		}
		if err := findTests(kind, strings.Split(args[i+1], "|"), sources); err != nil {
			return err
		}
	}
	return nil
}

// outside runs a program of the module in this directory, a copy, which takes this tree's packages.
func outside(args []string) error {
	if err := os.Setenv("PATH", os.Getenv(searched)); err != nil {
		return err
	}
	out, err := testproc.CombinedOutput(exec.Command("go", "mod", "edit", "-replace=croupier="+os.Getenv(treeFolder)))
	if err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return through("go", args...)
}

// findTests requires that each part of a pattern is in the name of a test of these files.
func findTests(kind string, parts, sources []string) error {
	var code strings.Builder
	for _, file := range sources {
		content, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		code.Write(content)
	}
	for _, part := range parts {
		name := regexp.MustCompile(`func ` + kind + `\w*` + regexp.QuoteMeta(strings.TrimPrefix(part, "Test")))
		if !name.MatchString(code.String()) {
			return fmt.Errorf("there is no test or benchmark %s", part)
		}
	}
	return nil
}

// scp copies files to the folders of machines, 10.0.0.2: to that of machine 2.
func scp(args []string) error {
	host, path, found := strings.Cut(args[len(args)-1], ":")
	if !found || !strings.HasPrefix(host, "10.0.0.") {
		return fmt.Errorf("%s is no machine of the guides, 10.0.0.2: for one", args[len(args)-1])
	}
	folder := filepath.Join(os.Getenv(homeFolder), strings.TrimPrefix(host, "10.0.0."), path)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for _, from := range args[:len(args)-1] {
		content, err := os.ReadFile(from)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, filepath.Base(from)), content, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// small are settings by which iterations and matches are soon over, and versions are frozen at once.
var small = []string{
	"--set", "learner.ppo.samples=1024", "--set", "learner.ppo.minibatch=256", "--set", "learner.checkpoint_interval=1s",
	"--set", "league.freeze_updates=1", "--set", "league.reference_sets=4", "--set", "league.final_sets=4",
	"--set", "league.gate_sets=4",
}

// most are the largest values that flags have in a guide's test.
var most = map[string]map[string]string{
	"arena":           {"games": "24", "gain": "1"},
	"simulate":        {"games": "3"},
	"solve":           {"simulate": "2000", "iterations": "100", "coverage": "7"},
	"advise":          {"samples": "64", "budget": "1s"},
	"advise compare":  {"games": "2"},
	"arena exploit":   {"games": "40", "processor-time": "1s", "seeds": "1"},
	"archive dataset": {"limit": "100"},
	"archive":         {"limit": "3"},
}

// version is a frozen version in a command.
var version = regexp.MustCompile(`main@(\d+)`)

// croupier runs the program: what takes long is made short, what does not end is left in the background.
func croupier(args []string) error {
	args = short(renumber(args))
	if server(args) {
		return serve(args)
	}
	if args[0] == "play" || args[0] == "companion" {
		return playUntil(args)
	}
	asks := slices.Contains([]string{"ladder", "status", "archive", "runs actors"}, called(args)) || args[0] == "arena" &&
		value(args, "--nats") != ""
	if asks && running() {
		return again(args)
	}
	return replaceBy(os.Getenv(realProgram), args)
}

// playUntil plays until the input ends, which is before the game does.
func playUntil(args []string) error {
	out, err := exec.Command(os.Getenv(realProgram), args...).CombinedOutput()
	if err != nil && !strings.HasSuffix(string(out), "croupier: the game is not over\n") {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}

// renumber names the versions of a command 1, 2 and so on in their order: so few there are sooner.
func renumber(args []string) []string {
	var numbers []int
	for _, m := range version.FindAllStringSubmatch(strings.Join(args, " "), -1) {
		n, _ := strconv.Atoi(m[1])
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	numbers = slices.Compact(numbers)
	out := slices.Clone(args)
	for i, arg := range args {
		out[i] = version.ReplaceAllStringFunc(arg, func(name string) string {
			n, _ := strconv.Atoi(strings.TrimPrefix(name, "main@"))
			return fmt.Sprintf("main@%d", slices.Index(numbers, n)+1)
		})
	}
	return out
}

// short shortens what takes long.
func short(args []string) []string {
	if len(args) == 0 {
		return args
	}
	args = slices.Clone(args)
	for i := 1; i+1 < len(args); i++ {
		if value, has := most[called(args)][strings.TrimPrefix(args[i], "--")]; has && strings.HasPrefix(args[i], "--") {
			args[i+1] = value
		}
	}
	switch {
	case args[0] == "train" && !slices.Contains(args, "--nats-listen"):
		args = append(append(args, small...), "--rate", "10s")
		if slices.Contains(args, "--resume") {
			return append(args, "--for", "1s")
		}
		if args[1] == "tysiac" { // a whole game has some 500 decisions: 800 took over five minutes
			return append(args, "--games", "100")
		}
		return append(args, "--games", "800")
	case args[0] == "train" || args[0] == "learner" && !strings.HasPrefix(args[1], "--"): // else it joins a run
		return append(args, small...)
	case called(args) == "arena" && args[1] != "check" && value(args, "--games") == "":
		return append(args, "--games", most["arena"]["games"]) // 1,000 of a pair take minutes on actors that train
	case called(args) == "arena exploit":
		if value(args, "--processor-time") == "" {
			args = append(args, "--processor-time", "1s")
		}
		return append(args, small...)
	case args[0] == "bench":
		return append(args, "--quick")
	}
	return args
}

// called returns the command, with the subcommand where it is one of those distinguished here.
func called(args []string) string {
	for _, two := range []string{"advise compare", "arena exploit", "archive dataset", "broker credentials",
		"runs actors"} {
		if strings.HasPrefix(strings.Join(args, " ")+" ", two+" ") {
			return two
		}
	}
	return args[0]
}

// server reports whether the command runs until it is ended.
func server(args []string) bool {
	switch args[0] {
	case "broker":
		return called(args) == "broker"
	case "learner", "actor", "league", "serve", "contribute":
		return true
	case "web":
		return len(args) == 1 || strings.HasPrefix(args[1], "--")
	case "sweep":
		return slices.Contains(args, "--worker")
	case "play":
		return len(args) == 1 || strings.HasPrefix(args[1], "--listen")
	}
	return args[0] == "train" && slices.Contains(args, "--nats-listen")
}

// process is a server in the background, as the file of its name in the state folder describes it.
type process struct {
	Pid   int
	Name  string
	Asked string // HOST:PORT of its health, or of its page
	Log   string
	path  string
}

// serve starts the server and returns once it answers. With the broker of another cluster the servers before it end.
func serve(args []string) error {
	if own := args[0] == "broker" && !slices.Contains(args, "--cluster") && !slices.Contains(args, "--leaf-of"); own ||
		args[0] == "train" {
		if err := leaveServers(os.Getenv(stateFolder)); err != nil {
			return err
		}
	}
	p := process{Name: strings.Join(args, " ")}
	switch args[0] {
	case "broker", "learner", "actor", "league":
		if p.Asked = value(args, "--metrics"); p.Asked == "" {
			var err error
			if p.Asked, _, err = testport.Take(); err != nil {
				return err
			}
			args = append(args, "--metrics", p.Asked)
		}
	case "serve", "play", "web":
		p.Asked = cmp.Or(value(args, "--listen"), "127.0.0.1:8080")
	case "train":
		p.Asked = value(args, "--nats-listen")
	}
	p.path = filepath.Join(os.Getenv(stateFolder), fmt.Sprintf("%d-%s", os.Getpid(), args[0]))
	p.Log = p.path + ".log"
	log, err := os.Create(p.Log)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.Command(os.Getenv(realProgram), args...)
	cmd.Stdout, cmd.Stderr = log, log // of the process group that ends with the test
	if err := cmd.Start(); err != nil {
		return err
	}
	p.Pid = cmd.Process.Pid
	doc, err := json.Marshal(p)
	if err == nil {
		err = os.WriteFile(p.path+".json", doc, 0o600)
	}
	return errors.Join(err, p.answers(cmd))
}

// answers waits until something listens where the server is asked, or it has written a line.
func (p process) answers(cmd *exec.Cmd) error {
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		if written, err := os.ReadFile(p.Log); p.Asked == "" && err == nil && len(written) > 0 {
			return nil
		}
		if connection, err := net.Dial("tcp", p.Asked); err == nil {
			return connection.Close()
		}
		select {
		case err := <-ended:
			written, _ := os.ReadFile(p.Log)
			return fmt.Errorf("%s ended: %w\n%s", p.Name, err, written)
		case <-time.After(20 * time.Millisecond):
		}
	}
	return fmt.Errorf("%s does not answer at %s", p.Name, p.Asked)
}

func value(args []string, flag string) string {
	if at := slices.Index(args, flag); at >= 0 && at+1 < len(args) {
		return args[at+1]
	}
	return ""
}

// again repeats a command that asks what servers do until it has its answer: people type it later than this.
func again(args []string) error {
	for deadline := time.Now().Add(patience); ; time.Sleep(200 * time.Millisecond) {
		out, err := exec.Command(os.Getenv(realProgram), args...).CombinedOutput()
		if err == nil || time.Now().After(deadline) {
			os.Stdout.Write(out)
			return err
		}
	}
}

func running() bool {
	return len(servers(os.Getenv(stateFolder))) > 0
}

// servers returns what was left in the background.
func servers(state string) (all []process) {
	files, _ := filepath.Glob(filepath.Join(state, "*.json"))
	for _, file := range files {
		var p process
		if doc, err := os.ReadFile(file); err == nil && json.Unmarshal(doc, &p) == nil {
			p.path = strings.TrimSuffix(file, ".json")
			all = append(all, p)
		}
	}
	return all
}

// leaveServers waits until every server says that it is well, ends them all, and waits until they have gone.
func leaveServers(state string) error {
	all := servers(state)
	for _, p := range all {
		if err := p.well(); err != nil {
			return err
		}
	}
	slices.Reverse(all)
	for _, p := range all {
		if err := syscall.Kill(p.Pid, syscall.SIGTERM); err != nil {
			return fmt.Errorf("%s has ended by itself: %w", p.Name, err)
		}
	}
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if !slices.ContainsFunc(all, process.lives) {
			return forget(all)
		}
	}
	return errors.New("a server does not end")
}

// forget removes the descriptions of what has ended.
func forget(all []process) error {
	for _, p := range all {
		if err := os.Remove(p.path + ".json"); err != nil {
			return err
		}
	}
	return nil
}

// well waits until the server's health is good. A server that has no address for it must be there.
func (p process) well() error {
	if !strings.Contains(p.Name, "--metrics") {
		if !p.lives() {
			return fmt.Errorf("%s has ended by itself", p.Name)
		}
		return nil
	}
	var said string
	for deadline := time.Now().Add(patience); time.Now().Before(deadline) &&
		p.lives(); time.Sleep(100 * time.Millisecond) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+p.Asked+"/healthz", nil)
		if err != nil {
			cancel()
			return err
		}
		answer, err := http.DefaultClient.Do(request)
		if err == nil {
			doc, _ := io.ReadAll(answer.Body)
			answer.Body.Close()
			said = string(doc)
		}
		cancel()
		if err == nil && answer.StatusCode == http.StatusOK {
			return nil
		}
	}
	return fmt.Errorf("%s is not well: %s", p.Name, said)
}

// lives reports whether the process runs.
func (p process) lives() bool {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.Pid))
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(status), ") ")
	return !strings.HasPrefix(rest, "Z")
}

// endServers kills what is left.
func endServers(state string) {
	for _, p := range servers(state) {
		syscall.Kill(p.Pid, syscall.SIGKILL)
	}
}
