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
	stages  int                      // of the curriculum

	mu     sync.Mutex
	cache  map[string]*Player
	recent []string // names of cached networks, least recently used first
}

// pairings is a matchmaking table whose opponents are all at hand.
type pairings struct {
	selfPlay float64
	all      opponents
	networks opponents // those of them that are networks
}

// opponents are players with weights.
type opponents struct {
	players []*Player
	weights []float64 // sum to 1
}

func (o *opponents) add(p *Player, weight float64) {
	o.players, o.weights = append(o.players, p), append(o.weights, weight)
}

func (o *opponents) normalise() {
	sum := 0.0
	for _, w := range o.weights {
		sum += w
	}
	for i := range o.weights {
		o.weights[i] /= sum
	}
}

func newLobby(b bus.Bus, resolve Resolver, stages int, log *slog.Logger, m *metrics) *lobby {
	return &lobby{bus: b, resolve: resolve, stages: stages, log: log, metrics: m, cache: map[string]*Player{}}
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
	if int(pointer.Stage) > l.stages {
		l.log.Error("weights refused: no such stage here", "version", pointer.Version, "stage", pointer.Stage, "stages", l.stages)
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
		Name: agent, Version: pointer.Version, Stage: int(pointer.Stage), Learning: true,
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
	for _, o := range table.Opponents {
		p, err := l.player(ctx, o.Name)
		if err != nil {
			l.log.Warn("opponent left out", "agent", o.Name, "error", err)
			continue
		}
		if o.Weight > 0 {
			next.all.add(p, o.Weight)
			if p.Network != nil {
				next.networks.add(p, o.Weight)
			}
		}
	}
	next.all.normalise()
	next.networks.normalise()
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

// seat draws who plays a training game of the learner's stage: the learner alone, or
// the learner in one random seat and opponents from the table in the others. Bots and
// solvers are made for the run's own game and stay away from those of a curriculum.
func (l *lobby) seat(learner *Player, seats []*Player, rng *engine.RNG) {
	for i := range seats {
		seats[i] = learner
	}
	table := l.pairing.Load()
	if table == nil {
		return
	}
	from := &table.all
	if learner.Stage > 0 {
		from = &table.networks
	}
	if len(from.players) == 0 || rng.Float64() < table.selfPlay {
		return
	}
	own := rng.IntN(len(seats))
	for i := range seats {
		if i != own {
			seats[i] = from.players[policy.Sample(from.weights, rng)]
		}
	}
}
