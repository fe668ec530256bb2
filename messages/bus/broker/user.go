package broker

import (
	"fmt"
	"slices"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
)

// NewUser makes a pair of keys (an nkey of NATS, Ed25519) with which a client proves who it
// is: the public one is for [Options].NKeys, the seed for a file of the client's.
func NewUser() (public string, seed []byte, err error) {
	pair, err := nkeys.CreateUser()
	if err != nil {
		return "", nil, fmt.Errorf("new key: %w", err)
	}
	defer pair.Wipe()
	if public, err = pair.PublicKey(); err != nil {
		return "", nil, fmt.Errorf("new key: %w", err)
	}
	own, err := pair.Seed()
	if err != nil {
		return "", nil, fmt.Errorf("new key: %w", err)
	}
	return public, slices.Clone(own), nil // the pair wipes its own
}

// user is a key pair.
type user struct{ public, seed string }

// dialItself connects with the broker from within, by the key that only this process has.
func (b *Broker) dialItself(name string, more ...nats.Option) (*nats.Conn, error) {
	sign := func(nonce []byte) ([]byte, error) {
		pair, err := nkeys.FromSeed([]byte(b.opts.own.seed))
		if err != nil {
			return nil, err
		}
		return pair.Sign(nonce)
	}
	return nats.Connect("", append(more,
		nats.InProcessServer(b), nats.Name(name), nats.Nkey(b.opts.own.public, sign), nats.MaxReconnects(-1))...)
}
