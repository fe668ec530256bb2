package messages

import (
	"encoding/json"
	"fmt"

	"croupier/engine"
)

// Ladder is the document that says how agents stand to each other (State key LadderKey).
type Ladder struct {
	Game string `json:"game"`
	// Agents by falling rating; equal ones by name.
	Agents []LadderAgent `json:"agents"`
	// Payoff is a matrix: an entry for each two agents that have met, A alone among
	// Bs, in the order of Agents. B among As is another entry; with two seats it
	// is the same games seen from the other side.
	Payoff []Payoff `json:"payoff"`
	// Figures describes what LadderAgent.Figures holds, in the game's order.
	Figures []engine.Figure `json:"figures,omitempty"`
	// Promotions are the changes of the best, the newest last.
	Promotions []LadderPromotion `json:"promotions,omitempty"`
}

// LadderPromotion is a [Promotion] without its evidence.
type LadderPromotion struct {
	Number   uint64  `json:"number"`
	Agent    string  `json:"agent"`
	Over     string  `json:"over,omitempty"`
	Seconds  float64 `json:"seconds"`             // of training
	Samples  uint64  `json:"samples"`             // of training
	GateSets uint64  `json:"gate_sets,omitempty"` // in which the gate decided
	// Gain is what Agent has over Over, measured in other sets than those that decided; nil
	// without any.
	Gain *Gain `json:"gain,omitempty"`
}

// Gain is a difference with its 95 % interval: the mean return in games for money, in the
// game's unit, else Elo.
type Gain struct {
	Games uint64  `json:"games"`
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// LadderAgent is one rung.
type LadderAgent struct {
	Name string `json:"name"`
	Kind string `json:"kind"` // network, bot or solver
	// Rating in Elo (the random agent has 0; without it the mean is 0) and its 95 % interval.
	Rating float64 `json:"rating"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	Games  uint64  `json:"games"` // in which it took part
	Best   bool    `json:"best"`  // it has passed the gate
	// Figures by name, over the games that it played alone among others of one kind.
	// Those of which too little is known are not there.
	Figures map[string]Interval `json:"figures,omitempty"`
}

// Interval is a value with its 95 % interval.
type Interval struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// Payoff is what agent A got as the only one of its kind among Bs.
type Payoff struct {
	A     string `json:"a"`
	B     string `json:"b"`
	Games uint64 `json:"games"`
	// Mean return in the game's unit and its 95 % interval (by sets).
	MeanReturnA float64 `json:"mean_return_a"`
	Low         float64 `json:"low"`
	High        float64 `json:"high"`
	// Mean share of the win (parity is 1/seats) and its 95 % interval.
	ShareA    float64 `json:"share_a"`
	ShareLow  float64 `json:"share_low"`
	ShareHigh float64 `json:"share_high"`
}

// ParseLadder reads the document.
func ParseLadder(doc []byte) (*Ladder, error) {
	l := &Ladder{}
	if err := json.Unmarshal(doc, l); err != nil {
		return nil, fmt.Errorf("ladder document: %w", err)
	}
	for i, a := range l.Agents {
		if a.Name == "" {
			return nil, fmt.Errorf("ladder document: agent %d has no name", i)
		}
	}
	return l, nil
}

// JSON returns the document, indented for people.
func (l *Ladder) JSON() ([]byte, error) {
	doc, err := json.MarshalIndent(l, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("ladder document: %w", err)
	}
	return append(doc, '\n'), nil
}

// Best returns the agent marked best, if there is one; l may be nil.
func (l *Ladder) Best() (LadderAgent, bool) {
	if l != nil {
		for _, a := range l.Agents {
			if a.Best {
				return a, true
			}
		}
	}
	return LadderAgent{}, false
}
