package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"croupier/actor"
	"croupier/engine"
	"croupier/engine/games"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/nn"
	"croupier/policy"
	"croupier/solver/langestrasse"
)

// agents finds the players of one game by name:
//
//	random             every legal action alike
//	threshold(100)     a bot of the game
//	solver:optimal     a solution of the game, where there is one
//	main@12            a frozen version of the run
//	file:PATH          an exported network, or a table that solve wrote
//	search:main@12     a network that looks ahead; also search(DEPTH):… and
//	                   search(DEPTH,SAMPLES):…
//
// It is an actor.Resolver.
type agents struct {
	game engine.Game
	// frozen returns the file of a frozen version; nil where there is no run.
	frozen func(ctx context.Context, name string) ([]byte, error)

	solutions solved
}

func newAgents(game engine.Game, frozen func(context.Context, string) ([]byte, error)) *agents {
	return &agents{game: game, frozen: frozen}
}

// fromBus reads frozen versions from a run's population.
func fromBus(b bus.Bus) func(context.Context, string) ([]byte, error) {
	return func(ctx context.Context, name string) ([]byte, error) {
		agent, number, ok := messages.ParseMemberName(name)
		if !ok {
			return nil, errors.New("it does not look like main@12")
		}
		entry, err := b.State().Get(ctx, messages.MemberKey(agent, number))
		if err != nil {
			return nil, err
		}
		var member messages.Member
		if err := messages.Decode(entry.Value, &member); err != nil {
			return nil, err
		}
		return b.GetObject(ctx, member.Object)
	}
}

// Player implements actor.Resolver.
func (a *agents) Player(ctx context.Context, name string) (*actor.Player, error) {
	p := &actor.Player{Name: name}
	var err error
	switch agentKind(name) {
	case "file":
		path := strings.TrimPrefix(name, "file:")
		var data []byte
		if data, err = os.ReadFile(path); err == nil {
			err = a.open(p, data)
		}
		if err != nil {
			err = fmt.Errorf("agent %s: %w", name, err)
		}
	case "search":
		p.NewPolicy, err = a.searching(ctx, name)
	case "solver":
		p.NewPolicy, err = a.exact(name)
	case "network":
		if a.frozen == nil {
			return nil, fmt.Errorf("agent %s: a version of a run needs --run", name)
		}
		var data []byte
		if data, err = a.frozen(ctx, name); err == nil {
			p.Network, err = a.decode(data)
		}
		if err != nil {
			err = fmt.Errorf("agent %s: %w", name, err)
		}
	default:
		p.NewPolicy, err = a.bot(name)
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

// agentKind tells from its name what an agent is: bot, solver, network, file or search.
func agentKind(name string) string {
	switch {
	case isSearch(name):
		return "search"
	case strings.HasPrefix(name, "file:"):
		return "file"
	case strings.HasPrefix(name, "solver:"):
		return "solver"
	case strings.Contains(name, "@"):
		return "network"
	}
	return "bot"
}

// ladderKind is agentKind in the words of the ladder.
func ladderKind(name string) string {
	switch kind := agentKind(name); kind {
	case "file", "search":
		return "network"
	default:
		return kind
	}
}

// open makes the player of a file: an exported network, or a table of a solver.
func (a *agents) open(p *actor.Player, data []byte) (err error) {
	if langestrasse.IsTable(data) {
		p.NewPolicy, err = exactly(langestrasse.ReadPlayer(a.game, data))
		return err
	}
	p.Network, err = a.decode(data)
	return err
}

func (a *agents) bot(name string) (func() policy.Policy, error) {
	if slices.ContainsFunc(solutionsOf(a.game), func(s solution) bool { return s.agent == name }) {
		return a.exact(name)
	}
	if name == "random" {
		return func() policy.Policy { return policy.Random{} }, nil
	}
	b, err := a.game.Bot(name)
	if err != nil {
		return nil, fmt.Errorf("agent %s: %w", name, err)
	}
	return func() policy.Policy { return policy.Bot(b) }, nil
}

// exact solves the game at the first call for each solution.
func (a *agents) exact(name string) (func() policy.Policy, error) {
	factory, err := exactly(a.solutions.get(a.game, name))
	if err != nil {
		return nil, fmt.Errorf("agent %s: %w", name, err)
	}
	return factory, nil
}

// exactly returns a solver's factory as one of any players.
func exactly(factory func() policy.Stochastic, err error) (func() policy.Policy, error) {
	return func() policy.Policy { return factory() }, err
}

// Network implements actor.Resolver.
func (a *agents) Network(data, sum []byte) (*nn.Network, error) {
	if got := sha256.Sum256(data); !bytes.Equal(got[:], sum) {
		return nil, fmt.Errorf("its SHA-256 is %x, not %x", got[:8], sum)
	}
	return a.decode(data)
}

// decode reads a network file that must be for this game under these rules.
func (a *agents) decode(data []byte) (*nn.Network, error) {
	file, game, err := nn.Decode(data, games.New)
	if err != nil {
		return nil, err
	}
	if engine.RulesHash(game) != engine.RulesHash(a.game) {
		return nil, fmt.Errorf("it is for %s, not %s", describe(game), describe(a.game))
	}
	return file.Network, nil
}

// describe names a game with its rules.
func describe(g engine.Game) string {
	rules, err := json.Marshal(g.Rules())
	if err != nil || string(rules) == "{}" {
		return g.Spec().Name
	}
	return g.Spec().Name + " " + string(rules)
}

// references are the fixed agents on every ladder of the game: random, the game's
// bots and its solutions.
func references(game engine.Game) []string {
	names := append([]string{"random"}, game.ReferenceBots()...)
	for _, s := range solutionsOf(game) {
		if s.reference {
			names = append(names, s.agent)
		}
	}
	return names
}
