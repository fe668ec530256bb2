package broker

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"
)

const storedMessages = 12

func storedMessage(i int) string { return fmt.Sprintf("message number %02d", i) }

// store fills the stream S of a broker, and returns its block. Message 3 is deleted, and 4 erased.
func store(t *testing.T, dir string) (path string, block []byte) {
	t.Helper()
	b := start(t, Options{Dir: dir})
	js := client(t, b)
	stream, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "S", Subjects: []string{"s"}})
	require.NoError(t, err)
	for i := 1; i <= storedMessages; i++ {
		var options []jetstream.PublishOpt
		if i%2 == 0 { // it has headers
			options = append(options, jetstream.WithMsgID(fmt.Sprint(i)))
		}
		_, err = js.Publish(t.Context(), "s", []byte(storedMessage(i)), options...)
		require.NoError(t, err)
	}
	require.NoError(t, stream.DeleteMsg(t.Context(), 3))
	require.NoError(t, stream.SecureDeleteMsg(t.Context(), 4))
	b.Shutdown()
	files, err := filepath.Glob(filepath.Join(dir, "jetstream", "*", "streams", "S", "msgs", "1.blk"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	block, err = os.ReadFile(files[0])
	require.NoError(t, err)
	return files[0], block
}

// One flipped bit of a stored message costs this message alone: the broker starts, has all others, and takes more.
func TestDamagedMessagesAreDropped(t *testing.T) {
	for damage, at := range map[string]func(text int) int{
		"its text":     func(text int) int { return text },
		"its sequence": func(text int) int { return text - len("s") - recordHeader + 4 + 3 }, // larger by 2^26
		"its length":   func(text int) int { return text - len("s") - recordHeader },
	} {
		t.Run(damage, func(t *testing.T) {
			dir := t.TempDir()
			path, block := store(t, dir)
			damaged := bytes.Clone(block)
			damaged[at(bytes.Index(block, []byte(storedMessage(7))))] ^= 4
			require.NoError(t, os.WriteFile(path, damaged, 0o600))

			js := client(t, start(t, Options{Dir: dir}))
			stream, err := js.Stream(t.Context(), "S")
			require.NoError(t, err)
			for i := 1; i <= storedMessages; i++ {
				message, err := stream.GetMsg(t.Context(), uint64(i))
				if i == 3 || i == 4 || i == 7 {
					require.ErrorIs(t, err, jetstream.ErrMsgNotFound, "message %d", i)
					continue
				}
				require.NoError(t, err, "message %d", i)
				require.Equal(t, storedMessage(i), string(message.Data))
			}
			ack, err := js.Publish(t.Context(), "s", []byte("more"))
			require.NoError(t, err)
			require.EqualValues(t, storedMessages+1, ack.Sequence)
			aside, err := os.ReadFile(filepath.Join(filepath.Dir(filepath.Dir(path)), "1.blk.damaged-1"))
			require.NoError(t, err)
			require.Equal(t, damaged, aside)
		})
	}
}

// What is intact, or only cut off as by a kill, is left to the server.
func TestIntactBlocksStay(t *testing.T) {
	dir := t.TempDir()
	path, block := store(t, dir)
	for _, content := range [][]byte{block, block[:len(block)-3], append(bytes.Clone(block), 1, 2, 3), nil} {
		require.NoError(t, os.WriteFile(path, content, 0o600))
		require.NoError(t, dropDamagedMessages(dir, quiet))
		now, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, string(content), string(now))
	}
	older := filepath.Join(filepath.Dir(path), "0.blk")
	require.NoError(t, os.WriteFile(older, []byte("cmp\x01compressed"), 0o600))
	require.NoError(t, dropDamagedMessages(dir, quiet))
	require.FileExists(t, older)
	files, err := filepath.Glob(filepath.Join(filepath.Dir(filepath.Dir(path)), "*.damaged-*"))
	require.NoError(t, err)
	require.Empty(t, files)
}

// Whatever single bit is flipped: no record changes, and two are lost at most. The length of a subject alone is in no
// checksum.
func TestAFlippedBitCostsLittle(t *testing.T) {
	_, block := store(t, t.TempDir())
	whole, places, _ := intactRecords(block, "S-1")
	require.Zero(t, places)
	require.Equal(t, block, whole)
	longest := recordHeader + len("s") + 100
	for at := range block {
		for bit := range 8 {
			damaged := bytes.Clone(block)
			damaged[at] ^= 1 << bit
			intact, places, _ := intactRecords(damaged, "S-1")
			if places == 0 {
				require.Equal(t, damaged, intact)
				continue
			}
			require.Equal(t, 1, places, "byte %d", at)
			lost := len(block) - len(intact)
			require.Less(t, lost, 2*longest, "byte %d", at)
			begin := 0
			for begin < len(intact) && intact[begin] == block[begin] {
				begin++
			}
			require.Equal(t, block[lost+begin:], intact[begin:], "byte %d", at)
		}
	}
}
