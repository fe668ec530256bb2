package archiver

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"croupier/archive"
	"croupier/engine"
	"croupier/engine/history"
	"croupier/games/standard"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/messages/bus/memory"
	"croupier/messages/conduct"
	"croupier/messages/roles"
)

const (
	runID   = "evening"
	runSeed = 5
	// patience is how many offences are too many in a trial.
	patience = 10
)

// trial is a archiver at work.
type trial struct {
	t        *testing.T
	bus      *memory.Bus
	game     engine.Game
	dir      string
	log      bytes.Buffer // to be read after end
	archiver *Archiver
	end      func()
}

func newTrial(t *testing.T, dir string, c archive.Config) *trial {
	game, err := standard.Games.New("bank", []byte("{players: 2, rounds: 1}"))
	require.NoError(t, err)
	tr := &trial{t: t, bus: memory.New(bus.Options{}), game: game, dir: dir}
	tr.archiver, err = New(Options{
		Common: roles.Common{
			Bus: tr.bus, Game: game, Conduct: conduct.Config{Offences: patience, Window: time.Hour}, Run: runID,
			RunSeed: runSeed, Dir: dir, Registerer: prometheus.NewRegistry(),
			Log: slog.New(slog.NewTextHandler(&tr.log, nil)),
		},
		Config: c,
	})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); tr.archiver.Run(ctx) }()
	tr.end = func() { cancel(); <-done }
	t.Cleanup(func() { tr.end(); tr.bus.Close() })
	return tr
}

// batch are games as an actor offers them.
func (tr *trial) batch(match string, games int, agents ...string) *messages.Kept {
	return batchOf(tr.t, tr.game, match, games, agents...)
}

func batchOf(t testing.TB, game engine.Game, match string, games int, agents ...string) *messages.Kept {
	hash := engine.RulesHash(game)
	k := &messages.Kept{Schema: messages.SchemaVersion, Run: runID, Actor: "actor-1", RulesHash: hash[:], Match: match}
	for _, name := range agents {
		k.Agents = append(k.Agents, &messages.Agent{Name: name})
	}
	purpose := messages.TrainPurpose(k.Actor)
	if match != "" {
		purpose = messages.ArenaPurpose
	}
	simulator, err := history.NewSimulator(game)
	require.NoError(t, err)
	random := engine.BotFunc(func(_ engine.State, legal []int, rng *engine.RNG) int { return legal[rng.IntN(len(legal))] })
	bots := make([]engine.Bot, game.Spec().Seats)
	for i := range bots {
		bots[i] = random
	}
	for number := range uint64(games) {
		var rec history.Record
		require.NoError(t, simulator.Play(engine.GameSeed(runSeed, purpose, number), bots, &rec))
		ep := &messages.Episode{Number: number, Seed: *rec.Seed}
		for seat, r := range rec.Returns {
			ep.Seats = append(ep.Seats, byte(seat%len(agents)))
			ep.Returns = messages.AppendFloat(ep.Returns, float32(r*max(1, game.Spec().HistoryUnit)))
		}
		for _, step := range rec.History {
			ep.History = messages.AppendStep(ep.History, messages.HistoryWidth(game.Spec()), step)
		}
		k.Games = append(k.Games, ep)
	}
	return k
}

// offer sends a batch of actor-1.
func (tr *trial) offer(k *messages.Kept) { tr.offerAs("actor-1", k) }

func (tr *trial) offerAs(sender string, k *messages.Kept) {
	data, err := messages.Encode(k)
	require.NoError(tr.t, err)
	require.NoError(tr.t, tr.bus.Publish(context.Background(), bus.Kept, sender, data))
}

func (tr *trial) find(q archive.Query) *archive.Found {
	found, err := archive.Read(tr.dir).Find(context.Background(), q)
	require.NoError(tr.t, err)
	return found
}

