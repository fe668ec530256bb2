package dataset

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"croupier/archive"
	"croupier/engine"
	"croupier/engine/history"
	"croupier/games/standard"
	"croupier/internal/rundir"
	"croupier/internal/rundir/rundirtest"
	"croupier/internal/seed"
	"croupier/messages"
	"croupier/nn"
)

// row is a row of Kuhn poker, as the library reads it.
type row struct {
	Run          string    `parquet:"run"`
	GameID       string    `parquet:"game_id"`
	Purpose      string    `parquet:"purpose"`
	Match        string    `parquet:"match"`
	Time         time.Time `parquet:"time,timestamp(millisecond)"`
	RulesHash    string    `parquet:"rules_hash"`
	Seed         uint64    `parquet:"seed"`
	Returns      []float64 `parquet:"returns,list"`
	Step         int32     `parquet:"step"`
	Seat         int32     `parquet:"seat"`
	Agent        string    `parquet:"agent"`
	AgentVersion int64     `parquet:"agent_version"`
	Return       float64   `parquet:"return"`
	Result       string    `parquet:"result"`
	Action       int32     `parquet:"action"`
	ActionName   string    `parquet:"action_name"`
	LogProb      *float32  `parquet:"log_prob,optional"`
	Legal        []bool    `parquet:"legal,list"`
	ObsSeat      []float32 `parquet:"obs_seat,list"`
	ObsCard      []float32 `parquet:"obs_card,list"`
	ObsPot       []float32 `parquet:"obs_pot,list"`
	ObsBetting   []float32 `parquet:"obs_betting,list"`
}

// newGame returns a game under rules.
func newGame(t testing.TB, name, rules string) engine.Game {
	game, err := standard.Games.New(name, []byte(rules))
	require.NoError(t, err)
	return game
}

// created is when runs are made.
var created = time.Date(2026, 11, 29, 2, 0, 0, 0, time.UTC)

// newRun makes a run directory with games at random, and says that these agents played them by turns.
func newRun(t testing.TB, game engine.Game, n int, seats ...archive.Agent) string {
	dir := filepath.Join(t.TempDir(), "run")
	rundirtest.Create(t, dir, rundir.Info{ID: "evening", Game: game.Spec().Name, Created: created})
	add(t, dir, played(t, game, n, seats...))
	return dir
}

// add puts games into the archive of a run, by turns of every class.
func add(t testing.TB, dir string, list []*archive.Game) {
	w, _, err := archive.Open(dir, 1<<30)
	require.NoError(t, err)
	for i, g := range list {
		require.NoError(t, w.Add(archive.Class(i%3), g))
		if i%50 == 49 {
			require.NoError(t, w.Flush())
		}
	}
	require.NoError(t, w.Close())
}

func played(t testing.TB, game engine.Game, n int, agents ...archive.Agent) (list []*archive.Game) {
	rules, err := json.Marshal(game.Rules())
	require.NoError(t, err)
	simulator, err := history.NewSimulator(game)
	require.NoError(t, err)
	random := engine.BotFunc(func(_ engine.State, legal []int, rng *engine.RNG) int { return legal[rng.IntN(len(legal))] })
	spec := game.Spec()
	for i := range n {
		var rec history.Record
		large := math.MaxUint64 - uint64(i) // as large as no signed number
		require.NoError(t, simulator.Play(large, slices.Repeat([]engine.Bot{random}, spec.Seats), &rec))
		g := &archive.Game{Game: spec.Name, Rules: rules, Seed: seed.Number(large), Width: messages.HistoryWidth(spec)}
		g.Time, g.Steps, g.Returns = time.UnixMilli(int64(1e12+i)).UTC(), len(rec.History), rec.Returns
		for seat := range g.Returns {
			g.Returns[seat] *= max(1, spec.HistoryUnit)
		}
		if i%3 > 0 {
			g.Match = fmt.Sprint("m-", i%5)
		}
		for seat := range spec.Seats {
			g.Agents = append(g.Agents, agents[(i+seat)%len(agents)])
		}
		for _, step := range rec.History {
			g.History = messages.AppendStep(g.History, g.Width, step)
		}
		list = append(list, g)
	}
	return list
}

