package cluster

import (
	"encoding/json"
	"path/filepath"
	"testing"
	"time"

	"croupier/games/standard"

	"github.com/stretchr/testify/require"

	"croupier/messages"
	"croupier/messages/conduct"
	"croupier/settings"
)

// TestOwnActorQuarantined: a run whose games are refused ends at once with the reason, also while it would train for an
// hour and then wait for matches that no actor plays.
func TestOwnActorQuarantined(t *testing.T) {
	plan, err := Run{Catalog: standard.Games,
		Dir: filepath.Join(t.TempDir(), "kuhn"), Game: "kuhn",
		Changes: settings.Changes{Set: []string{"learner.ppo.samples=1024", "actor.tables=8", "learner.workers=1"}},
	}.Plan(t.Context())
	require.NoError(t, err)
	c, err := Open(t.Context(), plan, Options{Workers: 1, Length: time.Hour})
	require.NoError(t, err)
	defer c.Close()
	ended := make(chan error, 1)
	go func() { ended <- c.Run(t.Context()) }()
	require.Eventually(t, func() bool { games, _ := c.Trained(); return games > 0 }, time.Minute, 10*time.Millisecond)

	quarantine := func(actor string) {
		value, err := json.Marshal(conduct.Quarantine{Actor: actor, By: messages.LearnerRole,
			Detail: "game 7: a made-up card"})
		require.NoError(t, err)
		_, err = c.bus.State().Put(t.Context(), messages.QuarantineKey(actor), value)
		require.NoError(t, err)
	}
	quarantine("stranger") // an actor of another machine: no reason to end
	games, _ := c.Trained()
	require.Eventually(t, func() bool { now, _ := c.Trained(); return now > games }, time.Minute, 10*time.Millisecond)
	require.Empty(t, ended)

	quarantine(c.id)
	require.EqualError(t, <-ended,
		"the learner refused this run's own games and quarantined its actor, so nothing more can be learnt: game 7: a made-up card")
	require.Equal(t, Training, c.phase.Load(), "no rating is waited for")
}

func TestStall(t *testing.T) {
	s := stall{patience: 3}
	looks := []struct {
		done           uint64
		excused, stops bool
	}{
		{0, false, false},
		{5, false, false}, // something was learnt
		{5, false, false},
		{5, false, false},
		{5, true, false}, // the disk is full: what was counted is forgotten
		{5, false, false},
		{5, false, false},
		{5, false, true},
	}
	for i, l := range looks {
		require.Equal(t, l.stops, s.look(l.done, l.excused), "look %d", i)
	}
}
