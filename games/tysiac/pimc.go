package tysiac

import (
	"sync"

	"croupier/engine"
	"croupier/games/tysiac/cards"
	"croupier/games/tysiac/doubledummy"
)

// maxWorlds bounds the samples of pimc(N).
const maxWorlds = 1000

// pimc is perfect-information Monte Carlo (Ginsberg, "GIB: Imperfect Information in a
// Computationally Challenging Game", JAIR 14, 2001): it draws random deals of the hidden cards
// and solves each with open cards. Each deal votes against a move with the points that the move
// loses there to the best one, and the move with the fewest votes is played. It bids like
// heuristic.
type pimc struct {
	worlds  int
	solvers sync.Pool // of *doubledummy.Solver; the contents of their tables change no value
}

func newPIMC(worlds int) *pimc {
	return &pimc{worlds: worlds, solvers: sync.Pool{New: func() any { return doubledummy.New() }}}
}

func (b *pimc) choose(v *view, legal []int, rng *engine.RNG) int {
	if v.phase != playing {
		return heuristic(v, legal, rng)
	}
	solver := b.solvers.Get().(*doubledummy.Solver)
	defer b.solvers.Put(solver)
	var (
		against [Actions]int
		buf     [maxPlays]doubledummy.Valued
		sign    = 1 - 2*v.leads
	)
	for range b.worlds {
		p := v.open(v.otherHand(rng))
		moves := solver.Moves(&p, buf[:0])
		highest := sign * moves[0].Value
		for _, m := range moves {
			highest = max(highest, sign*m.Value)
		}
		for _, m := range moves {
			against[MoveAction(m.Move)] += highest - sign*m.Value
		}
	}
	return best(legal, func(action int) int { return -against[action] })
}

// otherHand draws what the other seat may hold: the known cards and a uniformly drawn set of
// other possible ones.
func (v *view) otherHand(rng *engine.RNG) cards.Set {
	return v.known | sample(v.possible&^v.known, v.count-v.known.Len(), rng)
}

// open returns the play if the other seat holds that hand.
func (v *view) open(other cards.Set) doubledummy.Position {
	p := doubledummy.Position{Leader: v.cards, Follower: other, Led: v.led, Trump: v.trump, Rules: v.rules.tricks()}
	if v.leads == 1 {
		p.Leader, p.Follower = p.Follower, p.Leader
	}
	return p
}