// freeze puts a network into the population of a run.
func freeze(t testing.TB, dir string, game engine.Game, member string) (*nn.Network, archive.Agent) {
	layout, err := nn.NewLayout(nn.Description{Dense: []int{8}, LSTM: []int{8}}, game.Spec())
	require.NoError(t, err)
	weights := layout.Init(5)
	for i := range weights {
		weights[i] *= 5 // the heads' first weights say next to nothing
	}
	network, err := nn.NewNetwork(layout, weights)
	require.NoError(t, err)
	file, err := nn.NewFile(network, game, nil)
	require.NoError(t, err)
	data, err := file.Encode()
	require.NoError(t, err)
	sum := sha256.Sum256(data)
	require.NoError(t, os.MkdirAll(filepath.Join(dir, rundir.VersionFolder), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, rundir.VersionFile(member)), data, 0o644))
	doc, err := messages.FormatMembers(messages.MemberList{Kept: []*messages.Member{{Name: member, Order: 1,
		Sha256: sum[:]}}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, rundir.MembersFile), doc, 0o644))
	return network, archive.Agent{Name: member, SHA256: hex.EncodeToString(sum[:])}
}

// Every row is what a replay of the archive's game by hand gives.
func TestRowsAgainstASlowReplay(t *testing.T) {
	game := newGame(t, "kuhn", "")
	dir := newRun(t, game, 0)
	network, member := freeze(t, dir, game, "main@3")
	greedy, learner := member, member
	greedy.Name, learner.Name, learner.Version = "greedy:main@3", "main", 77
	gone := archive.Agent{Name: "main", Version: 5, SHA256: strings.Repeat("ab", 32)}
	add(t, dir, played(t, game, 300, member, archive.Agent{Name: "random"}, greedy, learner, gone,
		archive.Agent{Name: "solver:equilibrium"}))
	path := filepath.Join(t.TempDir(), "kuhn.parquet")
	report, err := Write(context.Background(), path, Options{Catalog: standard.Games, Dirs: []string{dir},
		groupBytes: 1 << 13})
	require.NoError(t, err)
	rows, err := parquet.ReadFile[row](path)
	require.NoError(t, err)
	require.Equal(t, 300, report.Games)
	require.Len(t, rows, report.Decisions)
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, info.Size(), report.Bytes)

	hash, state, evaluator := engine.RulesHash(game), game.NewState(), network.NewEvaluator(1, 2)
	at, withLog := 0, 0
	_, err = archive.Read(dir).Each(context.Background(), archive.Query{}, func(g *archive.Game) error {
		_, rec, err := g.Record(standard.Games)
		require.NoError(t, err)
		state.Reset()
		evaluator.ResetSlot(0)
		evaluator.ResetSlot(1)
		for i, step := range rec.History {
			seat := state.Player()
			if seat == engine.Chance {
				require.NoError(t, state.Apply(step))
				continue
			}
			observation := make([]float32, game.Spec().ObservationSize)
			state.Observe(seat, observation)
			r := rows[at]
			at++
			want := row{
				Run: "evening-29aa407b", GameID: g.ID.String(), Purpose: g.Purpose, Match: g.Match, Time: g.Time,
				RulesHash: hex.EncodeToString(hash[:]),
				Seed:      uint64(g.Seed), Returns: rec.Returns, Step: int32(i), Seat: int32(seat), Agent: g.Agents[seat].Name,
				AgentVersion: int64(g.Agents[seat].Version), Return: rec.Returns[seat], Action: int32(step),
				ActionName: state.ActionName(step), Legal: []bool{true, true}, LogProb: r.LogProb,
				Result: map[bool]string{true: archive.Won, false: archive.Lost}[rec.Returns[seat] > 0],
			}
			for _, s := range game.Spec().Segments {
				part := observation[s.Offset : s.Offset+s.Size]
				*map[string]*[]float32{"seat": &want.ObsSeat, "card": &want.ObsCard, "pot": &want.ObsPot, "betting": &want.ObsBetting}[s.Name] = part
			}
			require.Equal(t, want, r)
			copy(evaluator.Observation(0), observation)
			evaluator.SetLegal(0, []int{0, 1})
			evaluator.SetSlot(0, seat)
			evaluator.Forward(1)
			likeliest := evaluator.LogProbs(0)[step] > evaluator.LogProbs(0)[1-step]
			switch name := g.Agents[seat].Name; {
			case name == "random":
				require.InDelta(t, math.Log(0.5), *r.LogProb, 1e-6)
			case name == "greedy:main@3" && likeliest:
				require.Zero(t, *r.LogProb)
			case g.Agents[seat].SHA256 == member.SHA256 && name != "greedy:main@3":
				require.InDelta(t, evaluator.LogProbs(0)[step], *r.LogProb, 1e-6)
			default: // it is not known, or another kernel decided
				require.Nil(t, r.LogProb, name)
			}
			if r.LogProb != nil {
				withLog++
			}
			require.NoError(t, state.Apply(step))
		}
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, len(rows), at)
	require.Equal(t, withLog, report.WithLog)
	require.Greater(t, withLog, 100)
	require.Less(t, withLog, len(rows)-100)
}

