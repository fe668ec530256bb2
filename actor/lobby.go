package actor

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"

	"croupier/engine"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/policy"
)

// maxFrozen bounds the frozen networks kept in memory between matches.
const maxFrozen = 32

// lobby keeps up with what the learner and the league say: the newest weights of
// the learning agent, the matchmaking table, and the players of matches by name.
// Workers read the present state without locks.
type lobby struct {
	bus     bus.Bus
	resolve Resolver
	log     *slog.Logger
	metrics *metrics

	learner atomic.Pointer[Player]   // nil until the first weights are here
	pairing atomic.Pointer[pairings] // nil until the league has spoken

	mu     sync.Mutex
	cache  map[string]*Player
	recent []string // names of cached networks, least recently used first
}

// pairings is a matchmaking table whose opponents are all at hand.
type pairings struct {
	selfPlay  float64
	opponents []*Player
	weights   []float64 // sum to 1
}

func newLobby(b bus.Bus, resolve Resolver, log *slog.Logger, m *metrics) *lobby {
	return &lobby{bus: b, resolve: resolve, log: log, metrics: m, cache: map[string]*Player{}}
}

// follow watches the learner's pointer and the matchmaking table until ctx ends.
func (l *lobby) follow(ctx context.Context, agent string) error {
	pointers, err := l.bus.State().Watch(ctx, messages.PointerKey(agent))
	if err != nil {
		return fmt.Errorf("watch weights: %w", err)
	}
	tables, err := l.bus.State().Watch(ctx, messages.MatchmakingKey)
	if err != nil {
		return fmt.Errorf("watch matchmaking: %w", err)
	}
	for pointers != nil || tables != nil {
		select {
		case e, open := <-pointers:
			if !open {
				pointers = nil
			} else if e.Value != nil {
				l.takeWeights(ctx, agent, e.Value)
			}
		case e, open := <-tables:
			if !open {
				tables = nil
			} else if e.Value != nil {
				l.takePairings(ctx, e.Value)
			}
		}
	}
	return nil
}

// takeWeights makes the pointer's weights the learning player of games that start
// from now on. Weights that cannot be had leave the ones before in place: the
// next pointer comes soon.
func (l *lobby) takeWeights(ctx context.Context, agent string, value []byte) {
	var pointer messages.Pointer
	if err := messages.Decode(value, &pointer); err != nil {
		l.log.Warn("weights pointer refused", "error", err)
		return
	}
	data, err := l.bus.GetObject(ctx, pointer.Object)
	if err != nil {
		l.log.Debug("weights not taken", "version", pointer.Version, "error", err)
		return
	}
	network, err := l.resolve.Network(data, pointer.Sha256)
	if err != nil {
		l.log.Error("weights refused", "version", pointer.Version, "error", err)
		return
	}
	l.learner.Store(&Player{
		Name: agent, Version: pointer.Version, Learning: true,
		Network: network, Exploration: min(max(pointer.Exploration, 0), 1),
	})
	l.metrics.version.Set(float64(pointer.Version))
}

// takePairings fetches the opponents of a new table and then switches to it.
func (l *lobby) takePairings(ctx context.Context, value []byte) {
	var table messages.Matchmaking
	if err := messages.Decode(value, &table); err != nil {
		l.log.Warn("matchmaking table refused", "error", err)
		return
	}
	next := &pairings{selfPlay: table.SelfPlay}
	sum := 0.0
	for _, o := range table.Opponents {
		p, err := l.player(ctx, o.Name)
		if err != nil {
			l.log.Warn("opponent left out", "agent", o.Name, "error", err)
			continue
		}
		if o.Weight > 0 {
			next.opponents = append(next.opponents, p)
			next.weights = append(next.weights, o.Weight)
			sum += o.Weight
		}
	}
	for i := range next.weights {
		next.weights[i] /= sum
	}
	l.pairing.Store(next)
}

// player finds an agent by name. One name is one Player for as long as it is cached.
func (l *lobby) player(ctx context.Context, name string) (*Player, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if p, ok := l.cache[name]; ok {
		if i := slices.Index(l.recent, name); i >= 0 {
			l.recent = append(slices.Delete(l.recent, i, i+1), name)
		}
		return p, nil
	}
	p, err := l.resolve.Player(ctx, name)
	if err != nil {
		return nil, err
	}
	l.cache[name] = p
	if p.Network != nil {
		l.recent = append(l.recent, name)
		if len(l.recent) > maxFrozen {
			delete(l.cache, l.recent[0])
			l.recent = slices.Delete(l.recent, 0, 1)
		}
	}
	return p, nil
}

// seat draws who plays a training game: the learner alone, or the learner in one
// random seat and opponents from the table in the others.
func (l *lobby) seat(seats []*Player, rng *engine.RNG) bool {
	learner := l.learner.Load()
	if learner == nil {
		return false
	}
	for i := range seats {
		seats[i] = learner
	}
	table := l.pairing.Load()
	if table == nil || len(table.opponents) == 0 || rng.Float64() < table.selfPlay {
		return true
	}
	own := rng.IntN(len(seats))
	for i := range seats {
		if i != own {
			seats[i] = table.opponents[policy.Sample(table.weights, rng)]
		}
	}
	return true
}
