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
	Pairs       []pairRecord `json:"pairs"`
	Outstanding []pairSets   `json:"outstanding"`
	// Dropped are the numbers of the members of whom the snapshot has no pairs any more: results of theirs
	// that the journal still has are counted in it.
	Dropped []uint64 `json:"dropped,omitempty"`

	// The sums of the game's figures by agent, in the order of the names.
	FigureNames []string                `json:"figure_names,omitempty"`
	Figures     map[string][]exactRatio `json:"figures,omitempty"`
}

const (
	snapshotSchema = 3
	// namesSchema is that of programs that knew members by their names only.
	namesSchema = 2
)

// agents are those of a pair, each with the SHA-256 of its weights in hex, if it has any.
type agents struct {
	A       string `json:"a"`
	B       string `json:"b"`
	ASHA256 string `json:"a_sha256,omitempty"`
	BSHA256 string `json:"b_sha256,omitempty"`
}

type pairRecord struct {
	agents
	Done  []span `json:"done"`
	Rated counts `json:"rated"`
	Trial *trial `json:"trial,omitempty"`
}

type pairSets struct {
	agents
	Sets    span   `json:"sets"`
	Attempt uint32 `json:"attempt,omitempty"`
}

func (k pairKey) agents() agents {
	return agents{k.a, k.b, k.as.hex(), k.bs.hex()}
}

// key reads what pairKey.agents wrote.
func (a agents) key() (k pairKey, err error) {
	k.a, k.b = a.A, a.B
	for _, sum := range []struct {
		text string
		to   *weights
	}{{a.ASHA256, &k.as}, {a.BSHA256, &k.bs}} {
		read, err := hex.DecodeString(sum.text)
		w, ok := readWeights(read)
		if err != nil || !ok {
			return k, fmt.Errorf("%.80q is no SHA-256", sum.text)
		}
		*sum.to = w
	}
	return k, nil
}

// sealedState is a document with its checksum.
type sealedState struct {
	SHA256 string          `json:"sha256"`
	State  json.RawMessage `json:"state"`
}

// encodeSnapshot returns the state as a document: equal states, equal bytes.
func (c *core) encodeSnapshot() ([]byte, error) {
	s := snapshot{
		Schema: snapshotSchema, Run: c.run, Rules: hex.EncodeToString(c.rules[:]),
		Place: c.position(), progress: c.published(),
		Pairs: []pairRecord{}, Outstanding: []pairSets{}, Dropped: slices.Sorted(maps.Keys(c.dropped)),
		FigureNames: messages.FigureNames(c.spec.Figures), Figures: c.figures,
	}
	for _, p := range c.pairs {
		s.Pairs = append(s.Pairs, pairRecord{p.key.agents(), p.done, p.rated, p.trial})
	}
	slices.SortFunc(s.Pairs, func(x, y pairRecord) int {
		return slices.Compare([]string{x.A, x.B, x.ASHA256, x.BSHA256}, []string{y.A, y.B, y.ASHA256, y.BSHA256})
	})
	for _, id := range c.outstandingIDs() {
		o := c.outstanding[id]
		s.Outstanding = append(s.Outstanding, pairSets{o.key.agents(), o.sets, o.attempt})
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
	if err := json.Unmarshal(document, &outer); err != nil {
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
	if err := json.Unmarshal(state, &schema); err != nil {
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
	if s.Run != c.run || s.Rules != hex.EncodeToString(c.rules[:]) {
		return s, fmt.Errorf("of run %q with rules %s, not %q with %x", s.Run, s.Rules, c.run, c.rules)
	}
	if s.Schema == namesSchema {
		// The matches are asked for again, with the weights that belong to the names.
		s.Place, s.Outstanding = mark{Sequence: s.Sequence}, nil
	}
	return s, nil
}

// restore brings a new core to the state of a snapshot, and says whether that knows which matches were
// asked for. After an error the core is as it was.
func (c *core) restore(s snapshot) (complete bool, err error) {
	pairs, keys := make([]*pair, len(s.Pairs)), make([]pairKey, len(s.Outstanding))
	for i, p := range s.Pairs {
		k, err := p.key()
		if err != nil {
			return false, fmt.Errorf("league snapshot: %w", err)
		}
		pairs[i] = &pair{key: k, done: p.Done, rated: p.Rated, trial: p.Trial}
	}
	for i, o := range s.Outstanding {
		var err error
		if keys[i], err = o.key(); err != nil {
			return false, fmt.Errorf("league snapshot: %w", err)
		}
	}
	c.place = s.Place
	c.hasPublished(s.progress)
	for _, p := range pairs {
		c.enter(p)
	}
	for _, order := range s.Dropped {
		c.dropped[order] = true
	}
	// Figures of another version of the game are left out, as in results.
	if s.Figures != nil && slices.Equal(s.FigureNames, messages.FigureNames(c.spec.Figures)) {
		c.figures = s.Figures
	}
	for i, o := range s.Outstanding {
		c.recall(keys[i], o.Sets, o.Attempt, true)
	}
	c.dirty = true
	return s.Schema == snapshotSchema, nil
}

// adopt gives the pairs of a snapshot that knew names only the weights that members of these names have.
func (c *core) adopt() {
	for k, p := range maps.Clone(c.pairs) {
		known := c.key(k.a, k.b)
		if k != known && k.as == (weights{}) && k.bs == (weights{}) && c.pairs[known] == nil {
			delete(c.pairs, k)
			p.key = known
			c.pairs[known] = p
		}
	}
}