func TestGamesAreKept(t *testing.T) {
	tr := newTrial(t, t.TempDir(), archive.DefaultConfig())
	promotion, err := (&messages.Promotion{Number: 1, Agent: "main@2", SHA256: "00"}).JSON()
	require.NoError(t, err)
	_, err = tr.bus.State().Put(context.Background(), messages.PromotionKey(1), promotion)
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		tr.archiver.mutex.Lock()
		defer tr.archiver.mutex.Unlock()
		return tr.archiver.best == "main@2"
	}, time.Minute, time.Millisecond)
	tr.offer(tr.batch("", 10, "main", "random"))
	tr.offer(tr.batch("m-1", 20, "greedy:main@2", "random"))
	tr.offer(tr.batch("m-2", 30, "main@1", "random"))
	tr.end()
	require.Equal(t, 60, tr.find(archive.Query{}).Total)
	require.Equal(t, 10, tr.find(archive.Query{Purpose: archive.TrainingPurpose}).Total)
	for _, s := range tr.find(archive.Query{Limit: 60, Agent: "random"}).Games {
		require.Equal(t, s.Match == "m-1", s.Best, "games of the best are kept longer")
		g, err := archive.Read(tr.dir).Game(s.ID)
		require.NoError(t, err)
		_, rec, err := g.Record(standard.Games)
		require.NoError(t, err)
		require.InDeltaSlice(t, s.Returns, rec.Returns, 1e-6)
	}
	require.EqualValues(t, 20, testutil.ToFloat64(tr.archiver.metrics.kept.WithLabelValues("best")))
	require.Positive(t, testutil.ToFloat64(tr.archiver.metrics.bytes))
}

func TestForgedGamesAreRefused(t *testing.T) {
	tr := newTrial(t, t.TempDir(), archive.DefaultConfig())
	good := tr.batch("", 5, "main", "random")
	forged := map[messages.Reason]func(k *messages.Kept){
		messages.ReasonRun:    func(k *messages.Kept) { k.Run = "other" },
		messages.ReasonRules:  func(k *messages.Kept) { k.Stage = 3 },
		messages.ReasonSeed:   func(k *messages.Kept) { k.Games[0].Number++ },
		messages.ReasonChance: func(k *messages.Kept) { k.Games[0].History[0] ^= 1 },
		messages.ReasonLength: func(k *messages.Kept) { k.Games[0].History = append(k.Games[0].History, 0) },
		messages.ReasonSeats:  func(k *messages.Kept) { k.Games[0].Seats = []byte{0} },
		messages.ReasonReturns: func(k *messages.Kept) {
			k.Games[0].Returns = messages.AppendFloat(messages.AppendFloat(nil, 9), -9)
		},
	}
	for _, forge := range forged {
		k := proto.Clone(good).(*messages.Kept)
		k.Games = k.Games[:1]
		forge(k)
		tr.offer(k)
	}
	require.NoError(t, tr.bus.Publish(context.Background(), bus.Kept, "actor-1", []byte("\xff\xff")))
	tr.offer(good)
	tr.end()
	require.Equal(t, 5, tr.find(archive.Query{}).Total)
	for reason := range forged {
		require.EqualValues(t, 1, testutil.ToFloat64(tr.archiver.metrics.refused.WithLabelValues(string(reason))), reason)
	}
	require.EqualValues(t, 1, testutil.ToFloat64(tr.archiver.metrics.refused.WithLabelValues(
		string(messages.ReasonDecode))))
	require.Contains(t, tr.log.String(), `msg=refused part=archive actor=actor-1`)
}

// An actor that offers too much that is not what it says is quarantined for the whole run, and what it offers then is
// not kept.
func TestGamesOfQuarantinedActors(t *testing.T) {
	tr := newTrial(t, t.TempDir(), archive.DefaultConfig())
	others := tr.batch("", 5, "main", "random") // those of actor-1
	for range patience {
		tr.offerAs("actor-2", others)
	}
	own := tr.batch("m-1", 5, "main", "random")
	own.Actor = "actor-2"
	tr.offerAs("actor-2", own)
	tr.offer(others)
	require.Eventually(t, func() bool {
		records, err := conduct.List(context.Background(), tr.bus.State())
		require.NoError(t, err)
		return len(records) == 1 && records[0].Actor == "actor-2" && records[0].By == messages.ArchiveRole &&
			records[0].Reason == string(messages.ReasonActor)
	}, time.Minute, time.Millisecond)
	tr.end()
	found := tr.find(archive.Query{Limit: 10})
	require.Equal(t, 5, found.Total)
	for _, g := range found.Games {
		require.Equal(t, "", g.Match)
	}
	refused := func(r messages.Reason) float64 {
		return testutil.ToFloat64(tr.archiver.metrics.refused.WithLabelValues(string(r)))
	}
	require.EqualValues(t, 5*patience, refused(messages.ReasonActor))
	require.EqualValues(t, 1, refused(messages.ReasonQuarantined))
}

