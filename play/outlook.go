package play

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"croupier/agents"
	"croupier/engine"
	"croupier/engine/history"
	"croupier/messages"
	"croupier/policy"
)

// Assess finds the agent that says what games are worth, see [Assessor]. Goroutines may share it.
type Assess func(ctx context.Context, game engine.Game, run string) (Agent, error)

// errNoAssessor: nobody knows what a game is worth without looking ahead.
var errNoAssessor = errors.New("there is neither a solution nor a network that says what the game is worth")

// solving is how long a solution may take to be at hand.
const solving = 5 * time.Second

// Assessor returns the agent that says what a game is worth: a solution of the whole game, if it is at hand within
// seconds; else the best version of the run that has this ladder (nil: there is none); else the network that comes with
// the program.
func Assessor(ctx context.Context, known *agents.Agents, ladder *messages.Ladder) (Agent, error) {
	for _, s := range known.Solutions() {
		if s.Part {
			continue
		}
		if a, err := solved(ctx, known, s.Agent); err == nil {
			return a, nil
		}
	}
	var names []string
	if best, found := ladder.Best(); found {
		names = append(names, agents.DefaultPlay(known.Game().Spec(), best.Name))
	}
	if known.HasTrained() {
		names = append(names, agents.DefaultPlay(known.Game().Spec(), agents.Trained))
	}
	for _, name := range names {
		if a, err := Find(ctx, known, name); err == nil {
			return a, nil
		}
	}
	if err := ctx.Err(); err != nil {
		return Agent{}, err
	}
	return Agent{}, errNoAssessor
}

// solved returns a solution that tells values of the game.
func solved(ctx context.Context, known *agents.Agents, name string) (Agent, error) {
	ctx, cancel := context.WithTimeout(ctx, solving)
	defer cancel()
	a, err := Find(ctx, known, name)
	if err != nil {
		return a, err
	}
	_, err = newForecast(known.Game(), nil, a)
	return a, err
}

// Outlook is what a game is worth to its seats as one agent sees it that does not look ahead.
type Outlook struct {
	Agent string `json:"agent"` // "": nobody knows
	// Solution: the agent is a solution, and values are those of its play; else they are a network's expectations.
	Solution bool `json:"solution"`
	Exact    bool `json:"exact"`
	// Hidden: the game hides something, so that the value of each seat is that of what the seat sees.
	Hidden bool   `json:"hidden"`
	Unit   string `json:"unit"` // that in which people are shown amounts; "win probability": shares of the win
	From   int    `json:"from"` // the step to which the first values belong
	// Values are by step and seat; null where the agent has not yet been asked in the seat.
	Values [][]*float64 `json:"values"`
}

// winProbability is the unit of games that are won or lost, as package advice names it.
const winProbability = "win probability"

// forecast follows a game and tells at each step what it is worth to each seat. What a seat's game is worth is known
// from the seat's newest choice, and from what was chosen where the agent values actions; in games for two in which
// everything is seen the other seat has the rest. A forecast belongs to one goroutine.
type forecast struct {
	spec     *engine.Spec
	agent    Agent
	unit     string
	scale    float64 // of amounts
	state    engine.State
	policies []policy.Policy // by seat: each may have a memory
	worth    []*float64      // by seat, as people are shown it; the values are never changed
	legal    []int
	values   []policy.Value
}

// newForecast begins at a position, nil for the beginning of the game.
func newForecast(game engine.Game, start engine.State, agent Agent) (*forecast, error) {
	spec := game.Spec()
	f := &forecast{spec: spec, agent: agent, unit: winProbability, scale: 1, state: game.NewState(),
		worth: make([]*float64, spec.Seats)}
	if spec.Payoff == engine.Money {
		f.unit, f.scale = spec.Coin.Shown(spec.Unit)
	}
	if start != nil {
		f.state.CopyFrom(start)
	}
	for range spec.Seats {
		p, err := agent.New()
		if err != nil {
			return nil, err
		}
		if err := f.usable(p, start != nil); err != nil {
			return nil, err
		}
		p.Reset()
		f.policies = append(f.policies, p)
	}
	f.look()
	return f, nil
}

