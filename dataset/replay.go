package dataset

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"croupier/archive"
	"croupier/catalog"
	"croupier/engine"
	"croupier/messages"
	"croupier/policy"
)

// errOtherRules: a game is played by other rules than those of the file.
var errOtherRules = errors.New("other rules")

// replayer replays games. It belongs to one goroutine.
type replayer struct {
	games       *catalog.Catalog
	game        engine.Game
	hash        string          // of the rules, hex
	rules       json.RawMessage // as the last game with the rules had them
	state       engine.State
	returns     []float64 // of the game that was checked
	legal       []int
	chances     []float64
	observation []float32
}

func newReplayer(games *catalog.Catalog, game engine.Game) *replayer {
	spec, hash := game.Spec(), engine.RulesHash(game)
	return &replayer{
		games: games,
		game:  game, hash: hex.EncodeToString(hash[:]), state: game.NewState(), returns: make([]float64, spec.Seats),
		chances: make([]float64, spec.Actions), observation: make([]float32, spec.ObservationSize),
	}
}

// check replays a whole game and compares its end. The error is errOtherRules, or says what this program plays
// differently.
func (p *replayer) check(g *archive.Game) error {
	if err := p.compare(g); err != nil {
		return err
	}
	spec := p.game.Spec()
	if len(g.Agents) != spec.Seats || len(g.History) != g.Steps*g.Width {
		return fmt.Errorf("it has %d seats and %d bytes of history, not %d and %d", len(g.Agents), len(g.History), spec.Seats,
			g.Steps*g.Width)
	}
	p.state.Reset()
	engine.Foresee(p.state, g.Steps, func(i int) int { return messages.StepAt(g.History, g.Width, i) })
	for i := range g.Steps {
		if err := p.state.Apply(messages.StepAt(g.History, g.Width, i)); err != nil {
			return fmt.Errorf("step %d: %w", i, err)
		}
	}
	if p.state.Player() != engine.Terminal {
		return fmt.Errorf("it is not over after %d steps", g.Steps)
	}
	p.state.Returns(p.returns)
	for seat, r := range p.returns {
		if float32(r) != float32(g.Returns[seat]) {
			return fmt.Errorf("the return of seat %d is %v, %v was kept", seat+1, r, g.Returns[seat])
		}
	}
	return nil
}

// compare returns errOtherRules for a game that is not by the rules of the file.
func (p *replayer) compare(g *archive.Game) error {
	if g.Game != p.game.Spec().Name {
		return errOtherRules
	}
	if bytes.Equal(g.Rules, p.rules) {
		return nil
	}
	game, err := p.games.New(g.Game, g.Rules)
	if err != nil {
		return err
	}
	if engine.RulesHash(game) != engine.RulesHash(p.game) {
		return errOtherRules
	}
	p.rules = bytes.Clone(g.Rules)
	return nil
}

// decisions calls visit for every decision of a game that was checked, with d set to it. seats[i] gives the
// probabilities of seat i, unless it is nil.
func (p *replayer) decisions(d *decision, seats []policy.Stochastic, visit func() error) error {
	for _, s := range seats {
		if s != nil {
			s.Reset()
		}
	}
	p.state.Reset()
	d.state, d.observation = p.state, p.observation
	for i := range d.Steps {
		step := messages.StepAt(d.History, d.Width, i)
		if seat := p.state.Player(); seat != engine.Chance {
			p.legal = p.state.LegalActions(p.legal[:0])
			p.state.Observe(seat, p.observation)
			d.at, d.seat, d.action, d.legal = i, seat, step, p.legal
			d.logProb = p.logProb(seats[seat], step)
			if err := visit(); err != nil {
				return err
			}
		}
		if err := p.state.Apply(step); err != nil {
			return err
		}
	}
	return nil
}

// logProb is the log-probability of the action at the present decision, NaN where it is not known.
func (p *replayer) logProb(s policy.Stochastic, action int) float32 {
	unknown := float32(math.NaN())
	if s == nil {
		return unknown
	}
	s.Distribution(p.state, p.legal, p.chances[:len(p.legal)])
	for i, a := range p.legal {
		if a == action && p.chances[i] > 0 {
			return float32(min(0, math.Log(p.chances[i]))) // they sum to 1 but for rounding
		}
	}
	return unknown // another kernel rounds differently: it cannot have been 0
}
