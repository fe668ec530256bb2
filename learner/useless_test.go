package learner

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"croupier/messages"
	"croupier/messages/bus"
	"croupier/messages/conduct"
)

// spoiled returns for each reason for which batches are refused how an attacker makes one of a good one, the i-th.
func spoiled() map[messages.Reason]func(x *messages.Experience, i int) {
	episode := func(spoil func(e *messages.Episode)) func(x *messages.Experience, i int) {
		return func(x *messages.Experience, _ int) {
			for _, e := range x.Episodes {
				spoil(e)
			}
		}
	}
	return map[messages.Reason]func(x *messages.Experience, i int){
		messages.ReasonSchema:   func(x *messages.Experience, _ int) { x.Schema = 99 },
		messages.ReasonRun:      func(x *messages.Experience, _ int) { x.Run = "another" },
		messages.ReasonRules:    func(x *messages.Experience, _ int) { x.RulesHash = make([]byte, 32) },
		messages.ReasonActor:    func(x *messages.Experience, _ int) { x.Actor = "somebody" },
		messages.ReasonWorkers:  func(x *messages.Experience, i int) { x.Actor = fmt.Sprintf("lab-c-%d", i) },
		messages.ReasonClosed:   func(x *messages.Experience, _ int) { x.Actor, x.Began = "lab-b-0", 1 },
		messages.ReasonSequence: func(x *messages.Experience, _ int) { x.Sequence, x.EpisodesBefore = 1<<60, 1<<60 },
		messages.ReasonRepeated: func(x *messages.Experience, _ int) { x.Sequence, x.EpisodesBefore = 1, 0 },
		messages.ReasonEmpty:    func(x *messages.Experience, _ int) { x.Episodes, x.EpisodesBefore = nil, 1 },
		messages.ReasonStale:    func(x *messages.Experience, _ int) { x.Agents[0].Version = 1 },
		messages.ReasonAgents:   func(x *messages.Experience, _ int) { x.Agents = nil },
		messages.ReasonVersion:  func(x *messages.Experience, _ int) { x.Agents[0].Version = 99 },
		messages.ReasonSeats:    episode(func(e *messages.Episode) { e.Seats[1] = 9 }),
		messages.ReasonSeed:     episode(func(e *messages.Episode) { e.Seed++ }),
		messages.ReasonLength:   episode(func(e *messages.Episode) { e.History = e.History[:3] }),
		messages.ReasonChance: episode(func(e *messages.Episode) {
			e.History[0], e.History[1] = e.History[1], e.History[0]
		}),
		messages.ReasonIllegal: episode(func(e *messages.Episode) { e.History[2] = 2 }),
		messages.ReasonLogProb: episode(func(e *messages.Episode) { e.LogProbs = nil }),
		messages.ReasonReturns: episode(func(e *messages.Episode) { e.Returns[0] ^= 1 }),
	}
}

// Every refusal has a price: an actor that sends nothing else is quarantined, however innocent the reason may be now
// and then, and what it sends is no backlog for others.
func TestEveryRefusalHasAPrice(t *testing.T) {
	kinds := spoiled()
	// decode has no batch to spoil; aside is the price; match is the archive's, replay the auditor's
	elsewhere := []messages.Reason{
		messages.ReasonDecode, messages.ReasonQuarantined, messages.ReasonMatch, messages.ReasonReplay,
	}
	for _, reason := range messages.Reasons {
		spoil := kinds[reason]
		if slices.Contains(elsewhere, reason) {
			continue
		}
		require.NotNil(t, spoil, "how a batch is refused for %s", reason)
		t.Run(string(reason), func(t *testing.T) { floodIsPaidFor(t, reason, spoil) })
	}
}

// batch is a message without a bus.
type batch struct {
	bus.Message
	subject string
	data    []byte
}

func (b batch) Subject() string { return b.subject }
func (b batch) Data() []byte    { return b.data }

// floodIsPaidFor has an attacker send a batch in many forms between those of an honest actor.
func floodIsPaidFor(t *testing.T, reason messages.Reason, spoil func(x *messages.Experience, i int)) {
	o := testOptions(t)
	o.Config.PPO.MaxLag, o.Config.PPO.Samples = 3, 1<<20
	o.Conduct = conduct.Config{Offences: 3, Window: time.Hour}
	g := testIngestion(t, o, 5)
	if reason == messages.ReasonClosed {
		g.merged = &messages.MergedLedgers{Horizon: 5}
	}
	honest, lab := playingActor(t, o, "good", 5), playingActor(t, o, "lab-a-0", 5)
	take := func(sender string, x *messages.Experience) {
		x.Schema = cmp.Or(x.Schema, messages.SchemaVersion)
		data, err := proto.Marshal(x)
		require.NoError(t, err)
		require.NoError(t, g.batch(t.Context(), batch{subject: sender, data: data}))
	}
	take("lab", lab.batch(1))
	if reason == messages.ReasonWorkers {
		g.workers["lab"] = maxWorkers
	}
	before, useless := lab.games, uint64(0)
	for sent := 0; !g.conduct.Quarantined("lab"); sent++ {
		require.Less(t, sent, oldOffences+conduct.Excused, "it is never quarantined")
		x := lab.batch(1)
		spoil(x, sent)
		useless = g.useless.Load()
		take("lab", x)
		require.False(t, reason.Innocent() && sent < conduct.Excused && g.conduct.Quarantined("lab"), "that many are excused")
		useless = g.useless.Load() - useless
		take("good", honest.batch(1))
	}
	require.EqualValues(t, 1, useless, "it is no backlog")
	require.Equal(t, string(reason), conduct.ReasonOf(g.conduct.Newest()))
	require.EqualValues(t, honest.games+before, g.totals()["consumed"], "all of the honest actor's, and what was good")
}
