package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"croupier/engine/wasm/kits"
	"croupier/internal/durable"
)

// newGameName is what a game from a file may be called.
var newGameName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,39}$`)

func newGamesNewCommand(p program) *cobra.Command {
	var lang string
	cmd := &cobra.Command{
		Use:   "new NAME",
		Short: "Begin a game of your own in C, Go or Rust",
		Long: `New makes a folder of that name with a game that works, the kit that it needs and a page
that says how it is built. The game is tic-tac-toe until you change it. What is there
already is not overwritten. "croupier help guide/own-games" explains what a game consists of.`,
		Example: `  croupier games new my-game
  croupier games new my-game --lang go`,
		Args: cobra.ExactArgs(1),
	}
	cmd.Flags().StringVar(&lang, "lang", "c", "language: "+strings.Join(kits.Names(), " or "))
	cmd.RunE = action(func(cmd *cobra.Command, args []string) error {
		name := args[0]
		language, found := kits.Find(lang)
		switch {
		case !found:
			return usage("--lang %s: it must be one of %s", lang, strings.Join(kits.Names(), ", "))
		case !newGameName.MatchString(name):
			return usage("invalid name of a game %q: it must look like connect-four", name)
		}
		if game, err := p.catalog.Find(name); err == nil && game.Source == nil {
			return usage("the game %s comes with the program: yours needs another name", name)
		}
		files := language.New(name)
		for _, f := range files {
			path := filepath.Join(name, filepath.FromSlash(f.Name))
			if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("%s exists already and is not overwritten", path)
			}
		}
		var draft durable.Draft
		for _, f := range files {
			path := filepath.Join(name, filepath.FromSlash(f.Name))
			err := draft.MkdirAll(filepath.Dir(path), 0o777)
			if err == nil {
				err = draft.WriteFile(path, []byte(f.Text))
			}
			if err != nil {
				draft.Undo()
				return err
			}
		}
		_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s is begun. Build and check it:\n  cd %s\n  %s\n"+
			"  croupier games check ./%s.wasm\n", name, name, language.Build(name), name)
		return err
	})
	return cmd
}
