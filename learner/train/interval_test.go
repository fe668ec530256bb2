package train

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/internal/strict"
)

// An interval is a time or a number of updates, as they are written in files.
func TestIntervalsOfTimeOrUpdates(t *testing.T) {
	for text, want := range map[string]struct {
		time    time.Duration
		updates uint64
	}{
		"30s":           {30 * time.Second, 0},
		"1h30m":         {90 * time.Minute, 0},
		"10000":         {0, 10_000},
		"10000 updates": {0, 10_000},
		"1e4":           {0, 10_000},
		"1":             {0, 1},
	} {
		c := DefaultConfig()
		require.NoError(t, strict.YAML("checkpoint_interval: "+text).Decode(&c), text)
		require.NoError(t, c.Validate(), text)
		require.Equal(t, want.time, c.CheckpointInterval.Time(), text)
		require.Equal(t, want.updates, c.CheckpointInterval.Updates(), text)
	}
	for _, wrong := range []Interval{
		"", "0", "0s", "-1", "-1s", "0.5", "30", "nan updates", "inf", "1e300", "10 games",
	} {
		require.Equal(t, wrong == "30", wrong.valid(), wrong)
	}
	require.Equal(t, time.Minute, Every(time.Minute).Time())
}
