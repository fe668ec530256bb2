// Package presence is the heartbeat by which the processes of a run know of each other: a
// messages.Status under the process's key in the bucket of roles, put there once in a
// Period. Who puts nothing for a Lifetime is gone: the broker lets the value expire, and
// whoever watches the bucket is told.
//
// A beat that fails is not repeated: the next one says more.
package presence

import (
	"context"
	"fmt"
	"time"

	"croupier/messages"
)

const (
	// Period is the time between two heartbeats of a process.
	Period = time.Second
	// Lifetime is how long a heartbeat stays, where bus.Options do not say otherwise:
	// ten may be lost before a process counts as gone.
	Lifetime = 10 * Period
)

// Bucket takes heartbeats: bus.Bus.Roles.
type Bucket interface {
	Put(ctx context.Context, key string, value []byte) (revision uint64, err error)
}

// Process is what its heartbeats say of a process at all times.
type Process struct {
	Bucket         Bucket
	Role           string // messages.ActorRole, …
	ID             string // a token that no other process of the role has
	Name           string // what its owner calls it; "" for nothing
	Agent          string // of a learner: the learning agent
	Started        time.Time
	MetricsAddress string // where /metrics is served; "" for nowhere
}

// State is what a process is doing just now: in words, and in numbers that keep their
// names.
type State struct {
	Words  string
	Values map[string]float64
}

// Beat puts one heartbeat. It waits for the broker until ctx ends, and never longer than
// a Lifetime.
func (p *Process) Beat(ctx context.Context, s State) error {
	data, err := messages.Encode(&messages.Status{
		Schema: messages.SchemaVersion, Role: p.Role, Id: p.ID, Name: p.Name, State: s.Words,
		StartedMs: p.Started.UnixMilli(), MetricsAddress: p.MetricsAddress, Values: s.Values,
		Reads: messages.SchemaVersion, Agent: p.Agent,
	})
	if err != nil {
		return fmt.Errorf("heartbeat: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, Lifetime)
	defer cancel()
	if _, err := p.Bucket.Put(ctx, messages.RoleKey(p.Role, p.ID), data); err != nil {
		return fmt.Errorf("heartbeat: %w", err)
	}
	return nil
}

// Run beats at once and then in every Period until ctx ends, which is no error. Each beat
// says what state returns, which may be slow: it is asked in between. failed is told of
// beats that were not sent.
func (p *Process) Run(ctx context.Context, state func(context.Context) State, failed func(error)) error {
	ticker := time.NewTicker(Period)
	defer ticker.Stop()
	for {
		if err := p.Beat(ctx, state(ctx)); err != nil && ctx.Err() == nil {
			failed(err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}