// usable reports why a policy cannot tell what the game is worth, or nil.
func (f *forecast) usable(p policy.Policy, under bool) error {
	v, values := p.(policy.Valuer)
	_, expects := p.(policy.Expecter)
	switch {
	case under && f.agent.recurrent():
		return fmt.Errorf("%s has a memory, and the game was joined under way", f.agent.Name)
	case values && v.Scale().Unit != f.spec.Unit, !values && !expects:
		return fmt.Errorf("%s does not tell what the game is worth", f.agent.Name)
	}
	return nil
}

// apply makes a step.
func (f *forecast) apply(step int) error {
	if seat := f.state.Player(); seat >= 0 {
		for i, action := range f.legal {
			if action == step && f.values != nil {
				f.set(seat, f.values[i].Mean)
			}
		}
	}
	if err := f.state.Apply(step); err != nil {
		return err
	}
	f.look()
	return nil
}

// look asks the seat to move. A policy with a memory is given every decision, also where there is no choice.
func (f *forecast) look() {
	seat := f.state.Player()
	f.legal, f.values = f.legal[:0], nil
	switch {
	case seat == engine.Terminal:
		f.end()
		return
	case seat < 0:
		return
	}
	f.legal = f.state.LegalActions(f.legal)
	if v, ok := f.policies[seat].(policy.Valuer); ok {
		f.values = make([]policy.Value, len(f.legal))
		v.Values(f.state, f.legal, f.values)
		best := f.values[0].Mean
		for _, value := range f.values {
			best = max(best, value.Mean)
		}
		f.set(seat, best)
		return
	}
	p := f.policies[seat].(policy.Expecter)
	p.Choose(f.state, f.legal, &engine.RNG{})
	if len(f.legal) > 1 {
		f.set(seat, f.shareOf(p.Expects()))
	}
}

// shareOf returns what a return counts where games are won or lost: a share of the win, 1 for a return of 1 and 0 for
// one of -1/(seats-1) in units of the largest.
func (f *forecast) shareOf(r float64) float64 {
	if f.spec.Payoff == engine.Money {
		return r
	}
	n := float64(f.spec.Seats)
	return (1 + r*(n-1)/f.spec.MaxReturn) / n
}

// set notes the value of a seat: a share of the win, or an amount in the game's unit.
func (f *forecast) set(seat int, value float64) {
	rest := -value
	if f.spec.Payoff == engine.WinLoss {
		value = min(max(value, 0), 1)
		rest = 1 - value
	}
	note := func(seat int, value float64) {
		value *= f.scale
		f.worth[seat] = &value
	}
	note(seat, value)
	if f.spec.Seats == 2 && f.spec.PerfectInformation {
		note(1-seat, rest)
	}
}

// end notes the results.
func (f *forecast) end() {
	results := make([]float64, f.spec.Seats)
	f.state.Returns(results)
	if f.spec.Payoff == engine.WinLoss {
		f.spec.Shares(append([]float64{}, results...), results)
	}
	for seat, r := range results {
		f.set(seat, r)
	}
}

// now returns the values.
func (f *forecast) now() []*float64 { return append([]*float64{}, f.worth...) }

// outlook returns what there is to know besides the values.
func (f *forecast) outlook() *Outlook {
	o := &Outlook{Agent: f.agent.Name, Hidden: !f.spec.PerfectInformation, Unit: f.unit, Values: [][]*float64{}}
	if v, ok := f.policies[0].(policy.Valuer); ok {
		o.Solution, o.Exact = true, v.Scale().Exact
	}
	return o
}

// nobody is the outlook of a game that nobody assesses.
func nobody(spec *engine.Spec) *Outlook {
	return &Outlook{Hidden: !spec.PerfectInformation, Values: [][]*float64{}}
}

