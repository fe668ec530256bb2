package messages

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"croupier/internal/sealed"
	"croupier/internal/strict"
)

// Promotion reports that a member has become best, and why (State key PromotionKey, JSON; a
// line of promotions.jsonl in the run directory). It is decided once and never unmade.
type Promotion struct {
	Number uint64 `json:"number"` // 1, 2, 3, …
	Agent  string `json:"agent"`  // who is best from now on
	// Over is who was best before; "" for the first member, which passes no gate.
	Over   string `json:"over,omitempty"`
	SHA256 string `json:"sha256"` // of the agent's weights, hex
	// Training so far with these weights.
	Seconds float64 `json:"seconds"`
	Samples uint64  `json:"samples"`
	// Result is the sequence number, in the stream of results, of the last that was known.
	Result uint64 `json:"result"`
	// Gate is why; nil for the first member, and where all learn against fixed opponents.
	Gate *GateTest `json:"gate,omitempty"`
	// References are the agents against whom it has not regressed.
	References []GateReference `json:"references,omitempty"`
	// Exploitability is what the agent can lose a game to an opponent that knows it, ExploitabilityBefore what the best
	// before it can, in the game's unit; nil where the gate does not ask.
	Exploitability       *float64 `json:"exploitability,omitempty"`
	ExploitabilityBefore *float64 `json:"exploitability_before,omitempty"`
}

// GateTest is a sequential probability ratio test that was passed: the agent alone among
// copies of Promotion.Over.
type GateTest struct {
	FirstSet uint64 `json:"first_set"` // as in Match
	Sets     uint64 `json:"sets"`
	Games    uint64 `json:"games"`
	// Outcome over these sets with a 95 % interval as if their number had been fixed: the mean
	// return in games for money, else the share of the win above parity. It is too good on
	// average, since the sets ended when they were good enough.
	Outcome Interval `json:"outcome"`
	// Evidence is the logarithm of the likelihood ratio at the end, Threshold what it had to
	// reach; MinimumGain is what "better" meant, in standard deviations of a set, and Error the
	// probability of a wrong verdict.
	Evidence    float64 `json:"evidence"`
	Threshold   float64 `json:"threshold"`
	MinimumGain float64 `json:"minimum_gain"`
	Error       float64 `json:"error"`
}

// GateReference compares the outcome of the agent and of the best before it against a
// reference, each over sets of its own.
type GateReference struct {
	Name       string   `json:"name"`
	Sets       uint64   `json:"sets"`
	Agent      Interval `json:"agent"`
	SetsBefore uint64   `json:"sets_before"`
	Before     Interval `json:"before"`
}

// ParsePromotion reads the document that JSON wrote.
func ParsePromotion(doc []byte) (*Promotion, error) {
	p := &Promotion{}
	err := strict.Unmarshal(doc, p)
	switch {
	case err != nil:
	case p.Number == 0:
		err = errors.New("it has no number")
	case p.Agent == "":
		err = errors.New("it names no agent")
	}
	if err != nil {
		return nil, fmt.Errorf("promotion: %w", err)
	}
	return p, nil
}

// JSON returns the document, on one line.
func (p *Promotion) JSON() ([]byte, error) {
	doc, err := json.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("promotion %d: %w", p.Number, err)
	}
	return doc, nil
}

// FormatPromotions returns a list with a promotion on each line ([sealed.List]).
func FormatPromotions(all []*Promotion) (doc []byte, err error) {
	if doc, err = sealed.List(all); err != nil {
		return nil, fmt.Errorf("promotions: %w", err)
	}
	return doc, nil
}

// OpenPromotion reads a line of such a document. Version 0.1 wrote lines without checksums.
func OpenPromotion(line []byte) (p *Promotion, c sealed.Condition, err error) {
	var text json.RawMessage
	if c, err = sealed.OpenLine(line, &text); err == nil {
		p, err = ParsePromotion(text)
	}
	return p, c, err
}

// ParsePromotions reads a document with a promotion on each line, by rising number. It
// returns those before the first line that is wrong, and says what is wrong with it.
func ParsePromotions(doc []byte) (all []*Promotion, err error) {
	for line := range bytes.Lines(doc) {
		p, _, err := OpenPromotion(line)
		if err == nil && len(all) > 0 && p.Number <= all[len(all)-1].Number {
			err = fmt.Errorf("promotion %d is out of place", p.Number)
		}
		if err != nil {
			return all, fmt.Errorf("line %d: %w", len(all)+1, err)
		}
		all = append(all, p)
	}
	return all, nil
}
