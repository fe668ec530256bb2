package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"croupier/engine"
	banluck "croupier/games/banluck/solve"
	"croupier/games/banluck/solve/report"
	"croupier/games/banluck/solve/table"
)

// What takes seconds and minutes. The tests of the flags share studies, and have a report and charts that are quickly
// made.
var (
	studyBanluck  = banluck.NewStudy
	drawBanluck   = report.Charts
	reportBanluck = func(ctx context.Context, study *banluck.Study, o report.Sampling) (write func(io.Writer) error, err error) {
		r, err := report.New(ctx, study, o)
		if err != nil {
			return nil, err
		}
		return r.Write, nil
	}
)

// solveBanluckOptions are the flags of croupier solve banluck.
type solveBanluckOptions struct {
	solveFlags
	solveAgent
	csv      string
	charts   string
	page     string
	reportTo string
	players  int
	simulate int
	seed     uint64
}

func newSolveBanluckCommand() *cobra.Command {
	var o solveBanluckOptions
	cmd := &cobra.Command{
		Use:   "banluck",
		Short: "Solve Banluck: the best play against a fixed dealer, and the equilibrium",
		Long: `Solve banluck computes, for one player against the dealer, by the exact composition of
the hands and without replacement:

  baseline     the player's best play against a fixed dealer who hits 16 and soft 17 and
               stands on hard 17; with reveal on, he stops at 16 and 17 against three and
               more cards; with surrender, he gives up every hard 15
  equilibrium  the best play of both, by CFR+, and how far a best response could still
               exploit it

All results are in units a hand, from the player's point of view. --out and --csv write
the strategies of all hands: the choices of the player in all solutions and of the dealer
in the equilibrium, and what they are worth to the seat.

With --players N (2 to 4) it solves the game of several players against the dealer and says
what a player, and the dealer, could gain at most by leaving the solution: exactly with two
players, with 95 % intervals and in minutes with three and four.

--page FILE writes the equilibrium as one HTML file for a phone without a network: tap a
hand, and it says what to do and what each choice is worth.

--charts DIR draws the strategies as heat maps, the convergence and the risk of ruin.
--report FILE writes the answers to the questions about the game (reveal with one to four
players, surrender, rotation, bankroll, house rules, counting), each with its number. With
--players N it looks at up to N players, 2 instead of 4 for an answer within a minute.

--agent AGENT measures any agent without memory, exactly: what it is worth against
itself, and what each of its seats loses to a best response. Agents are named as in croupier
arena: main@12 is a frozen version from --run, file:PATH an exported network, each
with "greedy:" before its name without a mixed strategy. With --json these fields stand
beside the others: "agent", its name, "exploitability", "ev", "stddev", "player_loss" and
"dealer_loss".

--simulate N plays N hands of each solution through the engine, with two seeds, as a
check: 19 of 20 intervals contain the exact result. N is also the number of hands behind
the report's estimates, by default 10 million.`,
		Example: `  croupier solve banluck
  croupier solve banluck --json --simulate 10000000
  croupier solve banluck --rules rules.yaml --csv strategy.csv --charts charts
  croupier solve banluck --players 3 --json
  croupier solve banluck --agent main@12 --run runs/evening
  croupier solve banluck --page banluck.html
  croupier solve banluck --report report.md`,
		Args: cobra.NoArgs,
	}
	o.solveFlags.add(cmd, "the strategies of all hands")
	o.solveAgent.add(cmd, "best responses")
	o.addRules(cmd)
	f := cmd.Flags()
	f.StringVar(&o.csv, "csv", "", "file for the strategies, always as CSV")
	f.StringVar(&o.charts, "charts", "", "directory for charts, as SVG and PNG")
	f.StringVar(&o.page, "page", "", "HTML file in which hands can be looked up, for a phone without a network")
	f.StringVar(&o.reportTo, "report", "", "file for the report, in Markdown; takes minutes")
	f.IntVar(&o.players, "players", 0, "players beside the dealer, 1 to 4 (default: that of the rules); the most of a report, 2 to 4")
	f.IntVar(&o.simulate, "simulate", 0, "hands to play through the engine with each seed, as a check")
	f.Uint64Var(&o.seed, "seed", 1, "first of the two seeds of the simulation")
	cmd.RunE = action(func(cmd *cobra.Command, _ []string) error { return solveBanluck(cmd, &o) })
	return cmd
}

