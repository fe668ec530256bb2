package broker

import (
	"fmt"

	"github.com/nats-io/nats-server/v2/server"
)

// What one key may take of the broker. An actor has one connection with some ten subscriptions, and for most of a
// minute those of its starts before; a page has one for each run that it shows. Each limit is many times that, and
// small enough that a key at all of them takes some hundred MiB.
const (
	mostKeyConnections = 32
	mostSubscriptions  = 1024 // of a connection with a key that has an account to itself
	mostKeyLinks       = 16   // of a leaf's key

	// mostOfAll is how many subscriptions a connection may have whose key may do everything, or that needs none.
	mostOfAll = 64 << 10
	// mostPending is how many bytes may wait for a client that reads too slowly before it is cut off: four times what
	// it asks for at a time (bus.readAheadBytes).
	mostPending = 16 << 20
)

// newAccount returns an account for a key. NATS's own way to say what an account may take is its configuration; its Go
// interface has none.
func newAccount(name string) (*server.Account, error) {
	parsed := &server.Options{}
	err := parsed.ProcessConfigString(fmt.Sprintf(
		"accounts { KEY { limits { max_connections: %d, max_subscriptions: %d, max_leafnodes: %d } } }",
		mostKeyConnections, mostSubscriptions, mostKeyLinks))
	if err != nil {
		return nil, err
	}
	parsed.Accounts[0].Name = name
	return parsed.Accounts[0], nil
}
