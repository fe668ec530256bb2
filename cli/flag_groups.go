package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// groupOf is the annotation of a flag with the title of its group in the help.
const groupOf = "group"

// manyFlags is up to how many flags a command lists them together.
const manyFlags = 15

// group puts flags into a group of the help, all those of a set that are in none yet where none is named.
func group(f *pflag.FlagSet, title string, names ...string) {
	f.VisitAll(func(flag *pflag.Flag) {
		if len(flag.Annotations[groupOf]) > 0 || len(names) > 0 && !slices.Contains(names, flag.Name) {
			return
		}
		must(f.SetAnnotation(flag.Name, groupOf, []string{title}))
	})
}

// flagList returns the flags of a command as its help lists them: in groups, if there are many.
func flagList(cmd *cobra.Command) string {
	var (
		titles []string
		groups = map[string]*pflag.FlagSet{}
		n      int
	)
	cmd.LocalFlags().VisitAll(func(*pflag.Flag) { n++ })
	cmd.LocalFlags().SortFlags = true
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		title := "Other flags"
		if t := f.Annotations[groupOf]; len(t) > 0 {
			title = t[0]
		}
		if n <= manyFlags {
			title = "Flags"
		}
		if groups[title] == nil {
			groups[title] = pflag.NewFlagSet(title, pflag.ContinueOnError)
			titles = append(titles, title)
		}
		groups[title].AddFlag(f)
	})
	slices.SortStableFunc(titles, func(a, b string) int { return slices.Index(order, a) - slices.Index(order, b) })
	var list []string
	for _, title := range titles {
		list = append(list, title+":\n"+strings.TrimRight(groups[title].FlagUsages(), "\n"))
	}
	return strings.Join(list, "\n\n")
}

// Groups of flags, in the order of the help.
const (
	lengthFlags  = "Length"
	runFlags     = "Run"
	settingFlags = "Settings"
	pageGroup    = "Page"
	networkFlags = "Broker and other machines"
	outputFlags  = "Output"
)

var order = []string{lengthFlags, runFlags, settingFlags, pageGroup, networkFlags, outputFlags, "Other flags"}

// The help of a command begins with examples. Otherwise it is as cobra has it, but for the groups of flags.
const (
	helpTemplate = `{{with .Example}}Examples:
{{.}}

{{end}}{{with or .Long .Short}}{{. | trimTrailingWhitespaces}}

{{end}}{{.UsageString}}`

	usageTemplate = `Usage:{{if .Runnable}}
  {{.UseLine}}{{end}}{{if .HasAvailableSubCommands}}
  {{.CommandPath}} [command]{{end}}{{if .HasAvailableSubCommands}}{{$commands := .Commands}}{{$cmd := .}}{{if not .Groups}}

Available Commands:{{range $commands}}{{if .IsAvailableCommand}}
  {{rpad .Name .NamePadding }} {{.Short}}{{end}}{{end}}{{else}}{{range $group := .Groups}}

{{.Title}}{{range $commands}}{{if and (eq .GroupID $group.ID) .IsAvailableCommand}}
  {{rpad .Name .NamePadding }} {{.Short}}{{end}}{{end}}{{end}}{{if not .AllChildCommandsHaveGroup}}

Additional Commands:{{range $commands}}{{if and (eq .GroupID "") .IsAvailableCommand}}
  {{rpad .Name .NamePadding }} {{.Short}}{{end}}{{end}}{{end}}{{end}}{{end}}{{if .HasAvailableLocalFlags}}

{{flagList .}}{{end}}{{if .HasAvailableSubCommands}}

"{{.CommandPath}} COMMAND --help" explains a command.{{end}}
`
)

func init() { cobra.AddTemplateFunc("flagList", flagList) }