// OutlookOf reads one history and tells what the game was worth at each step, from its beginning to its end.
// Errors are the caller's fault.
func OutlookOf(ctx context.Context, line []byte, find history.Find, assess Assess, run string) (*Outlook, error) {
	var rec history.Record
	if err := history.NewReader(bytes.NewReader(line)).Read(&rec); errors.Is(err, io.EOF) {
		return nil, errors.New("history is empty")
	} else if err != nil {
		return nil, err
	}
	game, err := find(rec.Game, rec.Rules)
	if err != nil {
		return nil, err
	}
	if err := history.NewReplayer(game).Replay(&rec, nil); err != nil {
		return nil, err
	}
	f, err := assess.begin(ctx, game, nil, run)
	if f == nil || err != nil {
		return nobody(game.Spec()), err
	}
	o := f.outlook()
	o.Values = append(o.Values, f.now())
	for _, step := range rec.History {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := f.apply(step); err != nil {
			return nil, err
		}
		o.Values = append(o.Values, f.now())
	}
	return o, nil
}

// begin returns the forecast of a game from a position, nil where nobody assesses it.
func (a Assess) begin(ctx context.Context, game engine.Game, start engine.State, run string) (*forecast, error) {
	if a == nil {
		return nil, nil
	}
	agent, err := a(ctx, game, run)
	if errors.Is(err, errNoAssessor) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return newForecast(game, start, agent)
}

// assessed is what the game at a table has been found to be worth so far.
type assessed struct {
	mutex  sync.Mutex
	begun  bool
	made   *forecast // nil: nobody assesses the game
	steps  int       // of the forecast
	rounds int       // of the table, which grow when moves are taken back
}

// assesses reports why what the game is worth is not shown at the table now, or nil. A value reveals something of the
// hand from which it follows; so it is shown only where nothing is hidden.
func (r *room) assesses() error {
	switch {
	case r.hall.Assess == nil:
		return refuse(Wrong, "nobody here says what games are worth")
	case !r.table.Game().Spec().PerfectInformation:
		return refuse(Forbidden, "where cards are hidden, only replays show what the game is worth: it depends on the cards")
	case r.table.Open() >= 0:
		return refuse(Forbidden, "the game has not begun")
	case !r.helps():
		return refuse(Forbidden, "where people play against one another, nobody is shown what the game is worth")
	}
	return nil
}

// Outlook returns what the game at a table is worth to its seats now, for those who watch. The forecast continues from
// the step of the question before.
func (h *Hall) Outlook(ctx context.Context, id, key string) (*Outlook, error) {
	r, p, err := h.pass(id, key)
	if err != nil {
		return nil, err
	}
	if len(p.seats) > 0 {
		return nil, refuse(Forbidden, "what the game is worth is for those who watch")
	}
	r.mutex.Lock()
	err = r.assesses()
	game, start, run := r.table.Game(), r.table.plan.Start, r.run
	steps, rounds := append([]int{}, r.table.story.history...), r.table.rounds
	r.mutex.Unlock()
	if err != nil {
		return nil, err
	}
	o, err := r.assessed.follow(steps, rounds, func() (*forecast, error) { return h.Assess.begin(ctx, game, start, run) })
	if err != nil {
		return nil, refuse(Wrong, "%v", err)
	}
	if o == nil {
		return nobody(game.Spec()), nil
	}
	return o, nil
}

// follow brings the forecast, which begin makes, to where at least those steps have been made; nil if there is none.
func (a *assessed) follow(steps []int, rounds int, begin func() (*forecast, error)) (o *Outlook, err error) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if !a.begun || a.rounds != rounds {
		if a.made, err = begin(); err != nil {
			return nil, err
		}
		a.begun, a.steps, a.rounds = true, 0, rounds
	}
	if a.made == nil {
		return nil, nil
	}
	for ; a.steps < len(steps); a.steps++ {
		if err := a.made.apply(steps[a.steps]); err != nil {
			a.begun = false
			return nil, err
		}
	}
	o = a.made.outlook()
	o.From, o.Values = a.steps, append(o.Values, a.made.now())
	return o, nil
}
