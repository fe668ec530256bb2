package league

import (
	"math"
	"testing"

	"croupier/league/rating"

	"github.com/stretchr/testify/require"
)

func TestConfigValidation(t *testing.T) {
	require.NoError(t, DefaultConfig().Validate())
	for key, spoil := range map[string]func(*Config){
		"freeze_updates":  func(c *Config) { c.FreezeUpdates = 0 },
		"population":      func(c *Config) { c.Population = -1 },
		"ladder_members":  func(c *Config) { c.LadderMembers = 1001 },
		"keep_members":    func(c *Config) { c.KeepMembers = 0 },
		"pool":            func(c *Config) { c.Pool = 0 },
		"outstanding":     func(c *Config) { c.Outstanding = 0 },
		"match_sets":      func(c *Config) { c.MatchSets = rating.MaxMatchSets + 1 },
		"reference_sets":  func(c *Config) { c.ReferenceSets = 0 },
		"gate_sets":       func(c *Config) { c.GateSets = 0 },
		"gate_max_sets":   func(c *Config) { c.GateMaxSets = c.GateSets - 1 },
		"gate_gain":       func(c *Config) { c.GateGain = math.NaN() },
		"gate_error":      func(c *Config) { c.GateError = 0.5 },
		"final_sets":      func(c *Config) { c.FinalSets = c.ReferenceSets - 1 },
		"max_sets":        func(c *Config) { c.MaxSets = 0 },
		"self_play":       func(c *Config) { c.SelfPlay = math.NaN() },
		"priority_power":  func(c *Config) { c.PriorityPower = -1 },
		"aim":             func(c *Config) { c.Aim = "all" },
		"precision":       func(c *Config) { c.Precision = 0 },
		"money_precision": func(c *Config) { c.MoneyPrecision = math.Inf(1) },
		"result_bytes":    func(c *Config) { c.ResultBytes = 0 },
		"match_timeout":   func(c *Config) { c.MatchTimeout = 0 },
	} {
		c := DefaultConfig()
		spoil(&c)
		require.ErrorContains(t, c.Validate(), key+":")
	}
}
