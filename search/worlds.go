package search

import (
	"croupier/engine"
)

// dealStream is the stream of a world's seed that draws what is hidden.
const dealStream uint64 = 0x73726364 // "srcd"

// asIs stands for no action: play continues from the state of the start itself.
const asIs = -1

// worlds plays out positions, with the model in all seats, until it knows what they are
// worth to the searching seat.
type worlds struct {
	spec  *engine.Spec
	model Model
	deals *deals // nil where nothing is hidden
	lead  int    // decisions of a world before the model is asked for the value
	// beyond is how many more are made before it is asked once more; 0: the world ends with its value.
	beyond int
	seat   int
	seed   uint64

	starts  []start
	running []*world
	idle    []*world
	legal   []int
	returns []float64
}

// start is a position to play out; each of its worlds begins there.
type start struct {
	state  engine.State
	action int       // to be made first, or asIs
	node   int       // of the tree
	values []float64 // by world
	later  []float64 // the same, worlds.beyond decisions later; empty without them
	judged int       // worlds whose value is the model's
}

// world is one playout.
type world struct {
	state   engine.State
	start   int
	number  int
	left    int // decisions until the end
	steps   int
	chance  engine.RNG
	actions []engine.RNG // by seat
	valued  bool         // its value is known
	judged  bool         // the model is asked for the value
	over    bool         // it ends here
}

func newWorlds(game engine.Game, model Model, lead, samples int) *worlds {
	w := &worlds{
		spec: game.Spec(), model: model, lead: lead,
		returns: make([]float64, game.Spec().Seats),
	}
	if !w.spec.PerfectInformation {
		w.deals = newDeals(game, model, samples)
	}
	for range model.Batch() {
		w.idle = append(w.idle, &world{state: game.NewState(), actions: make([]engine.RNG, w.spec.Seats)})
	}
	return w
}

// begin forgets the starts of the last search. Where something is hidden, all starts are the state s, each with an
// action of its own.
func (w *worlds) begin(s engine.State, seed uint64) {
	w.seat, w.seed, w.starts = s.Player(), seed, w.starts[:0]
	if w.deals != nil {
		w.deals.begin(s, w.seat, seed)
	}
}

// add adds a start without worlds: the state after the action, for the value of the node.
func (w *worlds) add(s engine.State, action, node int) {
	n := len(w.starts)
	if n == cap(w.starts) {
		w.starts = append(w.starts, start{state: s.Clone()})
	} else if w.starts = w.starts[:n+1]; w.starts[n].state == nil {
		w.starts[n].state = s.Clone()
	}
	from := &w.starts[n]
	from.state.CopyFrom(s)
	from.action, from.node, from.judged = action, node, 0
	from.values, from.later = from.values[:0], from.later[:0]
}

// tells reports whether the model's value at a decision of the player gives the searching
// seat's value.
func (w *worlds) tells(player int) bool { return player == w.seat || w.spec.Seats == 2 }

// sign is +1 for the searching seat and -1 for the other of two.
func (w *worlds) sign(player int) float64 {
	if player == w.seat {
		return 1
	}
	return -1
}

// grow plans worlds of a start until it has that many. They are played by the time finish
// returns.
func (w *worlds) grow(start, worlds int) {
	for number := len(w.starts[start].values); number < worlds; number++ {
		from := &w.starts[start]
		from.values = append(from.values, 0)
		if w.beyond > 0 {
			from.later = append(from.later, 0)
		}
		for len(w.idle) == 0 {
			w.step()
		}
		w.launch(start, number)
	}
}

// finish plays all worlds to their ends.
func (w *worlds) finish() {
	for len(w.running) > 0 {
		w.step()
	}
}

// launch begins the world of a start with that number.
func (w *worlds) launch(start, number int) {
	from := &w.starts[start]
	x := w.idle[len(w.idle)-1]
	w.idle = w.idle[:len(w.idle)-1]
	w.running = append(w.running, x)
	seed := engine.GameSeed(w.seed, "search", uint64(number))
	x.start, x.number, x.steps, x.left, x.valued = start, number, 0, w.lead+w.beyond, false
	x.chance.Seed(seed, engine.ChanceStream)
	for seat := range x.actions {
		x.actions[seat].Seed(seed, engine.ActionStream+uint64(seat))
	}
	if w.deals != nil {
		x.state.CopyFrom(w.deals.of(number))
	} else {
		x.state.CopyFrom(from.state)
	}
	if from.action != asIs {
		x.apply(from.action)
	}
}

func (x *world) apply(step int) {
	engine.MustApply(x.state, step)
	x.steps++
}

// step makes one batch of decisions.
func (w *worlds) step() {
	asking := w.running[:0]
	for _, x := range w.running {
		if w.advance(x, len(asking)) {
			asking = append(asking, x)
		} else {
			w.idle = append(w.idle, x)
		}
	}
	w.running = asking[:0]
	if len(asking) == 0 {
		return
	}
	w.model.Predict(len(asking))
	for row, x := range asking {
		player := x.state.Player()
		if x.judged || x.over {
			w.value(x, w.sign(player)*w.model.Value(row))
		}
		if x.over {
			w.idle = append(w.idle, x)
			continue
		}
		x.apply(w.model.Act(row, &x.actions[player]))
		w.running = append(w.running, x)
	}
}

// value notes what a world is worth to the searching seat.
func (w *worlds) value(x *world, value float64) {
	from := &w.starts[x.start]
	if !x.valued {
		from.values[x.number], x.valued = value, true
		if x.judged {
			from.judged++
		}
	}
	if x.over && w.beyond > 0 {
		from.later[x.number] = value
	}
}

// advance plays a world until the model is asked, in that row, or returns false if the game
// ends first. A game that is cut off (engine.Spec.MaxHistory) is worth 0. The model is not
// asked where there is no choice: training may have left such decisions out.
func (w *worlds) advance(x *world, row int) (asks bool) {
	for {
		player := x.state.Player()
		switch {
		case player == engine.Terminal || x.steps > w.spec.MaxHistory:
			x.state.Returns(w.returns)
			x.judged, x.over = false, true
			w.value(x, w.returns[w.seat])
			return false
		case player == engine.Chance:
			x.apply(x.state.SampleChance(&x.chance))
			continue
		}
		if w.legal = x.state.LegalActions(w.legal[:0]); len(w.legal) == 1 {
			x.apply(w.legal[0])
			continue
		}
		tells := w.tells(player)
		x.judged, x.over = tells && !x.valued && x.left <= w.beyond, tells && x.left == 0
		w.model.Set(row, x.state, w.legal)
		x.left = max(x.left-1, 0)
		return true
	}
}
