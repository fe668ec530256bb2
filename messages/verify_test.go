package messages

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"croupier/engine"
)

const (
	testRun  = "run-1"
	testSeed = 42
)

// playBatch plays games as an actor would: seat 0 learns in even games, seat 1 in
// odd ones, and every learning decision has the log-probability -0.5.
func playBatch(game engine.Game, games int) *Experience {
	hash := engine.RulesHash(game)
	e := &Experience{
		Schema: SchemaVersion, Run: testRun, Actor: "actor-1", Sequence: 1, RulesHash: hash[:],
		Agents: []*Agent{{Name: "main", Version: 3, Learning: true}, {Name: "threshold(100)"}},
	}
	for number := range games {
		e.Episodes = append(e.Episodes, playEpisode(game, e.Actor, uint64(number), number%2))
	}
	return e
}

func playEpisode(game engine.Game, actor string, number uint64, learner int) *Episode {
	seed := engine.GameSeed(testSeed, TrainPurpose(actor), number)
	ep := &Episode{Number: number, Seed: seed, Seats: []byte{1, 1}}
	ep.Seats[learner] = 0
	chance, choice := engine.NewRNG(seed, engine.ChanceStream), engine.NewRNG(seed, engine.ActionStream)
	width, s := HistoryWidth(game.Spec()), game.NewState()
	play := engine.Play{State: s, Chance: chance, Choose: func(seat int, legal []int) int {
		if seat == learner {
			ep.LogProbs = AppendFloat(ep.LogProbs, -0.5)
		}
		return legal[choice.IntN(len(legal))]
	}}
	for s.Player() != engine.Terminal {
		step, err := play.Step()
		if err != nil {
			panic(err)
		}
		ep.History = AppendStep(ep.History, width, step)
	}
	returns := make([]float64, game.Spec().Seats)
	s.Returns(returns)
	for _, r := range returns {
		ep.Returns = AppendFloat(ep.Returns, float32(r))
	}
	return ep
}

func TestVerifierShowsEveryStep(t *testing.T) {
	for _, cards := range []int{6, 300} {
		t.Run(fmt.Sprint(cards), func(t *testing.T) {
			game := newDraw(cards)
			batch := playBatch(game, 20)
			v := NewVerifier(game, testRun, testSeed)
			require.NoError(t, v.Header(batch))
			for i, ep := range batch.Episodes {
				learner, at := slices.Index(ep.Seats, 0), 0
				r := v.Episode(batch, i)
				for r.Next() {
					require.Equal(t, r.State().Player(), r.Seat)
					require.Equal(t, StepAt(ep.History, HistoryWidth(game.Spec()), at), r.Action)
					at++
					if r.Seat == engine.Chance {
						require.Nil(t, r.Agent)
						require.Nil(t, r.Legal())
						continue
					}
					require.Equal(t, r.State().LegalActions(nil), r.Legal())
					require.Equal(t, r.Seat == learner, r.Agent.Learning)
					if r.Agent.Learning {
						require.Equal(t, float32(-0.5), r.LogProb)
					}
				}
				require.NoError(t, r.Err())
				require.Equal(t, 8, at)
			}
		})
	}
}

