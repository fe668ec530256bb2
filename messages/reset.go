package messages

import (
	"errors"
	"fmt"

	"croupier/internal/strict"
)

// Reset reports that an agent is to begin again with new weights (State key ResetKey, JSON), after the version that it
// had become was frozen. The league decides it; the agent's learner obeys, and says so by Pointer.resets.
type Reset struct {
	Agent  string `json:"agent"`
	Number uint64 `json:"number"` // 1, 2, 3, … for each agent
	Member string `json:"member"` // the version that was frozen, as MemberName
	Why    string `json:"why"`    // for people
}

// String says it in a sentence.
func (r *Reset) String() string {
	times := "once"
	if r.Number > 1 {
		times = fmt.Sprintf("%d times", r.Number)
	}
	return fmt.Sprintf("%s has begun again, %s so far, last after %s: %s", r.Agent, times, r.Member, r.Why)
}

// ParseReset reads the document of a reset.
func ParseReset(doc []byte) (*Reset, error) {
	r := &Reset{}
	if err := r.parse(doc); err != nil {
		return nil, fmt.Errorf("reset: %w", err)
	}
	return r, nil
}

func (r *Reset) parse(doc []byte) error {
	if len(doc) == 0 {
		return errors.New("empty document")
	}
	if err := strict.JSON(doc).Decode(r); err != nil {
		return err
	}
	if r.Number == 0 {
		return errors.New("it has no number")
	}
	if r.Agent == LearningAgent {
		return fmt.Errorf("agent %q is never reset", r.Agent)
	}
	if err := CheckToken(r.Agent); err != nil {
		return err
	}
	if agent, _, ok := ParseMemberName(r.Member); !ok || agent != r.Agent {
		return fmt.Errorf("member %.80q is not a frozen version of %s", r.Member, r.Agent)
	}
	return nil
}
