package main

import (
	"fmt"
	"io"
	"strings"

	game "croupier/engine/banluck"
	"croupier/internal/texttable"
	"croupier/solver/banluck"
)

// banluckAnswer is the JSON of croupier solve banluck: units a hand, the player's view.
type banluckAnswer struct {
	Baseline    []baselineAnswer `json:"baseline"`
	Equilibrium struct {
		EV               float64 `json:"ev"`
		HouseEdgePercent float64 `json:"house_edge_percent"`
		StdDev           float64 `json:"stddev"`
		Exploitability   float64 `json:"exploitability"`
		Iterations       int     `json:"iterations"`
		Seconds          float64 `json:"seconds"`
	} `json:"equilibrium"`
	Surrender struct {
		Hard15Probability  float64 `json:"hard15_probability"`
		EVWithoutSurrender float64 `json:"ev_without_surrender"`
	} `json:"surrender"`
	Reveal struct {
		EVWith          float64        `json:"ev_with"`
		EVWithout       float64        `json:"ev_without"`
		FrequencyByHand []dealerAnswer `json:"frequency_by_hand"`
	} `json:"reveal"`
	Player     []playerAnswer      `json:"player"`
	Agent      *banluckAgent       `json:"agent,omitempty"`
	Simulation []banluckSimulation `json:"simulation,omitempty"`
}

type baselineAnswer struct {
	Reveal    string  `json:"reveal"`    // on, off
	Surrender string  `json:"surrender"` // always, never
	EV        float64 `json:"ev"`
	StdDev    float64 `json:"stddev"`
}

// dealerAnswer is what the dealer does with a hand at 16 or 17 against a player with some
// number of cards.
type dealerAnswer struct {
	Dealer        string  `json:"dealer"`
	Total         int     `json:"total"`
	Soft          bool    `json:"soft"`
	PlayerCards   int     `json:"player_cards"`
	Hit           float64 `json:"hit"`
	StandOrReveal float64 `json:"stand_or_reveal"`
}

// playerAnswer is what the player does with a hand in equilibrium, and what it is worth.
type playerAnswer struct {
	Hand    string  `json:"hand"`
	Cards   int     `json:"cards"`
	Total   int     `json:"total"`
	Soft    bool    `json:"soft"`
	Hit     float64 `json:"hit"`
	Stand   float64 `json:"stand"`
	EVHit   float64 `json:"ev_hit"`
	EVStand float64 `json:"ev_stand"`
}

// banluckAgent is an agent in both seats: what it is worth against itself, and what best
// responses gain.
type banluckAgent struct {
	Name           string  `json:"name"`
	EV             float64 `json:"ev"`
	StdDev         float64 `json:"stddev"`
	Exploitability float64 `json:"exploitability"` // mean of the losses
	PlayerLoss     float64 `json:"player_loss"`
	DealerLoss     float64 `json:"dealer_loss"`
}

// banluckSimulation is a solution as it was played through the engine.
type banluckSimulation struct {
	Solution string  `json:"solution"`
	EV       float64 `json:"ev"` // exact
	Seed     uint64  `json:"seed"`
	Hands    int     `json:"hands"`
	Mean     float64 `json:"mean"`
	Low      float64 `json:"low"`
	High     float64 `json:"high"`
	StdDev   float64 `json:"stddev"`
}

func newBanluckSimulation(name string, s *banluck.Solution, e banluck.Estimate, seed uint64) banluckSimulation {
	return banluckSimulation{name, s.EV, seed, e.Samples, e.Mean, e.Low, e.High, e.StdDev}
}

func newBanluckAnswer(study *banluck.Study) *banluckAnswer {
	a := &banluckAnswer{}
	for _, b := range study.Baselines {
		a.Baseline = append(a.Baseline, baselineAnswer{onOff(b.Dealer.Reveal), always(b.Dealer.Surrender), b.Solution.EV, b.Solution.StdDev})
	}
	s, last := study.Equilibrium, study.Convergence[len(study.Convergence)-1]
	e := &a.Equilibrium
	e.EV, e.HouseEdgePercent, e.StdDev, e.Exploitability = s.EV, -100*s.EV, s.StdDev, s.Exploitability
	e.Iterations, e.Seconds = last.Iterations, last.Seconds
	a.Surrender.Hard15Probability, a.Surrender.EVWithoutSurrender = study.Hard15, study.WithoutSurrender.EV
	a.Reveal.EVWith, a.Reveal.EVWithout = study.WithReveal.EV, study.WithoutReveal.EV
	for _, d := range study.HeadsUp.DealerHands() {
		w := study.Game.Worth(d)
		for cards := 2; cards <= game.MaxCards; cards++ {
			hits, _, _ := s.Dealer(d, cards)
			a.Reveal.FrequencyByHand = append(a.Reveal.FrequencyByHand, dealerAnswer{d.String(), int(w.Total), w.Soft, cards, hits, 1 - hits})
		}
	}
	for _, h := range study.HeadsUp.PlayerHands() {
		hits, v, _ := s.Player(h)
		w := study.Game.Worth(h)
		a.Player = append(a.Player, playerAnswer{h.String(), h.Size(), int(w.Total), w.Soft, hits, 1 - hits, v.Hit, v.Stop})
	}
	return a
}

