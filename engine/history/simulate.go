package history

import (
	"encoding/json"
	"fmt"

	"croupier/engine"
)

// Simulator plays games from seeds. It belongs to one goroutine.
type Simulator struct {
	spec  *engine.Spec
	rules json.RawMessage
	play  engine.Play
	// players, and their streams of the game's seed, by seat.
	players []engine.Bot
	actions []engine.RNG
}

// NewSimulator returns a Simulator of the game.
func NewSimulator(g engine.Game) (*Simulator, error) {
	rules, err := json.Marshal(g.Rules())
	if err != nil {
		return nil, fmt.Errorf("rules of %s: %w", g.Spec().Name, err)
	}
	spec := g.Spec()
	m := &Simulator{spec: spec, rules: rules, actions: make([]engine.RNG, spec.Seats)}
	m.play = engine.Play{State: g.NewState(), Chance: &engine.RNG{}, Choose: m.choose}
	return m, nil
}

// Play plays the game of the seed to its end and writes it to rec, whose History is reused.
// players[i] chooses for seat i. Chance comes from the seed's engine.ChanceStream, the choices
// of seat i from engine.ActionStream + i. A game that is not over after Spec.MaxHistory steps,
// or a player that chooses an illegal action, is an error.
func (m *Simulator) Play(seed uint64, players []engine.Bot, rec *Record) error {
	*rec = Record{
		Game:    m.spec.Name,
		Rules:   m.rules,
		Seed:    &seed,
		History: rec.History[:0],
		Returns: make([]float64, m.spec.Seats),
	}
	m.players = players
	m.play.Chance.Seed(seed, engine.ChanceStream)
	for seat := range m.actions {
		m.actions[seat].Seed(seed, engine.ActionStream+uint64(seat))
	}
	s := m.play.State
	s.Reset()
	for s.Player() != engine.Terminal {
		if len(rec.History) >= m.spec.MaxHistory {
			return fmt.Errorf("%s: the game of seed %d is not over after %d steps", m.spec.Name, seed, m.spec.MaxHistory)
		}
		step, err := m.play.Step()
		if err != nil {
			return fmt.Errorf("%s: game of seed %d, step %d: %w", m.spec.Name, seed, len(rec.History), err)
		}
		rec.History = append(rec.History, step)
	}
	recordedReturns(m.spec, s, rec.Returns)
	rec.Scores = s.Scores([]int64{})
	return nil
}

func (m *Simulator) choose(seat int, legal []int) int {
	return m.players[seat].Choose(m.play.State, legal, &m.actions[seat])
}
