package settings

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"croupier/games/standard"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

var update = flag.Bool("update", false, "rewrite docs/reference/settings.md")

// TestPageOfSettings: docs/reference/settings.md has every setting with its default and what the code says of it.
// "go test ./settings -run PageOfSettings -update" rewrites it.
func TestPageOfSettings(t *testing.T) {
	const file = "../docs/reference/settings.md"
	var document yaml.Node
	c, err := Default(standard.Games, "bank")
	require.NoError(t, err)
	c.Run = "bank-1" // else it is left out
	require.NoError(t, document.Encode(c))
	page := &strings.Builder{}
	fmt.Fprint(page, "# Settings\n\n"+
		"The settings that `croupier config GAME` prints, and that `--config` and `--set` change\n"+
		"([how to change settings](../guide/train.md#change-settings)).\n"+
		"The values are those of `bank`; other games have\n"+
		"[some defaults of their own](../lab/experiments.md#what-the-defaults-rest-on).\n"+
		"See also the rules on the [games' pages](../../games), [networks](networks.md), the\n"+
		"[curriculum](../guide/curriculum.md), and longer explanations of the settings of\n"+
		"[PPO](../explain/algorithms/ppo.md#hyperparameters), [DQN](../explain/algorithms/dqn.md#hyperparameters) and the\n"+
		"[league](../explain/algorithms/league.md). This page is made from the code\n"+
		"(`go test ./settings -run PageOfSettings -update`).\n\n"+
		"| setting | default | meaning |\n|---|---|---|\n"+
		"| `game` | the one that is named | game; in the settings of a run that continues, also its name `run` |\n"+
		"| `seed` | 1 | seed of all random numbers of a run |\n"+
		"| `rules` | the game's | [rules of the game](../index.md#games) |\n"+
		"| `curriculum` | the game's | [simpler games](../guide/curriculum.md) that are trained before it |\n"+
		"| `network` | the game's | [network](networks.md) |\n")
	kind := reflect.TypeFor[Config]()
	for i := range kind.NumField() {
		f := kind.Field(i)
		key, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		if f.Type.Kind() != reflect.Struct || f.Type == reflect.TypeFor[yaml.Node]() || key == "network" {
			continue
		}
		fmt.Fprintf(page, "\n## %s\n\n| setting | default | meaning |\n|---|---|---|\n", key)
		rowsOf(t, page, f.Type, key, "", &document)
	}
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(page.String()), 0o644))
	}
	written, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, page.String(), string(written))
}

// rowsOf writes a row for each setting of a structure, whose section is at a path, and whose keys begin with a prefix.
func rowsOf(t *testing.T, page *strings.Builder, kind reflect.Type, section, prefix string, document *yaml.Node) {
	said := commentsOf(t, kind)
	for i := range kind.NumField() {
		f := kind.Field(i)
		key, options, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		inner := f.Type
		switch {
		case options == "inline" && inner.Kind() == reflect.Map: // of others
		case options == "inline":
			rowsOf(t, page, inner, section, prefix, document)
		case !f.IsExported() || key == "-" || key == "":
		case inner.Kind() == reflect.Struct && inner != reflect.TypeFor[yaml.Node]():
			rowsOf(t, page, inner, section, prefix+key+".", document)
		default:
			require.NotEmpty(t, said[f.Name], "%v.%s says nothing", kind, f.Name)
			usual := "none"
			if n := find(document, section+"."+prefix+key); n != nil &&
				(n.Kind == yaml.ScalarNode && n.Value != "" || len(n.Content) > 0) {
				n.Style = yaml.FlowStyle
				text, err := yaml.Marshal(n)
				require.NoError(t, err)
				usual = strings.TrimSpace(string(text))
			}
			fmt.Fprintf(page, "| `%s%s` | %s | %s |\n", prefix, key, strings.ReplaceAll(usual, "|", "\\|"),
				strings.ReplaceAll(said[f.Name], "|", "\\|"))
		}
	}
}

// commentsOf returns what the source of a structure says of its fields, by their names. Fields are called as in files.
func commentsOf(t *testing.T, kind reflect.Type) map[string]string {
	t.Helper()
	said := map[string]string{}
	files, err := filepath.Glob(path.Join("..", strings.TrimPrefix(
		kind.PkgPath(), path.Dir(reflect.TypeFor[Config]().PkgPath())+"/"), "*.go"))
	require.NoError(t, err)
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		require.NoError(t, err)
		ast.Inspect(parsed, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok || spec.Name.Name != kind.Name() {
				return true
			}
			above := ""
			for _, f := range spec.Type.(*ast.StructType).Fields.List {
				text := strings.Join(strings.Fields(f.Doc.Text()+" "+f.Comment.Text()), " ")
				if text == "" {
					text = above // which is about both
				}
				above = text
				for _, name := range f.Names {
					said[name.Name] = named(strings.TrimPrefix(strings.TrimSuffix(pointer.ReplaceAllString(text, ""), "."),
						name.Name+" is "), kind)
				}
			}
			return false
		})
	}
	return said
}

// pointer sends readers of the code to other declarations.
var pointer = regexp.MustCompile(`[;.]? [Ss]ee \[?\w+\]?`)

var word = regexp.MustCompile(`\[?\b[A-Z][A-Za-z0-9]*\b\]?`)

// named writes the names of a structure's fields as the settings have them.
func named(text string, kind reflect.Type) string {
	return word.ReplaceAllStringFunc(text, func(name string) string {
		if f, found := kind.FieldByName(strings.Trim(name, "[]")); found {
			key, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
			return "`" + key + "`"
		}
		return name
	})
}
