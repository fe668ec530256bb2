package league

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"croupier/engine"
	"croupier/internal/durable"
	"croupier/internal/rundir"
	"croupier/league/rating"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/messages/conduct"
	"croupier/messages/presence"
	"croupier/messages/roles"
)

const (
	// period is the time between two ticks, each with a heartbeat.
	period = presence.Period
	// soon is how long after an event a tick comes that a decision waits for: several often arrive together.
	soon = 20 * time.Millisecond
	// patience is how long a tick waits for the broker before it tries again later.
	patience = 5 * time.Second
	// farewell is how long the broker has to take the last messages.
	farewell = 2 * time.Second
	// maxAudits bounds the results that are audited at the same time.
	maxAudits = 2
	// snapshotName is the file of the league's state in the run directory.
	snapshotName = "league.json"
	snapshotCopy = "league-copy.json"
)

// Evaluation measures a version's weights (a safetensors file) against an exact
// answer. It returns curve values by series name: [Exploitability], and parts of it.
type Evaluation func(ctx context.Context, data []byte) (map[string]float64, error)

// Options are what a league works with.
type Options struct {
	roles.Common // Dir is for ladder, snapshot and frozen weights
	Config       Config
	// References are the bots and solvers on the ladder, Zero among them.
	References []string
	Zero       string // agent whose rating is 0
	// Recorded is what references got against one another before the run. The ratings begin with it; what the run's own
	// results contradict does not count.
	Recorded []rating.Recorded
	// Kind reports what an agent is: network, bot or solver.
	Kind func(name string) string
	// Samples reports that versions can play as they do in training, drawing their actions,
	// besides the way in which networks of the game play best (engine.Spec.Temperature).
	Samples bool
	// Evaluate is called once for every version of the main agent, one after the other; nil: never.
	Evaluate Evaluation
	// Unmeasured says for people why Evaluate is nil; "": it is not asked.
	Unmeasured string
	// Tables are others than the run's own at which the best version is measured, as far as its agents know their
	// rules.
	Tables []Table
	// Audit plays a random share of a result's games again. Its error is a *messages.Refusal where
	// something else comes out; with any other the result counts for all that. nil: no audits.
	Audit func(ctx context.Context, r *messages.Result) error
	// ID distinguishes processes of the role; default "1".
	ID string
}

// League runs a core on a bus.
type League struct {
	o       Options
	core    *core
	outbox  *outbox
	metrics *metrics
	log     *slog.Logger
	process presence.Process
	conduct *conduct.Monitor // offences of those who send results

	// Written but by Run's goroutine.
	copies          map[string]*messages.Member // weights to be copied to the run directory
	removals        map[uint64]*messages.Member // dropped members of which something may be left
	promotionLog    promotionLog
	shown           shown
	setbackRevision uint64            // of the key, as far as known
	resetRevisions  map[string]uint64 // of the keys, by agent, as far as known
	filed           filed
	journal         *journal // nil without a run directory
	kept            progress // as the journal has it
	snapshotSize    int64    // bytes of the last snapshot
	stored          int64    // bytes of results that the broker has, at most
	unsaved         bool     // the snapshot is older than the state
	games           uint64
	contradicted    map[rating.Key]bool // recorded results of which that was said
	heldBack        string              // the last version of which that was said
	failing         map[string]error    // what cannot be written just now, and why
	unreachable     bool
	ticks           uint64
	waiting         []finishing
	finished        *finished // they can return as soon as the outbox is empty; nil: not yet

	looked  time.Time // at the queue of matches
	counted time.Time // the workers of the actors

	finish      chan finishing
	evaluations chan evaluation
	measured    chan tableMeasured
	audits      chan audited
	auditors    chan struct{} // holds a token for each audit under way
	workers     sync.WaitGroup
	stopped     chan struct{}
}

// evaluation is what an Evaluate call has brought.
type evaluation struct {
	member *messages.Member
	values map[string]float64
	err    error
}

