package learner

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/nn"
	"croupier/nn/kernel"
)

// TestBF16Learns where the processor can multiply so, and elsewhere says so.
func TestBF16Learns(t *testing.T) {
	inBF16 := func(c *Config) { c.Precision = "bf16" }
	if kernel.HasBF16() {
		requireLearns(t, inBF16)
		return
	}
	o := testOptions(t)
	inBF16(&o.Config)
	n, err := nn.NewNetwork(o.Layout, o.Layout.Init(5))
	require.NoError(t, err)
	_, err = newPPO(o.Config.PPO, testSetup(o, n, 1))
	require.EqualError(t, err, "precision: bf16 needs a processor with AVX512-BF16, which this machine lacks: set learner.precision to fp32")
}
