// Package report presents what package games/banluck/solve finds out about Banluck with one player: as numbers in JSON
// ([Answer]), as charts ([Charts]), as a written report that takes question after question ([Report]), and as a page
// in the browser ([Template], [Assets], [NewAPI]).
//
// All except the page start from a [banluck.Study], which the caller makes once and may share.
// The package writes no files and serves no addresses: the caller decides where things go.
package report

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/template"

	"croupier/engine"
	game "croupier/games/banluck"
	banluck "croupier/games/banluck/solve"
	"croupier/internal/texttable"
)

//go:embed report.md
var reportText string

// Report answers the questions about the game, each with its numbers. The template of the text
// uses its exported fields and methods.
type Report struct {
	*banluck.Study
	Answer      *Answer
	Simulations []Simulation
	Variants    []banluck.Variant
	Removals    []banluck.Removal
	Counting    banluck.Counting
	Basic       *banluck.Basic
	Saved       banluck.Saved
	Crowds      []*Crowd
	Sixteen     []PlayerChoice
	Hands       int
	Seed        uint64
}

// Covers reports whether the report covers a game: its text holds only for Banluck under the
// usual rules.
func Covers(g engine.Game) bool { return g.Rules() == any(game.DefaultRules()) }

// usualHands is the number of hands behind each estimate of the published report.
const usualHands = 10_000_000

// New computes what the report says about a study of a game that it covers. It takes minutes
// with the usual ten million hands, the default if o.Hands is 0.
func New(ctx context.Context, study *banluck.Study, o Sampling) (*Report, error) {
	return newReport(ctx, study, o, (*Report).solve)
}

// newReport is New with another way to solve what goes beyond the study, for tests.
func newReport(
	ctx context.Context, study *banluck.Study, o Sampling, solve func(*Report, context.Context, Sampling) error,
) (_ *Report, err error) {
	if o.Hands == 0 {
		o.Hands = usualHands
	}
	r := &Report{
		Study: study, Answer: NewAnswer(study), Basic: study.Basic(), Saved: study.Saved(), Hands: o.Hands, Seed: o.Seed,
	}
	for _, p := range r.Answer.Player {
		if p.Total == 16 {
			r.Sixteen = append(r.Sixteen, p)
		}
	}
	if r.Simulations, err = Simulate(ctx, r.Study, o); err != nil {
		return nil, err
	}
	if err := solve(r, ctx, o); err != nil {
		return nil, err
	}
	if err := r.estimate(ctx, o); err != nil {
		return nil, err
	}
	return r, nil
}

// solve computes the exact numbers beyond the study.
func (r *Report) solve(ctx context.Context, o Sampling) (err error) {
	converging := func(p banluck.Point) {
		o.Say("house rules: CFR+, %d iterations, exploitability %.2g", p.Iterations, p.Exploitability)
	}
	if r.Variants, err = r.Study.Variants(ctx, converging); err != nil {
		return err
	}
	r.Removals, err = r.Study.Removals(ctx)
	return err
}

// estimate plays what cannot be computed.
func (r *Report) estimate(ctx context.Context, o Sampling) (err error) {
	o.Say("counting cards")
	if r.Counting, err = r.Study.EstimateCounting(ctx, o.Hands, o.Seed); err != nil {
		return err
	}
	if o.Crowd == 0 {
		o.Crowd = MostPlayers
	}
	for players := 1; players <= o.Crowd; players++ {
		g, err := gameWith(players)
		if err != nil {
			return err
		}
		c, err := NewCrowd(ctx, g, o)
		if err != nil {
			return err
		}
		o.Hands = min(r.Hands, crowdHands)
		if err := c.Simulate(ctx, o); err != nil {
			return err
		}
		r.Crowds = append(r.Crowds, c)
	}
	return nil
}

// MostPlayers is how many players the usual report looks at.
const MostPlayers = 4

// Limit is the number of players that the report looks at, and 0 if that is the usual one.
func (r *Report) Limit() int {
	if n := len(r.Crowds); n < MostPlayers {
		return n
	}
	return 0
}

// crowdHands is the most hands that are played with several players, where a reveal takes long to
// think about.
const crowdHands = 1_000_000

// gameWith is the game under the usual rules with some number of players.
func gameWith(players int) (engine.Game, error) {
	return game.New([]byte(fmt.Sprintf("players: %d", players)))
}

