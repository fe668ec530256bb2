package archive

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/engine/history"
	"croupier/games/standard"
	"croupier/internal/seed"
	"croupier/messages"
)

// epoch is the time of the first game in tests.
var epoch = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// play plays games of BANK! at random, as they come to an archive: a second apart, with some of
// a few agents.
func play(t testing.TB, n int, first uint64) []*Game {
	game, err := standard.Games.New("bank", []byte("rounds: 2"))
	require.NoError(t, err)
	rules, err := json.Marshal(game.Rules())
	require.NoError(t, err)
	simulator, err := history.NewSimulator(game)
	require.NoError(t, err)
	random := engine.BotFunc(func(_ engine.State, legal []int, rng *engine.RNG) int { return legal[rng.IntN(len(legal))] })
	rng := rand.New(rand.NewPCG(first, 0))
	agents := []Agent{{"main", 7, "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"}, {"main@3", 0, ""},
		{"leader-chaser", 0, ""}, {"random", 0, ""}}
	var list []*Game
	for i := range n {
		var rec history.Record
		require.NoError(t, simulator.Play(first+uint64(i), []engine.Bot{random, random, random}, &rec))
		g := &Game{Game: "bank", Rules: rules, Seed: seed.Number(first + uint64(i)),
			Width: messages.HistoryWidth(game.Spec())}
		g.Time, g.Steps, g.Returns = epoch.Add(time.Duration(i)*time.Second), len(rec.History), rec.Returns
		if rng.IntN(2) == 0 {
			g.Match = fmt.Sprint("m-", rng.IntN(5))
		}
		for range game.Spec().Seats {
			g.Agents = append(g.Agents, agents[rng.IntN(len(agents))])
		}
		for _, step := range rec.History {
			g.History = messages.AppendStep(g.History, g.Width, step)
		}
		list = append(list, g)
	}
	return list
}

func classOf(i int) Class { return classes[i%len(classes)] }

// fill writes games, by turns of every class, with a flush after each `every`.
func fill(t testing.TB, w *Writer, list []*Game, every int) {
	for i, g := range list {
		require.NoError(t, w.Add(classOf(i), g))
		if (i+1)%every == 0 {
			require.NoError(t, w.Flush())
		}
	}
	require.NoError(t, w.Flush())
}

func open(t testing.TB, run string, limit int64) *Writer {
	w, _, err := Open(run, limit)
	require.NoError(t, err)
	t.Cleanup(func() { w.Close() })
	return w
}

func TestGamesComeBack(t *testing.T) {
	run, list := t.TempDir(), play(t, 300, 1)
	w := open(t, run, 1<<30)
	fill(t, w, list[:210], 42)
	require.NoError(t, w.Close())
	w = open(t, run, 1<<30) // continues where it ended
	fill(t, w, list[210:], 45)
	r := Read(run)
	found, err := r.Find(context.Background(), Query{Limit: 1000})
	require.NoError(t, err)
	require.Equal(t, 300, found.Total)
	require.Zero(t, found.Damaged)
	require.Len(t, found.Games, 300)
	ids := map[ID]bool{}
	for i, s := range found.Games {
		want := list[299-i] // the newest first
		ids[s.ID] = true
		require.Equal(t, want.Time, s.Time)
		require.Equal(t, want.Agents, s.Agents)
		require.Equal(t, want.Match, s.Match)
		g, err := r.Game(s.ID)
		require.NoError(t, err)
		require.Equal(t, s, g.Summary)
		require.Equal(t, want.History, g.History)
		require.Equal(t, want.Seed, g.Seed)
		_, rec, err := g.Record(standard.Games)
		require.NoError(t, err)
		require.InDeltaSlice(t, want.Returns, rec.Returns, 1e-6)
		var again history.Record
		require.NoError(t, history.NewReader(bytes.NewReader(history.Append(nil, rec))).Read(&again))
		id, err := ParseID(s.ID.String())
		require.NoError(t, err)
		require.Equal(t, s.ID, id)
	}
	require.Len(t, ids, 300, "IDs are unique")
	usage, err := r.Usage()
	require.NoError(t, err)
	require.Equal(t, w.Bytes(), usage.Bytes)
	for _, c := range usage.Classes {
		require.Equal(t, 100, c.Games, c.Class)
	}
}

