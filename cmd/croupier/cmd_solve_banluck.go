package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	game "croupier/engine/banluck"
	"croupier/nn"
	"croupier/policy"
	"croupier/solver/banluck"
)

// solveBanluckOptions are the flags of croupier solve banluck.
type solveBanluckOptions struct {
	solveFlags
	csv      string
	charts   string
	reportTo string
	agent    string
	run      string
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
the strategies of all hands: the choices of the player in all solutions and of the dealer
in the equilibrium, and what they are worth to the seat.

--charts DIR draws the strategies as heat maps, the convergence and the risk of ruin.
--report FILE writes the answers to the questions about the game (reveal with one to four
players, surrender, rotation, bankroll, house rules, counting), each with its number.

--agent AGENT measures any agent that has no memory: what it is worth against itself, and
what each of its seats loses to a best response, exactly. Agents are named as in croupier
arena: main@12 is a frozen version of the run of --run, file:PATH an exported network.

--simulate N plays N hands of each solution through the engine, with two seeds, as a
check; the exact result is within an interval in 19 of 20 cases. It is also the number of
hands of the report's estimates, by default 10 million.`,
		Example: `  croupier solve banluck
  croupier solve banluck --json --simulate 10000000
  croupier solve banluck --rules rules.yaml --csv strategy.csv --charts charts
  croupier solve banluck --agent main@12 --run runs/evening
  croupier solve banluck --report docs/banluck-report.md`,
		Args: cobra.NoArgs,
	}
	o.add(cmd, "the strategies of all hands")
	o.addRules(cmd)
	f := cmd.Flags()
	f.StringVar(&o.csv, "csv", "", "file for the strategies, always as CSV")
	f.StringVar(&o.charts, "charts", "", "directory for charts, as SVG and PNG")
	f.StringVar(&o.reportTo, "report", "", "file for the report, in Markdown; takes minutes")
	f.StringVar(&o.agent, "agent", "", "agent to measure against best responses")
	f.StringVar(&o.run, "run", "", "run directory of versions like main@12")
	f.IntVar(&o.simulate, "simulate", 0, "hands to play through the engine with each seed, as a check")
	f.Uint64Var(&o.seed, "seed", 1, "first of the two seeds of the simulation")
	cmd.RunE = action(func(cmd *cobra.Command, _ []string) error { return solveBanluck(cmd, &o) })
	return cmd
}

func solveBanluck(cmd *cobra.Command, o *solveBanluckOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	g, err := o.game("banluck")
	if err != nil {
		return err
	}
	if o.reportTo != "" && g.Rules() != any(game.DefaultRules()) {
		return usage("--report: the report is about the rules as they are; leave out --rules and --set")
	}
	say, end := o.report(cmd)
	defer end()
	study, err := banluck.NewStudy(cmd.Context(), g.(*game.Game), func(p banluck.Point) {
		say("CFR+: %d iterations, exploitability %.2g units a hand", p.Iterations, p.Exploitability)
	})
	if err != nil {
		return err
	}
	if o.reportTo != "" {
		report, err := newBanluckReport(cmd.Context(), study, o, say)
		if err != nil {
			return err
		}
		if err := writeOutput(o.reportTo, nil, report.write); err != nil {
			return err
		}
	}
	answer := newBanluckAnswer(study)
	if o.agent != "" {
		if answer.Agent, err = measureBanluck(cmd.Context(), study, o.agent, o.run); err != nil {
			return err
		}
	}
	if o.simulate > 0 {
		if answer.Simulation, err = simulateBanluck(cmd.Context(), study, o.simulate, o.seed, say); err != nil {
			return err
		}
	}
	end()
	if o.charts != "" {
		if err := writeBanluckCharts(o.charts, study); err != nil {
			return err
		}
	}
	if err := writeBanluckTables(o, answer, study); err != nil {
		return err
	}
	return writeOutput("-", cmd.OutOrStdout(), func(w io.Writer) error {
		if o.json {
			return printJSON(w, answer)
		}
		return answer.print(w, study)
	})
}

func (o *solveBanluckOptions) check() error {
	switch {
	case o.simulate < 0:
		return usage("--simulate %d: it cannot be negative", o.simulate)
	case o.run != "" && o.agent == "":
		return usage("--run %s: it is for --agent, as in --agent main@12", o.run)
	case o.csv == "-":
		return usage("--csv -: standard output is for the result; name a file")
	case o.reportTo == "-":
		return usage("--report -: standard output is for the result; name a file")
	}
	return o.checkOut()
}

