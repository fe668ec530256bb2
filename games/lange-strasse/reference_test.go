package langestrasse

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"croupier/engine"
)

// reference is a set as people write it down: the keep of each roll, the groups by face
// and the singles. It follows the rules word by word.
type reference struct {
	keeps   [][]uint8
	groups  map[uint8]int
	singles []uint8
}

func (r *reference) clone() *reference {
	return &reference{slices.Clone(r.keeps), maps.Clone(r.groups), slices.Clone(r.singles)}
}

// keep adds the dice, or returns false if that is not legal.
func (r *reference) keep(chosen []uint8) bool {
	r.keeps = append(r.keeps, chosen)
	for face := uint8(1); face <= 6; face++ {
		same := slices.DeleteFunc(slices.Clone(chosen), func(d uint8) bool { return d != face })
		_, grouped := r.groups[face]
		switch {
		case len(same) == 0:
		case grouped || len(same) >= 3:
			r.groups[face] += len(same)
		case face == 1 || face == 5:
			r.singles = append(r.singles, same...)
		default:
			return false
		}
	}
	return true
}

func (r *reference) score() (score int) {
	for face, size := range r.groups {
		group := int(face) * 100
		if face == 1 {
			group = 1000
		}
		for range size - 3 {
			group *= 2
		}
		score += group
	}
	for _, single := range r.singles {
		score += map[uint8]int{1: 100, 5: 50}[single]
	}
	return score
}

func (r *reference) kept() (n int) {
	for _, size := range r.groups {
		n += size
	}
	return n + len(r.singles)
}

// special returns the special action that takes the whole roll, or -1.
func (r *reference) special(rolled []uint8) int {
	together := slices.Sorted(slices.Values(append(slices.Clone(r.singles), rolled...)))
	if len(r.groups) > 0 {
		return -1
	}
	if slices.Equal(together, []uint8{1, 2, 3, 4, 5, 6}) {
		return Straight
	}
	if together[0] == together[1] && together[2] == together[3] && together[4] == together[5] &&
		together[1] != together[2] && together[3] != together[4] {
		return Talheim
	}
	return -1
}

// legal lists the actions for the sorted dice.
func (r *reference) legal(rolled []uint8) (actions []int) {
	seen := map[string]bool{}
	for mask := 1; mask < 1<<len(rolled); mask++ {
		var chosen []uint8
		for i, die := range rolled {
			if mask>>i&1 == 1 {
				chosen = append(chosen, die)
			}
		}
		after := r.clone()
		if seen[fmt.Sprint(chosen)] || !after.keep(chosen) {
			continue
		}
		seen[fmt.Sprint(chosen)] = true
		actions = append(actions, 2*mask)
		if after.score() >= 300 && after.kept() < 6 {
			actions = append(actions, 2*mask+1)
		}
	}
	if special := r.special(rolled); special >= 0 {
		actions = append(actions, special)
	}
	return actions
}

// TestTurnsFollowTheReference plays random games next to the reference: legal actions,
// points and money of every turn are the same, and so is the money of the end.
func TestTurnsFollowTheReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := engine.NewRNG(rapid.Uint64().Draw(t, "seed"), 0)
		s := newState(t)
		book := &ledger{clean: [3]bool{true, true, true}}
		for seat := 0; s.Player() != engine.Terminal; seat = (seat + 1) % 3 {
			book.turn(t, s, seat, rng)
			require.Equal(t, book.points[:], s.Scores(nil))
		}
		book.end()
		returns := make([]float64, 3)
		s.Returns(returns)
		for seat, ct := range book.money {
			require.InDelta(t, float64(ct)/100, returns[seat], 1e-12, "seat %d of %+v", seat, book)
		}
	})
}

// ledger is the result of a game, kept independently of the engine.
type ledger struct {
	turns  int
	points [3]int64
	clean  [3]bool // without a strich
	money  [3]int  // ct
}

// paid pays the seat the given amount from each of the others.
func (l *ledger) paid(seat, ct int) {
	for other := range l.money {
		if other != seat {
			l.money[other] -= ct
			l.money[seat] += ct
		}
	}
}

// turn plays one turn at random.
func (l *ledger) turn(t require.TestingT, s *State, seat int, rng *engine.RNG) {
	l.turns++
	points, set := 0, &reference{groups: map[uint8]int{}}
	for {
		require.Equal(t, engine.Chance, s.Player())
		outcome := s.SampleChance(rng)
		rolled := sortedThrows(6 - set.kept())[outcome]
		require.NoError(t, s.Apply(outcome))
		legal := set.legal(rolled)
		if len(legal) == 0 {
			l.clean[seat] = false
			if l.turns <= 3 {
				l.paid(seat, -50)
			}
			return
		}
		require.Equal(t, seat, s.Player())
		require.Equal(t, legal, s.LegalActions(nil), "%+v, rolled %v", set, rolled)
		action := legal[rng.IntN(len(legal))]
		require.NoError(t, s.Apply(action))
		switch action {
		case Talheim:
			pairs := slices.Compact(slices.Sorted(slices.Values(append(set.singles, rolled...))))
			points += 500
			if pairs[2]-pairs[0] == 2 {
				points += 500
			}
			l.points[seat] += int64(points)
			return
		case Straight:
			ct := 50
			if first := fmt.Sprint(set.keeps); first == "[[1] [5]]" || first == "[[5] [1]]" {
				ct = 100
			}
			l.paid(seat, ct)
			points += 1250
			set = &reference{groups: map[uint8]int{}}
			continue
		}
		var chosen []uint8
		for i, die := range rolled {
			if action/2>>i&1 == 1 {
				chosen = append(chosen, die)
			}
		}
		set.keep(chosen)
		if action%2 == 1 {
			l.points[seat] += int64(points + set.score())
			return
		}
		if set.kept() == 6 {
			points += set.score()
			set = &reference{groups: map[uint8]int{}}
		}
	}
}

// end pays what the table of the rules says.
func (l *ledger) end() {
	rank := []int{0, 1, 2}
	slices.SortStableFunc(rank, func(a, b int) int { return int(l.points[b] - l.points[a]) })
	winner := rank[0]
	won := l.points[winner] >= 10_000
	for place, ct := range []int{0, 50, 70} {
		l.money[rank[place]] -= ct
		l.money[winner] += ct
	}
	if l.turns <= 30 {
		l.paid(winner, 50)
	}
	for seat := range 3 {
		if l.clean[seat] {
			l.paid(seat, 50)
		}
		if won && l.points[seat] < 5000 {
			l.money[seat] -= 50
			l.money[winner] += 50
		}
	}
}

var throws = map[int][][]uint8{}

// sortedThrows lists all sorted throws of n dice in lexicographic order.
func sortedThrows(n int) [][]uint8 {
	if throws[n] == nil {
		for _, throw := range orderedThrows(n) {
			slices.Sort(throw)
			throws[n] = append(throws[n], throw)
		}
		slices.SortFunc(throws[n], slices.Compare)
		throws[n] = slices.CompactFunc(throws[n], slices.Equal)
	}
	return throws[n]
}

// orderedThrows lists the 6^n throws of n distinct dice.
func orderedThrows(n int) (all [][]uint8) {
	for i := range pow6(n) {
		throw := make([]uint8, n)
		for j := range throw {
			throw[j] = uint8(i%6 + 1)
			i /= 6
		}
		all = append(all, throw)
	}
	return all
}

func pow6(n int) int {
	p := 1
	for range n {
		p *= 6
	}
	return p
}