// open opens a file that was written.
func open(t *testing.T, path string) *parquet.File {
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	f, err := parquet.OpenFile(strings.NewReader(string(data)), int64(len(data)))
	require.NoError(t, err)
	return f
}

// Every game can be written; its segments are columns in the order of the observation, and the metadata say where
// each is.
func TestSegmentsAreColumns(t *testing.T) {
	for _, entry := range standard.Games.Games() {
		t.Run(entry.Name, func(t *testing.T) {
			game, err := standard.Games.New(entry.Name, nil)
			require.NoError(t, err)
			dir := newRun(t, game, 2, archive.Agent{Name: "random"})
			path := filepath.Join(t.TempDir(), "games.parquet")
			report, err := Write(context.Background(), path, Options{Catalog: standard.Games, Dirs: []string{dir},
				Version: "v9"})
			require.NoError(t, err)
			require.Equal(t, 2, report.Games)
			f := open(t, path)
			var segments []struct {
				Name, Column string
				Offset, Size int
			}
			doc, _ := f.Lookup("croupier.observation")
			require.NoError(t, json.Unmarshal([]byte(doc), &segments))
			var columns []string
			for _, c := range f.Schema().Fields() {
				columns = append(columns, c.Name())
			}
			spec := game.Spec()
			columns = columns[len(columns)-len(spec.Segments):]
			for i, s := range spec.Segments {
				require.Equal(t, s, engine.Segment{Name: segments[i].Name, Offset: segments[i].Offset, Size: segments[i].Size})
				require.Equal(t, columns[i], segments[i].Column)
			}
			version, _ := f.Lookup("croupier.version")
			require.Equal(t, "v9", version)
			rules, _ := f.Lookup("croupier.rules")
			again, err := standard.Games.New(entry.Name, []byte(json.RawMessage(rules)))
			require.NoError(t, err)
			require.Equal(t, engine.RulesHash(game), engine.RulesHash(again))
		})
	}
}

func TestLimitIsSpreadEvenly(t *testing.T) {
	game := newGame(t, "kuhn", "")
	dir := newRun(t, game, 90, archive.Agent{Name: "random"})
	path := filepath.Join(t.TempDir(), "games.parquet")
	for limit, want := range map[int]int{0: 90, 1: 1, 9: 9, 50: 50, 89: 89, 90: 90, 1000: 90} {
		report, err := Write(context.Background(), path, Options{Catalog: standard.Games, Dirs: []string{dir},
			Query: archive.Query{Limit: limit}})
		require.NoError(t, err)
		require.Equal(t, want, report.Games, limit)
		require.Equal(t, 90-want, report.Beyond, limit)
		require.Equal(t, want < 90, strings.Contains(report.Text(path),
			" left out by the limit\n"), limit)
		if want == 89 {
			require.Contains(t, report.Text(path), "\n1 game that fits was left out by the limit\n")
		}
	}
	_, err := Write(context.Background(), path, Options{Catalog: standard.Games, Dirs: []string{dir},
		Query: archive.Query{Limit: 9}})
	require.NoError(t, err)
	rows, err := parquet.ReadFile[row](path)
	require.NoError(t, err)
	perClass := map[byte]map[string]bool{}
	for _, r := range rows {
		if perClass[r.GameID[0]] == nil {
			perClass[r.GameID[0]] = map[string]bool{}
		}
		perClass[r.GameID[0]][r.GameID] = true
	}
	for _, class := range "tab" {
		require.Len(t, perClass[byte(class)], 3, "%c", class)
	}
}

