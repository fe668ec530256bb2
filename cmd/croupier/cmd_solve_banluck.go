package main

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	game "croupier/engine/banluck"
	"croupier/solver/banluck"
)

// solveBanluckOptions are the flags of croupier solve banluck.
type solveBanluckOptions struct {
	rules    string
	json     bool
	out, csv string
	simulate int
	seed     uint64
}

func newSolveBanluckCommand() *cobra.Command {
	var o solveBanluckOptions
	cmd := &cobra.Command{
		Use:   "banluck",
		Short: "Solve Banluck: the best play against a fixed dealer, and the equilibrium",
		Long: `Solve banluck computes, for one player against the dealer and by the exact composition
of the hands, without replacement:

  baseline     the player's best play against a fixed dealer who hits 16 and soft 17 and
               stands on hard 17; with reveal on, he stops at 16 and 17 against three and
               more cards; with surrender, he gives up every hard 15
  equilibrium  the best play of both, by CFR+, and how far a best response could still
               exploit it

All results are in units a hand, from the player's point of view. --out and --csv write
the strategies of all hands.

--simulate N plays N hands of each solution through the engine, with two seeds, as a
check; the exact result is within an interval in 19 of 20 cases.`,
		Example: `  croupier solve banluck
  croupier solve banluck --json --simulate 10000000
  croupier solve banluck --rules rules.yaml --csv strategy.csv`,
		Args: cobra.NoArgs,
	}
	f := cmd.Flags()
	f.StringVar(&o.rules, "rules", "", "YAML or JSON file with the game's rules")
	f.BoolVar(&o.json, "json", false, "answer with JSON")
	f.StringVar(&o.out, "out", "", "file to which the answer is written as JSON besides")
	f.StringVar(&o.csv, "csv", "", "file for the strategies as CSV")
	f.IntVar(&o.simulate, "simulate", 0, "hands to play through the engine with each seed, as a check")
	f.Uint64Var(&o.seed, "seed", 1, "first of the two seeds of the simulation")
	cmd.RunE = action(func(cmd *cobra.Command, _ []string) error {
		if o.simulate < 0 {
			return usage("--simulate %d: it cannot be negative", o.simulate)
		}
		return solveBanluck(cmd.Context(), &o, cmd.OutOrStdout(), cmd.ErrOrStderr())
	})
	return cmd
}

func solveBanluck(ctx context.Context, o *solveBanluckOptions, stdout, stderr io.Writer) error {
	g, err := gameFromFile("banluck", o.rules)
	if err != nil {
		return err
	}
	p := newProgress(stderr)
	defer p.end()
	study, err := banluck.NewStudy(ctx, g.(*game.Game), p.equilibrium)
	if err != nil {
		return err
	}
	answer := newBanluckAnswer(study)
	if o.simulate > 0 {
		if answer.Simulation, err = simulateBanluck(ctx, study, o, p); err != nil {
			return err
		}
	}
	p.end()
	if o.out != "" {
		if err := writeOutput(o.out, stdout, answer.encode); err != nil {
			return err
		}
	}
	if o.csv != "" {
		if err := writeOutput(o.csv, stdout, func(w io.Writer) error { return writeBanluckCSV(w, study) }); err != nil {
			return err
		}
	}
	if o.out == "-" || o.csv == "-" {
		return nil
	}
	return writeOutput("-", stdout, func(w io.Writer) error {
		if o.json {
			return answer.encode(w)
		}
		return answer.print(w, study)
	})
}

// simulateBanluck plays every solution with two seeds.
func simulateBanluck(ctx context.Context, study *banluck.Study, o *solveBanluckOptions, p *progress) (list []banluckSimulation, err error) {
	for seed := o.seed; seed < o.seed+2; seed++ {
		for i := range study.Baselines {
			b := &study.Baselines[i]
			p.say("simulating the baseline with reveal %s and surrender %s, seed %d", onOff(b.Dealer.Reveal), always(b.Dealer.Surrender), seed)
			e, err := study.SimulateBaseline(ctx, i, o.simulate, seed)
			if err != nil {
				return nil, err
			}
			name := "baseline, reveal " + onOff(b.Dealer.Reveal) + ", surrender " + always(b.Dealer.Surrender)
			list = append(list, newBanluckSimulation(name, b.Solution, e, seed))
		}
		p.say("simulating the equilibrium, seed %d", seed)
		e, err := study.SimulateEquilibrium(ctx, o.simulate, seed)
		if err != nil {
			return nil, err
		}
		list = append(list, newBanluckSimulation("equilibrium", study.Equilibrium, e, seed))
	}
	return list, nil
}

// progress shows on a terminal what long work is at, and nothing elsewhere.
type progress struct {
	console *console
	last    time.Time
}

func newProgress(w io.Writer) *progress { return &progress{console: newConsole(w, true)} }

// say shows the work that begins.
func (p *progress) say(format string, args ...any) {
	if p.console.live {
		p.console.status([]string{fmt.Sprintf(format, args...)})
	}
}

// equilibrium shows how far CFR+ is.
func (p *progress) equilibrium(at banluck.Point) {
	if time.Since(p.last) > 100*time.Millisecond {
		p.last = time.Now()
		p.say("CFR+: %d iterations, exploitability %.2g units a hand", at.Iterations, at.Exploitability)
	}
}

func (p *progress) end() {
	if p.console.live {
		p.console.status(nil)
	}
}

// encode writes the answer as JSON.
func (a *banluckAnswer) encode(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	return e.Encode(a)
}

// writeBanluckCSV writes a line for each hand of each seat: the player's in the four baselines and
// the equilibrium, and the dealer's in the equilibrium.
func writeBanluckCSV(w io.Writer, study *banluck.Study) error {
	out := csv.NewWriter(w)
	_ = out.Write([]string{"solution", "seat", "hand", "cards", "total", "soft", "player_cards", "hit", "stand", "ev_hit", "ev_stand"})
	line := func(solution, seat string, hand game.Hand, playerCards int, hits float64, v banluck.Worth) {
		worth := study.Game.Worth(hand)
		cards := ""
		if playerCards > 0 {
			cards = fmt.Sprint(playerCards)
		}
		_ = out.Write([]string{solution, seat, hand.String(), fmt.Sprint(hand.Size()), fmt.Sprint(worth.Total), fmt.Sprint(worth.Soft), cards,
			fmt.Sprint(hits), fmt.Sprint(1 - hits), fmt.Sprint(v.Hit), fmt.Sprint(v.Stop)})
	}
	player := func(name string, s *banluck.Solution) {
		for _, h := range study.HeadsUp.PlayerHands() {
			hits, v, _ := s.Player(h)
			line(name, "player", h, 0, hits, v)
		}
	}
	for i := range study.Baselines {
		b := &study.Baselines[i]
		player("baseline "+b.Dealer.String(), b.Solution)
	}
	player("equilibrium", study.Equilibrium)
	for cards := 2; cards <= game.MaxCards; cards++ {
		for _, d := range study.HeadsUp.DealerHands() {
			hits, v, _ := study.Equilibrium.Dealer(d, cards)
			line("equilibrium", "dealer", d, cards, hits, v)
		}
	}
	out.Flush()
	return out.Error()
}
