package cluster

import (
	"context"

	"golang.org/x/sync/errgroup"

	"croupier/messages/lease"
)

// leases are those of the roles of this process that a run has once.
type leases []*lease.Lease

// acquire takes the lease of each role, or none.
func (s *site) acquire(ctx context.Context, roles ...string) (held leases, err error) {
	for _, role := range roles {
		l, err := lease.Acquire(ctx, s.bus.Roles(), role, processID(role), s.log)
		if err != nil {
			held.release()
			return nil, err
		}
		held = append(held, l)
	}
	return held, nil
}

// wait returns the error of the first lease that is lost, or nil when ctx ends.
func (held leases) wait(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	for _, l := range held {
		group.Go(func() error { return l.Wait(ctx) })
	}
	return group.Wait()
}

// release gives the roles to whoever comes next.
func (held leases) release() {
	for _, l := range held {
		l.Release()
	}
}
