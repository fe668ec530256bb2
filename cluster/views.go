package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"croupier/engine"
	"croupier/internal/plural"
	"croupier/internal/regular"
	"croupier/internal/rundir"
	"croupier/league"
	"croupier/learner"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/messages/conduct"
	"croupier/messages/curves"
	"croupier/nn"
	"croupier/web"
)

// Times of runs that are open.
const (
	reachPatience = 3 * time.Second // for the broker of a run to answer
	reachAgain    = 5 * time.Second // after it did not
	closeIdle     = time.Minute     // without a request
	watchRuns     = 2 * time.Second // between looks at the files of open runs
)

// openView is a run that somebody looks at, or did a moment ago.
type openView struct {
	view  *web.View
	stamp string // of the run's state when it was opened
	users int
	used  time.Time // by the last of them
	until time.Time // when it is opened again; zero: when its state changes
	end   func()    // closes it; may be called once
}

// session distinguishes the stretches of a run, and a folder from another one that took its name.
func (d *runList) session(dir string) (state rundir.State, text string) {
	s, err := rundir.ReadSession(dir)
	state = rundir.StateOf(dir, s, messages.LearnerRole)
	made, _ := os.Stat(filepath.Join(dir, "run.json"))
	text = fmt.Sprint(state, s.Began, s.Ended, err)
	if made != nil {
		text += made.ModTime().String()
	}
	return state, text
}

// Open implements web.RunList.
func (d *runList) Open(id string) (*web.View, func(), error) {
	dir, err := d.folder(id)
	if err != nil {
		d.forget(id)
		return nil, nil, err
	}
	state, text := d.session(dir)
	if o := d.use(id, text); o != nil {
		return o.view, d.releaser(o), nil
	}
	// One of several who ask at the same time opens it.
	turn, _ := d.turns.LoadOrStore(id, &sync.Mutex{})
	turn.(*sync.Mutex).Lock()
	defer turn.(*sync.Mutex).Unlock()
	if o := d.use(id, text); o != nil {
		return o.view, d.releaser(o), nil
	}
	made, err := d.open(id, dir, state)
	if err != nil {
		return nil, nil, err
	}
	made.stamp = text
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if o := d.views[id]; o != nil {
		o.end() // it shows an earlier state
	}
	made.users = 1
	d.views[id] = made
	return made.view, d.releaser(made), nil
}

// use returns a run that is open in this state, and counts its user.
func (d *runList) use(id, text string) *openView {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	o := d.views[id]
	if o == nil || o.stamp != text || o.expired(time.Now()) {
		return nil
	}
	o.users++
	return o
}

func (o *openView) expired(now time.Time) bool { return !o.until.IsZero() && now.After(o.until) }

func (d *runList) releaser(o *openView) func() {
	return func() {
		d.mutex.Lock()
		defer d.mutex.Unlock()
		o.users--
		o.used = time.Now()
	}
}

// watch closes runs whose state has changed and those that no page shows, until ctx ends.
func (d *runList) watch(ctx context.Context) {
	ticker := time.NewTicker(watchRuns)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			d.closeIf(func(string, *openView) bool { return true })
			return
		case now := <-ticker.C:
			d.closeIf(func(id string, o *openView) bool {
				_, text := d.session(filepath.Join(d.path, id))
				return text != o.stamp || o.expired(now) || o.users == 0 && now.Sub(o.used) > closeIdle
			})
		}
	}
}

// lookedAt returns the runs that people look at, or did a moment ago, the last one first.
func (d *runList) lookedAt() (list []*View) {
	d.mutex.Lock()
	ids := slices.SortedFunc(maps.Keys(d.views), func(a, b string) int {
		return cmp.Or(d.views[b].used.Compare(d.views[a].used), cmp.Compare(a, b))
	})
	d.mutex.Unlock()
	for _, id := range ids {
		if view, err := d.named(id); err == nil {
			list = append(list, view)
		}
	}
	return list
}

func (d *runList) closeIf(wanted func(id string, o *openView) bool) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	for id, o := range d.views {
		if wanted(id, o) {
			delete(d.views, id)
			o.end()
		}
	}
}

// open follows a run that is running, and reads one that is not.
func (d *runList) open(id, dir string, state rundir.State) (*openView, error) {
	k := d.look(id, dir)
	if k.view == nil {
		return nil, fmt.Errorf("run %s cannot be shown: %s", id, k.summary.Problem)
	}
	closed := make(chan struct{})
	o := &openView{used: time.Now(), end: func() { close(closed) }}
	o.view = &web.View{ID: id, Closed: closed, Pages: pagesOf(d.games, k.view.Game, d.log), Label: labelOf(dir)}
	if state == rundir.Running && k.summary.Kind == rundir.Tournament {
		ctx, stop := context.WithCancel(context.Background())
		o.view.Feed, o.end = d.followLadder(ctx, dir, k), func() { close(closed); stop() }
		return o, nil
	}
	starting := false
	if state == rundir.Running {
		feed, b, stop, err := d.follow(dir, k.view.Game.Spec())
		if err == nil {
			o.view.Feed, o.view.Contributions = feed, contributionsOf(b)
			o.end = func() { close(closed); stop() }
			return o, nil
		}
		d.log.Info("run cannot be followed, showing its directory", "run", id, "error", err)
		o.until = time.Now().Add(reachAgain)
		session, sessionErr := rundir.ReadSession(dir)
		starting = sessionErr == nil && (session.Began.IsZero() || !session.Ended.IsZero())
	}
	kept := keptOf(dir, k.summary)
	kept.Starting = starting
	o.view.Feed = web.NewKept(id, k.view.Game.Spec(), kept, d.log)
	filed := sync.OnceValues(func() (*conduct.Contributions, error) { return filedContributions(dir) })
	o.view.Contributions = func(context.Context) (*conduct.Contributions, error) { return filed() }
	return o, nil
}

