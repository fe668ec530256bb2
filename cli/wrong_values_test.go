package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
)

// programmers finds what only those understand who wrote the program, or the packages it uses.
const programmers = `strconv|ParseInt|ParseUint|ParseFloat|invalid syntax|time: |unmarshal|Unmarshal|looking for beginning|` +
	` json: |\bint64\b|\buint|float64|invalid argument|" flag:`

// wrongValues are values that a flag of a type does not take, by the type.
var wrongValues = map[string][]string{
	"bool":     {"maybe"},
	"duration": {"5", "soon"},
	"float64":  {"much"},
	"int":      {"abc", "3.5", ""},
	"int64":    {"abc"},
	"uint":     {"abc", "-5"},
	"uint64":   {"abc", "-5"},
}

// texts are the types of flags that take every text; what it means is for the command to judge.
var texts = map[string]bool{"string": true, "strings": true, "stringArray": true, "stringSlice": true}

// Every flag of every command answers a wrong value in a sentence for people, and with status 2.
func TestWrongValuesOfFlags(t *testing.T) {
	var check func(*cobra.Command)
	check = func(cmd *cobra.Command) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			kind := f.Value.Type()
			require.True(t, texts[kind] || wrongValues[kind] != nil, "%s --%s: what is wrong for a %s?", cmd.CommandPath(),
				f.Name, kind)
			for _, value := range wrongValues[kind] {
				err := cmd.ParseFlags([]string{"--" + f.Name + "=" + value})
				require.Error(t, err, "%s --%s=%s", cmd.CommandPath(), f.Name, value)
				err = cmd.FlagErrorFunc()(cmd, err)
				require.Equal(t, "--"+f.Name+" "+value+": it must be "+kinds[kind], err.Error(), cmd.CommandPath())
				require.NotRegexp(t, programmers, err.Error(), cmd.CommandPath())
			}
		})
		for _, c := range cmd.Commands() {
			check(c)
		}
	}
	check(newRootCommand(installed))
	require.Contains(t, refused2(t, "train", "bank", "--for", "5"), "--for 5: it must be a time with its unit, like 30s")
	require.Contains(t, refused2(t, "actor", "--metrics-host"), "--metrics-host: its value is missing")
}

// refused2 returns what a wrong call is answered with.
func refused2(t *testing.T, args ...string) string {
	t.Helper()
	status, stdout, stderr := croupier("", args...)
	require.Equal(t, 2, status, "%v: %s", args, stderr)
	require.Empty(t, stdout, args)
	return stderr
}

// Help that is asked for what is no command is a wrong call.
func TestHelpForNoCommand(t *testing.T) {
	for _, args := range [][]string{{"help", "nonsense"}, {"help", "solve", "nonsense"}, {"nonsense", "--help"},
		{"nonsense", "-h"}, {"solve", "nonsense", "--help"}, {"solve", "nonsense"}} {
		require.Contains(t, refused2(t, args...), `unknown command "nonsense"`, args)
	}
	require.Contains(t, refused2(t, "help", "trian"), "(did you mean train?)")
	for _, args := range [][]string{{"help"}, {"--help"}, {"help", "train"}, {"train", "--help"}, {"solve", "--help"},
		{"help", "solve", "pig"},
		{"sweep", "--help"}, {"sweep", "show", "--help"}, {"sweep", "a.yaml", "--help"}, {"web", "--help"},
		{"--help", "train"}} {
		succeed(t, "", args...)
	}
}

// Wrong files and answers are explained without the words of the program's insides.
func TestWrongFilesAreExplained(t *testing.T) {
	dir := t.TempDir()
	model, kuhn, leduc := filepath.Join(dir, "model.onnx"), kuhnPosition(t), filepath.Join(dir, "leduc.json")
	succeed(t, "", "export", "--agent", "trained", "--game", "kuhn", "--format", "onnx", "--out", model)
	require.NoError(t, os.WriteFile(leduc, []byte(succeed(t, "", "advise", "leduc", "--example")), 0o600))
	for _, call := range []struct {
		status int
		want   string
		args   []string
	}{
		{1, "it is not a safetensors file", []string{"arena", "file:" + model, "random", "--game", "kuhn"}},
		{1, "it is not a safetensors file", []string{"simulate", "kuhn", "--policy", "file:" + kuhn}},
		{2, "it is a position of leduc, not of kuhn", []string{"advise", "kuhn", "--position", leduc}},
		{2, "it is a position of leduc, not of bank", []string{"advise", "bank", "--position", leduc}},
		{1, `"welcome"`, // the answer is no JSON object, or was said before it was asked
			[]string{"arena", "exec:echo welcome", "random", "--game", "kuhn"}},
		{2, `unknown agent "hard" of bank; there are beginner, `, []string{"play", "bank", "--against", "hard"}},
	} {
		require.NotRegexp(t, programmers, refused(t, call.status, call.args...))
		require.Contains(t, refused(t, call.status, call.args...), call.want)
	}
}

