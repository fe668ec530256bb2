package learner

import (
	"bytes"
	"context"
	"log/slog"
	"math"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/internal/stat"
	"croupier/learner/train"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/messages/conduct"
	"croupier/nn"
)

// testIngestion returns an ingestion for which newest is the newest published version.
func testIngestion(t testing.TB, o Options, newest uint64) *ingestion {
	version := &atomic.Uint64{}
	version.Store(newest)
	a, err := o.Config.Choose()
	require.NoError(t, err)
	n, err := nn.NewNetwork(o.Layout, o.Layout.Init(1))
	require.NoError(t, err)
	tr, err := a.NewTrainer(train.Setup{Config: o.Config, Games: o.Curriculum.Games(o.Game), Network: n, Seed: 1,
		Workers: 1})
	require.NoError(t, err)
	return newIngestion(o, a, tr, newMetrics(o.Registerer, Series(), nil), version, version, &atomic.Uint32{})
}

// deliver publishes batches under an actor's subject and ingests them.
func deliver(t *testing.T, o Options, g *ingestion, actor string, batches ...[]byte) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for _, data := range batches {
		require.NoError(t, o.Bus.Publish(ctx, bus.Experience, actor, data))
	}
	consumer, err := o.Bus.Consume(ctx, bus.Experience, messages.LearnerOf("main"), messages.ExperienceFilter("main"))
	require.NoError(t, err)
	defer consumer.Close()
	for {
		fetched, err := consumer.Fetch(ctx, fetchBatches, time.Millisecond)
		require.NoError(t, err)
		if len(fetched) == 0 {
			return
		}
		require.NoError(t, g.ingest(ctx, fetched))
	}
}

func encode(t testing.TB, x messages.Message) []byte {
	t.Helper()
	data, err := messages.Encode(x)
	require.NoError(t, err)
	return data
}

// readLedger reads an actor's account from the bus.
func readLedger(t *testing.T, o Options, actor string) *messages.Ledger {
	t.Helper()
	e, err := o.Bus.State().Get(t.Context(), messages.LedgerKey(actor, messages.LearningAgent))
	require.NoError(t, err)
	l := &messages.Ledger{}
	require.NoError(t, messages.Decode(e.Value, l))
	return l
}

func playingActor(t testing.TB, o Options, id string, version uint64) *testActor {
	a := newTestActor(t, o.Game, id)
	n, err := nn.NewNetwork(o.Layout, o.Layout.Init(1))
	require.NoError(t, err)
	a.network, a.agent.Version = n, version
	return a
}

// TestIngestionRebuildsEveryDecision compares the sequences with the games.
func TestIngestionRebuildsEveryDecision(t *testing.T) {
	o := testOptions(t)
	o.Config.PPO.Samples = 1000
	g := testIngestion(t, o, 5)
	a := playingActor(t, o, "actor-1", 4)
	x := a.batch(100)
	deliver(t, o, g, "actor-1", encode(t, x))

	r, next := rolloutOf(g), 0
	require.Equal(t, len(x.Episodes), r.Size.Games)
	for _, e := range x.Episodes {
		for seat := range 2 {
			next = checkSeat(t, r, o.Game, e, seat, next)
		}
	}
	require.Equal(t, next, r.Len())
	end := 0
	for _, s := range r.Sequences {
		require.Equal(t, end, s.First)
		end += s.Length
	}
	require.Equal(t, next, end)
	size := &r.Size
	require.Equal(t, len(x.Episodes), size.Games)
	require.Equal(t, len(r.Sequences), size.Sequences)
	require.Equal(t, next, size.Samples)
	require.EqualValues(t, 1, r.Size.Lag(5))
}

