package actor

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/singleflight"

	"croupier/engine"
	"croupier/engine/family"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/nn"
	"croupier/player"
	"croupier/policy"
)

// maxFrozen bounds the frozen networks kept in memory between matches.
const maxFrozen = 32

// maxLoads bounds the opponents that are loaded at the same time: some of them can be
// solvers, which take minutes.
const maxLoads = 8

// policyPool keeps up with what the learner and the league say: the newest weights of
// the learning agent, the matchmaking table, and the players of matches by name.
// Workers read the present state without locks. Loading a player can take minutes
// (a solver solves its game); a caller that needs another one does not wait for it.
type policyPool struct {
	bus     bus.Bus
	resolve player.Resolver
	agent   string // the learning agent
	log     *slog.Logger
	metrics *metrics

	learner atomic.Pointer[player.Player] // nil until the first weights are here
	pairing atomic.Pointer[pairings]      // nil until the league has spoken
	stages  int                           // of the curriculum
	family  *family.Game                  // of the training games; nil: they are at one table

	loads   singleflight.Group // of players, by name
	running sync.WaitGroup     // goroutines that wait for one
	slots   chan struct{}      // a slot for each opponent that is being loaded

	// mu is never held while anything is loaded.
	mu     sync.Mutex
	cache  map[string]*player.Player
	recent []string                  // names of cached networks, least recently used first
	table  *messages.Matchmaking     // the newest
	seated map[string]*player.Player // its opponents that are at hand
	wanted map[string]bool           // opponents that are being loaded
}

// pairings is a matchmaking table, without the opponents that are not at hand.
type pairings struct {
	selfPlay float64
	all      opponents
	networks opponents // those of them that are networks
}

// opponents are players with weights.
type opponents struct {
	players []*player.Player
	weights []float64 // sum to 1
}

