package tests

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/internal/testproc"
)

// installed is where the units expect the program.
const installed = "/usr/local/bin/croupier"

// unit is a systemd unit: the values of each directive by section and name.
type unit map[string]map[string][]string

func readUnit(t *testing.T, path string) unit {
	doc, err := os.ReadFile(path)
	require.NoError(t, err)
	u, section := unit{}, ""
	for _, line := range strings.Split(strings.ReplaceAll(string(doc), "\\\n", " "), "\n") {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '[':
			section = strings.Trim(line, "[]")
			u[section] = map[string][]string{}
		default:
			name, value, ok := strings.Cut(line, "=")
			require.True(t, ok, "%s: %s", path, line)
			u[section][name] = append(u[section][name], value)
		}
	}
	return u
}

func readUnits(t *testing.T) map[string]unit {
	paths, err := filepath.Glob(filepath.Join(deployDir, "systemd", "croupier-*.service"))
	require.NoError(t, err)
	units := map[string]unit{}
	for _, path := range paths {
		name := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(path), "croupier-"), ".service")
		units[name] = readUnit(t, path)
	}
	require.Equal(t, []string{"actor", "broker", "league", "learner", "learner@", "web"}, slices.Sorted(maps.Keys(units)))
	return units
}

// TestUnitsAreHardened requires the same protection of every unit, and that systemd
// understands all of it.
func TestUnitsAreHardened(t *testing.T) {
	units := readUnits(t)
	// What differs from role to role.
	own := []string{"ExecStart", "LoadCredential", "LimitNOFILE"}
	var common map[string][]string
	for name, u := range units {
		service := maps.Clone(u["Service"])
		for _, directive := range own {
			delete(service, directive)
		}
		if common == nil {
			common = service
		}
		require.Equal(t, common, service, "the unit of %s differs from another", name)
	}
	for directive, value := range map[string]string{
		"User": "croupier", "StateDirectory": "croupier", "Restart": "on-failure",
		"NoNewPrivileges": "yes", "ProtectSystem": "strict", "CapabilityBoundingSet": "",
		"MemoryMax": "75%",
	} {
		require.Equal(t, []string{value}, common[directive], directive)
	}

	analyze, dir := needs(t, "systemd-analyze"), t.TempDir()
	for name := range units {
		file := "croupier-" + name + ".service"
		doc, err := os.ReadFile(filepath.Join(deployDir, "systemd", file))
		require.NoError(t, err)
		path := filepath.Join(dir, file)
		doc = []byte(strings.ReplaceAll(string(doc), installed, croupier(t)))
		require.NoError(t, os.WriteFile(path, doc, 0o644))
		out, err := testproc.CombinedOutput(exec.Command(analyze, "verify", "--man=no", path))
		require.NoError(t, err, "%s", out)
		require.NotContains(t, string(out), file, "what systemd says about it")
	}
}

// Every unit starts a command that the program has.
func TestUnitsStartCommandsThatExist(t *testing.T) {
	t.Parallel()
	env := readEnv(t, filepath.Join(deployDir, "systemd/croupier.env"))
	env["STATE_DIRECTORY"], env["CREDENTIALS_DIRECTORY"] = "/var/lib/croupier", "/run/credentials"
	for name, u := range readUnits(t) {
		require.Len(t, u["Service"]["ExecStart"], 1, name)
		words := commandLine(t, strings.ReplaceAll(u["Service"]["ExecStart"][0], "%i", "hunter"), env)
		require.Equal(t, installed, words[0])
		commandExists(t, words[1:])
	}
}

// unitVariable is ${NAME}, part of a word, or the whole word $NAME, which is split.
var unitVariable = regexp.MustCompile(`\$\{(\w+)\}|^\$(\w+)$`)

// commandLine splits and expands a command line as systemd does (systemd.service(5),
// "Command lines"); quotes are not used here.
func commandLine(t *testing.T, line string, env map[string]string) []string {
	lookup := func(name string) string {
		value, ok := env[name]
		require.True(t, ok, "%s is not set", name)
		return value
	}
	var words []string
	for _, word := range strings.Fields(line) {
		if parts := unitVariable.FindStringSubmatch(word); parts != nil && parts[2] != "" {
			words = append(words, strings.Fields(lookup(parts[2]))...)
			continue
		}
		words = append(words, unitVariable.ReplaceAllStringFunc(word, func(v string) string {
			return lookup(strings.Trim(v, "${}"))
		}))
	}
	return words
}
