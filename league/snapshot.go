package league

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"croupier/messages"
)

// snapshot is a core's state as of a result of the stream. Together with the
// results after it, and the population, it gives the same ladder as all results.
type snapshot struct {
	Schema int    `json:"schema"`
	Run    string `json:"run"`
	Rules  string `json:"rules_hash"`

	Sequence    uint64       `json:"sequence"`
	Reported    uint64       `json:"reported"`
	Evaluated   uint64       `json:"evaluated"`
	Pairs       []pairRecord `json:"pairs"`
	Outstanding []pairSets   `json:"outstanding"`

	// The sums of the game's figures by agent, in the order of the names.
	FigureNames []string                `json:"figure_names,omitempty"`
	Figures     map[string][]exactRatio `json:"figures,omitempty"`
}

const snapshotSchema = 2

type pairRecord struct {
	A     string `json:"a"`
	B     string `json:"b"`
	Done  []span `json:"done"`
	Rated counts `json:"rated"`
	Trial *trial `json:"trial,omitempty"`
}

type pairSets struct {
	A    string `json:"a"`
	B    string `json:"b"`
	Sets span   `json:"sets"`
}

// sealed is a document with its checksum.
type sealed struct {
	SHA256 string          `json:"sha256"`
	State  json.RawMessage `json:"state"`
}

// encodeSnapshot returns the state as a document: equal states, equal bytes.
func (c *core) encodeSnapshot() ([]byte, error) {
	s := snapshot{
		Schema: snapshotSchema, Run: c.run, Rules: hex.EncodeToString(c.rules[:]),
		Sequence: c.sequence, Reported: c.reported, Evaluated: c.evaluated,
		Pairs: []pairRecord{}, Outstanding: []pairSets{},
		FigureNames: messages.FigureNames(c.spec.Figures), Figures: c.figures,
	}
	for _, p := range c.pairs {
		s.Pairs = append(s.Pairs, pairRecord{p.key.a, p.key.b, p.done, p.rated, p.trial})
	}
	slices.SortFunc(s.Pairs, func(x, y pairRecord) int {
		return pairKey{x.A, x.B}.compare(pairKey{y.A, y.B})
	})
	for _, id := range c.outstandingIDs() {
		o := c.outstanding[id]
		s.Outstanding = append(s.Outstanding, pairSets{o.key.a, o.key.b, o.sets})
	}
	state, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("league snapshot: %w", err)
	}
	sum := sha256.Sum256(state)
	return json.Marshal(sealed{SHA256: hex.EncodeToString(sum[:]), State: state})
}

// restore brings a new core to the state of a snapshot. After an error the core is
// as it was, and all results are to be read again.
func (c *core) restore(document []byte) error {
	var outer sealed
	if err := json.Unmarshal(document, &outer); err != nil {
		return fmt.Errorf("league snapshot: %w", err)
	}
	if sum := sha256.Sum256(outer.State); outer.SHA256 != hex.EncodeToString(sum[:]) {
		return errors.New("league snapshot: its checksum is wrong")
	}
	var s snapshot
	dec := json.NewDecoder(bytes.NewReader(outer.State))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&s); err != nil {
		return fmt.Errorf("league snapshot: %w", err)
	}
	switch {
	case s.Schema != snapshotSchema:
		return fmt.Errorf("league snapshot: schema %d, this program reads %d", s.Schema, snapshotSchema)
	case s.Run != c.run || s.Rules != hex.EncodeToString(c.rules[:]):
		return fmt.Errorf("league snapshot: of run %q with rules %s, not %q with %x", s.Run, s.Rules, c.run, c.rules)
	}
	c.sequence, c.reported, c.evaluated = s.Sequence, s.Reported, s.Evaluated
	for _, p := range s.Pairs {
		c.enter(&pair{key: pairKey{p.A, p.B}, done: p.Done, rated: p.Rated, trial: p.Trial})
	}
	// Figures of another version of the game are left out, as in results.
	if s.Figures != nil && slices.Equal(s.FigureNames, messages.FigureNames(c.spec.Figures)) {
		c.figures = s.Figures
	}
	for _, o := range s.Outstanding {
		k := pairKey{o.A, o.B}
		c.outstanding[k.matchID(o.Sets)] = issued{key: k, sets: o.Sets}
	}
	c.dirty = true
	return nil
}
