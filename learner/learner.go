// Package learner trains an agent by PPO or DQN on the games that actors play.
//
// The learner reads batches of experience from the bus, checks and replays every
// game (ingest.go), improves the policy by one of the algorithms (algorithm.go: ppo.go
// and dqn.go, which share descent.go), publishes each new version of the weights
// (publish.go), and writes checkpoints into the run directory (checkpoint.go).
//
// Terms:
//
//   - A sample is a decision of the learning agent.
//   - A sequence is all decisions of one seat in one game.
//   - An intake is the new games of one iteration. A rollout is the games that it
//     learns from: these, or games drawn from a replay buffer. An update is one step of
//     the optimiser on a minibatch of a rollout.
//   - A version numbers the published weights, from 1. The lag of a game is by how
//     many versions the weights that played it are behind.
//   - A ledger accounts for all episodes of one actor.
//
// What the caller must do: run one learner for an agent at a time, keep the bus
// open until Run has returned, and give --resume for a directory that has
// checkpoints.
package learner

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.yaml.in/yaml/v3"
	"golang.org/x/sync/errgroup"

	"croupier/engine"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/nn"
)

// closeTimeout bounds the last publication.
const closeTimeout = 5 * time.Second

// Options of a learner.
type Options struct {
	Bus    bus.Bus
	Game   engine.Game
	Layout *nn.Layout // of the network, for the game
	Config Config
	// Algorithm is one that is not among [Algorithms], which then learns instead of the one
	// that Config names; nil: none.
	Algorithm *Algorithm
	Run       string // the run's id
	RunSeed   uint64
	Dir       string // the run directory; checkpoints are kept in it
	Resume    bool   // go on from the newest checkpoint, if there is one
	ID        string // of this process in its heartbeat, a token; "" takes Agent
	Agent     string // the agent that learns; "" is "main"
	// Curriculum are the games to train on before Game; nil: none.
	Curriculum Curriculum
	// Progress says how much of the run is over, 0..1, for the schedules and the
	// curriculum. Without it they follow Config.Horizon.
	Progress   func() float64
	Registerer prometheus.Registerer
	// MetricsAddress is told to others in the heartbeat.
	MetricsAddress string
	Log            *slog.Logger
}

// Learner trains one agent.
type Learner struct {
	opts        Options
	log         *slog.Logger
	metrics     *metrics
	retry       retrier
	trainer     trainer
	ingestion   *ingestion
	publisher   *publisher
	checkpoints *checkpoints
	newest      atomic.Uint64 // version; set before the version is published
	stage       atomic.Uint32 // of the curriculum; set before it is published
	started     time.Time     // of the process
	waiting     atomic.Bool   // for experience

	mutex    sync.Mutex
	counters counters  // all but Seconds
	before   float64   // seconds trained by earlier starts
	began    time.Time // of training in this one
	meanLag  float64   // of the newest intake

	unpublished bool   // the newest weights
	saved       uint64 // version of the newest checkpoint
	curve       curve
}

// New checks the options and makes everything ready: the network with its first
// weights or, with Resume, those of the newest checkpoint. The error says what is
// wrong: a setting, a checkpoint of another game or network, a directory that has
// checkpoints although Resume is not set. After an error nothing is registered and
// nothing held.
func New(o Options) (*Learner, error) {
	if o.Agent == "" {
		o.Agent = "main"
	}
	if o.ID == "" {
		o.ID = o.Agent
	}
	a, err := o.check()
	if err != nil {
		return nil, fmt.Errorf("learner: %w", err)
	}
	o.Log = o.Log.With("run", o.Run, "role", "learner", "agent", o.Agent)
	l := &Learner{opts: o, log: o.Log, started: time.Now()}
	l.publisher = &publisher{bus: o.Bus, log: l.log, game: o.Game, agent: o.Agent}
	if l.checkpoints, err = openCheckpoints(o, a); err != nil {
		return nil, fmt.Errorf("learner: %w", err)
	}
	state, err := l.restore()
	if err != nil {
		return nil, fmt.Errorf("learner: %w", err)
	}
	if err := l.build(a, state); err != nil {
		return nil, fmt.Errorf("learner: %w", err)
	}
	// From here on nothing fails, so that nothing needs to be taken back.
	curves := Series()
	if o.Algorithm != nil {
		curves = Series(a)
	}
	l.metrics = newMetrics(o.Registerer, curves, o.Game.Spec().Figures)
	l.retry = retrier{l.log, l.metrics}
	l.ingestion = newIngestion(o, a, l.trainer, l.metrics, &l.newest, &l.stage)
	return l, nil
}

