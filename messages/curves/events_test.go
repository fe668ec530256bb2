package curves

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/messages"
)

// TensorBoard's own library reads what was written.
func TestEventFile(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "new", "board")
	e, err := OpenEvents(folder)
	require.NoError(t, err)
	e.now = func() time.Time { return time.Unix(1700000000, 0) }
	for _, p := range []*messages.Points{
		{Samples: 4096, Points: []*messages.Point{{Series: "entropy", Value: 0.5}}},
		{Samples: 8192, Points: []*messages.Point{{Series: "rating/best", Value: 12, Low: -5, High: 29, HasInterval: true}}},
	} {
		require.NoError(t, e.Add(p))
	}
	require.NoError(t, e.Close())
	files, err := filepath.Glob(filepath.Join(folder, "events.out.tfevents.*"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	require.EqualValues(t, 0xa282ead8, masked(nil), "the mask of the format, at the checksum 0")

	python := referenceReader(t)
	out, err := exec.Command(python, "testdata/read_events.py", folder).Output()
	require.NoError(t, err)
	var read map[string][][2]float64
	require.NoError(t, json.Unmarshal(out, &read))
	require.Equal(t, map[string][][2]float64{"entropy": {{4096, 0.5}}, "rating/best": {{8192, 12}},
		"rating/best/low": {{8192, -5}}, "rating/best/high": {{8192, 29}}}, read)
}

// referenceReader returns a Python that has TensorBoard: that of CROUPIER_TENSORBOARD_PYTHON, or the usual one.
func referenceReader(t *testing.T) string {
	python := os.Getenv("CROUPIER_TENSORBOARD_PYTHON")
	if python == "" {
		python = "python3"
	}
	if exec.Command(python, "-c", "import tensorboard").Run() != nil {
		t.Skip("there is no Python with TensorBoard: python3 -m pip install tensorboard")
	}
	return python
}
