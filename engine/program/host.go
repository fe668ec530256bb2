package program

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"croupier/engine"
	"croupier/engine/described"
	"croupier/internal/dialogue"
)

// Answer is the other side of the protocol: it answers lines from in about a game, until they end. So a game of any
// kind is a program to other programs. A state is the history that leads to it. Rules of the request game are refused:
// the game has its own.
func Answer(game engine.Game, in io.Reader, out io.Writer) error {
	h := &host{game: game, state: game.NewState()}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxAnswer)
	written := bufio.NewWriter(out)
	n := 1
	for ; lines.Scan(); n++ {
		var q question
		if err := dialogue.DecodeRequest(lines.Bytes(), &q); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		reply, err := h.answer(&q)
		if err != nil {
			reply = map[string]any{"error": err.Error()}
		}
		if wrong := new(wrongItem); errors.As(err, &wrong) {
			reply["item"] = wrong.item
		}
		reply["id"] = q.ID
		if err := json.NewEncoder(written).Encode(reply); err != nil {
			return err
		}
		if err := written.Flush(); err != nil {
			return err
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return fmt.Errorf("line %d has more than %d bytes", n, maxAnswer)
	}
	return lines.Err()
}

// question is a request as a host reads it.
type question struct {
	Type    string         `json:"type"`
	ID      int64          `json:"id"`
	Version int            `json:"version"`
	Rules   map[string]any `json:"rules"`
	State   []int          `json:"state"`
	Step    int            `json:"step"`
	Items   []path         `json:"items"`
}

// path is a state and the steps after it.
type path struct{ state, steps []int }

func (p *path) UnmarshalJSON(text []byte) error {
	return json.Unmarshal(text, &[]any{&p.state, &p.steps})
}

// wrongItem is the error of one of several paths.
type wrongItem struct {
	item int
	err  error
}

func (w *wrongItem) Error() string { return w.err.Error() }

func (w *wrongItem) Unwrap() error { return w.err }

// host has the state that was asked about last: the next question is often about one that follows.
type host struct {
	game    engine.Game
	state   engine.State
	history []int
}

func (h *host) answer(q *question) (map[string]any, error) {
	switch q.Type {
	case askGame:
		return h.describe(q)
	case askSteps:
		return h.steps(q.Items)
	case askObserve, askSeen, askName, askText:
	default:
		return nil, fmt.Errorf("there is no request %q", q.Type)
	}
	if err := h.goTo(q.State); err != nil {
		return nil, err
	}
	switch q.Type {
	case askObserve:
		return map[string]any{"observations": h.observations()}, nil
	case askText:
		return map[string]any{"text": h.state.String()}, nil
	}
	if !slices.Contains(possible(h.state), q.Step) {
		return nil, fmt.Errorf("step %d is not possible after %v", q.Step, q.State)
	}
	switch {
	case q.Type == askSeen:
		return map[string]any{"seen": h.seen(q.Step)}, nil
	case h.state.Player() == engine.Chance:
		return map[string]any{"text": h.state.OutcomeName(q.Step)}, nil
	}
	return map[string]any{"text": h.state.ActionName(q.Step)}, nil
}

func (h *host) describe(q *question) (map[string]any, error) {
	switch {
	case q.Version != version:
		return nil, fmt.Errorf("version %d of the protocol is not spoken here, only %d", q.Version, version)
	case len(q.Rules) > 0:
		return nil, errors.New("the rules are those with which the program was started")
	}
	if err := h.goTo(nil); err != nil {
		return nil, err
	}
	description := described.Of(h.game.Spec(), len(h.state.Scores(nil)) > 0)
	return map[string]any{"version": version, "description": description, "node": h.node(nil)}, nil
}

// steps answers with the nodes after the steps of each path. One that has several may hold some that are not possible.
func (h *host) steps(items []path) (map[string]any, error) {
	nodes := make([][]map[string]any, len(items))
	for i, it := range items {
		if err := h.goTo(it.state); err != nil {
			return nil, &wrongItem{i, err}
		}
		for _, step := range it.steps {
			if !slices.Contains(possible(h.state), step) {
				if len(it.steps) == 1 {
					return nil, &wrongItem{i, fmt.Errorf("step %d is not possible after %v", step, it.state)}
				}
				break
			}
			seen := h.seen(step)
			if err := h.apply(step); err != nil {
				return nil, &wrongItem{i, err}
			}
			nodes[i] = append(nodes[i], h.node(seen))
		}
	}
	return map[string]any{"nodes": nodes}, nil
}

