package described

import (
	"fmt"
	"strings"

	"croupier/engine"
	"croupier/internal/strict"
)

// View is what is shown of a position: a text, and parts that the board of the page draws (web/boards/board-plain.js).
// All parts are optional.
type View struct {
	Text  string `json:"text,omitempty"` // what a terminal shows; without it the parts are written as text
	Parts []Part `json:"parts,omitempty"`
}

// Part is one thing on the table. It has one of Grid, Cards, Dice, Chips, Track and Note.
type Part struct {
	Label string   `json:"label,omitempty"`
	Seat  *int     `json:"seat,omitempty"` // whose it is
	Grid  *Grid    `json:"grid,omitempty"`
	Cards []string `json:"cards,omitempty"` // "Qh", "10s"; "?" is a back; other words are on a card as they are
	Dice  []int    `json:"dice,omitempty"`  // faces 1..6; 0 is under its cup
	Chips *int64   `json:"chips,omitempty"`
	Track *Track   `json:"track,omitempty"`
	Note  string   `json:"note,omitempty"`
}

// Grid has cells row by row from the top. A cell is empty, a text of a few letters, or the piece of a seat: "@0", or
// "@0K" with letters on it.
type Grid struct {
	Columns int      `json:"columns"`
	Cells   []string `json:"cells"`
	// Actions are by cell what a tap on it does, -1 nothing. ColumnActions are the same by column.
	Actions       []int `json:"actions,omitempty"`
	ColumnActions []int `json:"column_actions,omitempty"`
}

// Track is how far something has come, of how much.
type Track struct {
	At int `json:"at"`
	Of int `json:"of"`
}

// What a view may have.
const (
	maxParts  = 64
	maxItems  = 1024 // cells, cards, dice
	maxLetter = 40   // bytes of a word in it
	maxNote   = 400
)

// ReadView reads the view of a game.
func ReadView(text string, spec *engine.Spec) (v View, err error) {
	if err = strict.JSON(text).DecodeWhole(&v); err != nil {
		return View{}, err
	}
	if len(v.Parts) > maxParts {
		return View{}, strict.Errorf("parts", "%d are more than %d", len(v.Parts), maxParts)
	}
	for i := range v.Parts {
		if err := v.Parts[i].check(strict.Element("parts", i), spec); err != nil {
			return View{}, err
		}
	}
	return v, nil
}

func (p *Part) check(field string, spec *engine.Spec) error {
	things := 0
	for _, has := range []bool{
		p.Grid != nil, p.Cards != nil, p.Dice != nil, p.Chips != nil, p.Track != nil, p.Note != "",
	} {
		if has {
			things++
		}
	}
	switch {
	case things != 1:
		return strict.Errorf(field, "it has %d of grid, cards, dice, chips, track and note, not one", things)
	case p.Seat != nil && (*p.Seat < 0 || *p.Seat >= spec.Seats):
		return strict.Errorf(field+".seat", "there is no seat %d", *p.Seat)
	case p.Grid != nil:
		if err := p.Grid.check(field+".grid", spec); err != nil {
			return err
		}
	case p.Track != nil && (p.Track.Of < 1 || p.Track.At < 0 || p.Track.At > p.Track.Of):
		return strict.Errorf(field+".track", "%d of %d", p.Track.At, p.Track.Of)
	case len(p.Dice) > maxItems:
		return strict.Errorf(field+".dice", "%d are more than %d", len(p.Dice), maxItems)
	}
	for i, face := range p.Dice {
		if face < 0 || face > 6 {
			return strict.Errorf(strict.Element(field+".dice", i), "%d is not a face of a die", face)
		}
	}
	if !word(p.Label, maxNote) || !word(p.Note, maxNote) {
		return strict.Errorf(field, "label and note are lines of at most %d bytes", maxNote)
	}
	return words(field+".cards", p.Cards)
}

func (g *Grid) check(field string, spec *engine.Spec) error {
	if g.Columns < 1 || len(g.Cells)%g.Columns != 0 || len(g.Cells) == 0 {
		return strict.Errorf(field, "%d cells do not make rows of %d", len(g.Cells), g.Columns)
	}
	if err := words(field+".cells", g.Cells); err != nil {
		return err
	}
	for _, list := range []struct {
		name    string
		actions []int
		size    int
	}{{".actions", g.Actions, len(g.Cells)}, {".column_actions", g.ColumnActions, g.Columns}} {
		if n := len(list.actions); n != 0 && n != list.size {
			return strict.Errorf(field+list.name, "%d actions, and not %d", n, list.size)
		}
		for i, action := range list.actions {
			if action < -1 || action >= spec.Actions {
				return strict.Errorf(strict.Element(field+list.name, i), "there is no action %d", action)
			}
		}
	}
	return nil
}

// words checks a list of words on cells or cards.
func words(field string, list []string) error {
	if len(list) > maxItems {
		return strict.Errorf(field, "%d are more than %d", len(list), maxItems)
	}
	for i, w := range list {
		if !word(w, maxLetter) {
			return strict.Errorf(strict.Element(field, i), "%.80q is not a word of at most %d bytes", w, maxLetter)
		}
	}
	return nil
}

func word(s string, most int) bool { return len(s) <= most && Printable(s) }

// String is what a terminal shows.
func (v View) String() string {
	if v.Text != "" {
		return v.Text
	}
	var b strings.Builder
	for _, p := range v.Parts {
		label := p.Label
		if p.Seat != nil {
			label = strings.TrimSpace(engine.SeatTitle(*p.Seat, engine.Everything) + " " + label)
		}
		if label != "" {
			b.WriteString(label + ": ")
		}
		b.WriteString(p.text() + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// text writes the thing of a part.
func (p *Part) text() string {
	switch {
	case p.Grid != nil:
		return "\n" + p.Grid.text()
	case p.Cards != nil:
		return strings.Join(p.Cards, " ")
	case p.Dice != nil:
		return strings.ReplaceAll(strings.Trim(fmt.Sprint(p.Dice), "[]"), "0", "?")
	case p.Chips != nil:
		return fmt.Sprint(*p.Chips)
	case p.Track != nil:
		return fmt.Sprintf("%d of %d", p.Track.At, p.Track.Of)
	}
	return p.Note
}

// pieces are the letters of the seats' pieces in a terminal.
const pieces = "xo+#*=%&"

func (g *Grid) text() string {
	cells, width := make([]string, len(g.Cells)), 1
	for i, cell := range g.Cells {
		if seat, ok := strings.CutPrefix(cell, "@"); ok && seat != "" && seat[0] >= '0' && seat[0] <= '7' {
			cell = pieces[seat[0]-'0':seat[0]-'0'+1] + seat[1:]
		}
		if cell == "" {
			cell = "."
		}
		cells[i], width = cell, max(width, len([]rune(cell)))
	}
	var b strings.Builder
	for i, cell := range cells {
		end := " "
		if i%g.Columns == g.Columns-1 {
			end = "\n"
		}
		fmt.Fprintf(&b, "%*s%s", width, cell, end)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
