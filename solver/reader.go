package solver

import (
	"errors"
	"slices"

	"croupier/engine"
	"croupier/policy"
)

// Reader asks a policy what it does, for measuring it exactly: a [policy.Stochastic] for its
// probabilities, any other for its choice. It asks two copies with different random streams, so
// that a policy that draws at random without giving its probabilities gives itself away. A
// Reader belongs to one goroutine.
type Reader struct {
	one, two reading
}

// reading is a copy of the policy, its random stream and its latest answer.
type reading struct {
	policy.Policy
	rng    *engine.RNG
	answer []float64
}

// NewReader returns a reader of the policies that newPolicy makes.
func NewReader(newPolicy func() policy.Policy) *Reader {
	return &Reader{
		one: reading{Policy: newPolicy(), rng: engine.NewRNG(0, engine.ActionStream)},
		two: reading{Policy: newPolicy(), rng: engine.NewRNG(1, engine.ActionStream)},
	}
}

// Reset begins a new game: a policy with a memory forgets it.
func (r *Reader) Reset() {
	r.one.Reset()
	r.two.Reset()
}

// ErrTwoAnswers reports that a policy does not do the same thing whenever it is asked the same.
var ErrTwoAnswers = errors.New("asked twice it gives two answers: a policy that has a memory, " +
	"or draws at random without telling its probabilities, cannot be read")

// Read writes the probabilities of the legal actions at a decision, which counts as made. Every
// decision of the seat since the last Reset must have been read before. It is an error if the
// answer is no distribution, or [ErrTwoAnswers].
func (r *Reader) Read(s engine.State, legal []int, dst []float64) error {
	if err := r.one.ask(s, legal); err != nil {
		return err
	}
	copy(dst, r.one.answer)
	if _, ok := r.one.Policy.(policy.Stochastic); ok {
		return nil
	}
	return r.compare(s, legal)
}

// ReadAlone is Read for any position by itself, without what came before it in the game. It is
// [ErrTwoAnswers] if the policy has a memory: one copy forgets before every question, the other
// never.
func (r *Reader) ReadAlone(s engine.State, legal []int, dst []float64) error {
	r.one.Reset()
	if err := r.one.ask(s, legal); err != nil {
		return err
	}
	copy(dst, r.one.answer)
	return r.compare(s, legal)
}

// compare asks the second copy what the first has been asked.
func (r *Reader) compare(s engine.State, legal []int) error {
	if err := r.two.ask(s, legal); err != nil {
		return err
	}
	if !slices.Equal(r.one.answer, r.two.answer) {
		return ErrTwoAnswers
	}
	return nil
}

// ask gets the answer, as probabilities with the sum 1.
func (c *reading) ask(s engine.State, legal []int) error {
	if cap(c.answer) < len(legal) {
		c.answer = make([]float64, len(legal))
	}
	c.answer = c.answer[:len(legal)]
	if stochastic, ok := c.Policy.(policy.Stochastic); ok {
		stochastic.Distribution(s, legal, c.answer)
		return Normalise(c.answer)
	}
	clear(c.answer)
	c.answer[slices.Index(legal, c.Choose(s, legal, c.rng))] = 1
	return nil
}
