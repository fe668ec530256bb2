package archive

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"croupier/catalog"
	"croupier/engine"
	"croupier/internal/plural"
	"croupier/internal/texttable"
)

// Players lists who played, by seat from 1: "1 main@8, 2 random".
func (s *Summary) Players() string {
	var names []string
	for seat, a := range s.Agents {
		name := a.Name
		if a.Version > 0 {
			name = fmt.Sprintf("%s (version %d)", a.Name, a.Version)
		}
		names = append(names, fmt.Sprintf("%d %s", seat+1, name))
	}
	return strings.Join(names, ", ")
}

// Result lists the returns by seat: "+1, -1".
func (s *Summary) Result(coin engine.Coin) string {
	var returns []string
	_, scale := coin.Shown("")
	for _, r := range s.Returns {
		r *= scale
		text := texttable.Number(r, 3)
		text = strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
		if text == "" {
			text = "0"
		}
		if r > 0 {
			text = "+" + text
		}
		returns = append(returns, text)
	}
	return strings.Join(returns, ", ")
}

// Render writes what was found in an archive of a game for people.
func (f *Found) Render(out io.Writer, spec *engine.Spec) error {
	unit, _ := spec.Coin.Shown(spec.Unit)
	t := texttable.New(4)
	t.AppendHeader(table.Row{"game", "time", "for", "players by seat", "steps", "returns (" + unit + ")",
		"most expensive mistake"})
	for i := range f.Games {
		s := &f.Games[i]
		t.AppendRow(table.Row{s.ID, s.Time.Local().Format("2006-01-02 15:04:05"), s.Purpose, s.Players(), s.Steps, s.Result(spec.Coin),
			s.Review.String()})
	}
	if len(f.Games) > 0 {
		fmt.Fprintln(out, t.Render())
	}
	_, err := fmt.Fprintf(out, "%d of %s; %d of these reviewed\n", len(f.Games),
		plural.Of(f.Total, "game that fits", "games that fit"), f.Reviewed)
	if f.Damaged > 0 {
		_, err = fmt.Fprintf(out, "%s could not be read; the games there are missing\n",
			plural.Of(f.Damaged, "damaged block"))
	}
	return err
}

// String reports what a review found, "" for none.
func (r *Review) String() string {
	switch {
	case r == nil:
		return ""
	case r.Step < 0:
		return "no choice"
	}
	return fmt.Sprintf("%s %s, step %d", texttable.Number(r.Loss, 4), r.Unit, r.Step+1)
}

// Render writes the game for people, step by step, seats and steps counted from 1.
func (g *Game) Render(games *catalog.Catalog, out io.Writer) error {
	game, rec, err := g.Record(games)
	if err != nil {
		return err
	}
	purpose := "training"
	if g.Match != "" {
		purpose = "match " + g.Match + " of the arena"
	}
	fmt.Fprintf(out, "Game %v of %s, %s, %s\nRules: %s\nSeed: %d\n", g.ID, g.Game, purpose,
		g.Time.Local().Format("2006-01-02 15:04:05"), g.Rules, g.Seed)
	for seat, a := range g.Agents {
		fmt.Fprintf(out, "Seat %d: %s", seat+1, a.Name)
		if a.Version > 0 {
			fmt.Fprintf(out, ", version %d", a.Version)
		}
		if a.SHA256 != "" {
			fmt.Fprintf(out, ", weights %.16s", a.SHA256)
		}
		fmt.Fprintln(out)
	}
	fmt.Fprintln(out)
	s := game.NewState()
	for i, step := range rec.History {
		fmt.Fprintf(out, "%5d  %s\n", i+1, describe(s, g.Agents, step))
		if err := s.Apply(step); err != nil {
			return fmt.Errorf("game %v: step %d: %w", g.ID, i, err)
		}
	}
	coin := game.Spec().Coin
	unit, _ := coin.Shown(game.Spec().Unit)
	fmt.Fprintf(out, "\n%s\n\nReturns (%s): %s\n", strings.TrimSpace(s.String()), unit, g.Result(coin))
	if r := g.Review; r != nil && r.Step >= 0 {
		fmt.Fprintf(out, "Most expensive decision, as %s judges: step %d, %s instead of %s, %s %s\n",
			r.Judge, r.Step+1, r.Taken, r.Best, texttable.Number(r.Loss, 4), r.Unit)
	}
	return nil
}

// describe reports what a step at a state is.
func describe(s engine.State, agents []Agent, step int) string {
	seat := s.Player()
	if seat == engine.Chance {
		return "chance: " + s.OutcomeName(step)
	}
	return fmt.Sprintf("seat %d, %s: %s", seat+1, agents[seat].Name, s.ActionName(step))
}
