package cli

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A command that has another name now says so in one sentence, and what it names is there.
func TestFormerNamesOfCommands(t *testing.T) {
	root := newRootCommand(installed)
	for _, c := range formerNames {
		says := fmt.Sprintf("croupier: croupier %s is croupier %s now\n", c.former, c.now)
		for _, args := range [][]string{{c.former}, {c.former, "--run", "x"}, {"help", c.former}, {c.former, "--help"}} {
			require.Equal(t, says, refused(t, 2, args...), "%v", args)
		}
		require.NotContains(t, commandNames(root), c.former)
		found, rest, err := root.Find(strings.Fields(c.now))
		require.NoError(t, err)
		for _, flag := range rest {
			require.NotNil(t, found.Flags().Lookup(strings.TrimPrefix(flag, "--")), c.now)
		}
		require.Equal(t, c.now, strings.Join(append([]string{pathOf(found)}, rest...), " "))
	}
}

// There are few commands, in few groups, so that people find the one that they need.
func TestCommandsAreFew(t *testing.T) {
	root := newRootCommand(installed)
	var titles []string
	for _, group := range root.Groups() {
		titles = append(titles, group.Title)
	}
	require.Equal(t, []string{"Start:", "Evaluate:", "Play and ask:", "Data:", "Operate:"}, titles)
	for _, c := range root.Commands() {
		require.NotEmpty(t, c.GroupID, c.Name())
	}
	require.Less(t, len(root.Commands()), 29, "help and completion among them")
}
