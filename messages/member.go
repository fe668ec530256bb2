package messages

import (
	"bytes"
	"encoding/hex"

	"croupier/internal/sealed"
)

// memberLine is a member in the run directory's list.
type memberLine struct {
	Name    string  `json:"name"`
	Order   uint64  `json:"order"`
	SHA256  string  `json:"sha256"`
	Object  string  `json:"object"`
	Updates uint64  `json:"updates"`
	Samples uint64  `json:"samples"`
	Seconds float64 `json:"seconds"`
}

// FormatMembers returns a document with a member on each line, each with a checksum.
func FormatMembers(members []*Member) ([]byte, error) {
	var doc []byte
	for _, m := range members {
		line, err := sealed.Line(memberLine{
			m.Name, m.Order, hex.EncodeToString(m.Sha256), m.Object, m.Updates, m.Samples, m.Seconds,
		})
		if err != nil {
			return nil, err
		}
		doc = append(doc, line...)
	}
	return doc, nil
}

// ParseMembers reads what FormatMembers wrote, and counts the lines that are not intact.
func ParseMembers(doc []byte) (members []*Member, damaged int) {
	for line := range bytes.Lines(doc) {
		var l memberLine
		ok := sealed.Open(line, &l)
		sum, err := hex.DecodeString(l.SHA256)
		if !ok || err != nil {
			damaged++
			continue
		}
		members = append(members, &Member{
			Schema: SchemaVersion, Name: l.Name, Order: l.Order, Object: l.Object, Sha256: sum,
			Updates: l.Updates, Samples: l.Samples, Seconds: l.Seconds,
		})
	}
	return members, damaged
}