// Write writes the report in Markdown.
func (r *Report) Write(w io.Writer) error {
	t, err := template.New("report").Funcs(template.FuncMap{
		"units":    units,
		"count":    count,
		"short":    func(v float64) string { return minus(fmt.Sprintf("%+.3f", v)) },
		"percent":  func(v float64) string { return fmt.Sprintf("%.2f %%", 100*v) },
		"signed":   func(v float64) string { return minus(fmt.Sprintf("%+.3f %%", 100*v)) },
		"percent3": func(v float64) string { return fmt.Sprintf("%.3f %%", 100*v) },
		"sub":      func(a, b float64) float64 { return a - b },
		"bound":    func(v float64) string { return texttable.Size(v, 6) },
		"decimals": func(v float64) string { return fmt.Sprintf("%.4f", v) },
		"whole":    func(v float64) string { return fmt.Sprintf("%.0f", v) },
		"onoff":    onOff,
		"always":   always,
		"share":    shareText,
		"inside":   Simulation.inside,
		"margin":   Simulation.margin,
		"verdict":  Simulation.verdict,
	}).Parse(reportText)
	if err != nil {
		return err
	}
	return t.Execute(w, r)
}

// units writes a number of units with its sign, unless it is 0.
func units(v float64) string {
	if math.Abs(v) < 5e-7 {
		return "0"
	}
	return minus(fmt.Sprintf("%+.6f", v))
}

// minus writes the minus sign of print.
func minus(number string) string { return strings.Replace(number, "-", "−", 1) }

// count writes a whole number with a comma before each three digits.
func count(n int) string {
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%s,%03d", count(n/1000), n%1000)
}

// Chart is the chart of the player in equilibrium as a text table for a Markdown code block.
func (r *Report) Chart() string { return chartTable(r.Equilibrium.PlayerChart()) }

// DealerChart is the same for the dealer.
func (r *Report) DealerChart(cards int) string {
	return chartTable(r.Equilibrium.DealerChart(cards))
}

// Inside counts the simulations whose interval contains the exact EV.
func (r *Report) Inside() (n int) {
	for _, s := range r.Simulations {
		if s.inside() {
			n++
		}
	}
	return n
}

// Forced compares the fixed dealers with reveal on and off, who always surrender or never.
func (r *Report) Forced(surrender bool) (f Forced) {
	for _, f := range r.Answer.Reveal.Forced {
		if f.Surrender == always(surrender) {
			return f
		}
	}
	return f
}

// BaselineCharts are the charts of the player's best play against the fixed dealers who always surrender.
func (r *Report) BaselineCharts() (list []baselineChart) {
	for _, b := range r.Baselines {
		if b.Dealer.Surrender {
			list = append(list, baselineChart{onOff(b.Dealer.Reveal), chartTable(b.Solution.PlayerChart())})
		}
	}
	return list
}

// baselineChart is what the player does against a fixed dealer, as a text table.
type baselineChart struct{ Reveal, Chart string }

// CountingGain is what the player wins more after hands that took low cards out of the deck than after others.
func (r *Report) CountingGain() Interval {
	low, high := r.Counting.AfterLow, r.Counting.AfterHigh
	mean, margin := low.Mean-high.Mean, math.Hypot(low.High-low.Mean, high.High-high.Mean)
	return Interval{mean, mean - margin, mean + margin}
}

// Cards lists the numbers of cards that a player can end with.
func (r *Report) Cards() []int { return []int{2, 3, 4, 5} }

// Numbers are the words for numbers of players.
func (r *Report) Numbers() []string { return []string{"none", "one", "two", "three", "four"} }

// BoundSamples is how many samples the bounds for several players come from.
func (r *Report) BoundSamples() int { return boundSamples }

// Edge is what the dealer wins from each player in a hand.
func (r *Report) Edge() float64 { return -r.Equilibrium.EV }

// EvenHands is the number of hands after which the dealer's expected gain is one standard
// deviation.
func (r *Report) EvenHands() float64 { return math.Pow(r.Equilibrium.StdDev/r.Edge(), 2) }

// LongestTurn is the largest number of hands in the dealer's seat that wins less than a unit from each player.
func (r *Report) LongestTurn() int { return int(math.Ceil(1/r.Edge())) - 1 }

// turnOfDealer is a turn of some hands in the dealer's seat against one player.
type turnOfDealer struct {
	Hands             int
	Gain, StdDev, Win float64 // Win: the probability of a gain by the normal approximation
}

