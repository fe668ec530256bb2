package solve

import (
	"croupier/engine"
	game "croupier/games/bank"
	"croupier/policy"
)

// Policy returns a policy that plays the response in its seat only. The response must have its
// tables, see [Respond].
func (r *Response) Policy() policy.Stochastic { return &responder{r} }

// responder looks one phase ahead.
type responder struct{ *Response }

func (p *responder) Reset() {}

func (p *responder) Choose(s engine.State, _ []int, _ *engine.RNG) int {
	from := s.(*game.State)
	r := p.rounds[from.Poll().Round]
	var low [2]float64
	for action := range low {
		next := *from
		err := next.Apply(action)
		if err == nil {
			var v interval
			v, err = r.phase(&next, r.kept)
			low[action] = v.low
		}
		if err != nil { // opponents that do not act alike are not the response's
			low[action] = -1
		}
	}
	if isEnough(low[game.Bank], low[game.Pass]) {
		return game.Bank
	}
	return game.Pass
}

func (p *responder) Distribution(s engine.State, legal []int, dst []float64) {
	clear(dst)
	dst[p.Choose(s, legal, nil)] = 1
}

// kept is what follows a phase according to the tables kept.
func (r *responseRound) kept(m mode, class, bank, difference int) interval {
	table := r.going[m][class-1]
	if bank >= len(table) {
		if m == mine {
			return r.after(difference + bank)
		}
		return interval{-1, 1}
	}
	return r.within(difference, func(i int) interval { return interval{low: float64(table[bank][i]), high: 1} })
}
