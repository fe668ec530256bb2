//go:build unix

package guides

import (
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"croupier/games/standard"
	"croupier/internal/testproc"
	"croupier/internal/testprogram"
)

// leads finds the pages to which a page links.
var leads = regexp.MustCompile(`\]\(([^)\s#]+\.md)(?:#[^)\s]*)?\)`)

// linked returns the pages to which a page links.
func linked(texts map[string]string, from string) (found []string) {
	for _, m := range leads.FindAllStringSubmatch(texts[from], -1) {
		found = append(found, path.Join(path.Dir(from), m[1]))
	}
	return found
}

func TestPagesAreLinked(t *testing.T) {
	texts := map[string]string{"docs/index.md": "[a](guide/a.md#part) and [pig](../games/pig/README.md), not `(b.md)`"}
	require.Equal(t, []string{"docs/guide/a.md", "games/pig/README.md"}, linked(texts, "docs/index.md"))
}

// answer returns the page, to which the map must lead with one click: the second one leads to a part of it.
func answer(t *testing.T, name string) string {
	t.Helper()
	const first = "docs/index.md"
	texts := pages(t)
	require.Contains(t, linked(texts, first), name, "%s does not lead to the page", first)
	return texts[name]
}

// copied returns all that a page has a reader type, which these tests type, too.
func copied(t *testing.T, name string) string {
	t.Helper()
	require.NotContains(t, untried, name)
	var all strings.Builder
	for _, b := range blocks(answer(t, name)) {
		require.Empty(t, b.reason, "%s: a block that no test runs:\n%s", name, b.text)
		all.WriteString(b.text)
	}
	return all.String()
}

// Five things that a reader wants who knows the map alone: each is found with two clicks, and done by copying.

func TestTaskOfAFirstTraining(t *testing.T) {
	const page = "docs/tutorial/first-training.md"
	require.Regexp(t, `(?m)^croupier train \S+ --for `, copied(t, page))
	text := answer(t, page)
	explained := strings.Join(regexp.MustCompile(`\*\*[^*]+\*\*`).FindAllString(text, -1), " ")
	for _, part := range statusParts(t, text) {
		require.Contains(t, explained, part, "%s prints this part of the status and does not explain it", page)
	}
	header := regexp.MustCompile(`(?m)^ place .*$`).FindString(text)
	require.NotEmpty(t, header)
	for _, column := range regexp.MustCompile(` {2,}`).Split(strings.TrimSpace(header), -1) {
		require.Contains(t, explained, column, "%s prints this column of the ladder and does not explain it", page)
	}
	require.Contains(t, explained, "≠")
	require.Contains(t, explained, "gate")
}

// statusParts returns the words of the first line of status in a page: "games/s", "lag".
func statusParts(t *testing.T, text string) (parts []string) {
	t.Helper()
	line := regexp.MustCompile(`(?m)^training .*\|.*$`).FindString(text)
	require.NotEmpty(t, line)
	for _, part := range strings.Split(line, " | ") {
		parts = append(parts, regexp.MustCompile(`[a-z][a-z/]*[a-z]`).FindString(part))
	}
	require.Contains(t, parts, "lag")
	return parts
}

func TestTaskOfThreeMachines(t *testing.T) {
	const page = "docs/tutorial/machines.md"
	typed := copied(t, page)
	require.Contains(t, each, page)
	require.Regexp(t, `(?m)^1\$ croupier train .*--nats-listen`, typed)
	for _, machine := range []string{"2", "3"} {
		require.Regexp(t, `(?m)^`+machine+`\$ croupier contribute `, typed)
	}
}

func TestTaskOfAnAgentInPython(t *testing.T) {
	const page = "docs/tutorial/agent.md"
	typed := copied(t, page)
	require.Contains(t, each, page)
	require.Contains(t, typed, "import json")
	require.Regexp(t, `(?m)^croupier arena check "exec:python3 `, typed)
	require.Regexp(t, `(?m)^croupier arena "exec:python3 .*solver:optimal`, typed)
}

// row finds the rows of tables that begin with a name: the name, and its other cells.
var row = regexp.MustCompile("(?m)^\\| `([^`]+)` (\\|.*)\\|$")

