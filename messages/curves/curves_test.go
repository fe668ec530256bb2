package curves

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/internal/check/checktest"
	"croupier/messages"
)

func points(t *testing.T, source string, samples uint64, value float64) []byte {
	data, err := messages.Encode(&messages.Points{
		Schema: messages.SchemaVersion, Source: source, Seconds: float64(samples) / 100, Samples: samples,
		Points: []*messages.Point{{Series: "entropy", Value: value},
			{Series: "rating/best", Value: value, Low: value - 1, High: value + 1, HasInterval: true},
			{Series: "broken", Value: math.NaN()}},
	})
	require.NoError(t, err)
	return data
}

// write makes a file of n messages and returns its path.
func write(t *testing.T, n int) string {
	path := filepath.Join(t.TempDir(), "curves.jsonl")
	w, err := Open(path)
	require.NoError(t, err)
	for i := range n {
		require.NoError(t, w.Append(uint64(i+1), points(t, "learner", uint64(100*i), float64(i))))
	}
	require.NoError(t, w.Close())
	return path
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	path := write(t, 3)
	records, damaged, err := Read(path)
	require.NoError(t, err)
	require.Zero(t, damaged)
	require.Len(t, records, 3)
	last := records[2]
	require.Equal(t, uint64(3), last.Sequence)
	require.Equal(t, uint64(200), last.Points.Samples)
	require.Equal(t, 2.0, last.Points.Seconds)
	byName := map[string]*messages.Point{}
	for _, p := range last.Points.Points {
		byName[p.Series] = p
	}
	require.Len(t, byName, 2, "what is not a number is left out")
	require.Equal(t, 2.0, byName["entropy"].Value)
	require.False(t, byName["entropy"].HasInterval)
	require.Equal(t, 3.0, byName["rating/best"].High)
	require.True(t, byName["rating/best"].HasInterval)
	_, _, err = Read(filepath.Join(t.TempDir(), "none"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestNewest(t *testing.T) {
	path := write(t, 2000)
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Greater(t, info.Size(), int64(tail), "only the end is read")
	newest, found := Newest(path, "learner")
	require.True(t, found)
	require.EqualValues(t, 2000, newest.Sequence)
	_, found = Newest(path, "league")
	require.False(t, found)
	_, found = Newest(filepath.Join(t.TempDir(), "none"), "learner")
	require.False(t, found)
}

// A process that is killed while it writes leaves any beginning of the file. Everything that was
// complete is read, and the next process continues there.
func TestKilledAtAnyMoment(t *testing.T) {
	whole, err := os.ReadFile(write(t, 4))
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "curves.jsonl")
	for length := range len(whole) + 1 {
		require.NoError(t, os.WriteFile(path, whole[:length], 0o600))
		complete := bytes.Count(whole[:length], []byte("\n"))
		records, damaged, err := Read(path)
		require.NoError(t, err)
		require.Zero(t, damaged)
		require.Len(t, records, complete)
		w, err := Open(path)
		require.NoError(t, err)
		require.EqualValues(t, complete+1, w.Next())
		require.NoError(t, w.Append(w.Next(), points(t, "learner", 1000, 1)))
		require.NoError(t, w.Close())
		records, damaged, err = Read(path)
		require.NoError(t, err)
		require.Zero(t, damaged)
		require.Len(t, records, complete+1)
	}
}

// Whichever byte is flipped, one line is lost at most two where it is their newline, and it is reported.
func TestFlippedBytes(t *testing.T) {
	whole, err := os.ReadFile(write(t, 4))
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "curves.jsonl")
	for at := range whole {
		broken := bytes.Clone(whole)
		broken[at] ^= 0x11
		require.NoError(t, os.WriteFile(path, broken, 0o600))
		records, damaged, err := Read(path)
		require.NoError(t, err)
		require.GreaterOrEqual(t, len(records), 2, "byte %d", at)
		require.Less(t, len(records), 4, "byte %d", at)
		if at < len(whole)-1 {
			require.Positive(t, damaged, "byte %d", at)
		}
	}
}

func TestFileIsBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "curves.jsonl")
	w, err := open(path, 8<<10)
	require.NoError(t, err)
	const n = 1000
	for i := range n {
		source := "learner"
		if i%50 == 0 {
			source = "league"
		}
		require.NoError(t, w.Append(uint64(i+1), points(t, source, uint64(100*i), float64(i))))
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.LessOrEqual(t, info.Size(), int64(8<<10))
	}
	require.EqualValues(t, n+1, w.Next())
	require.NoError(t, w.Close())
	records, damaged, err := Read(path)
	require.NoError(t, err)
	require.Zero(t, damaged)
	require.Greater(t, len(records), 20)
	before := uint64(0)
	for _, r := range records {
		require.Greater(t, r.Sequence, before)
		before = r.Sequence
		for _, p := range r.Points.Points {
			require.InDelta(t, float64(r.Points.Samples)/100, p.Value, 0.51, "a mean of neighbours lies on the line")
		}
	}
	require.EqualValues(t, 100*(n-1), records[len(records)-1].Points.Samples, "the newest stays as it is")
	sources := map[string]int{}
	for _, r := range records {
		sources[r.Points.Source]++
	}
	require.Positive(t, sources["league"])
}

