package agents

import (
	"context"
	"fmt"
	"math"

	"croupier/engine"
	"croupier/messages"
	"croupier/policy"
)

// baseline is what a position of a game for two is worth to seat 0, in the game's unit, with all that is hidden in
// view: any function makes corrected results right on average, a good one makes them vary less.
type baseline interface {
	// value is that of a state, after the steps of its history.
	value(s engine.State, history []byte) float64
}

// newBaseline returns baselines of the named agent, one for each goroutine: where all is in view and the agent gives
// values, those; else what the seats get on average if both play like the agent from there on.
func (a *Agents) newBaseline(ctx context.Context, name string) (func() baseline, error) {
	spec := a.game.Spec()
	if spec.Seats != 2 {
		return nil, fmt.Errorf("baseline %s: %s has %d seats, results are corrected in games for two", name, spec.Name,
			spec.Seats)
	}
	player, err := a.Player(ctx, name)
	if err != nil {
		return nil, err
	}
	if player.Network != nil {
		return nil, fmt.Errorf("baseline %s: it is a network; a solver or a bot is needed", name)
	}
	p := player.Policy()
	if _, ok := p.(policy.Valuer); ok && spec.PerfectInformation {
		return func() baseline { return &valued{spec: spec, valuer: player.Policy().(policy.Valuer)} }, nil
	}
	mixes, ok := p.(policy.Stochastic)
	if !ok {
		return nil, fmt.Errorf("baseline %s: it gives neither values nor probabilities", name)
	}
	walked := &walked{spec: spec, agent: mixes, values: map[string]float64{}}
	if _, err := walked.walk(a.game.NewState(), nil); err != nil {
		return nil, fmt.Errorf("baseline %s: %w", name, err)
	}
	return func() baseline { return walked }, nil
}

// valued has the values that an agent gives actions.
type valued struct {
	spec   *engine.Spec
	valuer policy.Valuer
	legal  []int
	values []policy.Value
}

func (b *valued) value(s engine.State, _ []byte) float64 {
	switch player := s.Player(); player {
	case engine.Terminal:
		return returnOf(s)
	case engine.Chance:
		sum, next := 0.0, s.Clone()
		for _, o := range s.Outcomes(nil) {
			next.CopyFrom(s)
			engine.MustApply(next, o.Index)
			sum += o.Probability * b.value(next, nil)
		}
		return sum
	default:
		b.legal = s.LegalActions(b.legal[:0])
		b.values = append(b.values[:0], make([]policy.Value, len(b.legal))...)
		b.valuer.Values(s, b.legal, b.values)
		best := math.Inf(-1)
		for _, v := range b.values {
			best = max(best, v.Mean)
		}
		if b.spec.Payoff == engine.WinLoss { // a share of the win
			best = b.spec.MaxReturn * (2*best - 1)
		}
		if player == 1 {
			return -best
		}
		return best
	}
}

// A game that is walked has at most maxWalked histories, about 100 MB, of at most maxSteps steps.
const (
	maxWalked = 1 << 20
	maxSteps  = 100
)

// walked has what both seats get if they play like an agent, by history.
type walked struct {
	spec   *engine.Spec
	agent  policy.Stochastic
	values map[string]float64
}

func (b *walked) value(_ engine.State, history []byte) float64 { return b.values[string(history)] }

// walk notes the value of a state and of all that can follow.
func (b *walked) walk(s engine.State, history []byte) (value float64, err error) {
	if b.spec.MaxHistory > maxSteps || len(b.values) >= maxWalked {
		return 0, fmt.Errorf("%s has more than %d histories, or longer ones than %d steps", b.spec.Name, maxWalked, maxSteps)
	}
	if s.Player() == engine.Terminal {
		value = returnOf(s)
	}
	next := s.Clone()
	for _, o := range possible(s, b.agent) {
		next.CopyFrom(s)
		engine.MustApply(next, o.Index)
		v, err := b.walk(next, messages.AppendStep(history, messages.HistoryWidth(b.spec), o.Index))
		if err != nil {
			return 0, err
		}
		value += o.Probability * v
	}
	b.values[string(history)] = value
	return value, nil
}

// possible returns the steps that can follow with their probabilities, those of the agent where a seat is to move.
func possible(s engine.State, agent policy.Stochastic) []engine.Outcome {
	if s.Player() < 0 {
		return s.Outcomes(nil)
	}
	legal := s.LegalActions(nil)
	steps, probabilities := make([]engine.Outcome, len(legal)), make([]float64, len(legal))
	agent.Distribution(s, legal, probabilities)
	for i, action := range legal {
		steps[i] = engine.Outcome{Index: action, Probability: probabilities[i]}
	}
	return steps
}

// returnOf seat 0 in a game that is over.
func returnOf(s engine.State) float64 {
	var returns [2]float64
	s.Returns(returns[:])
	return returns[0]
}
