package cluster

import (
	"context"
	"encoding/json"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"croupier/games/standard"

	"github.com/stretchr/testify/require"

	"croupier/agents"
	"croupier/archive"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/messages/bus/memory"
)

// lying is a bus on which the first results that an actor sends of tournaments are not what was played.
type lying struct {
	bus.Bus
	lies []func(*messages.Result)
}

func (l *lying) Publish(ctx context.Context, stream bus.Stream, subject string, data []byte) error {
	if stream != bus.Outcomes || len(l.lies) == 0 {
		return l.Bus.Publish(ctx, stream, subject, data)
	}
	r := &messages.Result{}
	if err := messages.Decode(data, r); err != nil {
		return err
	}
	l.lies[0](r)
	l.lies = l.lies[1:]
	data, err := messages.Encode(r)
	if err != nil {
		return err
	}
	return l.Bus.Publish(ctx, stream, subject, data)
}

// A tournament on the actors of a run has the ladder of the same tournament at home, whatever untrue results come
// first; the games are kept, and the run's league learns of none.
func TestContestIsTheTournament(t *testing.T) {
	b := memory.New(bus.Options{})
	defer b.Close()
	s := &node{bus: b, registry: newRegistry(), log: slog.New(slog.DiscardHandler), dir: t.TempDir(),
		config: changed(t, "bank", "conduct: {audit_share: 1}")}
	s.config.Run = "host"
	var err error
	s.game, err = s.config.Build()
	require.NoError(t, err)
	liar := &lying{Bus: b, lies: []func(*messages.Result){
		func(r *messages.Result) { r.Run = "other" },
		func(r *messages.Result) { r.Match.FirstSet++ },
		func(r *messages.Result) { r.OneA.ReturnSum++ },
		func(r *messages.Result) { r.Digests[0] ^= 1 },
		func(r *messages.Result) { r.Games[0].Games[0].Seed++ },
		func(r *messages.Result) { r.Games[0].Match = "m" },
		func(r *messages.Result) { r.Games[0].Agents[0].Name = "random" },
	}}
	playing := &node{bus: liar, registry: s.registry, log: s.log, dir: s.dir, config: s.config, game: s.game}
	a, err := playing.newActor(1)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- a.Run(ctx) }()

	names := []string{"leader-chaser", "threshold(100)", "threshold(200)"}
	for _, name := range names {
		require.NoError(t, agents.CheckShared(name))
	}
	cup := filepath.Join(t.TempDir(), "cup")
	document, err := s.config.Encode()
	require.NoError(t, err)
	play := func(elsewhere *Contest) string {
		tournament := agents.Tournament{Game: s.game, Games: 60, Seed: 7, Workers: 3}
		if elsewhere != nil {
			tournament.Elsewhere = elsewhere.Play
			tournament.Directory = &agents.Directory{Path: cup, Config: document, ArchiveBytes: 1 << 20}
		}
		ladder, _, err := tournament.Play(ctx, agents.New(s.game, agents.Sources{Catalog: standard.Games}), names)
		require.NoError(t, err)
		text, err := json.Marshal(ladder)
		require.NoError(t, err)
		return string(text)
	}
	var got string
	require.NoError(t, s.newContest(7).hold(ctx, func(_ context.Context, c *Contest) error {
		got = play(c)
		return nil
	}))
	require.Equal(t, play(nil), got)
	require.Empty(t, liar.lies)
	found, err := archive.Read(cup).Find(t.Context(), archive.Query{Limit: 1})
	require.NoError(t, err)
	require.Equal(t, 3*2*60, found.Total, "three pairs, each of whom is alone in half of the games")

	cancel()
	require.NoError(t, <-done)
	for stream, want := range map[bus.Stream]uint64{bus.Contests: 0, bus.Outcomes: 0, bus.Results: 0, bus.Kept: 0} {
		info, err := b.Info(t.Context(), stream)
		require.NoError(t, err)
		require.Equal(t, want, info.Messages, stream)
	}
}

// An actor of which every result is untrue does not keep a tournament going for ever.
func TestContestGivesUp(t *testing.T) {
	b := memory.New(bus.Options{})
	defer b.Close()
	s := &node{bus: b, log: slog.New(slog.DiscardHandler), config: changed(t, "kuhn", "{}")}
	s.config.Run = "host"
	var err error
	s.game, err = s.config.Build()
	require.NoError(t, err)
	queue, err := b.Consume(t.Context(), bus.Contests, messages.ArenaConsumer, "")
	require.NoError(t, err)
	go func() {
		for range contestRefusals {
			fetched, err := queue.Fetch(t.Context(), 1, time.Minute)
			if err != nil || len(fetched) == 0 {
				return
			}
			_ = b.Publish(t.Context(), bus.Outcomes, fetched[0].Subject()+".liar", []byte("nonsense"))
			_ = fetched[0].Ack(t.Context())
		}
	}()
	err = s.newContest(1).hold(t.Context(), func(ctx context.Context, c *Contest) error {
		_, _, err := c.Play(ctx, &messages.Match{Schema: messages.SchemaVersion, Id: "m", A: "random", B: "always-bet",
			Sets: 1})
		return err
	})
	require.ErrorContains(t, err, "8 results were refused, the last from actor liar")
}
