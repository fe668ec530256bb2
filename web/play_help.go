package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"croupier/advice"
	"croupier/play"
)

// hint answers what the moves of the person to move are worth.
func (a *playAPI) hint(r *tableRequest) (any, error) {
	q, err := a.hall.Ask(r.id, r.key)
	if err != nil {
		return nil, err
	}
	return a.ask(r.ctx, q, "")
}

// thoughts are what an agent would do in the seat of the person to move.
type thoughts struct {
	Agent   string    `json:"agent"`
	Actions []thought `json:"actions"`
	Value   *float64  `json:"value,omitempty"` // of the position to who is to move, with the best action
	Unit    string    `json:"unit"`
}

type thought struct {
	Action      int     `json:"action"`
	Name        string  `json:"name"`
	Probability float64 `json:"probability"`
}

// thoughts answers what an agent thinks of the position: the named one, else the first one at the
// table.
func (a *playAPI) thoughts(r *tableRequest, agent string) (any, error) {
	q, err := a.hall.Ask(r.id, r.key)
	if err != nil {
		return nil, err
	}
	if agent == "" && len(q.Agents) > 0 {
		agent = q.Agents[0]
	}
	answer, err := a.ask(r.ctx, q, agent)
	if err != nil {
		return nil, err
	}
	t := thoughts{Agent: answer.Agent, Unit: answer.Unit, Actions: []thought{}}
	for _, action := range answer.Actions {
		p := 0.0
		switch {
		case action.Frequency != nil:
			p = *action.Frequency
		case action.Action == answer.Best:
			p = 1
		}
		t.Actions = append(t.Actions, thought{action.Action, action.Name, p})
	}
	if best := answer.Of(answer.Best); best != nil {
		t.Value = &best.Value
	}
	return t, nil
}

// ask asks the advisor, a few questions at a time.
func (a *playAPI) ask(ctx context.Context, q *play.Position, agent string) (*advice.Answer, error) {
	select {
	case a.questions <- struct{}{}:
		defer func() { <-a.questions }()
	default:
		return nil, &play.Refusal{Kind: play.Full, Text: "others are asking at the moment: try again in a few seconds"}
	}
	rules, err := json.Marshal(q.Game.Rules())
	if err != nil {
		return nil, fmt.Errorf("rules: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	answer, err := a.advisor.Advise(ctx, q.Run, q.Game.Spec().Name, string(rules), agent, q.Document)
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, &play.Refusal{Kind: play.Full, Text: fmt.Sprintf("no answer within %v", answerTimeout)}
	}
	return answer, err
}
