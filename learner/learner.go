// Package learner is the service that trains an agent on the games that actors play. How it learns from them is package
// [train]'s, which knows no bus.
//
// The learner reads batches of experience from the bus and verifies every game while a recorder of the trainer reads it
// (ingest.go, verified.go), asks the trainer to learn from a rollout of games (learner.go), publishes each new version
// of the weights (publish.go), and writes checkpoints to the run directory (checkpoint.go).
//
// Terms, in addition to those of [train]:
//
//   - A version numbers the published weights, from 1. The lag of a game is the number of
//     versions by which the weights that played it are behind.
//   - A ledger accounts for all episodes of one actor.
//
// The caller must run only one learner per agent at a time, keep the bus open until Run has
// returned, and set [Options].Resume for a directory that has checkpoints.
package learner

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"croupier/learner/train"
	"croupier/messages"
	"croupier/messages/backlog"
)

const (
	// patience is how long training waits for the broker to accept what the next
	// iteration replaces: weights and curve points.
	patience = 10 * time.Second
	// maxUndone is how many iterations in succession may be undone. By then the learning
	// rate is a millionth of the configured one.
	maxUndone = 12
	// closeTimeout bounds the final publication, closeAlone where the broker is away: its brokers may have been ordered
	// to end with it, and all that was owed is in the checkpoint.
	closeTimeout = 5 * time.Second
	closeAlone   = time.Second
)

// Learner trains one agent.
type Learner struct {
	opts        Options
	log         *slog.Logger
	metrics     *metrics
	trainer     train.Trainer
	average     *average // nil if none is kept
	ingestion   *ingestion
	group       *group
	publisher   *publisher
	checkpoints *checkpoints
	newest      atomic.Uint64                    // version of the weights; set before the version is published
	reached     atomic.Uint64                    // newest version that is known to be published
	stage       atomic.Uint32                    // of the curriculum; set before it is published
	started     time.Time                        // of the process
	waiting     atomic.Bool                      // for experience
	slowed      atomic.Uint64                    // by what the configured learning rate is divided; 0: by 1
	setback     atomic.Pointer[messages.Setback] // the newest that the league has announced
	fellBack    atomic.Pointer[messages.Setback] // the last that this start has obeyed
	reset       atomic.Pointer[messages.Reset]   // the newest that the league has announced

	mutex    sync.Mutex
	counters counters  // all but Seconds
	before   float64   // seconds of training in earlier starts
	began    time.Time // beginning of training in this start
	ended    time.Time // of training in this start; zero before it
	meanLag  float64   // of the newest rollout

	unpublished bool          // the newest weights are neither published nor being so
	publishing  chan error    // how the publication under way has ended; nil: there is none
	took        time.Duration // the last publication that succeeded
	next        time.Time     // when the next one may begin, unless too many versions are owed
	failing     bool          // the last publication has failed
	saved       uint64        // version of the newest checkpoint
	curve       curve
	troubles    troubles
	undone      int       // iterations in succession
	interrupted []gamesOf // of iterations that the end of the run has stopped before they had any effect
}

// Run trains until ctx ends; then it publishes the last weights, writes a checkpoint and
// returns nil. It returns an error if it cannot continue (another learner is at work, or
// the bus was closed) or if the last checkpoint cannot be written.
func (l *Learner) Run(ctx context.Context) error {
	l.mutex.Lock()
	l.began = time.Now()
	l.mutex.Unlock()
	group, inner := errgroup.WithContext(ctx)
	group.Go(func() error { return l.heartbeat(inner) })
	group.Go(func() error { return l.train(inner, group) })
	err := group.Wait()
	l.mutex.Lock()
	l.ended = time.Now()
	l.mutex.Unlock()
	if ctx.Err() == nil {
		l.curve.finish(ctx, l)
		return fmt.Errorf("learner: %w", err)
	}
	return l.finish(context.WithoutCancel(ctx))
}

