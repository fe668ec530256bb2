package league

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/messages"
	"croupier/messages/bus"
)

// promotions are those that the broker has, and those in the run directory.
func (c *cluster) promotions() (broker, file []*messages.Promotion) {
	for number := uint64(1); ; number++ {
		entry, err := c.bus.State().Get(c.t.Context(), messages.PromotionKey(number))
		if errors.Is(err, bus.ErrNotFound) {
			break
		}
		require.NoError(c.t, err)
		p, err := messages.ParsePromotion(entry.Value)
		require.NoError(c.t, err)
		broker = append(broker, p)
	}
	doc, err := os.ReadFile(filepath.Join(c.dir, promotionsName))
	require.NoError(c.t, err)
	file, err = messages.ParsePromotions(doc)
	require.NoError(c.t, err)
	return broker, file
}

// Promotions are kept twice, and either copy restores the other; what is left of the ladder
// is the same to the byte. Without both they are made again.
func TestPromotionsAreKeptTwice(t *testing.T) {
	inCluster(t, func(c *cluster) {
		c.startActor()
		stop := c.start(c.options())
		for range 12 {
			c.learn()
			time.Sleep(30 * time.Second)
		}
		require.NoError(t, stop())
		want := c.ladder()
		broker, file := c.promotions()
		require.Equal(t, broker, file)
		require.Greater(t, len(broker), 2)
		require.Equal(t, "main@1", broker[0].Agent)
		for i, p := range broker[1:] {
			require.Equal(t, broker[i].Agent, p.Over)
		}
		best, _ := want.Best()
		require.Equal(t, broker[len(broker)-1].Agent, best.Name)

		path := filepath.Join(c.dir, promotionsName)
		forget := func(numbers ...int) error {
			for _, n := range numbers {
				if err := c.bus.State().Delete(c.t.Context(), messages.PromotionKey(uint64(n))); err != nil {
					return err
				}
			}
			return nil
		}
		all := func() (numbers []int) {
			for i := range broker {
				numbers = append(numbers, i+1)
			}
			return numbers
		}()
		for name, prepare := range map[string]func() error{
			"no file":             func() error { return os.Remove(path) },
			"half a file":         func() error { return os.WriteFile(path, []byte("{\"number\": 1"), 0o644) },
			"the broker lost one": func() error { return forget(2) },
			"the broker lost all": func() error { return forget(all...) },
			"both lost all":       func() error { return errors.Join(forget(all...), os.Remove(path)) },
			"both and the snapshot": func() error {
				return errors.Join(forget(all...), os.Remove(path), os.Remove(filepath.Join(c.dir, snapshotName)))
			},
		} {
			require.NoError(t, prepare(), name)
			stop := c.start(c.options())
			time.Sleep(time.Minute)
			require.NoError(t, stop(), name)
			require.Equal(t, want, c.ladder(), name)
			again, file := c.promotions()
			require.Equal(t, again, file, name)
			require.Len(t, again, len(broker), name)
			for i, p := range again {
				p.Result, p.References = broker[i].Result, broker[i].References // what was known at the time
			}
			require.Equal(t, broker, again, name)
		}
		require.Contains(t, c.log.String(), "broker has lost a promotion")
	})
}

// A league that ends while a promotion is being recorded makes it all the same, once.
func TestCrashWhileAPromotionIsRecorded(t *testing.T) {
	for name, recorded := range map[string]bool{"before the broker has it": false, "before the league knows": true} {
		inCluster(t, func(c *cluster) {
			var failing atomic.Bool
			o := c.options()
			o.Bus = forgetfulBus{c.bus, &failing, recorded}
			c.startActor()
			stop := c.start(o)
			c.learn()
			time.Sleep(time.Minute)
			failing.Store(true)
			for range 6 {
				c.learn()
				time.Sleep(time.Minute)
			}
			require.NoError(t, stop())
			best, _ := c.ladder().Best()
			require.Equal(t, "main@1", best.Name, name)

			c.start(c.options())
			time.Sleep(time.Minute)
			best, _ = c.ladder().Best()
			require.NotEqual(t, "main@1", best.Name, name)
			broker, file := c.promotions()
			require.Equal(t, broker, file, name)
			require.Greater(t, len(broker), 1)
			require.Equal(t, "main@1", broker[1].Over, name)
		})
	}
}

// forgetfulBus loses promotions, or reports none of them.
type forgetfulBus struct {
	bus.Bus
	failing  *atomic.Bool
	recorded bool
}

func (b forgetfulBus) State() bus.KV { return forgetfulKV{b.Bus.State(), b} }

type forgetfulKV struct {
	bus.KV
	bus forgetfulBus
}

func (kv forgetfulKV) Update(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	if kv.bus.failing.Load() && strings.HasPrefix(key, messages.PromotionPrefix) && !kv.bus.recorded {
		return 0, errDeaf
	}
	return kv.KV.Update(ctx, key, value, revision)
}

func (kv forgetfulKV) Watch(ctx context.Context, prefix string) (<-chan bus.Entry, error) {
	entries, err := kv.KV.Watch(ctx, prefix)
	if err != nil || prefix != messages.PromotionPrefix {
		return entries, err
	}
	told := make(chan bus.Entry)
	go func() {
		defer close(told)
		for e := range entries {
			if kv.bus.failing.Load() {
				continue
			}
			select {
			case told <- e:
			case <-ctx.Done():
				return
			}
		}
	}()
	return told, nil
}
