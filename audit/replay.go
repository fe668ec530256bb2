// Package audit plays games again to see whether they were played as their actor says.
//
// A game is a function of its seed and of the weights of its agents: chance and every seat's
// choices are streams of the seed, and a network gives a position the same log-probabilities
// whatever else is in its batch. So a process that has the weights can tell an invented game from one
// that was played, although both are legal and have the chance that the seed yields.
//
// Terms:
//
//   - A replay is exact if every action and log-probability comes out bit for bit, as it does
//     on machines with the same kernels.
//   - It is rounded if some do not, but each is what the same weights give within the rounding
//     of other kernels: the log-probability is within [Tolerance], and the action is one that the
//     seat's stream takes if the probabilities move by as much.
//   - Anything else is a game that was not played with these weights: messages.ReasonReplay.
//
// An [Auditor] does this to a random share of the training games, the function [Match] to a
// random share of the sets of an arena match. docs/explain/trust.md says what it finds, and when.
package audit

import (
	"fmt"
	"math"

	"croupier/engine"
	"croupier/messages"
	"croupier/nn"
	"croupier/player"
	"croupier/policy"
)

// Tolerance is how far two machines may be apart in a probability, and in a log-probability
// (relative to its size where that is above 1). Kernels differ by some 1e-6; what an actor could
// gain within a thousandth is nothing.
const Tolerance = 1e-3

// Outcome reports how a game came out again.
type Outcome int

// The outcomes.
const (
	Exact   Outcome = iota // bit for bit
	Rounded                // within the rounding of other kernels
)

// Replayer plays games of one game again. It belongs to one goroutine.
type Replayer struct {
	game     engine.Game
	spec     *engine.Spec
	width    int
	state    engine.State
	chance   engine.RNG
	seats    []seat
	legal    []int
	chances  []float64
	networks map[*nn.Network]*nn.Evaluator
}

// seat is who plays at it in the present game.
type seat struct {
	player    *player.Player
	policy    policy.Policy // of players without a network
	evaluator *nn.Evaluator
	choice    engine.RNG
}

// NewReplayer returns a Replayer of the game.
func NewReplayer(game engine.Game) *Replayer {
	spec := game.Spec()
	return &Replayer{
		game: game, spec: spec, width: messages.HistoryWidth(spec), state: game.NewState(),
		seats: make([]seat, spec.Seats), networks: map[*nn.Network]*nn.Evaluator{},
	}
}

// Game plays an episode again in which the seats were those players' and learning[i] says
// whether log-probabilities are recorded for seat i. The episode must have passed a
// messages.Verifier. The error is a *messages.Refusal.
func (r *Replayer) Game(ep *messages.Episode, players []*player.Player, learning []bool) (Outcome, error) {
	r.begin(ep.Seed, players)
	outcome, learnt := Exact, 0
	for at := range len(ep.History) / r.width {
		step := messages.StepAt(ep.History, r.width, at)
		at := r.state.Player()
		if at == engine.Chance {
			if want := r.state.SampleChance(&r.chance); want != step {
				return 0, refuse("outcome %d, the seed yields %d", step, want)
			}
		} else {
			logProb := float32(math.NaN())
			if learning[at] {
				logProb = messages.FloatAt(ep.LogProbs, learnt)
				learnt++
			}
			o, err := r.decision(at, step, logProb)
			if err != nil {
				return 0, err
			}
			outcome = max(outcome, o)
		}
		if err := r.state.Apply(step); err != nil {
			return 0, refuse("%v", err)
		}
	}
	return outcome, nil
}

func refuse(format string, args ...any) error {
	return &messages.Refusal{Reason: messages.ReasonReplay, Detail: fmt.Sprintf(format, args...)}
}

// maxNetworks bounds the evaluators that are kept: one for each version that plays just now.
const maxNetworks = 16

// begin sets up a game.
func (r *Replayer) begin(seed uint64, players []*player.Player) {
	r.state.Reset()
	r.chance.Seed(seed, engine.ChanceStream)
	if len(r.networks) > maxNetworks {
		clear(r.networks)
	}
	for i, p := range players {
		s := &r.seats[i]
		*s = seat{player: p}
		s.choice.Seed(seed, engine.ActionStream+uint64(i))
		if p.Network == nil {
			s.policy = p.NewPolicy()
			s.policy.Reset()
			continue
		}
		if s.evaluator = r.networks[p.Network]; s.evaluator == nil {
			s.evaluator = p.Network.NewEvaluator(1, r.spec.Seats)
			r.networks[p.Network] = s.evaluator
		}
		s.evaluator.ResetSlot(i)
	}
}

// decision compares a seat's action, and unless it is NaN its log-probability, with what the
// player does. An evaluator is shared by seats of the same network, which differ in their slot.
func (r *Replayer) decision(at, step int, logProb float32) (Outcome, error) {
	s := &r.seats[at]
	r.legal = r.state.LegalActions(r.legal[:0])
	switch {
	case s.policy != nil:
		if want := s.policy.Choose(r.state, r.legal, &s.choice); want != step {
			return 0, refuse("%s of seat %d does not take action %d but %d", s.player.Name, at+1, step, want)
		}
		return Exact, nil
	case len(r.legal) == 1 && s.player.Network.Layout.StateSize == 0: // the network is not asked
		if logProb == logProb && logProb != 0 {
			return 0, refuse("a forced action of seat %d has log-probability %v", at+1, logProb)
		}
		return Exact, nil
	}
	e := s.evaluator
	e.SetExploration(s.player.Exploration)
	e.Observe(0, r.state, at)
	e.SetLegal(0, r.legal)
	e.SetSlot(0, at)
	e.Forward(1)
	return r.compare(s, at, step, logProb)
}

// compare judges an action of a network that was just evaluated.
func (r *Replayer) compare(s *seat, at, step int, logProb float32) (Outcome, error) {
	e, temperature, before := s.evaluator, s.player.Temperature, s.choice
	if logProb == logProb {
		temperature = policy.Sampled
	}
	outcome := Exact
	if want := e.Choose(0, temperature, &s.choice); want != step {
		if !r.near(e, temperature, step, before.Float64()) {
			return 0, refuse("%s of seat %d does not take action %d but %d", s.player.Name, at+1, step, want)
		}
		outcome = Rounded
	}
	if have := e.LogProbs(0)[step]; logProb == logProb && logProb != have {
		if !(math.Abs(float64(logProb-have)) <= Tolerance*max(1, math.Abs(float64(have)))) {
			return 0, refuse("action %d of seat %d has log-probability %v, not %v", step, at+1, have, logProb)
		}
		outcome = Rounded
	}
	return outcome, nil
}

// near reports whether a draw of x from the player's distribution takes the action if the
// probabilities before it move by Tolerance. A greedy player takes any action that is as
// likely as the best within it.
func (r *Replayer) near(e *nn.Evaluator, t policy.Temperature, action int, x float64) bool {
	if t == policy.Greedy {
		best := math.Inf(-1)
		for _, a := range r.legal {
			best = max(best, float64(e.LogProbs(0)[a]))
		}
		return float64(e.LogProbs(0)[action]) >= best-Tolerance
	}
	r.chances = append(r.chances[:0], make([]float64, len(r.legal))...)
	e.Distribution(0, t, r.chances)
	sum := 0.0
	for i, a := range r.legal {
		if a == action {
			return x > sum-Tolerance && x < sum+r.chances[i]+Tolerance
		}
		sum += r.chances[i]
	}
	return false
}
