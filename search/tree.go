package search

import (
	"croupier/engine"
	"croupier/policy"
)

// maxNodes bounds a tree, and with it the time of a move: once it has that many nodes, every
// further decision is a leaf.
const maxNodes = 1 << 17

// node is a position of the tree. Its value is the expected return of the searching seat. Nodes
// come after their children.
type node struct {
	player      int // seat, engine.Chance, or leaf
	first, last int // edges
	value       float64
	reach       float64 // expected visits if every action were taken: an upper bound
	margin      float64 // of sampling; margins of children count as fully correlated
}

// leaf is a player: the value of the node comes from the rules or the model.
const leaf = engine.Terminal

type edge struct {
	child       int
	probability float64
}

// tree searches one position after another, in the same memory.
type tree struct {
	game    engine.Game
	spec    *engine.Spec
	model   Model
	options Options
	seat    int // that searches

	nodes   []node
	edges   []edge
	stack   []edge         // edges of the nodes under construction
	known   map[string]int // nodes of perfect information by depth left and position
	plies   []ply
	rows    []row // of the model's next batch
	worlds  *worlds
	key     []byte
	returns []float64
}

// row is a leaf waiting for the model.
type row struct {
	node int
	sign float64 // turns the model's value into the searching seat's
}

// ply is the scratch of one level of the recursion.
type ply struct {
	state    engine.State
	legal    []int
	outcomes []engine.Outcome
	key      []byte
}

func newTree(game engine.Game, model Model, o Options) *tree {
	spec := game.Spec()
	return &tree{
		game: game, spec: spec, model: model, options: o,
		known:   map[string]int{},
		worlds:  newWorlds(game, model, o),
		returns: make([]float64, spec.Seats),
	}
}

// search writes the value of legal[i] at the decision s to dst[i], as returns.
func (t *tree) search(s engine.State, legal []int, dst []policy.Value) {
	t.seat = s.Player()
	t.nodes, t.edges, t.rows = t.nodes[:0], t.edges[:0], t.rows[:0]
	clear(t.known)
	t.key = s.InformationKey(t.seat, t.key[:0])
	t.worlds.begin(t.seat, engine.GameSeed(uint64(len(legal)), string(t.key), 0))
	for _, action := range legal {
		if t.spec.PerfectInformation {
			t.descend(s, action, 1, 0, t.options.Depth-1)
			continue
		}
		n := t.add(node{player: leaf})
		t.worlds.add(s, action, n)
		t.stack = append(t.stack, edge{n, 1})
	}
	t.ask()
	t.reach()
	t.worlds.run(t.nodes)
	t.backUp()
	for i, e := range t.stack {
		n := &t.nodes[e.child]
		dst[i] = policy.Value{Mean: n.value, Low: n.value - n.margin, High: n.value + n.margin}
	}
	t.stack = t.stack[:0]
}

// descend builds the child of s by that step, at the ply, and pushes its edge.
func (t *tree) descend(s engine.State, step int, probability float64, at, depth int) {
	child := t.state(at)
	child.CopyFrom(s)
	apply(child, step)
	t.stack = append(t.stack, edge{t.build(at, depth), probability})
}

// state returns the state of a ply for writing.
func (t *tree) state(at int) engine.State {
	if at == len(t.plies) {
		t.plies = append(t.plies, ply{state: t.game.NewState()})
	}
	return t.plies[at].state
}

func apply(s engine.State, step int) {
	if err := s.Apply(step); err != nil {
		panic("search: a legal step was refused: " + err.Error())
	}
}

// build makes the node of the ply's state, expands depth more decisions below it, and returns
// its number.
func (t *tree) build(at, depth int) int {
	p := &t.plies[at]
	p.key = p.state.InformationKey(t.seat, append(p.key[:0], byte(depth)))
	if n, ok := t.known[string(p.key)]; ok {
		return n
	}
	n := t.construct(at, depth)
	t.known[string(t.plies[at].key)] = n
	return n
}

