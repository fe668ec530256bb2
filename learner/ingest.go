package learner

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"croupier/engine"
	"croupier/learner/train"
	"croupier/messages"
	"croupier/messages/backlog"
	"croupier/messages/bus"
	"croupier/messages/conduct"
)

const (
	// fetchBatches is how many batches are fetched and booked together; each fetch writes
	// its actors' ledgers once.
	fetchBatches = 8
	fetchWait    = time.Second
	// minLogProb is lower than any sampled action's log-probability ever is (one decision
	// in 10^13). Far below it the probability ratio would overflow and spoil a whole
	// iteration.
	minLogProb = -30
)

// ingestion turns experience into rollouts: it fetches batches, verifies their games, has them recorded
// into a rollout, keeps the ledger of every actor, and hands over full rollouts. While
// none is taken it does not fetch. It belongs to one goroutine, except for totals.
type ingestion struct {
	bus     bus.Bus
	log     *slog.Logger
	metrics *metrics
	reader
	lockStep bool           // see Options.LockStep
	samples  int            // least number in a rollout
	maxLag   uint64         // versions
	newest   *atomic.Uint64 // newest version of the agent, which may have been published
	reached  *atomic.Uint64 // newest version that was
	oldest   atomic.Uint64  // games of versions before it are stale: they were played before a reset
	stage    *atomic.Uint32 // current stage of the curriculum

	full chan *rollout // from here to the trainer
	// free is the way back. It has room for both rollouts: ingestion may end without taking
	// the rollout that is there, and the trainer must not block on it.
	free chan *rollout

	recorder *train.Recorder
	rollout  *rollout          // being filled
	resumed  *messages.Ledgers // of the checkpoint; nil: it has none
	left     *unlearnt         // what the last start has left and is not taken up yet; nil: nothing

	// reconciled reports that the accounts are those of State, in line with the checkpoint.
	reconciled bool
	conduct    *conduct.Monitor
	// offer sends the peers of the group what comes next, and reports whether it has handed that to one of them.
	offer func(ctx context.Context, r *rollout) (taken bool)
	audit func(sender string, x *messages.Experience) // or nil

	decisions atomic.Uint64 // of the agent in kept games, forced ones included
	// Batches since the beginning: all, and those of which nothing was of use.
	taken, useless atomic.Uint64
	old            old

	mutex    sync.Mutex
	accounts map[string]*account // by worker; ingestion alone adds to them and writes them to State
	changed  []*account          // to be written
	workers  map[string]int      // open accounts, by actor
	total    messages.Ledger     // sum over all workers, those that are gone included
	credit   map[string]uint64   // games booked since the last rollout was handed over, by worker
	queue    []*credit           // of the rollouts that were handed over, from the first that was not learnt from on

	// Workers that are gone; only ingestion replaces these.
	merged *messages.MergedLedgers
	gone   map[string]*messages.Ledger // merged.Gone by worker

	mergedKey    ownKey
	mergedStored uint64    // revision of State's merged account
	looked       time.Time // for workers that are gone
}

// rollout is a rollout and where its games came from.
type rollout struct {
	*train.Rollout
	batches []gamesOf
	number  uint64 // in the group, whose peers have been sent the games; 0: they have not
	// admissions is how many there had been when they were sent.
	admissions uint64
	credit     *credit
	back       bool // a peer has not learnt from it: it is none of the two that ingestion fills
}

// gamesOf are some of the games of a batch of experience.
type gamesOf struct {
	batch    []byte   // encoded
	episodes []uint32 // of it
}

func newRollout(game engine.Game) *rollout { return &rollout{Rollout: train.NewRollout(game.Spec())} }

// note notes that the newest game is episode i of a batch.
func (r *rollout) note(batch []byte, i int) {
	last := len(r.batches) - 1
	if last < 0 || &r.batches[last].batch[0] != &batch[0] {
		r.batches = append(r.batches, gamesOf{batch: batch})
		last++
	}
	r.batches[last].episodes = append(r.batches[last].episodes, uint32(i))
}

func (r *rollout) reset() {
	r.Rollout.Reset()
	clear(r.batches) // let go of the messages
	r.batches, r.number, r.credit = r.batches[:0], 0, nil
}

// uselessShare returns a function for one goroutine, which returns the share of the batches taken since its last call,
// or of the last that there were, in which nothing was acceptable.
func (g *ingestion) uselessShare() func() float64 {
	var takenBefore, uselessBefore uint64
	share := 0.0
	return func() float64 {
		taken, useless := g.taken.Load(), g.useless.Load()
		if taken > takenBefore {
			share = min(1, float64(useless-uselessBefore)/float64(taken-takenBefore))
			takenBefore, uselessBefore = taken, useless
		}
		return share
	}
}

