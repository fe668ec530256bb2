package messages

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"croupier/internal/strict"
)

// Setback reports that training has made the agent weaker, and to which version it is to go back (State key
// SetbackKey, JSON). The league finds it; the learner obeys, and says so by Pointer.setbacks.
type Setback struct {
	Number uint64 `json:"number"` // 1, 2, 3, …
	// Best is the version that has passed the gate last; Object and SHA256 (hex) are its weights.
	Best   string `json:"best"`
	Object string `json:"object"`
	SHA256 string `json:"sha256"`
	// Again counts the setbacks to this version, this one included.
	Again int `json:"again"`
	// Weaker are the versions that were found to be weaker than the best, one after the other.
	Weaker []Weakness `json:"weaker"`
	// Evidence is the logarithm of the likelihood ratio of all of them together, Threshold what it had to
	// reach; Loss is what "weaker" meant, in standard deviations of a set, and Error the probability of an alarm
	// at a version if none of them is weaker.
	Evidence  float64 `json:"evidence"`
	Threshold float64 `json:"threshold"`
	Loss      float64 `json:"loss"`
	Error     float64 `json:"error"`
}

// Weakness is what a version has got against the best in the gate's sets.
type Weakness struct {
	Agent string  `json:"agent"`
	Sets  uint64  `json:"sets"`
	Gain  float64 `json:"gain"` // mean, in standard deviations of a set; 0 is that of an equal
}

// ParseSetback reads the document of a setback.
func ParseSetback(doc []byte) (*Setback, error) {
	s := &Setback{}
	err := strict.Unmarshal(doc, s)
	if err == nil {
		sum, bad := hex.DecodeString(s.SHA256)
		switch {
		case s.Number == 0:
			err = errors.New("it has no number")
		case !strings.HasPrefix(s.Object, MemberObjects) || bad != nil || len(sum) != sha256.Size:
			err = fmt.Errorf("object %.80q with SHA-256 %.80q is not a frozen version", s.Object, s.SHA256)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("setback: %w", err)
	}
	return s, nil
}

// String says it to people.
func (s *Setback) String() string {
	var names []string
	for _, w := range s.Weaker {
		names = append(names, fmt.Sprintf("%s by %.2f", w.Agent, -w.Gain))
	}
	return fmt.Sprintf("weaker than %s, in standard deviations of a set: %s", s.Best, strings.Join(names, ", "))
}
