package learner

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"croupier/learner/train"
	"croupier/messages"
	"croupier/nn"
)

// A checkpoint with whatever metadata is the one that was written, or is refused.
func FuzzCheckpoint(f *testing.F) {
	f.Add(`{"version":3,"updates":30,"samples":300,"games":150,"seconds":4.5}`, "7", "010203", checkpointFormat,
		float32(1))
	f.Add(`{"version":-1}`, "x", "0", "", float32(0))
	f.Fuzz(func(t *testing.T, progress, steps, rng, format string, weight float32) {
		c := testCheckpoints(t, testOptions(t))
		s := testSnapshot(c, 3)
		s.Weights[0] = weight
		data, err := c.encode(s)
		require.NoError(t, err)
		metadata, tensors, err := nn.DecodeTensors(data)
		require.NoError(t, err)
		metadata[progressKey], metadata[adamStepsKey], metadata[rngKey], metadata[nn.FormatKey] = progress, steps, rng, format
		if data, err = nn.EncodeTensors(metadata, tensors); err != nil {
			return // not UTF-8
		}
		if s, err = c.decode(data); err == nil {
			require.True(t, train.Finite(s.Weights))
			_, err = c.encode(s)
			require.NoError(t, err)
		}
	})
}

// Of a folder with whatever manifest, a checkpoint that is intact is loaded, or an error says
// why there is none; no file is deleted.
func FuzzManifest(f *testing.F) {
	f.Add([]byte(`{}`))
	f.Add([]byte(`{"checkpoints":[{"file":"000000000002.safetensors","version":2}]}`))
	f.Add([]byte(`{"checkpoints":[{"file":"../../x"},{"file":"000000000001.safetensors","sha256":"00"}]}`))
	f.Fuzz(func(t *testing.T, manifest []byte) {
		o := testOptions(t)
		c := testCheckpoints(t, o)
		require.NoError(t, c.save(testSnapshot(c, 1)))
		require.NoError(t, os.WriteFile(filepath.Join(c.folder, manifestName), manifest, 0o644))
		s, err := testCheckpoints(t, o).load()
		require.Equal(t, err == nil, s != nil)
		if err == nil {
			require.Equal(t, testSnapshot(c, 1), s)
		}
		require.FileExists(t, filepath.Join(c.folder, "000000000001.safetensors"))
	})
}

// Ledgers of a checkpoint, whatever is in them, are refused or kept as they are; what they take unpacked is bounded.
func FuzzLedgers(f *testing.F) {
	t, err := encodeLedgers(&messages.Ledgers{Schema: 1, Ledgers: []*messages.Ledger{{Actor: "actor-1", Trained: 7}}})
	require.NoError(f, err)
	f.Add(t.Bytes, true)
	f.Add([]byte{3, 0}, false)
	f.Fuzz(func(t *testing.T, data []byte, packed bool) {
		tensor := nn.Tensor{Name: ledgersKey, Shape: []int{len(data)}, Bytes: data}
		if !packed {
			var buf bytes.Buffer
			w, err := flate.NewWriter(&buf, flate.BestSpeed)
			require.NoError(t, err)
			_, err = w.Write(data)
			require.NoError(t, err)
			require.NoError(t, w.Close())
			tensor.Bytes = buf.Bytes()
		}
		all, others, err := readLedgers(nil, []nn.Tensor{tensor})
		if err != nil {
			require.ErrorContains(t, err, ledgersKey)
			return
		}
		require.Empty(t, others)
		written, err := encodeLedgers(all)
		require.NoError(t, err)
		again, _, err := readLedgers(nil, []nn.Tensor{written})
		require.NoError(t, err)
		require.True(t, proto.Equal(all, again))
		old, _, err := readLedgers(map[string]string{ledgersKey: base64.StdEncoding.EncodeToString(written.Bytes)}, nil)
		require.NoError(t, err)
		require.True(t, proto.Equal(all, old))
	})
}