func solveBanluck(cmd *cobra.Command, o *solveBanluckOptions) error {
	if err := cmp.Or(o.solveAgent.check(cmd), o.check()); err != nil {
		return err
	}
	if o.players != 0 && o.reportTo == "" {
		o.Set = append(o.Set, fmt.Sprintf("rules.players=%d", o.players))
	}
	g, err := o.game(cmd.Context(), "banluck")
	if err != nil {
		return err
	}
	if g.Spec().Seats > 2 {
		return solveBanluckCrowd(cmd, o, g)
	}
	if o.reportTo != "" && !report.Covers(g) {
		return usage("--report: the report is about the default rules; leave out --rules and --set")
	}
	say, end := o.report(cmd)
	defer end()
	study, err := studyBanluck(cmd.Context(), g, func(p banluck.Point) {
		say("CFR+: %d iterations, exploitability %.2g units a hand", p.Iterations, p.Exploitability)
	})
	if err != nil {
		return err
	}
	answer, err := answerBanluck(cmd.Context(), o, study, say)
	if err != nil {
		return err
	}
	end()
	if err := writeBanluckFiles(o, answer, study); err != nil {
		return err
	}
	return writeOutput("-", cmd.OutOrStdout(), func(w io.Writer) error {
		if o.json {
			return printJSON(w, answer)
		}
		return answer.Print(w, study)
	})
}

// solveBanluckCrowd solves the game with several players.
func solveBanluckCrowd(cmd *cobra.Command, o *solveBanluckOptions, g engine.Game) error {
	for _, flag := range []string{"agent", "charts", "csv", "out", "page", "report"} {
		if cmd.Flags().Changed(flag) {
			return usage("--%s is for one player; set players to 1", flag)
		}
	}
	say, end := o.report(cmd)
	defer end()
	sampling := report.Sampling{Hands: o.simulate, Seed: o.seed, Say: say}
	crowd, err := report.NewCrowd(cmd.Context(), g, sampling)
	if err != nil {
		return err
	}
	if o.simulate > 0 {
		if err := crowd.Simulate(cmd.Context(), sampling); err != nil {
			return err
		}
	}
	end()
	return writeOutput("-", cmd.OutOrStdout(), func(w io.Writer) error {
		if o.json {
			return printJSON(w, crowd)
		}
		return crowd.Print(w)
	})
}

// answerBanluck computes all that the flags ask for, and writes the report.
func answerBanluck(
	ctx context.Context, o *solveBanluckOptions, study *banluck.Study, say func(string, ...any),
) (*report.Answer, error) {
	sampling := report.Sampling{Hands: o.simulate, Seed: o.seed, Say: say}
	if o.reportTo != "" {
		sampling.Crowd = o.players
		write, err := reportBanluck(ctx, study, sampling)
		if err != nil {
			return nil, err
		}
		if err := writeOutput(o.reportTo, nil, write); err != nil {
			return nil, err
		}
	}
	answer, err := report.NewAnswer(study), error(nil)
	if o.agent != "" {
		if answer.Agent, err = o.measure(ctx, study); err != nil {
			return nil, err
		}
	}
	if o.simulate > 0 {
		if answer.Simulation, err = report.Simulate(ctx, study, sampling); err != nil {
			return nil, err
		}
	}
	return answer, nil
}

func (o *solveBanluckOptions) check() error {
	switch {
	case o.simulate < 0:
		return usage("--simulate %d: it cannot be negative", o.simulate)
	case o.reportTo != "" && o.players != 0 && (o.players < 2 || o.players > report.MostPlayers):
		return usage("--players %d: a report looks at up to 2, 3 or %d players", o.players, report.MostPlayers)
	}
	return nil
}

// measure says what the agent is worth and how far best responses exploit it.
func (o *solveBanluckOptions) measure(ctx context.Context, study *banluck.Study) (*report.Agent, error) {
	player, err := agentsOf(study.Game, o.run).Player(ctx, o.agent)
	if err != nil {
		return nil, err
	}
	return report.MeasureAgent(study, o.agent, player.Policy)
}

// writeBanluckFiles writes the files that the flags ask for.
func writeBanluckFiles(o *solveBanluckOptions, answer *report.Answer, study *banluck.Study) error {
	if o.charts != "" {
		if err := writeCharts(o.charts, drawBanluck(study)); err != nil {
			return fmt.Errorf("--charts: %w", err)
		}
	}
	if o.page != "" {
		if err := writeOutput(o.page, nil, func(w io.Writer) error { return report.WriteCard(w, study) }); err != nil {
			return err
		}
	}
	rows := table.Strategies(study)
	if o.out != "" {
		if err := o.writeTables(answer, table.Columns, rows); err != nil {
			return err
		}
	}
	if o.csv == "" {
		return nil
	}
	return writeOutput(o.csv, nil, func(w io.Writer) error { return writeCSV(w, table.Columns, rows) })
}

// writeCharts writes each chart into a directory, as NAME.svg and NAME.png.
func writeCharts(dir string, charts []report.Chart) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for _, c := range charts {
		path := filepath.Join(dir, c.Name)
		if err := writeOutput(path+".svg", nil, c.WriteSVG); err != nil {
			return err
		}
		if err := writeOutput(path+".png", nil, c.WritePNG); err != nil {
			return err
		}
	}
	return nil
}
