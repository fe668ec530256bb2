package search

import (
	"errors"

	"croupier/engine"
	"croupier/nn"
	"croupier/policy"
)

// Model predicts, at decisions, what the position is worth to the seat to move and what
// that seat plays. It answers for a batch of positions: the caller calls Set for each row,
// then Predict, then reads the rows. It belongs to one goroutine.
type Model interface {
	// Batch is the number of rows, at least 1.
	Batch() int
	// Set makes row ask about the state, a decision with those legal actions. It does not
	// keep state or legal.
	Set(row int, s engine.State, legal []int)
	// Predict answers for the first rows.
	Predict(rows int)
	// Value is what the seat to move expects to return, in the game's unit.
	Value(row int) float64
	// LogPrior writes the logarithm of how likely legal[i] is the best action to dst[i], up to a
	// constant, finite. The legal actions are those of Set, and noise > 0 is the standard deviation
	// of the values.
	LogPrior(row int, legal []int, noise float64, dst []float64)
	// Act returns the action that the seat to move takes, as well as the model can play.
	Act(row int, rng *engine.RNG) int
}

// networkBatch is the number of positions a network evaluates at once: enough for the kernels
// to reach their best speed.
const networkBatch = 128

// ErrRecurrent: a network with LSTM layers relies on its memory of the game, which an imagined
// position does not have.
var ErrRecurrent = errors.New(
	"the network has a memory (LSTM layers) and cannot judge positions that it has not reached")

// network is a Model.
type network struct {
	*nn.Evaluator
	unit         float64 // return that the network shows as 1
	actionValues bool
	temperature  policy.Temperature // at which it plays best
}

// CheckNetwork returns ErrRecurrent for a network with LSTM layers.
func CheckNetwork(n *nn.Network) error {
	if n.Layout.StateSize > 0 {
		return ErrRecurrent
	}
	return nil
}

// NewNetwork returns the model of a network that passes CheckNetwork.
func NewNetwork(n *nn.Network) Model {
	spec := n.Layout.Spec
	return network{
		n.NewEvaluator(networkBatch, 0), spec.MaxReturn, n.Layout.Description.ActionValues(),
		policy.Temperature(spec.Temperature),
	}
}

func (n network) Batch() int { return networkBatch }

func (n network) Set(row int, s engine.State, legal []int) {
	n.Observe(row, s, s.Player())
	n.SetLegal(row, legal)
}

func (n network) Predict(rows int) { n.Forward(rows) }

// Value is cut to what is possible: value heads are not bounded, and a win that is certain must
// not look worse than a likely one.
func (n network) Value(row int) float64 {
	return min(max(float64(n.Evaluator.Value(row)), -1), 1) * n.unit
}

// LogPrior writes the log-probabilities of a policy. A network of action values says by them
// what it thinks best; they weigh as much as values that the search finds.
func (n network) LogPrior(row int, legal []int, noise float64, dst []float64) {
	if n.actionValues {
		values := n.ActionValues(row)
		for i, a := range legal {
			dst[i] = logOdds(float64(values[a])*n.unit, 2*noise*noise)
		}
		return
	}
	logProbs := n.LogProbs(row)
	for i, a := range legal {
		dst[i] = float64(logProbs[a])
	}
}

func (n network) Act(row int, rng *engine.RNG) int { return n.Choose(row, n.temperature, rng) }