// So are files of a run that are something else: no command has the words of the packages that read them.
func TestForeignFilesOfARunAreExplained(t *testing.T) {
	dir := trained(t)
	for _, name := range []string{"run.json", "session.json", "ladder.json", "checkpoints/manifest.json", "config.yaml",
		"league.json", "promotions.jsonl", "curves.jsonl", "population/members.jsonl"} {
		path := filepath.Join(dir, name)
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, foreign := range []string{`{"a":`, "[]\n", "\xd6lfleck\n", "a: [\n"} {
			require.NoError(t, os.WriteFile(path, []byte(foreign), 0o600))
			for _, call := range [][]string{{"runs", "verify", dir}, {"ladder", "--run", dir}, {"status", "--run", dir},
				{"curves", dir}} {
				status, stdout, stderr := croupier("", call...)
				require.LessOrEqual(t, status, 1, "%s %q %v: %s", name, foreign, call, stderr)
				require.NotRegexp(t, programmers+`|invalid character|unexpected end|[^.]yaml: |\b[a-z]+\.[A-Z]\w+`, stdout+stderr,
					"%s %q %v", name, foreign, call)
			}
			status, _, _ := croupier("", "runs", "verify", dir)
			require.Equal(t, 1, status, "%s %q", name, foreign)
		}
		require.NoError(t, os.WriteFile(path, text, 0o600))
	}
	succeed(t, "", "runs", "verify", dir)
	file := filepath.Join(t.TempDir(), "evening.tar")
	require.NoError(t, os.WriteFile(file, []byte("x"), 0o600))
	for _, call := range [][]string{{"ladder", "--run", file}, {"status", "--run", file}, {"archive", "list", "--run", file}} {
		require.Contains(t, refused(t, 1, call...), file+" is not a directory", call)
	}
}

// Flags that do not go together, or are missing, are named as they are typed.
func TestFlagsThatDoNotGoTogether(t *testing.T) {
	for want, call := range map[string]string{
		"--best and --version do not go together":   "export --best --version 1 --out x",
		"--agent needs --game":                      "export --agent trained --out x",
		"give --run or --process":                   "status",
		"give --nats and --run":                     "learner",
		"give --out":                                "runs backup x",
		"give --dir, --run or --leaf-of":            "broker",
		"--continue and --names do not go together": "companion --continue x --names A,B",
	} {
		require.Equal(t, "croupier: "+want, lines(refused2(t, strings.Fields(call)...))[0], call)
	}
}

// What other programs call a setting is answered with its name here, which is one.
func TestUsualNamesOfSettings(t *testing.T) {
	for _, call := range []struct{ flag, want string }{
		{"--workers", "--actors"}, {"--num_workers", "--actors"}, {"--batch-size", "--set learner.ppo.minibatch="},
		{"--lr", "--set learner.learning_rate_start="}, {"--epochs", "--set learner.ppo.epochs="},
		{"--gamma", "--set learner.gamma="}, {"--hidden", "--config with a section network"}, {"--episodes", "--games"},
	} {
		require.Contains(t, refused2(t, "train", "bank", call.flag+"=8"), "(did you mean "+call.want, call.flag)
	}
	require.NotContains(t, refused2(t, "simulate", "bank", "--lr", "3"), "--set")
	command, _, err := newRootCommand(installed).Find([]string{"train"})
	require.NoError(t, err)
	for meant := range usualNames {
		if strings.HasPrefix(meant, "--set ") {
			checkCall(t, "croupier train bank "+meant)
			continue
		}
		flag, _, _ := strings.Cut(strings.TrimPrefix(meant, "--"), " ")
		require.NotNil(t, command.Flags().Lookup(flag), meant)
	}
}
