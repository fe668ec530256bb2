package play

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"croupier/engine"
)

// ErrUnfinished reports that the input ended, or the person went away, before the game was over.
var ErrUnfinished = errors.New("the game is not over")

// Terminal lets people play at a table by typing. Where several persons sit at it, they share the
// terminal.
type Terminal struct {
	Table *Table
	Out   io.Writer
	// Hint describes what the moves of the seat to move are worth; nil: there are no hints.
	Hint func(ctx context.Context, position engine.State) (string, error)
	// Advice reports what is best in a position, and is printed before each decision of the seat Advised; nil: none is.
	Advice  func(ctx context.Context, position engine.State) (string, error)
	Advised int
	// Help is what can be typed; "": what it is at a table.
	Help string
	// Dice are what chance does where that is entered; once they are used up, people are asked.
	Dice []string
	// Echo repeats what was typed, for input that is not seen on the screen.
	Echo bool
	// Screen reports that Out is a terminal. Where several persons share it, it then always shows the position as it
	// is, and what one of them may not see is covered before the next one looks.
	Screen bool

	lines     chan string // closed at the end of the input
	told      map[int]int // by eye, the steps that were shown
	shown     string      // position that was printed last
	polled    *poll       // newest question to several persons
	questions []question  // that were answered
	before    int         // eye that looked last, while cards are covered; -1: none
	advised   int         // steps that had been made when Advice was printed last; -1: none
}

const terminalHelp = `Type the name of a move, its beginning, or its number in the list. Besides there are
  state   how the game stands, and the position in one line, as "croupier advise" reads it
  hint    what each move is worth
  undo    take back your last move; where people share the terminal, the newest one if all agree
  help    this
  quit    stop; the game is saved
`

// Play plays until the game is over, and says how it ended. At the end of the input, or on "quit",
// it returns ErrUnfinished.
func (t *Terminal) Play(ctx context.Context, in io.Reader) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	t.begin(Lines(ctx, in))
	for {
		if err := ctx.Err(); err != nil {
			return ErrUnfinished
		}
		var err error
		switch t.Table.Next() {
		case NextNobody:
			t.result()
			return nil
		case NextChance:
			err = t.Table.Draw(time.Now())
		case NextAgent:
			task := t.Table.Task()
			if err = task.Think(); err == nil {
				err = t.Table.Finish(task, time.Now())
			}
		case NextPerson:
			err = t.person(ctx)
		}
		if err != nil {
			return err
		}
	}
}

func (t *Terminal) begin(lines chan string) {
	t.lines, t.told, t.before, t.advised = lines, map[int]int{}, engine.Public, -1
}

// Lines sends the lines of an input until ctx ends.
func Lines(ctx context.Context, in io.Reader) chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		scanner := bufio.NewScanner(in)
		for scanner.Scan() {
			select {
			case lines <- scanner.Text():
			case <-ctx.Done():
				return
			}
		}
	}()
	return lines
}

// person lets the person to move, or the one that enters what chance did, type one line.
func (t *Terminal) person(ctx context.Context) error {
	eye := t.eye()
	show := t.Table.Show(eye, time.Now())
	if show.Mover != engine.Chance {
		if done, err := t.Table.unasked(t.polled, time.Now()); done {
			return err
		}
	}
	if show.Mover == engine.Chance && len(t.Dice) > 0 {
		var typed string
		typed, t.Dice = nextThrow(t.Dice, show.Actions)
		step, err := Entered(typed, show.Actions)
		if errors.Is(err, errUnknown) {
			err = fmt.Errorf("%q is not possible there, only %s", typed, names(show.Actions))
		}
		if err != nil {
			return fmt.Errorf("--dice: %w", err)
		}
		return t.Table.Act(eye, show.Step, step, time.Now())
	}
	if err := t.cover(ctx, show); err != nil {
		return err
	}
	t.tell(show)
	p := t.poll(show)
	t.advise(ctx, show, p)
	if p != nil {
		return t.together(ctx, show, p)
	}
	t.ask(show)
	line, err := t.line(ctx)
	if errors.Is(err, errExpired) {
		_, err := t.Table.Expire(time.Now())
		return err
	}
	if err != nil {
		return err
	}
	return t.command(ctx, show, strings.TrimSpace(line))
}

