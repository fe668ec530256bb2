package bus

import (
	"bytes"
	"os"

	"github.com/nats-io/nats.go"
)

// credentials returns the option for a file with a user's JWT and seed, or with an
// nkey seed alone.
func credentials(path string) (nats.Option, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	defer clear(data)
	if bytes.Contains(data, []byte("NATS USER JWT")) {
		return nats.UserCredentials(path), nil
	}
	return nats.NkeyOptionFromSeed(path)
}
