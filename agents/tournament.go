package agents

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"google.golang.org/protobuf/proto"

	"croupier/actor"
	"croupier/engine"
	"croupier/league/tournament"
	"croupier/messages"
	"croupier/player"
	"croupier/policy"
)

// matchTables is how many games of a match are played at the same time.
const matchTables = 64

// PlayMatch plays a match and returns its result and the games that are kept of it.
type PlayMatch func(context.Context, *messages.Match) (*messages.Result, []*messages.Kept, error)

// Tournament is a tournament between agents.
type Tournament struct {
	Game    engine.Game
	Format  tournament.Format // nil: every pair meets
	Games   uint64            // of a meeting, per seating, rounded up to whole deals
	Seed    uint64            // of all deals
	Workers int               // matches played at the same time
	// Directory, unless nil, is where it is kept.
	Directory *Directory
	// Elsewhere, unless nil, has a match played by others, and returns its games as well, or none. It returns only
	// what it has checked.
	Elsewhere PlayMatch
	// Alone makes networks answer one position at a time, so that their times are known as well.
	Alone bool
	// Baseline, unless empty, is the agent whose values correct results for chance, in a game for two, without
	// Directory and Elsewhere.
	Baseline string
	// Progress, unless nil, is called after each match, by one goroutine at a time.
	Progress func(played, matches int)
}

// Thought is how much an agent has thought.
type Thought struct {
	Agent string
	Moves int64
	Time  time.Duration
}

// Play finds the named agents and plays the tournament, which fails if one of them is given up. Besides
// the ladder it returns the thinking times of all agents except plain networks, which answer many games
// at once.
func (t Tournament) Play(ctx context.Context, a *Agents, names []string) (ladder *messages.Ladder, thoughts []Thought,
	err error) {
	players, plain, watch := map[string]*player.Player{}, map[string]*player.Player{}, &stopwatch{}
	for _, name := range names {
		p, err := a.Player(ctx, name)
		if err != nil {
			return nil, nil, err
		}
		if t.Alone {
			p = &player.Player{Name: name, SHA256: p.SHA256, NewPolicy: p.Policy}
		}
		plain[name], players[name] = p, watch.watch(p)
	}
	spec := t.Game.Spec()
	event := tournament.Tournament{
		Spec: spec, RulesHash: engine.RulesHash(t.Game), Run: "arena", Agents: names, Kind: Kind, Zero: a.StrongestBot(),
		Format: t.Format, Sets: tournament.SetsFor(spec, t.Games), Workers: t.Workers, Progress: t.Progress,
	}
	play := func(ctx context.Context, m *messages.Match) (*messages.Result, []*messages.Kept, error) {
		result, err := actor.PlayMatch(ctx, t.Game, t.Seed, m, players[m.A], players[m.B], matchTables)
		return result, nil, err
	}
	store := func([]*messages.Kept) error { return nil }
	if t.Directory != nil {
		r, err := t.Directory.open(t.Game, t.head(names, players))
		if err != nil {
			return nil, nil, err
		}
		defer func() { err = errors.Join(err, r.close(err == nil)) }()
		event.Known, event.Keep, event.Show, store = r.find, r.keep, r.show, r.store
		play = func(ctx context.Context, m *messages.Match) (*messages.Result, []*messages.Kept, error) {
			return actor.PlayAndKeep(ctx, t.Game, t.Seed, m, players[m.A], players[m.B], matchTables)
		}
	}
	if t.Elsewhere != nil {
		play = t.named(players)
	}
	var correction *correction
	if t.Baseline != "" {
		if correction, err = t.newCorrection(ctx, a, plain); err != nil {
			return nil, nil, err
		}
		play = func(ctx context.Context, m *messages.Match) (*messages.Result, []*messages.Kept, error) {
			result, games, err := actor.PlayAndKeep(ctx, t.Game, t.Seed, m, players[m.A], players[m.B], matchTables)
			if err == nil {
				err = correction.match(m, games)
			}
			return result, games, err
		}
	}
	ladder, err = event.Play(ctx, func(ctx context.Context, m *messages.Match) (*messages.Result, error) {
		result, games, err := play(ctx, m)
		if err == nil {
			err = store(games)
		}
		if err == nil {
			err = a.Failed()
		}
		return result, err
	})
	if err == nil && correction != nil {
		ladder.Correction = correction.results()
	}
	if err == nil && event.Show != nil {
		err = event.Show(ladder)
	}
	if err != nil {
		return nil, nil, err
	}
	return ladder, watch.thoughts(), nil
}

// named has matches played elsewhere, by agents of the same weights as these.
func (t Tournament) named(players map[string]*player.Player) PlayMatch {
	return func(ctx context.Context, m *messages.Match) (*messages.Result, []*messages.Kept, error) {
		asked := proto.CloneOf(m)
		asked.Seed, asked.ASha256, asked.BSha256 = &t.Seed, players[m.A].SHA256, players[m.B].SHA256
		result, games, err := t.Elsewhere(ctx, asked)
		if err == nil {
			result.Run, result.Match = m.Run, m
		}
		return result, games, err
	}
}

// CheckShared reports why other machines cannot have an agent: it is on one machine only.
func CheckShared(name string) error {
	_, agent, err := policy.CutTemperature(name)
	if err != nil {
		return fmt.Errorf("agent %s: %w", name, err)
	}
	switch kind := kindOf(agent); {
	case kind == "external":
		return fmt.Errorf("agent %s: external agents do not play on other machines: leave out --nats", name)
	case kind == "file", kind == "search" && strings.Contains(agent, ":file:"):
		return fmt.Errorf("agent %s: files of this machine are not sent to others: leave out --nats", name)
	}
	return nil
}

// stopwatch measures how long agents think.
type stopwatch struct{ agents []*thinking }

// thinking counts what one agent has used.
type thinking struct {
	name         string
	moves, nanos atomic.Int64
}

// watch returns the player with its policies timed.
func (w *stopwatch) watch(p *player.Player) *player.Player {
	if p.NewPolicy == nil {
		return p
	}
	t := &thinking{name: p.Name}
	w.agents = append(w.agents, t)
	watched := *p
	watched.NewPolicy = func() policy.Policy { return timed{p.NewPolicy(), t} }
	return &watched
}

func (w *stopwatch) thoughts() (list []Thought) {
	for _, a := range w.agents {
		list = append(list, Thought{a.name, a.moves.Load(), time.Duration(a.nanos.Load())})
	}
	return list
}

// timed is a policy whose choices are timed.
type timed struct {
	policy.Policy
	*thinking
}

func (t timed) Choose(s engine.State, legal []int, rng *engine.RNG) int {
	start := time.Now()
	action := t.Policy.Choose(s, legal, rng)
	t.nanos.Add(int64(time.Since(start)))
	t.moves.Add(1)
	return action
}