func TestVerifierRefuses(t *testing.T) {
	game := newDraw(6)
	other := engine.RulesHash(newDraw(7))
	nan := math.Float32bits(float32(math.NaN()))
	tests := []struct {
		name   string
		reason Reason
		change func(*Experience)
	}{
		{"older schema", ReasonSchema, func(e *Experience) { e.Schema = 0 }},
		{"newer schema", ReasonSchema, func(e *Experience) { e.Schema = SchemaVersion + 1 }},
		{"another run", ReasonRun, func(e *Experience) { e.Run = "run-2" }},
		{"other rules", ReasonRules, func(e *Experience) { e.RulesHash = other[:] }},
		{"no rules", ReasonRules, func(e *Experience) { e.RulesHash = nil }},
		{"actor with a path", ReasonActor, func(e *Experience) { e.Actor = "../x" }},
		{"no actor", ReasonActor, func(e *Experience) { e.Actor = "" }},
		{"batch 0", ReasonSequence, func(e *Experience) { e.Sequence = 0 }},
		{"first batch after others", ReasonSequence, func(e *Experience) { e.EpisodesBefore = 5 }},
		{"no agents", ReasonAgents, func(e *Experience) { e.Agents = nil }},
		{"too many agents", ReasonAgents, func(e *Experience) { e.Agents = slices.Repeat(e.Agents, MaxAgents) }},
		{"agent without name", ReasonAgents, func(e *Experience) { e.Agents[1].Name = "" }},
		{"too few seats", ReasonSeats, func(e *Experience) { e.Episodes[0].Seats = []byte{0} }},
		{"seat without agent", ReasonSeats, func(e *Experience) { e.Episodes[0].Seats[1] = 2 }},
		{"another seed", ReasonSeed, func(e *Experience) { e.Episodes[0].Seed++ }},
		{"another game's number", ReasonSeed, func(e *Experience) { e.Episodes[0].Number++ }},
		{"another actor's game", ReasonSeed, func(e *Experience) { e.Actor = "actor-2" }},
		{"no history", ReasonLength, func(e *Experience) { e.Episodes[0].History = nil }},
		{"cut off", ReasonLength, func(e *Experience) { e.Episodes[0].History = e.Episodes[0].History[:7] }},
		{"endless", ReasonLength, func(e *Experience) { e.Episodes[0].History = make([]byte, 1000) }},
		{"invented chance", ReasonChance, func(e *Experience) { e.Episodes[0].History[2] ^= 1 }},
		{"impossible chance", ReasonChance, func(e *Experience) { e.Episodes[0].History[2] = 255 }},
		{"illegal action", ReasonIllegal, func(e *Experience) { e.Episodes[0].History[1] = 2 }},
		{"log-probability missing", ReasonLogProb, func(e *Experience) { e.Episodes[0].LogProbs = nil }},
		{"log-probability left over", ReasonLogProb, func(e *Experience) {
			e.Episodes[0].LogProbs = AppendFloat(e.Episodes[0].LogProbs, -1)
		}},
		{"positive log-probability", ReasonLogProb, logProb(0.25)},
		{"infinite log-probability", ReasonLogProb, logProb(float32(math.Inf(-1)))},
		{"log-probability NaN", ReasonLogProb, logProb(math.Float32frombits(nan))},
		{"other returns", ReasonReturns, func(e *Experience) {
			e.Episodes[0].Returns = AppendFloat(AppendFloat(nil, 0.5), -0.5)
		}},
		{"returns NaN", ReasonReturns, func(e *Experience) {
			e.Episodes[0].Returns = AppendFloat(AppendFloat(nil, math.Float32frombits(nan)), 0)
		}},
		{"too few returns", ReasonReturns, func(e *Experience) { e.Episodes[0].Returns = nil }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			batch := playBatch(game, 1)
			test.change(batch)
			v := NewVerifier(game, testRun, testSeed)
			err := v.Header(batch)
			if err == nil {
				err = v.Episode(batch, 0).Rest()
			}
			var refusal *Refusal
			require.ErrorAs(t, err, &refusal)
			require.Equal(t, test.reason, refusal.Reason, refusal.Detail)

			good := playBatch(game, 1)
			require.NoError(t, v.Header(good))
			require.NoError(t, v.Episode(good, 0).Rest(), "a refusal must leave no trace")
		})
	}
}

func logProb(p float32) func(*Experience) {
	return func(e *Experience) { e.Episodes[0].LogProbs = AppendFloat(AppendFloat(nil, p), -1) }
}

func TestVerifierDoesNotAllocate(t *testing.T) {
	game := newDraw(300)
	batch := playBatch(game, 8)
	v := NewVerifier(game, testRun, testSeed)
	require.NoError(t, v.Header(batch))
	require.Zero(t, testing.AllocsPerRun(10, func() {
		for i := range batch.Episodes {
			if err := v.Episode(batch, i).Rest(); err != nil {
				panic(err)
			}
		}
	}))
}