// goTo makes the state that of a history.
func (h *host) goTo(history []int) error {
	if len(h.history) > len(history) || !slices.Equal(h.history, history[:len(h.history)]) {
		h.state.Reset()
		h.history = h.history[:0]
	}
	for _, step := range history[len(h.history):] {
		if err := h.apply(step); err != nil {
			return err
		}
	}
	return nil
}

func (h *host) apply(step int) error {
	if err := h.state.Apply(step); err != nil {
		return fmt.Errorf("after %v: %w", h.history, err)
	}
	h.history = append(h.history, step)
	return nil
}

// node describes the state; seen is what each seat has seen of the step that has led to it.
func (h *host) node(seen []int) map[string]any {
	player := h.state.Player()
	n := map[string]any{"state": append([]int{}, h.history...), "player": player, "steps": possible(h.state)}
	if scores := h.state.Scores(nil); len(scores) > 0 {
		n["scores"] = scores
	}
	if seen != nil {
		n["seen"] = seen
	}
	switch {
	case player >= 0:
		n["observation"] = h.observation(player)
	case player == engine.Terminal:
		returns := make([]float64, h.game.Spec().Seats)
		h.state.Returns(returns)
		n["returns"] = returns
	default:
		if weights := whole(h.state.Outcomes(nil)); weights != nil {
			n["weights"] = weights
		}
	}
	return n
}

// possible lists what can be done, or can happen.
func possible(s engine.State) []int {
	list := s.LegalActions([]int{})
	for _, o := range s.Outcomes(nil) {
		list = append(list, o.Index)
	}
	return list
}

func (h *host) observation(seat int) []float32 {
	values := make([]float32, h.game.Spec().ObservationSize)
	h.state.Observe(seat, values)
	return values
}

func (h *host) observations() (list [][]float32) {
	for seat := range h.game.Spec().Seats {
		list = append(list, h.observation(seat))
	}
	return list
}

// seen is what each seat sees of a step, nil where all see all.
func (h *host) seen(step int) (list []int) {
	if h.game.Spec().PerfectInformation {
		return nil
	}
	for seat := range h.game.Spec().Seats {
		list = append(list, h.state.Seen(seat, step))
	}
	return list
}

// The weights of outcomes: their sum is below maxTotal, and a probability counts as a fraction that is this near.
const (
	maxTotal = 1 << 31
	near     = 1e-12
)

// whole returns whole numbers whose shares are the probabilities: exactly, where these are fractions with a common
// denominator below maxTotal; else to within 1 / maxTotal. It returns nil where all outcomes are equally likely.
func whole(outcomes []engine.Outcome) []uint32 {
	same, total := true, uint64(1)
	for _, o := range outcomes {
		same = same && math.Abs(o.Probability-outcomes[0].Probability) < near
		if total < maxTotal {
			d := denominator(o.Probability)
			total = total / divisor(total, d) * d
		}
	}
	if same {
		return nil
	}
	weights := make([]uint32, len(outcomes))
	for i, o := range outcomes {
		weights[i] = uint32(max(1, math.Round(o.Probability*float64(min(total, maxTotal)))))
	}
	return weights
}

// denominator is the least of a fraction that is near p, by its continued fraction; maxTotal if there is none below.
func denominator(p float64) uint64 {
	before, d := uint64(0), uint64(1)
	for rest := p; d < maxTotal; {
		if n := math.Round(p * float64(d)); math.Abs(p-n/float64(d)) < near {
			return d
		}
		rest = 1 / (rest - math.Floor(rest))
		if !(rest < maxTotal) {
			break
		}
		before, d = d, before+uint64(rest)*d
	}
	return maxTotal
}

func divisor(a, b uint64) uint64 {
	for b > 0 {
		a, b = b, a%b
	}
	return a
}
