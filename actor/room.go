package actor

import (
	"context"

	"croupier/engine"
	"croupier/messages"
	"croupier/nn"
	"croupier/player"
	"croupier/policy"
)

// assignment is a game to be played.
type assignment struct {
	seed  uint64
	stage int              // whose game; 0: the room's own
	seats []*player.Player // by seat
	// measured: the record is to have the figures of the room's own game, where it has some.
	measured bool
	// finish receives the game when it is over; the record is reused afterwards.
	finish func(*episode)
}

// episode is what a game leaves behind.
type episode struct {
	seed     uint64
	seats    []*player.Player
	history  []byte    // every action and outcome, as messages pack them
	steps    int       // of the history
	logProbs []byte    // float32 column: of each decision of a learning player, in order
	returns  []float64 // by seat
	// decisions counts those of all seats, samples those of learning players that were a choice.
	decisions, samples int
	// cut: the game reached Spec.MaxHistory and was broken off; returns and sums are zero.
	cut bool
	// sums are the game's figures, of a measured game.
	sums engine.Sums
}

// room plays many games at the same time in one goroutine. At every step each
// table continues until its next decision of a network (bots and chance move in
// between); then each network answers all its tables in one batch. Which games
// share a batch never changes what is played: a game's random streams are its
// own, and a row of a forward pass does not depend on the others.
type room struct {
	spec     *engine.Spec // of the room's own game
	kinds    []kind       // the games by stage
	tables   []table
	groups   []*group
	policies map[*player.Player][]policy.Policy // idle instances
	deferred []int                              // tables whose last step is on its way (engine.Deferred)
	spare    []int                              // the other buffer for deferred
}

// kind is a game that tables can play.
type kind struct {
	game  engine.Game
	spec  *engine.Spec
	width int // bytes of a step in a history
}

type table struct {
	states  []engine.State  // by stage, made for the first game of it
	state   engine.State    // of the present game
	kind    *kind           // of the present game
	meter   engine.Measured // the state while a measured game is played, or nil
	playing bool
	assignment
	episode  episode
	chance   engine.RNG
	actions  []engine.RNG // by seat
	choosers []chooser    // by seat
	legal    []int
}

// chooser is how one seat of a table is played in the present game.
type chooser struct {
	group  *group // nil: policy plays
	policy policy.Policy
}

// group gathers the decisions that one network owes, at whatever temperatures.
type group struct {
	network     *nn.Network
	exploration float64
	evaluator   *nn.Evaluator
	recurrent   bool
	seated      int   // seats at tables; 0: the group can go
	waiting     []int // table of each row
	spare       []int // the other buffer for waiting
}

// newRoom makes a room for games, given by stage, that have the same seats, actions and observation.
func newRoom(tables int, games ...engine.Game) *room {
	r := &room{
		spec:     games[0].Spec(),
		tables:   make([]table, tables),
		policies: map[*player.Player][]policy.Policy{},
	}
	for _, g := range games {
		r.kinds = append(r.kinds, kind{g, g.Spec(), messages.HistoryWidth(g.Spec())})
	}
	for i := range r.tables {
		r.tables[i] = table{
			states:   make([]engine.State, len(r.kinds)),
			actions:  make([]engine.RNG, r.spec.Seats),
			choosers: make([]chooser, r.spec.Seats),
			legal:    make([]int, 0, r.spec.Actions),
			episode:  episode{returns: make([]float64, r.spec.Seats), sums: engine.NewSums(r.spec)},
		}
	}
	return r
}

// step starts a game at every free table for which next has one, and makes one
// batch of decisions. It returns the number of decisions made by anybody. When ctx ends, no
// further game is started: where bots and solvers alone play, that is a whole game.
func (r *room) step(ctx context.Context, next func() (assignment, bool)) int {
	decisions := 0
	for i := range r.tables {
		t := &r.tables[i]
		if !t.playing {
			if ctx.Err() != nil {
				break
			}
			a, ok := next()
			if !ok {
				continue
			}
			r.start(i, a)
			decisions += r.advance(i)
		}
	}
	decisions += r.advanceDeferred()
	for _, g := range r.groups {
		decisions += r.answer(g)
	}
	r.sweep()
	return decisions
}

// playing returns at how many tables a game is played.
func (r *room) playing() int {
	n := 0
	for i := range r.tables {
		if r.tables[i].playing {
			n++
		}
	}
	return n
}

func (r *room) start(i int, a assignment) {
	t := &r.tables[i]
	t.assignment, t.playing = a, true
	t.episode.seed, t.episode.seats = a.seed, a.seats
	t.episode.history, t.episode.logProbs = t.episode.history[:0], t.episode.logProbs[:0]
	t.episode.steps, t.episode.decisions, t.episode.samples, t.episode.cut = 0, 0, 0, false
	t.kind = &r.kinds[a.stage]
	if t.states[a.stage] == nil {
		t.states[a.stage] = t.kind.game.NewState()
	}
	t.state = t.states[a.stage]
	t.state.Reset()
	t.meter = nil
	if a.measured {
		t.meter, _ = t.state.(engine.Measured)
		t.episode.sums.Clear()
	}
	t.chance.Seed(a.seed, engine.ChanceStream)
	for seat, p := range a.seats {
		t.actions[seat].Seed(a.seed, engine.ActionStream+uint64(seat))
		t.choosers[seat] = r.seat(p)
		if g := t.choosers[seat].group; g != nil && g.recurrent {
			g.evaluator.ResetSlot(r.slot(i, seat))
		}
	}
}

func (r *room) slot(table, seat int) int { return table*r.spec.Seats + seat }

