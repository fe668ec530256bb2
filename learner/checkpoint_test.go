package learner

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"croupier/games/leduc"
	"croupier/internal/sealed"
	"croupier/learner/train"
	"croupier/messages"
	"croupier/nn"
)

// testSnapshot is different for every version.
func testSnapshot(c *checkpoints, version uint64) *snapshot {
	s := &snapshot{
		counters: counters{
			Version: version, Updates: 10 * version, Samples: 100 * version, Games: 50 * version, Seconds: 1.5,
		},
		State: train.State{Steps: 7, RNG: []byte{1, 2, 3}}, Averaged: 9, ConfigHash: "abc",
	}
	for i, p := range c.parts(s, true) {
		*p.flat = make([]float32, c.layout.Size)
		for k := range *p.flat {
			(*p.flat)[k] = float32(version) + float32(i) + float32(k)/1024
		}
	}
	return s
}

func testCheckpoints(t *testing.T, o Options) *checkpoints {
	t.Helper()
	a, err := o.Config.Choose()
	require.NoError(t, err)
	c, err := openCheckpoints(o, a)
	require.NoError(t, err)
	return c
}

func TestCheckpointRoundTrip(t *testing.T) {
	o := testOptions(t)
	c := testCheckpoints(t, o)
	_, err := c.load()
	require.ErrorIs(t, err, errNoCheckpoint)
	require.NoError(t, c.save(testSnapshot(c, 1)))
	require.NoError(t, c.save(testSnapshot(c, 2)))
	s, err := testCheckpoints(t, o).load()
	require.NoError(t, err)
	require.Equal(t, testSnapshot(c, 2), s)
}

// TestCheckpointOfManyWorkers keeps the ledgers of 50,000 workers; those of programs that kept them in the metadata
// are read.
func TestCheckpointOfManyWorkers(t *testing.T) {
	c := testCheckpoints(t, testOptions(t))
	s := testSnapshot(c, 1)
	s.Ledgers = &messages.Ledgers{}
	for i := range 50_000 {
		sum := sha256.Sum256([]byte{byte(i), byte(i >> 8)})
		s.Ledgers.Ledgers = append(s.Ledgers.Ledgers, &messages.Ledger{
			Actor: fmt.Sprintf("actor-%x-%d", sum[:4], i), Sequence: uint64(i), Episodes: binary.LittleEndian.Uint64(sum[4:]),
		})
	}
	data, err := c.encode(s)
	require.NoError(t, err)
	got, err := c.decode(data)
	require.NoError(t, err)
	require.True(t, proto.Equal(s.Ledgers, got.Ledgers))

	few := &messages.Ledgers{Ledgers: s.Ledgers.Ledgers[:7]}
	packed, err := encodeLedgers(few)
	require.NoError(t, err)
	old := map[string]string{ledgersKey: base64.StdEncoding.EncodeToString(packed.Bytes)}
	read, others, err := readLedgers(old, make([]nn.Tensor, 3))
	require.NoError(t, err)
	require.Len(t, others, 3)
	require.True(t, proto.Equal(few, read))
}

func TestOldCheckpointsAreDeleted(t *testing.T) {
	o := testOptions(t)
	for version := uint64(1); version <= 4; version++ {
		c := testCheckpoints(t, o)
		if version > 1 {
			_, err := c.load()
			require.NoError(t, err)
		}
		require.NoError(t, c.save(testSnapshot(c, version)))
	}
	require.Equal(t, []string{"000000000002.safetensors", "000000000003.safetensors", "000000000004.safetensors",
		manifestName}, checkpointNames(t, o))
}

