package bustest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/messages/bus"
)

// Datagrams reach all subscribers, in order, and none that subscribes afterwards.
func datagrams(t *testing.T, ctx context.Context, b bus.Bus) {
	require.NoError(t, b.Send(ctx, "group.main", []byte("nobody listens")))
	leaving, leave := context.WithCancel(ctx)
	first, err := b.Subscribe(leaving, "group.main")
	require.NoError(t, err)
	second, err := b.Subscribe(ctx, "group.main")
	require.NoError(t, err)
	other, err := b.Subscribe(ctx, "group.other")
	require.NoError(t, err)
	data := make([]byte, 100_000)
	for i := range 50 {
		data[0] = byte(i)
		require.NoError(t, b.Send(ctx, "group.main", data))
	}
	for i := range 50 {
		for _, subscription := range []<-chan []byte{first, second} {
			m := receive(t, subscription)
			require.Len(t, m, len(data))
			require.EqualValues(t, i, m[0])
		}
	}
	leave()
	for range first { // nothing more comes, and it is closed
	}
	require.NoError(t, b.Send(ctx, "group.other", []byte("end")))
	require.Equal(t, "end", string(receive(t, other)), "only its own notice")
	several, err := b.Subscribe(ctx, "group.one", "group.two")
	require.NoError(t, err)
	for i := range 20 {
		require.NoError(t, b.Send(ctx, []string{"group.one", "group.two"}[i%2], []byte{byte(i)}))
	}
	for i := range 20 {
		require.Equal(t, []byte{byte(i)}, receive(t, several), "of several subjects, in order")
	}

	all, err := b.SubscribeAll(ctx, "group.*")
	require.NoError(t, err)
	require.NoError(t, b.Send(ctx, "group.main.more", nil), "it has a token more")
	require.NoError(t, b.Send(ctx, "groups.main", nil))
	for _, subject := range []string{"group.third", "group.fourth"} {
		require.NoError(t, b.Send(ctx, subject, []byte(subject)))
		require.Equal(t, bus.Datagram{Subject: subject, Data: []byte(subject)}, receive(t, all))
	}
	for _, filter := range []string{"", "group.>", "group.", "a b"} {
		_, err := b.SubscribeAll(ctx, filter)
		require.Error(t, err, fmt.Sprintf("%q", filter))
	}

	for _, subject := range []string{"", "a.", "*", "a.>", "a b", strings.Repeat("x", 65)} {
		require.Error(t, b.Send(ctx, subject, nil), fmt.Sprintf("%q", subject))
		_, err := b.Subscribe(ctx, "group.main", subject)
		require.Error(t, err, fmt.Sprintf("%q", subject))
	}
	require.ErrorContains(t, b.Send(ctx, "a", make([]byte, bus.MaxDatagram+1)), "more than the limit")
	require.NoError(t, b.Close())
	require.ErrorIs(t, b.Send(ctx, "a", nil), bus.ErrClosed)
	_, open := <-second
	require.False(t, open)
}
