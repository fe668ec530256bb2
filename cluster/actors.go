package cluster

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"croupier/internal/rundir"
	"croupier/learner"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/messages/conduct"
	"croupier/messages/presence"
)

// Actors lists the actors of the run, by name: all that play, and those of the newest workers that are gone.
func (p Process) Actors(ctx context.Context) (list []conduct.Contribution, err error) {
	err = p.visit(ctx, func(s *node) error {
		workers, _, err := ledgers(ctx, s.bus.State())
		if err == nil {
			list, err = contributions(ctx, s.bus, workers)
		}
		return err
	})
	return list, err
}

// Lift has the messages of an actor that was quarantined read again.
func (p Process) Lift(ctx context.Context, actor string) error {
	return p.visit(ctx, func(s *node) error {
		err := conduct.Lift(ctx, s.bus.State(), actor)
		if errors.Is(err, bus.ErrNotFound) {
			return fmt.Errorf("%s is not quarantined in the run %s", actor, p.Dir)
		}
		return err
	})
}

// visitTimeout bounds a visit of a broker that does not answer, or has no such run.
const visitTimeout = 15 * time.Second

// Reach returns the process with the broker that a running run names in its directory.
func (p Process) Reach() (Process, error) {
	if _, err := rundir.ReadInfo(p.Dir); err != nil {
		return p, err
	}
	r, err := rundir.ReadReach(p.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return p, fmt.Errorf("the run %s is not running: start it, or name a broker with --nats", p.Dir)
	}
	if err != nil {
		return p, err
	}
	p.Broker = Broker{URL: r.URL, Credentials: r.Credentials, CA: r.CA, Cert: r.Cert, Key: r.Key}
	return p, nil
}

// visit connects to the broker for a while.
func (p Process) visit(ctx context.Context, do func(*node) error) error {
	p.Metrics.Address = "off"
	ctx, cancel := context.WithTimeout(ctx, visitTimeout)
	defer cancel()
	err := endable(ctx, func(ctx context.Context, end func(error)) error {
		s, release, err := p.open(ctx, end, "operator", nil)
		if err != nil {
			return err
		}
		defer release()
		return do(s)
	})
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("no answer within %v: is the broker there, and does it have the run? %w", visitTimeout, err)
	}
	return err
}

// contributions returns the contributions of actors, given the accounts of their workers.
func contributions(ctx context.Context, b bus.Bus, workers []*messages.Ledger) ([]conduct.Contribution, error) {
	by := map[string]*conduct.Contribution{}
	of := func(actor string) *conduct.Contribution {
		if by[actor] == nil {
			by[actor] = &conduct.Contribution{Actor: actor}
		}
		return by[actor]
	}
	for _, l := range workers {
		of(messages.ActorOf(l.Actor)).Add(l)
	}
	err := present(ctx, b.Roles(), messages.ActorRole+".", func(id string, value []byte) {
		if h, err := presence.Read(messages.RoleKey(messages.ActorRole, id), value); err == nil {
			c := of(id)
			c.Present, c.Name = true, h.Name
		}
	})
	if err != nil {
		return nil, err
	}
	quarantined, err := conduct.List(ctx, b.State())
	for _, r := range quarantined {
		of(r.Actor).Quarantine = &r
	}
	var list []conduct.Contribution
	for _, c := range by {
		list = append(list, *c)
	}
	slices.SortFunc(list, func(a, b conduct.Contribution) int { return strings.Compare(a.Actor, b.Actor) })
	return list, err
}

// ledgers returns the learners' accounts: of each worker that plays or went not long ago, and of all others of each
// agent.
func ledgers(ctx context.Context, state bus.KV) (workers, others []*messages.Ledger, err error) {
	open, merged := map[string]map[string]*messages.Ledger{}, map[string]*messages.MergedLedgers{} // by agent
	err = present(ctx, state, messages.LedgerPrefix, func(rest string, value []byte) {
		l := &messages.Ledger{}
		worker, agent, ok := messages.ParseLedgerKey(messages.LedgerPrefix + rest)
		if !ok || messages.Decode(value, l) != nil {
			return
		}
		if open[agent] == nil {
			open[agent] = map[string]*messages.Ledger{}
		}
		open[agent][worker] = l
	})
	if err != nil {
		return nil, nil, err
	}
	if err := mergedOf(ctx, state, merged); err != nil {
		return nil, nil, err
	}
	for agent := range merged {
		if open[agent] == nil {
			open[agent] = nil
		}
	}
	for agent, ledgers := range open {
		list, sum := learner.Accounts(ledgers, merged[agent])
		workers, others = append(workers, list...), append(others, sum)
	}
	return workers, others, nil
}

// mergedOf reads the accounts of workers that are gone, by agent.
func mergedOf(ctx context.Context, state bus.KV, merged map[string]*messages.MergedLedgers) (err error) {
	own := messages.MergedKey(messages.LearningAgent)
	add := func(agent string, value []byte) {
		f := &messages.MergedLedgers{}
		if bad := messages.Decode(value, f); bad != nil {
			err = fmt.Errorf("account of workers that are gone: %w", bad)
			return
		}
		merged[agent] = f
	}
	e, missing := state.Get(ctx, own)
	switch {
	case missing == nil:
		add(messages.LearningAgent, e.Value)
	case !errors.Is(missing, bus.ErrNotFound):
		return fmt.Errorf("account of workers that are gone: %w", missing)
	}
	return errors.Join(present(ctx, state, own+".", add), err)
}

// present calls do for every key with the prefix that is there now, without the prefix.
func present(ctx context.Context, kv bus.KV, prefix string, do func(key string, value []byte)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	entries, err := kv.Watch(ctx, prefix)
	if err != nil {
		return err
	}
	for e := range entries {
		if e.Key == "" {
			return nil
		}
		do(strings.TrimPrefix(e.Key, prefix), e.Value)
	}
	return errors.Join(ctx.Err(), bus.ErrClosed)
}

// awaitQuarantine fails once the run reads nothing of an actor any more.
func (s *node) awaitQuarantine(ctx context.Context, id string) error {
	entries, err := s.bus.State().Watch(ctx, messages.QuarantineKey(id))
	if err != nil {
		return stopped(ctx, err)
	}
	for e := range entries {
		if e.Value == nil {
			continue
		}
		r, err := conduct.Parse(e.Value)
		if err != nil {
			return err
		}
		return &QuarantinedError{r.Actor, r.Reason, r.Detail}
	}
	return nil
}
