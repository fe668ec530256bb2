package broker

import (
	"testing"

	"github.com/nats-io/nkeys"
	"github.com/stretchr/testify/require"
)

// The seed proves what the public key checks.
func TestNewUser(t *testing.T) {
	public, seed, err := NewUser()
	require.NoError(t, err)
	pair, err := nkeys.FromSeed(seed)
	require.NoError(t, err)
	got, err := pair.PublicKey()
	require.NoError(t, err)
	require.Equal(t, public, got)
}
