package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"croupier/engine"
	game "croupier/engine/bank"
	"croupier/solver/bank"
)

// solveBankOptions are the flags of croupier solve bank.
type solveBankOptions struct {
	solveFlags
	size    int
	players int
	against string
	seat    int
	games   int
	seed    uint64
}

func newSolveBankCommand() *cobra.Command {
	o := solveBankOptions{size: bank.DefaultSize}
	cmd := &cobra.Command{
		Use:   "bank",
		Short: "Find the optimal play of BANK! for two, or the best response to a bot",
		Long: `Solve bank computes the optimum of BANK! for two players from the last round to the
first, on all differences of points and all banks up to --size, without rounding. What
lies beyond is bounded, so that the value is known up to error_bound: the expected
return of seat 0, from -1 (it always loses) to 1 (it always wins).

With --json the result is
  {"players": 2, "rounds": 10, "repoll": true, "value": 0.0, "error_bound": 0.0}

--out writes the plan of each seat, one row for each round, role, stage and difference:
the seat; the round (from 1); the role: lone (the other has banked in this round), first
(both are active, and the other is asked after it) or second (the other has just
passed); the stage (1 and 2 for those rolls, 3 for all later ones); the difference, own
points less the other's; and the banks with which it banks, as ranges ("45-52 60-" has
no end).

With --against it computes the best response to a bot on all other seats instead, of the
seat --seat, for any number of --players: value is what that seat gets. The bots must act
alike, so that they always have the same points: threshold(N) and rolls(K) do, for two
players every bot. The result then also has "against" and "seat". --simulate N plays N games of
the response through the engine, as a check, and adds "played" and the half width of its
95 % interval, "played_within"; its tables take more memory.`,
		Example: `  croupier solve bank
  croupier solve bank --set rules.repoll=false --json
  croupier solve bank --set rules.repoll=false --out bank.csv
  croupier solve bank --players 3 --against "threshold(100)"`,
		Args: cobra.NoArgs,
	}
	o.add(cmd, "the plans")
	o.addRules(cmd)
	f := cmd.Flags()
	f.IntVar(&o.size, "size", o.size, fmt.Sprintf("largest difference and bank in the tables, %d to %d, with --against to %d", bank.MinSize, bank.MaxSize, bank.MaxResponseSize))
	f.IntVar(&o.players, "players", 2, "number of players")
	f.StringVar(&o.against, "against", "", `bot on all other seats, like "threshold(100)", or random`)
	f.IntVar(&o.seat, "seat", 0, "with --against: the seat that answers")
	f.IntVar(&o.games, "simulate", 0, "with --against: games to play through the engine as a check")
	f.Uint64Var(&o.seed, "seed", 1, "with --simulate: seed of the games")
	cmd.RunE = action(func(cmd *cobra.Command, _ []string) error {
		if err := o.check(); err != nil {
			return err
		}
		if cmd.Flags().Changed("players") {
			o.Set = append(o.Set, fmt.Sprintf("rules.players=%d", o.players))
		}
		g, err := o.game("bank", "rules.players=2")
		if err != nil {
			return err
		}
		return solveBank(cmd, &o, g)
	})
	return cmd
}

// check refuses flags that do not fit.
func (o *solveBankOptions) check() error {
	most := bank.MaxSize
	if o.against != "" {
		most = bank.MaxResponseSize
	}
	switch {
	case o.size < bank.MinSize || o.size > most:
		return usage("--size %d: it must be in %d..%d", o.size, bank.MinSize, most)
	case o.against != "" && o.out != "":
		return usage("--out: plans are written of the optimum, not of a response")
	case o.against == "" && (o.seat != 0 || o.games != 0):
		return usage("--seat and --simulate need --against")
	case o.games < 0:
		return usage("--simulate %d: it must not be negative", o.games)
	}
	return o.checkOut()
}

// bankSolution is what solve bank prints.
type bankSolution struct {
	Players    int     `json:"players"`
	Rounds     int     `json:"rounds"`
	Repoll     bool    `json:"repoll"`
	Value      float64 `json:"value"`
	ErrorBound float64 `json:"error_bound"`
	// Of a response:
	Against      string   `json:"against,omitempty"`
	Seat         *int     `json:"seat,omitempty"`
	Played       *float64 `json:"played,omitempty"`
	PlayedWithin *float64 `json:"played_within,omitempty"`
}

