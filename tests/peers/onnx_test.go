package peers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/games/standard"
	"croupier/internal/testproc"
	"croupier/nn"
	"croupier/nn/nntest"
	"croupier/nn/onnx"
)

// onnxStep is a batch of decisions, as tests/peers/onnx_run.py reads it.
type onnxStep struct {
	Observation [][]float32 `json:"observation"`
	Legal       [][]bool    `json:"legal"`
}

// onnxAnswer is what a model says to them.
type onnxAnswer struct {
	Actions [][]*float64 `json:"actions"` // nil: not finite
	Value   []float64    `json:"value"`
}

// onnxTolerance is how far the runtime and the forward pass of package nn may be apart, in log-probabilities and in
// values whose magnitude is at most 1; of larger ones it is relative.
const onnxTolerance = 1e-5

// peer returns a Python that has the packages of PyPI: the one that the variable of the environment names, or the
// system's with what tests/needs.sh has fetched. Without it the test is left out, and says so.
func peer(t *testing.T, variable string, packages ...string) func(arguments ...string) *exec.Cmd {
	python := os.Getenv(variable)
	if python == "" {
		python = "python3"
	}
	cache, err := filepath.Abs("../.cache/" + packages[0])
	require.NoError(t, err)
	command := func(arguments ...string) *exec.Cmd {
		c := exec.Command(python, arguments...)
		c.Env = append(os.Environ(), "PYTHONPATH="+cache)
		return c
	}
	if out, err := testproc.CombinedOutput(command("-c", "import "+strings.Join(packages, ", "))); err != nil {
		t.Skipf("left out without %s of PyPI, which this test is about: %s names a Python that has them, and tests/needs.sh "+
			"fetches them (%v: %s)", strings.Join(packages, " and "), variable, err, out)
	}
	return command
}

// TestONNXRuntimeAgrees: a real runtime computes from exported models what the program computes itself, for every
// kind of layer and every network that comes with the program.
func TestONNXRuntimeAgrees(t *testing.T) {
	python, networks := peer(t, "ONNX_PYTHON", "onnxruntime"), onnxNetworks(t)
	names := slices.Sorted(maps.Keys(networks))
	var requests bytes.Buffer
	for i, name := range names {
		model, err := onnx.Encode(networks[name], map[string]string{"agent": name})
		require.NoError(t, err)
		path := filepath.Join(t.TempDir(), fmt.Sprintf("%d.onnx", i))
		require.NoError(t, os.WriteFile(path, model, 0o600))
		steps := onnxSteps(networks[name].Layout.Spec)
		require.NoError(t, json.NewEncoder(&requests).Encode(map[string]any{"model": path, "steps": steps}))
	}
	command := python("onnx_run.py")
	command.Stdin, command.Stderr = &requests, os.Stderr
	out, err := testproc.Output(command)
	require.NoError(t, err)
	answers := json.NewDecoder(bytes.NewReader(out))
	for _, name := range names {
		var answer struct {
			Steps []onnxAnswer `json:"steps"`
		}
		require.NoError(t, answers.Decode(&answer))
		t.Run(name, func(t *testing.T) {
			steps := onnxSteps(networks[name].Layout.Spec)
			require.Len(t, answer.Steps, len(steps))
			requireONNXAgrees(t, networks[name], steps, answer.Steps)
		})
	}
}

// onnxNetworks returns the networks by name.
func onnxNetworks(t *testing.T) map[string]*nn.Network {
	networks := make(map[string]*nn.Network)
	for _, game := range standard.Games.Names() {
		entry, err := standard.Games.Find(game)
		require.NoError(t, err)
		file, _, err := nn.Decode(entry.Network, standard.Games.New)
		require.NoError(t, err)
		networks["trained "+game] = file.Network
	}
	for _, d := range nntest.Descriptions {
		name, err := json.Marshal(d)
		require.NoError(t, err)
		networks[string(name)] = nntest.Network(t, d, nntest.Spec)
	}
	return networks
}

// onnxSteps draws decisions of three seats, as long as a game.
func onnxSteps(spec *engine.Spec) (steps []onnxStep) {
	const length, seats = 20, 3
	rng := rand.New(rand.NewPCG(3, 0))
	for range length {
		var step onnxStep
		for range seats {
			observation, legal := make([]float32, spec.ObservationSize), make([]bool, spec.Actions)
			for i := range observation {
				observation[i] = rng.Float32()*2 - 1
			}
			for i := range legal {
				legal[i] = rng.IntN(2) == 0
			}
			legal[rng.IntN(len(legal))] = true
			step.Observation = append(step.Observation, observation)
			step.Legal = append(step.Legal, legal)
		}
		steps = append(steps, step)
	}
	return steps
}

// requireONNXAgrees compares the answers with the program's own forward pass.
func requireONNXAgrees(t *testing.T, n *nn.Network, steps []onnxStep, answers []onnxAnswer) {
	seats, worst := len(steps[0].Legal), 0.0
	e := n.NewEvaluator(seats, seats)
	for i, step := range steps {
		for row := range seats {
			copy(e.Observation(row), step.Observation[row])
			e.SetLegal(row, legalActions(step.Legal[row]))
		}
		e.Forward(seats)
		for row := range seats {
			legal := legalActions(step.Legal[row])
			require.Equal(t, len(legal), countFinite(answers[i].Actions[row]), "step %d: illegal actions are masked", i)
			own, theirs := e.LogProbs(row), logSoftmax(answers[i].Actions[row], legal)
			if n.Layout.Description.ActionValues() {
				own, theirs = e.ActionValues(row), answers[i].Actions[row]
			}
			worst = max(worst, distance(float64(e.Value(row)), answers[i].Value[row]))
			for _, a := range legal {
				require.NotNil(t, theirs[a], "step %d: action %d", i, a)
				worst = max(worst, distance(float64(own[a]), *theirs[a]))
			}
		}
	}
	t.Logf("greatest difference %.2g", worst)
	require.LessOrEqual(t, worst, onnxTolerance)
}

// distance is absolute for numbers up to 1, and relative beyond.
func distance(own, other float64) float64 { return math.Abs(own-other) / max(1, math.Abs(own)) }

func countFinite(list []*float64) (n int) {
	for _, x := range list {
		if x != nil {
			n++
		}
	}
	return n
}

func legalActions(mask []bool) (legal []int) {
	for a, is := range mask {
		if is {
			legal = append(legal, a)
		}
	}
	return legal
}

// logSoftmax returns log-probabilities of the legal actions.
func logSoftmax(logits []*float64, legal []int) []*float64 {
	var list []float64
	for _, a := range legal {
		list = append(list, *logits[a])
	}
	top, sum := slices.Max(list), 0.0
	for _, x := range list {
		sum += math.Exp(x - top)
	}
	logProbs := make([]*float64, len(logits))
	for _, a := range legal {
		p := *logits[a] - top - math.Log(sum)
		logProbs[a] = &p
	}
	return logProbs
}
