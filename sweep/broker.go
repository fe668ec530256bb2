package sweep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"croupier/cluster"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/sweep/crew"

	"golang.org/x/sync/errgroup"
)

// commonRun is in the place of a run's name where sweeps and workers meet on a broker without keys. A key names its
// own.
const commonRun = "sweeps"

// Broker reports where a sweep and its workers meet.
type Broker struct {
	cluster.Broker
	Log *slog.Logger
}

// meet connects to the broker for as long as do works. name is that of the key, if it has one.
func (b Broker) meet(
	ctx context.Context, role string, do func(ctx context.Context, m bus.Messenger, name string) error,
) error {
	var key bus.Credential
	if b.Credentials != "" {
		var err error
		if key, err = bus.ReadCredential(b.Credentials); err != nil {
			return err
		}
		if !slices.Contains([]string{"", role, cluster.OperatorRole}, key.Role) {
			return fmt.Errorf("the key in %s is that of a role %s: croupier broker credentials add FOLDER NAME --%s makes one",
				b.Credentials, key.Role, role)
		}
	}
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	m, err := b.Messenger(ctx, cmp.Or(key.Run, commonRun), role, end, b.Log)
	if err != nil {
		return err
	}
	defer m.Close()
	err = do(ctx, m, key.Name)
	if cause := context.Cause(ctx); errors.Is(cause, bus.ErrRevoked) {
		return cause
	}
	return err
}

// RunAway is Run with the runs played by the workers at a broker. note is called with each sentence about them.
func (s *Sweep) RunAway(ctx context.Context, b Broker, title string, note func(string)) error {
	return b.meet(ctx, messages.SweepRole, func(ctx context.Context, m bus.Messenger, _ string) error {
		s.desk = crew.NewDesk(crew.DeskOptions{
			Bus: m, Title: title, Version: cluster.Version(), Note: note, Period: s.pace.period, Silence: s.pace.silence,
		})
		group, ctx := errgroup.WithContext(ctx)
		ctx, done := context.WithCancel(ctx)
		group.Go(func() error {
			if err := s.desk.Run(ctx); ctx.Err() == nil {
				return err
			}
			return nil
		})
		group.Go(func() error { defer done(); return s.Run(ctx) })
		return group.Wait()
	})
}

// pace is how often sweep and workers report to each other, and how long one of them may be silent. Zero stands
// for the defaults; tests are faster.
type pace struct{ period, silence time.Duration }

// hostName is the name of a worker without a key: that of the machine, as a token.
func hostName() string {
	host, err := os.Hostname()
	if err != nil || host == "" {
		return "worker"
	}
	host = strings.Map(func(r rune) rune {
		if messages.CheckToken(string(r)) != nil {
			return '-'
		}
		return r
	}, host)
	return host[:min(len(host), messages.MaxToken)]
}