// entries returns the cells of the rows that begin with a name.
func entries(text string) map[string][]string {
	found := map[string][]string{}
	for _, m := range row.FindAllStringSubmatch(text, -1) {
		cells := strings.Split(strings.ReplaceAll(m[2], `\|`, "/")[1:], "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		found[m[1]] = cells
	}
	return found
}

// The meaning of each metric, also of those that dashboards and alerts name.
func TestTaskOfAMetric(t *testing.T) {
	metrics := entries(answer(t, "docs/reference/metrics.md"))
	require.Greater(t, len(metrics), 100)
	for name, cells := range metrics {
		require.Greater(t, len(strings.Fields(cells[len(cells)-1])), 1, "%s has no meaning", name)
	}
	scaling := answer(t, "deploy/README.md") // explains what autoscalers ask for, which no process serves
	names := regexp.MustCompile(`\bcroupier_[a-z0-9_]*[a-z0-9]\b`)
	shown := 0
	for _, root := range []string{"dashboards", "deploy"} {
		require.NoError(t, filepath.WalkDir(filepath.Join(tree, root), func(file string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !slices.Contains([]string{".json", ".yaml", ".yml"}, filepath.Ext(file)) {
				return err
			}
			text, err := os.ReadFile(file)
			for _, name := range names.FindAllString(string(text), -1) {
				if !known(metrics, name) && !strings.Contains(scaling, "`"+name+"`") {
					t.Errorf("%s: %s is not in docs/reference/metrics.md", file, name)
				}
				shown++
			}
			return err
		}))
	}
	require.Greater(t, shown, 50)
}

// known reports whether a series is of a metric with an entry.
func known(metrics map[string][]string, series string) bool {
	for _, suffix := range []string{"", "_bucket", "_sum", "_count"} {
		if name, ok := strings.CutSuffix(series, suffix); ok && metrics[name] != nil {
			return true
		}
	}
	return false
}

// The default of each setting and rule that "croupier config" prints for a game, and what it does.
func TestTaskOfASetting(t *testing.T) {
	settings := sections(answer(t, "docs/reference/settings.md"))
	networks := answer(t, "docs/reference/networks.md")
	program := testprogram.Path(t)
	for _, game := range standard.Games.Games() {
		rules := rulesOf(t, "games/"+game.Name+"/README.md")
		printed, err := testproc.Output(exec.Command(program, "config", game.Name))
		require.NoError(t, err)
		var config yaml.Node
		require.NoError(t, yaml.Unmarshal(printed, &config))
		for _, key := range leaves(config.Content[0], "") {
			part, name, _ := strings.Cut(key, ".")
			switch part {
			case "rules":
				if name == "" {
					continue // a game without parameters
				}
				require.GreaterOrEqual(t, len(rules[name]), 3, "the page of %s does not explain %s", game.Name, key)
				require.NotEmpty(t, rules[name][1], "the page of %s has no default of %s", game.Name, key)
			case "network":
				require.Contains(t, networks, "\n"+name+":")
			case "game", "seed", "curriculum":
				require.NotNil(t, settings[""][part], part)
			default:
				require.Len(t, settings[part][name], 2, "docs/reference/settings.md does not explain %s", key)
				require.NotEmpty(t, settings[part][name][0], key)
				require.NotEmpty(t, settings[part][name][1], key)
			}
		}
	}
}

// rulesOf returns the entries of the rules of a game, which may be those of another game and some more.
func rulesOf(t *testing.T, page string) map[string][]string {
	t.Helper()
	_, text, _ := strings.Cut(answer(t, page), "\n## Rules as built\n")
	text, _, _ = strings.Cut(text, "\n## ")
	rules := entries(text)
	for _, m := range regexp.MustCompile(`\]\(([^)#]+\.md)#rules-as-built\)`).FindAllStringSubmatch(text, -1) {
		maps.Copy(rules, rulesOf(t, path.Join(path.Dir(page), m[1])))
	}
	return rules
}

// sections returns the entries of a page by the section in which they are; "" is what comes before the first.
func sections(text string) map[string]map[string][]string {
	found := map[string]map[string][]string{}
	for i, part := range strings.Split(text, "\n## ") {
		title, rest, _ := strings.Cut(part, "\n")
		if i == 0 {
			title = ""
		}
		found[title] = entries(rest)
	}
	return found
}

// leaves returns the keys of what a mapping has that is no mapping itself, with points.
func leaves(mapping *yaml.Node, before string) (keys []string) {
	for i := 0; i < len(mapping.Content); i += 2 {
		key, value := before+mapping.Content[i].Value, mapping.Content[i+1]
		if value.Kind == yaml.MappingNode && len(value.Content) > 0 {
			keys = append(keys, leaves(value, key+".")...)
			continue
		}
		keys = append(keys, key)
	}
	return keys
}
