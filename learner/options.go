package learner

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"syscall"
	"time"

	"go.yaml.in/yaml/v3"

	"croupier/learner/train"
	"croupier/messages"
	"croupier/messages/roles"
	"croupier/nn"
)

// Options configure a learner.
type Options struct {
	roles.Common            // Dir is the agent's part of the run directory, with its checkpoints
	Layout       *nn.Layout // of the network, for the game
	Config       train.Config
	// Algorithm, unless nil, is an algorithm outside [Algorithms] that replaces the one
	// Config names.
	Algorithm *train.Algorithm
	Weights   []float32 // of a fresh start, for Layout; nil: random ones
	Resume    bool      // continue from the newest checkpoint, if there is one
	Frozen    bool      // the run has frozen versions of the agent: what has no checkpoint then has lost it
	ID        string    // of this process in its heartbeat, a token; "" means Agent
	Agent     string    // the learning agent; "" means messages.LearningAgent
	Backlog   int       // batches of experience that wait, above which actors pause
	// LockStep trains on nothing but the games that an actor.LockStep plays for it: an iteration always ends with
	// new weights, and after that many games, 0: no limit, it trains no more.
	LockStep bool
	Games    uint64
	// Curriculum lists the games to train on before Game; nil for none.
	Curriculum train.Curriculum
	// Progress reports how much of the run is over, 0..1, for the schedules and the
	// curriculum. If nil, they follow Config.Horizon.
	Progress func() float64
	// Teacher finds the teacher that the settings name; if nil, it is a bot of the game.
	Teacher train.Teacher
	// Trouble, unless nil, says what is wrong with the machine; the heartbeat repeats it.
	Trouble func() error
	// Audit, unless nil, is shown every batch with games that were learnt from, and its sender.
	// It must not wait; the batch does not change any more.
	Audit func(sender string, x *messages.Experience)
}

// New checks the options and prepares everything: the network with its first weights or,
// with Resume, those of the newest checkpoint. The error says what is wrong: a setting, a
// checkpoint of another game or network, or a directory that has checkpoints although
// Resume is not set. After an error nothing stays registered or held.
func New(o Options) (*Learner, error) {
	l, err := assemble(o)
	if err != nil {
		return nil, fmt.Errorf("learner: %w", err)
	}
	return l, nil
}

func assemble(o Options) (*Learner, error) {
	o.Agent = cmp.Or(o.Agent, messages.LearningAgent)
	o.ID = cmp.Or(o.ID, o.Agent)
	a, err := o.check()
	if err != nil {
		return nil, err
	}
	o.Log = o.Log.With("run", o.Run, "role", messages.LearnerRole, "agent", o.Agent)
	l := &Learner{opts: o, log: o.Log, started: time.Now()}
	l.publisher = &publisher{bus: o.Bus, log: l.log, game: o.Game, agent: o.Agent}
	if l.checkpoints, err = openCheckpoints(o, a); err != nil {
		return nil, err
	}
	state, err := l.restore()
	if err != nil {
		return nil, err
	}
	l.group = newGroup(&o, a)
	if err := l.build(a, state); err != nil {
		return nil, err
	}
	// From here on nothing can fail, so nothing needs to be undone.
	l.metrics = newMetrics(o.Registerer, Series(a), o.Game.Spec().Figures)
	l.group.metrics = l.metrics
	l.ingestion = newIngestion(o, a, l.trainer, l.metrics, &l.newest, &l.reached, &l.stage)
	l.ingestion.offer = l.group.offer
	l.ingestion.resumed = &messages.Ledgers{Merged: &messages.MergedLedgers{Schema: messages.SchemaVersion,
		Sum: &messages.Ledger{}}}
	if state != nil {
		l.ingestion.resumed, l.ingestion.left = state.Ledgers, l.checkpoints.left(state.Version)
	}
	follow(o.Registerer, l.ingestion.conduct)
	return l, nil
}

// check validates the options and returns the algorithm they ask for.
func (o *Options) check() (train.Algorithm, error) {
	for _, token := range []string{o.Agent, o.ID, o.Run} {
		if err := messages.CheckToken(token); err != nil {
			return train.Algorithm{}, err
		}
	}
	a, err := o.algorithm()
	if err != nil {
		return a, err
	}
	if err := a.Fits(o.Layout.Description); err != nil {
		return a, err
	}
	return a, cmp.Or(o.Config.Check(o.Game, o.Layout.Description), o.Curriculum.Validate(o.Game))
}

// algorithm returns the algorithm to learn by. The error says which settings are wrong.
func (o *Options) algorithm() (train.Algorithm, error) {
	if err := o.Config.Validate(); err != nil || o.Algorithm == nil {
		a, _ := o.Config.Choose() // Validate has found it
		return a, err
	}
	return *o.Algorithm, o.Algorithm.Validate()
}

// restore returns the snapshot to continue from, nil for a fresh start.
func (l *Learner) restore() (*snapshot, error) {
	s, err := l.checkpoints.load()
	switch {
	case errors.Is(err, errNoCheckpoint) && l.opts.Frozen:
		return nil, fmt.Errorf("the run has frozen versions of %s, and %s has no checkpoint: put the folder %s back "+
			"from a copy, or begin a new run", l.opts.Agent, l.opts.Dir, checkpointFolder)
	case errors.Is(err, errNoCheckpoint):
		if l.opts.Resume {
			l.log.Warn("nothing to resume, starting afresh", "error", err)
		}
		return nil, nil
	case errors.As(err, new(syscall.Errno)): // what the system refuses says nothing of what is there
		return nil, err
	case !l.opts.Resume:
		return nil, fmt.Errorf("%s has checkpoints: resume the run or choose another directory", l.opts.Dir)
	case err != nil:
		return nil, err
	}
	if s.ConfigHash != configHash(l.opts.Config) {
		l.log.Info("the configuration differs from that of the checkpoint")
	}
	l.log.Info("resuming", "version", s.Version, "updates", s.Updates, "samples", s.Samples)
	return s, nil
}

// build makes the trainer, from the snapshot if there is one.
func (l *Learner) build(a train.Algorithm, s *snapshot) error {
	seed := l.seed(0)
	weights := l.opts.Layout.Init
	if l.opts.Weights != nil {
		weights = func(uint64) []float32 { return slices.Clone(l.opts.Weights) }
	}
	if s != nil {
		weights = func(uint64) []float32 { return s.Weights }
	}
	n, err := nn.NewNetwork(l.opts.Layout, weights(seed))
	if err != nil {
		return err
	}
	t, err := a.NewTrainer(train.Setup{
		Config: l.opts.Config, Games: l.opts.Curriculum.Games(l.opts.Game), Network: n, Seed: seed,
		Workers: l.opts.workers(), Teacher: l.opts.Teacher, Exchange: l.group.exchange(),
	})
	if err != nil {
		return err
	}
	l.trainer, l.average = t, newAverage(l.opts.Config.Average, n.Weights, s)
	if s == nil {
		return nil
	}
	l.counters, l.before, l.saved = s.counters, s.Seconds, s.Version
	if err := t.Restore(&s.State); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return nil
}

// configHash identifies a configuration.
func configHash(c train.Config) string {
	doc, err := yaml.Marshal(c)
	if err != nil {
		panic(fmt.Sprintf("learner: configuration does not marshal: %v", err))
	}
	sum := sha256.Sum256(doc)
	return hex.EncodeToString(sum[:])
}