// Whatever the moment at which a writer is killed, all blocks before it are there.
func TestKilledWhileWriting(t *testing.T) {
	run, list := t.TempDir(), play(t, 60, 2)
	w := open(t, run, 1<<30)
	for i, g := range list {
		require.NoError(t, w.Add(Arena, g))
		if i%20 == 19 {
			require.NoError(t, w.Flush())
		}
	}
	path := filepath.Join(run, Folder, "arena-000001.games")
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	var ends []int64
	_, _, err = walk(openFile(t, path), int64(len(whole)), func(h *header, at int64) error {
		ends = append(ends, at+h.size())
		return nil
	})
	require.NoError(t, err)
	require.Len(t, ends, 3)
	for size := ends[1]; size < ends[2]; size += 7 {
		require.NoError(t, os.WriteFile(path, whole[:size], 0o644))
		found, err := Read(run).Find(context.Background(), Query{Limit: 100})
		require.NoError(t, err)
		require.Equal(t, 40, found.Total)
		require.Zero(t, found.Damaged, "a writer may be at work")
		again, mended, err := Open(run, 1<<30)
		require.NoError(t, err)
		require.Equal(t, size-ends[1], mended.TornBytes)
		require.NoError(t, again.Add(Arena, list[0]))
		require.NoError(t, again.Close())
		found, err = Read(run).Find(context.Background(), Query{Limit: 100})
		require.NoError(t, err)
		require.Equal(t, 41, found.Total)
		_, err = Read(run).Game(ID{Arena, 1, 40})
		require.NoError(t, err)
	}
}

// A pipe that has the name of a segment is none, and keeps neither writer nor readers waiting.
func TestSegmentThatIsAPipe(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("pipes of Windows have no files")
	}
	run := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(run, Folder), 0o755))
	require.NoError(t, exec.Command("mkfifo", filepath.Join(run, Folder, "best-000001.games")).Run())
	found, err := Read(run).Find(t.Context(), Query{Limit: 1})
	require.NoError(t, err)
	require.Empty(t, found.Games)
	w := open(t, run, 1<<30)
	require.NoError(t, w.Add(Best, play(t, 1, 3)[0]))
	require.ErrorContains(t, w.Flush(), "file exists")
}

// A flipped bit costs the block that it is in, and is reported.
func TestFlippedByte(t *testing.T) {
	run, list := t.TempDir(), play(t, 100, 3)
	w := open(t, run, 1<<30)
	for i, g := range list {
		require.NoError(t, w.Add(Best, g))
		if i%20 == 19 {
			require.NoError(t, w.Flush())
		}
	}
	path := filepath.Join(run, Folder, "best-000001.games")
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	r := Read(run)
	for at := 0; at < len(whole); at += 13 {
		broken := slices.Clone(whole)
		broken[at] ^= 1 << (at % 8)
		require.NoError(t, os.WriteFile(path, broken, 0o644))
		found, err := r.Find(context.Background(), Query{Limit: 100})
		require.NoError(t, err)
		lost := 100 - found.Total
		require.Contains(t, []int{0, 20}, lost)
		unreadable := 0
		for _, s := range found.Games {
			g, err := r.Game(s.ID)
			if err != nil {
				require.ErrorIs(t, err, ErrDamaged)
				unreadable++
				continue
			}
			require.Equal(t, list[s.ID.number].History, g.History, "numbers stay")
		}
		require.Equal(t, 20, lost+unreadable, "byte %d", at)
		if lost > 0 && at < len(whole)-5 { // a last block with a damaged header looks like one that is being written
			last := found.Games[0].ID.number < 80
			require.True(t, found.Damaged == 1 || last, "byte %d", at)
		}
	}
}

