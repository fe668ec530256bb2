package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"croupier/agents"
	"croupier/catalog"
	"croupier/engine"
	"croupier/internal/rundir"
	"croupier/league"
	"croupier/messages"
	"croupier/policy"
	"croupier/settings"
	"croupier/web"
)

// runList is the folder of runs of a server of runs. Each folder in it that holds a run.json is a run; its ID
// is the folder's name. What is read is kept for as long as the files are the same.
type runList struct {
	games *catalog.Catalog
	path  string
	// alone reports that only this machine can ask: only then may runs be deleted, and named unless people train here.
	alone bool
	log   *slog.Logger
	// trainings are those that people begin on the page; nil: they cannot.
	trainings *trainings

	mutex sync.Mutex
	known map[string]known
	views map[string]*openView
	turns sync.Map // *sync.Mutex by ID: whose turn it is to open the run
}

var (
	_ web.RunList = (*runList)(nil)
	_ Runs        = (*runList)(nil)
)

func newRunList(games *catalog.Catalog, path string, alone bool, log *slog.Logger) *runList {
	return &runList{games: games, path: path, alone: alone, log: log, known: map[string]known{},
		views: map[string]*openView{}}
}

// known is what was read of a run.
type known struct {
	stamp   string // of the files that it was read from
	summary web.RunSummary
	view    *View // nil if the files do not have game and rules
	sized   time.Time
}

// sizeAgain is how long the size of a run's directory is taken to be what it was.
const sizeAgain = 30 * time.Second

// summaryFiles are those that a summary is read from.
var summaryFiles = []string{
	"run.json", "session.json", rundir.ConfigFile, rundir.CurvesFile, league.LadderFile,
	filepath.Join("checkpoints", "manifest.json"),
}

// stamp distinguishes the states of a run's files.
func stamp(dir string, state rundir.State) string {
	var text strings.Builder
	text.WriteString(string(state))
	for _, name := range append(slices.Clip(summaryFiles), rundir.LabelFile) {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil {
			fmt.Fprintf(&text, " %d/%d", info.ModTime().UnixNano(), info.Size())
		} else {
			text.WriteString(" -")
		}
	}
	return text.String()
}

