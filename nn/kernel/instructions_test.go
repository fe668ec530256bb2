package kernel

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// instructionSets returns the names of the instruction sets that this machine can run, fastest first.
func instructionSets() []string {
	names := make([]string, len(available))
	for i, s := range available {
		names[i] = s.name
	}
	return names
}

// use makes the given instruction set the one that all functions use from now on.
func use(t require.TestingT, name string) {
	i := slices.Index(instructionSets(), name)
	require.GreaterOrEqual(t, i, 0, name)
	chosen = available[i]
}

// eachSet runs the test with every instruction set of this machine.
func eachSet(t *testing.T, test func(t *testing.T)) {
	t.Cleanup(func() { chosen = available[0] })
	for _, name := range instructionSets() {
		t.Run(name, func(t *testing.T) {
			use(t, name)
			test(t)
		})
	}
}

// fusedSets returns the sets that fuse multiplication and addition, which agree to the last
// bit. It skips the test if there are fewer than two.
func fusedSets(t *testing.T) []*instructions {
	t.Cleanup(func() { chosen = available[0] })
	sets := native()
	if len(sets) < 2 {
		t.Skip("needs AVX2 and AVX-512")
	}
	return sets
}

func TestTheFastestSetIsUsed(t *testing.T) {
	names := instructionSets()
	require.Equal(t, "portable", names[len(names)-1])
	require.Equal(t, names[0], current().name)
	require.Regexp(t, "^"+names[0]+"(\\+bf16|\\+amx)?$", InstructionSet())
}

// A matrix packed with one set keeps being multiplied with that set.
func TestPackedKeepsItsInstructionSet(t *testing.T) {
	t.Cleanup(func() { chosen = available[0] })
	linear := Pack([]float32{1, 2}, []float32{3, 4})
	use(t, "portable")
	dst := MakeRows(1, 2)
	linear.Apply(dst, Rows{[]float32{10}, 1}, 1, false)
	require.Equal(t, []float32{31, 42}, dst.Data)
}