// The oldest training games go first, then games of the arena; those of the best stay longest.
func TestWhatGoesFirst(t *testing.T) {
	run, list := t.TempDir(), play(t, 2000, 4)
	const limit = 1 << 20
	w := open(t, run, limit)
	count := func() (games [len(classes)]int) {
		usage, err := Read(run).Usage()
		require.NoError(t, err)
		for i, c := range usage.Classes {
			games[i] = c.Games
		}
		require.Equal(t, usage.Bytes, w.Bytes())
		require.LessOrEqual(t, usage.Bytes, int64(limit))
		return games
	}
	var before [len(classes)]int
	threw := map[Class]bool{}
	for round := 0; !threw[Best]; round++ {
		require.Less(t, round, 5000)
		c := classOf(round)
		if threw[Arena] {
			c = Best // let it fill all
		}
		for _, g := range list[round%10*200 : round%10*200+200] {
			require.NoError(t, w.Add(c, g))
		}
		require.NoError(t, w.Flush())
		after := count()
		for _, class := range classes {
			grown := 0
			if class == c {
				grown = 200
			}
			if after[class] < before[class]+grown && !threw[class] {
				threw[class] = true
				for _, earlier := range classes[:class] {
					require.LessOrEqual(t, segmentsOf(t, run, earlier), 1, "%v games go before %v", earlier, class)
				}
			}
		}
		before = after
	}
	require.Positive(t, before[Training], "the segment that is written stays")
	require.Positive(t, w.Removed(Training))
	// A smaller bound holds at once.
	require.NoError(t, w.Close())
	w = open(t, run, limit/2)
	require.LessOrEqual(t, w.Bytes(), int64(limit/2))
}

func segmentsOf(t *testing.T, run string, c Class) (n int) {
	list, err := listSegments(filepath.Join(run, Folder))
	require.NoError(t, err)
	for _, s := range list {
		if s.class == c {
			n++
		}
	}
	return n
}

// While the disk is full games are lost and counted; afterwards the archive continues.
func TestFullDisk(t *testing.T) {
	run, list := t.TempDir(), play(t, 90, 5)
	w := open(t, run, 1<<30)
	fill(t, w, list[:30], 30)
	file := w.outputs[Arena].file
	unwritable, err := os.Open(file.Name()) // for reading only: every write fails
	require.NoError(t, err)
	defer unwritable.Close()
	w.outputs[Arena].file = unwritable
	for i, g := range list[30:60] {
		require.NoError(t, w.Add(classOf(i), g))
	}
	var lost *LostError
	require.ErrorAs(t, w.Flush(), &lost)
	require.Equal(t, 10, lost.Games)
	w.outputs[Arena].file = file
	fill(t, w, list[60:], 30)
	found, err := Read(run).Find(context.Background(), Query{Limit: 100})
	require.NoError(t, err)
	require.Equal(t, 80, found.Total)
	require.Zero(t, found.Damaged)
}

// Searches while games are written and thrown away.
func TestReadersBesideTheWriter(t *testing.T) {
	run, list := t.TempDir(), play(t, 400, 6)
	w := open(t, run, 1<<20)
	ctx, cancel := context.WithCancel(context.Background())
	var readers sync.WaitGroup
	for range 3 {
		readers.Go(func() {
			for ctx.Err() == nil {
				found, err := Read(run).Find(context.Background(), Query{Agent: "main", Limit: 5})
				if err != nil || found.Damaged > 0 {
					t.Errorf("%+v %v", found, err)
					return
				}
				for _, s := range found.Games {
					if _, err := Read(run).Game(s.ID); err != nil {
						t.Errorf("%v", err)
					}
				}
			}
		})
	}
	for range 40 {
		fill(t, w, list, 50)
	}
	cancel()
	readers.Wait()
	require.LessOrEqual(t, w.Bytes(), int64(1<<20))
}

func TestConfig(t *testing.T) {
	require.NoError(t, DefaultConfig().Validate())
	require.NoError(t, Config{}.Validate())
	for key, change := range map[string]func(c *Config){
		"max_bytes":           func(c *Config) { c.MaxBytes = 1000 },
		"training_share":      func(c *Config) { c.TrainingShare = 1.5 },
		"training_per_second": func(c *Config) { c.TrainingPerSecond = -1 },
		"arena_per_second":    func(c *Config) { c.ArenaPerSecond = -1 },
		"judged_games":        func(c *Config) { c.JudgedGames = -1 },
	} {
		c := DefaultConfig()
		change(&c)
		require.ErrorContains(t, c.Validate(), key+": ")
	}
}

func openFile(t *testing.T, path string) *os.File {
	f, err := os.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { f.Close() })
	return f
}
