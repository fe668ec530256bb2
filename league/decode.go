package league

import (
	"crypto/sha256"
	"fmt"
	"math"
	"strings"

	"croupier/messages"
)

// decodePointer reads and checks a learning agent's pointer.
func decodePointer(data []byte, agent string) (*messages.Pointer, error) {
	p := &messages.Pointer{}
	if err := messages.Decode(data, p); err != nil {
		return nil, err
	}
	switch {
	case p.Agent != agent:
		return nil, fmt.Errorf("it is of agent %.80q, not %q", p.Agent, agent)
	case p.Object == "":
		return nil, fmt.Errorf("it names no object")
	}
	return p, checkWeights(p.Sha256, p.Seconds)
}

// decodeMember reads and checks a member that was found under a State key.
func decodeMember(key string, data []byte, agent string) (*messages.Member, error) {
	m := &messages.Member{}
	if err := messages.Decode(data, m); err != nil {
		return nil, err
	}
	if key != messages.MemberKey(agent, m.Order) {
		return nil, fmt.Errorf("number %d does not belong under the key %q", m.Order, key)
	}
	return m, checkMember(m, agent)
}

// checkMember says what is wrong with a member.
func checkMember(m *messages.Member, agent string) error {
	switch {
	case m.Order == 0 || m.Name != messages.MemberName(agent, m.Order):
		return fmt.Errorf("name %.80q and number %d do not belong together", m.Name, m.Order)
	case !strings.HasPrefix(m.Object, messages.MemberObjects):
		return fmt.Errorf("object %.80q is no frozen version", m.Object)
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