// Turns shows how the dealer's advantage grows with the length of his turn.
func (r *Report) Turns() (list []turnOfDealer) {
	for _, hands := range []int{1, 5, 10, 20, 50, 100} {
		gain := float64(hands) * r.Edge()
		deviation := math.Sqrt(float64(hands)) * r.Equilibrium.StdDev
		list = append(list, turnOfDealer{hands, gain, deviation, 0.5 * math.Erfc(-gain/deviation/math.Sqrt2)})
	}
	return list
}

// ruinRow is the risk of ruin of a bankroll by number of hands, for the player and the dealer.
type ruinRow struct {
	Bankroll       int
	Player, Dealer []float64
}

// RuinRounds are the numbers of hands of a ruinRow.
func (r *Report) RuinRounds() []int { return ruinRounds }

// Ruins is the risk of ruin in equilibrium.
func (r *Report) Ruins() (list []ruinRow) {
	dealer := banluck.DealerResults(r.Equilibrium.Results)
	for _, bankroll := range []int{10, 20, 50, 100, 150, 200} {
		row := ruinRow{Bankroll: bankroll}
		for _, rounds := range ruinRounds {
			row.Player = append(row.Player, banluck.Ruin(r.Equilibrium.Results, bankroll, rounds))
			row.Dealer = append(row.Dealer, banluck.Ruin(dealer, bankroll, rounds))
		}
		list = append(list, row)
	}
	return list
}

// Bankroll is the smallest bankroll, in steps of 5 units, whose risk of ruin within rounds
// hands is at most risk.
func (r *Report) Bankroll(risk float64, rounds int) int {
	bankroll := 5
	for banluck.Ruin(r.Equilibrium.Results, bankroll, rounds) > risk {
		bankroll += 5
	}
	return bankroll
}

// RevealRows are the choices of a dealer with two cards.
func (r *Report) RevealRows() (list []DealerChoice) {
	for _, d := range r.Answer.Reveal.FrequencyByHand {
		if strings.Count(d.Dealer, "-") == 1 {
			list = append(list, d)
		}
	}
	return list
}

// Mixed lists the dealer's hands at which both actions have a share of more than a part
// in 10,000.
func (r *Report) Mixed() (list []DealerChoice) {
	for _, d := range r.Answer.Reveal.FrequencyByHand {
		if banluck.Mixes(d.Hit) {
			list = append(list, d)
		}
	}
	return list
}

// Hard17 says in words with which hands the dealer stops at hard 17, against a player with each number of cards.
func (r *Report) Hard17() (list []string) {
	for cards := 2; cards <= game.MaxCards; cards++ {
		list = append(list, fmt.Sprintf("against %d cards %s", cards, stopsAt(r.Equilibrium.DealerChart(cards), 17)))
	}
	return list
}

// stopsAt says with how many cards the dealer stops at a hard total.
func stopsAt(chart []banluck.Cell, total int) string {
	var stops, but []string
	for _, c := range chart {
		if c.Total != total || c.Soft {
			continue
		}
		if !c.HitsMostly() {
			stops = append(stops, strconv.Itoa(c.Cards))
		}
		for _, e := range c.Exceptions {
			but = append(but, e.String())
		}
	}
	text := "with none"
	if len(stops) > 0 {
		text = "with " + strings.Join(stops, " or ") + " of his own"
	}
	if len(but) > 0 {
		text += " (the other way with " + strings.Join(but, ", ") + ")"
	}
	return text
}

// Reached is the share of hands at which the dealer stops (or reveals) at 16 and 17, weighted by how often he
// gets to choose there, by total and softness, against players with each number of cards.
func (r *Report) Reached() (list []reachedRow) {
	for cards := 2; cards <= game.MaxCards; cards++ {
		row := reachedRow{Cards: cards}
		for i, at := range []struct {
			total int8
			soft  bool
		}{{16, false}, {16, true}, {17, false}, {17, true}} {
			sum := 0.0
			for _, d := range r.HeadsUp.DealerHands() {
				w := r.Game.Worth(d)
				if w.Total != at.total || w.Soft != at.soft {
					continue
				}
				hits, v, _ := r.Equilibrium.Dealer(d, cards)
				sum += v.Chance
				row.Stops[i] += v.Chance * (1 - hits)
			}
			row.Stops[i] /= sum
		}
		list = append(list, row)
	}
	return list
}

// reachedRow is how often the dealer stops (or reveals) at hard 16, soft 16, hard 17 and
// soft 17.
type reachedRow struct {
	Cards int
	Stops [4]float64
}
