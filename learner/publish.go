package learner

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"time"

	"croupier/engine"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/nn"
)

// liveObjects is how many published weights are kept: an actor that has just read
// the pointer must still find the object.
const liveObjects = 8

// sweepEvery is the time between two looks for published weights that nobody knows of: objects
// that were deleted come back when a broker is killed that has not written it down.
const sweepEvery = 10 * time.Minute

// publisher publishes weights: first an immutable object, then the pointer to it.
type publisher struct {
	bus     bus.Bus
	log     *slog.Logger
	game    engine.Game
	agent   string
	pointer slot
	live    []liveObject // oldest first
	swept   time.Time    // when live was read
}

type liveObject struct {
	name    string
	version uint64
}

// open reads what is already published and returns the pointer to the newest version, an empty
// one if there is none.
func (p *publisher) open(ctx context.Context) (*messages.Pointer, error) {
	pointer := &messages.Pointer{}
	if err := p.list(ctx); err != nil {
		return nil, err
	}
	p.pointer = slot{key: messages.PointerKey(p.agent)}
	entry, err := p.bus.State().Get(ctx, p.pointer.key)
	if errors.Is(err, bus.ErrNotFound) {
		return pointer, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read pointer: %w", err)
	}
	if err := messages.Decode(entry.Value, pointer); err != nil {
		return nil, fmt.Errorf("read pointer: %w", err)
	}
	p.pointer.revision = entry.Revision
	return pointer, nil
}

// list reads which objects of the agent there are.
func (p *publisher) list(ctx context.Context) error {
	names, err := p.bus.ListObjects(ctx)
	if err != nil {
		return fmt.Errorf("list weights: %w", err)
	}
	p.live, p.swept = p.live[:0], time.Now()
	for _, name := range names {
		if agent, version, ok := messages.ParseLiveObject(name); ok && agent == p.agent {
			p.live = append(p.live, liveObject{name, version})
		}
	}
	slices.SortFunc(p.live, func(a, b liveObject) int { return cmp.Compare(a.version, b.version) })
	return nil
}

// publish makes the network the newest version of the agent, to be used in training games
// of the given stage with the given exploration.
func (p *publisher) publish(ctx context.Context, n *nn.Network, c counters, stage uint32, exploration float64) error {
	data, err := p.encode(n, c)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(data)
	name := messages.LiveObject(p.agent, c.Version, sum)
	// The name contains the hash, so an existing object of that name is the same.
	if err := p.bus.PutObject(ctx, name, data); err != nil && !errors.Is(err, bus.ErrTaken) {
		return fmt.Errorf("publish weights: %w", err)
	}
	p.live = append(p.live, liveObject{name, c.Version})
	pointer, err := messages.Encode(&messages.Pointer{
		Schema: messages.SchemaVersion, Agent: p.agent, Version: c.Version, Object: name, Sha256: sum[:],
		Updates: c.Updates, Samples: c.Samples, Seconds: c.Seconds, Stage: stage, Exploration: exploration, Setbacks: c.Setbacks, Resets: c.Resets,
	})
	if err != nil {
		return fmt.Errorf("publish weights: %w", err)
	}
	if err := p.pointer.write(ctx, p.bus.State(), pointer); err != nil {
		return fmt.Errorf("publish weights: %w", err)
	}
	if time.Since(p.swept) >= sweepEvery {
		if err := p.list(ctx); err != nil {
			p.log.Debug("published weights not listed", "error", err)
		}
	}
	p.prune(ctx)
	return nil
}

func (p *publisher) encode(n *nn.Network, c counters) ([]byte, error) {
	file, err := nn.NewFile(n, p.game, map[string]string{
		"agent":   p.agent,
		"version": strconv.FormatUint(c.Version, 10),
		"updates": strconv.FormatUint(c.Updates, 10),
		"samples": strconv.FormatUint(c.Samples, 10),
	})
	if err != nil {
		return nil, err
	}
	return file.Encode()
}

// prune deletes all but the newest objects. It retries a failed deletion after the next
// publication.
func (p *publisher) prune(ctx context.Context) {
	for len(p.live) > liveObjects {
		err := p.bus.DeleteObject(ctx, p.live[0].name)
		if err != nil && !errors.Is(err, bus.ErrNotFound) {
			p.log.Debug("old weights not deleted", "object", p.live[0].name, "error", err)
			return
		}
		p.live = p.live[1:]
	}
}