// train is the loop of iterations. It first publishes the weights, because no games are
// played without any.
func (l *Learner) train(ctx context.Context, group *errgroup.Group) error {
	if err := l.open(ctx); err != nil {
		if ctx.Err() == nil {
			l.metrics.failures.WithLabelValues(opPublish).Inc()
		}
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer func() {
		cancel()
		_ = l.settle(ctx) // what is owed then is published in the end
	}()
	reporter := &backlog.Reporter{
		Bus: l.opts.Bus, Log: l.log, Agent: l.opts.Agent, Limit: l.opts.Backlog, Work: l.ingestion.work,
	}
	for _, work := range []func(context.Context) error{
		l.ingestion.conduct.Run, l.ingestion.run, l.followLeague, l.group.listen, reporter.Run,
	} {
		group.Go(func() error {
			if err := work(ctx); ctx.Err() == nil {
				return err
			}
			return nil // it ends with training, which reports why
		})
	}
	next := checkpointDue{every: l.opts.Config.CheckpointInterval}
	for {
		if l.opts.LockStep && l.opts.Games > 0 && l.now().Games >= l.opts.Games {
			<-ctx.Done()
			return ctx.Err()
		}
		r, err := l.await(ctx)
		if err != nil {
			return err
		}
		if err := l.iterate(ctx, r); err != nil {
			return err
		}
		if !r.back {
			l.ingestion.free <- r
		}
		if err := cmp.Or(l.obey(ctx), l.begin(ctx)); err != nil {
			return err
		}
		if next.reached(time.Now(), l.now().Updates) {
			if err := l.checkpoint(); err != nil {
				l.log.Warn("no checkpoint written, the last one stays; trying again at the next", "error", err)
			}
		}
		l.curve.publish(ctx, l, curveInterval)
	}
}

// checkpointDue reports when the next checkpoint is written. The first is, after the first iteration, so that a run
// killed early can resume.
type checkpointDue struct {
	every   train.Interval
	time    time.Time
	updates uint64
}

// reached reports whether a checkpoint is due, and begins the next interval.
func (c *checkpointDue) reached(now time.Time, updates uint64) bool {
	if now.Before(c.time) || updates < c.updates {
		return false
	}
	if c.updates = updates + c.every.Updates(); c.every.Updates() == 0 {
		c.updates, c.time = 0, now.Add(c.every.Time())
	}
	return true
}

// await waits for the next rollout. While weights are owed, it tries to publish them; it takes
// no rollout while those that play are too far behind.
func (l *Learner) await(ctx context.Context) (*rollout, error) {
	l.waiting.Store(true)
	defer l.waiting.Store(false)
	began := time.Now()
	defer func() { l.metrics.waiting.Add(time.Since(began).Seconds()) }()
	if r := l.group.averages.returned(l.trainer); r != nil {
		return r, nil
	}
	for {
		full := l.ingestion.full
		if l.ahead() {
			full = nil
		}
		var due <-chan time.Time
		if l.unpublished && l.publishing == nil {
			due = time.After(l.pause())
		}
		select {
		case r := <-full:
			return r, nil
		case err := <-l.publishing:
			if err := l.published(ctx, err); permanent(err) {
				return nil, err
			}
		case <-due:
			if err := l.catchUp(ctx); err != nil {
				return nil, err
			}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// iterate trains on a rollout and begins to publish the result.
func (l *Learner) iterate(ctx context.Context, r *rollout) error {
	began := time.Now()
	size := &r.Size
	lag := size.Lag(l.reached.Load())
	progress := l.progress()
	l.group.begin(ctx, l.trainer, r, progress)
	learning := time.Now()
	rep, err := l.trainer.Learn(ctx, r.Rollout, progress)
	if err == nil && rep.Updates == 0 {
		l.interrupted = append(l.interrupted, r.batches...) // ctx has ended
		return nil
	}
	l.group.averages.note(r, time.Since(learning))
	l.mutex.Lock()
	l.meanLag = lag
	l.mutex.Unlock()
	l.book(r.credit, size, uint64(rep.Updates), err)
	l.metrics.iteration.Observe(time.Since(began).Seconds())
	unsound := errors.Is(err, train.ErrUnsound)
	switch {
	case unsound:
		if err := l.undo(rep, err); err != nil || !l.opts.LockStep && !l.group.averages.open() {
			return err
		}
	case err != nil:
		return err
	default:
		l.troubles.note(opIterate, nil)
		l.undone = 0
		l.slowed.Store(uint64(1 / rep.Caution))
		l.metrics.observe(rep)
		l.curve.add(rep, lag, size)
	}
	if l.group.averages.open() {
		return l.meet(ctx, r)
	}
	if !unsound { // else these are the same weights: the actor of LockStep waits for a version
		l.average.follow(l.trainer.Published().Weights)
	}
	return l.announce(ctx)
}

// book books games that were learnt from, in an iteration with that error.
func (l *Learner) book(c *credit, size *train.Volume, updates uint64, err error) {
	l.ingestion.trained(c)
	l.count(func(c *counters) {
		c.Samples += uint64(size.Samples)
		c.Games += uint64(size.Games)
		if err == nil {
			c.Updates += updates
		}
	})
	l.metrics.samples.Add(float64(size.Samples))
	l.metrics.games.Add(float64(size.Games))
}

// meet averages the weights of the group if that is due, and begins to publish the common ones; r was learnt from last.
func (l *Learner) meet(ctx context.Context, r *rollout) error {
	if !l.group.averages.over() {
		return nil
	}
	sum, err := l.group.averages.meet(l.trainer, r)
	l.group.begin(ctx, l.trainer, r, l.progress())
	for _, h := range sum.rollouts {
		l.book(h.credit, &h.size, 0, nil)
		l.curve.size.Merge(&h.size)
	}
	l.count(func(c *counters) { c.Updates += sum.updates })
	l.metrics.updates.Add(float64(sum.updates))
	switch {
	case errors.Is(err, train.ErrUnsound):
		l.metrics.rollbacks.Inc()
		l.log.Warn("average undone, the leader's weights stay", "version", l.newest.Load(), "error", err)
	case err != nil:
		return err
	}
	l.average.follow(l.trainer.Published().Weights)
	return l.announce(ctx)
}

// undo notes an iteration whose weights were not sound, so that those before it stay. Its error
// is that of training that does not get on even with the smallest steps.
func (l *Learner) undo(rep train.Report, err error) error {
	l.metrics.rollbacks.Inc()
	l.metrics.show("learning_rate", rep.LearningRate)
	l.troubles.note(opIterate, err)
	if l.undone++; l.undone >= maxUndone {
		return fmt.Errorf("training has collapsed: %d iterations in succession were undone, though the learning rate was lowered "+
			"from %.3g to %.3g; the weights before them are in the checkpoint: lower learner.learning_rate_start or what else "+
			"is unusual in the settings, and continue with --resume: %w",
			l.undone, l.opts.Config.LearningRate(l.progress()), rep.LearningRate, err)
	}
	l.log.Warn("iteration undone, the weights before it stay and smaller steps are taken", "version", l.newest.Load(),
		"learning_rate", rep.LearningRate, "error", err)
	return nil
}

// finish writes the last checkpoint, and then publishes what is still owed.
func (l *Learner) finish(ctx context.Context) error {
	if l.group.averages.partly() { // the weights of a round that is not over are this learner's own
		l.average.follow(l.trainer.Published().Weights)
		l.owe(l.now().Version + 1)
	}
	saved := l.checkpoint() // before anything that a broker could hold up
	if saved != nil {
		l.log.Warn("no checkpoint written; trying again at the end", "error", saved)
	}
	kept := l.saved
	l.keepUnlearnt()
	bound := closeTimeout
	if !l.opts.Bus.Connected() {
		bound = closeAlone
	}
	ctx, cancel := context.WithTimeout(ctx, bound)
	defer cancel()
	if l.unpublished && l.newest.Load() > 0 {
		if err := cmp.Or(l.catchUp(ctx), l.settle(ctx)); err != nil {
			l.log.Warn("last weights not published; they are in the checkpoint", "error", err)
		}
	}
	l.publisher.prune(ctx) // the end of the run may have kept the last publication from it
	saved = l.checkpoint() // where that failed, or publishing has changed what there is to save
	if l.saved != kept {
		l.keepUnlearnt()
	}
	if err := l.ingestion.flush(ctx); err != nil {
		l.log.Warn("ledgers not written; they are in the checkpoint", "error", err)
	}
	l.curve.finish(ctx, l)
	if saved != nil {
		return fmt.Errorf("learner: %w", saved)
	}
	return nil
}

// checkpoint writes the trainer's state if it is newer than the last checkpoint.
func (l *Learner) checkpoint() error {
	state, err := l.trainer.Snapshot()
	if err != nil {
		return err
	}
	s := &snapshot{State: *state}
	s.counters, s.ConfigHash, s.Ledgers = l.now(), configHash(l.opts.Config), l.ingestion.ledgers()
	l.average.note(s)
	if s.Version == l.saved {
		return nil
	}
	began := time.Now()
	err = l.checkpoints.save(s)
	l.troubles.note(opCheckpoint, err)
	if err != nil {
		l.metrics.failures.WithLabelValues(opCheckpoint).Inc()
		return err
	}
	l.saved = s.Version
	l.ingestion.checkpointed(s.Ledgers)
	l.metrics.checkpoint.Observe(time.Since(began).Seconds())
	return nil
}

// progress returns how much of the run is over, 0..1.
func (l *Learner) progress() float64 {
	p := float64(l.now().Samples) / float64(l.opts.Config.Horizon)
	if l.opts.Progress != nil {
		p = l.opts.Progress()
	}
	return min(max(p, 0), 1)
}

// lastLag returns the mean lag of the newest rollout.
func (l *Learner) lastLag() float64 {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.meanLag
}

// WeightsSum returns the SHA-256 of the weights, float32 in little-endian order, once training has ended.
func (l *Learner) WeightsSum() string {
	sum := sha256.New()
	_ = binary.Write(sum, binary.LittleEndian, l.trainer.Published().Weights) // a hash takes everything
	return hex.EncodeToString(sum.Sum(nil))
}

// Totals returns the games trained on and the time spent training, over all starts of the
// run.
func (l *Learner) Totals() (games uint64, trained time.Duration) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.counters.Games, time.Duration((l.before + l.training()) * float64(time.Second))
}

// Progress counts the learner's work since this start: decisions in games that it has accepted and what it has done in
// its iterations, however long one takes. The count stands still while nothing is learnt. refusal is the newest reason
// for which games were refused, nil if there is none.
func (l *Learner) Progress() (done uint64, refusal error) {
	return l.ingestion.decisions.Load() + l.trainer.Progress(), l.ingestion.conduct.Newest()
}

// training returns the seconds of training since the start. The caller has the lock.
func (l *Learner) training() float64 {
	switch {
	case l.began.IsZero():
		return 0
	case l.ended.IsZero():
		return time.Since(l.began).Seconds()
	}
	return l.ended.Sub(l.began).Seconds()
}

// count updates the counters.
func (l *Learner) count(f func(*counters)) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	f(&l.counters)
}

// now returns the current counters.
func (l *Learner) now() counters {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	c := l.counters
	c.Seconds = l.before + l.training()
	return c
}
