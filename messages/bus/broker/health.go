package broker

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nats-io/nats-server/v2/server"
)

// Healthy reports what is wrong with the broker's streams: a disk that was full, a
// store that could not be read, a cluster without a leader, or a leaf's hub that cannot be reached.
func (b *Broker) Healthy() error {
	if b.opts.Leaf.Hub != "" && b.server.NumLeafNodes() == 0 {
		return errors.New("no link to the hub")
	}
	h := looked(func() *server.HealthStatus { return b.server.Healthz(&server.HealthzOptions{}) })
	if h.StatusCode != 200 {
		return fmt.Errorf("broker %s: %s", h.Status, h.Error)
	}
	return nil
}

// looked asks the server for its health until it has looked whether it listens. It has a millisecond for that, which on
// a busy machine may be over before the first look; then its error names no listener.
func looked(ask func() *server.HealthStatus) (h *server.HealthStatus) {
	for range 20 {
		h = ask()
		if !strings.HasPrefix(h.Error, "failed to be ready for connections") || !strings.HasSuffix(h.Error, ": ") {
			break
		}
	}
	return h
}

// Stopped reports which part of the broker works no more until it is started again, as a stream that could not be
// written does. A broker that catches up with the others, however long, or waits for them, has not stopped.
func (b *Broker) Stopped() error {
	for _, problem := range b.server.Healthz(&server.HealthzOptions{Details: true}).Errors {
		if isFinal(problem.Error) {
			return fmt.Errorf("broker: %s", problem.Error)
		}
	}
	return nil
}

// isFinal reports whether what the server says of its health lasts until it is started again.
func isFinal(problem string) bool {
	return slices.ContainsFunc([]string{"write error", "apply error", "not running", "skew"}, func(words string) bool {
		return strings.Contains(problem, words)
	})
}

// Unread reports why the file with the public keys, or that of a certificate, as it is now, does not count; nil while
// they do. What was read before counts meanwhile, also keys that are no longer in the file.
func (b *Broker) Unread() (err error) {
	if problem := b.unread.Load(); problem != nil {
		err = *problem
	}
	return errors.Join(err, b.opts.TLS.unread(), b.opts.Cluster.TLS.unread())
}

// noteRead notes whether the file with the public keys counts, and returns the error.
func (b *Broker) noteRead(err error) error {
	if err == nil {
		b.unread.Store(nil)
		return nil
	}
	err = fmt.Errorf("credentials not read; the previous keys stay valid: %w", err)
	b.unread.Store(&err)
	return err
}
