package messages

import (
	"encoding/json"
	"fmt"

	"croupier/internal/strict"
)

// MaxAssigned bounds the matches that an actor is given by name at a time.
const MaxAssigned = 32

// assigned is the value of an AssignedKey.
type assigned struct {
	Matches [][]byte `json:"matches"` // each an encoded Match
}

// AssignedKey is the State key of the matches that the league gives to one actor by name.
func AssignedKey(actor string) string { return AssignedPrefix + actor }

// EncodeAssigned encodes the matches of an actor, at most MaxAssigned.
func EncodeAssigned(matches []*Match) ([]byte, error) {
	list := assigned{Matches: [][]byte{}}
	for _, m := range matches {
		data, err := Encode(m)
		if err != nil {
			return nil, err
		}
		list.Matches = append(list.Matches, data)
	}
	return json.Marshal(list)
}

// DecodeAssigned returns the encoded matches of an actor.
func DecodeAssigned(value []byte) ([][]byte, error) {
	var list assigned
	if err := strict.Unmarshal(value, &list); err != nil {
		return nil, fmt.Errorf("assigned matches: %w", err)
	}
	if len(list.Matches) > MaxAssigned {
		return nil, fmt.Errorf("assigned matches: %d are more than %d", len(list.Matches), MaxAssigned)
	}
	return list.Matches, nil
}