func onOff(b bool) string {
	if b {
		return "on"
	}
	return "off"
}

func always(b bool) string {
	if b {
		return "always"
	}
	return "never"
}

// print writes the answer for people.
func (a *banluckAnswer) print(w io.Writer, study *banluck.Study) error {
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
	e := &a.Equilibrium
	if _, err := fmt.Fprintf(w, "%s\n\nThe equilibrium is exploitable by %.2g units a hand (%d iterations of CFR+, %.2f s).\n"+
		"The dealer has a hard 15 in %.3f %% of hands.\n", t.Render(), e.Exploitability, e.Iterations, e.Seconds, 100*a.Surrender.Hard15Probability); err != nil {
		return err
	}
	if b := a.Agent; b != nil {
		if _, err := fmt.Fprintf(w, "%s is exploitable by %.3g units a hand: a best response costs it %.3g as the player and %.3g as the dealer.\n",
			b.Name, b.Exploitability, b.PlayerLoss, b.DealerLoss); err != nil {
			return err
		}
	}
	charts := []namedChart{{"The player in equilibrium", study.Equilibrium.PlayerChart()}}
	for cards := 2; cards <= game.MaxCards; cards++ {
		charts = append(charts, namedChart{fmt.Sprintf("The dealer in equilibrium, against %d cards", cards), study.Equilibrium.DealerChart(cards)})
	}
	for _, b := range study.Baselines {
		charts = append(charts, namedChart{fmt.Sprintf("The player against the fixed dealer, reveal %s, surrender %s", onOff(b.Dealer.Reveal), always(b.Dealer.Surrender)), b.Solution.PlayerChart()})
	}
	for _, c := range charts {
		if _, err := fmt.Fprintf(w, "\n%s\n%s\n", c.name, chartTable(c.cells)); err != nil {
			return err
		}
	}
	return a.printSimulation(w)
}

func (a *banluckAnswer) printSimulation(w io.Writer) error {
	if a.Simulation == nil {
		return nil
	}
	t := texttable.New(1, 2, 3, 4, 5)
	t.AppendHeader([]any{"played through the engine", "seed", "hands", "exact EV", "mean", "95 % interval"})
	for _, s := range a.Simulation {
		t.AppendRow([]any{s.Solution, s.Seed, s.Hands, fmt.Sprintf("%+.6f", s.EV), fmt.Sprintf("%+.6f", s.Mean), fmt.Sprintf("%+.6f … %+.6f", s.Low, s.High)})
	}
	_, err := fmt.Fprintf(w, "\n%s\n", t.Render())
	return err
}

// namedChart is a chart and what it is of.
type namedChart struct {
	name  string
	cells []banluck.Cell
}

// chartTable has a row for each number of cards and softness, and what is done at each total.
func chartTable(cells []banluck.Cell) string {
	t := texttable.New()
	low, high := cells[0].Total, cells[0].Total
	for _, c := range cells {
		low, high = min(low, c.Total), max(high, c.Total)
	}
	low = max(low, 12) // below, everybody hits
	header := []any{"cards"}
	for total := low; total <= high; total++ {
		header = append(header, total)
	}
	t.AppendHeader(append(header, "but for"))
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
			name := fmt.Sprintf("%d hard", c.Cards)
			if c.Soft {
				name = fmt.Sprintf("%d soft", c.Cards)
			}
			row = []any{name}
			for range high - low + 1 {
				row = append(row, "")
			}
		}
		if c.Total >= low {
			row[1+c.Total-low] = shareText(c.Hits)
		}
		for _, e := range c.Exceptions {
			exceptions = append(exceptions, e.String())
		}
	}
	flush()
	return t.Render()
}

// shareText is H for hit, S for stand, and else how often it is hit.
func shareText(hits float64) string {
	switch {
	case hits > 0.995:
		return "H"
	case hits < 0.005:
		return "S"
	}
	return fmt.Sprintf("%.0f%%", 100*hits)
}
