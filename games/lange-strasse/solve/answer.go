package solve

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"

	"croupier/engine"
	langestrasse "croupier/games/lange-strasse"
	"croupier/internal/texttable"
)

// TurnAnswer is what a turn is worth to the optimum and to the bot greedy-stop.
type TurnAnswer struct {
	Turn struct {
		TurnPlay
		ErrorBound float64 `json:"error_bound"`
		// Distribution leaves out scores less likely than 1 in 10¹².
		Distribution []ScoreChance `json:"distribution"`
	} `json:"turn"`
	GreedyStop TurnPlay  `json:"greedy_stop"`
	FirstRoll  FirstRoll `json:"first_roll"`
}

// TurnPlay is what a strategy makes of a turn.
type TurnPlay struct {
	ExpectedPoints    float64     `json:"expected_points"`
	StrichProbability float64     `json:"strich_probability"`
	StandardDeviation float64     `json:"standard_deviation"`
	LangeStrassen     float64     `json:"lange_strassen"` // expected number
	Simulation        *Simulation `json:"simulation,omitempty"`
}

// ScoreChance is the probability that a turn without a strich scores that many points.
type ScoreChance struct {
	Points      int     `json:"points"`
	Probability float64 `json:"probability"`
}

// SolveTurn solves the turn of the game, and plays the given number of turns of each bot
// through the engine as a check. It calls progress, unless that is nil, with the turns of both that are played.
func SolveTurn(
	ctx context.Context, game engine.Game, turns, seed uint64, progress func(done, total uint64),
) (*TurnAnswer, error) {
	played := func(before uint64) func(uint64) {
		return func(done uint64) {
			if progress != nil {
				progress(before+done, 2*turns)
			}
		}
	}
	answer, optimum := &TurnAnswer{FirstRoll: RollOdds()}, langestrasse.TurnOptimum()
	scores, err := answer.Turn.play(ctx, game, "turn-optimum", turns, seed, played(0))
	if err != nil {
		return nil, err
	}
	if _, err := answer.GreedyStop.play(ctx, game, "greedy-stop", turns, seed, played(turns)); err != nil {
		return nil, err
	}
	answer.Turn.ExpectedPoints, answer.Turn.StrichProbability = optimum.Turn()
	answer.Turn.ErrorBound = optimum.ErrorBound()
	for i, p := range scores.Points {
		if p >= 1e-12 {
			answer.Turn.Distribution = append(answer.Turn.Distribution, ScoreChance{i * Step, p})
		}
	}
	return answer, nil
}

// play computes what the bot makes of a turn, and simulates turns unless that number is 0.
func (p *TurnPlay) play(
	ctx context.Context, game engine.Game, name string, turns, seed uint64, progress func(done uint64),
) (*Scores, error) {
	bot, err := game.Bots().New(name)
	if err != nil {
		return nil, err
	}
	scores, err := ScoresOf(game, bot)
	if err != nil {
		return nil, err
	}
	p.ExpectedPoints, p.StrichProbability = scores.Mean(), scores.Strich
	p.StandardDeviation, p.LangeStrassen = scores.Deviation(), scores.Straights
	if turns > 0 {
		p.Simulation, err = Simulate(ctx, game, bot, turns, seed, progress)
	}
	return scores, err
}

// Render writes the answer for people.
func (s *TurnAnswer) Render(w io.Writer) error {
	t := texttable.New(1, 2)
	t.AppendHeader([]any{"a turn of", "turn-optimum", "greedy-stop"})
	row := func(name, format string, of func(*TurnPlay) float64) {
		t.AppendRow([]any{name, fmt.Sprintf(format, of(&s.Turn.TurnPlay)), fmt.Sprintf(format, of(&s.GreedyStop))})
	}
	row("expected points", "%.4f", func(p *TurnPlay) float64 { return p.ExpectedPoints })
	row("standard deviation", "%.1f", func(p *TurnPlay) float64 { return p.StandardDeviation })
	row("chance of a strich", "%.6f", func(p *TurnPlay) float64 { return p.StrichProbability })
	row("Lange Strassen", "%.6f", func(p *TurnPlay) float64 { return p.LangeStrassen })
	if s.Turn.Simulation != nil {
		a, b := s.Turn.Simulation, s.GreedyStop.Simulation
		t.AppendRow([]any{"simulated points", a.Points.String(), b.Points.String()})
		t.AppendRow([]any{"simulated strich", a.Strich.String(), b.Strich.String()})
	}
	_, err := fmt.Fprintf(w, "%s\n\nThe optimum is exact: rounding changes it by at most %.6f points.\n"+
		"First roll: strich %.6f, Lange Strasse %.6f, Talheim %.6f.\n\nScores of the optimum:\n%s",
		t.Render(), max(s.Turn.ErrorBound, 1e-6), s.FirstRoll.Strich, s.FirstRoll.LangeStrasse, s.FirstRoll.Talheim,
		s.histogram())
	return err
}

// histogram shows how likely the scores of the optimum are, by classes of 250 points.
func (s *TurnAnswer) histogram() string {
	const width, last = 250, 3000
	classes := make([]float64, last/width+1)
	for _, d := range s.Turn.Distribution {
		classes[min(d.Points, last)/width] += d.Probability
	}
	var b strings.Builder
	bar := func(name string, p float64) {
		fmt.Fprintf(&b, "%12s  %6.2f %%  %s\n", name, 100*p, strings.Repeat("█", int(math.Round(100*p))))
	}
	bar("strich", s.Turn.StrichProbability)
	for i, p := range classes[1:] {
		from := (i + 1) * width
		name := fmt.Sprintf("%d to %d", from, from+width-Step)
		if from == last {
			name = fmt.Sprintf("%d or more", from)
		}
		bar(name, p)
	}
	return b.String()
}
