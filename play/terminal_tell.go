package play

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"croupier/engine"
	"croupier/internal/plural"
)

// tell prints what has happened since the eye last saw the game, and the position.
func (t *Terminal) tell(show *Show) {
	if t.openly() {
		t.tellAll(t.seen(show))
		return
	}
	var chance []Event // in a row
	for _, e := range show.Events {
		switch {
		case e.Step < t.told[show.Eye]:
		case e.Player == engine.Chance:
			chance = append(chance, e)
		default:
			t.chance(chance)
			chance = nil
			fmt.Fprintln(t.Out, t.event(show, e))
		}
	}
	t.chance(chance)
	if news := show.Step > t.told[show.Eye] || t.shown == ""; news {
		t.shown = t.position(show)
		fmt.Fprintf(t.Out, "\n%s\n", t.shown)
	}
	t.told[show.Eye] = show.Step
}

// chance prints what chance did in a row, in one line.
func (t *Terminal) chance(events []Event) {
	var seen []string
	for _, e := range events {
		if e.Name != "" {
			seen = append(seen, e.Name)
		}
	}
	if hidden := len(events) - len(seen); hidden > 0 {
		seen = append(seen, fmt.Sprintf("%d hidden", hidden))
	}
	if len(seen) > 0 {
		fmt.Fprintf(t.Out, "  %s\n", strings.Join(seen, ", "))
	}
}

// event says in a line who did what.
func (t *Terminal) event(show *Show, e Event) string {
	who := ""
	if e.Player >= 0 {
		who = show.Seats[e.Player].Name + ": "
	}
	text := "  " + who + cmp.Or(e.Name, "(hidden)")
	if e.Note != "" {
		text += " (" + e.Note + ")"
	}
	return text
}

// position returns the state of the game as far as the eye may know.
func (t *Terminal) position(show *Show) string {
	_, plain := show.View.(Observed)
	if g, ok := t.Table.Game().(engine.Positioned); ok && plain && t.Table.story.Player() == show.Eye {
		return string(g.FormatPosition(t.Table.State(), show.Eye))
	}
	if text := inWords(show); text != "" {
		return text
	}
	return plural.Of(show.Step, "step was", "steps were") + " made"
}

// withNames puts the names of those who sit there in place of the numbers of seats.
func withNames(seats []Seat, text string) string {
	var pairs []string
	for i, seat := range seats {
		pairs = append(pairs, fmt.Sprintf("Seat %d", i+1), seat.Name, fmt.Sprintf("seat %d", i+1), seat.Name)
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// ask prints what can be typed.
func (t *Terminal) ask(show *Show) {
	who := show.Seats[show.Eye].Name
	if show.Mover == engine.Chance {
		who = "What came"
	}
	fmt.Fprintf(t.Out, "%s, %s%s > ", who, choicesInWords(show), clockInWords(show))
}

// list numbers choices.
func list(choices []Choice) string {
	var all []string
	for i, c := range choices {
		all = append(all, fmt.Sprintf("%d %s", i+1, c.Name))
	}
	return engine.ListNames(all)
}

// result prints how the game ended.
func (t *Terminal) result() {
	show := t.Table.Show(t.eye(), time.Now())
	switch {
	case t.shared() && !t.openly():
		show = t.Table.Show(engine.Public, time.Now()) // they look together now
		fmt.Fprintf(t.Out, "\n%s\n", t.position(show))
	case show.Eye >= 0:
		t.tell(show)
	}
	fmt.Fprintf(t.Out, "\nThe game is over: %s.\n", Outcome(show))
}

// Outcome says in words how a game ended: "Anna won, Expert lost".
func Outcome(show *Show) string {
	o := show.Over
	var parts []string
	for seat, s := range show.Seats {
		part := s.Name + " " + o.Results[seat]
		if r := o.Returns[seat]; o.Results[seat] == "gained" || o.Results[seat] == "lost" && o.Unit != "wins" {
			part += fmt.Sprintf(" %.*f %s", o.Decimals, max(r, -r), o.Unit)
		}
		if len(o.Scores) > 0 {
			part += " (" + plural.Of(o.Scores[seat], "point") + ")"
		}
		parts = append(parts, part)
	}
	text := strings.Join(parts, ", ")
	if o.Cut {
		text += "; it was broken off because it was too long"
	}
	return text
}

// sentence begins a text with a capital letter.
func sentence(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
