package play

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"croupier/engine"
)

// shared reports whether several persons share the terminal.
func (t *Terminal) shared() bool { return t.Table.People() > 1 }

// openly reports whether they look together, because nothing is hidden.
func (t *Terminal) openly() bool { return t.shared() && t.Table.Game().Spec().PerfectInformation }

// poll returns the question that the persons at the terminal are asked together, nil where the seat to move is asked
// alone.
func (t *Terminal) poll(show *Show) *poll {
	if show.Mover < 0 || !t.openly() {
		return nil
	}
	var seats []int
	for seat := range t.Table.places {
		seats = append(seats, seat)
	}
	return t.Table.poll(seats)
}

// inWords reports what can be typed: "bank: 1 Mum, 2 Dad; Enter: pass".
func (p *poll) inWords(show *Show, s engine.State) string {
	var keys []string
	for _, seat := range p.asked {
		keys = append(keys, fmt.Sprintf("%d %s", seat+1, show.Seats[seat].Name))
	}
	return fmt.Sprintf("%s: %s; Enter: %s", s.ActionName(p.does), strings.Join(keys, ", "), s.ActionName(p.doesNot))
}

// read reads who does it: "2", "1 3", "13", names, or nothing at all.
func (p *poll) read(show *Show, line string) error {
	words := strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == ',' })
	yes := []int{}
	for _, word := range words {
		seats, err := p.seats(show, word)
		if err != nil {
			return err
		}
		yes = append(yes, seats...)
	}
	p.yes = yes
	return nil
}

// seats returns the seats that a word means: a name, or digits.
func (p *poll) seats(show *Show, word string) (seats []int, err error) {
	for _, seat := range p.asked {
		if strings.EqualFold(show.Seats[seat].Name, word) {
			return []int{seat}, nil
		}
	}
	for _, digit := range word {
		seat := slices.Index(p.asked, int(digit-'1'))
		if seat < 0 {
			return nil, fmt.Errorf("%q is nobody who is asked: type the numbers or names of those who do it, or just Enter", word)
		}
		seats = append(seats, p.asked[seat])
	}
	return seats, nil
}

// together asks the persons who are polled, and makes the step of the one to move.
func (t *Terminal) together(ctx context.Context, show *Show, p *poll) error {
	fmt.Fprintf(t.Out, "%s%s > ", sentence(p.inWords(show, t.Table.State())), clockInWords(show))
	line, err := t.line(ctx)
	if errors.Is(err, errExpired) {
		t.polled = p
		_, err := t.Table.Expire(time.Now())
		return err
	}
	if err != nil {
		return err
	}
	line = strings.TrimSpace(line)
	if done, err := t.common(ctx, show, line); done {
		return err
	}
	if err := p.read(show, line); err != nil {
		fmt.Fprintf(t.Out, "%s.\n", sentence(err.Error()))
		return nil
	}
	t.polled = p
	t.answered(show, p.asked)
	action, _ := p.answer(t.Table)
	return t.Table.Act(show.Eye, show.Step, action, time.Now())
}

// question is one that persons at the terminal have answered.
type question struct {
	from int    // steps that had been made
	who  string // answered
}

// answered notes a question, so that it can be taken back.
func (t *Terminal) answered(show *Show, seats []int) {
	var names []string
	for _, seat := range seats {
		names = append(names, show.Seats[seat].Name)
	}
	t.questions = append(t.questions, question{len(t.Table.made), strings.Join(names, ", ")})
}

// agree takes back the newest answer of anybody at the terminal once they all agree.
func (t *Terminal) agree(ctx context.Context) error {
	last := len(t.questions) - 1
	if last < 0 || !t.Table.plan.Undo {
		fmt.Fprintf(t.Out, "%s.\n", sentence(ErrUndo.Error()))
		return nil
	}
	q := t.questions[last]
	fmt.Fprintf(t.Out, "Take back the newest answer of %s, and all that followed? y: everybody agrees > ", q.who)
	line, err := t.line(ctx)
	if err != nil && !errors.Is(err, errExpired) {
		return err
	}
	if answer := strings.ToLower(strings.TrimSpace(line)); answer != "y" && answer != "yes" {
		fmt.Fprintln(t.Out, "Nothing is taken back.")
		return nil
	}
	return t.takeBack()
}