// eye returns the seat of the person who types next.
func (t *Terminal) eye() int {
	if player := t.Table.story.Player(); player >= 0 {
		return player
	}
	for seat, p := range t.Table.places {
		if p.Kind == Person {
			return seat
		}
	}
	return engine.Public
}

// errExpired reports that the time of the person to move is over.
var errExpired = errors.New("time is up")

// line waits for a line, as long as the clock allows.
func (t *Terminal) line(ctx context.Context) (string, error) {
	var expired <-chan time.Time
	if deadline, ok := t.Table.Deadline(); ok {
		timer := time.NewTimer(time.Until(deadline))
		defer timer.Stop()
		expired = timer.C
	}
	select {
	case line, ok := <-t.lines:
		if !ok {
			return "", ErrUnfinished
		}
		if t.Echo {
			fmt.Fprintln(t.Out, line)
		}
		return line, nil
	case <-expired:
		return "", errExpired
	case <-ctx.Done():
		return "", ErrUnfinished
	}
}

// common does what can be typed at any question, and reports whether the line was that.
func (t *Terminal) common(ctx context.Context, show *Show, line string) (done bool, err error) {
	switch strings.ToLower(line) {
	case "help", "?":
		now := choicesInWords(show)
		if p := t.poll(show); p != nil {
			now = p.inWords(show, t.Table.State())
		}
		fmt.Fprint(t.Out, cmp.Or(t.Help, terminalHelp), "Now: ", now, "\n")
	case "quit", "exit":
		return true, ErrUnfinished
	case "state":
		t.state(show)
	case "hint":
		return true, t.hint(ctx)
	case "undo":
		return true, t.undo(ctx, show)
	default:
		return false, nil
	}
	return true, nil
}

// state prints the state of the game, and the position in one line.
func (t *Terminal) state(show *Show) {
	fmt.Fprintln(t.Out, t.position(t.seen(show)))
	if show.Line != "" {
		fmt.Fprintf(t.Out, "Position: %s\n", show.Line)
	}
}

// undo takes back a decision.
func (t *Terminal) undo(ctx context.Context, show *Show) error {
	switch entered := t.Table.plan.Entered; {
	case entered:
		return t.takeBack()
	case t.shared():
		return t.agree(ctx)
	}
	if err := t.Table.Undo(show.Eye, time.Now()); err != nil {
		fmt.Fprintf(t.Out, "%s.\n", sentence(err.Error()))
		return nil
	}
	t.forget()
	fmt.Fprintln(t.Out, "Taken back.")
	return nil
}

// command does what a person has typed.
func (t *Terminal) command(ctx context.Context, show *Show, line string) error {
	if done, err := t.common(ctx, show, line); done || line == "" {
		return err
	}
	action, err := meant(show, line)
	if err != nil {
		t.refuse(show, line, err)
		return nil
	}
	t.answered(show, []int{show.Eye})
	return t.Table.Act(show.Eye, show.Step, action, time.Now())
}

// meant returns what a person means by what was typed.
func meant(show *Show, line string) (int, error) {
	if show.Mover == engine.Chance {
		return Entered(line, show.Actions)
	}
	return Typed(line, show.Actions)
}

// refuse reports why what was typed is not done: the rule that forbids it, or what there is.
func (t *Terminal) refuse(show *Show, line string, err error) {
	reason := err.Error()
	if errors.Is(err, errUnknown) {
		reason = fmt.Sprintf("%q is not a move here; there are %s", line, names(show.Actions))
		if show.Mover >= 0 {
			reason = cmp.Or(illegal(t.Table.State(), t.Table.Game().Spec().Actions, line), reason)
		}
	}
	fmt.Fprintf(t.Out, "%s. (\"help\" says what can be typed.)\n", sentence(strings.TrimSuffix(reason, ".")))
}

// hint prints what the moves are worth.
func (t *Terminal) hint(ctx context.Context) error {
	if t.Hint == nil || t.Table.story.Player() < 0 {
		fmt.Fprintln(t.Out, "There is no hint here.")
		return nil
	}
	text, err := t.Hint(ctx, t.Table.State())
	if err != nil {
		text = sentence(err.Error()) + "."
	}
	fmt.Fprintln(t.Out, strings.TrimRight(text, "\n"))
	return nil
}
