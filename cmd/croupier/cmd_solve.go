package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"croupier/engine/games"
	"croupier/engine/history"
	"croupier/engine/tysiac"
	"croupier/engine/tysiac/cards"
	"croupier/engine/tysiac/doubledummy"
)

func newSolveCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "solve GAME",
		Short: "Answer questions about a game exactly",
		Long: `Solve has a command of its own for each game of which it knows exact answers: optimal
play, equilibria, best responses, and what every choice is worth. Most of the answers are
agents as well, like solver:optimal in arena and advise.`,
		Example: `  croupier solve bank
  croupier solve leduc --out leduc.csv
  croupier solve tysiac --double-dummy positions.jsonl --json`,
		Args: cobra.NoArgs,
	}
	cmd.AddCommand(newSolvePokerCommand("kuhn"), newSolvePokerCommand("leduc"), newSolvePigCommand(), newSolveBankCommand(),
		newSolveLangeStrasseCommand(), newSolveBanluckCommand(), newSolveTysiacCommand())
	cmd.RunE = func(*cobra.Command, []string) error {
		return usage("solve needs the name of a game; there are %s", strings.Join(commandNames(cmd), ", "))
	}
	return cmd
}

// commandNames lists the subcommands.
func commandNames(cmd *cobra.Command) (names []string) {
	for _, c := range cmd.Commands() {
		names = append(names, c.Name())
	}
	return names
}

// solveTysiacOptions are the flags of croupier solve tysiac.
type solveTysiacOptions struct {
	doubleDummy string
	json        bool
}

func newSolveTysiacCommand() *cobra.Command {
	var o solveTysiacOptions
	cmd := &cobra.Command{
		Use:   "tysiac",
		Short: "Solve the play of Tysiąc hands with open cards",
		Long: `Solve tysiac reads histories of tysiac or tysiac-hand that stop in the play of a hand,
one JSON object a line, from a file or ("-") standard input, and answers each with one
line: the card and meld points still to come to the side that leads the trick, less those
of the other side, under perfect play with open cards; the same for each legal action of
the side to move; how many positions were searched, and how long it took.

All values are those of the side that leads the trick, also where the other side is to
reply: that side plays for the lowest value. A meld declared with an action counts as
still to come, one declared earlier does not. Rules may be partial, as in any history.

With --json an answer is
  {"leader_difference": 0, "actions": [{"action": 0, "value": 0}], "nodes": 0, "ms": 0.0}

The first thing that is wrong ends it: the error names the line (from 1) and the step
(from 0), and the exit status is 1.`,
		Example: `  croupier solve tysiac --double-dummy positions.jsonl
  croupier solve tysiac --double-dummy - --json < positions.jsonl`,
		Args: cobra.NoArgs,
	}
	f := cmd.Flags()
	f.StringVar(&o.doubleDummy, "double-dummy", "", `file of histories that stop in the play, "-" for standard input`)
	f.BoolVar(&o.json, "json", false, "answer with JSON, one object a line")
	cmd.RunE = action(func(cmd *cobra.Command, _ []string) error {
		if o.doubleDummy == "" {
			return usage("--double-dummy FILE says what to solve")
		}
		return solveTysiac(cmd.Context(), &o, cmd.InOrStdin(), cmd.OutOrStdout())
	})
	return cmd
}

func solveTysiac(ctx context.Context, o *solveTysiacOptions, stdin io.Reader, stdout io.Writer) error {
	in, path := stdin, "standard input"
	if o.doubleDummy != "-" {
		f, err := os.Open(o.doubleDummy)
		if err != nil {
			return err
		}
		defer f.Close()
		in, path = f, o.doubleDummy
	}
	return writeOutput("-", stdout, func(w io.Writer) error {
		if err := solvePositions(ctx, in, w, o.json); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		return nil
	})
}

// openSolution is the answer to one position.
type openSolution struct {
	LeaderDifference int           `json:"leader_difference"`
	Actions          []actionValue `json:"actions"`
	Nodes            uint64        `json:"nodes"`
	Milliseconds     float64       `json:"ms"`
}

type actionValue struct {
	Action int `json:"action"`
	Value  int `json:"value"`
}

// solvePositions answers every history of the file.
func solvePositions(ctx context.Context, in io.Reader, w io.Writer, asJSON bool) error {
	var (
		reader = history.NewReader(in)
		solver = doubledummy.New()
		rec    history.Record
	)
	for ctx.Err() == nil {
		err := reader.Read(&rec)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		s, err := inPlay(&rec)
		if err != nil {
			var at *history.Error
			if !errors.As(err, &at) {
				at = &history.Error{Step: -1, Err: err}
			}
			return &history.Error{Line: reader.Line(), Step: at.Step, Err: at.Err}
		}
		answer := solveOpen(solver, s)
		if asJSON {
			err = json.NewEncoder(w).Encode(answer)
		} else {
			err = answer.print(w, s)
		}
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// inPlay replays a history that must stop where a card is to be played.
func inPlay(rec *history.Record) (*tysiac.State, error) {
	game, err := games.New(rec.Game, rec.Rules)
	if err != nil {
		return nil, err
	}
	s, ok := game.NewState().(*tysiac.State)
	if !ok {
		return nil, fmt.Errorf("the game is %s, not tysiac or tysiac-hand", rec.Game)
	}
	for i, step := range rec.History {
		if err := s.Apply(step); err != nil {
			return nil, &history.Error{Step: i, Err: err}
		}
	}
	if _, ok := s.OpenPosition(); !ok {
		return nil, &history.Error{Step: len(rec.History), Err: errors.New("the history does not stop in the play of a hand")}
	}
	return s, nil
}

// solveOpen solves a position in play. What was solved before does not change its nodes.
func solveOpen(solver *doubledummy.Solver, s *tysiac.State) openSolution {
	p, _ := s.OpenPosition()
	solver.Reset()
	begin := time.Now()
	moves := solver.Moves(&p, nil)
	answer := openSolution{
		Nodes:        solver.Nodes,
		Milliseconds: float64(time.Since(begin)) / float64(time.Millisecond),
	}
	better := func(a, b int) int { return max(a, b) }
	if p.Led != cards.NoCard {
		better = func(a, b int) int { return min(a, b) }
	}
	answer.LeaderDifference = moves[0].Value
	for _, m := range moves {
		answer.LeaderDifference = better(answer.LeaderDifference, m.Value)
		answer.Actions = append(answer.Actions, actionValue{tysiac.MoveAction(m.Move), m.Value})
	}
	return answer
}

// print writes the answer for people.
func (a *openSolution) print(w io.Writer, s *tysiac.State) error {
	if _, err := fmt.Fprintf(w, "%+d for the side that leads (%d nodes, %.1f ms):", a.LeaderDifference, a.Nodes, a.Milliseconds); err != nil {
		return err
	}
	for i, v := range a.Actions {
		separator := ","
		if i == 0 {
			separator = ""
		}
		if _, err := fmt.Fprintf(w, "%s %s %+d", separator, s.ActionName(v.Action), v.Value); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(w)
	return err
}
