package play

import (
	"encoding/json"
	"fmt"
	"slices"

	"croupier/engine"
	"croupier/engine/history"
)

// Story is a game as it went so far, for every eye: the position, and what the eye saw of each
// step. It belongs to one goroutine.
type Story struct {
	game    engine.Game
	rules   json.RawMessage
	start   engine.State // nil: the beginning of the game
	state   engine.State
	history []int    // since the start
	logs    []eyeLog // by eye - engine.Everything
}

// eyeLog is what an eye has noticed.
type eyeLog struct {
	steps  int
	events []Event // the newest
}

// NewStory returns the beginning of a game, or a later position from which it begins; nil: the beginning.
func NewStory(game engine.Game, start engine.State) (*Story, error) {
	rules, err := json.Marshal(game.Rules())
	if err != nil {
		return nil, fmt.Errorf("rules of %s: %w", game.Spec().Name, err)
	}
	s := &Story{game: game, rules: rules, start: start, state: game.NewState()}
	s.Reset()
	return s, nil
}

// Reset goes back to the start.
func (s *Story) Reset() {
	s.state.Reset()
	if s.start != nil {
		s.state.CopyFrom(s.start)
	}
	s.history = s.history[:0]
	s.logs = make([]eyeLog, s.game.Spec().Seats-engine.Everything)
}

// State returns the position, which the caller must not change.
func (s *Story) State() engine.State { return s.state }

// Game returns the game.
func (s *Story) Game() engine.Game { return s.game }

// Player returns who is to move; nobody is in a game that was broken off (Cut).
func (s *Story) Player() int {
	if s.Cut() {
		return engine.Terminal
	}
	return s.state.Player()
}

// Cut says whether the game was broken off because it had as many steps as histories may have.
func (s *Story) Cut() bool {
	return len(s.history) >= s.game.Spec().MaxHistory && s.state.Player() != engine.Terminal
}

// Apply makes a step; note says why, "" if that goes without saying.
func (s *Story) Apply(step int, note string) error {
	if s.Cut() {
		return &engine.IllegalError{Player: engine.Terminal, Action: step, Reason: "the game was broken off"}
	}
	player := s.state.Player()
	if player == engine.Terminal {
		return &engine.IllegalError{Player: player, Action: step, Reason: "the game is over"}
	}
	if !s.possible(step) {
		return s.state.Apply(step) // says why
	}
	seen := make([]*Event, len(s.logs))
	for i := range seen {
		seen[i] = s.seen(i+engine.Everything, player, step)
	}
	if err := s.state.Apply(step); err != nil {
		return err
	}
	s.history = append(s.history, step)
	for i, event := range seen {
		if event != nil {
			event.Note = note
			s.logs[i].add(event)
		}
	}
	return nil
}

// possible says whether a step can be made.
func (s *Story) possible(step int) bool {
	if s.state.Player() == engine.Chance {
		return slices.ContainsFunc(s.state.Outcomes(nil), func(o engine.Outcome) bool { return o.Index == step })
	}
	return slices.Contains(s.state.LegalActions(nil), step)
}

func (l *eyeLog) add(e *Event) {
	l.steps++
	e.Step = l.steps
	if len(l.events) == shownEvents {
		l.events = slices.Delete(l.events, 0, 1)
	}
	l.events = append(l.events, *e)
}

// seen returns what an eye sees of a step that is about to be made, nil if it does not notice it.
func (s *Story) seen(eye, player, step int) *Event {
	e := &Event{Player: player}
	switch what := s.sight(eye, step); what {
	case engine.Unnoticed:
		return nil
	case engine.Hidden:
	default:
		e.Name = s.name(eye, player, step, what)
	}
	return e
}

// sight is State.Seen for every eye: the public sees what all seats see alike.
func (s *Story) sight(eye, step int) int {
	switch eye {
	case engine.Everything:
		return step
	case engine.Public:
		what := s.state.Seen(0, step)
		for seat := 1; seat < s.game.Spec().Seats; seat++ {
			other := s.state.Seen(seat, step)
			switch {
			case other == engine.Unnoticed || what == engine.Unnoticed:
				return engine.Unnoticed
			case other != what:
				what = engine.Hidden
			}
		}
		return what
	}
	return s.state.Seen(eye, step)
}

// name returns the words for what an eye sees of a step that is not hidden from it.
func (s *Story) name(eye, player, step, what int) string {
	telling, special := s.state.(engine.Telling)
	switch {
	case special && eye >= 0:
		return telling.SeenName(eye, step)
	case player != engine.Chance:
		return s.state.ActionName(step)
	case special && eye == engine.Public, what != step:
		return ""
	}
	return s.state.OutcomeName(step)
}

// Steps returns how many steps an eye has noticed.
func (s *Story) Steps(eye int) int { return s.logs[eye-engine.Everything].steps }

// Mover returns who is to move as far as an eye may know it: [Others] where it may know no more
// than that it is not itself.
func (s *Story) Mover(eye int) int {
	player := s.Player()
	own := eye >= 0 && player == eye // engine.Public is the number of engine.Chance
	if s.game.Spec().Covert && !own && player != engine.Terminal && eye != engine.Everything {
		return Others
	}
	return player
}

// Show returns what an eye sees, without names of people and agents; these the caller enters into
// Seats. What it returns shares nothing with the story.
func (s *Story) Show(eye int) *Show {
	log, spec := &s.logs[eye-engine.Everything], s.game.Spec()
	show := &Show{
		Game: spec.Name, Title: spec.Title, Rules: s.rules, Eye: eye, Step: log.steps, Mover: s.Mover(eye),
		Actions: []Choice{}, Events: append([]Event{}, log.events...),
	}
	for seat := range spec.Seats {
		show.Seats = append(show.Seats, Seat{Name: fmt.Sprintf("Seat %d", seat+1), Kind: Vacant})
	}
	show.View = ViewOf(s.game, s.state, eye)
	if staged, ok := show.View.(engine.Staged); ok {
		show.Stage = staged.Stage()
	}
	switch player := s.Player(); {
	case player == engine.Terminal:
		show.Over = s.over(s.returns())
	case player >= 0 && (player == eye || eye == engine.Everything):
		show.Line = engine.LineOf(s.game, s.state)
		for _, action := range s.state.LegalActions(nil) {
			show.Actions = append(show.Actions, Choice{action, s.state.ActionName(action)})
		}
	}
	return show
}

// returns is what each seat has got so far.
func (s *Story) returns() []float64 {
	returns := make([]float64, s.game.Spec().Seats)
	s.state.Returns(returns)
	return returns
}

// outcomes lists what can happen at a chance node.
func (s *Story) outcomes() (list []Choice) {
	for _, o := range s.state.Outcomes(nil) {
		list = append(list, Choice{o.Index, s.state.OutcomeName(o.Index)})
	}
	return list
}

// Record returns the game as a history. The seed is that of its chance, nil if that was not drawn
// from one. A game that is not over has no results.
func (s *Story) Record(seed *uint64) *history.Record {
	spec := s.game.Spec()
	r := &history.Record{Game: spec.Name, Rules: s.rules, Seed: seed, History: slices.Clone(s.history)}
	if s.state.Player() != engine.Terminal {
		return r
	}
	r.Returns = s.returns()
	if unit := spec.HistoryUnit; unit != 0 {
		for seat := range r.Returns {
			r.Returns[seat] /= unit
		}
	}
	r.Scores = s.state.Scores([]int64{})
	return r
}
