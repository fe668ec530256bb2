// Package advice says what should be played at a position and what every other action
// costs.
//
// The answer comes from an agent. An agent that knows what actions are worth (a
// [policy.Valuer], usually a solver) is simply asked; its values are exact where it says
// so. For any other agent the rest of the game is played out many times after each legal
// action, with the agent in all seats ([Options]). All actions meet the same dice and cards
// (common random numbers), so their differences are known more precisely than their values.
//
// What the seat to move does not know is redrawn for every game played out, uniformly among
// what is consistent with its knowledge, and weighted by how likely the agent in the other
// seats would have been to act as they did ([engine.Past]): a bet says something about the
// cards behind it.
//
// Terms: the value of an action is the expected result of the seat to move; its loss is how
// far it falls short of the best action. [Advise] answers for one position, a [Reviewer]
// for every decision of games that were played.
package advice

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	"croupier/engine"
	"croupier/internal/stat"
	"croupier/policy"
)

// Agent is the player to ask.
type Agent struct {
	Name string
	New  func() policy.Policy
	// Recurrent agents have a memory: they need the game from its beginning.
	Recurrent bool
	// Trained has the probabilities to which a network that plays greedily was trained; nil for others.
	Trained func() policy.Stochastic
	Adviser Adviser // why this one is asked
}

// Question is a position.
type Question struct {
	Game  engine.Game
	State engine.State // some seat must be to move
	// History leads from the beginning of the game to the state; nil if it is unknown. A
	// state that is an engine.Past does not need it.
	History []int
	Notes   []string // on the position, repeated in the answer
}

// past returns the history that leads to the state, nil if it is unknown.
func (q Question) past() []int {
	if s, ok := q.State.(engine.Past); ok {
		return s.Past(nil)
	}
	return q.History
}

// key is what the seat to move knows, in a form in which equal knowledge is equal: the position
// that people write, where there is one.
func (q Question) key() string {
	seat := q.State.Player()
	if g, ok := q.Game.(engine.Positioned); ok {
		return string(g.FormatPosition(q.State, seat))
	}
	return string(q.State.InformationKey(seat, nil))
}

// Options limit the playouts. They do not affect agents with values of their own.
//
// The same question with the same options gets the same answer, on any machine and with any
// number of workers, unless the time runs out, which the answer says.
type Options struct {
	// Samples is the number of games after each action. 0 means the greatest power of two, from 64
	// to 4096, with which all games together have no more than Steps steps; how they end has no
	// influence on it.
	Samples int
	Steps   int
	// Budget is the time after which no more games are begun, unless Samples are given; 64 are
	// always played. 0: none.
	Budget  time.Duration
	Seed    uint64
	Workers int // goroutines that play; 0: one per processor
	// Given names the options that somebody has chosen, as he knows them. Where no games are played out
	// the answer notes that they have no effect.
	Given []string
	// Progress, unless nil, is called after each block of games that were played out, by any goroutine; games may turn
	// out to be fewer.
	Progress func(done, games int)
}

// idle returns the note on given options where the agent needs none; nil if there is nothing to note.
func (o *Options) idle(agent Agent, asked policy.Policy) []string {
	if _, values := asked.(policy.Valuer); !values || len(o.Given) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s: without effect, as no games are played out: %s knows what actions are worth",
		strings.Join(o.Given, ", "), agent.Name)}
}

const (
	minSamples     = 64
	defaultSamples = 4096 // at most
	maxSamples     = 1 << 20
)

// DefaultOptions suit one question: for bots they mean a second or less in most games.
func DefaultOptions() Options { return Options{Steps: 1 << 22, Budget: time.Minute, Seed: 1} }

// ReviewOptions suit the many decisions of a review.
func ReviewOptions() Options { return Options{Steps: 1 << 16, Seed: 1} }

// Validate names the first option that is out of range.
func (o Options) Validate() error {
	switch {
	case o.Samples < 0 || o.Samples > maxSamples:
		return fmt.Errorf("samples is %d, not in 0..%d", o.Samples, maxSamples)
	case o.Samples == 0 && o.Steps <= 0:
		return fmt.Errorf("steps is %d: without a number of samples it must be positive", o.Steps)
	case o.Budget < 0:
		return fmt.Errorf("budget is %v: it must not be negative", o.Budget)
	}
	return nil
}

// Action describes one legal action. Low and High bound the 95 % interval of the value,
// LossLow and LossHigh that of the loss; in an exact answer they equal the value and the
// loss.
type Action struct {
	Action int     `json:"action"`
	Name   string  `json:"name"`
	Value  float64 `json:"value"`
	// Loss is estimated without bias towards the best of several noisy values, see
	// outcomes.loss; it may be below 0 by chance.
	Loss     float64  `json:"loss"`
	Low      float64  `json:"low"`
	High     float64  `json:"high"`
	LossLow  float64  `json:"loss_low"`
	LossHigh float64  `json:"loss_high"`
	Risk     *float64 `json:"risk,omitempty"` // probability of Answer.Risk
	// Frequency is the probability with which the agent takes the action; nil if that is not known.
	Frequency *float64 `json:"frequency,omitempty"`
	// P bounds the probability of such evidence against the action if no other is better.
	P float64 `json:"p_value"`

	// shortfall is what the agent's own play is worth more than the action.
	shortfall stat.Interval
}

