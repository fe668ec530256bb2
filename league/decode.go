package league

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"math"
	"strings"

	"croupier/messages"
)

// decodePointer reads and checks the pointer that was found under a State key.
func decodePointer(key string, data []byte) (*messages.Pointer, error) {
	p := &messages.Pointer{}
	if err := messages.Decode(data, p); err != nil {
		return nil, err
	}
	switch {
	case messages.CheckToken(p.Agent) != nil || messages.PointerKey(p.Agent) != key:
		return nil, fmt.Errorf("it is of agent %.80q and does not belong under the key %q", p.Agent, key)
	case p.Object == "":
		return nil, fmt.Errorf("it names no object")
	}
	_, sum := p.Lasting()
	return p, cmp.Or(checkWeights(p.Sha256, p.Seconds), checkWeights(sum, p.Seconds))
}

// decodeMember reads and checks a member that was found under a State key.
func decodeMember(key string, data []byte) (*messages.Member, error) {
	m := &messages.Member{}
	if err := messages.Decode(data, m); err != nil {
		return nil, err
	}
	if key != messages.MemberKey(agentOf(m), m.Order) {
		return nil, fmt.Errorf("number %d does not belong under the key %q", m.Order, key)
	}
	return m, checkMember(m)
}

// checkMember reports what is wrong with a member.
func checkMember(m *messages.Member) error {
	switch {
	case m.Order == 0 || agentOf(m) == "" || m.Name != messages.MemberName(agentOf(m), m.Order):
		return fmt.Errorf("name %.80q and number %d do not belong together", m.Name, m.Order)
	case !strings.HasPrefix(m.Object, messages.MemberObjects):
		return fmt.Errorf("object %.80q is not a frozen version", m.Object)
	}
	return checkWeights(m.Sha256, m.Seconds)
}

func checkWeights(sum []byte, seconds float64) error {
	switch {
	case len(sum) != sha256.Size:
		return fmt.Errorf("SHA-256 of %d bytes", len(sum))
	case !(seconds >= 0) || math.IsInf(seconds, 0):
		return fmt.Errorf("%v seconds of training", seconds)
	}
	return nil
}