func TestBrokenCheckpointsArePassedOver(t *testing.T) {
	for name, damage := range map[string]func(data []byte) []byte{
		"empty":       func([]byte) []byte { return nil },
		"truncated":   func(data []byte) []byte { return data[:len(data)/2] },
		"bit flipped": func(data []byte) []byte { data[len(data)-5] ^= 1; return data },
	} {
		t.Run(name, func(t *testing.T) {
			o := testOptions(t)
			var log bytes.Buffer
			o.Log = slog.New(slog.NewTextHandler(&log, nil))
			c := testCheckpoints(t, o)
			for version := uint64(1); version <= 3; version++ {
				require.NoError(t, c.save(testSnapshot(c, version)))
			}
			path := func(version int) string {
				return filepath.Join(o.Dir, checkpointFolder, fmt.Sprintf("%012d.safetensors", version))
			}
			data, err := os.ReadFile(path(3))
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(path(3), damage(data), 0o644))

			s, err := testCheckpoints(t, o).load()
			require.NoError(t, err)
			require.EqualValues(t, 2, s.Version)
			require.Contains(t, log.String(), "000000000003.safetensors", "the log names the broken one")

			// Without a manifest the file's own checksum reveals it.
			require.NoError(t, os.WriteFile(filepath.Join(o.Dir, checkpointFolder, manifestName), []byte("{"), 0o644))
			s, err = testCheckpoints(t, o).load()
			require.NoError(t, err)
			require.EqualValues(t, 2, s.Version)

			require.NoError(t, os.Remove(path(2)))
			require.NoError(t, os.Remove(path(1)))
			_, err = testCheckpoints(t, o).load()
			require.ErrorContains(t, err, "broken")
		})
	}
}

func TestCheckpointOfSomethingElseIsRefused(t *testing.T) {
	o := testOptions(t)
	c := testCheckpoints(t, o)
	require.NoError(t, c.save(testSnapshot(c, 1)))

	other := o
	other.Layout = testLayout(t, o.Game, nn.Description{Dense: []int{17}})
	other.Resume = true
	_, err := New(withRegistry(other))
	require.ErrorContains(t, err, "for another network")

	game, err := leduc.New(nil)
	require.NoError(t, err)
	other.Game, other.Layout = game, testLayout(t, game, nn.Description{Dense: []int{16}})
	_, err = New(withRegistry(other))
	require.ErrorContains(t, err, "for another game: kuhn there, leduc here")
}

func TestManifestCannotPointOutside(t *testing.T) {
	o := testOptions(t)
	c := testCheckpoints(t, o)
	data, err := c.encode(testSnapshot(c, 1))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(o.Dir, "000000000001.safetensors"), data, 0o644))
	folder := filepath.Join(o.Dir, checkpointFolder)
	doc := []byte(`{"checkpoints": [{"file": "../000000000001.safetensors"}]}`)
	require.NoError(t, os.WriteFile(filepath.Join(folder, manifestName), doc, 0o644))
	_, err = c.load()
	require.Error(t, err)

	require.NoError(t, os.Remove(filepath.Join(folder, manifestName)))
	require.NoError(t, os.Symlink("../000000000001.safetensors", filepath.Join(folder, "000000000001.safetensors")))
	_, err = c.load()
	require.Error(t, err)
}

// TestFailedCheckpointLeavesTheLastOne puts something in the way of the second file.
func TestFailedCheckpointLeavesTheLastOne(t *testing.T) {
	o := testOptions(t)
	c := testCheckpoints(t, o)
	require.NoError(t, c.save(testSnapshot(c, 1)))
	name := filepath.Join(o.Dir, checkpointFolder, "000000000002.safetensors")
	require.NoError(t, os.MkdirAll(filepath.Join(name, "in the way"), 0o755))
	require.Error(t, c.save(testSnapshot(c, 2)))
	s, err := testCheckpoints(t, o).load()
	require.NoError(t, err)
	require.EqualValues(t, 1, s.Version)
}

// checkpointNames returns the names of the files in the folder.
func checkpointNames(t *testing.T, o Options) (names []string) {
	files, err := os.ReadDir(filepath.Join(o.Dir, checkpointFolder))
	require.NoError(t, err)
	for _, f := range files {
		names = append(names, f.Name())
	}
	return names
}

