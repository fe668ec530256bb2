package league

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"croupier/internal/strict"
	"croupier/league/rating"
	"croupier/messages"
)

// snapshot is a core's state as of a result of the stream. Together with the
// results after it, and the population, it gives the same ladder as all results.
type snapshot struct {
	Schema int    `json:"schema"`
	Run    string `json:"run"`
	Rules  string `json:"rules_hash"`

	Place    mark   `json:"place"`
	Sequence uint64 `json:"sequence,omitempty"` // of Place, in schema 2
	progress
	Pairs       []rating.StoredPair `json:"pairs"`
	Outstanding []pairSets          `json:"outstanding"`
	// Dropped are the numbers of the members of whom the snapshot has no pairs any more: results of theirs
	// that the journal still has are counted in it.
	Dropped []uint64 `json:"dropped,omitempty"`

	// The sums of the game's figures by agent, in the order of the names.
	FigureNames []string                       `json:"figure_names,omitempty"`
	Figures     map[string][]rating.ExactRatio `json:"figures,omitempty"`
}

const (
	snapshotSchema = 3
	// namesSchema is that of programs that knew members by their names only.
	namesSchema = 2
)

type pairSets struct {
	rating.Agents
	Sets    rating.Span `json:"sets"`
	Attempt uint32      `json:"attempt,omitempty"`
}

// sealedState is a document with its checksum.
type sealedState struct {
	SHA256 string          `json:"sha256"`
	State  json.RawMessage `json:"state"`
}

// encodeSnapshot returns the state as a document: equal states, equal bytes.
func (c *core) encodeSnapshot() ([]byte, error) {
	s := snapshot{
		Schema: snapshotSchema, Run: c.Run, Rules: hex.EncodeToString(c.Rules[:]),
		Place: c.position(), progress: c.published(),
		Pairs: c.StoredPairs(), Outstanding: []pairSets{}, Dropped: slices.Sorted(maps.Keys(c.dropped)),
		FigureNames: messages.FigureNames(c.Spec.Figures), Figures: c.Figures,
	}
	for _, id := range c.outstandingIDs() {
		o := c.outstanding[id]
		s.Outstanding = append(s.Outstanding, pairSets{o.key.Agents(), o.sets, o.attempt})
	}
	state, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("league snapshot: %w", err)
	}
	sum := sha256.Sum256(state)
	return json.Marshal(sealedState{SHA256: hex.EncodeToString(sum[:]), State: state})
}

// foreignError is the error of a state that is intact, and not this run's or not this program's.
type foreignError struct{ error }

// readSnapshot reads what encodeSnapshot wrote. Its error is a foreignError if the document is intact.
func (c *core) readSnapshot(document []byte) (s snapshot, err error) {
	var outer sealedState
	if err := strict.Unmarshal(document, &outer); err != nil {
		return s, fmt.Errorf("league snapshot: %w", err)
	}
	if sum := sha256.Sum256(outer.State); outer.SHA256 != hex.EncodeToString(sum[:]) {
		return s, errors.New("league snapshot: its checksum is wrong")
	}
	if s, err = c.readState(outer.State); err != nil {
		return s, foreignError{fmt.Errorf("league snapshot: %w", err)}
	}
	return s, nil
}

// readState reads the state of a snapshot whose checksum is right.
func (c *core) readState(state []byte) (s snapshot, err error) {
	var schema struct{ Schema int }
	if err := strict.Unmarshal(state, &schema); err != nil {
		return s, err
	}
	if schema.Schema != snapshotSchema && schema.Schema != namesSchema {
		return s, fmt.Errorf("schema %d, this program reads %d and %d", schema.Schema, namesSchema, snapshotSchema)
	}
	dec := json.NewDecoder(bytes.NewReader(state))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&s); err != nil {
		return s, err
	}
	if s.Run != c.Run || s.Rules != hex.EncodeToString(c.Rules[:]) {
		return s, fmt.Errorf("of run %q with rules %s, not %q with %x", s.Run, s.Rules, c.Run, c.Rules)
	}
	if s.Schema == namesSchema {
		// The matches are asked for again, with the weights that belong to the names.
		s.Place, s.Outstanding = mark{Sequence: s.Sequence}, nil
	}
	return s, nil
}

// restore brings a new core to the state of a snapshot, and reports whether that knows which matches were
// asked for. After an error the core is as it was.
func (c *core) restore(s snapshot) (complete bool, err error) {
	keys := make([]rating.Key, len(s.Outstanding))
	for i, o := range s.Outstanding {
		if keys[i], err = o.Key(); err != nil {
			return false, fmt.Errorf("league snapshot: %w", err)
		}
	}
	if err := c.RestorePairs(s.Pairs); err != nil {
		return false, fmt.Errorf("league snapshot: %w", err)
	}
	c.place = s.Place
	c.hasPublished(s.progress)
	for _, order := range s.Dropped {
		c.dropped[order] = true
	}
	// Figures of another version of the game are left out, as in results.
	if s.Figures != nil && slices.Equal(s.FigureNames, messages.FigureNames(c.Spec.Figures)) {
		c.Figures = s.Figures
	}
	for i, o := range s.Outstanding {
		c.recall(keys[i], o.Sets, o.Attempt, true)
	}
	c.dirty = true
	return s.Schema == snapshotSchema, nil
}
