package solve

import (
	"encoding/binary"
	"slices"
	"sync"

	langestrasse "croupier/games/lange-strasse"
)

// tree is a turn in which throws of a set that leave the same choices are merged.
type tree struct {
	sets [][]branch
	// beyond is the chance, at the beginning of a set, of getting through the turn without a
	// strich when nothing else counts.
	beyond float32
	// fillPoints are the points that filling a set can make, ascending, in Steps.
	fillPoints []uint16
}

// branch is what can be chosen after some throws of a set. All points are in Steps.
type branch struct {
	probability float32
	strich      bool
	rolls       []uint8  // sets with which to roll on
	stops       []uint16 // set points with which the turn may end
	fills       []fill   // ways to fill the set
}

// fill is a way to fill a set: its points, and the units that a Lange Strasse wins from
// both others together.
type fill struct {
	points uint16
	units  float32
}

var sharedTree = sync.OnceValue(newTree)

func newTree() *tree {
	turn := langestrasse.NewTurn()
	t := &tree{sets: make([][]branch, turn.Sets())}
	for set := range t.sets {
		index := map[string]int{}
		for _, throw := range turn.Throws(set) {
			b, key := newBranch(turn, set, turn.Moves(set, throw.Index))
			i, ok := index[key]
			if !ok {
				i = len(t.sets[set])
				index[key] = i
				t.sets[set] = append(t.sets[set], b)
			}
			t.sets[set][i].probability += float32(throw.Probability)
			for _, f := range b.fills {
				t.fillPoints = append(t.fillPoints, f.points)
			}
		}
	}
	slices.Sort(t.fillPoints)
	t.fillPoints = slices.Compact(t.fillPoints)
	_, strich := langestrasse.TurnOptimum().Value(1<<24, langestrasse.Move{Action: langestrasse.Straight})
	t.beyond = float32(1 - strich)
	return t
}

// newBranch returns a throw's choices, and a key that is equal if they are.
func newBranch(turn langestrasse.Turn, set int, moves []langestrasse.Move) (b branch, key string) {
	b.strich = len(moves) == 0
	for _, m := range moves {
		points := m.Points / Step
		switch {
		case m.Stops():
			b.stops = append(b.stops, points)
		case m.Action == langestrasse.Straight:
			b.fills = append(b.fills, fill{points, float32(2*turn.StraightMoney(set)) / unit})
		case m.Fills():
			b.fills = append(b.fills, fill{points, 0})
		default:
			b.rolls = append(b.rolls, m.Next)
		}
	}
	slices.Sort(b.rolls)
	b.rolls = slices.Compact(b.rolls)
	slices.Sort(b.stops)
	b.stops = slices.Compact(b.stops)
	bytes := append(slices.Clone(b.rolls), 0)
	for _, points := range b.stops {
		bytes = binary.LittleEndian.AppendUint16(bytes, points)
	}
	bytes = append(bytes, 0, 0)
	for _, f := range b.fills {
		bytes = binary.LittleEndian.AppendUint16(bytes, f.points)
		bytes = append(bytes, byte(f.units))
	}
	return b, string(bytes)
}
