package langestrasse

import "croupier/engine"

// tables hold everything that follows from the rules of a turn, computed once. A node is a set
// together with a roll of the remaining dice.
type tables struct {
	rolls  [dice + 1][]roll           // by number of dice and outcome
	ways   [dice + 1][]uint16         // outcomes of the 6^n ordered throws
	odds   [dice + 1][]engine.Outcome // outcomes with their probabilities
	sets   []set                      // those with fewer kept dice first
	left   []uint8                    // dice that are left, by set
	base   []uint16                   // node of outcome 0, by set
	first  []uint16                   // index of the first move, by node, and of the end
	moves  []Move                     // ascending by action within a node
	scores []uint16                   // set score, by set
	shown  [][setSize]float32         // segment of the observation, by set
	logs   [loggedPoints]float32      // by points, see State.logarithm
}

func newTables() *tables {
	t := &tables{sets: allSets()}
	for n := range t.rolls {
		t.addRolls(n)
	}
	index := make(map[set]uint8, len(t.sets))
	for i, s := range t.sets {
		index[s] = uint8(i)
		t.scores = append(t.scores, uint16(s.points()))
		t.shown = append(t.shown, s.observation())
	}
	for _, s := range t.sets {
		left := dice - s.kept()
		t.left = append(t.left, uint8(left))
		t.base = append(t.base, uint16(len(t.first)))
		for i := range t.rolls[left] {
			t.first = append(t.first, uint16(len(t.moves)))
			t.addMoves(s, &t.rolls[left][i], index)
		}
	}
	t.first = append(t.first, uint16(len(t.moves)))
	t.logs = logarithms()
	return t
}

// at returns the legal moves of a node; there are none where the roll is a strich.
func (t *tables) at(node uint16) []Move { return t.moves[t.first[node]:t.first[node+1]] }

// roll returns the dice of a node of the set.
func (t *tables) roll(set uint8, node uint16) *roll {
	return &t.rolls[t.left[set]][node-t.base[set]]
}

// addRolls lists the throws of n dice, after those of n-1.
func (t *tables) addRolls(n int) {
	if n == 0 {
		t.rolls[0], t.ways[0] = []roll{{}}, []uint16{0}
		return
	}
	index := map[counts]uint16{}
	for _, r := range t.rolls[n-1] {
		for face := max(1, r.last()); face <= dice; face++ {
			next := r.with(face)
			index[next.counts] = uint16(len(t.rolls[n]))
			t.rolls[n] = append(t.rolls[n], next)
		}
	}
	after := make([][dice]uint16, len(t.rolls[n-1])) // outcome by the next die, less 1
	for i, r := range t.rolls[n-1] {
		for die := range after[i] {
			c := r.counts
			c[die+1]++
			after[i][die] = index[c]
		}
	}
	times := make([]int, len(t.rolls[n]))
	for _, before := range t.ways[n-1] {
		t.ways[n] = append(t.ways[n], after[before][:]...)
		for _, outcome := range after[before] {
			times[outcome]++
		}
	}
	for outcome, k := range times {
		p := float64(k) / float64(len(t.ways[n]))
		t.odds[n] = append(t.odds[n], engine.Outcome{Index: outcome, Probability: p})
	}
}

// last returns the highest die, 0 when there is none.
func (r *roll) last() uint8 {
	if r.n == 0 {
		return 0
	}
	return r.dice[r.n-1]
}

// with returns the roll with one more die, which is no lower than the others.
func (r roll) with(face uint8) roll {
	r.dice[r.n] = face
	r.counts[face]++
	r.n++
	return r
}

// allSets lists the sets that are not full.
func allSets() (all []set) {
	for kept := uint8(0); kept < dice; kept++ {
		all = append(all, singles(kept, set{})...)
		for face := uint8(1); face <= dice; face++ {
			for size := uint8(3); size <= kept; size++ {
				all = append(all, singles(kept-size, set{face: face, size: size})...)
			}
		}
	}
	return all
}

// singles returns the set with every choice of that many singles next to its group.
func singles(number uint8, s set) (all []set) {
	for s.ones = 0; s.ones <= number; s.ones++ {
		s.fives = number - s.ones
		all = append(all, s)
	}
	if number == 2 && s.size == 0 {
		all = append(all, set{ones: 1, fives: 1, super: true})
	}
	return all
}

// addMoves lists the legal moves at a roll of the remaining dice of the set.
func (t *tables) addMoves(s set, r *roll, index map[set]uint8) {
	all := 1<<r.n - 1
	for mask := 1; mask <= all; mask++ {
		chosen, canonical := r.chosen(mask)
		next, points, legal := s.keep(chosen)
		if !canonical || !legal {
			continue
		}
		m := Move{Action: uint8(2 * mask), Points: uint16(points)}
		if mask == all {
			t.moves = append(t.moves, m)
			continue
		}
		m.Next = index[next]
		t.moves = append(t.moves, m)
		if points >= stopPoints {
			t.moves = append(t.moves, Move{Action: m.Action + 1, Points: m.Points})
		}
	}
	if s.straight(r) {
		t.moves = append(t.moves, Move{Action: Straight, Points: straightPoints})
	}
	if points := s.talheim(r); points > 0 {
		t.moves = append(t.moves, Move{Action: Talheim, Points: uint16(points)})
	}
}
