package cluster

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"croupier/archive"
	"croupier/catalog"
	"croupier/internal/platform"
	"croupier/internal/rundir"
	"croupier/messages"
	"croupier/settings"
	"croupier/web"
)

// Times of judging.
const (
	judgeAgain = 5 * time.Second // between looks for games that are to be judged
	judgeRetry = time.Minute     // after it failed
)

// judgeBatch is how many games a process judges; the next one then judges those of the version that is best by then.
const judgeBatch = 10

// judging has games judged that the best versions of runs have lost, while processor cores are idle. Each time a
// process of its own does it, croupier archive review --idle, so that neither training nor the page waits for it.
type judging struct {
	games   *catalog.Catalog
	command func(args ...string) *exec.Cmd
	views   func() []*View // of the runs whose games are judged, the most wanted one first
	log     *slog.Logger

	mutex   sync.Mutex
	working string // ID of the run whose games are being judged; "": of none
	runs    map[string]judged
}

// judged says how judging the games of a run ended last.
type judged struct {
	problem string    // why it failed; "" if it did not
	at      time.Time // when it failed
	stamp   string    // state of the run in which nothing is left to be judged
}

// newJudging returns nil, which judges nothing, without a command.
func newJudging(
	games *catalog.Catalog, command func(args ...string) *exec.Cmd, views func() []*View, log *slog.Logger,
) *judging {
	if command == nil {
		return nil
	}
	return &judging{games: games, command: command, views: views, log: log, runs: map[string]judged{}}
}

// run judges until ctx ends.
func (j *judging) run(ctx context.Context) error {
	if j == nil {
		return nil
	}
	// On Linux a process ends with the thread that started it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for ctx.Err() == nil {
		if !j.look(ctx) {
			sleep(ctx, judgeAgain)
		}
	}
	return nil
}

// look judges games of the first run that has some, and reports whether there was one.
func (j *judging) look(ctx context.Context) bool {
	for _, view := range j.views() {
		if view.Dir == "" {
			continue
		}
		most, best, err := j.wanted(view)
		if err != nil || most == 0 || best == "" {
			continue // the page says what is wrong with the run
		}
		stamp := best + judgeStamp(view.Dir)
		if last := j.last(view.ID); last.stamp == stamp || last.problem != "" && time.Since(last.at) < judgeRetry ||
			archive.BeingJudged(view.Dir) {
			continue
		}
		j.set(view.ID, j.judge(ctx, view, best, most, stamp))
		return true
	}
	return false
}

// wanted returns how many of the games that the best version has lost are judged, and its name; "" if none is best yet.
func (j *judging) wanted(view *View) (most int, best string, err error) {
	config, err := settings.Read(j.games, view.Dir)
	if err != nil {
		return 0, "", err
	}
	ladder, err := readLadder(view.Dir)
	if err != nil {
		return 0, "", err
	}
	agent, _ := ladder.Best()
	return config.Archive.JudgedGames, agent.Name, nil
}

// judgeStamp tells apart the states of an archive.
func judgeStamp(dir string) string {
	var text strings.Builder
	files, _ := filepath.Glob(filepath.Join(dir, archive.Folder, "*.games"))
	for _, file := range files {
		if info, err := os.Stat(file); err == nil {
			fmt.Fprintf(&text, " %s/%d", filepath.Base(file), info.Size())
		}
	}
	return text.String()
}

// judge judges some games of a run in a process of its own.
func (j *judging) judge(ctx context.Context, view *View, best string, most int, stamp string) judged {
	cmd := j.command("archive", "review", "--run", view.Dir, "--agent", best, "--result", archive.Lost,
		"--purpose", archive.ArenaPurpose, "--unjudged", strconv.Itoa(most), "--limit", strconv.Itoa(judgeBatch), "--idle")
	var said bytes.Buffer // a line for each game
	var words complaint
	cmd.Stdout, cmd.Stderr = &said, &words
	platform.EndTogether(cmd)
	j.begin(view.ID)
	defer j.begin("")
	err := cmd.Start()
	if err == nil {
		stop := context.AfterFunc(ctx, func() { platform.KillTogether(cmd) })
		err = cmd.Wait()
		stop()
	}
	switch {
	case err != nil && ctx.Err() == nil:
		problem := cmp.Or(words.last(), err.Error())
		j.log.Debug("lost games were not judged", "run", view.ID, "error", problem)
		return judged{problem: problem, at: time.Now()}
	case said.Len() == 0:
		return judged{stamp: stamp}
	}
	return judged{}
}

// begin notes the run whose games are being judged.
func (j *judging) begin(id string) {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	j.working = id
}

func (j *judging) last(id string) judged {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	return j.runs[id]
}

func (j *judging) set(id string, how judged) {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	j.runs[id] = how
}

// state says for the page how far judging a run's games is; nil where games are judged by people alone.
func (j *judging) state(view *View) *web.Judging {
	if j == nil {
		return nil
	}
	most, best, err := j.wanted(view)
	s := &web.Judging{Best: best, Most: most, Problem: j.last(view.ID).problem}
	if err != nil {
		s.Problem = err.Error()
	}
	j.mutex.Lock()
	s.Working = j.working == view.ID
	j.mutex.Unlock()
	// It may be a process of another page.
	s.Working = s.Working || archive.BeingJudged(view.Dir)
	s.Trains = rundir.Trains(view.Dir, messages.LearnerRole)
	return s
}
