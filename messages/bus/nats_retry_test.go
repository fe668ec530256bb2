package bus

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"
)

// A request that waits for an answer when the connection breaks is sent again at
// once: it will not be answered.
func TestRequestsEndWithTheConnection(t *testing.T) {
	t.Parallel()
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

// A request ends as soon as the broker reports that the key does not allow to publish to its subject, and only that
// one.
func TestARefusalEndsItsRequest(t *testing.T) {
	t.Parallel()
	b := &natsBus{log: slog.New(slog.DiscardHandler)}
	b.ctx, b.cancel = context.WithCancel(t.Context())
	defer b.cancel()
	b.link.begin(b.ctx)
	refuse := func(subject string) {
		b.forbidden.add(fmt.Errorf("%w: Permissions Violation for Publish to %q", nats.ErrPermissionViolation, subject))
	}
	for _, subject := range []string{"croupier.test.matches.m", ""} { // "": any
		err := b.send(t.Context(), "publish", subject, func(ctx context.Context) error {
			if subject != "" {
				refuse("croupier.test.results.m")
				require.NoError(t, ctx.Err(), "another request is refused")
			}
			refuse("croupier.test.matches.m")
			<-ctx.Done()
			require.ErrorIs(t, context.Cause(ctx), nats.ErrPermissionViolation)
			return ctx.Err()
		})
		require.ErrorIs(t, err, nats.ErrPermissionViolation)
		require.ErrorContains(t, err, "croupier.test.matches.m")
	}
	require.Empty(t, b.forbidden.waiting)
}

// patient takes its time to connect.
type patient struct{}

func (patient) Dial(network, address string) (net.Conn, error) { return net.Dial(network, address) }

// What listens at an address and does not greet as a broker does, such as a page, is reported as that.
func TestWhatIsNoBrokerIsNamed(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	_, err = nats.Connect("nats://"+listener.Addr().String(), nats.Timeout(20*time.Millisecond),
		nats.SetCustomDialer(patient{})) // the time is for the greeting alone
	require.Error(t, err)
	require.True(t, unreachable(err), "a broker may come")
	require.Contains(t, (&NATSOptions{}).explained(err).Error(), "does not greet as a broker does")
}
