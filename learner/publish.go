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

// liveObjects is of how many published versions the weights are kept: an actor that has just read
// the pointer must still find the object.
const liveObjects = 8

// sweepEvery is the time between two looks for published weights that no pointer names: objects
// that were deleted come back when a broker is killed that has not written it down.
const sweepEvery = 10 * time.Minute

// publisher publishes weights: first an immutable object, then the pointer to it.
type publisher struct {
	bus     bus.Bus
	log     *slog.Logger
	game    engine.Game
	agent   string
	pointer ownKey
	live    []liveObject // oldest first
	swept   time.Time    // when live was read
}

// release is a version that is to be published.
type release struct {
	network  *nn.Network // plays training games
	averaged *nn.Network // is frozen by the league in its place; nil if no average is kept
	counters
	stage       uint32  // of the curriculum, whose games are played
	exploration float64 // in them
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
	p.pointer = ownKey{key: messages.PointerKey(p.agent)}
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

// publish makes the release the newest version of the agent.
func (p *publisher) publish(ctx context.Context, r *release) error {
	next := &messages.Pointer{
		Schema: messages.SchemaVersion, Agent: p.agent, Version: r.Version,
		Updates: r.Updates, Samples: r.Samples, Seconds: r.Seconds,
		Stage: r.stage, Exploration: r.exploration, Setbacks: r.Setbacks, Resets: r.Resets,
	}
	var err error
	if next.Object, next.Sha256, err = p.put(ctx, r.network, r.counters); err != nil {
		return err
	}
	if r.averaged != nil {
		if next.AverageObject, next.AverageSha256, err = p.put(ctx, r.averaged, r.counters); err != nil {
			return err
		}
	}
	pointer, err := messages.Encode(next)
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

// put publishes the file of a network, and returns its name and SHA-256.
func (p *publisher) put(ctx context.Context, n *nn.Network, c counters) (name string, sum []byte, err error) {
	data, err := p.encode(n, c)
	if err != nil {
		return "", nil, err
	}
	hash := sha256.Sum256(data)
	name = messages.LiveObject(p.agent, c.Version, hash)
	// The name contains the hash, so an existing object of that name is the same.
	if err := p.bus.PutObject(ctx, name, data); err != nil && !errors.Is(err, bus.ErrTaken) {
		return "", nil, fmt.Errorf("publish weights: %w", err)
	}
	p.live = append(p.live, liveObject{name, c.Version})
	return name, hash[:], nil
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

// prune deletes the objects of all but the newest versions. It retries a failed deletion after the next publication.
func (p *publisher) prune(ctx context.Context) {
	for p.versions() > liveObjects {
		err := p.bus.DeleteObject(ctx, p.live[0].name)
		if err != nil && !errors.Is(err, bus.ErrNotFound) {
			p.log.Debug("old weights not deleted", "object", p.live[0].name, "error", err)
			return
		}
		p.live = p.live[1:]
	}
}

// versions is of how many versions there are weights. A version has two objects if an average is kept.
func (p *publisher) versions() (n int) {
	for i, o := range p.live {
		if i == 0 || o.version != p.live[i-1].version {
			n++
		}
	}
	return n
}
