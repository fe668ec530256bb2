package described

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"croupier/engine"
)

// weightLimit bounds the sum of the weights of outcomes, exclusive.
const weightLimit = 1 << 32

// Node is what a state keeps of its position: what the last step has reported of it.
type Node struct {
	game    *Game
	limit   int // steps are below it
	player  int
	steps   []int32 // legal actions, or outcomes
	weights []uint32
	total   uint64 // of the weights
	returns []float64
	scores  []int64
	seen    [][]byte // what each seat has seen, where information is hidden
	history []int32
}

// NewNode returns a node without anything.
func (g *Game) NewNode() Node {
	n := Node{game: g, returns: make([]float64, g.spec.Seats)}
	if g.Description.Scores {
		n.scores = make([]int64, g.spec.Seats)
	}
	if g.Description.HiddenInformation {
		n.seen = make([][]byte, g.spec.Seats)
	}
	return n
}

// CopyNode makes the node equal to another of the game.
func (n *Node) CopyNode(o *Node) {
	n.limit, n.player, n.total = o.limit, o.player, o.total
	n.steps, n.weights = append(n.steps[:0], o.steps...), append(n.weights[:0], o.weights...)
	n.history = append(n.history[:0], o.history...)
	copy(n.returns, o.returns)
	copy(n.scores, o.scores)
	for seat := range n.seen {
		n.seen[seat] = append(n.seen[seat][:0], o.seen[seat]...)
	}
}

// Turn sets which seat is to move and how many steps are possible, which are then added in ascending order.
func (n *Node) Turn(player, count int) error {
	n.player, n.limit = player, n.game.spec.Actions
	n.steps, n.weights, n.total = n.steps[:0], n.weights[:0], 0
	clear(n.returns)
	switch {
	case player < engine.Terminal || player >= n.game.spec.Seats:
		return fmt.Errorf("there is no player %d", player)
	case player == engine.Terminal:
		n.limit = 0
	case player == engine.Chance:
		n.limit = n.game.spec.Outcomes
	}
	if count > n.limit || count == 0 && player != engine.Terminal {
		return fmt.Errorf("player %d has %d possible steps: there are at most %d, and at least one before the end", player,
			count, n.limit)
	}
	return nil
}

// Add adds a possible step.
func (n *Node) Add(step int32) error {
	before := int32(-1)
	if len(n.steps) > 0 {
		before = n.steps[len(n.steps)-1]
	}
	if step <= before || int(step) >= n.limit {
		return fmt.Errorf("possible step %d of player %d is %d after %d: they must ascend below %d", len(n.steps), n.player,
			step, before, n.limit)
	}
	n.steps = append(n.steps, step)
	return nil
}

// Weigh adds the weight of the next outcome. Its probability is its share of their sum.
func (n *Node) Weigh(weight uint32) error {
	if n.total += uint64(weight); weight == 0 || n.total >= weightLimit {
		return fmt.Errorf("outcome %d has the weight %d: weights must be above 0 and their sum below 2^32",
			n.steps[len(n.weights)], weight)
	}
	n.weights = append(n.weights, weight)
	return nil
}

// Result sets the return of a seat at the end.
func (n *Node) Result(seat int, v float64) error {
	if !(math.Abs(v) <= n.game.spec.MaxReturn) {
		return fmt.Errorf("the return of seat %d is %v: the description says max_return %v", seat, v, n.game.spec.MaxReturn)
	}
	n.returns[seat] = v
	return nil
}

// Settled reports whether the returns sum to 0.
func (n *Node) Settled() error {
	sum := 0.0
	for _, v := range n.returns {
		sum += v
	}
	if math.Abs(sum) > 1e-9 {
		return fmt.Errorf("the returns %v do not sum to 0", n.returns)
	}
	return nil
}

// Points returns the scores, to be written; nil where the game has none.
func (n *Node) Points() []int64 { return n.scores }

// Hides reports whether a seat does not see all steps.
func (n *Node) Hides() bool { return n.seen != nil }