// TestIngestionMeasuresLearningSeats compares the figures with those of the games; in every
// second game the learning agent has only one seat.
func TestIngestionMeasuresLearningSeats(t *testing.T) {
	o := testOptions(t)
	g := testIngestion(t, o, 5)
	a := playingActor(t, o, "actor-1", 4)
	x := a.batch(100)
	sums := engine.NewSums(o.Game.Spec())
	want := make([]stat.Ratio, len(o.Game.Spec().Figures))
	x.Agents = append(x.Agents, &messages.Agent{Name: "other"})
	for i, e := range x.Episodes {
		sums.Clear()
		learning := [2]bool{true, i%2 == 0}
		probabilities := removeOther(o.Game, e, learning, sums)
		if !learning[1] {
			e.Seats, e.LogProbs = []byte{0, 1}, probabilities
		}
		for f := range want {
			var game engine.Sum
			for seat, learns := range learning {
				if learns {
					game.Add(sums.Of(seat)[f])
				}
			}
			want[f].Add(game.Value, game.Weight)
		}
	}
	deliver(t, o, g, "actor-1", encode(t, x))
	require.Equal(t, len(x.Episodes), rolloutOf(g).Size.Games)
	require.Equal(t, want, rolloutOf(g).Size.Figures)
	require.Positive(t, want[0].Weight)
	rolloutOf(g).Reset()
	require.Zero(t, rolloutOf(g).Size.Figures[0])
}

// removeOther measures a game between two learning seats and returns the log-probability
// column of the seats that learn.
func removeOther(game engine.Game, e *messages.Episode, learning [2]bool, sums engine.Sums) (kept []byte) {
	s, decision := game.NewState().(engine.Measured), 0
	for i := range len(e.History) {
		step := messages.StepAt(e.History, 1, i)
		if seat := s.Player(); seat >= 0 {
			if learning[seat] {
				kept = messages.AppendFloat(kept, messages.FloatAt(e.LogProbs, decision))
			}
			decision++
		}
		s.MeasureStep(step, sums)
		if err := s.Apply(step); err != nil {
			panic(err)
		}
	}
	s.MeasureEnd(sums)
	return kept
}

// checkSeat replays a game and compares the decisions of one seat with the rows from at on;
// it returns where they end.
func checkSeat(t *testing.T, r *train.Rollout, game engine.Game, e *messages.Episode, seat, at int) int {
	s, made := game.NewState(), 0
	observation := make([]float32, game.Spec().ObservationSize)
	for i := range len(e.History) {
		step := messages.StepAt(e.History, 1, i)
		if s.Player() == seat {
			s.Observe(seat, observation)
			require.Equal(t, observation, r.Observation(at))
			require.EqualValues(t, step, r.Actions[at])
			require.Equal(t, messages.FloatAt(e.LogProbs, made), r.LogProbs[at])
			start, end := r.LegalRange(at)
			require.Equal(t, s.LegalActions(nil), r.Legal[start:end])
			at++
		}
		if s.Player() != engine.Chance {
			made++
		}
		require.NoError(t, s.Apply(step))
	}
	for _, q := range r.Sequences {
		if q.First+q.Length == at {
			require.InDelta(t, float64(messages.FloatAt(e.Returns, seat))/game.Spec().MaxReturn, q.Result, 1e-6)
		}
	}
	return at
}

func TestLedgerIsWrittenAndRepeatsAreSkipped(t *testing.T) {
	o := testOptions(t)
	g := testIngestion(t, o, 5)
	a := playingActor(t, o, "actor-1", 5)
	first, second, third := a.batch(20), a.batch(20), a.batch(20)
	deliver(t, o, g, "actor-1", encode(t, first), encode(t, third), encode(t, third), encode(t, second))
	want := &messages.Ledger{
		Schema: messages.SchemaVersion, Actor: "actor-1", Sequence: 3, Episodes: a.games,
		Consumed: a.games - uint64(len(second.Episodes)), Lost: uint64(len(second.Episodes)),
	}
	require.EqualExportedValues(t, want, readLedger(t, o, "actor-1"))

	// The next start of a learner knows what was accounted for.
	g = testIngestion(t, withRegistry(o), 5)
	require.NoError(t, g.loadAccounts(t.Context()))
	fourth := a.batch(20)
	deliver(t, o, g, "actor-1", encode(t, first), encode(t, fourth))
	require.Equal(t, len(fourth.Episodes), rolloutOf(g).Size.Games)
	require.Equal(t, a.games, readLedger(t, o, "actor-1").Episodes)
	require.EqualValues(t, len(second.Episodes), g.totals()["lost"])
	require.EqualValues(t, a.games-uint64(len(second.Episodes)), g.totals()["consumed"])
}

