package play

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"croupier/engine"
	"croupier/engine/history"
	"croupier/policy"
)

// Agent is a player that needs no person.
type Agent struct {
	Name  string // of package agents: "greedy:trained"
	Title string // for people: "Expert"
	About string // what it is, in words
	// New makes its policy for one seat. It may take long, as where a game must first be solved.
	New func() (policy.Policy, error)
	// Recurrent says, once New has returned, whether the agent has a memory: a new policy needs the game from its
	// beginning. nil: it has none.
	Recurrent func() bool
}

// recurrent reports whether an agent of which New has returned has a memory.
func (a *Agent) recurrent() bool { return a.Recurrent != nil && a.Recurrent() }

// Chair reports who sits in a seat when a table is laid.
type Chair struct {
	Kind string // Person, Robot or Vacant
	Name string // of a person
	// Bet is what the seat bets in this game, and Next in the next one, in units, in games where people bet
	// (engine.Betting). 0 is one unit.
	Bet, Next float64
	// PersonKey is that of the person's diary in [People]; "": none is kept.
	PersonKey string
	// Shared: the person shares a device with all others of whom this is said.
	Shared bool
	Agent  Agent
}

// Plan is what a table is made from.
type Plan struct {
	Game    engine.Game
	Chairs  []Chair // by seat
	Seed    uint64  // of chance and of the agents' choices
	Timeout time.Duration
	// Entered: chance is what people say, who play with real dice, and is not drawn.
	Entered bool
	Undo    bool  // people may take back decisions where they play against agents only
	From    []int // steps that have been made before the table is laid
	// Start is the position from which the game is played, and From counts; nil: its beginning. What happened before is
	// unknown, so there is no history of such a game, and no agent with a memory plays it.
	Start engine.State
	Sum   []float64
}

// The reasons for which a table refuses.
var (
	ErrLate    = errors.New("the game has continued since: look at it again")
	ErrTurn    = errors.New("it is not your turn")
	ErrOver    = errors.New("the game is over")
	ErrWaiting = errors.New("the game begins when all seats are taken")
	ErrUndo    = errors.New("there is no decision of yours to take back")
	ErrNoUndo  = errors.New("moves are taken back only by a person who plays against agents, " +
		"or by people who share a device, at a table that allows it")
)

// Table is one game being played. It knows no clock and starts nothing: the caller says what
// happens and when. A Table belongs to one goroutine, but for [Task.Think].
type Table struct {
	plan   Plan
	story  *Story
	chance engine.RNG
	seeded bool // chance so far is what the seed yields
	places []place
	made   []made    // by step
	since  time.Time // the position has been as it is
	spare  engine.State
	rounds int // of taking back, so that tasks from before are known
}

// place is a seat with the person or agent in it.
type place struct {
	Chair
	rng    engine.RNG
	policy policy.Policy // nil: to be made, and given the game so far
}

// made is what has to be known of a step to take it back.
type made struct {
	player int
	rng    engine.RNG // of the player, or of chance, before it
	choice bool       // of several actions
	note   string
	// unasked: its person needed not be asked, so it is no decision of theirs.
	unasked bool
}

// NewTable lays a table.
func NewTable(p Plan, now time.Time) (*Table, error) {
	spec := p.Game.Spec()
	if len(p.Chairs) != spec.Seats {
		return nil, fmt.Errorf("%s has %d seats, not %d", spec.Name, spec.Seats, len(p.Chairs))
	}
	story, err := NewStory(p.Game, p.Start)
	if err != nil {
		return nil, err
	}
	t := &Table{plan: p, story: story, seeded: !p.Entered, since: now, spare: p.Game.NewState()}
	t.chance.Seed(p.Seed, engine.ChanceStream)
	for seat, chair := range p.Chairs {
		t.places = append(t.places, place{Chair: chair})
		t.places[seat].rng.Seed(p.Seed, engine.ActionStream+uint64(seat))
	}
	for i, step := range p.From {
		if err := t.repeat(step); err != nil {
			return nil, fmt.Errorf("step %d of the game before: %w", i, err)
		}
	}
	return t, nil
}

// repeat makes a step of a game that was played before. The seed still yields its chance as long
// as it draws the same.
func (t *Table) repeat(step int) error {
	rng := t.chance
	if t.story.Player() == engine.Chance && t.seeded && t.story.state.SampleChance(&t.chance) != step {
		t.seeded = false
	}
	return t.apply(step, rng, "")
}

// resume makes a step again that was made at this table before it was kept: chance has drawn for it.
func (t *Table) resume(step int, note string) error {
	player, rng := t.story.Player(), t.chance
	switch {
	case player >= 0:
		rng = t.places[player].rng
	case player == engine.Chance && !t.plan.Entered:
		t.story.state.SampleChance(&t.chance)
	}
	return t.apply(step, rng, note)
}

