package report

import (
	"fmt"
	"io"
	"strings"

	banluck "croupier/games/banluck/solve"
	"croupier/internal/texttable"
)

// Print writes the answer for people: what every solution is worth, the charts of the strategies, and
// the simulation, if there is one.
func (a *Answer) Print(w io.Writer, study *banluck.Study) error {
	e := &a.Equilibrium
	if _, err := fmt.Fprintf(w, "%s\n\n"+
		"The exploitability of the equilibrium is %s units a hand (%d iterations of CFR+, %.2f s).\n"+
		"The dealer has a hard 15 in %.3f %% of hands.\n",
		a.worths(study), texttable.Size(e.Exploitability, 6), e.Iterations, e.Seconds,
		100*a.Surrender.Hard15Probability); err != nil {
		return err
	}
	if err := a.printForced(w); err != nil {
		return err
	}
	if b := a.Agent; b != nil {
		if _, err := fmt.Fprintf(w, "%s is exploitable by %s units a hand: "+
			"a best response costs it %s as the player and %s as the dealer.\n", b.Name,
			texttable.Number(b.Exploitability, 4), texttable.Number(b.PlayerLoss, 4),
			texttable.Number(b.DealerLoss, 4)); err != nil {
			return err
		}
	}
	if _, err := fmt.Fprintf(w, "\n%s\n\n%s\n", a.surrenders(), a.dealerTotals()); err != nil {
		return err
	}
	for _, s := range strategies(study) {
		title := s.title
		if s.against > 0 {
			title += fmt.Sprintf(", against %d cards", s.against)
		}
		if _, err := fmt.Fprintf(w, "\n%s\n%s\n", title, chartTable(s.cells)); err != nil {
			return err
		}
	}
	return a.printSimulation(w)
}

// printForced says what the fixed dealer loses by revealing always instead of never.
func (a *Answer) printForced(w io.Writer) error {
	for _, f := range a.Reveal.Forced {
		if _, err := fmt.Fprintf(w, "The fixed dealer with surrender %s loses %.6f units a hand (%.2f %% of a bet) more "+
			"with reveal on than off.\n", f.Surrender, f.Difference, f.DifferencePercent); err != nil {
			return err
		}
	}
	return nil
}

// worths is the table of what the solutions are worth.
func (a *Answer) worths(study *banluck.Study) string {
	t := texttable.New(1, 2, 3)
	t.AppendHeader([]any{"units a hand, for the player", "EV", "std. dev.", "house edge"})
	row := func(name string, ev, deviation float64) {
		t.AppendRow([]any{name, fmt.Sprintf("%+.6f", ev), fmt.Sprintf("%.4f", deviation), fmt.Sprintf("%.3f %%", -100*ev)})
	}
	for _, b := range a.Baseline {
		row("fixed dealer, reveal "+b.Reveal+", surrender "+b.Surrender, b.EV, b.StdDev)
	}
	row("equilibrium", a.Equilibrium.EV, a.Equilibrium.StdDev)
	row("equilibrium without surrender", a.Surrender.EVWithoutSurrender, study.WithoutSurrender.StdDev)
	row("equilibrium without reveal", a.Reveal.EVWithout, study.WithoutReveal.StdDev)
	if a.Agent != nil {
		row(a.Agent.Name+" against itself", a.Agent.EV, a.Agent.StdDev)
	}
	return t.Render()
}

// surrenders is the table of the dealer's hard 15, and what surrendering saves.
func (a *Answer) surrenders() string {
	t, v := texttable.New(1, 2, 3, 4), &a.Surrender
	t.AppendHeader([]any{"hard 15", "dealt in", "surrendered", "playing on is worth", "bust if he plays on"})
	for _, h := range v.Hands {
		t.AppendRow([]any{
			h.Dealer, share(h.Reach), share(h.Surrender), fmt.Sprintf("%+.6f", h.EVContinue), share(h.Bust),
		})
	}
	return fmt.Sprintf("Surrender saves the dealer %.6f units a hand: %s of all hands from being lost; %s would be won.\n%s",
		v.SavedUnits, share(v.SavedLosses), share(v.GivenUpWins), t.Render())
}

// dealerTotals is the table of all totals that the dealer gets to.
func (a *Answer) dealerTotals() string {
	t := texttable.New(0, 3, 4)
	t.AppendHeader([]any{"dealer's total", "", "he", "how often in a hand", "hits"})
	for _, d := range a.Dealer {
		soft := "hard"
		if d.Soft {
			soft = "soft"
		}
		t.AppendRow([]any{d.Total, soft, d.Does, share(d.Reach), share(d.Hits)})
	}
	return t.Render()
}

func share(p float64) string { return fmt.Sprintf("%.3f %%", 100*p) }

func (a *Answer) printSimulation(w io.Writer) error {
	if a.Simulation == nil {
		return nil
	}
	t := texttable.New(1, 2, 3, 4, 5)
	t.AppendHeader([]any{"played through the engine", "seed", "hands", "exact EV", "mean", "95 % interval"})
	for _, s := range a.Simulation {
		t.AppendRow([]any{
			s.Solution, s.Seed, s.Hands, fmt.Sprintf("%+.6f", s.EV), fmt.Sprintf("%+.6f", s.Mean),
			fmt.Sprintf("%+.6f … %+.6f", s.Low, s.High),
		})
	}
	_, err := fmt.Fprintf(w, "\n%s\n", t.Render())
	return err
}

// chartTable has a row for each number of cards and softness, with the action at each total.
func chartTable(cells []banluck.Cell) string {
	t := texttable.New()
	low, high := totals(cells)
	low = max(low, 12) // everybody hits below it
	header := []any{"cards"}
	for total := low; total <= high; total++ {
		header = append(header, total)
	}
	t.AppendHeader(append(header, "except"))
	var row []any
	var exceptions []string
	flush := func() {
		if row != nil {
			t.AppendRow(append(row, strings.Join(exceptions, " ")))
		}
		exceptions = nil
	}
	for i, c := range cells {
		if i == 0 || c.Cards != cells[i-1].Cards || c.Soft != cells[i-1].Soft {
			flush()
			row = []any{fmt.Sprintf("%d %s", c.Cards, softness(c))}
			for range high - low + 1 {
				row = append(row, "")
			}
		}
		if c.Total >= low {
			row[1+c.Total-low] = cellText(c)
		}
		for _, e := range c.Exceptions {
			exceptions = append(exceptions, e.String())
		}
	}
	flush()
	return t.Render()
}

// cellText is H or S for what most hands of a cell do. Where hands mix, it says how often the cell is hit.
func cellText(c banluck.Cell) string {
	switch {
	case c.Mixed:
		return shareText(c.Hits)
	case c.HitsMostly():
		return "H"
	}
	return "S"
}

// shareText is H for hit, S for stand, and otherwise how often the hand is hit.
func shareText(hits float64) string {
	switch {
	case hits > 0.995:
		return "H"
	case hits < 0.005:
		return "S"
	}
	return fmt.Sprintf("%.0f%%", 100*hits)
}