// What is broken or does not belong there is left out and counted.
func TestBrokenArchives(t *testing.T) {
	game := newGame(t, "bank", "rounds: 2")
	random := archive.Agent{Name: "random"}
	dir := newRun(t, game, 300, random)
	more := played(t, game, 6, random)
	more[0].Returns = []float64{0.125, 0, 0}
	more[1].History[0] = 255
	more[2].Steps--
	more[2].History = more[2].History[:more[2].Steps]
	more[3].Rules = []byte(`{"rounds":-1}`)
	add(t, dir, more)
	other := played(t, newGame(t, "bank", "rounds: 3"), 9, random)
	for _, g := range other {
		g.Time = g.Time.Add(-time.Hour)
	}
	add(t, dir, other)
	file := filepath.Join(dir, archive.Folder, "training-000001.games")
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	data[40]++
	require.NoError(t, os.WriteFile(file, data, 0o644))

	path := filepath.Join(t.TempDir(), "games.parquet")
	report, err := Write(context.Background(), path, Options{Catalog: standard.Games, Dirs: []string{dir}})
	require.NoError(t, err)
	require.Equal(t, []int{1, 9, 4}, []int{report.Damaged, report.OtherRules, report.Refused})
	require.Less(t, report.Games, 302)
	require.Greater(t, report.Games, 200)
	for _, part := range []string{`bank {"players":3,"rounds":2`, "9 games by other rules", "1 damaged block",
		"4 games that cannot be replayed"} {
		require.Contains(t, report.Text(path), part)
	}
	f := open(t, path)
	refused, _ := f.Lookup("croupier.refused_games")
	require.Equal(t, "4", refused)

	bad := newRun(t, game, 0)
	more[0].Time = more[0].Time.Add(time.Hour)
	add(t, bad, more[:1])
	_, err = Write(context.Background(), path, Options{Catalog: standard.Games, Dirs: []string{bad}})
	require.ErrorContains(t, err, "the return of seat 1 is")
	_, err = Write(context.Background(), path, Options{Catalog: standard.Games, Dirs: []string{newRun(t, game, 0)}})
	require.ErrorIs(t, err, ErrNothing)
}

// ends is a context that ends after that many looks at it.
type ends struct {
	context.Context
	looks atomic.Int64
}

func (e *ends) Err() error {
	if e.looks.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// Whenever writing is ended, the file is the old one and there is no other.
func TestEndedWritingLeavesNothing(t *testing.T) {
	dir := newRun(t, newGame(t, "kuhn", ""), 60, archive.Agent{Name: "random"})
	folder := t.TempDir()
	path := filepath.Join(folder, "games.parquet")
	require.NoError(t, os.WriteFile(path, []byte("old"), 0o644))
	failures := 0
	for looks := int64(0); ; looks++ {
		ctx := &ends{Context: context.Background()}
		ctx.looks.Store(looks)
		_, err := Write(ctx, path, Options{Catalog: standard.Games, Dirs: []string{dir}})
		entries, failed := os.ReadDir(folder)
		require.NoError(t, failed)
		require.Len(t, entries, 1)
		if err == nil {
			break
		}
		failures++
		require.ErrorIs(t, err, context.Canceled)
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, "old", string(data))
	}
	require.Greater(t, failures, 70, "in each game, and while it is read back")
	_, err := Write(context.Background(), filepath.Join(folder, "none", "games.parquet"),
		Options{Catalog: standard.Games, Dirs: []string{dir}})
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// Reading back finds a value that is not the one that was written, and rows that are missing.
func TestVerify(t *testing.T) {
	dir := newRun(t, newGame(t, "kuhn", ""), 60, archive.Agent{Name: "random"})
	o := Options{Catalog: standard.Games, Dirs: []string{dir}, groupBytes: 1 << 13, Query: of(archive.Query{})}
	f, err := os.Create(filepath.Join(t.TempDir(), "games.parquet"))
	require.NoError(t, err)
	defer f.Close()
	ctx := context.Background()
	require.NoError(t, o.identify())
	game, total, err := survey(ctx, &o)
	require.NoError(t, err)
	for i, c := range columnsOf(game.Spec()) {
		require.NoError(t, f.Truncate(0))
		_, err = f.Seek(0, io.SeekStart)
		require.NoError(t, err)
		w := newWriter(game, &o, newShare(0, total))
		require.NoError(t, w.write(ctx, f))
		rows, size := w.report.Decisions, w.report.Bytes
		require.NoError(t, verify(ctx, f, size, rows, w.sums))
		require.ErrorContains(t, verify(ctx, f, size, rows+1, w.sums),
			fmt.Sprintf("there are %d rows, %d were written", rows, rows+1))
		value := parquet.NullValue()
		w.sums.add([]parquet.Value{value.Level(0, 0, i)})
		require.ErrorContains(t, verify(ctx, f, size, rows, w.sums), "column "+c.name+" is not what was written")
		require.ErrorContains(t, verify(ctx, f, size-10, rows, w.sums), "read back: ")
	}
}

// Ten times the games take no more memory.
func TestMemoryIsBounded(t *testing.T) {
	game := newGame(t, "bank", "rounds: 2")
	peak := func(n int) uint64 {
		dir := newRun(t, game, n, archive.Agent{Name: "random"})
		path := filepath.Join(t.TempDir(), "games.parquet")
		runtime.GC()
		ctx := &watched{Context: context.Background()}
		report, err := Write(ctx, path, Options{Catalog: standard.Games, Dirs: []string{dir}, groupBytes: 1 << 18})
		require.NoError(t, err)
		require.Greater(t, report.Decisions, 10*n)
		return ctx.peak
	}
	few, many := peak(400), peak(4000)
	t.Logf("%d and %d KiB", few>>10, many>>10)
	require.Less(t, float64(many), 1.25*float64(few)+float64(2<<20))
}

// watched is a context that measures the live heap when it is looked at, which is at every game and every page.
type watched struct {
	context.Context
	looks int
	peak  uint64
}

func (w *watched) Err() error {
	if w.looks++; w.looks%40 == 0 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		w.peak = max(w.peak, m.HeapAlloc)
	}
	return nil
}