// apply makes a step; rng is what its player drew from, as it was before.
func (t *Table) apply(step int, rng engine.RNG, note string) error {
	m := made{player: t.story.Player(), rng: rng, note: note}
	m.choice = m.player >= 0 && len(t.story.state.LegalActions(nil)) > 1
	if err := t.story.Apply(step, note); err != nil {
		return err
	}
	t.made = append(t.made, m)
	return nil
}

// Game returns the game that is played.
func (t *Table) Game() engine.Game { return t.plan.Game }

// State returns the position, which the caller must not change.
func (t *Table) State() engine.State { return t.story.state }

// Chair returns who sits in a seat.
func (t *Table) Chair(seat int) Chair { return t.places[seat].Chair }

// Over reports whether the game has ended.
func (t *Table) Over() bool { return t.story.Player() == engine.Terminal }

// Open returns the first seat that waits for somebody, -1 if all are taken.
func (t *Table) Open() int {
	return slices.IndexFunc(t.places, func(p place) bool { return p.Kind == Vacant })
}

// People counts the persons at the table.
func (t *Table) People() (n int) {
	for _, p := range t.places {
		if p.Kind == Person {
			n++
		}
	}
	return n
}

// The answers of [Table.Next].
const (
	NextNobody = iota // the game is over, or waits for people to sit down
	NextPerson        // somebody has to decide, or to say what chance did
	NextChance
	NextAgent
)

// Next says for whom the game waits.
func (t *Table) Next() int {
	switch player := t.story.Player(); {
	case player == engine.Terminal || t.Open() >= 0:
		return NextNobody
	case player == engine.Chance && t.plan.Entered, player >= 0 && t.places[player].Kind == Person:
		return NextPerson
	case player == engine.Chance:
		return NextChance
	}
	return NextAgent
}

// Draw lets chance make its step.
func (t *Table) Draw(now time.Time) error {
	rng := t.chance
	t.since = now
	return t.apply(t.story.state.SampleChance(&t.chance), rng, "")
}

// Act makes the step of a person: an action of its seat, or, where chance is entered, an outcome.
// step is that of the [Show] that it answers. An impossible one gives an [engine.IllegalError].
func (t *Table) Act(seat, step, action int, now time.Time) error {
	player := t.story.Player()
	switch {
	case player == engine.Terminal:
		return ErrOver
	case t.Open() >= 0:
		return ErrWaiting
	case step != t.story.Steps(seat):
		return ErrLate
	case player == engine.Chance && t.plan.Entered:
	case player != seat:
		return ErrTurn
	}
	t.since = now
	return t.apply(action, engine.RNG{}, "")
}

// Deadline returns when the time of the person to move is over; false where nobody is in a hurry.
func (t *Table) Deadline() (time.Time, bool) {
	if t.plan.Timeout <= 0 || t.Next() != NextPerson || t.story.Player() < 0 {
		return time.Time{}, false
	}
	return t.since.Add(t.plan.Timeout), true
}

// Expire makes the fallback of a person whose time is over, and reports whether it was.
func (t *Table) Expire(now time.Time) (bool, error) {
	deadline, ok := t.Deadline()
	if !ok || now.Before(deadline) {
		return false, nil
	}
	t.since = now
	return true, t.apply(t.fallback(), engine.RNG{}, fmt.Sprintf("%s are over", t.plan.Timeout))
}

// fallback is what a person does who does not decide in time: what the game says, else the legal
// action with the smallest number.
func (t *Table) fallback() int {
	if game, ok := t.plan.Game.(engine.Timed); ok {
		return game.Fallback(t.story.state)
	}
	return t.story.state.LegalActions(nil)[0]
}

// Settled returns what the person to move does where there is nothing to think about: the only action of a game in
// which everything is seen, or one that is at least as good as any other.
func (t *Table) Settled() (action int, ok bool) {
	legal := t.story.state.LegalActions(nil)
	if len(legal) == 1 && t.plan.Game.Spec().PerfectInformation {
		return legal[0], true
	}
	if game, ok := t.plan.Game.(engine.Dominant); ok {
		return game.Dominant(t.story.state)
	}
	return 0, false
}

// CanUndo reports whether the person in a seat may take back a decision.
func (t *Table) CanUndo(seat int) bool { return t.undo(seat) >= 0 }

// undo returns the step to which the person may go back, -1 if there is none.
func (t *Table) undo(seat int) int {
	if seat < 0 || !t.plan.Undo || !t.plan.Entered && !t.together() {
		return -1
	}
	own := []int{seat}
	if t.places[seat].Shared {
		own = t.device()
	}
	for i := len(t.made) - 1; i >= len(t.plan.From); i-- {
		if t.plan.Entered || slices.Contains(own, t.made[i].player) && t.made[i].choice && !t.made[i].unasked {
			return i
		}
	}
	return -1
}