// follow connects to the broker of a running run, until stop is called.
func (d *runList) follow(dir string, spec *engine.Spec) (feed *web.Feed, b bus.Bus, stop func(), err error) {
	info, err := rundir.ReadInfo(dir)
	if err != nil {
		return nil, nil, nil, err
	}
	r, err := rundir.ReadReach(dir)
	if err != nil {
		return nil, nil, nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), reachPatience)
	defer cancel()
	b, err = bus.Connect(ctx, bus.NATSOptions{
		URL: r.URL, Run: info.ID, Role: messages.WebRole, Log: d.log,
		Credentials: r.Credentials, CA: r.CA, Cert: r.Cert, Key: r.Key,
	})
	if err != nil {
		return nil, nil, nil, err
	}
	feed = web.NewFeed(b, info.ID, spec, d.log)
	following, stop := context.WithCancel(context.Background())
	go func() {
		defer b.Close()
		if err := feed.Run(following); err != nil {
			d.log.Warn("run is no longer followed", "run", info.ID, "error", err)
		}
	}()
	awaitFeed(ctx, feed)
	return feed, b, stop, nil
}

// watchLadders is the time between looks at the ladder of a tournament that is played.
const watchLadders = 500 * time.Millisecond

// followLadder shows a tournament that is played, and each ladder that it writes, until ctx ends.
func (d *runList) followLadder(ctx context.Context, dir string, k known) *web.Feed {
	written := func() (at string) {
		if info, err := os.Stat(filepath.Join(dir, league.LadderFile)); err == nil {
			at = fmt.Sprint(info.ModTime().UnixNano(), info.Size())
		}
		return at
	}
	shown := written()
	kept := keptOf(dir, k.summary)
	kept.Live = true
	feed := web.NewKept(k.view.ID, k.view.Game.Spec(), kept, d.log)
	go func() {
		ticker := time.NewTicker(watchLadders)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
			now := written()
			if now == shown {
				continue
			}
			ladder, err := readLadder(dir)
			switch {
			case err != nil:
				d.log.Warn("ladder of a tournament not read", "tournament", k.view.ID, "error", err)
			case ladder != nil:
				feed.SetLadder(ladder)
			}
			shown = now
		}
	}()
	return feed
}

// awaitFeed waits until the feed knows what there is, so that the first request is not answered that there is
// nothing, or until ctx ends.
func awaitFeed(ctx context.Context, feed *web.Feed) {
	changed, cancel := feed.Subscribe()
	defer cancel()
	for {
		if s := feed.Snapshot(); s.Connected && s.CaughtUp && s.Config != "" {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// keptOf reads what the pages of a run show from its directory. What cannot be read is missing, and
// a note says so.
func keptOf(dir string, summary web.RunSummary) web.Kept {
	var notes []string
	k := web.Kept{}
	saved, err := rundir.ReadConfig(dir)
	if err != nil {
		notes = append(notes, err.Error())
	}
	k.Config = saved.Text
	if k.Ladder, err = readLadder(dir); err != nil {
		notes = append(notes, err.Error())
	}
	if t, err := learner.ReadTotals(dir); err == nil {
		k.Newest = &messages.Pointer{Version: t.Version, Updates: t.Updates, Samples: t.Samples}
	}
	k.Population = populationOf(dir)
	records, damaged, err := curves.Read(filepath.Join(dir, rundir.CurvesFile))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		notes = append(notes, "Its learning curves were not kept: it is a run of an earlier version of this program")
	case err != nil:
		notes = append(notes, err.Error())
	case damaged > 0:
		notes = append(notes, fmt.Sprintf("%d of %s damaged and left out", damaged, plural.Of(damaged+len(records),
			"line of its learning curves is", "lines of its learning curves are")))
	}
	for _, r := range records {
		k.Curves = append(k.Curves, r.Points)
	}
	if summary.State != string(rundir.Running) {
		k.Ending = ending(summary, strings.Join(notes, ". "))
	}
	return k
}

// populationOf reads the frozen versions in a run directory. Files that are none are passed over.
func populationOf(dir string) (members []*messages.Member) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil
	}
	defer root.Close()
	entries, err := fs.ReadDir(root.FS(), rundir.VersionFolder)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		name, isVersion := strings.CutSuffix(e.Name(), filepath.Ext(rundir.VersionFile("")))
		_, number, isMember := messages.ParseMemberName(name)
		if !isVersion || !isMember {
			continue
		}
		m := &messages.Member{Schema: messages.SchemaVersion, Name: name, Order: number}
		if data, err := regular.ReadIn(root, rundir.VersionFile(name), nn.MaxFileBytes); err == nil {
			if metadata, _, err := nn.DecodeTensors(data); err == nil {
				m.Updates, _ = strconv.ParseUint(metadata["updates"], 10, 64)
				m.Samples, _ = strconv.ParseUint(metadata["samples"], 10, 64)
				members = append(members, m)
			}
		}
	}
	return members
}
