package solver

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"croupier/engine"
)

// MaxNodes is a node limit for NewTree that keeps a tree below about 100 MB.
const MaxNodes = 1_000_000

// maxDepth is the longest history of a game in a tree, which keeps one history per information
// set.
const maxDepth = 100

// Tree is a small game in sequence form (von Stengel, "Efficient computation of
// behavior strategies", 1996), on flat arrays.
//
// A sequence of a seat is its own last action at one of its information sets, which under
// perfect recall stands for all its actions so far; sequence 0 is the empty one. The sequences
// of an information set are consecutive, and a set's number is larger than those of all sets of
// the seat that come before it in the game. Only the leaves are kept of the nodes: a leaf's
// worth to a seat includes the probability of chance on the way to it.
//
// A Tree is immutable, and goroutines may share it.
type Tree struct {
	game  engine.Game
	nodes int
	sides []side // by seat
	// leaves is the number of terminal nodes.
	leaves int
	chance []float64 // by leaf, the probability of chance on the way to it
}

// side is what a Tree holds of one seat.
type side struct {
	sets map[string]int32 // information key to information set
	// parent is, by information set, the seat's sequence that leads to it.
	parent []int32
	// first is, by information set, its first sequence; one more element ends the last set.
	first []int32
	// action is, by sequence, the action; element 0 is meaningless.
	action []int
	// history is, by information set, one history that leads to it.
	history [][]int
	// sequence is, by leaf, the seat's sequence that leads to it.
	sequence []int32
	// payoff is, by leaf, the seat's return times the probability of chance.
	payoff []float64
}

// Why a game's tree is not walked.
var (
	ErrNodes = errors.New("the game has too many nodes")
	ErrDepth = errors.New("its histories are too long")
	ErrSeats = errors.New("equilibria are computed in games for two seats")
)

// Fits reports why no equilibrium of a game is computed on its tree, whatever the limit of nodes; nil: perhaps one is.
func Fits(spec *engine.Spec) error {
	if spec.Seats != 2 {
		return fmt.Errorf("%s: %w: it has %d", spec.Name, ErrSeats, spec.Seats)
	}
	return fitsDepth(spec)
}

func fitsDepth(spec *engine.Spec) error {
	if spec.MaxHistory > maxDepth {
		return fmt.Errorf("%s: %w: they have up to %d steps, the limit is %d", spec.Name, ErrDepth, spec.MaxHistory, maxDepth)
	}
	return nil
}

// NewTree walks the whole game. It is an error if the game has more than maxNodes nodes or
// histories of more than 100 steps, or if a seat's information keys forget what the seat did or
// saw (perfect recall, which a perfect-information game need not have: see [Positions]).
func NewTree(g engine.Game, maxNodes int) (*Tree, error) { return walkTree(g, maxNodes, false) }

// walkTree walks the whole game; byHistory distinguishes all nodes by their histories, so that a policy with a memory
// is measured as it plays where all is seen.
func walkTree(g engine.Game, maxNodes int, byHistory bool) (*Tree, error) {
	if err := fitsDepth(g.Spec()); err != nil {
		return nil, err
	}
	t := &Tree{game: g, sides: make([]side, g.Spec().Seats)}
	for i := range t.sides {
		t.sides[i] = side{sets: map[string]int32{}, first: []int32{1}, action: []int{-1}}
	}
	w := &walker{tree: t, limit: maxNodes, byHistory: byHistory, at: make([]int32, len(t.sides)),
		returns: make([]float64, len(t.sides))}
	if err := w.walk(g.NewState(), 1); err != nil {
		return nil, fmt.Errorf("%s: %w", g.Spec().Name, err)
	}
	return t, nil
}

// Nodes returns the number of nodes walked: decisions, chance and leaves.
func (t *Tree) Nodes() int { return t.nodes }

// Leaves returns the number of terminal nodes.
func (t *Tree) Leaves() int { return t.leaves }

// InformationSets returns the number of information sets of a seat.
func (t *Tree) InformationSets(seat int) int { return len(t.sides[seat].parent) }

