package solve

import langestrasse "croupier/games/lange-strasse"

// The last round of a game. Once somebody has the target (or in round 200) a value needs no
// network: after the second seat's turn comes the last turn ([lastTurns]), and after the first
// seat's turn the second seat's, which is solved with the last turns as its ends.

const (
	// secondRows are the rows of the second seat's turn where it follows the first seat's.
	secondRows = 60
	// withinReach is how far, in points, the first seat may be from the target for the second seat's
	// turns to be solved: a turn that makes more is rare, and the network values what follows.
	withinReach = 4000
)

// settlesSecond reports whether the solver values the second seat's last turns by solving them.
func (t *turnSolver) settlesSecond(s *langestrasse.Standing) bool {
	away := target - s.Points[0] - int32(t.expectimax.base)*Step
	return s.Seat == 0 && (away <= withinReach || s.Final())
}

// settleSecond adds the values of the second seat's last turn to the ends of the first seat's.
// Where the first seat leads by 1,500 points or fewer they are all solved, beyond every 200 points
// and then every 1,000, with straight lines in between. A rough solver leaves out more.
func (t *turnSolver) settleSecond(s langestrasse.Standing) {
	if t.second == nil {
		t.second = &turnSolver{expectimax: newExpectimax(), evaluator: t.evaluator, rough: true}
		t.second.expectimax.rows = secondRows
	}
	settled := -1
	var last money
	end := t.expectimax.last()
	for i := range end {
		next := s
		next.EndTurn(int32(t.expectimax.base+i)*Step, false)
		lead := int(next.Points[0]-max(next.Points[1], next.Points[2])) / Step
		if !next.Final() || settled >= 0 && !t.solvesLead(lead) && i < end-1 {
			continue
		}
		m := t.second.solve(next, 0).values[0][0].of(next.Seat)
		if settled < 0 {
			settled, last = i-1, m
		}
		for j := settled + 1; j <= i; j++ {
			share := float32(j-settled) / float32(i-settled)
			for seat := range m {
				t.pending[j].paid[seat] += last[seat] + share*(m[seat]-last[seat])
			}
		}
		settled, last = i, m
	}
	if s.Final() {
		next := s
		next.EndTurn(0, true)
		t.pending[ends].paid.add(t.second.solve(next, 0).values[0][0].of(next.Seat))
	}
}

// solvesLead reports whether the second seat's turn is solved at a lead of that many steps.
func (t *turnSolver) solvesLead(steps int) bool {
	near, middle, far := 1, 4, 20
	if t.rough {
		near, middle, far = 3, 10, 40
	}
	return steps <= 30 && steps%near == 0 || steps <= 80 && steps%middle == 0 || steps%far == 0
}
