package actor

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"croupier/engine"
	"croupier/engine/family"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/player"
)

// worker plays on one core, or in its turns on one that others share: training games of one agent, and for a share of
// its time the games of one arena match at a time.
type worker struct {
	actor   string // unique name in messages
	purpose string // of the training games' seeds
	runSeed uint64
	spec    *engine.Spec
	room    *room // of training games
	arena   *room // of matches
	link    *learnerLink
	out     *experience
	kept    *archiveOffers
	journal *journal
	work    <-chan *lease
	bus     bus.Bus
	log     *slog.Logger
	metrics *metrics
	counts  *counts

	inStep     *round // nil: not in lock-step
	arenaOnly  bool
	arenaShare float64
	part       float64     // of the core
	draw       *engine.RNG // who sits where
	number     uint64      // of the next training game
	lease      *lease
	match      *matchPlay
	arenaStep  time.Duration // how long the last step of the arena took
	owed       time.Duration // by the arena to training: what it took beyond its share
	waited     time.Duration // of this turn, for the broker and the journal
	resting    time.Time     // until when it rests while the learner is at work
	trouble    trouble
}

// trouble is what a worker has to log of publishing that fails, and when it last did.
type trouble struct {
	logged  time.Time
	batches int       // not logged yet
	tried   time.Time // when the journal was written last, in vain
	journal bool      // it cannot be written
}

// lease is a fetched match with its players. It is renewed until it is released.
type lease struct {
	message    bus.Message
	release    func()
	match      *messages.Match
	tournament string // "" of the league
	a, b       *player.Player
}

// counts are the totals of an actor process, for its heartbeat.
type counts struct {
	games, decisions, matches atomic.Uint64
	unwritten                 atomic.Int32 // workers whose journal cannot be written
}

const (
	idleWait  = 2 * time.Millisecond
	leaseTick = 2 * time.Second // how often a match's lease is renewed
	// longestRest bounds the rest after a turn.
	longestRest = 5 * time.Second
	// arenaTurn is after how much time in one step of the arena no further game begins: a game of solvers alone is
	// played whole, and may take seconds.
	arenaTurn = 50 * time.Millisecond
	// mostOwed bounds what the arena owes to training: a process may have been frozen during a step.
	mostOwed = time.Minute
	// closeTimeout is how long after the end of a run a worker may still send what it has.
	closeTimeout = 5 * time.Second
	// logEvery spaces the warnings of batches that are lost one after the other.
	logEvery = 10 * time.Second
	// journalTick is how often a journal that cannot be written is tried again.
	journalTick = time.Second
)

// play gives the worker a turn and returns the number of decisions made, 0 while it rests or has nothing to play.
func (w *worker) play(ctx, sending context.Context) int {
	began := time.Now()
	w.waited = 0
	if w.rests() || w.inStep != nil && !w.goOn(sending) {
		return 0
	}
	made := w.turn(ctx, sending)
	if made > 0 && w.link.yields.Load() {
		w.yield(time.Since(began) - w.waited)
	}
	return made
}

// yield begins a rest after a turn, so that arena games and the ends of training games take no more than their share
// of the worker's part of the core from the learner for which all wait: until that has caught up, and never for long.
// A process that was frozen takes the time for that of its turn.
func (w *worker) yield(turn time.Duration) {
	rest := time.Duration(float64(turn) * (1/(w.arenaShare*w.part) - 1))
	w.resting = time.Now().Add(min(rest, longestRest))
}

// rests reports whether the worker leaves the core to the learner.
func (w *worker) rests() bool { return w.link.yields.Load() && time.Now().Before(w.resting) }

// turn makes one step at all tables, which ends early with ctx, and sends what is due with another context. It returns
// the number of decisions made.
func (w *worker) turn(ctx, sending context.Context) int {
	w.takeMatch()
	made := w.train(ctx, sending) + w.contest(ctx)
	w.counts.decisions.Add(uint64(made))
	w.metrics.decisions.Add(float64(made))
	if made > 0 {
		w.metrics.batchRows.Observe(float64(made))
	}
	if w.out.due() && !w.link.waits() {
		w.publish(sending)
	}
	if w.kept.due() {
		w.kept.send(sending)
	}
	w.retryJournal()
	if w.match != nil && w.match.done() {
		w.report(sending)
	}
	return made
}

