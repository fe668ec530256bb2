package kernel

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// eachSet runs the test with every instruction set of this machine.
func eachSet(t *testing.T, test func(t *testing.T)) {
	t.Cleanup(func() { chosen.Store(nil) })
	for _, name := range InstructionSets() {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, Use(name))
			test(t)
		})
	}
}

// fusedSets returns those of the sets that fuse multiplication and addition: they
// agree to the last bit. It skips the test when there are less than two.
func fusedSets(t *testing.T) []*instructions {
	t.Cleanup(func() { chosen.Store(nil) })
	sets := native()
	if len(sets) < 2 {
		t.Skip("needs AVX2 and AVX-512")
	}
	return sets
}

func TestUse(t *testing.T) {
	t.Cleanup(func() { chosen.Store(nil) })
	names := InstructionSets()
	require.Equal(t, "portable", names[len(names)-1])
	require.Equal(t, names[0], current().name, "the fastest without a choice")
	for _, name := range names {
		require.NoError(t, Use(name))
		require.Equal(t, name, current().name)
	}
	require.ErrorContains(t, Use("sse9"), `no instruction set "sse9" on this machine, only`)
	require.Equal(t, "portable", current().name, "an error changes nothing")
}

func TestPackedKeepsItsInstructionSet(t *testing.T) {
	t.Cleanup(func() { chosen.Store(nil) })
	linear := Pack([]float32{1, 2}, []float32{3, 4})
	require.NoError(t, Use("portable"))
	dst := MakeRows(1, 2)
	linear.Apply(dst, Rows{[]float32{10}, 1}, 1, false)
	require.Equal(t, []float32{31, 42}, dst.Data)
}
