package tests

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/internal/nightly"
	"croupier/internal/testport"
	"croupier/internal/testproc"
)

// knownAnswer is a line of known_answers.jsonl, which a program that shares nothing with Croupier
// wrote (peers/known_answers.py).
type knownAnswer struct {
	Game      string             `json:"game"`
	Rules     json.RawMessage    `json:"rules"`
	Agent     string             `json:"agent"`
	Position  json.RawMessage    `json:"position"`
	History   []int              `json:"history"` // in place of a position: cards are open
	Values    map[string]float64 `json:"values"`  // of actions, by name; by number with a history
	Tolerance float64            `json:"tolerance"`
}

func readKnownAnswers(t *testing.T) []knownAnswer {
	t.Helper()
	return readLines[knownAnswer](t, "known_answers.jsonl")
}

// readLines reads a file of JSON values, one a line.
func readLines[T any](t *testing.T, file string) (list []T) {
	t.Helper()
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var value T
		require.NoError(t, json.Unmarshal(lines.Bytes(), &value))
		list = append(list, value)
	}
	return list
}

// The page gives the known answers, and the command line gives them in the same bytes. Each change asks it twice a
// game, because each time is a process.
func TestKnownAnswersOfAdvice(t *testing.T) {
	t.Parallel()
	page, twice := "http://"+testport.Free(t), nightly.Cases(2, 100)
	start(t, "web", croupier(t), "web", "--runs", t.TempDir(), "--listen", page[len("http://"):]).await(page)
	asked := map[string]int{}
	for _, k := range readKnownAnswers(t) {
		if k.History != nil {
			continue
		}
		asked[k.Game]++
		told := k.askPage(t, page)
		if asked[k.Game] <= twice {
			require.Equal(t, string(k.ask(t)), string(told), "%s %s: the page says something else", k.Game, k.Position)
		}
		var answer struct {
			Actions []struct {
				Name  string
				Value float64
			}
		}
		require.NoError(t, json.Unmarshal(told, &answer))
		values := map[string]float64{}
		for _, a := range answer.Actions {
			values[a.Name] = a.Value
		}
		k.compare(t, values)
	}
	for _, game := range []string{"kuhn", "leduc", "pig", "bank", "lange-strasse"} {
		require.Positive(t, asked[game], "no known answer of %s", game)
	}
}

// compare requires the known values.
func (k *knownAnswer) compare(t *testing.T, values map[string]float64) {
	t.Helper()
	require.InDeltaMapValues(t, k.Values, values, k.Tolerance+1e-12, "%s %s %v", k.Game, k.Position, k.History)
}

// ask returns what croupier advise prints.
func (k *knownAnswer) ask(t *testing.T) []byte {
	t.Helper()
	args := []string{"advise", k.Game, "--json", "--position", "-"}
	if k.Agent != "" {
		args = append(args, "--agent", k.Agent)
	}
	if k.Rules != nil {
		rules := filepath.Join(t.TempDir(), "rules.json")
		require.NoError(t, os.WriteFile(rules, k.Rules, 0o600))
		args = append(args, "--rules", rules)
	}
	return run(t, k.Position, args...)
}

// run returns what the program prints for the input.
func run(t *testing.T, input []byte, args ...string) []byte {
	t.Helper()
	var out, complaint bytes.Buffer
	cmd := exec.Command(croupier(t), args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(input), &out, &complaint
	require.NoError(t, testproc.Run(cmd), "%v, input %s: %s", args, input, &complaint)
	return out.Bytes()
}

// askPage returns what the page's API answers.
func (k *knownAnswer) askPage(t *testing.T, page string) []byte {
	t.Helper()
	body, err := json.Marshal(map[string]any{
		"game": k.Game, "rules": string(k.Rules), "agent": k.Agent, "position": k.Position,
	})
	require.NoError(t, err)
	resp, err := http.Post(page+"/api/advice", "application/json", bytes.NewReader(body))
	require.NoError(t, err)
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, resp.StatusCode, string(answer))
	return answer
}

// The double-dummy solver agrees with plain minimax.
func TestKnownAnswersWithOpenCards(t *testing.T) {
	t.Parallel()
	checked := 0
	for _, k := range readKnownAnswers(t) {
		if k.History == nil {
			continue
		}
		history, err := json.Marshal(map[string]any{"game": k.Game, "history": k.History})
		require.NoError(t, err)
		var answer struct {
			Actions []struct {
				Action int
				Value  float64
			}
		}
		require.NoError(t, json.Unmarshal(run(t, history, "solve", "tysiac", "--json", "--double-dummy", "-"), &answer))
		values := map[string]float64{}
		for _, a := range answer.Actions {
			values[strconv.Itoa(a.Action)] = a.Value
		}
		k.compare(t, values)
		checked++
	}
	require.Positive(t, checked)
}

// The player's best replies to the four fixed dealers of Banluck (peers/known_banluck.py).
func TestKnownAnswersOfBanluck(t *testing.T) {
	t.Parallel()
	type baseline struct {
		Reveal, Surrender string
		EV                float64
	}
	var answer struct{ Baseline []baseline }
	require.NoError(t, json.Unmarshal(run(t, nil, "solve", "banluck", "--json"), &answer))
	known := readLines[baseline](t, "known_banluck.jsonl")
	require.Len(t, known, 4)
	for _, k := range known {
		i := slices.IndexFunc(answer.Baseline, func(b baseline) bool {
			return b.Reveal == k.Reveal && b.Surrender == k.Surrender
		})
		require.NotEqual(t, -1, i, "%v", k)
		require.InDelta(t, k.EV, answer.Baseline[i].EV, 1e-12, "%v", k)
	}
}