// FuzzExperience changes the bytes of valid batches. Whatever they are, decoder and
// verifier answer with episodes or a Refusal.
func FuzzExperience(f *testing.F) {
	for _, cards := range []int{6, 300} {
		data, err := Encode(playBatch(newDraw(cards), 3))
		require.NoError(f, err)
		f.Add(data, cards == 300)
		f.Add(data[:len(data)/2], cards == 300)
	}
	small, large := newDraw(6), newDraw(300)
	f.Fuzz(func(t *testing.T, data []byte, wide bool) {
		game := small
		if wide {
			game = large
		}
		var e Experience
		err := Decode(data, &e)
		v := NewVerifier(game, testRun, testSeed)
		if err == nil {
			require.Less(t, proto.Size(&e), MaxMessage+1)
			err = v.Header(&e)
		}
		for i := 0; err == nil && i < len(e.Episodes); i++ {
			err = v.Episode(&e, i).Rest()
		}
		var refusal *Refusal
		if err != nil {
			require.True(t, errors.As(err, &refusal), "%v", err)
			require.Contains(t, Reasons, refusal.Reason)
		}
	})
}

func BenchmarkVerifier(b *testing.B) {
	game := newDraw(6)
	batch := playBatch(game, 64)
	v := NewVerifier(game, testRun, testSeed)
	require.NoError(b, v.Header(batch))
	b.ReportAllocs()
	for b.Loop() {
		for i := range batch.Episodes {
			if err := v.Episode(batch, i).Rest(); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(batch.Episodes)), "ns/episode")
}

// keptBatch are games of an actor's training, or of a match, that are offered to the archive.
func keptBatch(game engine.Game, match string, games int) *Kept {
	hash := engine.RulesHash(game)
	k := &Kept{
		Schema: SchemaVersion, Run: testRun, Actor: "actor-1", RulesHash: hash[:], Match: match,
		Agents: []*Agent{{Name: "main", Version: 3, Sha256: make([]byte, 32)}, {Name: "threshold(100)"}},
	}
	for number := range games {
		ep := playEpisode(game, k.Actor, uint64(number), 0)
		ep.LogProbs = nil
		k.Games = append(k.Games, ep)
	}
	return k
}

func TestVerifierOfKeptGames(t *testing.T) {
	game := newDraw(6)
	v := NewVerifier(game, testRun, testSeed)
	refused := func(err error, reason Reason) {
		t.Helper()
		var refusal *Refusal
		require.ErrorAs(t, err, &refusal)
		require.Equal(t, reason, refusal.Reason)
	}
	training := keptBatch(game, "", 20)
	data, err := Encode(training)
	require.NoError(t, err)
	require.NoError(t, Decode(data, &Kept{}))
	require.NoError(t, v.KeptHeader(training))
	for i := range training.Games {
		require.NoError(t, v.Kept(training, i))
	}
	// The same games are none of a match: a match's seeds are others.
	match := keptBatch(game, "m-1", 1)
	require.NoError(t, v.KeptHeader(match))
	refused(v.Kept(match, 0), ReasonSeed)

	for reason, forge := range map[Reason]func(k *Kept){
		ReasonRun:    func(k *Kept) { k.Run = "other" },
		ReasonRules:  func(k *Kept) { k.RulesHash = make([]byte, 8) },
		ReasonActor:  func(k *Kept) { k.Actor = "a b" },
		ReasonMatch:  func(k *Kept) { k.Match = "a.b" },
		ReasonSchema: func(k *Kept) { k.Schema = 2 },
		ReasonAgents: func(k *Kept) { k.Agents[0].Sha256 = []byte("short") },
	} {
		k := keptBatch(game, "", 1)
		forge(k)
		refused(v.KeptHeader(k), reason)
	}
	for reason, forge := range map[Reason]func(k *Kept){
		ReasonSeed:    func(k *Kept) { k.Games[0].Seed++ },
		ReasonSeats:   func(k *Kept) { k.Games[0].Seats = []byte{0, 7} },
		ReasonReturns: func(k *Kept) { k.Games[0].Returns = AppendFloat(AppendFloat(nil, 9), -9) },
		ReasonLogProb: func(k *Kept) { k.Agents[0].Learning = true },
		ReasonLength:  func(k *Kept) { k.Games[0].History = k.Games[0].History[:1] },
		ReasonChance:  func(k *Kept) { k.Games[0].History[0] ^= 1 },
	} {
		k := keptBatch(game, "", 1)
		forge(k)
		require.NoError(t, v.KeptHeader(k))
		refused(v.Kept(k, 0), reason)
	}
}
