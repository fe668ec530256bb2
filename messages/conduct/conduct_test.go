package conduct

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"croupier/messages"
	"croupier/messages/bus"
	"croupier/messages/bus/memory"
)

var (
	quiet   = slog.New(slog.DiscardHandler)
	illegal = &messages.Refusal{Reason: messages.ReasonIllegal, Detail: "step 3"}
)

// following returns a book that follows its bucket until the test ends.
func following(t *testing.T, b bus.Bus, role string) *Monitor {
	book := NewMonitor(Config{Offences: 3, Window: time.Minute}, b.State(), role, quiet)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); book.Run(ctx) }()
	t.Cleanup(func() { stop(); <-done })
	return book
}

func open(t *testing.T) bus.Bus {
	b := memory.New(bus.Options{})
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	return b
}

func eventually(t *testing.T, check func(t *assert.CollectT)) {
	t.Helper()
	require.EventuallyWithT(t, check, time.Minute, 5*time.Millisecond)
}

// TestQuarantineIsForAllRoles has the learner decide and the league follow; a lift
// forgives all.
func TestQuarantineIsForAllRoles(t *testing.T) {
	b := open(t)
	learner, league := following(t, b, messages.LearnerRole), following(t, b, messages.LeagueRole)
	for range 2 {
		learner.Offence("lab", illegal)
	}
	require.False(t, learner.Quarantined("lab"))
	learner.Offence("lab", illegal)
	require.True(t, learner.Quarantined("lab"), "at once")
	eventually(t, func(t *assert.CollectT) { require.True(t, league.Quarantined("lab")) })
	require.False(t, league.Quarantined("other"))

	records, err := List(t.Context(), b.State())
	require.NoError(t, err)
	require.Len(t, records, 1)
	require.Equal(t, "lab", records[0].Actor)
	require.Equal(t, "illegal", records[0].Reason)
	require.Equal(t, 3, records[0].Offences)
	require.Equal(t, messages.LearnerRole, records[0].By)
	require.Contains(t, records[0].Detail, "step 3")

	require.NoError(t, Lift(t.Context(), b.State(), "lab"))
	eventually(t, func(t *assert.CollectT) {
		require.False(t, learner.Quarantined("lab"))
		require.False(t, league.Quarantined("lab"))
	})
	learner.Offence("lab", illegal)
	require.False(t, learner.Quarantined("lab"), "it begins again")
	require.ErrorIs(t, Lift(t.Context(), b.State(), "lab"), bus.ErrNotFound)
	require.Error(t, Lift(t.Context(), b.State(), "../config"))
}

// TestANewStartKnowsWhoIsQuarantined opens a second book later.
func TestANewStartKnowsWhoIsQuarantined(t *testing.T) {
	b := open(t)
	first := following(t, b, messages.LearnerRole)
	for range 3 {
		first.Offence("lab", errors.New("anything"))
	}
	eventually(t, func(t *assert.CollectT) {
		_, err := b.State().Get(context.Background(), messages.QuarantineKey("lab"))
		require.NoError(t, err)
	})
	second := following(t, b, messages.LearnerRole)
	eventually(t, func(t *assert.CollectT) { require.True(t, second.Quarantined("lab")) })
}

func TestOffencesAreForgottenAfterTheWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		book := NewMonitor(Config{Offences: 3, Window: time.Minute}, nil, "learner", quiet)
		for range 10 {
			book.Offence("clumsy", illegal)
			time.Sleep(31 * time.Second)
		}
		require.False(t, book.Quarantined("clumsy"), "two in a minute")
		for range 3 {
			book.Offence("bad", illegal)
			time.Sleep(29 * time.Second)
		}
		require.True(t, book.Quarantined("bad"))
		require.Equal(t, 1, book.Count())
	})
}

func TestAnotherBuildIsNoOffence(t *testing.T) {
	book := NewMonitor(Config{Offences: 1, Window: time.Minute}, nil, "learner", quiet)
	for _, reason := range messages.Reasons {
		book.Offence(string(reason), &messages.Refusal{Reason: reason})
		require.Equal(t, !reason.Innocent(), book.Quarantined(string(reason)), reason)
	}
	for _, reason := range messages.Reasons {
		for range Excused {
			book.Offence(string(reason), &messages.Refusal{Reason: reason})
		}
		require.Equal(t, reason != messages.ReasonQuarantined, book.Quarantined(string(reason)),
			"every refusal has a price: %s", reason)
	}
	never := NewMonitor(Config{Offences: 0, Window: time.Minute}, nil, "learner", quiet)
	never.Offence("lab", illegal)
	require.False(t, never.Quarantined("lab"))
}

// TestInventedNamesTakeNoMemory invents more actors than are remembered.
func TestInventedNamesTakeNoMemory(t *testing.T) {
	book := NewMonitor(Config{Offences: 2, Window: time.Hour}, nil, "learner", quiet)
	for i := range 3 * maxOffenders {
		name := fmt.Sprint("invented-", i)
		book.Offence(name, illegal)
		book.Offence(name, illegal)
	}
	book.Offence("a name/with a path", illegal)
	book.Offence("a name/with a path", illegal)
	require.LessOrEqual(t, len(book.offenders), maxOffenders)
	require.Equal(t, maxQuarantined, book.Count())
	require.False(t, book.Quarantined("a name/with a path"))
}

func TestTheLogNamesAnActorOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		book := NewMonitor(Config{Offences: 0, Window: time.Hour}, nil, "learner", slog.New(slog.NewTextHandler(&log, nil)))
		for range 50 {
			book.Offence("lab", illegal)
		}
		require.Equal(t, 1, strings.Count(log.String(), "lab"))
		time.Sleep(logEvery)
		book.Offence("lab", illegal)
		require.Contains(t, log.String(), "offences=50")
	})
}

func TestConfig(t *testing.T) {
	require.NoError(t, DefaultConfig().Validate())
	require.ErrorContains(t, Config{Offences: -1, Window: 1}.Validate(), "offences: -1 is negative")
	require.ErrorContains(t, Config{}.Validate(), "window: 0s is not a positive duration")
	_, err := Parse([]byte("{"))
	require.Error(t, err)
}