// outlast returns a context that ends the given time after ctx.
func outlast(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	later, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(d, cancel) })
	return later, func() {
		stop()
		cancel()
	}
}

// close publishes what is left and the closing batch.
func (w *worker) close(ctx context.Context) error {
	if w.lease != nil {
		w.lease.release()
		w.metrics.matches.WithLabelValues(matchReturned).Inc()
		if err := w.lease.message.Nak(0); err != nil {
			w.log.Debug("match not given back; its lease runs out", "match", w.lease.match.Id, "error", err)
		}
	}
	w.kept.send(ctx)
	w.trouble.logged = time.Time{} // the last words are not held back
	if len(w.out.batch.Episodes) > 0 {
		w.publish(ctx)
	}
	return w.journal.close(w.publish(ctx))
}

// publish sends the batch and reports whether it was sent; if not, it is given up. Of
// many failures one after the other the first is logged, and then their number.
func (w *worker) publish(ctx context.Context) (sent bool) {
	defer w.waits(time.Now())
	w.link.sends()
	err := w.out.publish(ctx)
	w.link.arrives()
	w.noteJournal()
	if err == nil {
		return true
	}
	w.metrics.publishErrors.Inc()
	w.trouble.batches++
	if time.Since(w.trouble.logged) >= logEvery {
		w.log.Warn("experience lost", "error", err, "failures", w.trouble.batches)
		w.trouble.logged, w.trouble.batches = time.Now(), 0
	}
	return false
}

// waits counts the time since then as one in which the worker has taken the cores from no other work.
func (w *worker) waits(since time.Time) { w.waited += time.Since(since) }

// noteJournal logs when the journal begins or ceases to fail.
func (w *worker) noteJournal() {
	err := w.journal.err
	if err != nil {
		w.trouble.tried = time.Now()
	}
	if failing := err != nil; failing == w.trouble.journal {
		return
	}
	w.trouble.journal = err != nil
	if err != nil {
		w.counts.unwritten.Add(1)
		w.metrics.journalFailing.Inc()
		w.log.Warn("no training games begin: the journal cannot be written; trying again every second", "error", err)
		return
	}
	w.counts.unwritten.Add(-1)
	w.metrics.journalFailing.Dec()
	w.log.Info("journal written again")
}

// retryJournal tries from time to time whether a failing journal can be written again.
func (w *worker) retryJournal() {
	if w.trouble.journal && time.Since(w.trouble.tried) >= journalTick {
		_ = w.journal.save() // noteJournal logs it
		w.noteJournal()
	}
}

// takeMatch takes the next match from the queue if none is being played.
func (w *worker) takeMatch() {
	if w.lease != nil {
		return
	}
	select {
	case l := <-w.work:
		w.lease = l
		w.match = newMatchPlay(w.spec, l.seed(w.runSeed), l.match, l.a, l.b)
		if w.match.kept = w.kept.match(l.match); l.tournament != "" {
			w.match.kept = w.kept.whole(l.match)
		}
	default:
	}
}

// train makes one step of the training games.
func (w *worker) train(ctx, sending context.Context) int {
	began, waited := time.Now(), w.waited
	made := w.room.step(ctx, func() (assignment, bool) {
		if learner := w.trains(); learner != nil {
			return w.trainingGame(sending, learner), true
		}
		return assignment{}, false
	})
	if made > 0 {
		w.owe(-w.arenaShare * float64(time.Since(began)-(w.waited-waited)))
	}
	return made
}

// contest makes one step of the match's games, unless the arena has had its share of the time and training games can
// be played instead.
func (w *worker) contest(ctx context.Context) int {
	if w.match == nil || w.owed > 0 && w.trains() != nil {
		return 0
	}
	began := time.Now()
	slow := w.arenaStep > arenaTurn && w.arena.playing() > 0
	made := w.arena.step(ctx, func() (assignment, bool) {
		if slow || time.Since(began) > arenaTurn {
			return assignment{}, false
		}
		a, ok := w.match.next()
		if ok {
			a = w.counted(a, kindArena)
		}
		return a, ok
	})
	w.arenaStep = time.Since(began)
	w.owe((1 - w.arenaShare) * float64(w.arenaStep))
	return made
}

