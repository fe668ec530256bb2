package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"croupier/engine"
	"croupier/engine/langestrasse"
	"croupier/internal/texttable"
	ls "croupier/solver/langestrasse"
)

// solveLangeStrasseOptions are the flags of croupier solve lange-strasse.
type solveLangeStrasseOptions struct {
	solveFlags
	simulate uint64
	seed     uint64
	money    bool
	training ls.TrainConfig
	compare  int
}

func newSolveLangeStrasseCommand() *cobra.Command {
	o := solveLangeStrasseOptions{training: ls.DefaultTrainConfig()}
	cmd := &cobra.Command{
		Use:   "lange-strasse",
		Short: "Solve the turn of Lange Strasse, and value its money",
		Long: `Solve lange-strasse computes the most points that a turn makes on average, with the
whole distribution of turn scores under that play, the same for the bot greedy-stop, and
what the first roll is. All of it is exact; error_bound is what rounding may amount to.

--out writes the table of the turn to a file, which the agent file:PATH plays from.
--simulate N plays N turns of both bots through the engine, as a check: the exact
numbers are within the 95 % intervals in 19 of 20 cases.

--money instead makes values of the money game, what each seat still wins from any
standing between two turns, by fitted value iteration on self-play in which every turn
is solved exactly, and writes them to the file of --out, which the agent file:PATH plays
from. The values of the agent solver:money come with the program. The same settings make
the same file.
--compare N plays N games of solver:money and says where it departs from the turn optimum.`,
		Example: `  croupier solve lange-strasse
  croupier solve lange-strasse --json --simulate 1000000
  croupier solve lange-strasse --out turn.table
  croupier solve lange-strasse --money --out money.table
  croupier solve lange-strasse --compare 200`,
		Args: cobra.NoArgs,
	}
	f := cmd.Flags()
	f.StringVar(&o.Rules, "rules", "", "YAML or JSON file with the game's rules")
	f.BoolVar(&o.json, "json", false, "answer with JSON")
	f.StringVar(&o.out, "out", "", "file for the table of the turn, or with --money for the values")
	f.BoolVar(&o.progress, "progress", false, "show progress on standard error also where that is no terminal")
	f.Uint64Var(&o.simulate, "simulate", 0, "turns to play through the engine as a check")
	f.Uint64Var(&o.seed, "seed", 1, "seed of everything random")
	f.BoolVar(&o.money, "money", false, "make values of the money game")
	f.IntVar(&o.training.Iterations, "iterations", o.training.Iterations, "with --money: how often to play and fit")
	f.IntVar(&o.training.Games, "games", o.training.Games, "with --money: games of self-play in an iteration")
	f.IntVar(&o.training.Steps, "steps", o.training.Steps, "with --money: minibatches of the fit in an iteration")
	f.IntVar(&o.training.Opening, "opening", o.training.Opening, "with --money: games of the turn optimum for the first fit")
	f.IntVar(&o.training.Validation, "validation", o.training.Validation, "with --money: games that measure the result")
	f.IntVar(&o.training.Workers, "workers", runtime.NumCPU(), "with --money: games played at the same time")
	f.IntVar(&o.compare, "compare", 0, "games of solver:money to compare with the turn optimum")
	cmd.RunE = action(func(cmd *cobra.Command, _ []string) error {
		if err := o.checkOut(); err != nil {
			return err
		}
		switch {
		case o.money && (o.simulate > 0 || o.compare > 0):
			return usage("--simulate and --compare do not go with --money")
		case o.money && o.out == "":
			return usage("--money needs --out FILE for the values")
		case o.money:
			return trainMoney(cmd, &o)
		}
		game, err := o.game("lange-strasse")
		if err != nil {
			return err
		}
		if o.compare > 0 {
			return compareMoney(cmd.Context(), game, &o, cmd.OutOrStdout())
		}
		return solveLangeStrasse(cmd.Context(), game, &o, cmd.OutOrStdout())
	})
	return cmd
}

func solveLangeStrasse(ctx context.Context, game engine.Game, o *solveLangeStrasseOptions, stdout io.Writer) error {
	optimum := langestrasse.TurnOptimum()
	if o.out != "" {
		if err := writeOutput(o.out, nil, func(w io.Writer) error { return ls.WriteTurn(w, optimum) }); err != nil {
			return err
		}
	}
	answer, err := solveTurn(ctx, game, optimum, o)
	if err != nil {
		return err
	}
	return writeOutput("-", stdout, func(w io.Writer) error {
		if o.json {
			return printJSON(w, answer)
		}
		return answer.print(w)
	})
}

