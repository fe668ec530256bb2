package play

import (
	"errors"
	"fmt"

	"croupier/engine"
)

// Kind reports what is wrong with a request to a [Hall].
type Kind int

// The kinds of refusals.
const (
	Wrong     Kind = iota // it cannot be done, ever
	Illegal               // the rules of the game forbid it
	Late                  // the game has moved on since
	Forbidden             // not with this key, or not now
	Unknown               // there is no such table
	Full                  // there is no space, or too much is asked at once
)

// Refusal says in a sentence why a request is refused.
type Refusal struct {
	Kind Kind
	Text string
}

func (r *Refusal) Error() string { return r.Text }

func refuse(kind Kind, format string, args ...any) error {
	return &Refusal{kind, fmt.Sprintf(format, args...)}
}

// refusal turns what a table says into a Refusal.
func refusal(err error) error {
	var illegal *engine.IllegalError
	var already *Refusal
	switch {
	case err == nil, errors.As(err, &already):
		return err
	case errors.As(err, &illegal):
		return &Refusal{Illegal, illegal.Reason}
	case errors.Is(err, ErrLate), errors.Is(err, ErrOver):
		return &Refusal{Late, err.Error()}
	case errors.Is(err, ErrTurn), errors.Is(err, ErrWaiting), errors.Is(err, ErrUndo), errors.Is(err, ErrNoUndo):
		return &Refusal{Forbidden, err.Error()}
	}
	return &Refusal{Wrong, err.Error()}
}
