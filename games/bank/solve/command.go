package solve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"croupier/catalog"
	"croupier/engine"
	"croupier/games/bank"
	"croupier/policy"
	"croupier/solver"
)

// command is croupier solve bank.
var command = catalog.Command{
	Short: "Find optimal play of BANK! for two, or best responses to bots",
	Long: `Solve bank computes the optimum of BANK! for two players from the last round to the
first, over all point differences and all banks up to --size, without rounding. What
lies beyond is bounded, so the value is known to within error_bound. The value is the
expected return of seat 1, from -1 (it always loses) to 1 (it always wins).

With --json the result is
  {"players": 2, "rounds": 10, "repoll": true, "value": 0.0, "error_bound": 0.0}

--out writes the plan of each seat, one row for each round, role, stage and difference:
the seat; the round (from 1); the role: lone (the other has banked in this round), first
(both are active, and the other is asked after it) or second (the other has just
passed); the stage (1 and 2 for those rolls, 3 for all later ones); the difference, own
points less the other's; and the banks at which it banks, as ranges ("45-52 60-", the
last one open-ended).

With --against it instead computes the best response of the seat --seat to a bot in all
other seats, for any number of --players: value is what that seat gets. The bots must act
alike, so that they always have the same points: threshold(N) and rolls(K) do, and with
two players any bot does. The result then also has "against" and, from 0, "seat". --simulate N
plays N games of the response through the engine, as a check, and adds "played" and the
half width of its 95 % interval, "played_within"; this takes larger tables.

--agent AGENT says instead what an agent wins against the optimum in a game for two: shares
of the win, so a draw is half. Agents are named as in croupier arena: main@12 is a frozen
version from --run, greedy:main@12 the same without drawing, file:PATH an exported network.
--simulate N games are played, half of them in each seat, and with repoll luck is taken out,
since the value of every decision is known: the fewer mistakes the agent makes, the narrower
is the interval that is printed. With --json the result is
  {"agent": "main@12", "win_probability": 0.0}`,
	Example: `  croupier solve bank
  croupier solve bank --set rules.repoll=false --json
  croupier solve bank --set rules.repoll=false --out bank.csv
  croupier solve bank --players 3 --against "threshold(100)"
  croupier solve bank --agent main@12 --run runs/evening`,
	Shared: catalog.SharedFlags{
		Out: "file for the plans: JSON if it ends in .json, else CSV", Progress: true, Rules: true, Set: true,
		Agent: "the optimum", Solution: []string{"against", "seat", "out"},
	},
	New: newRun,
}

// flags are the command's own.
type flags struct {
	size    int
	players int
	against string
	seat    int
	games   int
	seed    uint64
}

func newRun(f catalog.Flags) func(context.Context, catalog.Call) error {
	var o flags
	f.IntVar(&o.size, "size", DefaultSize, fmt.Sprintf(
		"largest difference and bank in the tables, %d to %d, with --against to %d", MinSize, MaxSize, MaxResponseSize))
	f.IntVar(&o.players, "players", 2, "number of players")
	f.StringVar(&o.against, "against", "", `bot in all other seats, like "threshold(100)", or random`)
	f.IntVar(&o.seat, "seat", 1, "with --against: the seat that answers, from 1")
	f.IntVar(&o.games, "simulate", 0, fmt.Sprintf(
		"with --against: games to play through the engine as a check; with --agent: games (%d)", agentGames))
	f.Uint64Var(&o.seed, "seed", 1, "with --simulate or --agent: seed of the games")
	return o.run
}

// check refuses flags that make no sense together.
func (o *flags) check(c catalog.Call) error {
	most := MaxSize
	if o.against != "" {
		most = MaxResponseSize
	}
	switch {
	case o.size < MinSize || o.size > most:
		return catalog.Usage("--size %d: it must be in %d..%d", o.size, MinSize, most)
	case o.against != "" && c.Out() != "":
		return catalog.Usage("--out: only the optimum has plans to write, not a response")
	case o.against == "" && (c.Given("seat") || o.games != 0 && c.Agent() == ""):
		return catalog.Usage("--seat and --simulate need --against")
	case o.games < 0:
		return catalog.Usage("--simulate %d: it must not be negative", o.games)
	case o.games == 0 && c.Agent() == "":
		return catalog.Idle(c, "--simulate or --agent", "seed")
	}
	return nil
}

func (o *flags) run(ctx context.Context, c catalog.Call) error {
	if err := o.check(c); err != nil {
		return err
	}
	var overrides []string
	if c.Given("players") {
		overrides = []string{fmt.Sprintf("rules.players=%d", o.players)}
	}
	g, err := c.Game(ctx, []string{"rules.players=2"}, overrides)
	if err != nil {
		return err
	}
	var policies func() policy.Policy
	if c.Agent() != "" { // an agent that there is not is refused before anything is solved
		if policies, err = c.Policies(ctx, g); err != nil {
			return err
		}
	}
	begin := time.Now()
	rules := g.Rules().(bank.Rules)
	result := Answer{Players: rules.Players, Rounds: rules.Rounds, Repoll: rules.Repoll}
	optimum, err := o.solve(ctx, c, g, &result)
	if errors.Is(err, context.Canceled) {
		return errors.New("stopped before the answer was found")
	}
	if err != nil {
		return err
	}
	if policies != nil {
		return o.playOptimum(ctx, c, g, policies, optimum)
	}
	if err := catalog.WriteList(c, Columns, optimum.Plans); err != nil {
		return err
	}
	return c.Print(result, func(w io.Writer) error { return result.Render(w, optimum, time.Since(begin)) })
}

// solve computes the value in the answer. With --against the optimum is nil.
func (o *flags) solve(ctx context.Context, c catalog.Call, g engine.Game, s *Answer) (*Optimum, error) {
	say, end := c.Progress()
	defer end()
	progress := func(done, total int) {
		say(float64(done)/float64(total), "bank: %d of %d rounds", done, total)
	}
	if o.against == "" {
		optimum, err := Solve(ctx, g, o.size, progress)
		if err == nil {
			s.Value, s.ErrorBound = optimum.Value()
		}
		return optimum, err
	}
	seat := o.seat - 1
	if seats := g.Spec().Seats; seat < 0 || seat >= seats {
		return nil, catalog.Usage("--seat %d: there are seats 1 to %d", o.seat, seats)
	}
	s.Against, s.Seat = o.against, &seat
	response, err := Respond(ctx, g, seat, o.against, o.size, o.games > 0, progress)
	if err != nil {
		return nil, err
	}
	s.Value, s.ErrorBound = response.Value()
	if o.games == 0 {
		return nil, nil
	}
	mean, half, err := response.Simulate(ctx, o.games, o.seed)
	s.Played, s.PlayedWithin = &mean, &half
	return nil, err
}

// agentGames are played with an agent unless --simulate says otherwise: a few seconds for a network.
const agentGames = 40_000

// playOptimum reports what the agent of a call wins against the optimum.
func (o *flags) playOptimum(
	ctx context.Context, c catalog.Call, g engine.Game, policies func() policy.Policy, optimum *Optimum,
) error {
	m, err := optimum.Against(ctx, g, policies, cmp.Or(o.games, agentGames), o.seed)
	if err != nil {
		return fmt.Errorf("agent %s: %w", c.Agent(), err)
	}
	return c.Print(solver.Won{Agent: c.Agent(), WinProbability: m.Wins}, func(w io.Writer) error {
		return m.Render(w, c.Agent(), g.Rules().(bank.Rules))
	})
}
