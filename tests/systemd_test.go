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

// TestUnitsRun starts the processes of all units with the settings of the example,
// but on loopback and in folders of the test.
func TestUnitsRun(t *testing.T) {
	env := readEnv(t, filepath.Join(deployDir, "systemd/croupier.env"))
	net := &loopback{t, map[string]string{}}
	for name, value := range env {
		env[name] = hostPort.ReplaceAllStringFunc(value, net.address)
	}
	env["CROUPIER_GAME"], env["ACTOR_ARGS"] = "kuhn", "--actors 2"
	agents := filepath.Join(t.TempDir(), "league.yaml")
	require.NoError(t, os.WriteFile(agents, []byte("agents: [{name: main, role: main}, {name: hunter, role: main_exploiter}]\n"), 0o600))
	env["LEARNER@_METRICS"] = net.address("127.0.0.1:9405")
	env["LEARNER_ARGS"], env["AGENT_ARGS"] = "--league "+agents, "--metrics "+env["LEARNER@_METRICS"]
	env["STATE_DIRECTORY"], env["CREDENTIALS_DIRECTORY"] = t.TempDir(), t.TempDir()
	etc := filepath.Join(t.TempDir(), "etc")
	newSet(t, etc, 1)
	require.NoError(t, os.Rename(filepath.Join(etc, "actor-1.seed"), filepath.Join(etc, "actor.seed")))
	d := &deployment{t: t, roles: map[string]*role{}}
	units := readUnits(t)
	for _, name := range slices.Sorted(maps.Keys(units)) {
		service := units[name]["Service"]
		if name == "learner@" {
			require.Equal(t, units["learner"]["Service"]["LoadCredential"], service["LoadCredential"])
		} else if name != "broker" {
			credential, path, _ := strings.Cut(service["LoadCredential"][0], ":")
			require.Equal(t, "/etc/croupier/"+name+".seed", path)
			require.NoError(t, os.Rename(strings.Replace(path, "/etc/croupier", etc, 1),
				filepath.Join(env["CREDENTIALS_DIRECTORY"], credential)))
		}
		require.Len(t, service["ExecStart"], 1)
		words := commandLine(t, strings.NewReplacer("/etc/croupier", etc, "%i", "hunter").Replace(service["ExecStart"][0]), env)
		require.Equal(t, installed, words[0])
		d.start(name, words[1:], env[strings.ToUpper(name)+"_METRICS"])
	}
	d.works()
	d.reaches("learner@", "croupier_learner_version", 2)
	d.stop()
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