// Where there can be no archive, the archiver says so and that is all.
func TestNoPlaceForAnArchive(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, archive.Folder), nil, 0o644))
	tr := newTrial(t, dir, archive.DefaultConfig())
	tr.end()
	require.Contains(t, tr.log.String(), "no games are kept")
	require.EqualValues(t, 1, testutil.ToFloat64(tr.archiver.metrics.failing))

	off := newTrial(t, t.TempDir(), archive.Config{})
	off.end()
	require.NoDirExists(t, filepath.Join(off.dir, archive.Folder))
}

// BenchmarkKeep takes batches of ten games played at random; their replay is most of the cost.
func BenchmarkKeep(b *testing.B) {
	for _, name := range []string{"bank", "kuhn", "tysiac"} {
		b.Run(name, func(b *testing.B) {
			game, err := standard.Games.New(name, nil)
			require.NoError(b, err)
			k, err := New(Options{
				Common: roles.Common{
					Bus: memory.New(bus.Options{}), Game: game, Run: runID, RunSeed: runSeed, Dir: b.TempDir(),
					Registerer: prometheus.NewRegistry(), Log: slog.New(slog.DiscardHandler),
				},
				Config: archive.DefaultConfig(),
			})
			require.NoError(b, err)
			k.writer, _, err = archive.Open(b.TempDir(), archive.DefaultConfig().MaxBytes)
			require.NoError(b, err)
			data, err := messages.Encode(batchOf(b, game, "m-1", 10, "heuristic", "random"))
			require.NoError(b, err)
			for b.Loop() {
				k.keepBatch("actor-1", data)
			}
			b.ReportMetric(b.Elapsed().Seconds()*1e6/float64(10*b.N), "µs/game")
			require.NoError(b, k.writer.Close())
		})
	}
}

// While the archive cannot be written, games are lost, counted and logged; afterwards it continues by itself.
func TestWritesFailForAWhile(t *testing.T) {
	game, err := standard.Games.New("bank", []byte("{players: 2, rounds: 1}"))
	require.NoError(t, err)
	var log bytes.Buffer
	dir := t.TempDir()
	k, err := New(Options{
		Common: roles.Common{
			Bus: memory.New(bus.Options{}), Game: game, Run: runID, RunSeed: runSeed, Dir: dir,
			Registerer: prometheus.NewRegistry(), Log: slog.New(slog.NewTextHandler(&log, nil)),
		},
		Config: archive.DefaultConfig(),
	})
	require.NoError(t, err)
	k.writer, _, err = archive.Open(dir, archive.DefaultConfig().MaxBytes)
	require.NoError(t, err)
	data, err := messages.Encode(batchOf(t, game, "m-1", 10, "main@1", "random"))
	require.NoError(t, err)
	folder := filepath.Join(dir, archive.Folder)
	flush := func() {
		k.keepBatch("actor-1", data)
		k.flushed = time.Time{}
		k.keep(t.Context(), nil)
	}
	require.NoError(t, os.Rename(folder, folder+"-away"))
	flush()
	require.EqualValues(t, 10, testutil.ToFloat64(k.metrics.lost))
	require.EqualValues(t, 1, testutil.ToFloat64(k.metrics.failing))
	require.Contains(t, log.String(), "the archive cannot be written; games are lost, training continues")
	require.NoError(t, os.Rename(folder+"-away", folder))
	flush()
	require.EqualValues(t, 10, testutil.ToFloat64(k.metrics.lost))
	require.Zero(t, testutil.ToFloat64(k.metrics.failing))
	require.Contains(t, log.String(), "the archive is written again")
	require.NoError(t, k.writer.Close())
	found, err := archive.Read(dir).Find(t.Context(), archive.Query{})
	require.NoError(t, err)
	require.Equal(t, 10, found.Total)
}