func TestStaleEpisodesAreCounted(t *testing.T) {
	o := testOptions(t)
	o.Config.PPO.MaxLag = 3
	g := testIngestion(t, o, 10)
	a := playingActor(t, o, "actor-1", 6)
	old := a.batch(10)
	a.agent = &messages.Agent{Name: "main", Learning: true, Version: 7}
	fresh := a.batch(10)
	deliver(t, o, g, "actor-1", encode(t, old), encode(t, fresh))
	require.Equal(t, len(fresh.Episodes), rolloutOf(g).Size.Games)
	require.EqualValues(t, len(old.Episodes), readLedger(t, o, "actor-1").Stale)
}

func TestBadEpisodesAreRefusedAndTheActorNamed(t *testing.T) {
	nan := messages.AppendFloat(nil, float32(math.NaN()))
	for reason, spoil := range map[messages.Reason]func(e *messages.Episode){
		messages.ReasonSeed:    func(e *messages.Episode) { e.Seed++ },
		messages.ReasonLogProb: func(e *messages.Episode) { copy(e.LogProbs, nan) },
		messages.ReasonReturns: func(e *messages.Episode) { copy(e.Returns, nan) },
		messages.ReasonLength:  func(e *messages.Episode) { e.History = e.History[:3] },
		messages.ReasonIllegal: func(e *messages.Episode) { e.History[2] = 2 },
		messages.ReasonChance:  func(e *messages.Episode) { e.History[0], e.History[1] = e.History[1], e.History[0] },
		messages.ReasonSeats:   func(e *messages.Episode) { e.Seats[1] = 9 },
	} {
		t.Run(string(reason), func(t *testing.T) {
			o := testOptions(t)
			var log bytes.Buffer
			o.Log = slog.New(slog.NewTextHandler(&log, nil))
			g := testIngestion(t, o, 5)
			a := playingActor(t, o, "actor-7", 5)
			x := a.batch(20)
			spoil(x.Episodes[0])
			spoil(x.Episodes[2])
			deliver(t, o, g, "actor-7", encode(t, x))
			require.Equal(t, len(x.Episodes)-2, rolloutOf(g).Size.Games, "the others are trained on")
			l := readLedger(t, o, "actor-7")
			require.EqualValues(t, 2, l.Refused)
			require.EqualValues(t, 2, l.RefusedByReason[string(reason)])
			require.EqualValues(t, 2, g.totals()["refused/"+string(reason)])
			require.Contains(t, log.String(), "actor-7")
			require.Equal(t, 1, strings.Count(log.String(), "\n"), "one line, however many offences")
		})
	}
}

func TestImpossibleProbabilityIsRefused(t *testing.T) {
	o := testOptions(t)
	g := testIngestion(t, o, 5)
	x := playingActor(t, o, "actor-1", 5).batch(20)
	copy(x.Episodes[1].LogProbs, messages.AppendFloat(nil, -200))
	deliver(t, o, g, "actor-1", encode(t, x))
	require.Equal(t, len(x.Episodes)-1, rolloutOf(g).Size.Games)
	require.EqualValues(t, 1, readLedger(t, o, "actor-1").RefusedByReason[string(messages.ReasonLogProb)])
}