// turnSolution is the answer of croupier solve lange-strasse.
type turnSolution struct {
	Turn struct {
		turnPlay
		ErrorBound float64 `json:"error_bound"`
		// Distribution leaves out scores less likely than a part in 10¹².
		Distribution []scoreChance `json:"distribution"`
	} `json:"turn"`
	GreedyStop turnPlay     `json:"greedy_stop"`
	FirstRoll  ls.FirstRoll `json:"first_roll"`
}

// turnPlay is what a way to play makes of a turn.
type turnPlay struct {
	ExpectedPoints    float64        `json:"expected_points"`
	StrichProbability float64        `json:"strich_probability"`
	StandardDeviation float64        `json:"standard_deviation"`
	LangeStrassen     float64        `json:"lange_strassen"` // expected number
	Simulation        *ls.Simulation `json:"simulation,omitempty"`
}

// scoreChance is the probability that a turn without a strich scores that many points.
type scoreChance struct {
	Points      int     `json:"points"`
	Probability float64 `json:"probability"`
}

func solveTurn(ctx context.Context, game engine.Game, optimum *langestrasse.Optimum, o *solveLangeStrasseOptions) (*turnSolution, error) {
	answer := &turnSolution{FirstRoll: ls.RollOdds()}
	scores, err := answer.Turn.play(ctx, game, "turn-optimum", o)
	if err != nil {
		return nil, err
	}
	if _, err := answer.GreedyStop.play(ctx, game, "greedy-stop", o); err != nil {
		return nil, err
	}
	answer.Turn.ExpectedPoints, answer.Turn.StrichProbability = optimum.Turn()
	answer.Turn.ErrorBound = optimum.ErrorBound()
	for i, p := range scores.Points {
		if p >= 1e-12 {
			answer.Turn.Distribution = append(answer.Turn.Distribution, scoreChance{i * ls.Step, p})
		}
	}
	return answer, nil
}

// play computes what the bot makes of a turn, and simulates it if that is wanted.
func (p *turnPlay) play(ctx context.Context, game engine.Game, name string, o *solveLangeStrasseOptions) (*ls.Scores, error) {
	bot, err := game.Bot(name)
	if err != nil {
		return nil, err
	}
	scores, err := ls.ScoresOf(game, bot)
	if err != nil {
		return nil, err
	}
	p.ExpectedPoints, p.StrichProbability = scores.Mean(), scores.Strich
	p.StandardDeviation, p.LangeStrassen = scores.Deviation(), scores.Straights
	if o.simulate > 0 {
		p.Simulation, err = ls.Simulate(ctx, game, bot, o.simulate, o.seed)
	}
	return scores, err
}

// print writes the answer for people.
func (s *turnSolution) print(w io.Writer) error {
	t := texttable.New(1, 2)
	t.AppendHeader([]any{"a turn of", "turn-optimum", "greedy-stop"})
	row := func(name, format string, of func(*turnPlay) float64) {
		t.AppendRow([]any{name, fmt.Sprintf(format, of(&s.Turn.turnPlay)), fmt.Sprintf(format, of(&s.GreedyStop))})
	}
	row("expected points", "%.4f", func(p *turnPlay) float64 { return p.ExpectedPoints })
	row("standard deviation", "%.1f", func(p *turnPlay) float64 { return p.StandardDeviation })
	row("chance of a strich", "%.6f", func(p *turnPlay) float64 { return p.StrichProbability })
	row("Lange Strassen", "%.6f", func(p *turnPlay) float64 { return p.LangeStrassen })
	if s.Turn.Simulation != nil {
		a, b := s.Turn.Simulation, s.GreedyStop.Simulation
		t.AppendRow([]any{"simulated points", a.Points.String(), b.Points.String()})
		t.AppendRow([]any{"simulated strich", a.Strich.String(), b.Strich.String()})
	}
	_, err := fmt.Fprintf(w, "%s\n\nThe optimum is exact: rounding makes no more than %.1g points.\n"+
		"First roll: strich %.6f, Lange Strasse %.6f, Talheim %.6f.\n\nScores of the optimum:\n%s",
		t.Render(), s.Turn.ErrorBound, s.FirstRoll.Strich, s.FirstRoll.LangeStrasse, s.FirstRoll.Talheim, s.histogram())
	return err
}

// histogram shows how likely the scores of the optimum are, by classes of 250 points.
func (s *turnSolution) histogram() string {
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
		name := fmt.Sprintf("%d to %d", from, from+width-ls.Step)
		if from == last {
			name = fmt.Sprintf("%d and more", from)
		}
		bar(name, p)
	}
	return b.String()
}
