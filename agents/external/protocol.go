package external

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
)

// Protocol is the version of the protocol that this program speaks.
const Protocol = 1

// maxAnswer bounds an answer, in bytes.
const maxAnswer = 64 << 10

// Types of messages to an agent.
const (
	TypeHello  = "hello"
	TypeChoose = "choose"
	TypeValues = "values"
	TypeEnd    = "end"
	TypeQuit   = "quit"
)

// Greeting is the first message: which game is played.
type Greeting struct {
	Type     string `json:"type"` // "hello"
	Protocol int    `json:"protocol"`
	Game     string `json:"game"`    // its name on the command line
	Rules    any    `json:"rules"`   // as croupier config prints them
	Seats    int    `json:"seats"`   // players
	Actions  int    `json:"actions"` // size of the action space
	Unit     string `json:"unit"`    // of what a game brings
}

// Hello answers a greeting.
type Hello struct {
	Protocol int    `json:"protocol"`
	Name     string `json:"name"` // for people; may be empty
	// Unit, unless empty, says that the agent also answers "values", and in which unit.
	Unit string `json:"unit"`
}

// Question asks for a decision ("choose") or for what the actions are worth ("values").
type Question struct {
	Type     string          `json:"type"`
	ID       int64           `json:"id"`   // from 1, different for all questions of a process or connection
	Game     string          `json:"game"` // equal in all questions of one seat's game, and in no others
	Seat     int             `json:"seat"` // the seat to move, from 0
	Position json.RawMessage `json:"position"`
	Legal    []Action        `json:"legal"` // ascending
	// Milliseconds until the answer has to be there.
	Milliseconds int64 `json:"milliseconds"`
	// Seed, below 2^53, is for agents that draw: with the same seeds the same games are played.
	Seed uint64 `json:"seed"`
}

// Action is a legal action by number and name.
type Action struct {
	Action int    `json:"action"`
	Name   string `json:"name"`
}

// Answer is the decision.
type Answer struct {
	ID     int64     `json:"id"` // of the question
	Action int       `json:"action"`
	Values []float64 `json:"values,omitempty"` // of the legal actions, in their order
}

// End reports that a game is over; it is not answered.
type End struct {
	Type string `json:"type"`
	Game string `json:"game"`
}

// Quit asks the agent to end; it is not answered.
type Quit struct {
	Type string `json:"type"`
}

func (a *Agent) greeting() []byte {
	spec := a.game.Spec()
	return encode(Greeting{
		Type: TypeHello, Protocol: Protocol, Game: spec.Name, Rules: a.game.Rules(), Seats: spec.Seats,
		Actions: spec.Actions, Unit: spec.Unit,
	})
}

// belongs reports when an answer is to another question.
func (a *Answer) belongs(q *Question) error {
	if a.ID != q.ID {
		return fmt.Errorf("the answer is to question %d, not to %d", a.ID, q.ID)
	}
	return nil
}

// check reports what is wrong with an answer to the question.
func (a *Answer) check(q *Question) error {
	if q.Type == TypeValues || a.Values != nil {
		if len(a.Values) != len(q.Legal) {
			return fmt.Errorf("%d values for %d legal actions", len(a.Values), len(q.Legal))
		}
		for _, x := range a.Values {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return errors.New("a value is not finite")
			}
		}
	}
	if q.Type == TypeValues {
		return nil
	}
	for _, legal := range q.Legal {
		if legal.Action == a.Action {
			return nil
		}
	}
	return fmt.Errorf("action %d: %w", a.Action, errIllegal)
}

// encode writes a message as one line without its end.
func encode(message any) []byte {
	line, err := json.Marshal(message)
	if err != nil {
		panic(fmt.Sprintf("external: a message does not marshal: %v", err)) // rules and positions always do
	}
	return line
}
