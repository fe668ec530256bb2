// Package presence is the heartbeat by which the processes of a run know of each other: a
// messages.Status under the process's key in the bucket of roles, put there once in a
// Period. A process that puts nothing for a Lifetime is gone: the broker lets the value expire, and
// watchers of the bucket learn of it.
//
// A beat that fails is not repeated: the next one says more.
package presence

import (
	"context"
	"fmt"
	"maps"
	"math"
	"strings"
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

// Heartbeat is what a process says of itself: as it is sent, as [Read] finds it, and as JSON. A new field is packed in
// pack and read in Read.
type Heartbeat struct {
	Role    string             `json:"role"`            // messages.ActorRole, …
	ID      string             `json:"id"`              // a token that no other process of the role has
	Name    string             `json:"name,omitempty"`  // what its owner calls it; "" for nothing
	Agent   string             `json:"agent,omitempty"` // of a learner: the learning agent
	State   string             `json:"state"`           // in its own words
	Started time.Time          `json:"started"`         // by its own clock: for people, not for comparing
	Metrics string             `json:"metrics_address,omitempty"`
	Values  map[string]float64 `json:"values"` // cumulative counters and present values by name
}

// maxName is how many characters of a name are read, which anybody may have chosen.
const maxName = 64

// pack returns the message of the heartbeat.
func (h *Heartbeat) pack() *messages.Status {
	return &messages.Status{
		Schema: messages.SchemaVersion, Reads: messages.NewestSchema(), Role: h.Role, Id: h.ID, Name: h.Name, Agent: h.Agent,
		State: h.State, StartedMs: h.Started.UnixMilli(), MetricsAddress: h.Metrics, Values: h.Values,
	}
}

// Read reads a heartbeat. Its key in the bucket, not its content, says whose it is. Values that are no numbers are left
// out, and long names are cut.
func Read(key string, data []byte) (Heartbeat, error) {
	var s messages.Status
	if err := messages.Decode(data, &s); err != nil {
		return Heartbeat{}, fmt.Errorf("heartbeat %q: %w", key, err)
	}
	maps.DeleteFunc(s.Values, func(_ string, v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
	role, id, _ := strings.Cut(key, ".")
	return Heartbeat{
		Role: role, ID: id, Name: shortened(s.Name), Agent: s.Agent, State: s.State,
		Started: time.UnixMilli(s.StartedMs).UTC(), Metrics: s.MetricsAddress, Values: s.Values,
	}, nil
}

// shortened bounds a name.
func shortened(name string) string {
	name = strings.ToValidUTF8(name, "")
	if runes := []rune(name); len(runes) > maxName {
		return string(runes[:maxName]) + "…"
	}
	return name
}

// Process sends the heartbeats of a process.
type Process struct {
	Bucket    Bucket
	Heartbeat // what they say at all times; State and Values are those of the moment
}

// NewProcess is a process that starts now. It serves /metrics at that address; "": nowhere.
func NewProcess(bucket Bucket, role, id, metrics string) Process {
	return Process{Bucket: bucket, Heartbeat: Heartbeat{Role: role, ID: id, Started: time.Now(), Metrics: metrics}}
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
	h := p.Heartbeat
	h.State, h.Values = s.Words, s.Values
	data, err := messages.Encode(h.pack())
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
// says what state returns, which may be slow: it is asked in between. failed gets
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
