package solve

import (
	"fmt"
	"slices"

	"croupier/engine"
	"croupier/games/banluck"
	"croupier/policy"
	"croupier/solver"
)

// SolutionOf asks a policy what it does with every hand in both seats, and returns exactly what
// that is worth and what best responses gain against it. A [policy.Stochastic] is asked for its
// distribution, any other for its choice.
//
// What the policy does must follow from what the seat sees: its hand and, for the dealer, the
// number of the player's cards. It is an error if the policy has a memory, draws at random
// without telling its probabilities, or gives numbers that are not probabilities.
func (t *HeadsUp) SolutionOf(newPolicy func() policy.Policy) (*Solution, error) {
	r := &reader{
		HeadsUp: t, Reader: solver.NewReader(newPolicy), state: t.game.NewState(),
	}
	p := t.newProfile(sizes)
	player, dealer := paths(t.players, &t.player), paths(t.dealers, &t.dealer)
	pairs := slices.DeleteFunc(slices.Clone(t.dealers), func(d banluck.Hand) bool { return d.Size() > dealt })
	for _, h := range t.PlayerHands() {
		if d, ok := t.meeting(h, pairs); ok {
			r.read(&p.Player[h], question{0, player[h], dealer[d], banluck.Hit})
		}
	}
	for k, row := range t.rows {
		for _, d := range t.DealerHands() {
			if h, ok := t.meeting(d, row); ok {
				r.read(&p.Dealer[k][d], question{1, player[h], dealer[d], banluck.Hit})
			}
		}
	}
	for i, d := range t.surrenderable {
		if h, ok := t.meeting(d, t.rows[0]); ok {
			r.read(&p.GoesOn[i], question{1, player[h], dealer[d], banluck.Continue})
		}
	}
	if r.err != nil {
		return nil, r.err
	}
	return t.solution(p), nil
}

// paths returns, by hand, an order in which a seat can get its values.
func paths(list []banluck.Hand, roles *[hands]role) (order [hands][]int) {
	for _, h := range list {
		if h.Size() == dealt {
			for value := range values {
				order[h] = append(order[h], slices.Repeat([]int{value}, h.Count(value))...)
			}
		}
		if roles[h] != choice && roles[h] != draws {
			continue
		}
		for value := range values {
			if next := h.With(value); order[next] == nil {
				order[next] = append(slices.Clone(order[h]), value)
			}
		}
	}
	return order
}

// meeting returns a hand of the other seat that the deck holds next to h. ok is false if there
// is none, as in a short deck.
func (t *HeadsUp) meeting(h banluck.Hand, others []banluck.Hand) (other banluck.Hand, ok bool) {
	i := slices.IndexFunc(others, func(other banluck.Hand) bool { return t.odds.of(h, other) > 0 })
	if i < 0 {
		return 0, false
	}
	return others[i], true
}

// question asks for the probability of an action of a seat, given the values of both seats'
// cards in the order in which they get them.
type question struct {
	seat           int
	player, dealer []int
	action         int
}

// reader asks a policy and keeps the first error.
type reader struct {
	*HeadsUp
	*solver.Reader
	state    engine.State
	legal    []int
	outcomes []engine.Outcome
	err      error
}

// read writes the answer to dst.
func (r *reader) read(dst *float64, q question) {
	if r.err != nil {
		return
	}
	if r.err = r.play(q); r.err == nil {
		*dst, r.err = r.ask(q.action)
	}
	if r.err != nil {
		r.err = fmt.Errorf("solver: banluck: what a policy does in\n%s: %w", r.state, r.err)
	}
}

// play takes the state to the decision of a question.
func (r *reader) play(q question) error {
	s := r.state
	s.Reset()
	left := slices.Concat(q.player[:dealt], q.dealer[:dealt], q.player[dealt:], q.dealer[dealt:])
	own := len(q.player) - dealt // cards that the player still draws
	for len(left) > 0 || s.Player() != q.seat {
		step := banluck.Hit
		switch r.legal = s.LegalActions(r.legal[:0]); {
		case s.Player() == engine.Chance:
			step, left = r.card(left[0]), left[1:]
		case r.legal[0] == banluck.Surrender:
			step = banluck.Continue
		case s.Player() == 0 && own == 0:
			step = banluck.Stand
		case s.Player() == 0:
			own--
		}
		if err := s.Apply(step); err != nil {
			return err
		}
	}
	return nil
}

// card returns a card of the value that is in the deck.
func (r *reader) card(value int) int {
	r.outcomes = r.state.Outcomes(r.outcomes[:0])
	i := slices.IndexFunc(r.outcomes, func(o engine.Outcome) bool { return banluck.CardValue(o.Index) == value })
	return r.outcomes[i].Index
}

// ask returns the probability of an action in the state.
func (r *reader) ask(action int) (float64, error) {
	r.legal = r.state.LegalActions(r.legal[:0])
	answer := make([]float64, len(r.legal))
	if err := r.ReadAlone(r.state, r.legal, answer); err != nil {
		return 0, err
	}
	return answer[slices.Index(r.legal, action)], nil
}