// New returns a league that continues from the run directory's snapshot, where there
// is one. A snapshot that cannot be used is put down to the log: the results say all
// that it does.
func New(o Options) (*League, error) {
	if err := o.Config.Validate(); err != nil {
		return nil, fmt.Errorf("league: %w", err)
	}
	if err := messages.CheckToken(o.Run); err != nil {
		return nil, fmt.Errorf("league: run: %w", err)
	}
	for i, r := range o.References {
		if r == "" || rating.IsMember(r) || slices.Contains(o.References[:i], r) {
			return nil, fmt.Errorf("league: reference %q: empty, twice, or the name of a frozen version", r)
		}
	}
	if o.ID == "" {
		o.ID = "1"
	}
	l := &League{
		o: o, log: o.Log, conduct: conduct.NewMonitor(o.Conduct, o.Bus.State(), messages.LeagueRole, o.Log),
		outbox: newOutbox(o.Bus), metrics: newMetrics(o.Registerer),
		process: o.Process(messages.LeagueRole, o.ID),
		core: newCore(coreOptions{
			spec: o.Game.Spec(), run: o.Run, rules: engine.RulesHash(o.Game), config: o.Config,
			references: o.References, kind: o.Kind, zero: o.Zero, evaluates: o.Evaluate != nil,
			unmeasured: o.Unmeasured, samples: o.Samples, tables: o.Tables,
			audits: o.Audit != nil, recorded: o.Recorded,
		}),
		copies: map[string]*messages.Member{}, failing: map[string]error{}, contradicted: map[rating.Key]bool{},
		resetRevisions: map[string]uint64{}, removals: map[uint64]*messages.Member{}, promotionLog: newPromotionLog(),
		finish: make(chan finishing), evaluations: make(chan evaluation), audits: make(chan audited),
		measured: make(chan tableMeasured),
		auditors: make(chan struct{}, maxAudits), stopped: make(chan struct{}),
	}
	if o.Dir == "" {
		return l, nil
	}
	if err := durable.MkdirAll(filepath.Join(o.Dir, rundir.VersionFolder), 0o777); err != nil {
		return nil, fmt.Errorf("league: %w", err)
	}
	if err := checkFiles(o.Dir); err != nil {
		return nil, fmt.Errorf("league: %w", err)
	}
	l.restoreTables()
	l.readPromotionLog()
	if err := l.readMembers(); err != nil {
		return nil, err
	}
	return l, l.recover()
}

// checkFiles reports which of the files that the league writes cannot be written because a directory has its name.
// Found only at the first snapshot, perhaps after hours, that would cost the state.
func checkFiles(dir string) error {
	for _, name := range []string{snapshotName, snapshotCopy, LadderFile, promotionsName, rundir.MembersFile} {
		path := filepath.Join(dir, name)
		if info, err := os.Lstat(path); err == nil && info.IsDir() {
			return fmt.Errorf("%s is a directory, where the league keeps a file: move it away", path)
		}
	}
	return nil
}

// Run works until ctx ends, then saves and returns nil. It is called once.
func (l *League) Run(ctx context.Context) error {
	defer close(l.stopped)
	defer l.journal.close()
	working, cancel := context.WithCancel(ctx)
	defer l.workers.Wait()
	defer cancel()
	l.workers.Go(func() {
		if err := l.conduct.Run(working); err != nil && working.Err() == nil {
			l.log.Error("quarantined actors cannot be followed", "error", err)
		}
	})
	in, err := l.open(working)
	ticker := time.NewTicker(period)
	defer ticker.Stop()
	early := false // whether the next tick comes before its time
	for ctx.Err() == nil && err == nil {
		before := l.ticks
		err = l.next(working, in, ticker.C)
		switch {
		case l.ticks != before:
			ticker.Reset(period)
			early = false
		case !early && l.core.waitsForTick():
			ticker.Reset(min(period, soon+max(0, l.core.restUntil-time.Since(l.process.Started))))
			early = true
		}
		if l.outbox.hurries() && !l.unreachable {
			l.send(working)
		}
	}
	if ctx.Err() != nil {
		err = l.close(context.WithoutCancel(ctx))
	}
	if err != nil {
		return fmt.Errorf("league: %w", err)
	}
	return nil
}

// evaluated publishes what an evaluation has brought.
func (l *League) evaluated(ctx context.Context, e evaluation) error {
	switch {
	case e.err != nil:
		l.log.Error("version not evaluated", "agent", e.member.Name, "error", e.err)
	case e.member.Order > l.core.evaluated: // else its point is out
		if err := l.outbox.publish(bus.Curves, messages.LeagueRole, evaluationPoints(e)); err != nil {
			return err
		}
	}
	loss, measured := e.values[Exploitability]
	if !measured {
		loss = math.NaN()
	}
	return l.step(ctx, evaluated{e.member.Order, loss})
}

