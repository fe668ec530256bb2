package messages

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"slices"

	"croupier/internal/sealed"
)

// MemberList is the run directory's list of the frozen versions.
type MemberList struct {
	Kept    []*Member // in whatever order
	Dropped []DroppedMember
}

// DroppedMember is what a run keeps of a frozen version whose weights it has removed.
type DroppedMember struct {
	*Member
	Standing
}

// Standing is the place of a version when it was dropped, in the unit of the ladder's scale. Without games
// nothing is known of it.
type Standing struct {
	Rating float64 `json:"rating"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	Games  uint64  `json:"games"` // as the ladder counts them
}

// memberLine is a member in the run directory's list.
type memberLine struct {
	Name     string    `json:"name"`
	Order    uint64    `json:"order"`
	SHA256   string    `json:"sha256"`
	Object   string    `json:"object"`
	Updates  uint64    `json:"updates"`
	Samples  uint64    `json:"samples"`
	Seconds  float64   `json:"seconds"`
	Setbacks uint64    `json:"setbacks,omitempty"`
	Resets   uint64    `json:"resets,omitempty"`
	Dropped  *Standing `json:"dropped,omitempty"`
}

func newMemberLine(m *Member, dropped *Standing) memberLine {
	return memberLine{m.Name, m.Order, hex.EncodeToString(m.Sha256), m.Object, m.Updates, m.Samples, m.Seconds, m.Setbacks,
		m.Resets, dropped}
}

// FormatMembers returns a list with a member on each line, by their numbers ([sealed.List]).
func FormatMembers(list MemberList) ([]byte, error) {
	var lines []memberLine
	for _, m := range list.Kept {
		lines = append(lines, newMemberLine(m, nil))
	}
	for _, m := range list.Dropped {
		lines = append(lines, newMemberLine(m.Member, &m.Standing))
	}
	slices.SortStableFunc(lines, func(x, y memberLine) int { return cmp.Compare(x.Order, y.Order) })
	return sealed.List(lines)
}

// ParseMembers reads what FormatMembers wrote, and counts the lines that are not intact.
func ParseMembers(doc []byte) (list MemberList, damaged int) {
	for line := range bytes.Lines(doc) {
		var l memberLine
		ok := sealed.Open(line, &l)
		sum, err := hex.DecodeString(l.SHA256)
		if !ok || err != nil {
			damaged++
			continue
		}
		m := &Member{
			Schema: SchemaVersion, Name: l.Name, Order: l.Order, Object: l.Object, Sha256: sum,
			Updates: l.Updates, Samples: l.Samples, Seconds: l.Seconds, Setbacks: l.Setbacks, Resets: l.Resets,
		}
		if l.Dropped != nil {
			list.Dropped = append(list.Dropped, DroppedMember{m, *l.Dropped})
			continue
		}
		list.Kept = append(list.Kept, m)
	}
	return list, damaged
}
