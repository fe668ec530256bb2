package advice

import (
	"context"
	"fmt"

	"croupier/policy"
)

// Thoughts are how an agent comes to its move in a position.
type Thoughts struct {
	Agent   string    `json:"agent"`
	Actions []Thought `json:"actions"` // the legal ones, ascending
	// Plays reports what the agent does with the probabilities, as the rest of a sentence about it.
	Plays string  `json:"plays"`
	Value float64 `json:"value"` // of the position to the seat to move that acts as the agent does
	Unit  string  `json:"unit"`
}

// Thought is one legal action.
type Thought struct {
	Action int    `json:"action"`
	Name   string `json:"name"`
	// Probability is that with which the agent takes the action; that which a network that plays
	// greedily was trained to.
	Probability float64 `json:"probability"`
}

// Think returns an agent's probabilities in a position and what it expects.
func Think(ctx context.Context, q Question, agent Agent, o Options) (*Thoughts, error) {
	answer, err := Advise(ctx, q, agent, o)
	if err != nil {
		return nil, err
	}
	legal := q.State.LegalActions(nil)
	taken, err := q.habits(agent, legal, draws, o.Seed)
	if err != nil {
		return nil, err
	}
	shown := taken
	if agent.Trained != nil {
		if shown, err = q.frequencies(agent, agent.Trained()); err != nil {
			return nil, err
		}
	}
	t := &Thoughts{Agent: answer.Agent, Plays: agent.plays(), Unit: answer.Unit}
	for i, a := range answer.Actions {
		t.Value += taken[i] * a.Value
		t.Actions = append(t.Actions, Thought{a.Action, a.Name, shown[i]})
	}
	return t, nil
}

// plays reports what the agent does with its probabilities.
func (a Agent) plays() string {
	asked := a.New()
	_, tells := asked.(policy.Stochastic)
	_, values := asked.(policy.Valuer)
	switch t, _, err := policy.CutTemperature(a.Name); {
	case a.Trained != nil:
		return "takes the likeliest; these are the probabilities it was trained to"
	case err == nil && t != policy.Greedy && t != policy.Sampled:
		return fmt.Sprintf("draws by these probabilities, those it was trained to at %v", t)
	case tells:
		return "draws by these probabilities"
	case values:
		return "takes what it values most"
	}
	return fmt.Sprintf("took these when asked %d times", draws)
}
