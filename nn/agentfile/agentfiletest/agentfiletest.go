// Package agentfiletest plays with agents that are one WebAssembly file, and compares them with this program.
package agentfiletest

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"croupier/engine"
	"croupier/nn"
	"croupier/policy"
)

// Agent is a module that has been loaded as anybody loads it: without imports.
type Agent struct {
	t      *testing.T
	module api.Module
}

// Load loads a module.
func Load(t *testing.T, file []byte) Agent {
	t.Helper()
	ctx := context.Background()
	r := wazero.NewRuntime(ctx)
	t.Cleanup(func() { require.NoError(t, r.Close(ctx)) })
	module, err := r.Instantiate(ctx, file)
	require.NoError(t, err)
	return Agent{t, module}
}

// Call calls an export.
func (a Agent) Call(name string, arguments ...uint64) uint64 {
	a.t.Helper()
	results, err := a.module.ExportedFunction(name).Call(context.Background(), arguments...)
	require.NoError(a.t, err, name)
	if len(results) == 0 {
		return 0
	}
	return results[0]
}

// Number calls an export of numbers of type i32.
func (a Agent) Number(name string, arguments ...int) int {
	a.t.Helper()
	return int(int32(a.Call(name, numbers(arguments)...)))
}

// Float calls an export that returns a number of type f64.
func (a Agent) Float(name string, arguments ...int) float64 {
	a.t.Helper()
	return math.Float64frombits(a.Call(name, numbers(arguments)...))
}

func numbers(list []int) (converted []uint64) {
	for _, v := range list {
		converted = append(converted, uint64(uint32(int32(v))))
	}
	return converted
}

// Text calls an export that returns the address of a text.
func (a Agent) Text(name string, arguments ...int) string {
	a.t.Helper()
	address := a.Number(name, arguments...)
	require.Positive(a.t, address, name)
	rest, ok := a.module.Memory().Read(uint32(address), a.module.Memory().Size()-uint32(address))
	require.True(a.t, ok)
	return string(rest[:slices.Index(rest, 0)])
}

func (a Agent) choose(random float64) int {
	a.t.Helper()
	return int(int32(a.Call("choose", math.Float64bits(random))))
}

// SetTemperature sets that at which the network plays.
func (a Agent) SetTemperature(t float64) {
	a.module.ExportedGlobal("temperature").(api.MutableGlobal).Set(math.Float64bits(t))
}

// RequireSame plays whole games in the module and here: both tell the same, and the network says the same of each
// position. It takes the game's steps at random, so that each seat is sometimes somebody else's.
func RequireSame(t *testing.T, a Agent, g engine.Game, n *nn.Network, temperature policy.Temperature, games int) {
	t.Helper()
	rng, spec := rand.New(rand.NewPCG(3, 0)), g.Spec()
	for range games {
		s, seats := g.NewState(), make([]*nn.Policy, spec.Seats)
		for i := range seats {
			seats[i] = nn.NewPolicy(n, temperature)
		}
		a.Call("reset")
		for s.Player() != engine.Terminal {
			possible, chances := asked(s, seats)
			require.Equal(t, s.Player(), a.Number("player"))
			require.Equal(t, len(possible), a.Number("count"))
			for i, step := range possible {
				require.Equal(t, step, a.Number("possible", i))
				require.InDelta(t, chances[i], a.Float("probability", i), 1e-5, "%v", s)
			}
			random := rng.Float64()
			chosen := a.choose(random)
			require.Contains(t, possible, chosen)
			if temperature == policy.Greedy && s.Player() >= 0 {
				require.Equal(t, possible[slices.Index(chances, 1)], chosen)
			}
			step := possible[rng.IntN(len(possible))]
			require.Equal(t, 1, a.Number("step", step))
			require.NoError(t, s.Apply(step))
		}
		returns := make([]float64, spec.Seats)
		s.Returns(returns)
		for seat, want := range returns {
			require.InDelta(t, want, a.Float("returns", seat), 0)
		}
		require.Zero(t, a.Number("count"))
		require.Equal(t, -1, a.choose(0.5))
		require.Zero(t, a.Number("step", 0))
	}
}

// asked returns the possible steps, and the probability of each.
func asked(s engine.State, seats []*nn.Policy) (possible []int, chances []float64) {
	if s.Player() == engine.Chance {
		for _, o := range s.Outcomes(nil) {
			possible, chances = append(possible, o.Index), append(chances, o.Probability)
		}
		return possible, chances
	}
	possible = s.LegalActions(nil)
	chances = make([]float64, len(possible))
	seats[s.Player()].Distribution(s, possible, chances)
	return possible, chances
}
