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
	// publishRetry is the time from a publication that failed to the next.
	publishRetry = time.Second
	// maxAhead is by how many versions the weights may be ahead of the published ones, if
	// the algorithm's greatest lag is not less. Then training waits: the games would be
	// those of another policy.
	maxAhead = 8
	// publishPause is how many times as long as a publication took none follows it, unless more versions are owed
	// than half of maxAhead: on a broker that writes to its disk it takes as long as several iterations of a small
	// game.
	publishPause = 3
)

// permanent distinguishes errors of the bus after which the learner cannot continue from those
// that can pass.
func permanent(err error) bool {
	var refusal *messages.Refusal
	return errors.Is(err, bus.ErrTaken) || errors.Is(err, bus.ErrClosed) || errors.As(err, &refusal)
}

// announce makes the trainer's weights the next version, and begins to publish it if that is due, which runs
// next to the next iteration. Otherwise it is owed, or a later one in its place, as it is if the broker does not take
// it:
// [Learner.await] publishes it, and the lag of games is counted against the version that was published.
func (l *Learner) announce(ctx context.Context) error {
	l.owe(l.now().Version + 1)
	if l.opts.LockStep {
		return l.catchUp(ctx)
	}
	select {
	case err := <-l.publishing:
		if err := l.published(ctx, err); permanent(err) {
			return err
		}
	default:
	}
	if l.publishing != nil || l.pause() > 0 {
		return nil
	}
	return l.catchUp(ctx)
}

// owe makes the trainer's weights the given version, which is to be published.
func (l *Learner) owe(version uint64) {
	l.count(func(c *counters) { c.Version = version })
	l.newest.Store(version)
	l.unpublished = true
}

// pause is for how long the next publication is not due.
func (l *Learner) pause() time.Duration {
	if owed := l.newest.Load() - l.reached.Load(); !l.failing && owed > min(l.ingestion.maxLag, maxAhead)/2 {
		return 0
	}
	return time.Until(l.next)
}

// catchUp waits for the end of the publication under way, if there is one, and begins that of the
// weights that are owed, if there are any. The error is that of a learner that cannot continue.
func (l *Learner) catchUp(ctx context.Context) error {
	if err := l.settle(ctx); permanent(err) {
		return err
	}
	if !l.unpublished {
		return nil
	}
	averaged, err := l.average.network(l.opts.Layout)
	if err != nil {
		return err
	}
	r := &release{
		network: l.trainer.Published(), averaged: averaged, counters: l.now(),
		exploration: l.trainer.Exploration(l.progress()),
	}
	r.stage = l.enter(l.opts.Curriculum.At(l.progress()))
	done := make(chan error, 1)
	l.publishing, l.unpublished = done, false
	go func() { done <- l.publish(ctx, r) }()
	return nil
}

// settle waits for the end of the publication under way and returns its error, nil if there is
// none.
func (l *Learner) settle(ctx context.Context) error {
	if l.publishing == nil {
		return nil
	}
	return l.published(ctx, <-l.publishing)
}

// published takes note of how the publication under way has ended, and returns that.
func (l *Learner) published(ctx context.Context, err error) error {
	l.publishing = nil
	if l.failing = err != nil; !l.failing {
		l.next = time.Now().Add(publishPause * l.took)
		return nil
	}
	l.next = time.Now().Add(publishRetry)
	l.unpublished = true
	if !permanent(err) && ctx.Err() == nil {
		l.metrics.failures.WithLabelValues(opPublish).Inc()
	}
	return err
}

// ahead reports whether training has to wait for its weights to be published.
func (l *Learner) ahead() bool {
	return l.newest.Load()-l.reached.Load() > min(l.ingestion.maxLag, maxAhead)
}

// publish publishes a version. It runs next to the training goroutine.
func (l *Learner) publish(ctx context.Context, r *release) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	began := time.Now()
	err := l.publisher.publish(ctx, r)
	if errors.Is(err, context.Canceled) {
		return err // at the end of the run, which publishes them
	}
	if l.troubles.note(opPublish, err) && err != nil {
		l.log.Warn("weights not published; trying again every second", "version", r.Version, "error", err)
	}
	if err != nil {
		return err
	}
	l.took = time.Since(began)
	l.reached.Store(r.Version)
	l.metrics.version.Set(float64(r.Version))
	l.metrics.publish.Observe(l.took.Seconds())
	return nil
}

// enter makes the stage of the curriculum the current one: games of other stages are stale
// from now on.
func (l *Learner) enter(stage uint32) uint32 {
	if l.stage.Swap(stage) != stage {
		l.log.Info("next stage of the curriculum: " + l.stageInWords())
	}
	l.metrics.show("stage", float64(l.opts.Curriculum.Place(stage)))
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
	l.owe(max(l.now().Version, published.Version) + 1)
	l.curve.begin(l)
	if l.saved == 0 {
		if err := l.checkpoint(); err != nil {
			return err
		}
	}
	if err := l.catchUp(ctx); err != nil {
		return err
	}
	if err := l.settle(ctx); permanent(err) {
		return err
	}
	return nil
}
