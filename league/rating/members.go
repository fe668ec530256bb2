package rating

import (
	"croupier/messages"
	"croupier/policy"
)

// MemberOrder returns the number of the frozen version that plays under a name, in whatever
// way: "main@12" and "greedy:main@12" are the same version. References have none.
func MemberOrder(name string) (uint64, bool) {
	_, network, err := policy.CutTemperature(name)
	if err != nil {
		return 0, false
	}
	_, order, ok := messages.ParseMemberName(network)
	return order, ok
}

// IsMember tells frozen versions from references by their names.
func IsMember(name string) bool {
	_, ok := MemberOrder(name)
	return ok
}

// Newest returns the name of the member that joined last, as it plays its best; "" without
// members.
func Newest(l *messages.Ladder) string {
	name, newest := "", uint64(0)
	for _, a := range l.Agents {
		order, ok := MemberOrder(a.Name)
		_, _, sampled := messages.ParseMemberName(a.Name)
		if ok && (order > newest || order == newest && !sampled) {
			name, newest = a.Name, order
		}
	}
	return name
}
