package report

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"croupier/catalog"
	"croupier/engine"
	banluck "croupier/games/banluck/solve"
	"croupier/games/banluck/solve/table"
	"croupier/internal/durable"
	"croupier/policy"
)

// work is what takes the command seconds and minutes; tests of its flags have something quicker.
type work struct {
	study  func(context.Context, engine.Game, func(banluck.Point)) (*banluck.Study, error)
	charts func(*banluck.Study) []Chart
	report func(context.Context, *banluck.Study, Sampling) (write func(io.Writer) error, err error)
}

// inFull is all of the work.
var inFull = work{banluck.NewStudy, Charts, func(ctx context.Context, study *banluck.Study,
	o Sampling) (func(io.Writer) error, error) {
	r, err := New(ctx, study, o)
	if err != nil {
		return nil, err
	}
	return r.Write, nil
}}

// command is croupier solve banluck.
func (w work) command() catalog.Command {
	return catalog.Command{
		Short: "Find the equilibrium of Banluck, and answers to a fixed dealer",
		Long: `Solve banluck computes, for one player against the dealer, by the exact composition of
the hands and without replacement:

  baseline     the player's best play against a fixed dealer who hits 16 and soft 17 and
               stands on hard 17; with reveal on, he stops at 16 and 17 against three and
               more cards; with surrender, he gives up every hard 15
  equilibrium  the best play of both, by CFR+, and how far a best response could still
               exploit it

All results are in units a hand, from the player's point of view. --out writes the
strategies of all hands: the choices of the player in all solutions and of the dealer
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
next to the others: "agent", its name, "exploitability", "ev", "stddev", "player_loss" and
"dealer_loss".

--simulate N plays N hands of each solution through the engine, with two seeds, as a
check: 19 of 20 intervals contain the exact result. N is also the number of hands behind
the report's estimates, by default 10 million.`,
		Example: `  croupier solve banluck
  croupier solve banluck --json --simulate 10000000
  croupier solve banluck --rules rules.yaml --out strategy.csv --charts charts
  croupier solve banluck --players 3 --json
  croupier solve banluck --agent main@12 --run runs/evening
  croupier solve banluck --page banluck.html
  croupier solve banluck --report report.md`,
		Shared: catalog.SharedFlags{
			Out: "file for the strategies of all hands: JSON if it ends in .json, else CSV", Progress: true, Rules: true,
			Set: true, Agent: "best responses",
		},
		New: w.newRun,
	}
}

// flags are the command's own.
type flags struct {
	work
	charts   string
	page     string
	reportTo string
	players  int
	simulate int
	seed     uint64
}

func (w work) newRun(f catalog.Flags) func(context.Context, catalog.Call) error {
	o := flags{work: w}
	f.StringVar(&o.charts, "charts", "", "directory for charts, as SVG and PNG")
	f.StringVar(&o.page, "page", "", "HTML file in which hands can be looked up, for a phone without a network")
	f.StringVar(&o.reportTo, "report", "", "file for the report, in Markdown; takes minutes")
	f.IntVar(&o.players, "players", 0,
		"players next to the dealer, 1 to 4 (default: that of the rules); the most of a report, 2 to 4")
	f.IntVar(&o.simulate, "simulate", 0, "hands to play through the engine with each seed, as a check")
	f.Uint64Var(&o.seed, "seed", 1, "first of the two seeds of the simulation")
	f.WritesFolder("charts")
	f.Writes("page")
	f.Writes("report")
	return o.run
}

func (o *flags) run(ctx context.Context, c catalog.Call) error {
	if err := o.check(); err != nil {
		return err
	}
	var overrides []string
	if o.players != 0 && o.reportTo == "" {
		overrides = []string{fmt.Sprintf("rules.players=%d", o.players)}
	}
	g, err := c.Game(ctx, nil, overrides)
	if err != nil {
		return err
	}
	if g.Spec().Seats > 2 {
		return o.solveCrowd(ctx, c, g)
	}
	if o.reportTo != "" && !Covers(g) {
		return catalog.Usage("--report: the report is about the default rules; leave out --rules and --set")
	}
	var policies func() policy.Policy
	if c.Agent() != "" { // an agent that there is not is refused before anything is solved
		if policies, err = c.Policies(ctx, g); err != nil {
			return err
		}
	}
	say, end := c.Progress()
	defer end()
	study, err := o.study(ctx, g, func(p banluck.Point) {
		say(-1, "CFR+: %d iterations, exploitability %.2g units a hand", p.Iterations, p.Exploitability)
	})
	if err != nil {
		return err
	}
	answer, err := o.answer(ctx, c, study, policies, untimed(say))
	if err != nil {
		return err
	}
	end()
	if err := o.writeFiles(c, answer, study); err != nil {
		return err
	}
	return c.Print(answer, func(w io.Writer) error { return answer.Print(w, study) })
}

