package play

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"croupier/engine"
	"croupier/engine/history"
)

// Window is what is shown of recorded games.
type Window struct {
	Game int // among the histories, from 0
	Eye  int // a seat, engine.Public or engine.Everything
	From int // first step that is shown
	// Count is how many steps are shown at most, 1..MaxWindow; 0 stands for MaxWindow.
	Count int
	// Open: what the cards allowed is included, where the game can say it.
	Open bool
}

const (
	// MaxWindow is how many steps are shown at once.
	MaxWindow = 200
	// MaxReplayed is how many games the histories may hold.
	MaxReplayed = 1000
)

// Replay shows recorded games step by step, one of them in detail.
type Replay struct {
	Games []ReplayedGame `json:"games"` // all of the histories
	// Choices are the steps at which a seat had more than one legal action.
	Choices []int `json:"choices"`
	// Parts are the steps at which a part of the game begins: a hand, a round.
	Parts []Part  `json:"parts"`
	From  int     `json:"from"`
	Shows []*Show `json:"shows"` // from the step From on; the last one of a game is its end
	// Positions, besides Shows, are what the seat to move knew, as advise reads it; null where there is
	// no choice, or where the game's positions cannot be written down.
	Positions []json.RawMessage `json:"positions"`
	// Open, besides Shows, is what the cards allowed; nil where the game cannot say it, or was not
	// asked. OpenUnit is what leads are counted in.
	Open     []*OpenStep `json:"open,omitempty"`
	OpenUnit string      `json:"open_unit,omitempty"`
}

// OpenStep is an engine.OpenValue.
type OpenStep struct {
	Leads []float64  `json:"leads"`
	Moves []OpenMove `json:"moves"`
}

// OpenMove is an engine.OpenMove.
type OpenMove struct {
	Action int     `json:"action"`
	Lead   float64 `json:"lead"`
}

// ReplayedGame is one of the recorded games.
type ReplayedGame struct {
	Game  string          `json:"game"`
	Title string          `json:"title"` // for people
	Rules json.RawMessage `json:"rules"`
	Steps int             `json:"steps"`
	Over  *Over           `json:"over"`
}

// Part is where a part of a game begins.
type Part struct {
	Step int    `json:"step"`
	Name string `json:"name"`
}

// NewReplay reads histories, one a line, checks all of them, and shows the window of one. Seats are
// called by names, where there are any for all of them. Errors are the caller's fault: a
// *history.Error names line and step.
func NewReplay(ctx context.Context, histories []byte, find history.Find, w Window, names []string) (*Replay, error) {
	if w.Count == 0 {
		w.Count = MaxWindow
	}
	if w.Count < 0 || w.Count > MaxWindow {
		return nil, fmt.Errorf("count is %d, not in 1..%d", w.Count, MaxWindow)
	}
	var (
		in     = history.NewReader(bytes.NewReader(histories))
		r      = &Replay{Choices: []int{}, Parts: []Part{}, From: w.From, Shows: []*Show{}, Positions: []json.RawMessage{}}
		rec    history.Record
		chosen *recorded
	)
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		err := in.Read(&rec)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if len(r.Games) == MaxReplayed {
			return nil, fmt.Errorf("line %d: there are more than %d games", in.Line(), MaxReplayed)
		}
		game, summary, err := summarise(&rec, find)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", in.Line(), err)
		}
		if len(r.Games) == w.Game {
			chosen = &recorded{game: game, steps: slices.Clone(rec.History)}
		}
		r.Games = append(r.Games, *summary)
	}
	switch {
	case len(r.Games) == 0:
		return nil, errors.New("there are no games")
	case chosen == nil:
		return nil, fmt.Errorf("there is no game %d: the histories hold %d", w.Game+1, len(r.Games))
	}
	return r, r.show(ctx, chosen, w, names)
}

// recorded is a game with all that has happened in it.
type recorded struct {
	game  engine.Game
	steps []int
}

