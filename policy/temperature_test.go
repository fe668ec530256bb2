package policy

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTemperatureNamesAgents(t *testing.T) {
	for name, want := range map[string]struct {
		temperature Temperature
		network     string
	}{
		"main@12":                       {Sampled, "main@12"},
		"file:a.ckpt":                   {Sampled, "file:a.ckpt"},
		"greedy:main@12":                {Greedy, "main@12"},
		"greedy:file:dir/a.ckpt":        {Greedy, "file:dir/a.ckpt"},
		"temperature(0.5):main@12":      {0.5, "main@12"},
		"temperature(10):file:x":        {10, "file:x"},
		"threshold(100)":                {Sampled, "threshold(100)"},
		"search(1,64):greedy:main@12":   {Sampled, "search(1,64):greedy:main@12"},
		"temperature(0.25):greedy:main": {0.25, "greedy:main"},
	} {
		temperature, network, err := CutTemperature(name)
		require.NoError(t, err, name)
		require.Equal(t, want.temperature, temperature, name)
		require.Equal(t, want.network, network, name)
		require.Equal(t, name, temperature.Of(network))
	}
}

func TestCutTemperatureRefuses(t *testing.T) {
	for name, want := range map[string]string{
		"greedy:":                   "does not say which network",
		"temperature(0.5):":         "does not say which network",
		"temperature:main@1":        "one number above 0",
		"temperature(0):main@1":     "one number above 0",
		"temperature(-1):main@1":    "one number above 0",
		"temperature(11):main@1":    "one number above 0",
		"temperature(1,2):main@1":   "one number above 0",
		"temperature(hot):main@1":   "not a number",
		"temperature(1):main@1":     `is called "main@1"`,
		"temperature(0.50):main@12": `is called "temperature(0.5):main@12"`,
	} {
		_, _, err := CutTemperature(name)
		require.ErrorContains(t, err, want, name)
	}
}

func TestTemperatureInWords(t *testing.T) {
	require.Equal(t, "greedy", Greedy.String())
	require.Equal(t, "sampled", Sampled.String())
	require.Equal(t, "temperature 0.5", Temperature(0.5).String())
}
