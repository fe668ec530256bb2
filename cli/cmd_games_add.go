package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	gameprogram "croupier/engine/program"
	"croupier/internal/durable"
)

func newGamesAddCommand(p program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "add FILE",
		Short: "Keep a game from a file, or a program, for all commands",
		Long: `Add keeps a copy of a game's file, which then is known to all commands by the game's name. A
game of that name that was added before is replaced; runs keep the file with which they
began. The copies are in the folder croupier/games of the user's configuration, or in the one
that the environment variable CROUPIER_GAMES names. FILE may also be a program, exec:COMMAND:
then the command is kept, and whether program and files are still the same is checked when
the game is used.`,
		Example: `  croupier games add ./connect-four.wasm
  croupier games add "exec:python3 cliff.py"`,
		Args: cobra.ExactArgs(1),
	}
	cmd.RunE = action(func(cmd *cobra.Command, args []string) error {
		game, err := p.openSource(args[0])
		if err != nil {
			return err
		}
		folder := gamesFolder()
		if folder == "" {
			return errors.New("there is no folder for added games: set " + gamesVariable)
		}
		var draft durable.Draft
		if err := draft.MkdirAll(folder, 0o777); err != nil {
			draft.Undo()
			return err
		}
		kept, other, content := addedFile(folder, game.Name), addedProgram(folder, game.Name), game.Source.Bytes()
		if started, ok := game.Source.(*gameprogram.Program); ok {
			kept, other = other, kept
			if content, err = started.Keep(); err != nil {
				return err
			}
		}
		if err := draft.WriteFile(kept, content); err != nil {
			draft.Undo()
			return err
		}
		if err := os.Remove(other); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s is added.\n", game.Name)
		return err
	})
	return cmd
}

func newGamesRemoveCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "remove NAME",
		Short:   "Remove a game that was added",
		Long:    `Remove deletes the copy of a game's file that croupier games add has made.`,
		Example: `  croupier games remove connect-four`,
		Args:    cobra.ExactArgs(1),
	}
	cmd.RunE = action(func(cmd *cobra.Command, args []string) error {
		name, folder := args[0], gamesFolder()
		err := fs.ErrNotExist
		if folder != "" && !strings.ContainsAny(name, `/\`) {
			if err = os.Remove(addedFile(folder, name)); errors.Is(err, fs.ErrNotExist) {
				err = os.Remove(addedProgram(folder, name))
			}
		}
		if errors.Is(err, fs.ErrNotExist) {
			return usage("no game %q was added", name)
		}
		if err == nil {
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s is removed.\n", name)
		}
		return err
	})
	return cmd
}

// addedFile is where the file of an added game is.
func addedFile(folder, name string) string { return filepath.Join(folder, name+gameFile) }

// addedProgram is where the command of an added game is.
func addedProgram(folder, name string) string { return filepath.Join(folder, name+keptProgram) }