// Undo goes back to the last decision of the person in a seat, or of anybody at their device; where chance is entered,
// by one step. Chance and agents go back with it: the same decisions lead to the same dice and cards, and
// other ones to those that come next from the seed.
func (t *Table) Undo(seat int, now time.Time) error {
	if !t.plan.Undo || !t.plan.Entered && !t.together() {
		return ErrNoUndo
	}
	to := t.undo(seat)
	if to < 0 {
		return ErrUndo
	}
	return t.back(to, now)
}

// back goes back to where that many steps had been made.
func (t *Table) back(to int, now time.Time) error {
	for i := len(t.made) - 1; i >= to; i-- {
		switch m := t.made[i]; {
		case m.player == engine.Chance:
			t.chance = m.rng
		case t.places[m.player].Kind == Robot:
			t.places[m.player].rng = m.rng
		}
	}
	for i := range t.places {
		t.places[i].policy = nil
	}
	steps, kept := slices.Clone(t.story.history[:to]), t.made[:to]
	t.story.Reset()
	for i, step := range steps {
		if err := t.story.Apply(step, kept[i].note); err != nil {
			return fmt.Errorf("taking back: %w", err)
		}
	}
	t.made = kept
	t.since = now
	t.rounds++
	return nil
}

// Sit gives an open seat to a person.
func (t *Table) Sit(seat int, person Chair, now time.Time) {
	t.places[seat].Chair = person
	t.since = now
}

// Replace gives a seat to an agent, who plays on from there, for the bet that was made.
func (t *Table) Replace(seat int, agent Agent, now time.Time) {
	t.places[seat].Chair, t.places[seat].policy = Chair{Kind: Robot, Agent: agent, Bet: t.places[seat].Bet}, nil
	t.since = now
}

// Show returns what an eye sees now.
func (t *Table) Show(eye int, now time.Time) *Show {
	show := t.story.Show(eye)
	for seat, p := range t.places {
		s := &show.Seats[seat]
		s.Kind = p.Kind
		switch {
		case p.Kind == Person && seat == eye:
			s.Name, s.Kind = p.Name, You
		case p.Kind == Person:
			s.Name = p.Name
		case p.Kind == Robot:
			s.Name, s.About = t.titled(seat), p.Agent.About
		default:
			s.Name = "Open"
		}
	}
	if t.Open() >= 0 {
		show.Actions = []Choice{}
	} else if eye >= 0 && t.plan.Entered && t.story.Player() == engine.Chance {
		show.Actions = t.story.outcomes()
	}
	show.Clock = t.clock(eye, now)
	if show.Over != nil {
		show.Over = t.story.over(t.gains())
	}
	return show
}

// clock shows an eye the time of the person to move.
func (t *Table) clock(eye int, now time.Time) *Clock {
	deadline, ok := t.Deadline()
	player := t.story.Player()
	if !ok || t.story.Mover(eye) != player {
		return nil
	}
	c := &Clock{Left: max(0, deadline.Sub(now)).Seconds(), Limit: t.plan.Timeout.Seconds()}
	if eye == player || t.plan.Game.Spec().PerfectInformation { // its name can reveal what the seat has
		c.Fallback = t.story.state.ActionName(t.fallback())
	}
	return c
}

// Record returns the game so far as a history.
func (t *Table) Record() *history.Record {
	if !t.seeded {
		return t.story.Record(nil)
	}
	seed := t.plan.Seed
	return t.story.Record(&seed)
}

// Again returns the plan of the next game: with the same cards and dice and everybody a seat
// further, or with new ones from the seed.
func (t *Table) Again(exchange bool, seed uint64) Plan {
	p := t.plan
	p.From, p.Start, p.Chairs, p.Sum = nil, nil, nil, t.Sum()
	for _, place := range t.places {
		place.Bet = place.Next
		p.Chairs = append(p.Chairs, place.Chair)
	}
	if !exchange {
		p.Seed = seed
		return p
	}
	last := len(p.Chairs) - 1
	p.Chairs = slices.Concat(p.Chairs[last:], p.Chairs[:last])
	p.Sum = slices.Concat(p.Sum[last:], p.Sum[:last])
	return p
}

// Retry returns the plan of a table that continues after that many steps of this game, with the same
// cards and dice to come.
func (t *Table) Retry(steps int) (Plan, error) {
	p := t.plan
	if last := len(t.made) - 1; steps < 0 || steps > last {
		return p, fmt.Errorf("from is %d, not in 0..%d", steps, last)
	}
	p.From, p.Chairs = slices.Clone(t.story.history[:steps]), nil
	for _, place := range t.places {
		p.Chairs = append(p.Chairs, place.Chair)
	}
	return p, nil
}

// Sum returns what each seat's player has gained here and at the tables before.
func (t *Table) Sum() []float64 {
	sum := t.gains()
	for seat, before := range t.plan.Sum {
		sum[seat] += before
	}
	return sum
}
