package messages

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"croupier/engine"
)

// LadderTable is a table of a run that trains on a family of rules, under other rules than those of its ladder, with
// what its versions got there.
type LadderTable struct {
	Name  string          `json:"name"`
	Rules json.RawMessage `json:"rules"`
	Seats int             `json:"seats"`
	// Against is the bot among whose copies a version sits alone: the strongest there.
	Against string `json:"against"`
	// Unit of results: "of the win", or that of the game. Parity is what everybody gets among equals.
	Unit   string  `json:"unit"`
	Parity float64 `json:"parity"`
	// Results are those of versions that were best, or the newest while none was: the last is the newest.
	Results []TableResult `json:"results"`
	// Refused are versions that passed the gate at the run's own table and are worse here than the best version, beyond
	// chance, so they were not promoted: the last is the newest.
	Refused []TableRefusal `json:"refused,omitempty"`
}

// TableRefusal is the result of a version that was not promoted because of a table, and that of the best version there.
type TableRefusal struct {
	TableResult
	Best TableResult `json:"best"`
}

// TableResult is what a version got a game, with its 95 % interval.
type TableResult struct {
	Agent string `json:"agent"` // as it plays: greedy:main@12
	Games uint64 `json:"games"`
	Interval
}

// Newest returns the newest result, and false if there is none.
func (t *LadderTable) Newest() (TableResult, bool) {
	if len(t.Results) == 0 {
		return TableResult{}, false
	}
	return t.Results[len(t.Results)-1], true
}

// TableCurve names the curve of results at a table.
func TableCurve(t *LadderTable) string {
	if t.Parity > 0 {
		return "table_share/" + t.Name
	}
	return "table_return/" + t.Name
}

// TableOf returns the table with the rules of a game, nil if versions are not measured there.
func (l *Ladder) TableOf(game engine.Game) *LadderTable {
	rules, err := json.Marshal(game.Rules())
	if err != nil || l == nil {
		return nil
	}
	for i := range l.Tables {
		var compact bytes.Buffer
		if json.Compact(&compact, l.Tables[i].Rules) == nil && bytes.Equal(compact.Bytes(), rules) {
			return &l.Tables[i]
		}
	}
	return nil
}

// Describe puts a result at the table into words: "0.647 (0.569 to 0.715) of the win against leader-chaser".
func (t *LadderTable) Describe(r TableResult) string {
	return fmt.Sprintf("%.3f (%.3f to %.3f) %s against %s in %d games", r.Value, r.Low, r.High, t.Unit, t.Against, r.Games)
}

// Verdict says in a few words what the newest result means; what noise can explain is neither above nor below.
func (t *LadderTable) Verdict() string {
	now, measured := t.Newest()
	switch {
	case !measured:
		return "not measured yet"
	case now.Low > t.Parity:
		return "above parity"
	case now.High < t.Parity:
		return "below parity"
	}
	return "near parity"
}

// WorseThan reports whether a result is below another of the same table beyond chance: their 95 % intervals are apart.
// Equal versions whose results do not depend on one another are that far apart in 0.3 % of cases, in either direction.
func (r TableResult) WorseThan(other TableResult) bool { return r.High < other.Low }

// ResultOf returns the newest result of a version, and false if there is none.
func (t *LadderTable) ResultOf(agent string) (TableResult, bool) {
	for _, r := range slices.Backward(t.Results) {
		if r.Agent == agent {
			return r, true
		}
	}
	return TableResult{}, false
}

// LastRefused returns the newest version that was not promoted because of the table and has been compared with the
// version of the newest result there; false if there is none.
func (t *LadderTable) LastRefused() (TableRefusal, bool) {
	if len(t.Refused) == 0 {
		return TableRefusal{}, false
	}
	last := t.Refused[len(t.Refused)-1]
	now, _ := t.Newest()
	return last, last.Best.Agent == now.Agent
}