// check says what is wrong with the options, and returns the algorithm that they ask for.
func (o *Options) check() (Algorithm, error) {
	for _, token := range []string{o.Agent, o.ID, o.Run} {
		if err := messages.CheckToken(token); err != nil {
			return Algorithm{}, err
		}
	}
	if err := o.Config.Validate(); err != nil {
		return Algorithm{}, err
	}
	if err := o.Config.Shaping.Check(o.Game); err != nil {
		return Algorithm{}, err
	}
	if err := o.Curriculum.Validate(o.Game); err != nil {
		return Algorithm{}, err
	}
	a, err := o.Config.choose()
	if err != nil {
		return a, err
	}
	if o.Algorithm != nil {
		a = *o.Algorithm
		s := &settings{}
		if s.of(a); s.err() != nil {
			return a, s.err()
		}
	}
	if err := a.fits(o.Layout.Description); err != nil {
		return a, fmt.Errorf("network: %w", err)
	}
	return a, nil
}

// restore returns the snapshot to go on from, nil for a fresh start.
func (l *Learner) restore() (*snapshot, error) {
	s, err := l.checkpoints.load()
	switch {
	case errors.Is(err, errNoCheckpoint):
		if l.opts.Resume {
			l.log.Warn("nothing to resume, starting afresh", "error", err)
		}
		return nil, nil
	case !l.opts.Resume:
		return nil, fmt.Errorf("%s has checkpoints: resume the run or take another directory", l.opts.Dir)
	case err != nil:
		return nil, err
	}
	if s.ConfigHash != configHash(l.opts.Config) {
		l.log.Info("the configuration is not the one of the checkpoint")
	}
	l.log.Info("resuming", "version", s.Version, "updates", s.Updates, "samples", s.Samples)
	return s, nil
}

// build makes the trainer, from the snapshot if there is one.
func (l *Learner) build(a Algorithm, s *snapshot) error {
	seed := engine.GameSeed(l.opts.RunSeed, "learner/"+l.opts.Agent, 0)
	weights := l.opts.Layout.Init
	if s != nil {
		weights = func(uint64) []float32 { return s.Weights }
	}
	n, err := nn.NewNetwork(l.opts.Layout, weights(seed))
	if err != nil {
		return err
	}
	workers := l.opts.Config.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	t, err := a.newTrainer(setup{l.opts.Config, l.opts.Curriculum.games(l.opts.Game), n, seed, workers})
	if err != nil {
		return err
	}
	l.trainer = t
	if s == nil {
		return nil
	}
	l.counters, l.before, l.saved = s.counters, s.Seconds, s.Version
	if err := t.restore(s); err != nil {
		return errors.Join(fmt.Errorf("checkpoint: %w", err), t.close())
	}
	return nil
}

// Run trains until ctx ends; then it publishes the last weights, writes a
// checkpoint and returns nil. It returns an error when it cannot go on (another
// learner is at work, the bus was closed) or when the last checkpoint cannot be
// written.
func (l *Learner) Run(ctx context.Context) error {
	defer l.trainer.close()
	l.mutex.Lock()
	l.began = time.Now()
	l.mutex.Unlock()
	group, inner := errgroup.WithContext(ctx)
	group.Go(func() error { return l.heartbeat(inner) })
	group.Go(func() error { return l.train(inner, group) })
	err := group.Wait()
	if ctx.Err() == nil {
		return fmt.Errorf("learner: %w", err)
	}
	return l.finish(context.WithoutCancel(ctx))
}

// train is the loop of iterations. It begins with the publication of the weights,
// for without any no games are played.
func (l *Learner) train(ctx context.Context, group *errgroup.Group) error {
	if err := l.retry.do(ctx, opPublish, l.open); err != nil {
		return err
	}
	group.Go(func() error { return l.ingestion.run(ctx) })
	next := time.Now() // the first iteration is saved: a run that is killed early can be resumed
	for {
		in, err := l.await(ctx)
		if err != nil {
			return err
		}
		if err := l.iterate(ctx, in); err != nil {
			return err
		}
		l.ingestion.free <- in
		if now := time.Now(); now.After(next) {
			next = now.Add(l.opts.Config.CheckpointInterval)
			if err := l.checkpoint(); err != nil {
				l.log.Error("no checkpoint written, the last one stays", "error", err)
			}
		}
		l.curve.publish(ctx, l)
	}
}

