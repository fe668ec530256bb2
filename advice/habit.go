package advice

import (
	"fmt"

	"croupier/engine"
	"croupier/policy"
)

const (
	// oddity is the total probability of the agent's least likely actions that count as ones it
	// would not take.
	oddity = 0.05
	// draws is how often an agent that does not give its probabilities is asked what it takes.
	draws = 200
)

// frequencies returns how often the agent takes each legal action in the position. Asked must be
// new.
func (q Question) frequencies(agent Agent, asked policy.Stochastic) ([]float64, error) {
	asked.Reset()
	if err := q.recall(agent, asked); err != nil {
		return nil, err
	}
	legal := q.State.LegalActions(nil)
	odds := make([]float64, len(legal))
	asked.Distribution(q.State, legal, odds)
	return odds, nil
}

// recall shows an agent with a memory the decisions of the seat so far, where they are known.
func (q Question) recall(agent Agent, asked policy.Stochastic) error {
	if !agent.Recurrent {
		return nil
	}
	s, seat := q.Game.NewState(), q.State.Player()
	odds := make([]float64, q.Game.Spec().Actions)
	for _, step := range q.past() {
		if s.Player() == seat {
			legal := s.LegalActions(nil)
			asked.Distribution(s, legal, odds[:len(legal)])
		}
		if err := s.Apply(step); err != nil {
			return fmt.Errorf("the past of the position: %w", err)
		}
	}
	return nil
}

// odd reports whether the agent would not do what was done: it takes this action or a less likely
// one in at most 5 % of cases. So an agent finds at most 5 % of its own actions odd, whatever it
// plays, and one that always does the same none.
func (q Question) odd(agent Agent, taken int) (bool, error) {
	legal := q.State.LegalActions(nil)
	odds, err := q.habits(agent, legal, draws, 1)
	if err != nil {
		return false, err
	}
	own := 0.0
	for i, action := range legal {
		if action == taken {
			own = odds[i]
		}
	}
	tail := 0.0
	for _, p := range odds {
		if p <= own+same {
			tail += p
		}
	}
	return tail <= oddity, nil
}

// habits returns the agent's probabilities. One that does not give them is asked that many times; also
// once is right on average.
func (q Question) habits(agent Agent, legal []int, times int, seed uint64) ([]float64, error) {
	asked := agent.New()
	if p, ok := asked.(policy.Stochastic); ok {
		return q.frequencies(agent, p)
	}
	if _, ok := asked.(policy.Valuer); ok {
		times = 1 // it takes what it values most
	}
	odds, rng := make([]float64, len(legal)), engine.NewRNG(seed, engine.ActionStream)
	for range times {
		asked.Reset()
		chosen := asked.Choose(q.State, legal, rng)
		for i, action := range legal {
			if action == chosen {
				odds[i] += 1 / float64(times)
			}
		}
	}
	return odds, nil
}