// sequences returns the number of the seat's sequences, including the empty one.
func (s *side) sequences() int { return len(s.action) }

// span returns the first sequence of an information set and the one after its last.
func (s *side) span(set int) (first, end int32) { return s.first[set], s.first[set+1] }

// walker builds a Tree depth first.
type walker struct {
	tree     *Tree
	limit    int
	branches branches
	history  []int   // the steps to the current state
	at       []int32 // by seat, its sequence at the current state
	returns  []float64
	key      []byte
	// byHistory: an information set is a history.
	byHistory bool
}

// walk adds the current state and everything below it; chance is the product of the
// probabilities of the outcomes on the way.
func (w *walker) walk(s engine.State, chance float64) error {
	if w.tree.nodes++; w.tree.nodes > w.limit {
		return fmt.Errorf("%w: the limit is %d", ErrNodes, w.limit)
	}
	switch seat := s.Player(); seat {
	case engine.Terminal:
		w.leaf(s, chance)
	case engine.Chance:
		return w.chance(s, chance)
	default:
		return w.decision(s, seat, chance)
	}
	return nil
}

func (w *walker) chance(s engine.State, chance float64) error {
	outcomes := s.Outcomes(nil)
	steps := make([]int, len(outcomes))
	for i, o := range outcomes {
		steps[i] = o.Index
	}
	next, err := w.after(s, steps)
	for i, child := range next {
		if err := w.step(child, steps[i], chance*outcomes[i].Probability); err != nil {
			return err
		}
	}
	return err
}

// after returns the children of the current state.
func (w *walker) after(s engine.State, steps []int) ([]engine.State, error) {
	next, err := w.branches.after(len(w.history), s, steps)
	if err != nil {
		return nil, fmt.Errorf("after %v: %w", w.history, err)
	}
	return next, nil
}

// step walks a child of the current state.
func (w *walker) step(child engine.State, step int, chance float64) error {
	w.history = append(w.history, step)
	err := w.walk(child, chance)
	w.history = w.history[:len(w.history)-1]
	return err
}

func (w *walker) leaf(s engine.State, chance float64) {
	s.Returns(w.returns)
	for i := range w.tree.sides {
		side := &w.tree.sides[i]
		side.sequence = append(side.sequence, w.at[i])
		side.payoff = append(side.payoff, chance*w.returns[i])
	}
	w.tree.chance = append(w.tree.chance, chance)
	w.tree.leaves++
}

func (w *walker) decision(s engine.State, seat int, chance float64) error {
	before := w.at[seat]
	set, err := w.informationSet(s, seat)
	if err != nil {
		return err
	}
	side := &w.tree.sides[seat]
	first, end := side.span(set)
	steps := side.action[first:end]
	next, err := w.after(s, steps)
	if err != nil {
		return err
	}
	for i, child := range next {
		w.at[seat] = first + int32(i)
		if err := w.step(child, steps[i], chance); err != nil {
			return err
		}
	}
	w.at[seat] = before
	return nil
}

// informationSet finds or adds the information set of the decision node.
func (w *walker) informationSet(s engine.State, seat int) (int, error) {
	side := &w.tree.sides[seat]
	legal := s.LegalActions(nil)
	w.key = w.key[:0]
	if w.byHistory {
		for _, step := range w.history {
			w.key = binary.AppendUvarint(w.key, uint64(step))
		}
	} else {
		w.key = s.InformationKey(seat, w.key)
	}
	if set, ok := side.sets[string(w.key)]; ok {
		first, end := side.span(int(set))
		if side.parent[set] != w.at[seat] || !slices.Equal(side.action[first:end], legal) {
			return 0, fmt.Errorf("no perfect recall: seat %d has the same information key after %v and after %v, "+
				"but not the same past actions or choices",
				seat+1, side.history[set], w.history)
		}
		return int(set), nil
	}
	set := len(side.parent)
	side.sets[string(w.key)] = int32(set)
	side.parent = append(side.parent, w.at[seat])
	side.history = append(side.history, slices.Clone(w.history))
	side.action = append(side.action, legal...)
	side.first = append(side.first, int32(len(side.action)))
	return set, nil
}
