package cluster

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sync/errgroup"

	"croupier/messages"
	"croupier/web"
)

// serving is what runs alongside training: the page, what feeds it, and the watch over the broker. It
// can outlive the training.
type serving struct {
	ctx   context.Context // of everything that the pages do
	end   context.CancelFunc
	group *errgroup.Group
	alive context.Context // ends when a part fails
}

// newServing returns the place for what is served; its end does not come with that of ctx.
func newServing(ctx context.Context) *serving {
	s := &serving{}
	s.ctx, s.end = context.WithCancel(context.WithoutCancel(ctx))
	s.group, s.alive = errgroup.WithContext(s.ctx)
	return s
}

// failure waits until ctx ends or a part fails, and returns that part's error.
func (s *serving) failure(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case <-s.alive.Done():
		return s.group.Wait()
	}
}

// servePages begins what runs alongside training.
func (c *Cluster) servePages() {
	s := c.serving
	s.group.Go(func() error { return c.feed.Run(s.alive) })
	if c.o.Page.Listener != nil {
		s.group.Go(func() error { return web.Serve(s.alive, c.o.Page.Listener, c.o.Page.TLS(), c.pages, c.log) })
		s.group.Go(func() error { return c.beat(s.alive, messages.WebRole, webValues(c.feed)) })
		s.group.Go(func() error { return c.judging.run(s.alive) })
	}
	if c.embedded != nil {
		s.group.Go(func() error { return watchBroker(s.alive, c.embedded.Stopped, c.embedded.Healthy) })
		s.group.Go(func() error { return c.beat(s.alive, messages.BrokerRole, brokerValues(c.bus)) })
	}
}

// stopPages ends what runs alongside training.
func (c *Cluster) stopPages() error {
	c.serving.end()
	if err := c.serving.group.Wait(); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// KeepPage leaves the page up until ctx ends, after a call of Run with Options.KeepPage.
func (c *Cluster) KeepPage(ctx context.Context) error {
	err := c.serving.failure(ctx)
	return errors.Join(err, c.stopPages())
}

// tellEnd has the page say that the training has ended.
func (c *Cluster) tellEnd() error {
	_, trained := c.Trained()
	ladder, err := c.Ladder()
	if err != nil {
		return err
	}
	ending := web.Ending{State: "ended", At: time.Now().UTC(), Seconds: trained.Seconds()}
	if best, found := ladder.Best(); found {
		ending.Best = best.Name
	}
	c.feed.End(ending)
	return nil
}
