package bus

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A request that waits for an answer when the connection breaks is sent again at
// once: nobody will answer it.
func TestRequestsEndWithTheConnection(t *testing.T) {
	b := &natsBus{log: slog.New(slog.DiscardHandler)}
	b.ctx, b.cancel = context.WithCancel(t.Context())
	defer b.cancel()
	b.link.begin(b.ctx)
	requests := 0
	err := b.doWithin(t.Context(), time.Hour, "ask", func(ctx context.Context) error {
		if requests++; requests == 1 {
			b.disconnected(nil, nil)
			<-ctx.Done()
		}
		return ctx.Err()
	})
	require.NoError(t, err)
	require.Equal(t, 2, requests)
}