// tick lets the core decide, and does what is due every second.
func (l *League) tick(ctx context.Context) error {
	l.ticks++
	began := time.Now()
	if err := l.step(ctx, tick{began.Sub(l.process.Started)}); err != nil {
		return err
	}
	took := time.Since(began)
	l.metrics.stepSeconds.Observe(took.Seconds())
	if err := l.step(ctx, worked{took}); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if !l.unreachable {
		l.copyWeights(ctx) // before the ladder of the run directory names their versions
	}
	if err := l.showLadder(began, l.finished != nil); err != nil {
		return err
	}
	l.observe()
	l.heartbeat(ctx)
	l.send(ctx)
	if l.unreachable {
		return nil
	}
	if err := l.lookAtQueue(ctx); err != nil {
		return err
	}
	l.removeDropped(ctx)
	if err := l.save(ctx); err != nil {
		return err
	}
	if l.finished != nil {
		for _, call := range l.waiting {
			call.left <- l.finished.left
		}
		l.waiting, l.finished = nil, nil
	}
	return nil
}

// send empties the outbox and logs when that begins or ceases to fail.
func (l *League) send(ctx context.Context) {
	if !l.keepJournal() {
		return // no actor learns of a match that could be forgotten
	}
	trying, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	err := l.outbox.flush(trying)
	l.noteSent()
	l.metrics.unsent.Set(float64(l.outbox.size()))
	switch {
	case err != nil && ctx.Err() != nil:
		return // the end, which sends the rest
	case err != nil && !l.unreachable:
		l.log.Warn("broker accepts no messages; trying again every second", "error", err)
	case err == nil && l.unreachable:
		l.log.Info("broker accepts messages again")
	}
	l.unreachable = err != nil
}

// lookAtQueue has the core know which matches are in the queue, once all that it asked for is there.
func (l *League) lookAtQueue(ctx context.Context) error {
	if time.Since(l.looked) < lookEvery || !l.core.ready || l.outbox.size() > 0 || len(l.core.outstanding) == 0 {
		return nil
	}
	l.looked = time.Now()
	ids, err := l.o.Bus.Queued(ctx)
	if err != nil {
		l.log.Debug("the queue of matches is not known now", "error", err)
		return nil
	}
	queued := map[string]bool{}
	for _, id := range ids {
		queued[id] = true
	}
	seen := queueSeen{ids: queued, workers: l.core.workers}
	if l.core.crew.works || time.Since(l.counted) >= countEvery {
		l.counted = time.Now()
		seen.actors, seen.workers = l.present(ctx)
	}
	return l.step(ctx, seen)
}

const (
	// countEvery is the time between two looks at the actors, while no matches are given to them by name.
	countEvery = 5 * time.Second
	// maxWorkers bounds how many workers an actor can say that it has.
	maxWorkers = 1 << 16
)

// present returns the actors that say that they are there, and how many workers they have.
func (l *League) present(ctx context.Context) (actors []string, workers int) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	prefix := messages.RoleKey(messages.ActorRole, "")
	entries, err := l.o.Bus.Roles().Watch(ctx, prefix)
	if err != nil {
		l.log.Debug("the actors are not known now", "error", err)
		return nil, l.core.workers
	}
	for e := range entries {
		if e.Key == "" {
			break
		}
		if e.Value == nil {
			continue
		}
		actors = append(actors, strings.TrimPrefix(e.Key, prefix))
		if h, err := presence.Read(e.Key, e.Value); err == nil {
			workers += int(min(max(h.Values[messages.Workers], 0), maxWorkers))
		}
	}
	return actors, workers
}

// close saves what there is.
func (l *League) close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, farewell)
	defer cancel()
	if l.core.ready && l.core.dirty {
		effects, err := l.core.reconsider()
		if err != nil {
			return err
		}
		if err := l.carryOut(ctx, effects); err != nil {
			return err
		}
	}
	if !l.unreachable {
		l.copyWeights(ctx)
	}
	if err := l.showLadder(time.Now(), true); err != nil {
		return err
	}
	l.send(ctx)
	return l.save(ctx)
}