// Notice sets what a seat has seen of a step of the mover.
func (n *Node) Notice(seat, mover int, what int32) error {
	if err := n.CanSee(seat, mover, what); err != nil {
		return err
	}
	if what != engine.Unnoticed {
		n.seen[seat] = binary.AppendUvarint(append(n.seen[seat], byte(mover+1)), uint64(what+1))
	}
	return nil
}

// CanSee checks what a seat sees of a step of the mover.
func (n *Node) CanSee(seat, mover int, what int32) error {
	if what < engine.Unnoticed || what == engine.Unnoticed && (mover < 0 || mover == seat) {
		return fmt.Errorf("seat %d cannot see %d of a step of player %d", seat, what, mover)
	}
	if what == engine.Unnoticed && !n.game.spec.Covert {
		return fmt.Errorf("seat %d does not notice a step, but the description does not say covert", seat)
	}
	return nil
}

// Made adds a step to the history.
func (n *Node) Made(step int) { n.history = append(n.history, int32(step)) }

// History returns the steps so far. It must not be changed.
func (n *Node) History() []int32 { return n.history }

// Possible returns an *engine.IllegalError for a step that is not possible.
func (n *Node) Possible(step int) error {
	switch {
	case int(int32(step)) == step && slices.Contains(n.steps, int32(step)):
		return nil
	case n.player == engine.Terminal:
		return &engine.IllegalError{Player: n.player, Action: step, Reason: "the game is over"}
	}
	return &engine.IllegalError{Player: n.player, Action: step, Reason: fmt.Sprintf("possible are %v", n.steps)}
}

// Steps returns the possible steps. They must not be changed.
func (n *Node) Steps() []int32 { return n.steps }

// Player returns the seat to move, Chance or Terminal.
func (n *Node) Player() int { return n.player }

// LegalActions appends the legal actions of the seat to move.
func (n *Node) LegalActions(buf []int) []int {
	if n.player < 0 {
		return buf
	}
	for _, step := range n.steps {
		buf = append(buf, int(step))
	}
	return buf
}

// Outcomes appends the outcomes of a chance node.
func (n *Node) Outcomes(buf []engine.Outcome) []engine.Outcome {
	if n.player != engine.Chance {
		return buf
	}
	for i, step := range n.steps {
		buf = append(buf, engine.Outcome{Index: int(step), Probability: float64(n.weights[i]) / float64(n.total)})
	}
	return buf
}

// SampleChance draws one of as many cases as the weights have together.
func (n *Node) SampleChance(rng *engine.RNG) int {
	drawn := uint64(rng.IntN(int(n.total)))
	if n.total == uint64(len(n.steps)) {
		return int(n.steps[drawn])
	}
	for i, weight := range n.weights {
		if drawn < uint64(weight) {
			return int(n.steps[i])
		}
		drawn -= uint64(weight)
	}
	return int(n.steps[len(n.steps)-1])
}

// Key appends the position where every seat sees every step, else what the seat has seen.
func (n *Node) Key(seat int, position, buf []byte) []byte {
	if n.seen == nil {
		return append(buf, position...)
	}
	return append(buf, n.seen[seat]...)
}

// Returns writes each seat's return.
func (n *Node) Returns(dst []float64) { copy(dst, n.returns) }

// Scores appends the game's points, if it has any.
func (n *Node) Scores(buf []int64) []int64 { return append(buf, n.scores...) }

// ActionName returns the name that the game has given to an action, or that of the description.
func (n *Node) ActionName(action int, given string) string {
	if given != "" {
		return given
	}
	return n.game.actionNames[action]
}

// OutcomeName is ActionName for an outcome, which has its number where it has no name.
func (n *Node) OutcomeName(outcome int, given string) string {
	if given != "" {
		return given
	}
	if names := n.game.Description.OutcomeNames; names != nil {
		return names[outcome]
	}
	return strconv.Itoa(outcome)
}

// Position returns the position as the game writes it, or says who is to move.
func (n *Node) Position(written string) string {
	if strings.TrimSpace(written) != "" {
		return written
	}
	switch n.player {
	case engine.Terminal:
		return fmt.Sprintf("The game is over, with the returns %v", n.returns)
	case engine.Chance:
		return "Chance is to move"
	}
	return fmt.Sprintf("Seat %d is to move", n.player+1)
}
