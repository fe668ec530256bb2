package peers

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"croupier/archive"
	"croupier/dataset"
	"croupier/engine"
	"croupier/engine/history"
	"croupier/games/standard"
	"croupier/internal/rundir"
	"croupier/internal/rundir/rundirtest"
	"croupier/internal/testproc"
	"croupier/messages"
)

// datasetAnswer is what tests/peers/dataset_read.py finds in a file.
type datasetAnswer struct {
	Metadata, Types map[string]string
	Columns         map[string][]any
	Observation     [2]int
	Sum             float64
}

// kept makes a run directory with n games of random players.
func kept(t *testing.T, game engine.Game, n int) string {
	dir := filepath.Join(t.TempDir(), "run")
	rundirtest.Create(t, dir, rundir.Info{ID: "evening", Game: game.Spec().Name, Created: time.Now()})
	source, err := archive.NewSource(game)
	require.NoError(t, err)
	simulator, err := history.NewSimulator(game)
	require.NoError(t, err)
	w, _, err := archive.Open(dir, 1<<30)
	require.NoError(t, err)
	bot := engine.BotFunc(func(_ engine.State, legal []int, rng *engine.RNG) int { return legal[rng.IntN(len(legal))] })
	spec := game.Spec()
	for i := range n {
		batch := &messages.Kept{Agents: []*messages.Agent{{Name: "random"}, {Name: "main", Version: 3}}}
		var rec history.Record
		bots := make([]engine.Bot, spec.Seats)
		ep := &messages.Episode{Seed: ^uint64(i), Seats: make([]byte, spec.Seats)}
		for seat := range bots {
			bots[seat], ep.Seats[seat] = bot, byte((seat+i)%2)
		}
		require.NoError(t, simulator.Play(ep.Seed, bots, &rec))
		for _, step := range rec.History {
			ep.History = messages.AppendStep(ep.History, messages.HistoryWidth(spec), step)
		}
		for _, r := range rec.Returns {
			ep.Returns = messages.AppendFloat(ep.Returns, float32(r*max(1, spec.HistoryUnit)))
		}
		batch.Games = []*messages.Episode{ep}
		require.NoError(t, w.Add(archive.Training, source.Game(batch, 0)))
	}
	require.NoError(t, w.Close())
	return dir
}

// What pyarrow and pandas read is what we read, to the bit; package dataset compares that with the games.
func TestDatasetIsReadByPyarrow(t *testing.T) {
	command := peer(t, "DATASET_PYTHON", "pyarrow", "pandas")
	for _, name := range []string{"leduc", "bank", "banluck", "tysiac-hand"} {
		t.Run(name, func(t *testing.T) {
			game, err := standard.Games.New(name, nil)
			require.NoError(t, err)
			path := filepath.Join(t.TempDir(), "games.parquet")
			report, err := dataset.Write(t.Context(), path, dataset.Options{Catalog: standard.Games,
				Dirs: []string{kept(t, game, 5)}, Version: "v1"})
			require.NoError(t, err)
			require.Equal(t, 5, report.Games)
			c := command("dataset_read.py", path)
			c.Stderr = os.Stderr
			out, err := testproc.Output(c)
			require.NoError(t, err)
			var answer datasetAnswer
			dec := json.NewDecoder(bytes.NewReader(out))
			dec.UseNumber()
			require.NoError(t, dec.Decode(&answer))
			require.Equal(t, "v1", answer.Metadata["croupier.version"])
			require.Equal(t, [2]int{report.Decisions, game.Spec().ObservationSize}, answer.Observation)
			require.Equal(t, "uint64", answer.Types["seed"])
			require.Equal(t, "float", answer.Types["log_prob"])
			require.Equal(t, "list<element: bool not null>", answer.Types["legal"])
			compareColumns(t, path, &answer)
		})
	}
}

// compareColumns compares all values that pyarrow found with those that we find.
func compareColumns(t *testing.T, path string, answer *datasetAnswer) {
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	reader := parquet.NewReader(f)
	defer reader.Close()
	columns := reader.Schema().Columns()
	require.Len(t, answer.Columns, len(columns))
	at, sum := make([]int, len(columns)), 0.0
	rows := make([]parquet.Row, 10)
	for {
		n, err := reader.ReadRows(rows)
		for _, row := range rows[:n] {
			for _, v := range row {
				name := columns[v.Column()][0]
				theirs := answer.Columns[name][at[v.Column()]]
				at[v.Column()]++
				require.True(t, same(v, theirs), "%s: %v, we read %v", name, theirs, v)
				if len(name) > 4 && name[:4] == "obs_" {
					sum += float64(v.Float())
				}
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
	}
	for i, c := range columns {
		require.Len(t, answer.Columns[c[0]], at[i], c[0])
	}
	require.InDelta(t, sum, answer.Sum, 1e-6)
}

// same reports whether a value is what JSON says.
func same(v parquet.Value, theirs any) bool {
	switch x := theirs.(type) {
	case nil:
		return v.IsNull()
	case bool:
		return v.Kind() == parquet.Boolean && v.Boolean() == x
	case string:
		return v.Kind() == parquet.ByteArray && string(v.ByteArray()) == x
	case json.Number:
		switch v.Kind() {
		case parquet.Float:
			f, err := x.Float64()
			return err == nil && float64(v.Float()) == f
		case parquet.Double:
			f, err := x.Float64()
			return err == nil && v.Double() == f
		case parquet.Int32:
			return strconv.Itoa(int(v.Int32())) == x.String()
		case parquet.Int64:
			return strconv.FormatInt(v.Int64(), 10) == x.String() || strconv.FormatUint(v.Uint64(), 10) == x.String()
		}
	}
	return false
}