// TestDamagedManifestIsRefused: a manifest that parses but makes no sense is no reason to
// start afresh, and costs no checkpoint.
func TestDamagedManifestIsRefused(t *testing.T) {
	for doc, want := range map[string]string{
		`{}`:                    "it lists no checkpoint",
		`null`:                  "it lists no checkpoint",
		`{"checkpoints": []}`:   "it lists no checkpoint",
		`{"checkpointz": [{}]}`: "it lists no checkpoint",
		`{"checkpoints": [{}]}`: `entry 1: file: "" is not the name of a checkpoint`,
		`{"checkpoints": [{"file": "000000000002.safetensors", "sha256": "12"}]}`: `entry 1, 000000000002.safetensors: ` +
			`sha256: "12" is not a SHA-256`,
	} {
		t.Run(doc, func(t *testing.T) {
			o := testOptions(t)
			c := testCheckpoints(t, o)
			for version := uint64(1); version <= 2; version++ {
				require.NoError(t, c.save(testSnapshot(c, version)))
			}
			before := checkpointNames(t, o)
			manifest := filepath.Join(o.Dir, checkpointFolder, manifestName)
			require.NoError(t, os.WriteFile(manifest, []byte(doc), 0o644))
			o.Resume = true
			l, err := New(withRegistry(o))
			require.ErrorContains(t, err, manifest+": "+want+"; delete it to continue from the files next to it")
			require.Nil(t, l)
			require.Equal(t, before, checkpointNames(t, o))

			require.NoError(t, os.Remove(manifest))
			s, err := testCheckpoints(t, o).load()
			require.NoError(t, err)
			require.EqualValues(t, 2, s.Version, "following the advice works")
		})
	}
	o := testOptions(t)
	testCheckpoints(t, o)
	require.NoError(t, os.WriteFile(filepath.Join(o.Dir, checkpointFolder, manifestName), []byte("{"), 0o644))
	_, err := New(o)
	require.Error(t, err, "a folder with neither a readable manifest nor checkpoints is not an empty one")
}

// TestManifestWithAnyByteFlipped: the run resumes from one of its checkpoints or is
// refused; it never starts afresh, and no checkpoint is lost.
func TestManifestWithAnyByteFlipped(t *testing.T) {
	o := testOptions(t)
	c := testCheckpoints(t, o)
	for version := uint64(1); version <= 2; version++ {
		require.NoError(t, c.save(testSnapshot(c, version)))
	}
	before := checkpointNames(t, o)
	manifest := filepath.Join(o.Dir, checkpointFolder, manifestName)
	doc, err := os.ReadFile(manifest)
	require.NoError(t, err)
	for i := range doc {
		for _, damaged := range [][]byte{slices.Concat(doc[:i], []byte{doc[i] ^ 1}, doc[i+1:]), doc[:i]} {
			require.NoError(t, os.WriteFile(manifest, damaged, 0o644))
			s, err := testCheckpoints(t, o).load()
			require.NotErrorIs(t, err, errNoCheckpoint)
			if err == nil {
				require.Contains(t, []uint64{1, 2}, s.Version, string(damaged))
			}
		}
	}
	require.Equal(t, before, checkpointNames(t, o))
}

// TestOnlyOwnCheckpointsAreDeleted: a file that the manifest does not list is not the
// learner's to delete, whatever its name, nor is one that was skipped as broken.
func TestOnlyOwnCheckpointsAreDeleted(t *testing.T) {
	o := testOptions(t)
	var log bytes.Buffer
	o.Log = slog.New(slog.NewTextHandler(&log, nil))
	c := testCheckpoints(t, o)
	for version := uint64(4); version <= 5; version++ {
		require.NoError(t, c.save(testSnapshot(c, version)))
	}
	folder := filepath.Join(o.Dir, checkpointFolder)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "000000000001.safetensors"), []byte("a copy of mine"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "000000000005.safetensors"), []byte("broken"), 0o644))

	c = testCheckpoints(t, o)
	c.keep = 1
	s, err := c.load()
	require.NoError(t, err)
	require.EqualValues(t, 4, s.Version)
	require.Contains(t, log.String(), "000000000001.safetensors")
	require.NoError(t, os.Remove(filepath.Join(folder, "000000000004.safetensors")))
	for version := uint64(6); version <= 7; version++ {
		require.NoError(t, c.save(testSnapshot(c, version)), "a file due for deletion may be gone already")
	}
	require.Equal(t, []string{
		"000000000001.safetensors", "000000000005.safetensors", "000000000007.safetensors", manifestName,
	}, checkpointNames(t, o))
}