// measureBanluck says what an agent is worth and how far best responses exploit it.
func measureBanluck(ctx context.Context, study *banluck.Study, name, run string) (*banluckAgent, error) {
	player, err := agentsOf(study.Game, run).Player(ctx, name)
	if err != nil {
		return nil, err
	}
	newPolicy := player.NewPolicy
	if player.Network != nil {
		newPolicy = func() policy.Policy { return nn.NewPolicy(player.Network) }
	}
	s, err := study.HeadsUp.SolutionOf(newPolicy)
	if err != nil {
		return nil, fmt.Errorf("agent %s: %w", name, err)
	}
	a := &banluckAgent{Name: name, EV: s.EV, StdDev: s.StdDev, Exploitability: s.Exploitability}
	a.PlayerLoss, a.DealerLoss = s.Losses(study.Equilibrium.EV)
	return a, nil
}

// simulateBanluck plays count hands of every solution with two seeds.
func simulateBanluck(ctx context.Context, study *banluck.Study, count int, first uint64, say func(string, ...any)) (list []banluckSimulation, err error) {
	for seed := first; seed < first+2; seed++ {
		for i := range study.Baselines {
			b := &study.Baselines[i]
			say("simulating the baseline with reveal %s and surrender %s, seed %d", onOff(b.Dealer.Reveal), always(b.Dealer.Surrender), seed)
			e, err := study.SimulateBaseline(ctx, i, count, seed)
			if err != nil {
				return nil, err
			}
			name := "baseline, reveal " + onOff(b.Dealer.Reveal) + ", surrender " + always(b.Dealer.Surrender)
			list = append(list, newBanluckSimulation(name, b.Solution, e, seed))
		}
		say("simulating the equilibrium, seed %d", seed)
		e, err := study.SimulateEquilibrium(ctx, count, seed)
		if err != nil {
			return nil, err
		}
		list = append(list, newBanluckSimulation("equilibrium", study.Equilibrium, e, seed))
	}
	return list, nil
}

// banluckColumns are those of the strategies as CSV.
var banluckColumns = []string{"solution", "seat", "hand", "cards", "total", "soft", "player_cards", "hit", "stand", "ev_hit", "ev_stand"}

// writeBanluckTables writes the files that the flags ask for.
func writeBanluckTables(o *solveBanluckOptions, answer *banluckAnswer, study *banluck.Study) error {
	rows := banluckRows(study)
	if o.out != "" {
		if err := o.writeTables(answer, banluckColumns, rows); err != nil {
			return err
		}
	}
	if o.csv == "" {
		return nil
	}
	return writeOutput(o.csv, nil, func(w io.Writer) error { return writeCSV(w, banluckColumns, rows) })
}

// banluckRows has a row for each hand of each seat: the player's in the baselines and the equilibrium,
// and the dealer's in the equilibrium by the number of the player's cards.
func banluckRows(study *banluck.Study) func(yield func(row []string) bool) {
	return func(yield func(row []string) bool) {
		row := func(solution, seat string, hand game.Hand, playerCards string, hits float64, v banluck.Worth) bool {
			w := study.Game.Worth(hand)
			return yield([]string{
				solution, seat, hand.String(), fmt.Sprint(hand.Size()), fmt.Sprint(w.Total), fmt.Sprint(w.Soft), playerCards,
				decimal(hits), decimal(1 - hits), decimal(v.Hit), decimal(v.Stop),
			})
		}
		player := func(name string, s *banluck.Solution) bool {
			for _, h := range study.HeadsUp.PlayerHands() {
				hits, v, _ := s.Player(h)
				if !row(name, "player", h, "", hits, v) {
					return false
				}
			}
			return true
		}
		for _, b := range study.Baselines {
			if !player(b.Dealer.String(), b.Solution) {
				return
			}
		}
		if !player("equilibrium", study.Equilibrium) {
			return
		}
		for cards := 2; cards <= game.MaxCards; cards++ {
			for _, d := range study.HeadsUp.DealerHands() {
				hits, v, _ := study.Equilibrium.Dealer(d, cards)
				if !row("equilibrium", "dealer", d, fmt.Sprint(cards), hits, v) {
					return
				}
			}
		}
	}
}