// Answer is the advice for a position. Its actions are the legal ones in ascending order.
type Answer struct {
	Game    string   `json:"game"`
	Agent   string   `json:"agent"`
	Adviser Adviser  `json:"adviser"`
	Exact   bool     `json:"exact"`
	Actions []Action `json:"actions"`
	Best    int      `json:"best"` // action with the greatest value; of equal ones, the agent's favourite
	Unit    string   `json:"unit"`
	// UnitMeaning explains the unit, "" where it explains itself.
	UnitMeaning string `json:"unit_meaning,omitempty"`
	// ValueError bounds the error of differences of exact values; 0: only rounding.
	ValueError float64  `json:"value_error,omitempty"`
	Decimals   int      `json:"decimals"` // that mean something in values and losses
	Reason     string   `json:"reason"`
	Risk       string   `json:"risk,omitempty"`  // the worst that can come of an action; "": none is known
	Games      int      `json:"games,omitempty"` // played out after each action
	Notes      []string `json:"notes,omitempty"` // what was assumed
	Seat       int      `json:"seat"`
	// Position is what the seat knows, if it can be written down; Line is the same in one line.
	Position json.RawMessage `json:"position,omitempty"`
	Line     string          `json:"line,omitempty"`
	Text     string          `json:"text,omitempty"` // the position in words, if nothing of it is hidden

	// spread is the shortfall of the worst action.
	spread float64
}

// ErrNoDecision reports that no seat is to move in the position.
var ErrNoDecision = errors.New("no seat is to move")

// Advise answers the question.
func Advise(ctx context.Context, q Question, agent Agent, o Options) (*Answer, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if o.Workers == 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	seat := q.State.Player()
	if seat < 0 {
		return nil, ErrNoDecision
	}
	spec := q.Game.Spec()
	a := &Answer{
		Game: spec.Name, Agent: agent.Name, Adviser: agent.Adviser, Seat: seat, Line: engine.LineOf(q.Game, q.State),
		Notes: append(agent.Adviser.notes(spec), q.Notes...),
	}
	for _, action := range q.State.LegalActions(nil) {
		a.Actions = append(a.Actions, Action{Action: action, Name: q.State.ActionName(action)})
	}
	if spec.PerfectInformation {
		a.Text = q.State.String()
	}
	if g, ok := q.Game.(engine.Positioned); ok {
		a.Position = g.FormatPosition(q.State, seat)
	}
	asked := agent.New()
	a.Notes = append(a.Notes, o.idle(agent, asked)...)
	if err := a.mix(q, agent, asked); err != nil {
		return nil, err
	}
	if valuer, ok := asked.(policy.Valuer); ok {
		a.ask(valuer, q.State)
	} else if err := playOut(ctx, a, q, agent, o); err != nil {
		return nil, err
	}
	if a.Unit == inWords(spec.Unit) {
		a.inCoins(spec)
	}
	a.Decimals = a.decimals()
	a.Reason = a.reason()
	if explainer, ok := asked.(policy.Explainer); ok {
		why := explainer.Explain(q.State, q.State.LegalActions(nil))
		a.Reason = strings.Join(append([]string{a.Reason}, why...), " ")
	}
	return a, nil
}

// mix notes how often the agent takes each action, where that is known.
func (a *Answer) mix(q Question, agent Agent, asked policy.Policy) error {
	p, ok := asked.(policy.Stochastic)
	if !ok {
		return nil
	}
	frequencies, err := q.frequencies(agent, p)
	for i := range frequencies {
		a.Actions[i].Frequency = &frequencies[i]
	}
	return err
}

// inCoins writes amounts in the unit of the game as people count them.
func (a *Answer) inCoins(spec *engine.Spec) {
	unit, scale := spec.Coin.Shown(a.Unit)
	if a.Unit = unit; scale == 1 {
		a.UnitMeaning = spec.UnitMeaning
		return
	}
	a.ValueError *= scale
	a.spread *= scale
	for i := range a.Actions {
		e := &a.Actions[i]
		for _, amount := range []*float64{&e.Value, &e.Low, &e.High, &e.Loss, &e.LossLow, &e.LossHigh,
			&e.shortfall.Value, &e.shortfall.Low, &e.shortfall.High} {
			*amount *= scale
		}
	}
}

// inWords names a unit for people. Values in games won or lost are win probabilities.
func inWords(unit string) string {
	if unit == "wins" {
		return "win probability"
	}
	return unit
}

// best returns the entries of the best action and of the one with the greatest value among the
// others; second is nil if there is only one action.
func (a *Answer) best() (best, second *Action) {
	for i := range a.Actions {
		entry := &a.Actions[i]
		switch {
		case entry.Action == a.Best:
			best = entry
		case second == nil || entry.Value > second.Value:
			second = entry
		}
	}
	return best, second
}

// Of returns the entry of an action, nil if the action is not legal.
func (a *Answer) Of(action int) *Action {
	for i := range a.Actions {
		if a.Actions[i].Action == action {
			return &a.Actions[i]
		}
	}
	return nil
}
