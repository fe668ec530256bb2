package solver

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"croupier/engine"
	"croupier/policy"
)

// ErrRepeats reports that a game can come back to a position, so that backward induction has no end to begin at.
var ErrRepeats = errors.New("a position repeats itself")

// Positions is a small game for two of perfect information, as the graph of its positions. Histories that lead to the
// same position, which have the same information key, share a node: tic-tac-toe has 549,946 nodes in its tree, but
// 5,478 positions. What an agent without memory does depends on the position alone, so that values, best responses and
// the optimum are exact by backward induction over the graph.
//
// Positions are immutable, and goroutines may share them.
type Positions struct {
	game    engine.Game
	index   map[string]int32 // key to node
	nodes   []node           // each after all that can follow it; the last is the beginning
	edges   []edge           // of a node next to each other
	payoffs []float64        // returns by leaf and seat
}

type node struct {
	player      int
	first, end  int32 // its edges; of a leaf, its payoffs
	parent, via int32 // a node before it and the step from there; -1 at the beginning
}

type edge struct {
	step, to    int32
	probability float64 // of an outcome of chance
}

// NewPositions goes through all positions of the game. It is an error if the game has more than maxNodes of them or
// histories of more than 100 steps, is not a zero-sum game for two of perfect information, or repeats a position.
func NewPositions(g engine.Game, maxNodes int) (*Positions, error) {
	if err := Fits(g.Spec()); err != nil {
		return nil, err
	}
	p := &Positions{game: g, index: map[string]int32{}}
	w := &explorer{Positions: p, limit: maxNodes}
	if !g.Spec().PerfectInformation {
		return nil, fmt.Errorf("%s: positions are of games of perfect information", g.Spec().Name)
	}
	if _, err := w.explore(g.NewState()); err != nil {
		return nil, fmt.Errorf("%s: %w", g.Spec().Name, err)
	}
	for i := range p.nodes {
		p.nodes[i].parent = -1
	}
	for i, n := range slices.Backward(p.nodes) {
		for _, e := range p.after(n) {
			if to := &p.nodes[e.to]; to.parent < 0 {
				to.parent, to.via = int32(i), e.step
			}
		}
	}
	return p, nil
}

// Nodes returns the number of positions: decisions, chance and ends.
func (p *Positions) Nodes() int { return len(p.nodes) }

// explorer finds the positions depth first.
type explorer struct {
	*Positions
	limit    int
	branches branches
	past     []int
}

// explored is the number of a node that is being explored.
const explored = -1

// explore returns the node of the current state.
func (w *explorer) explore(s engine.State) (int32, error) {
	key := positionKey(s, nil)
	if known, ok := w.index[string(key)]; ok {
		if known == explored {
			return 0, fmt.Errorf("%w after %v", ErrRepeats, w.past)
		}
		return known, w.same(known, s)
	}
	if len(w.index) == w.limit {
		return 0, fmt.Errorf("%w: the limit is %d", ErrNodes, w.limit)
	}
	w.index[string(key)] = explored
	n := node{player: s.Player()}
	if n.player == engine.Terminal {
		n.first = int32(len(w.payoffs))
		w.payoffs = append(w.payoffs, make([]float64, 2)...)
		s.Returns(w.payoffs[n.first:])
		if sum := w.payoffs[n.first] + w.payoffs[n.first+1]; math.Abs(sum) > 1e-9 {
			return 0, fmt.Errorf("its returns after %v do not sum to zero", w.past)
		}
		n.end = n.first + 2
	} else {
		edges, err := w.children(s)
		if err != nil {
			return 0, err
		}
		n.first = int32(len(w.edges))
		w.edges = append(w.edges, edges...)
		n.end = int32(len(w.edges))
	}
	number := int32(len(w.nodes))
	w.nodes, w.index[string(key)] = append(w.nodes, n), number
	return number, nil
}

// children explores what follows the current state.
func (w *explorer) children(s engine.State) ([]edge, error) {
	var edges []edge
	for _, o := range s.Outcomes(nil) {
		edges = append(edges, edge{step: int32(o.Index), probability: o.Probability})
	}
	for _, action := range s.LegalActions(nil) {
		edges = append(edges, edge{step: int32(action)})
	}
	depth, steps := len(w.past), make([]int, len(edges))
	for i, e := range edges {
		steps[i] = int(e.step)
	}
	next, err := w.branches.after(depth, s, steps)
	if err != nil {
		return nil, fmt.Errorf("after %v: %w", w.past, err)
	}
	for i, step := range steps {
		w.past = append(w.past, step)
		to, err := w.explore(next[i])
		if err != nil {
			return nil, err
		}
		w.past, edges[i].to = w.past[:depth], to
	}
	return edges, nil
}