// await returns the next intake.
func (l *Learner) await(ctx context.Context) (intake, error) {
	l.waiting.Store(true)
	defer l.waiting.Store(false)
	began := time.Now()
	defer func() { l.metrics.waiting.Add(time.Since(began).Seconds()) }()
	select {
	case in := <-l.ingestion.full:
		return in, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// iterate trains on an intake and publishes the result.
func (l *Learner) iterate(ctx context.Context, in intake) error {
	began := time.Now()
	size := in.volume()
	lag := size.lag(l.newest.Load())
	rep, err := in.learn(ctx, l.progress())
	if err == nil && rep.updates == 0 {
		return nil // ctx has ended
	}
	l.mutex.Lock()
	l.meanLag = lag
	l.mutex.Unlock()
	l.count(func(c *counters) {
		c.Samples += uint64(size.decisions)
		c.Games += uint64(size.games)
		if err == nil {
			c.Updates += uint64(rep.updates)
		}
	})
	l.metrics.samples.Add(float64(size.decisions))
	l.metrics.games.Add(float64(size.games))
	l.metrics.iteration.Observe(time.Since(began).Seconds())
	if errors.Is(err, errUnsound) {
		l.metrics.rollbacks.Inc()
		l.log.Error("iteration undone, the weights before it stay", "version", l.newest.Load(), "error", err)
		return nil
	}
	if err != nil {
		return err
	}
	l.metrics.observe(rep)
	l.curve.add(rep, lag, size)
	return l.announce(ctx)
}

// announce publishes the trainer's weights as the next version. A broker that does
// not answer is no error: the version after it will be published.
func (l *Learner) announce(ctx context.Context) error {
	l.count(func(c *counters) { c.Version++ })
	l.unpublished = true
	if err := l.publish(ctx); permanent(err) {
		return err
	} else if err != nil && ctx.Err() == nil {
		l.metrics.failures.WithLabelValues(opPublish).Inc()
		l.log.Warn("weights not published, going on", "error", err)
	}
	return nil
}

// publish makes the trainer's weights known as the version of the counters.
func (l *Learner) publish(ctx context.Context) error {
	began := time.Now()
	now := l.now()
	l.newest.Store(now.Version)
	stage := l.enter(l.opts.Curriculum.at(l.progress()))
	exploration := l.trainer.exploration(l.progress())
	err := try(ctx, func(ctx context.Context) error {
		return l.publisher.publish(ctx, l.trainer.published(), now, stage, exploration)
	})
	if err != nil {
		return err
	}
	l.unpublished = false
	l.metrics.version.Set(float64(now.Version))
	l.metrics.publish.Observe(time.Since(began).Seconds())
	return nil
}

// enter makes the stage of the curriculum the present one: games of another are stale
// from now on.
func (l *Learner) enter(stage uint32) uint32 {
	if l.stage.Swap(stage) != stage {
		l.log.Info("the curriculum goes on: " + l.stageInWords())
	}
	l.metrics.show("stage", float64(l.opts.Curriculum.place(stage)))
	return stage
}

// open publishes the first weights of this start, above every version that is there.
func (l *Learner) open(ctx context.Context) error {
	published, err := l.publisher.open(ctx)
	if err != nil {
		return err
	}
	l.count(func(c *counters) { c.Version = max(c.Version, published) + 1 })
	l.unpublished = true
	l.curve.begin(l)
	return l.publish(ctx)
}

// finish writes the last checkpoint and publishes the weights if that is owed.
func (l *Learner) finish(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, closeTimeout)
	defer cancel()
	if l.unpublished && l.newest.Load() > 0 {
		if err := l.publish(ctx); err != nil {
			l.log.Warn("last weights not published; they are in the checkpoint", "error", err)
		}
	}
	if err := l.checkpoint(); err != nil {
		return fmt.Errorf("learner: %w", err)
	}
	return nil
}

// checkpoint writes the trainer's state, if it is newer than the last one written.
func (l *Learner) checkpoint() error {
	s, err := l.trainer.snapshot()
	if err != nil {
		return err
	}
	s.counters, s.ConfigHash = l.now(), configHash(l.opts.Config)
	if s.Version == l.saved {
		return nil
	}
	began := time.Now()
	if err := l.checkpoints.save(s); err != nil {
		l.metrics.failures.WithLabelValues(opCheckpoint).Inc()
		return err
	}
	l.saved = s.Version
	l.metrics.checkpoint.Observe(time.Since(began).Seconds())
	return nil
}

// progress is how much of the run is over, 0..1.
func (l *Learner) progress() float64 {
	p := float64(l.now().Samples) / float64(l.opts.Config.Horizon)
	if l.opts.Progress != nil {
		p = l.opts.Progress()
	}
	return min(max(p, 0), 1)
}

// lastLag is the mean lag of the newest intake.
func (l *Learner) lastLag() float64 {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.meanLag
}

// Totals returns the games trained on and the time of training, over all starts of
// the run.
func (l *Learner) Totals() (games uint64, trained time.Duration) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	trained = time.Duration(l.before * float64(time.Second))
	if !l.began.IsZero() {
		trained += time.Since(l.began)
	}
	return l.counters.Games, trained
}

// count changes the counters.
func (l *Learner) count(f func(*counters)) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	f(&l.counters)
}

// now returns the counters as they are.
func (l *Learner) now() counters {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	c := l.counters
	c.Seconds = l.before + time.Since(l.began).Seconds()
	return c
}

// configHash identifies a configuration.
func configHash(c Config) string {
	doc, err := yaml.Marshal(c)
	if err != nil {
		panic(fmt.Sprintf("learner: configuration does not marshal: %v", err))
	}
	sum := sha256.Sum256(doc)
	return hex.EncodeToString(sum[:])
}
