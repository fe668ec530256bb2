package tests

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A rule of docs/architecture.md: packages with one of the prefixes must not
// import any of the forbidden ones, tests excepted.
type importRule struct {
	packages  []string
	except    []string
	forbidden []string
}

var importRules = []importRule{
	{packages: []string{"croupier/engine"}, forbidden: []string{"croupier/policy", "croupier/nn", "croupier/solver", "croupier/messages", "croupier/actor", "croupier/learner", "croupier/league", "croupier/web"}},
	{packages: []string{"croupier/policy"}, forbidden: []string{"croupier/nn", "croupier/solver", "croupier/messages", "croupier/actor", "croupier/learner", "croupier/league", "croupier/web"}},
	{packages: []string{"croupier/nn", "croupier/solver"}, forbidden: []string{"croupier/messages", "croupier/actor", "croupier/learner", "croupier/league", "croupier/web"}},
	{packages: []string{"croupier/advice"}, forbidden: []string{"croupier/solver", "croupier/messages", "croupier/actor", "croupier/learner", "croupier/league", "croupier/web"}},
	{packages: []string{"croupier/search"}, forbidden: []string{"croupier/solver", "croupier/messages", "croupier/actor", "croupier/learner", "croupier/league", "croupier/web"}},
	{packages: []string{"croupier/messages", "croupier/figures"}, forbidden: []string{"croupier/policy", "croupier/nn", "croupier/solver", "croupier/actor", "croupier/learner", "croupier/league", "croupier/web"}},
	{packages: []string{"croupier/actor"}, forbidden: []string{"croupier/learner", "croupier/league", "croupier/web"}},
	{packages: []string{"croupier/learner"}, forbidden: []string{"croupier/actor", "croupier/league", "croupier/web"}},
	{packages: []string{"croupier/league"}, forbidden: []string{"croupier/actor", "croupier/learner", "croupier/web"}},
	{packages: []string{"croupier/web"}, forbidden: []string{"croupier/actor", "croupier/learner", "croupier/league"}},
	{packages: []string{"croupier/internal"}, forbidden: []string{"croupier"}},
	{packages: []string{"croupier/bench"}, forbidden: []string{"croupier/messages", "croupier/actor", "croupier/league", "croupier/web"}},
	{packages: []string{"croupier"}, except: []string{"croupier/cmd"}, forbidden: []string{"croupier/bench"}},
	{packages: []string{"croupier"}, except: []string{"croupier/learner"}, forbidden: []string{"gorgonia.org"}},
	{packages: []string{"croupier"}, except: []string{"croupier/messages/bus", "croupier/cmd"}, forbidden: []string{"github.com/nats-io"}},
	{packages: []string{"croupier"}, except: []string{"croupier/cmd"}, forbidden: []string{"croupier/cmd"}},
}

func TestImportRules(t *testing.T) {
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", "croupier/...").Output()
	require.NoError(t, err)
	dec := json.NewDecoder(bytes.NewReader(out))
	seen := 0
	for {
		var pkg struct {
			ImportPath string
			Imports    []string
		}
		err := dec.Decode(&pkg)
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		seen++
		for _, rule := range importRules {
			if !under(pkg.ImportPath, rule.packages) || under(pkg.ImportPath, rule.except) {
				continue
			}
			for _, imported := range pkg.Imports {
				if under(imported, rule.forbidden) && !under(imported, []string{pkg.ImportPath}) {
					t.Errorf("%s must not import %s", pkg.ImportPath, imported)
				}
			}
		}
	}
	require.Greater(t, seen, 10, "the packages of the module were not listed")
}

// under says whether the import path is one of the prefixes or below one.
func under(path string, prefixes []string) bool {
	for _, p := range prefixes {
		if path == p || strings.HasPrefix(path, p+"/") {
			return true
		}
	}
	return false
}