// work returns the report of the learner's work to the actors.
func (g *ingestion) work() backlog.Work {
	useless := g.useless.Load() // before those taken, of which they are a part
	g.mutex.Lock()
	defer g.mutex.Unlock()
	return backlog.Work{Taken: g.taken.Load(), Useless: useless, Actors: len(g.workers)}
}

// newIngestion returns an ingestion that alternates between two rollouts: it
// fills one while the trainer learns from the other.
func newIngestion(
	o Options, a train.Algorithm, t train.Trainer, m *metrics, newest, reached *atomic.Uint64, stage *atomic.Uint32,
) *ingestion {
	g := &ingestion{
		bus: o.Bus, log: o.Log, metrics: m, reader: newReader(&o), lockStep: o.LockStep,
		samples: a.Samples, maxLag: a.MaxLag, newest: newest, reached: reached, stage: stage,
		full:     make(chan *rollout),
		free:     make(chan *rollout, 2),
		recorder: t.NewRecorder(),
		rollout:  newRollout(o.Game),
		accounts: map[string]*account{},
		workers:  map[string]int{},
		credit:   map[string]uint64{},
		conduct:  conduct.NewMonitor(o.Conduct, o.Bus.State(), messages.LearnerRole, o.Log),
		audit:    o.Audit,
		offer:    func(context.Context, *rollout) bool { return false },
	}
	g.free <- newRollout(o.Game)
	return g
}

// run ingests until ctx ends. It gives up only on errors that no retry can mend, such as
// another learner at work.
func (g *ingestion) run(ctx context.Context) error {
	if err := g.loadAccounts(ctx); err != nil {
		return g.failed(ctx, opLedger, err)
	}
	consumer, err := g.bus.Consume(ctx, bus.Experience, messages.LearnerOf(g.agent), messages.ExperienceFilter(g.agent))
	if err != nil {
		return g.failed(ctx, opFetch, err)
	}
	defer consumer.Close()
	if err := g.takeUp(ctx); err != nil {
		return err
	}
	for {
		batches, err := consumer.Fetch(ctx, fetchBatches, fetchWait)
		if err != nil {
			return g.failed(ctx, opFetch, err)
		}
		if err := g.ingest(ctx, batches); err != nil {
			return err
		}
		if err := g.merge(ctx); err != nil {
			return err
		}
	}
}

// inTurn orders batches so that each actor has its first before anybody has a second.
func inTurn(batches []bus.Message) []bus.Message {
	type place struct {
		turn int
		m    bus.Message
	}
	turns := map[string]int{}
	places := make([]place, len(batches))
	for i, m := range batches {
		places[i] = place{turns[m.Subject()], m}
		turns[m.Subject()]++
	}
	slices.SortStableFunc(places, func(a, b place) int { return cmp.Compare(a.turn, b.turn) })
	out := make([]bus.Message, len(batches))
	for i, p := range places {
		out[i] = p.m
	}
	return out
}

// failed counts an error that no retry can mend, unless ctx has ended.
func (g *ingestion) failed(ctx context.Context, operation string, err error) error {
	if ctx.Err() == nil {
		g.metrics.failures.WithLabelValues(operation).Inc()
	}
	return err
}

// ingest books the batches, writes the ledgers and acknowledges the batches.
func (g *ingestion) ingest(ctx context.Context, batches []bus.Message) error {
	for _, b := range inTurn(batches) {
		if err := g.batch(ctx, b); err != nil {
			return err
		}
	}
	if err := g.flush(ctx); err != nil {
		return err
	}
	for _, b := range batches {
		if err := b.Ack(ctx); err != nil && ctx.Err() == nil {
			// It will be redelivered and recognised by its number.
			g.metrics.failures.WithLabelValues(opFetch).Inc()
			g.log.Debug("batch not acknowledged", "sender", b.Subject(), "error", err)
		}
	}
	return nil
}

