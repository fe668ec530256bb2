package cli

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"croupier/agents/external"
	"croupier/engine"
	"croupier/settings"
)

// arenaCheckOptions are the flags of croupier arena check.
type arenaCheckOptions struct {
	game  string
	rules string
	games int
	seed  uint64
	json  bool
}

func newArenaCheckCommand(p program) *cobra.Command {
	var o arenaCheckOptions
	cmd := &cobra.Command{
		Use:   "check AGENT",
		Short: "Check that your own program or server follows the protocol",
		Long: `Check plays games of an agent, exec:COMMAND or http://HOST/PATH, in every seat against
random players, and reports whether it follows the protocol of "croupier help guide/add-an-agent":
whether it answers in time and legally, plays the same with the same seeds, keeps several
games apart, ends when asked to, and sends nothing unasked. If anything is wrong the
exit status is 1.

exec(log=FILE):COMMAND writes all messages into a file. Further options in the
parentheses, separated by commas: time=5s for each decision, memory=1GiB for each process,
copies=1, processes or connections used at the same time.`,
		Example: `  croupier arena check "exec:python3 tests/peers/agent.py" --game leduc
  croupier arena check "http(time=1s):http://127.0.0.1:8000/agent" --game bank --games 3`,
		Args: cobra.ExactArgs(1),
	}
	f := cmd.Flags()
	f.StringVar(&o.game, "game", "", "the game")
	f.StringVar(&o.rules, "rules", "", "YAML or JSON file with the game's rules (default: the game's)")
	f.IntVar(&o.games, "games", 20, "games in each seat")
	f.Uint64Var(&o.seed, "seed", 1, "seed of the games")
	f.BoolVar(&o.json, "json", false, "print the findings as JSON")
	must(cmd.MarkFlagRequired("game"))
	cmd.RunE = action(func(cmd *cobra.Command, args []string) error {
		if o.games < 1 {
			return usage("--games must be at least 1")
		}
		if !external.Is(args[0]) {
			return usage("%s: only exec:COMMAND and http://HOST/PATH are checked", args[0])
		}
		if _, err := external.Parse(args[0]); err != nil {
			return usage("%s: %w", args[0], err)
		}
		game, err := settings.GameUnder(cmd.Context(), p.catalog, o.game, o.rules)
		if err != nil {
			return usage("%w", err)
		}
		if _, err := engine.Written(game); err != nil {
			return usage("%w", err)
		}
		findings := external.Check(cmd.Context(), game, args[0], o.games, o.seed)
		if o.json {
			err = json.NewEncoder(cmd.OutOrStdout()).Encode(findings)
		} else {
			err = printFindings(cmd.OutOrStdout(), findings)
		}
		if err == nil {
			err = cmd.Context().Err()
		}
		for _, f := range findings {
			if !f.OK && err == nil {
				err = fmt.Errorf("the agent violates the protocol: %s", f.What)
			}
		}
		return err
	})
	return cmd
}

func printFindings(out io.Writer, findings []external.Finding) error {
	for _, f := range findings {
		mark := "ok   "
		if !f.OK {
			mark = "WRONG"
		}
		if _, err := fmt.Fprintf(out, "%s  %s: %s\n", mark, f.What, f.Detail); err != nil {
			return err
		}
	}
	return nil
}
