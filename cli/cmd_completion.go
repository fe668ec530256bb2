package cli

import (
	"io"

	"github.com/spf13/cobra"

	"croupier/internal/suggest"
)

// shells are the shells that have completions, and completionOf writes the script of one.
var shells = []string{"bash", "fish", "powershell", "zsh"}

func completionOf(root *cobra.Command, shell string, described bool, w io.Writer) error {
	switch {
	case shell == "bash":
		return root.GenBashCompletionV2(w, described)
	case shell == "fish":
		return root.GenFishCompletion(w, described)
	case shell == "zsh" && described:
		return root.GenZshCompletion(w)
	case shell == "zsh":
		return root.GenZshCompletionNoDesc(w)
	case described:
		return root.GenPowerShellCompletionWithDesc(w)
	}
	return root.GenPowerShellCompletion(w)
}

func newCompletionCommand() *cobra.Command {
	var plain bool
	cmd := &cobra.Command{
		Use:   "completion SHELL",
		Short: "Print the completion script of a shell",
		Long: `Completion prints the script for bash, fish, powershell or zsh. It takes effect where the shell
reads it: in a running bash with "source <(croupier completion bash)", for each new one with that
line in ~/.bashrc. Fish reads ~/.config/fish/completions/croupier.fish, and zsh a file _croupier
in a folder of its fpath. In PowerShell, pipe the script into Out-String and Invoke-Expression.`,
		Example: `  croupier completion bash
  croupier completion zsh`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: listed(func() []string { return shells }),
	}
	cmd.Flags().BoolVar(&plain, "no-descriptions", false, "complete names without a description of each")
	cmd.RunE = action(func(cmd *cobra.Command, args []string) error {
		for _, shell := range shells {
			if shell == args[0] {
				return completionOf(cmd.Root(), shell, !plain, cmd.OutOrStdout())
			}
		}
		return usage("unknown shell %q%s; there are bash, fish, powershell and zsh", args[0], suggest.Hint(args[0], shells))
	})
	return cmd
}
