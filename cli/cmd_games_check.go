package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"croupier/catalog"
	"croupier/engine"
	"croupier/engine/conformance"
	"croupier/engine/described"
	"croupier/internal/plural"
	"croupier/internal/texttable"
	"croupier/settings"
	"croupier/solver"
)

func newGamesCheckCommand(p program) *cobra.Command {
	var (
		changes settings.Changes
		asJSON  bool
	)
	cmd := &cobra.Command{
		Use:   "check GAME",
		Short: "Check that a game follows the contract of games",
		Long: `Check plays a game at random, from fixed seeds, and looks for faults: whatever training,
play and exact answers rely on. Among others it permutes what is hidden from a seat, after
which the seat must observe the same. Of each fault it shows the shortest history that it
finds. Then come the speed of random play on one core, and what the game leaves out and
what follows from that. The exit status is 1 if there is a fault.

GAME is a name or the path of a file ("croupier help guide/own-games"). --rules and --set check it
under other rules. With --json the result is
  {"game": "NAME", "checks": [{"name": "ends", "promise": "...", "result": "kept",
   "fault": "...", "history": [0], "steps": ["..."]}], "decisions_per_second": 0,
   "observed_decisions_per_second": 0, "left_out": [{"name": "bots", "effect": "..."}]}
where result is kept, broken or "nothing to check".`,
		Example: `  croupier games check kuhn
  croupier games check ./connect-four.wasm
  croupier games check bank --set rules.players=2 --json`,
		Args: cobra.ExactArgs(1),
	}
	addRules(cmd, &changes)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the result as JSON")
	cmd.RunE = action(func(cmd *cobra.Command, args []string) error {
		game, err := p.gameUnder(cmd.Context(), args[0], changes)
		if err != nil {
			return err
		}
		result, err := checkGame(cmd.Context(), args[0], game, p.catalog)
		if err != nil {
			return err
		}
		err = writeOutput("-", cmd.OutOrStdout(), func(w io.Writer) error {
			if asJSON {
				return printJSON(w, result)
			}
			return result.render(w)
		})
		if n := result.faults(); err == nil && n > 0 {
			err = fmt.Errorf("%s has %s", result.Game, plural.Of(n, "fault"))
		}
		return err
	})
	return cmd
}

// addRules adds the flags of a command that takes a game under other rules.
func addRules(cmd *cobra.Command, changes *settings.Changes) {
	f := cmd.Flags()
	f.StringVar(&changes.Rules, "rules", "", "YAML or JSON file with the game's rules")
	f.StringArrayVar(&changes.Set, "set", nil, "a rule, as in rules.NAME=VALUE; may be repeated")
}

// gameUnder returns the game under changed rules.
func (p program) gameUnder(ctx context.Context, name string, changes settings.Changes) (engine.Game, error) {
	for _, s := range changes.Set {
		if !strings.HasPrefix(s, "rules.") {
			return nil, usage("--set %s: only rules can be set here, as in rules.NAME=VALUE", s)
		}
	}
	c, err := p.configured(ctx, name, changes)
	if err != nil {
		return nil, err
	}
	game, err := c.NewGame()
	if err != nil {
		return nil, usage("%w", err)
	}
	return game, nil
}

// checkedGame is the result of croupier games check.
type checkedGame struct {
	Game     string    `json:"game"`
	Checks   []checked `json:"checks"`
	Plain    float64   `json:"decisions_per_second"`
	Observed float64   `json:"observed_decisions_per_second"`
	LeftOut  []leftOut `json:"left_out"`
}

type checked struct {
	Name    string   `json:"name"`
	Promise string   `json:"promise"`
	Result  string   `json:"result"`
	Fault   string   `json:"fault,omitempty"`
	History []int    `json:"history,omitempty"` // the shortest that shows the fault
	Steps   []string `json:"steps,omitempty"`   // their names
	Skipped string   `json:"why,omitempty"`
}

// The results of a check.
const (
	kept    = "kept"
	broken  = "broken"
	nothing = "nothing to check"
)

// leftOut is what a game does not have, and what follows from that.
type leftOut struct {
	Name   string `json:"name"`
	Effect string `json:"effect"`
}

func checkGame(
	ctx context.Context, name string, game engine.Game, games *catalog.Catalog,
) (result *checkedGame, err error) {
	defer engine.Recover(&err)
	newGame := func(rules []byte) (engine.Game, error) { return games.New(name, rules) }
	rules, err := json.Marshal(game.Rules())
	must(err) // rules are marshalled wherever a game is named
	result = &checkedGame{Game: name}
	for _, check := range conformance.Checks {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if game, err = newGame(rules); err != nil { // again, since a game from a file ends with its first fault
			return nil, err
		}
		result.Checks = append(result.Checks, checkedFor(check, game, newGame))
	}
	result.LeftOut = leftOutOf(game)
	if result.faults() == 0 {
		result.Plain, err = speed(game, false)
		if err == nil {
			result.Observed, err = speed(game, true)
		}
	}
	return result, err
}