// TestLeftCheckpointsAreRemoved: a learner that is killed just before its manifest is written, or before what has left
// it is deleted, leaves checkpoints that no manifest lists. The next one removes them, and those of another run stay.
func TestLeftCheckpointsAreRemoved(t *testing.T) {
	o := testOptions(t)
	var log bytes.Buffer
	o.Log = slog.New(slog.NewTextHandler(&log, nil))
	folder := filepath.Join(o.Dir, checkpointFolder)
	c := testCheckpoints(t, o)
	c.keep = 9
	for version := uint64(1); version <= 4; version++ {
		require.NoError(t, c.save(testSnapshot(c, version)))
	}
	doc, err := sealed.Document(manifest{c.listed[2:]})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(folder, manifestName), doc, 0o600))
	other := o
	other.Run, other.Dir = "another", t.TempDir()
	d := testCheckpoints(t, other)
	require.NoError(t, d.save(testSnapshot(d, 7)))
	foreign, err := os.ReadFile(filepath.Join(other.Dir, checkpointFolder, fileOf(7)))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(folder, fileOf(7)), foreign, 0o600))
	own, err := os.ReadFile(filepath.Join(folder, fileOf(4)))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(folder, fileOf(8)), own, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(folder, fileOf(9)), own[:len(own)-1], 0o600))

	for range 2 {
		s, err := testCheckpoints(t, o).load()
		require.NoError(t, err)
		require.EqualValues(t, 4, s.Version)
		require.Equal(t, []string{fileOf(3), fileOf(4), fileOf(7), fileOf(8), fileOf(9), manifestName}, checkpointNames(t, o),
			"another run's, one under another name, and one that is damaged stay")
	}
	require.Equal(t, 2, strings.Count(log.String(), "removing a checkpoint that a killed learner has left"))
}

// TestListedFilesThatAreMissingArePassedOver: some of them may be missing, but not all.
func TestListedFilesThatAreMissingArePassedOver(t *testing.T) {
	o := testOptions(t)
	c := testCheckpoints(t, o)
	for version := uint64(1); version <= 2; version++ {
		require.NoError(t, c.save(testSnapshot(c, version)))
	}
	for version := 2; version >= 1; version-- {
		require.NoError(t, os.Remove(filepath.Join(o.Dir, checkpointFolder, fmt.Sprintf("%012d.safetensors", version))))
		s, err := testCheckpoints(t, o).load()
		if version == 1 {
			require.ErrorContains(t, err, "all 2 checkpoints in "+filepath.Join(o.Dir, checkpointFolder)+" are broken")
			return
		}
		require.NoError(t, err)
		require.EqualValues(t, 1, s.Version)
	}
}

// TestWithoutAManifest: the run continues from the newest file in the folder, which becomes its own;
// the files next to it stay, and so does whatever else has the name of a checkpoint.
func TestWithoutAManifest(t *testing.T) {
	o := testOptions(t)
	c := testCheckpoints(t, o)
	c.keep = 2
	for version := uint64(1); version <= 2; version++ {
		require.NoError(t, c.save(testSnapshot(c, version)))
	}
	require.NoError(t, os.Remove(filepath.Join(o.Dir, checkpointFolder, manifestName)))
	require.NoError(t, os.Mkdir(filepath.Join(o.Dir, checkpointFolder, "000000000003.safetensors"), 0o755))
	c = testCheckpoints(t, o)
	c.keep = 1
	s, err := c.load()
	require.NoError(t, err)
	require.EqualValues(t, 2, s.Version)
	require.NoError(t, c.save(testSnapshot(c, 4)))
	require.Equal(t, []string{
		"000000000001.safetensors", "000000000003.safetensors", "000000000004.safetensors", manifestName,
	}, checkpointNames(t, o))
	s, err = testCheckpoints(t, o).load()
	require.NoError(t, err, "the new manifest can be read")
	require.EqualValues(t, 4, s.Version)
}

// TestManifestThatIsAPipe: it is not waited for; the files next to it are there.
func TestManifestThatIsAPipe(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("pipes of Windows have no files")
	}
	o := testOptions(t)
	c := testCheckpoints(t, o)
	require.NoError(t, c.save(testSnapshot(c, 1)))
	manifest := filepath.Join(o.Dir, checkpointFolder, manifestName)
	require.NoError(t, os.Remove(manifest))
	require.NoError(t, exec.Command("mkfifo", manifest).Run())
	s, err := testCheckpoints(t, o).load()
	require.NoError(t, err)
	require.EqualValues(t, 1, s.Version)
}

// A listed file that is not what was written, however large, is refused without taking memory for it.
func TestHugeCheckpointIsRefused(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "huge"), nil, 0o600))
	require.NoError(t, os.Truncate(filepath.Join(dir, "huge"), 300<<20))
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	defer root.Close()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = readCheckpoint(root, manifestEntry{File: "huge", SHA256: strings.Repeat("0", 64)})
	runtime.ReadMemStats(&after)
	require.EqualError(t, err, "the SHA-256 is not that of the manifest")
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20))
}
