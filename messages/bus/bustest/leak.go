package bustest

import "go.uber.org/goleak"

// LeftByNATS passes over a goroutine that nats.go 1.55 may leave behind: an object store's Put that ends before it has
// run takes away the channel that would end it.
func LeftByNATS() goleak.Option {
	return goleak.IgnoreTopFunction("github.com/nats-io/nats.go/jetstream.(*jetStream).resetPendingAcksOnReconnect")
}