func (t *tree) construct(at, depth int) int {
	s := t.plies[at].state
	player := s.Player()
	switch {
	case player == engine.Terminal:
		s.Returns(t.returns)
		return t.add(node{player: leaf, value: t.returns[t.seat]})
	case player == engine.Chance:
		outcomes := s.Outcomes(t.plies[at].outcomes[:0])
		t.plies[at].outcomes = outcomes
		if t.spec.Seats > 2 && !t.leadsBack(at, outcomes) {
			return t.playOn(s)
		}
		return t.branch(player, len(outcomes), func(i int) {
			t.descend(s, outcomes[i].Index, outcomes[i].Probability, at+1, depth)
		})
	}
	legal := s.LegalActions(t.plies[at].legal[:0])
	t.plies[at].legal = legal
	switch {
	case !t.worlds.tells(player):
		return t.playOn(s)
	case depth == 0 || len(t.nodes) >= maxNodes:
		return t.leaf(s, legal)
	}
	return t.branch(player, len(legal), func(i int) { t.descend(s, legal[i], 1, at+1, depth-1) })
}

func (t *tree) add(n node) int {
	t.nodes = append(t.nodes, n)
	return len(t.nodes) - 1
}

// branch makes a node with that many children, each built by descend.
func (t *tree) branch(player, children int, descend func(i int)) int {
	mark := len(t.stack)
	for i := range children {
		descend(i)
	}
	first := len(t.edges)
	t.edges = append(t.edges, t.stack[mark:]...)
	t.stack = t.stack[:mark]
	return t.add(node{player: player, first: first, last: len(t.edges)})
}

// leadsBack reports whether the first decision after the chance node of the ply is the
// searching seat's. In no game does the outcome decide whose decision comes next, but some
// outcomes end a turn.
func (t *tree) leadsBack(at int, outcomes []engine.Outcome) bool {
	child, ends := t.state(at+1), false
	for _, o := range outcomes {
		child.CopyFrom(t.plies[at].state)
		apply(child, o.Index)
		switch player := child.Player(); {
		case player >= 0:
			return player == t.seat
		case player == engine.Chance:
			ends = true
		}
	}
	return !ends
}

// playOn makes a node from which worlds are played out.
func (t *tree) playOn(s engine.State) int {
	n := t.add(node{player: leaf})
	t.worlds.add(s, asIs, n)
	return n
}

// leaf makes a node that the model judges.
func (t *tree) leaf(s engine.State, legal []int) int {
	n := t.add(node{player: leaf})
	t.model.Set(len(t.rows), s, legal)
	t.rows = append(t.rows, row{n, t.worlds.sign(s.Player())})
	if len(t.rows) == t.model.Batch() {
		t.ask()
	}
	return n
}

// ask has the model judge the waiting leaves.
func (t *tree) ask() {
	if len(t.rows) == 0 {
		return
	}
	t.model.Predict(len(t.rows))
	for i, r := range t.rows {
		t.nodes[r.node].value = r.sign * t.model.Value(i)
	}
	t.rows = t.rows[:0]
}

// reach fills in the expected visits of the nodes, parents first.
func (t *tree) reach() {
	for _, e := range t.stack {
		t.nodes[e.child].reach = 1
	}
	for i := len(t.nodes) - 1; i >= 0; i-- {
		n := &t.nodes[i]
		for _, e := range t.edges[n.first:n.last] {
			t.nodes[e.child].reach += n.reach * e.probability
		}
	}
}

// backUp fills in the values of inner nodes, children first.
func (t *tree) backUp() {
	for i := range t.nodes {
		n := &t.nodes[i]
		switch edges := t.edges[n.first:n.last]; n.player {
		case leaf:
		case engine.Chance:
			for _, e := range edges {
				child := &t.nodes[e.child]
				n.value += e.probability * child.value
				n.margin += e.probability * child.margin
			}
		default:
			best, sign := &t.nodes[edges[0].child], t.worlds.sign(n.player)
			for _, e := range edges[1:] {
				if child := &t.nodes[e.child]; sign*child.value > sign*best.value {
					best = child
				}
			}
			n.value, n.margin = best.value, best.margin
		}
	}
}