// untimed makes what shows progress say nothing of the share that is done.
func untimed(say func(float64, string, ...any)) func(string, ...any) {
	return func(format string, args ...any) { say(-1, format, args...) }
}

func (o *flags) check() error {
	switch {
	case o.simulate < 0:
		return catalog.Usage("--simulate %d: it cannot be negative", o.simulate)
	case o.reportTo != "" && o.players != 0 && (o.players < 2 || o.players > MostPlayers):
		return catalog.Usage("--players %d: a report looks at up to 2, 3 or %d players", o.players, MostPlayers)
	}
	return nil
}

// solveCrowd solves the game with several players.
func (o *flags) solveCrowd(ctx context.Context, c catalog.Call, g engine.Game) error {
	for _, flag := range []string{"agent", "charts", "out", "page", "report"} {
		if c.Given(flag) {
			return catalog.Usage("--%s is for one player; set players to 1", flag)
		}
	}
	say, end := c.Progress()
	defer end()
	sampling := Sampling{Hands: o.simulate, Seed: o.seed, Say: untimed(say)}
	crowd, err := NewCrowd(ctx, g, sampling)
	if err != nil {
		return err
	}
	if o.simulate > 0 {
		if err := crowd.Simulate(ctx, sampling); err != nil {
			return err
		}
	}
	end()
	return c.Print(crowd, crowd.Print)
}

// answer computes all that the flags ask for, and writes the report.
func (o *flags) answer(ctx context.Context, c catalog.Call, study *banluck.Study, policies func() policy.Policy,
	say func(string, ...any)) (*Answer, error) {
	sampling := Sampling{Hands: o.simulate, Seed: o.seed, Say: say}
	if o.reportTo != "" {
		sampling.Crowd = o.players
		write, err := o.report(ctx, study, sampling)
		if err != nil {
			return nil, err
		}
		if err := c.Write(o.reportTo, write); err != nil {
			return nil, err
		}
	}
	answer, err := NewAnswer(study), error(nil)
	if policies != nil {
		if answer.Agent, err = MeasureAgent(study, c.Agent(), policies); err != nil {
			return nil, err
		}
	}
	if o.simulate > 0 {
		if answer.Simulation, err = Simulate(ctx, study, sampling); err != nil {
			return nil, err
		}
	}
	return answer, nil
}

// writeFiles writes the files that the flags ask for.
func (o *flags) writeFiles(c catalog.Call, answer *Answer, study *banluck.Study) error {
	if o.charts != "" {
		if err := writeCharts(c, o.charts, o.work.charts(study)); err != nil {
			return fmt.Errorf("--charts: %w", err)
		}
	}
	if o.page != "" {
		if err := c.Write(o.page, func(w io.Writer) error { return WriteCard(w, study) }); err != nil {
			return err
		}
	}
	return c.WriteTable(table.Columns, answer, table.Strategies(study))
}

// writeCharts writes each chart into a directory, as NAME.svg and NAME.png.
// It leaves none where it cannot write all.
func writeCharts(c catalog.Call, dir string, charts []Chart) (err error) {
	var draft durable.Draft
	defer func() {
		if err != nil {
			draft.Undo()
		}
	}()
	if err := draft.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for _, chart := range charts {
		for _, kind := range []struct {
			suffix string
			write  func(io.Writer) error
		}{{".svg", chart.WriteSVG}, {".png", chart.WritePNG}} {
			path := filepath.Join(dir, chart.Name+kind.suffix)
			draft.Note(path)
			if err := c.Write(path, kind.write); err != nil {
				return err
			}
		}
	}
	return nil
}
