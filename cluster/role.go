package cluster

import (
	"cmp"
	"context"
	"sync"

	"golang.org/x/sync/errgroup"

	"croupier/engine"
	"croupier/messages/lease"
)

// role is a part of a run in this process. One runner starts and runs the roles of a process, all those of a run
// ([Cluster]) or a single one ([Process]): see [node.start] and [working.run].
type role struct {
	// lease names a role that a run has once; "" if it may have several.
	lease string
	// make makes the role, once this process holds the leases of all its roles; nil if there is nothing to make.
	make func(ctx context.Context) error
	// healthy returns what keeps the role from its work; nil for roles that answer, whatever happens.
	healthy func() error
	// run works until ctx ends.
	run func(ctx context.Context) error
	// trains: the role ends with the training. The others see what it leaves behind, and then end.
	trains bool
}

// runner is what a role runs.
type runner interface {
	Run(ctx context.Context) error
}

// roleOf is a role that has to be made; made, unless nil, is called with it.
func roleOf[R runner](make func(ctx context.Context) (R, error), made func(R)) role {
	var r R
	return role{
		make: func(ctx context.Context) (err error) {
			if r, err = make(ctx); err == nil && made != nil {
				made(r)
			}
			return err
		},
		run: func(ctx context.Context) error { return r.Run(ctx) },
	}
}

// working are the roles of a process that have been made.
type working struct {
	roles  []role
	leases []*lease.Lease
}

// start takes the leases of the roles, or none, and makes the roles in their order. A fresh run must be unknown to the
// broker.
func (s *node) start(ctx context.Context, fresh bool, roles ...role) (*working, error) {
	w := &working{roles: roles}
	if err := w.start(ctx, s, fresh); err != nil {
		w.release()
		return nil, err
	}
	s.watchHealth(w.healthy)
	return w, nil
}

func (w *working) start(ctx context.Context, s *node, fresh bool) error {
	for _, r := range w.roles {
		if r.lease == "" {
			continue
		}
		l, err := lease.Acquire(ctx, s.bus.Roles(), r.lease, processID(r.lease), s.log)
		if err != nil {
			return err
		}
		w.leases = append(w.leases, l)
	}
	if fresh {
		if err := s.checkUnknown(ctx); err != nil {
			return err
		}
	}
	for _, r := range w.roles {
		if r.make == nil {
			continue
		}
		if err := r.make(ctx); err != nil {
			return err
		}
	}
	return nil
}

// work starts roles of a run that is there, and has them work until ctx ends.
func (s *node) work(ctx context.Context, roles ...role) error {
	w, err := s.start(ctx, false, roles...)
	if err != nil {
		return stopped(ctx, err)
	}
	defer w.release()
	return w.run(ctx, nil, nil)
}

// healthy returns what keeps the first of the roles that has something from its work.
func (w *working) healthy() (err error) {
	for _, r := range w.roles {
		if r.healthy != nil {
			err = cmp.Or(err, r.healthy())
		}
	}
	return err
}

// run has the roles work until ctx ends, one of them fails or a lease is lost. trained, unless nil, waits for an
// earlier end of the training and reports whether it has come. Those that train end first. After an end of the
// training, but not of ctx, last, unless nil, is done while the other roles still work.
func (w *working) run(
	ctx context.Context, trained func(all context.Context) bool, last func(all context.Context) error,
) error {
	all, stopAll := context.WithCancel(context.WithoutCancel(ctx))
	defer stopAll()
	group, all := errgroup.WithContext(all)
	training, stopTraining := context.WithCancel(all)
	defer stopTraining()
	var trainers sync.WaitGroup
	for _, r := range w.roles {
		switch {
		case r.run == nil:
		case r.trains:
			trainers.Add(1)
			group.Go(func() error { defer trainers.Done(); return guarded(training, r.run) })
		default:
			group.Go(func() error { return guarded(all, r.run) })
		}
	}
	for _, l := range w.leases {
		group.Go(func() error { return l.Wait(all) })
	}
	group.Go(func() error {
		defer stopAll()
		if trained == nil {
			trained = func(all context.Context) bool { wait(ctx, all); return false }
		}
		over := trained(all)
		stopTraining()
		trainers.Wait()
		if !over || last == nil {
			return nil
		}
		return last(all)
	})
	return group.Wait()
}

// wait waits until one of two contexts ends.
func wait(a, b context.Context) {
	select {
	case <-a.Done():
	case <-b.Done():
	}
}

// release gives the leases to the next process.
func (w *working) release() {
	for _, l := range w.leases {
		l.Release()
	}
}

// guarded runs a role, which ends with an error where a game refuses what it has offered.
func guarded(ctx context.Context, run func(context.Context) error) (err error) {
	defer engine.Recover(&err)
	return run(ctx)
}
