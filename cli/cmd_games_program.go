package cli

import (
	"github.com/spf13/cobra"

	gameprogram "croupier/engine/program"
	"croupier/internal/input"
	"croupier/settings"
)

func newGamesProgramCommand(p program) *cobra.Command {
	var changes settings.Changes
	cmd := &cobra.Command{
		Use:   "program GAME",
		Short: "Answer another program's questions about a game, as JSON",
		Long: `Program answers questions about a game: each line of standard input is a JSON object, and so
is each line of its answers: what can be done, what follows, what each seat may know, the
results. It is the protocol of games that are programs, from the other side, so that
environments for other languages are a few lines; a state is the list of the steps so far.
The Python package of the source uses it ("croupier help guide/python").

GAME is a name or the path of a file. The rules are those of --rules and --set.`,
		Example: `  echo '{"type": "game", "id": 1, "version": 1}' | croupier games program kuhn
  croupier games program bank --set rules.players=2 < questions.jsonl`,
		Args: cobra.ExactArgs(1),
	}
	addRules(cmd, &changes)
	cmd.RunE = action(func(cmd *cobra.Command, args []string) error {
		game, err := p.gameUnder(cmd.Context(), args[0], changes)
		if err != nil {
			return err
		}
		in := input.Until(cmd.Context(), cmd.InOrStdin())
		defer in.Close()
		err = gameprogram.Answer(game, in, cmd.OutOrStdout())
		if cmd.Context().Err() != nil {
			return nil // it was asked to end
		}
		return err
	})
	return cmd
}
