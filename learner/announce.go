package learner

import (
	"context"
	"errors"
	"fmt"
	"time"

	"croupier/messages"
	"croupier/messages/bus"
)

const (
	// publishRetry is the time between two attempts to publish weights that are owed.
	publishRetry = time.Second
	// maxAhead is by how many versions the weights may be ahead of the published ones, if
	// the algorithm's greatest lag is not less. Then training waits: the games would be
	// those of another policy.
	maxAhead = 8
)

// permanent tells errors of the bus after which the learner cannot continue from those
// that can pass.
func permanent(err error) bool {
	var refusal *messages.Refusal
	return errors.Is(err, bus.ErrTaken) || errors.Is(err, bus.ErrClosed) || errors.As(err, &refusal)
}

// announce publishes the trainer's weights as the next version. If the broker does not take
// them, they are owed: [Learner.await] tries again, and the lag of games is counted against
// the version that was published.
func (l *Learner) announce(ctx context.Context) error {
	l.count(func(c *counters) { c.Version++ })
	l.unpublished = true
	return l.catchUp(ctx)
}

// catchUp publishes the weights that are owed, if there are any. The error is that of a
// learner that cannot go on.
func (l *Learner) catchUp(ctx context.Context) error {
	if !l.unpublished {
		return nil
	}
	within, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	err := l.publish(within)
	if permanent(err) {
		return err
	}
	if err != nil && ctx.Err() == nil {
		l.metrics.failures.WithLabelValues(opPublish).Inc()
	}
	return nil
}

// ahead reports whether training has to wait for its weights to be published.
func (l *Learner) ahead() bool {
	return l.newest.Load()-l.reached.Load() > min(l.ingestion.maxLag, maxAhead)
}

// publish publishes the trainer's weights as the version in the counters.
func (l *Learner) publish(ctx context.Context) error {
	began := time.Now()
	now := l.now()
	l.newest.Store(now.Version)
	stage := l.enter(l.opts.Curriculum.at(l.progress()))
	exploration := l.trainer.exploration(l.progress())
	err := l.publisher.publish(ctx, l.trainer.published(), now, stage, exploration)
	if errors.Is(err, context.Canceled) {
		return err // at the end of the run, which publishes them
	}
	if l.troubles.note(opPublish, err) && err != nil {
		l.log.Warn("weights not published; trying again every second", "version", now.Version, "error", err)
	}
	if err != nil {
		return err
	}
	l.unpublished = false
	l.reached.Store(now.Version)
	l.metrics.version.Set(float64(now.Version))
	l.metrics.publish.Observe(time.Since(began).Seconds())
	return nil
}

// enter makes the stage of the curriculum the current one: games of other stages are stale
// from now on.
func (l *Learner) enter(stage uint32) uint32 {
	if l.stage.Swap(stage) != stage {
		l.log.Info("next stage of the curriculum: " + l.stageInWords())
	}
	l.metrics.show("stage", float64(l.opts.Curriculum.place(stage)))
	return stage
}

// open publishes the first weights of this start, numbered above every version already
// published. Before the first weights of all there is a checkpoint, so that a run with weights
// and without one has lost it.
func (l *Learner) open(ctx context.Context) error {
	published, err := l.publisher.open(ctx)
	if err != nil {
		return err
	}
	if l.saved == 0 && published.Updates > 0 {
		return fmt.Errorf("the broker has weights of this run after %d updates, and %s has no checkpoint: put the folder %s "+
			"back from a copy, or begin a new run", published.Updates, l.opts.Dir, checkpointFolder)
	}
	l.reached.Store(published.Version)
	l.count(func(c *counters) { c.Version = max(c.Version, published.Version) + 1 })
	l.unpublished = true
	l.curve.begin(l)
	if l.saved == 0 {
		if err := l.checkpoint(); err != nil {
			return err
		}
	}
	return l.catchUp(ctx)
}
