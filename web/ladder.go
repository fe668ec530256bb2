package web

import (
	"encoding/json"
	"fmt"
)

// Ladder is the league's document of ratings and results (State key "ladder").
type Ladder struct {
	Game   string        `json:"game"`
	Agents []LadderAgent `json:"agents"`
	Payoff []Payoff      `json:"payoff"`
}

// LadderAgent is a rated agent. Low and High bound the rating's 95 % interval.
type LadderAgent struct {
	Name   string  `json:"name"`
	Kind   string  `json:"kind"` // "network", "bot" or "solver"
	Rating float64 `json:"rating"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	Games  uint64  `json:"games"`
	Best   bool    `json:"best,omitempty"`
}

// Payoff is what A returned on average in games among B's, with a 95 % interval.
type Payoff struct {
	A           string  `json:"a"`
	B           string  `json:"b"`
	Games       uint64  `json:"games"`
	MeanReturnA float64 `json:"mean_return_a"`
	Low         float64 `json:"low"`
	High        float64 `json:"high"`
}

// Best returns the agent marked best, if there is one.
func (l *Ladder) Best() (LadderAgent, bool) {
	if l != nil {
		for _, agent := range l.Agents {
			if agent.Best {
				return agent, true
			}
		}
	}
	return LadderAgent{}, false
}

func decodeLadder(data []byte) (*Ladder, error) {
	ladder := &Ladder{}
	if err := json.Unmarshal(data, ladder); err != nil {
		return nil, fmt.Errorf("ladder document: %w", err)
	}
	for i, agent := range ladder.Agents {
		if agent.Name == "" {
			return nil, fmt.Errorf("ladder document: agent %d has no name", i)
		}
	}
	return ladder, nil
}
