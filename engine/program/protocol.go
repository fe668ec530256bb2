package program

import (
	"encoding/json"
	"fmt"
	"strconv"

	"croupier/engine"
	"croupier/engine/described"
)

// version is that of the protocol.
const version = 1

// maxAnswer bounds a line of the program, in bytes.
const maxAnswer = 64 << 20

// request is a line to the program.
type request struct {
	Type    string          `json:"type"`
	ID      int64           `json:"id"` // from 1
	Version int             `json:"version,omitempty"`
	Rules   map[string]any  `json:"rules,omitempty"`
	State   json.RawMessage `json:"state,omitempty"`
	Step    *int            `json:"step,omitempty"`

	items []*item // of askSteps: arrays of the state and the steps
}

// What is asked.
const (
	askGame    = "game"    // the description, and the node of the beginning
	askSteps   = "steps"   // the nodes after steps
	askObserve = "observe" // what each seat may know
	askSeen    = "seen"    // what each seat sees of a step
	askName    = "name"    // of a step
	askText    = "text"    // of a position
)

// encode writes the line. States are as the program has written them.
func (r *request) encode() ([]byte, error) {
	if r.Type != askSteps {
		return json.Marshal(r)
	}
	line := fmt.Appendf(nil, `{"type":%q,"id":%d,"items":[`, r.Type, r.ID)
	for i, it := range r.items {
		if i > 0 {
			line = append(line, ',')
		}
		line = append(append(append(line, '['), it.state...), ",["...)
		for k, step := range it.steps {
			if k > 0 {
				line = append(line, ',')
			}
			line = strconv.AppendInt(line, int64(step), 10)
		}
		line = append(line, "]]"...)
	}
	return append(line, "]}"...), nil
}

// answer is a line of the program.
type answer struct {
	ID           int64           `json:"id"`
	Error        string          `json:"error"`
	Item         *int            `json:"item"` // to which the error belongs
	Version      int             `json:"version"`
	Description  json.RawMessage `json:"description"`
	Node         *node           `json:"node"`
	Nodes        [][]node        `json:"nodes"` // of each path, for as many of its steps as are possible
	Observations [][]float32     `json:"observations"`
	Seen         []int32         `json:"seen"`
	Text         string          `json:"text"`
}

// node is a position as the program describes it.
type node struct {
	State       json.RawMessage `json:"state"`
	Key         string          `json:"key"` // the same for states of the same position; "" for the state itself
	Player      *int            `json:"player"`
	Steps       []int32         `json:"steps"`
	Weights     []uint32        `json:"weights"`     // of outcomes; none where all are equally likely
	Observation []float32       `json:"observation"` // of the seat to move
	Returns     []float64       `json:"returns"`     // at the end
	Scores      []int64         `json:"scores"`
	Seen        []int32         `json:"seen"` // what each seat has seen of the step that led here
}

// write writes what the program says of a position, which the mover's step has led to, to the node. The mover is none
// at the beginning.
func (w *node) write(n *described.Node, d *described.Description, mover int) error {
	switch {
	case len(w.State) == 0:
		return fmt.Errorf("a node has no state")
	case w.Player == nil:
		return fmt.Errorf("a node does not say which player is to move: a seat, %d for chance or %d at the end",
			engine.Chance, engine.Terminal)
	}
	if n.Hides() && mover != nobody {
		if err := counted("seen", len(w.Seen), d.Seats); err != nil {
			return err
		}
		for seat, what := range w.Seen {
			if err := n.Notice(seat, mover, what); err != nil {
				return err
			}
		}
	}
	if err := n.Turn(*w.Player, len(w.Steps)); err != nil {
		return err
	}
	for _, step := range w.Steps {
		if err := n.Add(step); err != nil {
			return err
		}
	}
	if *w.Player == engine.Chance {
		if err := w.weigh(n); err != nil {
			return err
		}
	}
	return w.results(n, d)
}

// weigh sets the weights of the outcomes.
func (w *node) weigh(n *described.Node) error {
	if len(w.Weights) > 0 {
		if err := counted("weights", len(w.Weights), len(w.Steps)); err != nil {
			return err
		}
	}
	for i := range w.Steps {
		weight := uint32(1)
		if len(w.Weights) > 0 {
			weight = w.Weights[i]
		}
		if err := n.Weigh(weight); err != nil {
			return err
		}
	}
	return nil
}

// results sets the scores, and at the end the returns.
func (w *node) results(n *described.Node, d *described.Description) error {
	if points := n.Points(); points != nil {
		if err := counted("scores", len(w.Scores), d.Seats); err != nil {
			return err
		}
		copy(points, w.Scores)
	}
	if *w.Player != engine.Terminal {
		return nil
	}
	if err := counted("returns", len(w.Returns), d.Seats); err != nil {
		return err
	}
	for seat, v := range w.Returns {
		if err := n.Result(seat, v); err != nil {
			return err
		}
	}
	return n.Settled()
}

// counted reports whether a list is as long as it must be.
func counted(what string, n, want int) error {
	if n == want {
		return nil
	}
	return fmt.Errorf("%s has %d numbers and not %d", what, n, want)
}

// nobody is the mover of the step that leads to the beginning.
const nobody = -2
