// Package pig implements the dice game Pig for two seats (J. Scarne 1945; T. W. Neller and C.
// G. M. Presser, "Optimal Play of the Dice Game Pig", The UMAP Journal 25(1), 2004).
//
// In a turn a seat rolls a die as often as it likes. A 1 ends the turn and loses its points;
// any other roll adds to them. Holding ends the turn and adds its points to the seat's score. A
// seat wins by holding with a total of target or more.
//
// Rules:
//
//	target  1..10000 (100)
//
// Actions: 0 roll, 1 hold (legal also with nothing). Outcomes: die - 1. The return is
// +1 to the winner and -1 to the other. Scores are the held points.
package pig

import (
	"croupier/engine"
)

// The actions.
const (
	Roll = 0
	Hold = 1
)

const (
	seats     = 2
	faces     = 6
	maxTarget = 10000
)

// Rules are the parameters, see the package comment.
type Rules struct {
	Target int `json:"target" yaml:"target"`
}

// DefaultRules returns the rules of the published analysis.
func DefaultRules() Rules { return Rules{Target: 100} }

var ruleBook = &engine.RuleBook{
	Rules: []engine.Rule{{Key: "target", Help: "Points that win", Low: 1, High: maxTarget}},
	Presets: []engine.Preset{
		{Name: "Short", Help: "Over in a few turns", Document: "target: 50"},
	},
}

// maxHistory is where games are cut off: Pig has no last turn, since both seats may hold with
// nothing for ever. A game of random choices has about 2 steps for each point of the target;
// even seats that roll only once in a hundred decisions finish within this limit.
func (r Rules) maxHistory() int { return 2000 + 100*r.Target }

// Game is Pig under fixed rules.
type Game struct {
	rules Rules
	spec  engine.Spec
}

// New reads a rules document and returns the game.
func New(document []byte) (engine.Game, error) {
	rules := DefaultRules()
	if err := engine.ReadRules(document, &rules, ruleBook); err != nil {
		return nil, err
	}
	return &Game{
		rules: rules,
		spec: engine.Spec{
			Name:               "pig",
			Title:              "Pig",
			Rules:              ruleBook,
			Summary:            "Pig: roll for more or hold before a 1 takes the turn's points; first to the target wins",
			Seats:              seats,
			Actions:            2,
			Outcomes:           faces,
			MaxHistory:         rules.maxHistory(),
			ObservationSize:    observationSize,
			Segments:           segments,
			ActionGroups:       []engine.ActionGroup{{Name: "choice", First: Roll, Count: 2}},
			Payoff:             engine.WinLoss,
			MaxReturn:          1,
			Unit:               "wins",
			PerfectInformation: true,
			Figures:            figures,
		},
	}, nil
}

// Spec returns the game's fixed numbers.
func (g *Game) Spec() *engine.Spec { return &g.spec }

// Rules returns the Rules.
func (g *Game) Rules() any { return g.rules }

// NewState returns the initial state.
func (g *Game) NewState() engine.State {
	s := &State{game: g}
	s.Reset()
	return s
}
