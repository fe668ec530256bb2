package cli

import (
	"cmp"
	"slices"
	"strings"
	"text/template"

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

// flagGroup is a list of flags with a title above it.
type flagGroup struct {
	title string
	flags *pflag.FlagSet
}

// flagList returns the flags of a command as its help lists them.
func flagList(cmd *cobra.Command) string {
	var list []string
	for _, g := range flagGroups(cmd) {
		list = append(list, g.title+":\n"+strings.TrimRight(g.flags.FlagUsagesWrapped(helpWidth), "\n"))
	}
	return strings.Join(list, "\n\n")
}

// flagGroups returns the flags of a command: in groups, if there are many.
func flagGroups(cmd *cobra.Command) (list []flagGroup) {
	var (
		titles []string
		groups = map[string]*pflag.FlagSet{}
		n      int
	)
	cmd.LocalFlags().VisitAll(func(*pflag.Flag) { n++ })
	cmd.LocalFlags().SortFlags = true
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		title := groupTitle(f)
		if n <= manyFlags {
			title = allFlags
		}
		if groups[title] == nil {
			groups[title] = pflag.NewFlagSet(title, pflag.ContinueOnError)
			titles = append(titles, title)
		}
		groups[title].AddFlag(f)
	})
	slices.SortStableFunc(titles, func(a, b string) int { return slices.Index(order, a) - slices.Index(order, b) })
	for _, title := range titles {
		list = append(list, flagGroup{title, groups[title]})
	}
	return list
}

// Groups of flags, in the order of the help.
const (
	lengthFlags  = "Length"
	runFlags     = "Run"
	settingFlags = "Settings"
	pageGroup    = "Page"
	networkFlags = "Broker and other machines"
	outputFlags  = "Output"
	otherFlags   = "Other flags"
	allFlags     = "Flags"
)

// Groups that one command has alone come first.
var order = []string{lengthFlags, runFlags, settingFlags, pageGroup, networkFlags, outputFlags, otherFlags}

// usualGroups are the groups of flags that mean the same wherever they are, for those that a command has put into none.
var usualGroups = map[string]string{
	"run": runFlags, "runs": runFlags, "resume": runFlags, "actors": runFlags, "workers": runFlags, "from": runFlags,
	"game": settingFlags, "rules": settingFlags, "set": settingFlags, "seed": settingFlags,
	"metrics": networkFlags, "metrics-host": networkFlags,
	"out": outputFlags, "force": outputFlags, "json": outputFlags, "csv": outputFlags, "svg": outputFlags,
	"figures": outputFlags, "progress": outputFlags, "quiet": outputFlags, "tensorboard": outputFlags,
}

// groupTitle returns the title above a flag in a list in groups.
func groupTitle(f *pflag.Flag) string {
	if t := f.Annotations[groupOf]; len(t) > 0 {
		return t[0]
	}
	return cmp.Or(usualGroups[f.Name], otherFlags)
}

// The help of a command begins with examples. Otherwise it is as cobra has it, but for the groups of
// flags and its width.
const (
	helpTemplate = `{{with .Example}}Examples:
{{foldExamples .}}

{{end}}{{with or .Long .Short}}{{foldHelp .}}

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

func init() {
	cobra.AddTemplateFuncs(template.FuncMap{"flagList": flagList, "foldHelp": foldHelp, "foldExamples": foldExamples})
}
