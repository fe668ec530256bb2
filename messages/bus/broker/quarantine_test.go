package broker

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"croupier/messages"
)

// TestKeysOfActorsInQuarantine: the key of an actor that is quarantined counts no more, in whatever order the run and
// its broker begin, also after the file with the keys is read again, and until it is lifted. No other actor notices.
func TestKeysOfActorsInQuarantine(t *testing.T) {
	before := goleak.IgnoreCurrent()
	t.Cleanup(func() { goleak.VerifyNone(t, before) }) // after all connections are closed
	set, err := CreateSet(filepath.Join(t.TempDir(), "set"), "evening")
	require.NoError(t, err)
	for _, name := range []string{"actor-1", "actor-2"} {
		require.NoError(t, set.Add(name, messages.ActorRole))
	}
	require.NoError(t, set.Add("anna", ContributorRole))
	dir := t.TempDir()
	options := Options{
		Dir: dir, Credentials: filepath.Join(set.Dir, PublicFile), Listen: "127.0.0.1:0",
	}
	b := start(t, options)
	connect := func(name string) (*nats.Conn, error) {
		own, err := nats.NkeyOptionFromSeed(set.Seed(name))
		require.NoError(t, err)
		conn, err := nats.Connect(b.URL(), own, nats.NoReconnect(), nats.CustomInboxPrefix("_INBOX_"+name))
		if err == nil {
			t.Cleanup(conn.Close)
		}
		return conn, err
	}
	in := func(name string) bool {
		conn, err := connect(name)
		if err == nil {
			conn.Close()
		}
		return err == nil
	}
	becomes := func(name string, want bool) {
		t.Helper()
		require.Eventually(t, func() bool { return in(name) == want }, time.Minute, 50*time.Millisecond)
	}
	state := func() jetstream.KeyValue {
		conn, err := connect(OperatorRole)
		require.NoError(t, err)
		js, err := jetstream.New(conn)
		require.NoError(t, err)
		kv, err := js.CreateOrUpdateKeyValue(t.Context(), jetstream.KeyValueConfig{Bucket: "CROUPIER_evening_STATE"})
		require.NoError(t, err)
		return kv
	}
	kv := state()
	flooder, err := connect("actor-1")
	require.NoError(t, err)
	other, err := connect("actor-2")
	require.NoError(t, err)
	for _, name := range []string{"actor-1", "anna", "learner"} { // a learner that somebody calls an actor stays
		_, err = kv.Put(t.Context(), messages.QuarantineKey(name), []byte(`{}`))
		require.NoError(t, err)
	}
	require.Eventually(t, flooder.IsClosed, time.Minute, 10*time.Millisecond, "it is cut off")
	becomes("anna", false)
	require.False(t, in("actor-1"))
	require.True(t, in("learner"))
	require.NoError(t, set.Rotate("actor-2"))
	require.NoError(t, b.Reload())
	require.False(t, in("actor-1"))
	require.NoError(t, other.Flush(), "an actor that is not quarantined notices nothing")

	b.Shutdown()
	b = start(t, options)
	becomes("actor-1", false)
	require.NoError(t, state().Delete(t.Context(), messages.QuarantineKey("actor-1")))
	becomes("actor-1", true)
	require.False(t, in("anna"))
	b.Shutdown()
}
