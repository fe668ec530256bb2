//go:build wasip1

package inpage

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"croupier/engine"
	"croupier/engine/wasm/kits/go/croupier"
)

const (
	mostSteps = 1 << 15 // of a history
	certainty = 1 << 30 // the sum of the weights of outcomes, about
)

// New makes a game under rules, as JSON.
type New func(rules []byte) (engine.Game, error)

// position is what the page keeps of a position.
type position struct {
	count int32
	steps [mostSteps]uint16
}

var (
	games map[string]New
	at    position
	game  engine.Game
	state engine.State
	made  []uint16 // its history
	words []byte   // that the export told returns
)

// Start makes the games those of the module.
func Start(all map[string]New) {
	games = all
	croupier.Start(&at, croupier.Sizes{Steps: 1, Seats: 1, Observation: 1, Rules: mostRules})
}

// Describe chooses the game once there are rules, and describes it by what a page reads.
func (p *position) Describe() string {
	length := croupier.Rule(0)
	if length == 0 {
		return "{}"
	}
	text := make([]byte, length)
	for i := range text {
		text[i] = byte(croupier.Rule(1 + i))
	}
	var choice Choice
	must(json.Unmarshal(text, &choice))
	newGame, ok := games[choice.Game]
	if !ok {
		panic("this module has no game " + choice.Game)
	}
	var err error
	game, err = newGame(choice.Rules)
	must(err)
	state, made = game.NewState(), nil
	spec := game.Spec()
	if spec.MaxHistory > mostSteps {
		panic(fmt.Sprintf("histories of %d steps do not fit", spec.MaxHistory))
	}
	croupier.Start(p, croupier.Sizes{ // again, with the sizes of the game
		Seats: spec.Seats, Steps: max(spec.Actions, spec.Outcomes), Observation: spec.ObservationSize, Rules: mostRules,
	})
	text, err = json.Marshal(describe(spec))
	must(err)
	return string(text)
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func describe(spec *engine.Spec) map[string]any {
	var actions, observation []map[string]any
	for _, g := range spec.ActionGroups {
		actions = append(actions, map[string]any{"name": g.Name, "count": g.Count})
	}
	for _, s := range spec.Segments {
		observation = append(observation, map[string]any{"name": s.Name, "size": s.Size})
	}
	payoff := "win-loss"
	if spec.Payoff == engine.Money {
		payoff = "money"
	}
	coin, perUnit := spec.Coin.Shown(spec.Unit)
	return map[string]any{
		"coin": coin, "per_unit": perUnit, // what people are shown returns in
		"name": spec.Name, "title": spec.Title, "summary": spec.Summary, "seats": spec.Seats, "roles": spec.Roles,
		"actions": actions, "outcomes": spec.Outcomes, "observation": observation, "payoff": payoff,
		"max_return": spec.MaxReturn, "unit": spec.Unit, "max_history": spec.MaxHistory,
		"hidden_information": !spec.PerfectInformation, "covert": spec.Covert,
	}
}

// current returns the state of the position.
func (p *position) current() engine.State {
	steps := p.steps[:p.count]
	if len(made) > len(steps) || !slices.Equal(made, steps[:len(made)]) {
		state.Reset()
		made = made[:0]
	}
	for _, step := range steps[len(made):] {
		must(state.Apply(int(step)))
		made = append(made, step)
	}
	return state
}

// Player returns the seat to move.
func (p *position) Player() int { return p.current().Player() }

// Steps reports what is possible.
func (p *position) Steps() {
	s := p.current()
	if s.Player() != engine.Chance {
		for _, action := range s.LegalActions(nil) {
			croupier.Can(action)
		}
		return
	}
	for _, o := range s.Outcomes(nil) {
		croupier.Outcome(o.Index, uint32(max(math.Round(o.Probability*certainty), 1)))
	}
}

// Apply makes a step.
func (p *position) Apply(step int) {
	p.steps[p.count] = uint16(step)
	p.count++
}

// Observe writes what a seat may know.
func (p *position) Observe(seat int, to []float32) { p.current().Observe(seat, to) }

// Returns writes the returns.
func (p *position) Returns(to []float64) { p.current().Returns(to) }

// Seen returns what a seat sees of a step.
func (p *position) Seen(seat, step int) int { return p.current().Seen(seat, step) }

// Name names a step.
func (p *position) Name(step int) string {
	if s := p.current(); s.Player() != engine.Chance {
		return s.ActionName(step)
	}
	return p.current().OutcomeName(step)
}

// View returns what an eye sees, for the game's board.
func (p *position) View(eye int) string {
	viewed, ok := game.(engine.Viewed)
	if !ok {
		return ""
	}
	text, err := json.Marshal(viewed.View(p.current(), eye))
	must(err)
	return string(text)
}

// told is an export that files do not have: the name of what a seat sees of a step that is neither hidden from it nor
// seen as it is. 0 stands for the step's name.
//
//go:wasmexport told
func told(seat, step int32) uint32 {
	if telling, ok := at.current().(engine.Telling); ok {
		words = append(append(words[:0], telling.SeenName(int(seat), int(step))...), 0)
		return uint32(uintptr(unsafe.Pointer(unsafe.SliceData(words))))
	}
	return 0
}

// obvious is another: the action of the seat to move that needs no thought, or -1.
//
//go:wasmexport obvious
func obvious() int32 {
	if d, ok := game.(engine.Dominant); ok {
		if action, ok := d.Dominant(at.current()); ok {
			return int32(action)
		}
	}
	return -1
}