func TestInventedVersionIsRefused(t *testing.T) {
	o := testOptions(t)
	g := testIngestion(t, o, 5)
	deliver(t, o, g, "actor-1", encode(t, playingActor(t, o, "actor-1", 6).batch(10)))
	require.Zero(t, rolloutOf(g).Size.Games)
	require.NotZero(t, readLedger(t, o, "actor-1").RefusedByReason[string(messages.ReasonVersion)])
}

func TestBadBatchesAreRefusedAsAWhole(t *testing.T) {
	o := testOptions(t)
	g := testIngestion(t, o, 5)
	a := playingActor(t, o, "actor-1", 5)
	other := a.batch(10)
	other.Run = "another"
	good := a.batch(10)
	deliver(t, o, g, "actor-1", []byte("no protobuf"), encode(t, other), encode(t, good))
	deliver(t, o, g, "actor-2", encode(t, a.batch(10)))
	for _, reason := range []messages.Reason{messages.ReasonDecode, messages.ReasonRun, messages.ReasonActor} {
		require.EqualValues(t, 1, testutil.ToFloat64(g.metrics.batches.WithLabelValues(string(reason))), reason)
	}
	l := readLedger(t, o, "actor-1")
	require.EqualValues(t, len(good.Episodes), l.Consumed)
	require.EqualValues(t, len(other.Episodes), l.Lost, "what was refused as a whole is missing")
	info, err := o.Bus.Info(t.Context(), bus.Experience)
	require.NoError(t, err)
	require.EqualValues(t, 4, info.Last)
}

// TestAJumpOfTheNumbersSilencesNobody sends numbers after which no honest batch could follow.
func TestAJumpOfTheNumbersSilencesNobody(t *testing.T) {
	o := testOptions(t)
	g := testIngestion(t, o, 5)
	a := playingActor(t, o, "actor-1", 5)
	first := a.batch(10)
	jump := playingActor(t, o, "actor-1", 5).batch(10)
	jump.Sequence, jump.EpisodesBefore = 1<<60, 1<<60
	next := a.batch(10)
	deliver(t, o, g, "actor-1", encode(t, first), encode(t, jump), encode(t, next))
	require.EqualValues(t, 1, testutil.ToFloat64(g.metrics.batches.WithLabelValues(string(messages.ReasonSequence))))
	l := readLedger(t, o, "actor-1")
	require.Equal(t, a.games, l.Consumed)
	require.Zero(t, l.Lost)
}

// TestAGameCountsOnce sends a game again under other numbers of batches.
func TestAGameCountsOnce(t *testing.T) {
	o := testOptions(t)
	g := testIngestion(t, o, 5)
	a := playingActor(t, o, "actor-1", 5)
	first, again := a.batch(10), a.batch(10)
	again.Episodes = append(again.Episodes, first.Episodes[0])
	deliver(t, o, g, "actor-1", encode(t, first), encode(t, again))
	l := readLedger(t, o, "actor-1")
	require.EqualValues(t, 1, l.RefusedByReason[string(messages.ReasonSequence)])
	require.Equal(t, a.games, l.Consumed)
}

// TestAnActorIsQuarantined has one actor send bad batches between the batches of another.
func TestAnActorIsQuarantined(t *testing.T) {
	o := testOptions(t)
	o.Conduct = conduct.Config{Offences: 3, Window: time.Minute}
	g := testIngestion(t, o, 5)
	following, stop := context.WithCancel(t.Context())
	defer stop()
	go g.conduct.Run(following)
	good, bad := playingActor(t, o, "good", 5), playingActor(t, o, "lab-3-ab-0", 5)
	for range 3 {
		x := bad.batch(10)
		x.Episodes[0].Seed++
		x.Episodes[1].Seed++
		deliver(t, o, g, "lab-3", encode(t, x))
		deliver(t, o, g, "good", encode(t, good.batch(10)))
	}
	before := rolloutOf(g).Size.Games
	deliver(t, o, g, "lab-3", encode(t, bad.batch(10)), []byte("garbage"))
	require.Equal(t, before, rolloutOf(g).Size.Games, "nothing of it is read")
	require.EqualValues(t, 2, testutil.ToFloat64(g.metrics.batches.WithLabelValues(string(messages.ReasonQuarantined))))
	deliver(t, o, g, "good", encode(t, good.batch(10)))
	require.Equal(t, good.games, readLedger(t, o, "good").Consumed)
	require.EventuallyWithT(t, func(t *assert.CollectT) {
		records, err := conduct.List(following, o.Bus.State())
		require.NoError(t, err)
		require.Len(t, records, 1)
		require.Equal(t, "lab-3", records[0].Actor)
		require.Equal(t, 3, records[0].Offences, "one for each batch")
	}, time.Minute, 10*time.Millisecond)
}