func checkedFor(check conformance.Check, game engine.Game, newGame conformance.New) checked {
	c := checked{Name: check.Name, Promise: check.Promise, Result: kept}
	fault, skipped := check.Of(game, newGame)
	switch {
	case fault != nil:
		c.Result, c.Fault, c.History = broken, fault.What, fault.History
		c.Steps = stepNames(game, fault.History)
	case skipped != "":
		c.Result, c.Skipped = nothing, skipped
	}
	return c
}

// stepNames names the steps of a history as far as the game makes them.
func stepNames(game engine.Game, steps []int) (names []string) {
	s := game.NewState()
	for _, step := range steps {
		name := s.ActionName
		if s.Player() == engine.Chance {
			name = s.OutcomeName
		}
		names = append(names, name(step))
		if s.Apply(step) != nil {
			break
		}
	}
	return names
}

// measuredFor is how long the speed is measured.
const measuredFor = 300 * time.Millisecond

// speed returns how many decisions of random play are made in a second.
func speed(game engine.Game, observed bool) (float64, error) {
	var observation []float32
	if observed {
		observation = make([]float32, game.Spec().ObservationSize)
	}
	s, rng, legal := game.NewState(), engine.NewRNG(1, engine.ChanceStream), make([]int, 0, game.Spec().Actions)
	begin, decisions := time.Now(), 0
	for time.Since(begin) < measuredFor {
		n, err := engine.Playouts(s, 1, rng, legal, observation)
		if err != nil {
			return 0, err
		}
		decisions += n
	}
	return float64(decisions) / time.Since(begin).Seconds(), nil
}

// leftOutOf lists what a game does not have.
func leftOutOf(game engine.Game) (list []leftOut) {
	spec, s := game.Spec(), game.NewState()
	leave := func(has bool, name, effect string) {
		if !has {
			list = append(list, leftOut{name, effect})
		}
	}
	_, positioned := game.(engine.Positioned)
	leave(positioned, "written positions", "advise, serve and the page Advice are asked by a history; agents of other people refuse the game")
	_, viewed := game.(engine.Viewed)
	leave(viewed, "view", "people play from a plain board: what their seat observes, and a button for each action")
	leave(len(game.Bots().Table) > 0, "bots", "on the ladder are random play, exact answers and versions")
	leave(len(spec.Figures) > 0, "figures", "there are no numbers of the game next to its results")
	_, redeals := s.(engine.Redealer)
	leave(spec.PerfectInformation || redeals, "hidden steps drawn again", "no search, and advice only from agents that "+
		"value actions themselves")
	leave(spec.Rules != nil, "rules", "there is one way to play it")
	_, err := solver.NewMeasure(game, smallGame, false)
	switch {
	case errors.Is(err, solver.ErrNodes):
		err = fmt.Errorf("it has more than %d nodes", smallGame)
	case errors.Is(err, solver.ErrSeats), errors.Is(err, solver.ErrDepth):
		err = errors.New(strings.TrimPrefix(err.Error(), spec.Name+": "))
	}
	if fault := new(described.Fault); err != nil && !errors.As(err, &fault) {
		leave(false, "exact answers", fmt.Sprintf("no curve of exploitability: %v", err))
	}
	return list
}

// smallGame is the usual limit of nodes of a game whose versions are measured exactly.
const smallGame = 100_000

func (r *checkedGame) faults() (n int) {
	for _, c := range r.Checks {
		if c.Result == broken {
			n++
		}
	}
	return n
}

// lineWidth is how wide the lines for people are.
const lineWidth = 100

func (r *checkedGame) render(w io.Writer) error {
	var b strings.Builder
	for _, c := range r.Checks {
		result := c.Result
		if c.Skipped != "" {
			result += ": " + c.Skipped
		}
		fmt.Fprintf(&b, "%-18s  %s\n", c.Name, result)
		if c.Result != broken {
			continue
		}
		about := "Promised: " + c.Promise + "\nFound: " + c.Fault + "."
		if c.History != nil {
			about += fmt.Sprintf("\nShortest history: %v", c.History)
			if len(c.Steps) > 0 {
				about += " (" + strings.Join(c.Steps, ", ") + ")"
			}
		}
		for line := range strings.Lines(texttable.Wrap(about, lineWidth-4)) {
			b.WriteString("    " + strings.TrimRight(line, " \n") + "\n")
		}
	}
	if r.faults() == 0 {
		fmt.Fprintf(&b, "\nRandom play on one core: %.0f decisions a second, %.0f with observation\n", r.Plain, r.Observed)
	}
	if len(r.LeftOut) > 0 {
		b.WriteString("\nLeft out:\n")
	}
	for _, l := range r.LeftOut {
		fmt.Fprintf(&b, "  %s: %s\n", l.Name, l.Effect)
	}
	if r.faults() == 0 {
		fmt.Fprintf(&b, "\n%s has no fault.\n", r.Game)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
