package cluster

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/messages"
	"croupier/messages/bus"
	"croupier/messages/bus/memory"
	"croupier/messages/conduct"
)

// stuck is a bus whose buckets answer nothing until release is closed.
type stuck struct {
	bus.Bus
	asked   chan struct{}
	release chan struct{}
}

func (s *stuck) State() bus.KV {
	s.asked <- struct{}{}
	<-s.release
	return s.Bus.State()
}

// TestContributionsWhileTheBrokerIsSlow: one asks it, and the others wait no longer than they want to.
func TestContributionsWhileTheBrokerIsSlow(t *testing.T) {
	b := memory.New(bus.Options{})
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	ledger := &messages.Ledger{Schema: messages.SchemaVersion, Actor: "anna-0", Sequence: 1, Episodes: 7, Consumed: 5,
		Stale: 2}
	value, err := messages.Encode(ledger)
	require.NoError(t, err)
	_, err = b.State().Put(t.Context(), messages.LedgerKey("anna-0", messages.LearningAgent), value)
	require.NoError(t, err)

	slow := &stuck{b, make(chan struct{}, 10), make(chan struct{})}
	ask := contributionsOf(slow)
	answer := make(chan *conduct.Contributions, 1)
	go func() {
		c, err := ask(context.WithoutCancel(t.Context()))
		if err == nil {
			answer <- c
		}
		close(answer)
	}()
	<-slow.asked
	impatient, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = ask(impatient)
	require.ErrorIs(t, err, context.Canceled)
	require.Empty(t, slow.asked, "only one asks")
	close(slow.release)
	c := <-answer
	require.NotNil(t, c)
	require.Equal(t, []conduct.Contribution{{Actor: messages.ActorOf("anna-0"),
		Games: conduct.Games{Consumed: 5, Stale: 2}}}, c.Actors)

	before := len(slow.asked)
	again, err := ask(t.Context())
	require.NoError(t, err)
	require.Same(t, c, again, "an answer is kept for a while")
	require.Len(t, slow.asked, before)
}
