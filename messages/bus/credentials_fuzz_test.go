package bus

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/nats-io/nkeys"
	"github.com/stretchr/testify/require"
)

// Of whatever file --creds names there is either the public key of a user, with which a nonce is signed, or an error
// that names the file and holds nothing of it.
func FuzzCredential(f *testing.F) {
	pair, err := nkeys.CreateUser()
	require.NoError(f, err)
	seed, err := pair.Seed()
	require.NoError(f, err)
	f.Add(seed)
	f.Add(append([]byte("# Croupier credential: whoever has this file is anna of run r.\n# run: r\n# role: contributor\n# name: anna\n"), seed...))
	f.Add([]byte("-----BEGIN NATS USER JWT-----\ne30\n------END NATS USER JWT------\n\n-----BEGIN USER NKEY SEED-----\nSUA\n------END USER NKEY SEED------\n"))
	f.Add([]byte("# run: : \n# name: \xff\nSUAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "key")
		require.NoError(t, os.WriteFile(path, data, 0o600))
		_, reads := ReadCredential(path)
		public, err := readPublicKey(path)
		signature, signs := sign(path, []byte("nonce"))
		require.Equal(t, err == nil, signs == nil)
		if err != nil {
			require.ErrorContains(t, err, path)
			require.True(t, reads != nil || isCreds(data))
			return
		}
		require.NoError(t, reads)
		key, err := nkeys.FromPublicKey(public)
		require.NoError(t, err)
		require.NoError(t, key.Verify([]byte("nonce"), signature))
	})
}
