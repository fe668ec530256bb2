package search

import (
	"math"

	"croupier/engine"
	"croupier/internal/stat"
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
	weight      float64 // of the node's value in a value or difference at the root
	judged      bool    // the value is the model's
}

// leaf is a player: the value of the node comes from the rules, the model or worlds.
const leaf = engine.Terminal

type edge struct {
	child       int
	probability float64
}

// tree holds what is known of one position after another, in the same memory.
type tree struct {
	game  engine.Game
	spec  *engine.Spec
	model Model
	depth int
	seat  int // that searches

	roots    []int // nodes, by legal action
	nodes    []node
	edges    []edge
	stack    []edge         // edges of the nodes under construction
	known    map[string]int // nodes of perfect information by depth left and position
	plies    []ply
	rows     []row // of the model's next batch
	worlds   *worlds
	key      []byte
	returns  []float64
	perWorld []float64
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
	spec, lead := game.Spec(), 0
	if !spec.PerfectInformation {
		lead = o.Depth - 1
	}
	return &tree{
		game: game, spec: spec, model: model, depth: o.Depth,
		known:   map[string]int{},
		worlds:  newWorlds(game, model, lead, o.Samples),
		returns: make([]float64, spec.Seats),
	}
}

// plant builds the tree of the decision s, with everything in it but the worlds.
func (t *tree) plant(s engine.State, legal []int) {
	t.seat = s.Player()
	t.roots, t.nodes, t.edges, t.rows = t.roots[:0], t.nodes[:0], t.edges[:0], t.rows[:0]
	clear(t.known)
	t.key = s.InformationKey(t.seat, t.key[:0])
	t.worlds.begin(s, engine.GameSeed(uint64(len(legal)), string(t.key), 0))
	for _, action := range legal {
		if t.spec.PerfectInformation {
			t.descend(s, action, 1, 0, t.depth-1)
			t.roots = append(t.roots, t.stack[0].child)
			t.stack = t.stack[:0]
			continue
		}
		n := t.add(node{player: leaf})
		t.worlds.add(s, action, n)
		t.roots = append(t.roots, n)
	}
	t.ask()
}

// descend builds the child of s by that step, at the ply, and pushes its edge.
func (t *tree) descend(s engine.State, step int, probability float64, at, depth int) {
	child := t.state(at)
	child.CopyFrom(s)
	engine.MustApply(child, step)
	t.stack = append(t.stack, edge{t.build(at, depth), probability})
}

// state returns the state of a ply for writing.
func (t *tree) state(at int) engine.State {
	if at == len(t.plies) {
		t.plies = append(t.plies, ply{state: t.game.NewState()})
	}
	return t.plies[at].state
}

// build makes the node of the ply's state, expands depth more decisions of the turn below it, and
// returns its number.
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

// construct makes the node of the ply's state. The model is not asked where there is no choice,
// because training may have left such decisions out: worlds continue from there.
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
	ends := player != t.seat || depth == 0 || len(t.nodes) >= maxNodes
	switch {
	case ends && len(legal) > 1 && t.worlds.tells(player):
		return t.leaf(s, legal)
	case ends:
		return t.playOn(s)
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
		engine.MustApply(child, o.Index)
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
	n := t.add(node{player: leaf, judged: true})
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

// minWorlds is the number of worlds for even the most rarely reached positions.
const minWorlds = 4

// sample plays out worlds until each position that the actions lead to has that many, fewer if
// it is reached less than once, and updates the values.
func (t *tree) sample(actions []int, worlds int) {
	t.reach(actions)
	for i := range t.worlds.starts {
		if reach := t.nodes[t.worlds.starts[i].node].reach; reach > 0 {
			t.worlds.grow(i, min(max(int(math.Ceil(reach*float64(worlds))), minWorlds), worlds))
		}
	}
	t.worlds.finish()
	t.backUp()
}

// reach fills in the expected visits of the nodes after the actions, parents first.
func (t *tree) reach(actions []int) {
	for i := range t.nodes {
		t.nodes[i].reach = 0
	}
	for _, a := range actions {
		t.nodes[t.roots[a]].reach = 1
	}
	for i := len(t.nodes) - 1; i >= 0; i-- {
		n := &t.nodes[i]
		for _, e := range t.edges[n.first:n.last] {
			t.nodes[e.child].reach += n.reach * e.probability
		}
	}
}

// backUp fills in the values, children first.
func (t *tree) backUp() {
	for i := range t.worlds.starts {
		if s := &t.worlds.starts[i]; len(s.values) > 0 {
			t.nodes[s.node].value = stat.Of(s.values).Mean
		}
	}
	for i := range t.nodes {
		n := &t.nodes[i]
		switch edges := t.edges[n.first:n.last]; n.player {
		case leaf:
		case engine.Chance:
			n.value = 0
			for _, e := range edges {
				n.value += e.probability * t.nodes[e.child].value
			}
		default:
			n.value = t.nodes[t.best(edges)].value
		}
	}
}

// best returns the child with the greatest value.
func (t *tree) best(edges []edge) int {
	best := edges[0].child
	for _, e := range edges[1:] {
		if t.nodes[e.child].value > t.nodes[best].value {
			best = e.child
		}
	}
	return best
}

// weigh fills in how much each node's value counts in that of the action, less that of the
// other, or in the action's alone if other is none.
func (t *tree) weigh(action, other int) {
	for i := range t.nodes {
		t.nodes[i].weight = 0
	}
	t.nodes[t.roots[action]].weight++
	if other != none {
		t.nodes[t.roots[other]].weight--
	}
	for i := len(t.nodes) - 1; i >= 0; i-- {
		n := &t.nodes[i]
		edges := t.edges[n.first:n.last]
		switch {
		case n.weight == 0 || n.player == leaf:
		case n.player == engine.Chance:
			for _, e := range edges {
				t.nodes[e.child].weight += n.weight * e.probability
			}
		default:
			t.nodes[t.best(edges)].weight += n.weight
		}
	}
}

// none stands for no action.
const none = -1

// spread describes the error of a value, or of a difference of two.
type spread struct {
	sampling float64 // variance
	judged   float64 // sum of |weight| of what the model said
}

// spread returns that of the action's value less the other's, or of the action's alone if other
// is none. Worlds with the same number share their chance, so the sampling error is that of the
// sums by world number.
func (t *tree) spread(action, other int) (s spread) {
	t.weigh(action, other)
	for i := range t.nodes {
		if n := &t.nodes[i]; n.judged {
			s.judged += math.Abs(n.weight)
		}
	}
	clear(t.perWorld)
	for i := range t.worlds.starts {
		from := &t.worlds.starts[i]
		weight, worlds := t.nodes[from.node].weight, len(from.values)
		if weight == 0 || worlds == 0 {
			continue
		}
		s.judged += math.Abs(weight) * float64(from.judged) / float64(worlds)
		for len(t.perWorld) < worlds {
			t.perWorld = append(t.perWorld, 0)
		}
		mean, scale := t.nodes[from.node].value, weight/math.Sqrt(float64(worlds)*float64(max(worlds-1, 1)))
		for number, value := range from.values {
			t.perWorld[number] += scale * (value - mean)
		}
	}
	for _, x := range t.perWorld {
		s.sampling += x * x
	}
	return s
}