// same checks that a state with the key of a known node is the same position.
func (w *explorer) same(known int32, s engine.State) error {
	n := w.nodes[known]
	var steps []int32
	for _, e := range w.after(n) {
		steps = append(steps, e.step)
	}
	if n.player == engine.Terminal {
		returns := make([]float64, 2)
		if s.Returns(returns); slices.Equal(returns, w.payoffs[n.first:n.end]) {
			return nil
		}
		return fmt.Errorf("after %v the information key is that of another end, with other returns", w.past)
	}
	possible := s.LegalActions(nil)
	for _, o := range s.Outcomes(nil) {
		possible = append(possible, o.Index)
	}
	if !slices.EqualFunc(steps, possible, func(a int32, b int) bool { return int(a) == b }) {
		return fmt.Errorf("after %v the information key is that of another position, with the possible steps %v",
			w.past, steps)
	}
	return nil
}

// positionKey appends what distinguishes positions.
func positionKey(s engine.State, buf []byte) []byte {
	player := s.Player()
	return s.InformationKey(max(0, player), append(buf, byte(player-engine.Terminal)))
}

// after returns the edges of a node.
func (p *Positions) after(n node) []edge {
	if n.player == engine.Terminal {
		return nil
	}
	return p.edges[n.first:n.end]
}

// history returns one history that leads to a node.
func (p *Positions) history(number int32) (steps []int) {
	for n := p.nodes[number]; n.parent >= 0; n = p.nodes[n.parent] {
		steps = append(steps, int(n.via))
	}
	slices.Reverse(steps)
	return steps
}

// fold returns by node what it is worth to seat 0, where decide says what a decision is worth by its edges.
func (p *Positions) fold(decide func(n node, edges []edge, worth []float64) float64) []float64 {
	worth := make([]float64, len(p.nodes))
	for i, n := range p.nodes {
		switch n.player {
		case engine.Terminal:
			worth[i] = p.payoffs[n.first]
		case engine.Chance:
			for _, e := range p.after(n) {
				worth[i] += e.probability * worth[e.to]
			}
		default:
			worth[i] = decide(n, p.after(n), worth)
		}
	}
	return worth
}

// best is the greatest value of a decision to the seat to move, in values to seat 0.
func best(n node, edges []edge, worth []float64) float64 {
	value := worth[edges[0].to]
	for _, e := range edges[1:] {
		if n.player == 0 {
			value = max(value, worth[e.to])
		} else {
			value = min(value, worth[e.to])
		}
	}
	return value
}

// Exploitability reads what a policy without memory does at every position of either seat and returns how much a seat
// gains on average by changing alone to its best response, in the game's unit. It is [ErrTwoAnswers] if the policy has
// a memory.
func (p *Positions) Exploitability(newPolicy func() policy.Policy) (float64, error) {
	probability, err := p.read(newPolicy)
	if err != nil {
		return 0, err
	}
	mean := func(n node, edges []edge, worth []float64) (sum float64) {
		for i, e := range edges {
			sum += probability[int(n.first)+i] * worth[e.to]
		}
		return sum
	}
	var against [2]float64 // values to seat 0 of the best response of each seat
	for seat := range against {
		worth := p.fold(func(n node, edges []edge, worth []float64) float64 {
			if n.player == seat {
				return best(n, edges, worth)
			}
			return mean(n, edges, worth)
		})
		against[seat] = worth[len(worth)-1]
	}
	// What the policies win of each other is the same for both seats but for its sign, and so is left out.
	return max(0, against[0]-against[1]) / 2, nil
}

// read returns, by edge of a decision, the probability with which the policy takes it.
func (p *Positions) read(newPolicy func() policy.Policy) ([]float64, error) {
	r, probability := NewReader(newPolicy), make([]float64, len(p.edges))
	w := visitor{Positions: p, decisions: make([][]int32, len(p.nodes)), at: func(number int32, s engine.State) error {
		n := p.nodes[number]
		if n.player == engine.Chance {
			return nil
		}
		if err := r.ReadAlone(s, s.LegalActions(nil), probability[n.first:n.end]); err != nil {
			return fmt.Errorf("solver: %s: policy of seat %d after %v: %w", p.game.Spec().Name, n.player+1, p.history(number), err)
		}
		return nil
	}}
	for i, n := range p.nodes {
		if n.parent >= 0 && n.player != engine.Terminal {
			w.decisions[n.parent] = append(w.decisions[n.parent], int32(i))
		}
	}
	return probability, w.visit(int32(len(p.nodes)-1), 0, p.game.NewState())
}

// visitor goes to each position but the ends, once.
type visitor struct {
	*Positions
	decisions [][]int32 // and nodes of chance, by the node before them
	at        func(number int32, s engine.State) error
	branches  branches
}

func (w *visitor) visit(number int32, depth int, s engine.State) error {
	if err := w.at(number, s); err != nil {
		return err
	}
	var steps []int
	for _, to := range w.decisions[number] {
		steps = append(steps, int(w.nodes[to].via))
	}
	next, err := w.branches.after(depth, s, steps)
	if err != nil {
		return fmt.Errorf("solver: after %v: %w", w.history(number), err)
	}
	for i, to := range w.decisions[number] {
		if err := w.visit(to, depth+1, next[i]); err != nil {
			return err
		}
	}
	return nil
}