func TestValidate(t *testing.T) {
	require.NoError(t, Validate(archive.Query{Limit: 1 << 40}))
	require.ErrorContains(t, Validate(archive.Query{Limit: -1}), "limit: ")
	require.ErrorContains(t, Validate(archive.Query{Result: archive.Won}), "say which")
	_, err := Write(context.Background(), "none", Options{Query: archive.Query{Limit: -1}})
	require.ErrorContains(t, err, "limit: ")
	require.False(t, errors.Is(err, ErrNothing))
}

// The page lists the columns in their order.
func TestPageListsTheColumns(t *testing.T) {
	page, err := os.ReadFile("../docs/guide/dataset.md")
	require.NoError(t, err)
	var listed, have []string
	for _, m := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\|").FindAllSubmatch(page, -1) {
		listed = append(listed, string(m[1]))
	}
	for _, c := range columnsOf(&engine.Spec{Segments: []engine.Segment{{Name: "SEGMENT", Size: 1}}}) {
		have = append(have, c.name)
	}
	require.Equal(t, have, listed)
	require.Contains(t, string(page), fmt.Sprintf("`schema`: %d.", SchemaVersion))
}

// Games of runs whose directories have the same name, or names that make one ID, are distinguished; each run has the
// same key in every file. A copy of a run is refused.
func TestRunsAreToldApart(t *testing.T) {
	game, random := newGame(t, "kuhn", ""), archive.Agent{Name: "random"}
	first := newRun(t, game, 9, random)
	created = created.Add(time.Second)
	defer func() { created = created.Add(-time.Second) }()
	second := newRun(t, game, 9, random)
	keys := func(dirs ...string) []string {
		path := filepath.Join(t.TempDir(), "games.parquet")
		report, err := Write(context.Background(), path, Options{Catalog: standard.Games, Dirs: dirs})
		require.NoError(t, err)
		rows, err := parquet.ReadFile[row](path)
		require.NoError(t, err)
		games, runs := map[string]bool{}, []string{}
		for _, r := range rows {
			games[r.Run+" "+r.GameID] = true
			if !slices.Contains(runs, r.Run) {
				runs = append(runs, r.Run)
			}
		}
		require.Len(t, games, report.Games)
		listed, ok := open(t, path).Lookup("croupier.run_keys")
		require.True(t, ok)
		require.JSONEq(t, asJSON(runs), listed)
		return runs
	}
	both := keys(first, second)
	require.Len(t, both, 2)
	require.Equal(t, both[:1], keys(first))
	require.Equal(t, both[1:], keys(second))
	twin := filepath.Join(t.TempDir(), "copy")
	require.NoError(t, os.CopyFS(twin, os.DirFS(first)))
	_, err := Write(context.Background(), filepath.Join(t.TempDir(), "games.parquet"),
		Options{Catalog: standard.Games, Dirs: []string{first, twin}})
	require.EqualError(t, err, first+" and "+twin+" are the same run, or one is a copy of the other: name one of them")
}