// summarise replays a record to its end.
func summarise(rec *history.Record, find history.Find) (engine.Game, *ReplayedGame, error) {
	game, err := find(rec.Game, rec.Rules)
	if err != nil {
		return nil, nil, err
	}
	if err := history.NewReplayer(game).Replay(rec, nil); err != nil {
		return nil, nil, err
	}
	story, err := NewStory(game, nil)
	if err != nil {
		return nil, nil, err
	}
	for _, step := range rec.History {
		if err := story.Apply(step, ""); err != nil {
			return nil, nil, err
		}
	}
	end := story.Show(engine.Everything)
	return game, &ReplayedGame{
		Game: rec.Game, Title: end.Title, Rules: end.Rules, Steps: len(rec.History), Over: end.Over,
	}, nil
}

// show enters what the eye sees of the game.
func (r *Replay) show(ctx context.Context, g *recorded, w Window, names []string) error {
	if err := w.check(g, names); err != nil {
		return err
	}
	story, err := NewStory(g.game, nil)
	if err != nil {
		return err
	}
	solve := r.solver(g.game, &w)
	for step := 0; ; step++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		show := story.Show(w.Eye)
		r.mark(story, show, step)
		if step >= w.From && step < w.From+w.Count {
			r.Shows = append(r.Shows, named(show, names))
			r.Positions = append(r.Positions, positionOf(g.game, story.State()))
			if solve != nil {
				r.Open = append(r.Open, openStep(solve(story.State())))
			}
		}
		if step == len(g.steps) {
			return nil
		}
		if err := story.Apply(g.steps[step], ""); err != nil {
			return err
		}
	}
}

// solver returns what says what the cards allow, nil where that is not asked or known.
func (r *Replay) solver(game engine.Game, w *Window) func(engine.State) (engine.OpenValue, bool) {
	open, ok := game.(engine.OpenCards)
	if !ok || !w.Open {
		return nil
	}
	r.OpenUnit = open.OpenUnit()
	return open.OpenSolver()
}

// openStep is the value for the page, nil where there is none.
func openStep(v engine.OpenValue, ok bool) *OpenStep {
	if !ok {
		return nil
	}
	step := &OpenStep{Leads: v.Leads, Moves: []OpenMove{}}
	for _, m := range v.Moves {
		step.Moves = append(step.Moves, OpenMove(m))
	}
	return step
}

// check refuses a window that the game does not have.
func (w *Window) check(g *recorded, names []string) error {
	seats := g.game.Spec().Seats
	switch {
	case w.Eye < engine.Everything || w.Eye >= seats:
		return fmt.Errorf("eye is %d: it is a seat 0..%d, -1 for a spectator or -2 for all open", w.Eye, seats-1)
	case w.From < 0 || w.From > len(g.steps):
		return fmt.Errorf("from is %d: the game has the steps 0..%d", w.From, len(g.steps))
	case names != nil && len(names) != seats:
		return fmt.Errorf("names: there are %d for %d seats", len(names), seats)
	}
	return nil
}

// mark notes a choice, and where a part begins.
func (r *Replay) mark(story *Story, show *Show, step int) {
	if story.Player() >= 0 && len(story.State().LegalActions(nil)) > 1 {
		r.Choices = append(r.Choices, step)
	}
	parted, ok := show.View.(engine.Parted)
	if !ok {
		return
	}
	if name := parted.Part(); len(r.Parts) == 0 || r.Parts[len(r.Parts)-1].Name != name {
		r.Parts = append(r.Parts, Part{step, name})
	}
}

// positionOf writes what the seat to move knows, nil where it has no choice.
func positionOf(game engine.Game, s engine.State) json.RawMessage {
	positioned, ok := game.(engine.Positioned)
	if !ok || s.Player() < 0 || len(s.LegalActions(nil)) < 2 {
		return nil
	}
	return positioned.FormatPosition(s, s.Player())
}

// named enters who sat where: by default "Player 2".
func named(show *Show, names []string) *Show {
	for seat := range show.Seats {
		at := &show.Seats[seat]
		at.Name, at.Kind = fmt.Sprintf("Player %d", seat+1), Robot
		if names != nil && names[seat] != "" {
			at.Name = names[seat]
		}
		if seat == show.Eye {
			at.Kind = You
		}
	}
	return show
}