func solveBank(cmd *cobra.Command, o *solveBankOptions, g engine.Game) error {
	begin := time.Now()
	rules := g.Rules().(game.Rules)
	result := bankSolution{Players: rules.Players, Rounds: rules.Rounds, Repoll: rules.Repoll}
	optimum, err := result.solve(cmd, o, g)
	if errors.Is(err, context.Canceled) {
		return errors.New("stopped before the answer was found")
	}
	if err != nil {
		return err
	}
	if err := o.writePlans(optimum); err != nil {
		return err
	}
	return writeOutput("-", cmd.OutOrStdout(), func(w io.Writer) error {
		if o.json {
			return printJSON(w, result)
		}
		return result.print(w, optimum, time.Since(begin))
	})
}

// solve computes the value; the optimum is nil if it is that of a response.
func (s *bankSolution) solve(cmd *cobra.Command, o *solveBankOptions, g engine.Game) (*bank.Optimum, error) {
	say, end := o.report(cmd)
	defer end()
	progress := func(done, total int) { say("bank: %d of %d rounds", done, total) }
	if o.against == "" {
		optimum, err := bank.Solve(cmd.Context(), g, o.size, progress)
		if err == nil {
			s.Value, s.ErrorBound = optimum.Value()
		}
		return optimum, err
	}
	s.Against, s.Seat = o.against, &o.seat
	response, err := bank.Respond(cmd.Context(), g, o.seat, o.against, o.size, o.games > 0, progress)
	if err != nil {
		return nil, err
	}
	s.Value, s.ErrorBound = response.Value()
	if o.games == 0 {
		return nil, nil
	}
	mean, half, err := response.Simulate(cmd.Context(), o.games, o.seed)
	s.Played, s.PlayedWithin = &mean, &half
	return nil, err
}

// print writes the result for people, of the optimum with what a lead is worth.
func (s *bankSolution) print(w io.Writer, o *bank.Optimum, took time.Duration) error {
	repoll := "with repoll"
	if !s.Repoll {
		repoll = "without repoll"
	}
	fmt.Fprintf(w, "bank for %d, %d rounds %s, in %.1f s\n", s.Players, s.Rounds, repoll, took.Seconds())
	if o == nil {
		_, err := fmt.Fprintf(w, "best response of seat %d to %s: value %.4f ± %.2g, it wins %.4f of games\n",
			*s.Seat, s.Against, s.Value, s.ErrorBound, (1+s.Value)/2)
		if s.Played != nil && err == nil {
			_, err = fmt.Fprintf(w, "played           %.4f ± %.2g\n", *s.Played, *s.PlayedWithin)
		}
		return err
	}
	fmt.Fprintf(w, "value of seat 0  %.6f ± %.2g (it wins %.4f of games)\n\n", s.Value, s.ErrorBound, (1+s.Value)/2)
	differences := []int{1, 10, 25, 50, 100, 200}
	fmt.Fprint(w, "Share of wins of seat 0 when it leads by\nrounds left")
	for _, d := range differences {
		fmt.Fprintf(w, "%16d", d)
	}
	fmt.Fprintln(w)
	for left := 1; left <= s.Rounds; left++ {
		fmt.Fprintf(w, "%11d", left)
		for _, d := range differences {
			low, high := o.Bounds(s.Rounds-left, d)
			fmt.Fprintf(w, "   %.4f ± %.4f", (2+low+high)/4, (high-low)/4)
		}
		if _, err := fmt.Fprintln(w); err != nil {
			return err
		}
	}
	return nil
}

// writePlans writes the tables of --out.
func (o *solveBankOptions) writePlans(optimum *bank.Optimum) error {
	header := []string{"seat", "round", "role", "stage", "difference", "banks"}
	return writeList(&o.solveFlags, optimum.Plans, header, func(r bank.Row) []string {
		ranges := make([]string, len(r.Banks))
		for i, b := range r.Banks {
			ranges[i] = b.String()
		}
		return []string{strconv.Itoa(r.Seat), strconv.Itoa(r.Round), r.Role, strconv.Itoa(r.Stage), strconv.Itoa(r.Difference), strings.Join(ranges, " ")}
	})
}
