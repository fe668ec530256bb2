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

// LadderAgent is a rated agent. Rating is in Elo; Low and High bound its 95 % interval.
type LadderAgent struct {
	Name   string  `json:"name"`
	Kind   string  `json:"kind"` // "network", "bot" or "solver"
	Rating float64 `json:"rating"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	Games  uint64  `json:"games"`
	Best   bool    `json:"best"`
}

// Payoff is what A got as the only one of its kind among Bs: its mean return in the
// game's unit and its mean share of the win, each with a 95 % interval.
type Payoff struct {
	A           string  `json:"a"`
	B           string  `json:"b"`
	Games       uint64  `json:"games"`
	MeanReturnA float64 `json:"mean_return_a"`
	Low         float64 `json:"low"`
	High        float64 `json:"high"`
	ShareA      float64 `json:"share_a"`
	ShareLow    float64 `json:"share_low"`
	ShareHigh   float64 `json:"share_high"`
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