// batch books one message. Errors in it are counted and logged. A batch refused as a whole
// enters no ledger, and its episodes count as lost when the actor's next batch comes; so do
// those of an actor that is quarantined, which are not read. The only error returned is that
// of ctx.
func (g *ingestion) batch(ctx context.Context, m bus.Message) error {
	sender, _, _ := messages.ParseExperienceSubject(m.Subject())
	g.taken.Add(1)
	if g.conduct.Quarantined(sender) {
		g.useless.Add(1)
		g.metrics.batches.WithLabelValues(string(messages.ReasonQuarantined)).Inc()
		return nil
	}
	x := &messages.Experience{}
	err := messages.Decode(m.Data(), x)
	if err == nil {
		err = g.header(x)
	}
	if err == nil {
		err = messages.CheckSender(x.Actor, sender)
	}
	if err != nil {
		g.refuseBatch(sender, err)
		return nil
	}
	a, err := g.account(x)
	if err != nil {
		g.refuseBatch(sender, err)
		return nil
	}
	repeated, gap, err := openBatch(a.ledger, x.Sequence, x.EpisodesBefore)
	if err != nil {
		g.refuseBatch(sender, err)
		return nil
	}
	if repeated {
		g.idle(sender, messages.ReasonRepeated, fmt.Sprintf("batch %d, and others, came before", x.Sequence))
		return nil
	}
	tally := &messages.Ledger{Episodes: gap, Lost: gap}
	var offence error // one for each batch, however many of its games are refused
	for i := range x.Episodes {
		v, err := refused, a.games.take(x.Episodes[i].Number)
		if err == nil {
			v, err = g.episode(x, i)
		}
		if v == consumed {
			g.rollout.note(m.Data(), i)
		}
		book(tally, v, err)
		offence = cmp.Or(offence, err)
		if g.rollout.Size.Samples >= g.samples {
			if err := g.handOver(ctx); err != nil {
				return err
			}
		}
	}
	if len(x.Episodes) == 0 {
		g.idle(sender, messages.ReasonEmpty, fmt.Sprintf("batch %d, and others, without games", x.Sequence))
	} else if g.fruitless(sender, tally) {
		g.useless.Add(1)
	}
	if tally.Consumed > 0 && g.audit != nil {
		g.audit(sender, x)
	}
	if offence != nil {
		g.conduct.Offence(sender, offence)
	}
	g.enter(a, x.Sequence, tally)
	g.count(tally)
	return nil
}

// enter books a batch.
func (g *ingestion) enter(a *account, sequence uint64, tally *messages.Ledger) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	a.ledger.Sequence = sequence
	g.change(a)
	addLedger(a.ledger, tally)
	addLedger(&g.total, tally)
	if tally.Consumed > 0 {
		g.credit[a.ledger.Actor] += tally.Consumed
	}
}

// episode checks episode i of a batch and adds it to the rollout. The error reports why it was
// refused, if it was.
func (g *ingestion) episode(x *messages.Experience, i int) (verdict, error) {
	behind, fresh, err := g.lag(x, x.Episodes[i])
	switch {
	case err != nil:
		return refused, err
	case !fresh:
		return stale, nil
	}
	rows, err := g.recorder.Record(g.reader.open(x, i))
	if err != nil {
		return refused, err
	}
	size := &g.rollout.Size
	before := size.Decisions
	g.rollout.Add(rows, 1)
	g.decisions.Add(uint64(size.Decisions - before))
	if stage := &g.stages[x.Stage]; stage.measured {
		size.Measure(stage.verifier.Figures(), len(g.game.learns), func(seat int) bool { return g.game.learns[seat] })
	}
	g.metrics.lag.Observe(float64(behind))
	return consumed, nil
}

// lag returns by how many versions the oldest weights of the agent in an episode are behind, and whether the episode
// can be learnt from. The error says that a version was made up.
func (g *ingestion) lag(x *messages.Experience, ep *messages.Episode) (behind uint64, fresh bool, err error) {
	newest, reached := g.newest.Load(), g.reached.Load()
	if g.lockStep {
		reached = newest // the actor has it, or there would be no new games; reached is stored a moment later
	}
	fresh = x.Stage == g.stage.Load()
	for _, i := range ep.Seats {
		if !g.learns(x, i) {
			continue
		}
		version := x.Agents[i].Version
		if version > newest {
			return 0, false, &messages.Refusal{Reason: messages.ReasonVersion,
				Detail: fmt.Sprintf("game %d: %s of version %d, the newest is %d", ep.Number, g.agent, version, newest)}
		}
		behind = max(behind, reached-min(version, reached))
		fresh = fresh && version >= g.oldest.Load()
	}
	return behind, fresh && behind <= g.maxLag, nil
}

// handOver gives the rollout to a peer, or to the trainer and waits for an empty one.
func (g *ingestion) handOver(ctx context.Context) error {
	g.dispatch()
	if g.offer(ctx, g.rollout) {
		g.rollout.reset()
		return nil
	}
	select {
	case g.full <- g.rollout:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case g.rollout = <-g.free:
		g.rollout.reset()
		return nil
	case <-ctx.Done():
		g.rollout = nil // it is the trainer's
		return ctx.Err()
	}
}
