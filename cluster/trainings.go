package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"croupier/internal/platform"
	"croupier/internal/rundir"
	"croupier/internal/strict"
	"croupier/messages"
	"croupier/web"
)

// Times of trainings that begin.
const (
	beginPatience = time.Minute           // for a training to take its directory
	beginAgain    = 50 * time.Millisecond // between looks at whether it has
)

// maxComplaint bounds how much of the last words of a training is kept.
const maxComplaint = 4096

// trainings are those that people begin on the page, one at a time. Each is a process of its own, so that a training
// which fails leaves the page, and its files are written by a single program: croupier train.
type trainings struct {
	runs    *runList
	command func(args ...string) *exec.Cmd

	mutex   sync.Mutex
	present *trainProcess     // nil: there is none
	failed  map[string]string // why the last training of a run ended, by ID, where it failed
	over    bool              // the page ends: nothing is begun any more
}

var _ web.Trainer = (*trainings)(nil)

// trainProcess is a process that trains.
type trainProcess struct {
	id      string
	cmd     *exec.Cmd
	words   complaint
	asked   bool          // to end
	ended   chan struct{} // closed when it has
	problem string        // why it failed; "" if it ended in order. Written before ended is closed.
}

func newTrainings(runs *runList, command func(args ...string) *exec.Cmd) *trainings {
	return &trainings{runs: runs, command: command, failed: map[string]string{}}
}

// account adds to a summary what can be done with the run here.
func (t *trainings) account(s web.RunSummary) web.RunSummary {
	if t == nil || s.Kind != "" {
		return s
	}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	own := t.present != nil && t.present.id == s.ID
	s.Stoppable = own && !t.present.asked
	s.Resumable = !own && s.State != string(rundir.Running) && s.Problem == ""
	if s.Problem == "" && !own && s.State != string(rundir.Running) {
		s.Problem = t.failed[s.ID]
	}
	return s
}

// Begin implements web.Trainer.
func (t *trainings) Begin(ctx context.Context, o web.TrainingOrder) (id string, err error) {
	args, rules, err := t.arguments(o)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(t.runs.path, 0o755); err != nil {
		return "", fmt.Errorf("directory of runs: %w", err)
	}
	begun, err := t.start(func() (string, []string) {
		id = filepath.Base(rundir.FreshIn(t.runs.path, o.Game))
		return id, args
	}, rules)
	if err != nil {
		return "", err
	}
	return id, t.await(ctx, begun)
}

// Resume implements web.Trainer.
func (t *trainings) Resume(ctx context.Context, id, length string) error {
	dir, err := t.runs.folder(id)
	if err != nil {
		return err
	}
	args := []string{"--resume"}
	if args, err = withLength(args, length); err != nil {
		return err
	}
	if rundir.Held(dir, messages.LearnerRole) {
		return fmt.Errorf("%w: run %s is running", web.ErrNotNow, id)
	}
	begun, err := t.start(func() (string, []string) { return id, args }, "")
	if err != nil {
		return err
	}
	return t.await(ctx, begun)
}

// Stop implements web.Trainer.
func (t *trainings) Stop(id string) error {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	switch {
	case t.present == nil || t.present.id != id:
		return fmt.Errorf("%w: this page does not train run %.80q: stop it where it was begun", web.ErrNotNow, id)
	case t.present.asked:
		return nil // a second request would end it before everything is saved
	}
	return t.present.ask()
}

// ask asks the process to end in order. The caller holds the mutex.
func (r *trainProcess) ask() error {
	if err := platform.AskToEnd(r.cmd); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("stop run %s: %w", r.id, err)
	}
	r.asked = true
	return nil
}

// end ends what is trained, and returns when everything is saved.
func (t *trainings) end() {
	t.mutex.Lock()
	t.over = true
	present := t.present
	if present != nil && !present.asked {
		if err := present.ask(); err != nil {
			t.runs.log.Warn("training not stopped", "run", present.id, "error", err)
			present = nil
		}
	}
	t.mutex.Unlock()
	if present != nil {
		<-present.ended
	}
}

// arguments are those of croupier train for what is asked, and the document of its rules, "" for the usual ones.
func (t *trainings) arguments(o web.TrainingOrder) (args []string, rules string, err error) {
	if !slices.Contains(t.runs.games.Names(), o.Game) {
		return nil, "", strict.Errorf("game", "there is no game %.80q here", o.Game)
	}
	game, err := t.runs.games.New(o.Game, nil)
	if err != nil {
		return nil, "", err
	}
	args = []string{o.Game}
	switch {
	case o.Family && o.Preset != "":
		return nil, "", strict.Errorf("preset", "many tables are those of the usual rules: choose one or the other")
	case o.Family:
		if _, err := t.runs.games.New(o.Game, []byte("family: usual")); err != nil {
			return nil, "", strict.Errorf("preset", "%s has one table only", o.Game)
		}
		args = append(args, "--family")
	case o.Preset != "":
		book := game.Spec().Rules
		if book == nil {
			return nil, "", strict.Errorf("preset", "the rules of %s cannot be changed", o.Game)
		}
		for _, p := range book.Presets {
			if p.Name == o.Preset {
				rules = p.Document
			}
		}
		if rules == "" {
			return nil, "", strict.Errorf("preset", "%s is not played by rules %.80q", o.Game, o.Preset)
		}
	}
	if args, err = withLength(args, o.Length); err != nil {
		return nil, "", err
	}
	if seed := strings.TrimSpace(o.Seed); seed != "" {
		if _, err := strconv.ParseUint(seed, 10, 64); err != nil {
			return nil, "", strict.Errorf("seed", "%.40q is not a whole number of 0 or more", seed)
		}
		args = append(args, "--seed", seed)
	}
	return args, rules, nil
}