// owe adds to what the arena owes.
func (w *worker) owe(nanoseconds float64) {
	w.owed = min(max(w.owed+time.Duration(nanoseconds), -arenaTurn), mostOwed)
}

// trains returns whose training games begin now, or nil.
func (w *worker) trains() *player.Player {
	switch {
	case w.inStep != nil && w.inStep.over, w.inStep == nil && (w.link.waits() || w.trouble.journal || w.arenaOnly):
		return nil
	case w.inStep != nil:
		return w.inStep.newest
	}
	return w.link.pool.learner.Load()
}

func (w *worker) trainingGame(ctx context.Context, learner *player.Player) assignment {
	w.out.begin(learner.Version)
	number := w.number
	w.number++
	seed := engine.GameSeed(w.runSeed, w.purpose, number)
	seats := make([]*player.Player, w.room.spec.Seats)
	present := len(seats)
	if f, isFamily := w.room.kinds[learner.Stage].game.(*family.Game); isFamily {
		present = f.Seats(seed)
	}
	w.link.pool.seat(learner, seats, present, w.draw)
	return w.counted(assignment{
		seed:  seed,
		stage: learner.Stage,
		seats: seats,
		finish: func(r *episode) {
			switch g := (trained{number, learner, r}); {
			case r.cut:
			case w.inStep != nil && w.inStep.over:
				w.inStep.hold(g)
			default:
				w.send(ctx, g)
			}
		},
	}, kindTraining)
}

// send puts a finished training game into the batch; the last one of a round in lock-step ends the batch.
func (w *worker) send(ctx context.Context, g trained) {
	stage := g.learner.Stage
	if !w.out.takes(stage, g.record) {
		w.publish(ctx)
	}
	w.out.add(g.number, stage, g.record)
	w.kept.trained(ctx, g.number, stage, g.record)
	if w.inStep != nil && w.inStep.sent(g) {
		w.publish(ctx)
	}
}

// goOn begins the next round of a worker in lock-step if its weights have come, and reports whether there is anything
// to play.
func (w *worker) goOn(ctx context.Context) bool {
	if !w.inStep.begins(w.link.pool.learner.Load()) {
		return false
	}
	for g, ok := w.inStep.release(); ok; g, ok = w.inStep.release() {
		w.send(ctx, g)
	}
	return !w.inStep.over
}

// counted makes the game count when it ends.
func (w *worker) counted(a assignment, kind string) assignment {
	finish := a.finish
	a.finish = func(r *episode) {
		finish(r)
		w.counts.games.Add(1)
		if r.cut {
			kind = kindCut
		}
		w.metrics.games.WithLabelValues(kind).Inc()
	}
	return a
}

// report publishes the result of the finished match, and only then acknowledges it.
func (w *worker) report(ctx context.Context) {
	defer w.waits(time.Now())
	l, match := w.lease, w.match
	w.lease, w.match = nil, nil
	log := w.log.With("match", l.match.Id)
	var data []byte
	result, err := match.result()
	if err == nil {
		stream, subject := l.outcome(messages.ActorOf(w.actor))
		if data, err = encodeResult(result, match, l.tournament != ""); err == nil {
			err = w.bus.Publish(ctx, stream, subject, data)
		}
	}
	l.release()
	outcome := matchPlayed
	switch {
	case errors.Is(err, bus.ErrTaken):
		outcome = matchDuplicate
	case err != nil:
		w.metrics.matches.WithLabelValues(matchFailed).Inc()
		log.Warn("result not published; the match will be played again", "error", err)
		if err := l.message.Nak(time.Second); err != nil {
			log.Debug("match not given back; its lease runs out", "error", err)
		}
		return
	}
	w.metrics.matches.WithLabelValues(outcome).Inc()
	w.counts.matches.Add(1)
	if outcome == matchPlayed && l.tournament == "" {
		match.kept.publish(ctx)
	}
	if err := l.message.Ack(ctx); err != nil {
		log.Debug("match not acknowledged; its second result will be refused", "error", err)
	}
}