// seat finds or makes what plays for p.
func (r *room) seat(p *player.Player) chooser {
	if p.Network == nil {
		idle := r.policies[p]
		if n := len(idle); n > 0 {
			s := chooser{policy: idle[n-1]}
			r.policies[p] = idle[:n-1]
			s.policy.Reset()
			return s
		}
		s := chooser{policy: p.NewPolicy()}
		s.policy.Reset()
		return s
	}
	for _, g := range r.groups {
		if g.network == p.Network && g.exploration == p.Exploration {
			g.seated++
			return chooser{group: g}
		}
	}
	g := &group{
		network: p.Network, exploration: p.Exploration, seated: 1,
		recurrent: p.Network.Layout.StateSize > 0,
	}
	slots := 0
	if g.recurrent {
		slots = len(r.tables) * r.spec.Seats
	}
	g.evaluator = p.Network.NewEvaluator(len(r.tables), slots)
	g.evaluator.SetExploration(p.Exploration)
	r.groups = append(r.groups, g)
	return chooser{group: g}
}

// advance plays table i until a network is asked or the game is over, and returns
// the number of decisions made on the way.
func (r *room) advance(i int) int {
	t := &r.tables[i]
	made := 0
	for {
		player := t.state.Player()
		switch {
		case player == engine.Terminal:
			t.state.Returns(t.episode.returns)
			if t.meter != nil {
				t.meter.MeasureEnd(t.episode.sums)
			}
			r.finish(t)
			return made
		case t.episode.steps >= t.kind.spec.MaxHistory:
			clear(t.episode.returns)
			t.episode.sums.Clear()
			t.episode.cut = true
			r.finish(t)
			return made
		case player == engine.Chance:
			r.apply(t, t.state.SampleChance(&t.chance))
			if r.defers(i) {
				return made
			}
			continue
		}
		t.legal = t.state.LegalActions(t.legal[:0])
		g := t.choosers[player].group
		switch {
		case g == nil:
			r.apply(t, t.choosers[player].policy.Choose(t.state, t.legal, &t.actions[player]))
		case len(t.legal) == 1 && !g.recurrent:
			r.decide(t, player, t.legal[0], 0)
		default:
			r.ask(g, i, player)
			return made
		}
		t.episode.decisions++
		made++
		if r.defers(i) {
			return made
		}
	}
}

// defers reports whether the last step at table i is on its way. Then the table waits until the others have made
// theirs, which travel along.
func (r *room) defers(i int) bool {
	d, ok := r.tables[i].state.(engine.Deferred)
	if !ok || !d.Pending() {
		return false
	}
	r.deferred = append(r.deferred, i)
	return true
}

// advanceDeferred plays on at tables that were deferred, and returns the number of decisions made on the way.
func (r *room) advanceDeferred() (made int) {
	for len(r.deferred) > 0 {
		waiting := r.deferred
		r.deferred, r.spare = r.spare[:0], waiting
		for _, i := range waiting {
			made += r.advance(i)
		}
	}
	return made
}

// ask puts the decision of the seat to move at table i into the network's batch.
func (r *room) ask(g *group, i, seat int) {
	t, row := &r.tables[i], len(g.waiting)
	g.waiting = append(g.waiting, i)
	g.evaluator.Observe(row, t.state, seat)
	g.evaluator.SetLegal(row, t.legal)
	if g.recurrent {
		g.evaluator.SetSlot(row, r.slot(i, seat))
	}
}

// answer makes the waiting decisions of one network and moves their tables on.
func (r *room) answer(g *group) int {
	rows := len(g.waiting)
	if rows == 0 {
		return 0
	}
	g.evaluator.Forward(rows)
	for row, i := range g.waiting {
		t := &r.tables[i]
		seat := t.state.Player()
		if rng := &t.actions[seat]; t.seats[seat].Learning {
			action, logProb := g.evaluator.Sample(row, rng)
			if len(t.legal) > 1 {
				t.episode.samples++
			}
			r.decide(t, seat, action, logProb)
		} else {
			r.apply(t, g.evaluator.Choose(row, t.seats[seat].Temperature, rng))
		}
		t.episode.decisions++
	}
	// The rows are free again only now: advance asks for the next step's batch.
	asked := g.waiting
	g.waiting, g.spare = g.spare[:0], asked
	made := rows
	for _, i := range asked {
		made += r.advance(i)
	}
	return made + r.advanceDeferred()
}

// finish hands the game over and frees the table.
func (r *room) finish(t *table) {
	t.playing = false
	for seat, s := range t.choosers {
		if s.group != nil {
			s.group.seated--
		} else {
			p := t.seats[seat]
			r.policies[p] = append(r.policies[p], s.policy)
		}
	}
	t.assignment.finish(&t.episode)
}

// sweep drops networks that sit at no table any more.
func (r *room) sweep() {
	kept := r.groups[:0]
	for _, g := range r.groups {
		if g.seated > 0 {
			kept = append(kept, g)
		}
	}
	clear(r.groups[len(kept):])
	r.groups = kept
}

// decide applies a network's decision and records its log-probability where the
// player learns.
func (r *room) decide(t *table, seat, action int, logProb float32) {
	if t.seats[seat].Learning {
		t.episode.logProbs = messages.AppendFloat(t.episode.logProbs, logProb)
	}
	r.apply(t, action)
}

func (r *room) apply(t *table, step int) {
	t.episode.history = messages.AppendStep(t.episode.history, t.kind.width, step)
	t.episode.steps++
	if t.meter != nil {
		t.meter.MeasureStep(step, t.episode.sums)
	}
	engine.MustApply(t.state, step)
}