// What a learner superseded is not averaged with what superseded it.
func TestThinningForgetsWhatWasSuperseded(t *testing.T) {
	var records []Entry
	for i, samples := range []uint64{0, 100, 200, 300, 400, 150, 250} {
		records = append(records, Entry{uint64(i + 1), &messages.Points{Source: "learner", Samples: samples}})
	}
	var left []string
	for _, r := range halve(records) {
		left = append(left, fmt.Sprint(r.Points.Samples))
	}
	require.Equal(t, []string{"50", "150", "250"}, left)
}

func TestUnwritable(t *testing.T) {
	_, err := Open(filepath.Join(t.TempDir(), "none", "curves.jsonl"))
	require.ErrorContains(t, err, "curves: ")
	path := write(t, 1)
	w, err := Open(path)
	require.NoError(t, err)
	require.NoError(t, w.Append(2, []byte("no message")), "it is passed over")
	require.EqualValues(t, 3, w.Next())
	require.NoError(t, w.file.Close())
	require.ErrorContains(t, w.Append(3, points(t, "learner", 1, 1)), "curves: ")
}

// A file that is much larger than any of ours is not read into memory.
func TestHugeFileIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "curves.jsonl")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	require.NoError(t, os.Truncate(path, 8*MaxBytes+1))
	_, _, err := Read(path)
	require.ErrorContains(t, err, path+": it is not a file of learning curves")
	_, err = Open(path)
	require.ErrorContains(t, err, "it is not a file of learning curves")
}

// Where the broker has lost its stream, the first message of the new one is written after those of the old one.
func TestAnotherStreamIsWrittenFromItsBeginning(t *testing.T) {
	path := write(t, 3)
	w, err := Open(path)
	require.NoError(t, err)
	require.EqualValues(t, 4, w.Next())
	w.Restart()
	require.EqualValues(t, 1, w.Next())
	require.NoError(t, w.Append(1, points(t, "learner", 300, 7)))
	require.NoError(t, w.Close())
	records, damaged, err := Read(path)
	require.NoError(t, err)
	require.Zero(t, damaged)
	require.EqualValues(t, 300, records[len(records)-1].Points.Samples)
}

// Each bit counts for a check of the file, also where a reader can do without the line.
func TestDamagedCurvesAreFound(t *testing.T) {
	path := write(t, 3)
	files := checktest.Of(t, filepath.Dir(path))
	require.Empty(t, checktest.Found(t, Part, files))
	name := filepath.Base(path)
	for i := range files[name] {
		damaged := bytes.Clone(files[name])
		damaged[i] ^= 1 << (i % 8)
		require.NotEmpty(t, checktest.Found(t, Part, files.With(name, damaged)), "byte %d", i)
	}
}
