package cli

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"croupier/advice"
	"croupier/engine"
	"croupier/engine/history"
	"croupier/internal/plural"
	"croupier/internal/texttable"
	"croupier/play"
)

// counsel asks the best adviser of a game, which is found once.
type counsel struct {
	options *adviceOptions
	game    engine.Game
	agent   *advice.Agent // nil: not found yet
}

// ask answers for a position as far as the seat to move knows it.
func (c *counsel) ask(ctx context.Context, position engine.State) (*advice.Answer, error) {
	game, err := engine.Written(c.game)
	if err != nil {
		return nil, err
	}
	document := game.FormatPosition(position, position.Player())
	state, notes, err := game.ParsePosition(document, engine.NewRNG(1, 0))
	if err != nil {
		return nil, err
	}
	if c.agent == nil {
		agent, err := c.options.choose(ctx, game)
		if err != nil {
			return nil, err
		}
		c.agent = &agent
	}
	q := advice.Question{Game: game, State: state, Notes: notes}
	return advice.Advise(ctx, q, *c.agent, advice.DefaultOptions())
}

// hint reports what the moves in a position are worth.
func (c *counsel) hint(ctx context.Context, position engine.State) (string, error) {
	answer, err := c.ask(ctx, position)
	if err != nil {
		return "", err
	}
	answer.Text = "" // it is on the screen
	var b strings.Builder
	err = answer.Render(&b)
	return strings.TrimLeft(b.String(), "\n"), err
}

// best says in a line what is best in a position, and why.
func (c *counsel) best(ctx context.Context, position engine.State) (string, error) {
	answer, err := c.ask(ctx, position)
	if err != nil {
		return "", err
	}
	return answer.Of(answer.Best).Name + ". " + answer.Reason, nil
}

// lookBack prints how accurate people were and what cost them most, if --review asks for it, and
// returns the accuracy by seat. What goes wrong is no failure of the game, which is over.
func (o *playOptions) lookBack(ctx context.Context, t *play.Table, out io.Writer) map[int]float64 {
	if !o.review {
		fmt.Fprintf(out, "\"--review\" would say at the end how accurate you were; \"croupier play --stats\" sums up your games.\n")
		return nil
	}
	line := history.Append(nil, t.Record())
	report, err := advice.ReviewAll(ctx, history.NewReader(bytes.NewReader(line)), o.catalog.New, 0,
		func(game engine.Game) (*advice.Reviewer, error) {
			agent, err := o.advice.choose(ctx, game)
			return advice.NewReviewer(game, agent, advice.ReviewOptions()), err
		})
	if err != nil {
		fmt.Fprintf(out, "The game cannot be reviewed: %v.\n", err)
		return nil
	}
	accuracy := map[int]float64{}
	for _, s := range report.Seats {
		chair := t.Chair(s.Seat)
		if chair.Kind != play.Person {
			continue
		}
		accuracy[s.Seat] = s.Accuracy
		fmt.Fprintf(out, "%s: accuracy %.0f %%, %s in %s.\n", chair.Name, s.Accuracy,
			plural.Of(s.Mistakes, "mistake"), plural.Of(s.Decisions, "decision"))
		if worst := dearest(report.Decisions, s.Seat); worst != nil {
			fmt.Fprintf(out, "  Most expensive, move %d: %s, where %s was better by %.3g %s.\n",
				worst.Step+1, worst.TakenName, worst.BestName, worst.Loss, report.Unit)
		}
	}
	return accuracy
}

// dearest returns the decision of a seat that cost most, nil if none did.
func dearest(decisions []advice.Decision, seat int) *advice.Decision {
	own := slices.DeleteFunc(slices.Clone(decisions), func(d advice.Decision) bool {
		return d.Seat != seat || d.Loss <= 0
	})
	if len(own) == 0 {
		return nil
	}
	worst := slices.MaxFunc(own, func(a, b advice.Decision) int { return cmp.Compare(a.Loss, b.Loss) })
	return &worst
}

// printStats sums up a person's games.
func (o *playOptions) printStats(out io.Writer) error {
	entries, err := o.diary().Read()
	if err != nil {
		return err
	}
	tallies := play.Statistics(entries)
	if o.json {
		return printJSON(out, append([]play.Tally{}, tallies...))
	}
	if len(tallies) == 0 {
		fmt.Fprintln(out, "There are no games yet: \"croupier play GAME\" plays one.")
		return nil
	}
	t := texttable.New(2, 3, 4, 5, 6)
	t.AppendHeader(table.Row{"game", "which", "games", "won", "tied", "mean", "accuracy"})
	for _, s := range tallies {
		accuracy := "-"
		if s.Reviewed > 0 {
			accuracy = fmt.Sprintf("%.0f %%", s.Accuracy)
		}
		t.AppendRow(table.Row{s.Game, s.What, s.Games, s.Won, s.Tied, fmt.Sprintf("%.2f %s", s.Return, s.Unit), accuracy})
	}
	fmt.Fprintln(out, t.Render())
	for _, s := range tallies {
		if s.What == "all" {
			o.printFigures(out, s)
		}
	}
	fmt.Fprintf(out, "All of this is in %s; \"croupier play --forget\" deletes it.\n", o.diary().Path)
	return nil
}

// printFigures prints the figures of a game: "tysiac: contract 132 points per contract".
func (p program) printFigures(out io.Writer, t play.Tally) {
	game, err := p.catalog.New(t.Game, nil)
	if err != nil {
		return
	}
	for i, f := range game.Spec().Figures {
		if i < len(t.Figures) && t.Figures[i].Weight > 0 {
			fmt.Fprintf(out, "%s: %s, %.3g %s per %s\n", t.Game, f.Help, t.Figures[i].Value/t.Figures[i].Weight, f.Unit, f.Per)
		}
	}
}