// TestOnlyTheAgentIsLearntFrom has seat 1 played by another agent.
func TestOnlyTheAgentIsLearntFrom(t *testing.T) {
	for name, opponent := range map[string]*messages.Agent{
		"frozen": {Name: "main@3", Version: 3},
		"other":  {Name: "exploiter", Version: 77, Learning: true},
	} {
		t.Run(name, func(t *testing.T) {
			o := testOptions(t)
			g := testIngestion(t, o, 5)
			x := playingActor(t, o, "actor-1", 5).batch(40)
			x.Agents = append(x.Agents, opponent)
			for _, e := range x.Episodes {
				e.Seats[1] = 1
				if !opponent.Learning {
					e.LogProbs = seatZero(e)
				}
			}
			deliver(t, o, g, "actor-1", encode(t, x))
			require.Equal(t, len(x.Episodes), rolloutOf(g).Size.Games)
			require.Len(t, rolloutOf(g).Sequences, len(x.Episodes), "one seat a game")
		})
	}
}

// seatZero returns the log-probabilities of the first seat, which moves first and third.
func seatZero(e *messages.Episode) []byte {
	p := e.LogProbs[:4:4]
	if len(e.LogProbs) > 8 {
		p = append(p, e.LogProbs[8:]...)
	}
	return p
}

// TestIngestionStopsWhileNobodyTakesRollouts checks how much of a long stream is read while
// the trainer does nothing.
func TestIngestionStopsWhileNobodyTakesRollouts(t *testing.T) {
	o := testOptions(t)
	o.Config.PPO.Samples = 50
	g := testIngestion(t, o, 5)
	a := playingActor(t, o, "actor-1", 5)
	ctx, cancel := context.WithCancel(t.Context())
	const batches = 40
	for range batches {
		a.send(ctx, o.Bus, a.batch(50))
	}
	done := make(chan error)
	go func() { done <- g.run(ctx) }()
	r := <-g.full
	require.GreaterOrEqual(t, r.Size.Samples, o.Config.PPO.Samples)
	consumer, err := o.Bus.Consume(ctx, bus.Experience, messages.LearnerOf("main"), messages.ExperienceFilter("main"))
	require.NoError(t, err)
	require.Never(t, func() bool {
		pending, _, err := consumer.Pending(ctx)
		return err != nil || pending < batches-2*fetchBatches
	}, 100*time.Millisecond, 10*time.Millisecond)
	cancel()
	require.ErrorIs(t, <-done, context.Canceled)
}

func TestASecondLearnerIsNoticed(t *testing.T) {
	o := testOptions(t)
	g := testIngestion(t, o, 5)
	a := playingActor(t, o, "actor-1", 5)
	deliver(t, o, g, "actor-1", encode(t, a.batch(10)))
	others, err := messages.Encode(&messages.Ledger{Schema: messages.SchemaVersion, Actor: "actor-1", Sequence: 9})
	require.NoError(t, err)
	_, err = o.Bus.State().Put(t.Context(), messages.LedgerKey("actor-1", messages.LearningAgent), others)
	require.NoError(t, err)
	g.accounts["actor-1"].ledger.Consumed++
	require.ErrorContains(t, g.save(t.Context(), g.accounts["actor-1"]), "another learner")
}
