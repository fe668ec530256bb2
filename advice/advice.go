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
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	"croupier/engine"
	"croupier/policy"
)

// Agent is the player to ask.
type Agent struct {
	Name string
	New  func() policy.Policy
	// Recurrent agents have a memory: they need the game from its beginning.
	Recurrent bool
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

// Options limit the playouts. They do not affect agents with values of their own.
type Options struct {
	// Samples is the number of games after each action. 0 means as many as it takes to tell
	// the best two actions apart, within Budget.
	Samples int
	Budget  time.Duration
	Seed    uint64
	Workers int // goroutines that play; 0: one per processor
}

// DefaultOptions suit a person waiting for the answer.
func DefaultOptions() Options { return Options{Budget: 2 * time.Second, Seed: 1} }

// Validate names the first option that is out of range.
func (o Options) Validate() error {
	switch {
	case o.Samples < 0 || o.Samples > maxSamples:
		return fmt.Errorf("samples is %d, not in 0..%d", o.Samples, maxSamples)
	case o.Samples == 0 && o.Budget <= 0:
		return fmt.Errorf("budget is %v: without a number of samples it must be positive", o.Budget)
	}
	return nil
}

// Action describes one legal action. Low and High bound the 95 % interval of the value,
// LossLow and LossHigh that of the loss; in an exact answer they equal the value and the
// loss.
type Action struct {
	Action   int      `json:"action"`
	Name     string   `json:"name"`
	Value    float64  `json:"value"`
	Loss     float64  `json:"loss"`
	Low      float64  `json:"low"`
	High     float64  `json:"high"`
	LossLow  float64  `json:"loss_low"`
	LossHigh float64  `json:"loss_high"`
	Risk     *float64 `json:"risk,omitempty"` // probability of Answer.Risk
}

// Answer is the advice for a position. Its actions are the legal ones in ascending order.
type Answer struct {
	Game    string   `json:"game"`
	Agent   string   `json:"agent"`
	Exact   bool     `json:"exact"`
	Actions []Action `json:"actions"`
	Best    int      `json:"best"` // action with the greatest value
	Unit    string   `json:"unit"`
	Reason  string   `json:"reason"`
	Risk    string   `json:"risk,omitempty"`  // the worst that can come of an action; "": none is known
	Games   int      `json:"games,omitempty"` // played out after each action
	Notes   []string `json:"notes,omitempty"` // what was assumed
	Seat    int      `json:"seat"`
	Text    string   `json:"text,omitempty"` // the position in words, if nothing of it is hidden
}

// ErrNoDecision says that nobody is to move in the position.
var ErrNoDecision = errors.New("nobody is to move")

// Advise answers the question.
func Advise(ctx context.Context, q Question, agent Agent, o Options) (*Answer, error) {
	if err := o.Validate(); err != nil {
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
	a := &Answer{Game: spec.Name, Agent: agent.Name, Seat: seat, Notes: q.Notes}
	for _, action := range q.State.LegalActions(nil) {
		a.Actions = append(a.Actions, Action{Action: action, Name: q.State.ActionName(action)})
	}
	if spec.PerfectInformation {
		a.Text = q.State.String()
	}
	fill := playOut
	asked := agent.New()
	if valuer, ok := asked.(policy.Valuer); ok {
		fill = func(context.Context, *Answer, Question, Agent, Options) error {
			return a.ask(valuer, q.State)
		}
	}
	if err := fill(ctx, a, q, agent, o); err != nil {
		return nil, err
	}
	a.Reason = a.reason()
	if explainer, ok := asked.(policy.Explainer); ok {
		why := explainer.Explain(q.State, q.State.LegalActions(nil))
		a.Reason = strings.Join(append([]string{a.Reason}, why...), " ")
	}
	return a, nil
}

// ask fills the answer with the agent's own values.
func (a *Answer) ask(v policy.Valuer, s engine.State) error {
	legal := s.LegalActions(nil)
	values := make([]policy.Value, len(legal))
	v.Values(s, legal, values)
	scale := v.Scale()
	a.Exact, a.Unit, a.Risk = scale.Exact, inWords(scale.Unit), scale.Risk
	best := 0
	for i := range values {
		if values[i].Mean > values[best].Mean {
			best = i
		}
	}
	a.Best = legal[best]
	top := values[best]
	for i, value := range values {
		entry := &a.Actions[i]
		entry.Value, entry.Low, entry.High = value.Mean, value.Low, value.High
		entry.Loss = top.Mean - value.Mean
		// How the errors of two actions are correlated is unknown.
		entry.LossLow, entry.LossHigh = top.Low-value.High, top.High-value.Low
		if i == best {
			entry.LossLow, entry.LossHigh = 0, 0
		}
		if scale.Risk != "" {
			entry.Risk = &value.Risk
		}
	}
	return nil
}

// inWords names a unit for people. Values in games won or lost are win probabilities.
func inWords(unit string) string {
	if unit == "wins" {
		return "win probability"
	}
	return unit
}

// best returns the entries with the two greatest values; second is nil if there is only one
// action.
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