func (o *opponents) add(p *player.Player, weight float64) {
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

func newPolicyPool(b bus.Bus, resolve player.Resolver, agent string, stages int, log *slog.Logger,
	m *metrics) *policyPool {
	return &policyPool{
		bus: b, resolve: resolve, agent: agent, stages: stages, log: log, metrics: m, slots: make(chan struct{}, maxLoads),
		cache: map[string]*player.Player{}, seated: map[string]*player.Player{}, wanted: map[string]bool{},
	}
}

// follow watches the learner's pointer and the matchmaking table until ctx ends.
func (l *policyPool) follow(ctx context.Context) error {
	pointers, err := l.bus.State().Watch(ctx, messages.PointerKey(l.agent))
	if err != nil {
		return fmt.Errorf("watch weights: %w", err)
	}
	tables, err := l.bus.State().Watch(ctx, messages.MatchmakingKey(l.agent))
	if err != nil {
		return fmt.Errorf("watch matchmaking: %w", err)
	}
	for pointers != nil || tables != nil {
		select {
		case e, open := <-pointers:
			if !open {
				pointers = nil
			} else if e.Value != nil {
				l.takeWeights(ctx, e.Value)
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
func (l *policyPool) takeWeights(ctx context.Context, value []byte) {
	var pointer messages.Pointer
	if err := messages.Decode(value, &pointer); err != nil {
		l.log.Warn("weights pointer refused", "error", err)
		return
	}
	if int(pointer.Stage) > l.stages {
		l.log.Error("weights refused: no such stage here", "version", pointer.Version, "stage", pointer.Stage, "stages",
			l.stages)
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
	l.learner.Store(&player.Player{
		Name: l.agent, Version: pointer.Version, Stage: int(pointer.Stage), Learning: true,
		SHA256: pointer.Sha256, Network: network, Temperature: policy.Sampled,
		Exploration: min(max(pointer.Exploration, 0), 1),
	})
	l.metrics.version.WithLabelValues(l.agent).Set(float64(pointer.Version))
}

// takePairings takes a new table. Opponents that are not at hand are loaded and join
// it when they are here.
func (l *policyPool) takePairings(ctx context.Context, value []byte) {
	table := &messages.Matchmaking{}
	if err := messages.Decode(value, table); err != nil {
		l.log.Warn("matchmaking table refused", "error", err)
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	before := l.seated
	l.table, l.seated = table, map[string]*player.Player{}
	for _, o := range table.Opponents {
		p := before[o.Name]
		if p == nil {
			p = l.cached(o.Name)
		}
		switch {
		case !(o.Weight > 0):
		case p != nil:
			l.seated[o.Name] = p
		case !l.wanted[o.Name]:
			l.wanted[o.Name] = true
			l.running.Go(func() { l.invite(ctx, o.Name) })
		}
	}
	l.arrange()
}

// invite loads an opponent and seats it, if the newest table still has it.
func (l *policyPool) invite(ctx context.Context, name string) {
	var p *player.Player
	var err error
	select {
	case l.slots <- struct{}{}:
		p, err = l.player(ctx, name)
		<-l.slots
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil && ctx.Err() == nil {
		l.log.Warn("opponent left out", "agent", name, "error", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.wanted, name)
	named := func(o *messages.Opponent) bool { return o.Name == name && o.Weight > 0 }
	if err == nil && slices.ContainsFunc(l.table.Opponents, named) {
		l.seated[name] = p
		l.arrange()
	}
}

// arrange makes the newest table, with those of its opponents that are seated, the one
// by which workers draw. The caller holds mu.
func (l *policyPool) arrange() {
	next := &pairings{selfPlay: l.table.SelfPlay}
	for _, o := range l.table.Opponents {
		p := l.seated[o.Name]
		if p == nil {
			continue
		}
		next.all.add(p, o.Weight)
		if p.Network != nil && l.sees(p.Network) {
			next.networks.add(p, o.Weight)
		}
	}
	next.all.normalise()
	next.networks.normalise()
	l.pairing.Store(next)
}

// abandonedError ends a load whose caller has gone.
type abandonedError struct{ error }

// player finds an agent by name. One name is one Player for as long as it is cached;
// several that ask for it at the same time share one load. An error is not kept: the
// next call tries again. It returns as soon as ctx ends.
func (l *policyPool) player(ctx context.Context, name string) (*player.Player, error) {
	for {
		loaded := make(chan singleflight.Result, 1)
		l.running.Go(func() {
			p, err, shared := l.loads.Do(name, func() (any, error) { return l.load(ctx, name) })
			loaded <- singleflight.Result{Val: p, Err: err, Shared: shared}
		})
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case r := <-loaded:
			var abandoned abandonedError
			switch {
			case errors.As(r.Err, &abandoned) && ctx.Err() == nil:
				continue // the caller that asked first has gone, this caller has not
			case r.Err != nil:
				return nil, r.Err
			}
			return r.Val.(*player.Player), nil
		}
	}
}

// load returns the player from the cache, or finds it and caches it.
func (l *policyPool) load(ctx context.Context, name string) (*player.Player, error) {
	if p := l.known(name); p != nil {
		return p, nil
	}
	p, err := l.resolve.Player(ctx, name)
	if err != nil {
		if ctx.Err() != nil {
			err = abandonedError{err}
		}
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
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

// known returns the player if it is cached, else nil.
func (l *policyPool) known(name string) *player.Player {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.cached(name)
}

// cached is known for a caller that holds mu.
func (l *policyPool) cached(name string) *player.Player {
	p := l.cache[name]
	if i := slices.Index(l.recent, name); p != nil && i >= 0 {
		l.recent = append(slices.Delete(l.recent, i, i+1), name)
	}
	return p
}

// close waits for what is being loaded, whose contexts have ended.
func (l *policyPool) close() { l.running.Wait() }

// sees reports whether a network sees what the learner sees in training games.
func (l *policyPool) sees(n *nn.Network) bool {
	if l.family == nil {
		return true
	}
	own, isFamily := n.Game(nil).(*family.Game)
	return isFamily && engine.RulesHash(own) == engine.RulesHash(l.family)
}

// seat draws who plays a training game of the learner's stage: the learner alone, or
// the learner in one random seat and opponents from the table in the others. Bots and
// solvers are made for the run's own game and stay away from those of a curriculum, and from families of tables. At a
// table the first seats are present, and the learner stands for the others.
func (l *policyPool) seat(learner *player.Player, seats []*player.Player, present int, rng *engine.RNG) {
	for i := range seats {
		seats[i] = learner
	}
	table := l.pairing.Load()
	if table == nil {
		return
	}
	from := &table.all
	if learner.Stage > 0 || l.family != nil {
		from = &table.networks
	}
	if len(from.players) == 0 || rng.Float64() < table.selfPlay {
		return
	}
	own := rng.IntN(present)
	for i := range present {
		if i != own {
			seats[i] = from.players[policy.Sample(from.weights, rng)]
		}
	}
}
