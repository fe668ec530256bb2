package league

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// However long a rating takes, the league does other things nine tenths of the time, and then rates what has come.
func TestRatingTakesATenthOfTheTimeAtMost(t *testing.T) {
	w := newWorld(t, testConfig(), 2, 1)
	w.step(caughtUp{})
	w.learn(1)
	w.tick()
	w.step(worked{3 * time.Second})
	began, games := w.now, w.ladder.Agents
	for w.now < began+29*time.Second {
		if len(w.queue) > 0 {
			w.play(0)
		}
		w.tick()
		require.Equal(t, games, w.ladder.Agents, "%v after a rating", w.now-began)
	}
	require.NotEmpty(t, w.results)
	w.tick()
	require.NotEqual(t, games, w.ladder.Agents)
	w.step(worked{50 * time.Millisecond})
	w.play(0)
	before := w.ladder
	w.tick()
	require.NotSame(t, before, w.ladder, "a short one is followed in the next second")
}
