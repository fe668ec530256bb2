package engine

import "fmt"

// RefusedError reports that a game has refused a step that it has itself offered: the game is wrong, not its caller.
type RefusedError struct {
	Err error // of Apply
}

// Error says that a legal step was refused, and why.
func (e *RefusedError) Error() string { return fmt.Sprintf("a legal step was refused: %v", e.Err) }

// Unwrap returns the error of Apply.
func (e *RefusedError) Unwrap() error { return e.Err }

// MustApply makes a step that the state has offered. It panics with a *RefusedError where the state refuses it, for
// callers deep in a search or a batch of games; [Recover] makes it an error again at the root of the work.
func MustApply(s State, step int) {
	if err := s.Apply(step); err != nil {
		panic(&RefusedError{err})
	}
}

// Recover is deferred where work begins, such as in the function of a goroutine: it makes the panic of [MustApply] the
// error of that function. Other panics continue.
func Recover(err *error) {
	switch r := recover().(type) {
	case nil:
	case *RefusedError:
		*err = r
	default:
		panic(r)
	}
}