// takeBack goes back to the newest question that was answered.
func (t *Terminal) takeBack() error {
	last := len(t.questions) - 1
	if last < 0 || !t.Table.plan.Undo {
		fmt.Fprintln(t.Out, "There is nothing to take back.")
		return nil
	}
	if err := t.Table.back(t.questions[last].from, time.Now()); err != nil {
		return err
	}
	t.questions = t.questions[:last]
	t.forget()
	fmt.Fprintln(t.Out, "Taken back.")
	return nil
}

// forget makes the terminal show the position again, and of what happened nothing that was shown.
func (t *Terminal) forget() {
	for eye := range t.told {
		t.told[eye] = t.Table.story.Steps(eye)
	}
	t.shown, t.advised = "", -1
}

// The control sequences of terminals (ECMA-48): the cursor goes to the top, the screen and what has left it are erased.
const eraseScreen = "\x1b[H\x1b[2J\x1b[3J"

// cover hides what the person before has seen until the one to move has the terminal. It does so where people share a
// screen and do not see the same.
func (t *Terminal) cover(ctx context.Context, show *Show) error {
	if !t.Screen || !t.shared() || t.openly() || show.Eye == t.before {
		return nil
	}
	fmt.Fprintf(t.Out, "%sIt is the turn of %s: pass the terminal on, then press Enter. ", eraseScreen, show.Seats[show.Eye].Name)
	t.before, t.shown = show.Eye, ""
	_, err := t.line(ctx)
	if errors.Is(err, errExpired) {
		return nil
	}
	return err
}

// seen returns the position as those see it who look at the screen: the person to move, or all together.
func (t *Terminal) seen(show *Show) *Show {
	if t.openly() {
		if public := t.Table.Show(engine.Public, time.Now()); inWords(public) != "" {
			return public
		}
	}
	return show
}

// inWords returns the view of a position in words, "" of a game that has none.
func inWords(show *Show) string {
	text, ok := show.View.(fmt.Stringer)
	if _, plain := show.View.(Observed); !ok || plain {
		return ""
	}
	return withNames(show.Seats, strings.TrimRight(text.String(), "\n"))
}

// lineWidth is how long lines of events are at most.
const lineWidth = 78

// news prints what has happened, several steps a line, and reports whether chance has moved.
func (t *Terminal) news(show *Show) (chance bool) {
	line := ""
	for _, e := range show.Events {
		if e.Step <= t.told[show.Eye] {
			continue
		}
		chance = chance || e.Player == engine.Chance
		text := strings.TrimSpace(t.event(show, e))
		if line != "" && utf8.RuneCountInString(line+text)+2 > lineWidth {
			fmt.Fprintf(t.Out, "  %s\n", line)
			line = ""
		}
		if line != "" {
			line += ", "
		}
		line += text
	}
	if line != "" {
		fmt.Fprintf(t.Out, "  %s\n", line)
	}
	return chance
}

// tellAll prints what has happened to persons who look together, and the position once chance has moved; on a screen
// always.
func (t *Terminal) tellAll(show *Show) {
	if show.Step == t.told[show.Eye] && t.shown != "" {
		return
	}
	if t.Screen {
		fmt.Fprint(t.Out, eraseScreen)
	}
	if chance := t.news(show); chance || t.Screen || t.shown == "" {
		t.shown = t.position(show)
		fmt.Fprintf(t.Out, "\n%s\n\n", t.shown)
	}
	t.told[show.Eye] = show.Step
}

// clockInWords reports how long the person to move may think.
func clockInWords(show *Show) string {
	if show.Clock == nil {
		return ""
	}
	return fmt.Sprintf(" (%.0f s, then %s)", show.Clock.Left, show.Clock.Fallback)
}