// withLength adds the length of a training.
func withLength(args []string, length string) ([]string, error) {
	length = strings.TrimSpace(length)
	if length == "" {
		return args, nil
	}
	d, err := time.ParseDuration(length)
	if err != nil || d <= 0 {
		return nil, strict.Errorf("for", "%.40q is not a length of time: write 30s, 10m or 2h", length)
	}
	return append(args, "--for", d.String()), nil
}

// start starts a process that trains, unless there is one. plan names the run and the arguments; rules are a
// document of rules, "" for none.
func (t *trainings) start(plan func() (id string, args []string), rules string) (*trainProcess, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	switch {
	case t.over:
		return nil, fmt.Errorf("%w: the page is being closed", web.ErrNotNow)
	case t.present != nil && t.present.asked:
		return nil, fmt.Errorf("%w: run %s is still being saved: try again in a few seconds", web.ErrNotNow, t.present.id)
	case t.present != nil:
		return nil, fmt.Errorf("%w: run %s is training here, and one trains at a time: stop it first",
			web.ErrNotNow, t.present.id)
	}
	id, args := plan()
	args = append([]string{"train"}, args...)
	args = append(args, "--run", filepath.Join(t.runs.path, id), "--listen", "off", "--quiet")
	file := ""
	if rules != "" {
		var err error
		if file, err = rulesFile(rules); err != nil {
			return nil, err
		}
		args = append(args, "--rules", file)
	}
	r := &trainProcess{id: id, cmd: t.command(args...), ended: make(chan struct{})}
	r.cmd.Stderr = &r.words
	platform.OnItsOwn(r.cmd)
	started := make(chan error)
	go t.follow(r, started, file)
	if err := <-started; err != nil {
		return nil, fmt.Errorf("begin the training: %w", err)
	}
	t.present = r
	delete(t.failed, id)
	return r, nil
}

// rulesFile writes a document of rules for a process that reads it when it begins.
func rulesFile(rules string) (path string, err error) {
	f, err := os.CreateTemp("", "croupier-rules-*.yaml")
	if err != nil {
		return "", fmt.Errorf("rules: %w", err)
	}
	_, err = f.WriteString(rules)
	if err = errors.Join(err, f.Close()); err != nil {
		os.Remove(f.Name())
		return "", fmt.Errorf("rules: %w", err)
	}
	return f.Name(), nil
}

// follow starts a process, and notes how it ends.
func (t *trainings) follow(r *trainProcess, started chan<- error, rules string) {
	// What ends with its parent ends with the thread that started it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if rules != "" {
		defer os.Remove(rules)
	}
	err := r.cmd.Start()
	started <- err
	if err != nil {
		return
	}
	err = r.cmd.Wait()
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if said := r.words.last(); err != nil && (said != "" || !r.asked) {
		r.problem = cmp.Or(said, err.Error())
		t.failed[r.id] = "its training failed: " + r.problem
		t.runs.log.Warn("a training of the page failed", "run", r.id, "error", r.problem)
	}
	t.present = nil
	close(r.ended)
}

// await returns when the training has taken its directory, with what it said if it failed before.
func (t *trainings) await(ctx context.Context, r *trainProcess) error {
	ctx, cancel := context.WithTimeout(ctx, beginPatience)
	defer cancel()
	dir := filepath.Join(t.runs.path, r.id)
	ticker := time.NewTicker(beginAgain)
	defer ticker.Stop()
	for {
		select {
		case <-r.ended:
			if r.problem != "" {
				return errors.New(r.problem)
			}
			return nil
		case <-ctx.Done():
			return nil // it begins all the same; the list shows how it does
		case <-ticker.C:
			if _, err := t.runs.folder(r.id); err == nil && rundir.Held(dir, messages.LearnerRole) {
				return nil
			}
		}
	}
}

// complaint keeps the end of what a process writes.
type complaint struct {
	mutex sync.Mutex
	text  []byte
}

func (c *complaint) Write(p []byte) (int, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.text = append(c.text, p...)
	c.text = c.text[max(0, len(c.text)-maxComplaint):]
	return len(p), nil
}

// last returns the last error that croupier has printed, or else the last line.
func (c *complaint) last() string {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	lines := strings.Split(strings.TrimSpace(string(c.text)), "\n")
	for _, line := range slices.Backward(lines) {
		if text, told := strings.CutPrefix(line, "croupier: "); told {
			return text
		}
	}
	return lines[len(lines)-1]
}