// folder returns the folder of a run.
func (d *runList) folder(id string) (string, error) {
	dir := filepath.Join(d.path, id)
	if id == "" || filepath.Base(dir) != id || strings.HasPrefix(id, ".") || strings.ContainsAny(id, `/\`) {
		return "", fmt.Errorf("%w: %.80q", web.ErrNoSuchRun, id)
	}
	if _, err := os.Stat(filepath.Join(dir, "run.json")); err != nil {
		return "", fmt.Errorf("%w below %s: %.80q", web.ErrNoSuchRun, d.path, id)
	}
	return dir, nil
}

// List implements web.RunList.
func (d *runList) List(ctx context.Context) ([]web.RunSummary, error) {
	ids, err := d.ids()
	if err != nil {
		return nil, err
	}
	list := []web.RunSummary{}
	for _, id := range ids {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if dir, err := d.folder(id); err == nil {
			s := d.look(id, dir).summary
			if s.Kind == "" {
				s.Export = exportName(dir, id, s.Best)
			}
			list = append(list, d.trainings.account(s))
		}
	}
	slices.SortStableFunc(list, func(a, b web.RunSummary) int {
		return cmp.Or(cmp.Compare(b.Order, a.Order), b.Created.Compare(a.Created))
	})
	return list, nil
}

// ids lists the runs, of which there are none without the directory.
func (d *runList) ids() (ids []string, err error) {
	entries, err := os.ReadDir(d.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("directory of runs: %w", err)
	}
	for _, e := range entries {
		if _, err := d.folder(e.Name()); err == nil {
			ids = append(ids, e.Name())
		}
	}
	return ids, nil
}

// look reads a run, if it has changed.
func (d *runList) look(id, dir string) known {
	session, sessionErr := rundir.ReadSession(dir)
	state := rundir.StateOf(dir, session, messages.LearnerRole)
	now := stamp(dir, state)
	d.mutex.Lock()
	k, found := d.known[id]
	d.mutex.Unlock()
	if found && k.stamp == now && time.Since(k.sized) < sizeAgain {
		return k
	}
	if !found || k.stamp != now {
		k = known{stamp: now}
		k.summary, k.view = d.read(id, dir, state, session)
		if sessionErr != nil && k.summary.Problem == "" {
			k.summary.Problem = sessionErr.Error()
		}
	}
	k.summary.Bytes, k.sized = sizeOf(dir), time.Now()
	d.mutex.Lock()
	d.known[id] = k
	d.mutex.Unlock()
	return k
}

// sizeOf adds the sizes of all files below a folder.
func sizeOf(dir string) (bytes int64) {
	_ = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			if info, err := e.Info(); err == nil {
				bytes += info.Size()
			}
		}
		return nil // files come and go
	})
	return bytes
}

// read reads what a list says of a run. Files that cannot be read are the summary's problem.
func (d *runList) read(id, dir string, state rundir.State, session rundir.Session) (web.RunSummary, *View) {
	shown := &View{ID: id, Dir: dir, frozen: agents.FromRun(dir)}
	shown.ladder = func(context.Context) (*messages.Ladder, error) { return readLadder(dir) }
	config, err := settings.Read(d.games, dir)
	if err == nil {
		shown.Game, err = config.Build()
	}
	summary := summaryOf(dir, shown.Game, state, session)
	summary.ID, summary.Root, summary.Nameable = id, web.RootOf(id), d.nameable()
	link, linkErr := os.Lstat(dir)
	summary.Deletable = d.alone && state != rundir.Running && linkErr == nil && link.IsDir()
	if err != nil {
		if summary.Problem == "" {
			summary.Problem = problemOf(err)
		}
		return summary, nil
	}
	return summary, shown
}

// problemOf says in a line why a run cannot be read.
func problemOf(err error) string {
	if unknown := (*settings.UnknownGameError)(nil); errors.As(err, &unknown) {
		return "its game is not known here: if it is a file or a program, add it with croupier games add"
	}
	return err.Error()
}

// specOf describes a game, nil where it is not known.
func specOf(game engine.Game) *engine.Spec {
	if game == nil {
		return nil
	}
	return game.Spec()
}

// ReadLadder returns the ladder in a run directory as people are shown it: with amounts in the coin of its game. Where
// the game is none of these they are in its unit. The error is [league.ErrNoLadder] before the first.
func ReadLadder(games *catalog.Catalog, dir string) (*messages.Ladder, error) {
	ladder, err := league.ReadLadder(dir)
	if err != nil || ladder.Scale.Kind != messages.MoneyScale {
		return ladder, err
	}
	return ladder.InCoin(SpecIn(games, dir)), nil
}

// SpecIn describes the game of the run in a directory, nil where it is none of these games.
func SpecIn(games *catalog.Catalog, dir string) *engine.Spec {
	info, err := rundir.ReadInfo(dir)
	if err != nil || games == nil || !slices.Contains(games.Names(), info.Game) {
		return nil
	}
	config, err := settings.Read(games, dir)
	if err != nil {
		return nil
	}
	game, err := config.NewGame()
	if err != nil {
		return nil
	}
	return game.Spec()
}

// readLadder returns the ladder in a run directory as it was written, nil without an error before the first.
func readLadder(dir string) (*messages.Ladder, error) {
	ladder, err := league.ReadLadder(dir)
	if errors.Is(err, league.ErrNoLadder) {
		return nil, nil
	}
	return ladder, err
}

// Find implements Runs.
func (d *runList) Find(_ context.Context, id string) (*View, error) {
	if id == "" {
		return nil, nil
	}
	return d.named(id)
}

// Newest implements Runs, as advise and review find the run in the terminal.
func (d *runList) Newest(_ context.Context, game engine.Game) (*View, error) {
	dir, err := settings.NewestRun(d.games, d.path, game)
	if err != nil || dir == "" {
		return nil, err
	}
	return d.named(filepath.Base(dir))
}

// named returns the run of an ID.
func (d *runList) named(id string) (*View, error) {
	dir, err := d.folder(id)
	if err != nil {
		return nil, err
	}
	k := d.look(id, dir)
	if k.view == nil {
		return nil, fmt.Errorf("run %s: %s", id, k.summary.Problem)
	}
	return k.view, nil
}

// Delete implements web.RunList. It takes the folder away under another name first, so that no part
// of a run is ever taken for a run, and follows no links.
func (d *runList) Delete(id string) error {
	if !d.alone {
		return fmt.Errorf("%w: others can open this page, so runs are deleted in a terminal", web.ErrNotHere)
	}
	dir, err := d.folder(id)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(d.path)
	if err != nil {
		return fmt.Errorf("directory of runs: %w", err)
	}
	defer root.Close()
	if info, err := root.Lstat(id); err != nil || !info.IsDir() {
		return fmt.Errorf("%w: %s is a link to somewhere else; remove the link itself", web.ErrNotNow, dir)
	}
	if info, err := root.Lstat(filepath.Join(id, "run.json")); err != nil || !info.Mode().IsRegular() {
		return fmt.Errorf("%w: %s holds no run.json of its own", web.ErrNotNow, dir)
	}
	for _, role := range []string{messages.LearnerRole, messages.LeagueRole} {
		lock, err := rundir.LockThere(dir, role)
		if err != nil {
			return fmt.Errorf("%w: run %s is running", web.ErrNotNow, id)
		}
		defer lock.Close()
	}
	gone := fmt.Sprintf(".deleted-%s-%d", id, time.Now().UnixNano())
	if err := root.Rename(id, gone); err != nil {
		return fmt.Errorf("delete run %s: %w", id, err)
	}
	d.forget(id)
	if err := root.RemoveAll(gone); err != nil {
		return fmt.Errorf("delete run %s: %w", id, err)
	}
	return nil
}

// nameable reports whether people may name runs on the page: where only this machine can ask, or where they may train.
func (d *runList) nameable() bool { return d.alone || d.trainings != nil }

// Relabel implements web.RunList.
func (d *runList) Relabel(id string, before, after web.Label) error {
	if !d.nameable() {
		return fmt.Errorf("%w: others can open this page, so runs are named in a terminal", web.ErrNotHere)
	}
	dir, err := d.folder(id)
	if err != nil {
		return err
	}
	err = rundir.Relabel(dir, func(present rundir.Label) (rundir.Label, error) {
		if present != rundir.Label(before) {
			return present, fmt.Errorf("%w: somebody has changed name or note meanwhile; look at them first", web.ErrNotNow)
		}
		return rundir.Label(after), nil
	})
	if errors.Is(err, rundir.ErrInUse) {
		return fmt.Errorf("%w: somebody else is naming run %s", web.ErrNotNow, id)
	}
	return err
}

// labelOf returns what people call the run in a directory; a damaged label is reported in the list of runs.
func labelOf(dir string) func() web.Label {
	return func() web.Label {
		label, _ := rundir.ReadLabel(dir)
		return web.Label(label)
	}
}

// Export implements web.RunList.
func (d *runList) Export(ctx context.Context, id string) ([]byte, error) {
	dir, err := d.folder(id)
	if err != nil {
		return nil, err
	}
	made, err := os.MkdirTemp("", "croupier-export-")
	if err != nil {
		return nil, fmt.Errorf("export run %s: %w", id, err)
	}
	defer os.RemoveAll(made)
	path := filepath.Join(made, "best")
	if _, err := Export(ctx, d.games, dir, 0, Safetensors, path); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

// exportName is the name of the file of a run's best agent; "" if that is none of the versions in its directory.
func exportName(dir, id, best string) string {
	_, version, err := policy.CutTemperature(best)
	if err != nil {
		return ""
	}
	agent, number, isMember := messages.ParseMemberName(version)
	if !isMember {
		return ""
	}
	if _, err := os.Stat(filepath.Join(dir, rundir.VersionFile(version))); err != nil {
		return ""
	}
	return fmt.Sprintf("%s-%s-%d.%s", id, agent, number, Safetensors)
}

// forget closes a run that is no longer there.
func (d *runList) forget(id string) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	delete(d.known, id)
	if o := d.views[id]; o != nil {
		delete(d.views, id)
		o.end()
	}
}
