package play

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/agents"
	"croupier/engine"
	"croupier/games/standard"
	"croupier/internal/seed"
	"croupier/policy"
)

// source knows the agents "random", "slow", which thinks for a minute, "solving" and "expert", which are ready
// after an hour, and "failing", which never is.
type source struct{}

func (source) Game(_ context.Context, name, rules, _ string, seats int) (engine.Game, error) {
	game, err := standard.Games.New(name, []byte(rules))
	if err != nil {
		return nil, err
	}
	return Fit(standard.Games.Of(game), game, seats)
}

func (source) Agent(ctx context.Context, _ engine.Game, _, name string) (Agent, error) {
	a := randomAgent()
	a.Name = name
	switch name {
	case "slow":
		a.New = func() (policy.Policy, error) { return slow{}, nil }
	case "solving", "expert", "failing":
		select {
		case <-time.After(time.Hour):
		case <-ctx.Done():
			return a, ctx.Err()
		}
		if name == "failing" {
			return a, errors.New("the game is too large to be solved")
		}
	case "random":
	default:
		return a, errors.New("there is no such agent")
	}
	return a, nil
}

// Agents are random alone.
func (source) Agents(game engine.Game) *agents.Agents {
	return agents.New(game, agents.Sources{})
}

type slow struct{ policy.Random }

func (s slow) Choose(state engine.State, legal []int, rng *engine.RNG) int {
	time.Sleep(time.Minute)
	return s.Random.Choose(state, legal, rng)
}

// inHall runs a test in a bubble with a clock of its own, and requires that nothing is left of the
// hall once it is closed.
func inHall(t *testing.T, limits Limits, do func(t *testing.T, h *Hall)) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		h := NewHall(ctx, Options{Source: source{}, Limits: limits, Log: slog.New(slog.DiscardHandler)})
		do(t, h)
		cancel()
		h.working.Wait()
		require.Empty(t, h.rooms)
		require.Empty(t, h.codes)
	})
}

// patient are limits of a hall in which tables stay.
var patient = Limits{Tables: 10, Idle: 24 * time.Hour, Kept: 48 * time.Hour}

// lay lays a table with Anna and agents or people.
func lay(t *testing.T, h *Hall, game string, others ...SeatRequest) *Made {
	t.Helper()
	deal := seed.Asked(3)
	made, err := h.Lay(t.Context(), Request{Game: game, Seed: &deal,
		Seats: append([]SeatRequest{{Person: "Anna"}}, others...)})
	require.NoError(t, err)
	return made
}

// seen returns what a key sees once nothing happens any more.
func seen(t *testing.T, h *Hall, made *Made, key string) *Show {
	t.Helper()
	synctest.Wait()
	show, err := h.Show(made.Table, key, false)
	require.NoError(t, err)
	return show
}

// A person who does not answer passes after 30 seconds in BANK!, and everybody is shown why.
func TestTimeout(t *testing.T) {
	inHall(t, DefaultLimits(), func(t *testing.T, h *Hall) {
		made := lay(t, h, "bank", SeatRequest{Person: "Bert"})
		show := seen(t, h, made, made.Keys[0])
		require.Equal(t, &Clock{Left: 30, Limit: 30, Fallback: "pass"}, show.Clock)
		require.Equal(t, 0, show.Mover)
		time.Sleep(29 * time.Second)
		show = seen(t, h, made, made.Keys[1])
		require.Equal(t, 0, show.Mover)
		require.InDelta(t, 1, show.Clock.Left, 1e-6)
		time.Sleep(time.Second)
		show = seen(t, h, made, made.Keys[1])
		require.Equal(t, 1, show.Mover)
		last := show.Events[len(show.Events)-1]
		require.Equal(t, Event{Step: last.Step, Player: 0, Name: "pass", Note: "30s are over"}, last)
		_, err := h.Act(made.Table, made.Keys[0], 1, 0)
		require.ErrorContains(t, err, ErrLate.Error())
	})
}

// A slow agent keeps nobody else waiting, and one that first has to be solved not even at its own
// table's making.
func TestSlowAgents(t *testing.T) {
	inHall(t, patient, func(t *testing.T, h *Hall) {
		slow, quick := lay(t, h, "kuhn", SeatRequest{Agent: "slow"}), lay(t, h, "kuhn", SeatRequest{Agent: "random"})
		began := time.Now()
		solving := lay(t, h, "kuhn", SeatRequest{Agent: "solving"})
		require.Equal(t, promptly, time.Since(began))
		for _, made := range []*Made{slow, quick, solving} {
			_, err := h.Act(made.Table, made.Keys[0], seen(t, h, made, made.Keys[0]).Step, 0)
			require.NoError(t, err)
		}
		require.NotEqual(t, 1, seen(t, h, quick, quick.Keys[0]).Mover)
		require.Equal(t, 1, seen(t, h, slow, slow.Keys[0]).Mover)
		time.Sleep(time.Minute)
		require.NotEqual(t, 1, seen(t, h, slow, slow.Keys[0]).Mover)
		require.Equal(t, 1, seen(t, h, solving, solving.Keys[0]).Mover)
		expert := lay(t, h, "kuhn", SeatRequest{Agent: "expert"})
		seat := seen(t, h, expert, expert.Keys[0]).Seats[1]
		require.Equal(t, "Expert", seat.Name, "its level's name, ready or not")
		require.Equal(t, "plays a computed solution; takes a moment to get ready", seat.About)
		time.Sleep(time.Hour)
		require.NotEqual(t, 1, seen(t, h, solving, solving.Keys[0]).Mover)
	})
}

// Where an agent cannot play after all, the table says so.
func TestAgentThatFails(t *testing.T) {
	inHall(t, patient, func(t *testing.T, h *Hall) {
		made := lay(t, h, "kuhn", SeatRequest{Agent: "failing"})
		_, err := h.Act(made.Table, made.Keys[0], seen(t, h, made, made.Keys[0]).Step, 0)
		require.NoError(t, err)
		time.Sleep(2 * time.Hour)
		require.Equal(t, "the game cannot continue: the game is too large to be solved",
			seen(t, h, made, made.Keys[0]).Table.Problem)
		_, err = h.Lay(t.Context(), Request{Game: "kuhn", Seats: []SeatRequest{{Person: "A"}, {Agent: "nobody"}}})
		require.EqualError(t, err, "seats[1]: there is no such agent")
	})
}

// What a person takes back comes again as it came.
func TestUndo(t *testing.T) {
	inHall(t, DefaultLimits(), func(t *testing.T, h *Hall) {
		made := lay(t, h, "pig", SeatRequest{Agent: "random"})
		act := func(action int) *Show {
			_, err := h.Act(made.Table, made.Keys[0], seen(t, h, made, made.Keys[0]).Step, action)
			require.NoError(t, err)
			return seen(t, h, made, made.Keys[0])
		}
		require.False(t, seen(t, h, made, made.Keys[0]).Table.Undo)
		act(0)
		first := act(1) // holds; the agent plays its turn
		require.True(t, first.Table.Undo)
		back, err := h.Undo(made.Table, made.Keys[0])
		require.NoError(t, err)
		require.Equal(t, 2, back.Step)
		require.Greater(t, back.Table.Revision, first.Table.Revision)
		again := act(1)
		require.Equal(t, first.View, again.View)
		require.Equal(t, first.Events, again.Events)
		for range 2 {
			_, err = h.Undo(made.Table, made.Keys[0])
			require.NoError(t, err)
		}
		_, err = h.Undo(made.Table, made.Keys[0])
		require.ErrorContains(t, err, ErrUndo.Error())

		two := lay(t, h, "pig", SeatRequest{Person: "Bert"})
		_, err = h.Act(two.Table, two.Keys[0], 0, 0)
		require.NoError(t, err)
		_, err = h.Undo(two.Table, two.Keys[0])
		require.ErrorContains(t, err, ErrNoUndo.Error())
	})
}

// While an agent thinks, the person takes back the move to which it was to answer: the answer is
// dropped.
func TestUndoWhileAnAgentThinks(t *testing.T) {
	inHall(t, DefaultLimits(), func(t *testing.T, h *Hall) {
		made := lay(t, h, "kuhn", SeatRequest{Agent: "slow"})
		step := seen(t, h, made, made.Keys[0]).Step
		_, err := h.Act(made.Table, made.Keys[0], step, 0)
		require.NoError(t, err)
		time.Sleep(time.Second)
		_, err = h.Undo(made.Table, made.Keys[0])
		require.NoError(t, err)
		time.Sleep(time.Hour)
		require.Equal(t, step, seen(t, h, made, made.Keys[0]).Step)
		require.Equal(t, 0, seen(t, h, made, made.Keys[0]).Mover)
	})
}

// The same deal again with exchanged seats, and everybody finds their next seat.
func TestAgainWithExchangedSeats(t *testing.T) {
	inHall(t, DefaultLimits(), func(t *testing.T, h *Hall) {
		made := lay(t, h, "kuhn", SeatRequest{Person: "Bert"})
		for seen(t, h, made, made.Keys[0]).Over == nil {
			show := seen(t, h, made, made.Keys[0])
			_, err := h.Act(made.Table, made.Keys[show.Mover], seen(t, h, made, made.Keys[show.Mover]).Step, 0)
			require.NoError(t, err)
		}
		next, err := h.Again(made.Table, made.Keys[0], true)
		require.NoError(t, err)
		require.Equal(t, []string{"", made.Keys[0]}, next.Keys)
		same, err := h.Again(made.Table, made.Keys[1], false)
		require.NoError(t, err)
		require.Equal(t, next.Table, same.Table)
		over := seen(t, h, made, made.Keys[1])
		require.Equal(t, &NextSeat{next.Table, made.Keys[1]}, over.Table.Next)
		show := seen(t, h, next, made.Keys[1])
		require.Equal(t, 0, show.Eye)
		require.Equal(t, []float64{over.Over.Returns[1], over.Over.Returns[0]}, show.Table.Sum)
		h.mutex.Lock()
		defer h.mutex.Unlock()
		first, second := h.rooms[made.Table].table.story.history, h.rooms[next.Table].table.story.history
		require.Equal(t, first[:2], second[:2], "the cards")
	})
}

// A player who leaves is replaced; a table that everybody has left is closed.
func TestLeaving(t *testing.T) {
	inHall(t, DefaultLimits(), func(t *testing.T, h *Hall) {
		made := lay(t, h, "pig", SeatRequest{Person: "Bert"})
		_, err := h.Leave(t.Context(), made.Table, made.Keys[0])
		require.NoError(t, err)
		show := seen(t, h, made, made.Keys[1])
		require.Equal(t, Seat{Name: "Anna (left)", Kind: Robot, About: "moves at random"}, show.Seats[0])
		require.NotEqual(t, 0, show.Mover, "somebody plays on for Anna")
		_, err = h.Leave(t.Context(), made.Table, made.Keys[1])
		require.NoError(t, err)
		_, err = h.Show(made.Table, made.Keys[1], false)
		require.ErrorContains(t, err, "there is no such table")
	})
}

// Tables are bounded; those that nobody needs make way, and go after a time.
func TestBounds(t *testing.T) {
	inHall(t, Limits{Tables: 2, Idle: time.Hour, Kept: 3 * time.Hour}, func(t *testing.T, h *Hall) {
		first, second := lay(t, h, "pig", SeatRequest{Agent: "random"}), lay(t, h, "pig", SeatRequest{Agent: "random"})
		_, err := h.Lay(t.Context(), Request{Game: "pig", Seats: []SeatRequest{{Person: "A"}, {Agent: "random"}}})
		require.ErrorContains(t, err, "all 2 tables are taken")
		w, err := h.Watch(second.Table, second.Keys[0])
		require.NoError(t, err)
		defer w.Close()
		time.Sleep(2 * time.Minute)
		lay(t, h, "pig", SeatRequest{Agent: "random"})
		_, err = h.Show(first.Table, first.Keys[0], false)
		require.ErrorContains(t, err, "there is no such table")
		time.Sleep(2 * time.Hour)
		require.NotNil(t, seen(t, h, second, second.Keys[0]), "somebody looks")
		time.Sleep(time.Hour)
		<-w.Closed()
	})
}

// Agents among themselves play at the speed that is asked for, and stop when they are to.
func TestSpeed(t *testing.T) {
	inHall(t, DefaultLimits(), func(t *testing.T, h *Hall) {
		made, err := h.Lay(t.Context(), Request{Game: "pig", Pace: Slow,
			Seats: slices.Repeat([]SeatRequest{{Agent: "random"}}, 2)})
		require.NoError(t, err)
		speed, stop := 10.0, true
		_, err = h.SetSpeed(made.Table, made.Watch, Speed{MovesPerSecond: &speed})
		require.ErrorContains(t, err, "only the person who opened the table")
		_, err = h.SetSpeed(made.Table, made.Host, Speed{MovesPerSecond: &speed})
		require.NoError(t, err)
		before := seen(t, h, made, made.Watch).Step
		time.Sleep(time.Second)
		require.Equal(t, 10, seen(t, h, made, made.Watch).Step-before)
		_, err = h.SetSpeed(made.Table, made.Host, Speed{Paused: &stop})
		require.NoError(t, err)
		before = seen(t, h, made, made.Watch).Step
		time.Sleep(time.Hour / 2)
		require.Equal(t, before, seen(t, h, made, made.Watch).Step)
		_, err = h.SetSpeed(made.Table, made.Host, Speed{Step: true})
		require.NoError(t, err)
		require.Equal(t, before+1, seen(t, h, made, made.Watch).Step)
		show, err := h.Show(made.Table, made.Watch, true)
		require.NoError(t, err)
		require.Equal(t, engine.Everything, show.Eye)
		now := time.Now()
		_, err = h.SetSpeed(made.Table, made.Host, Speed{End: true})
		require.NoError(t, err)
		require.NotNil(t, seen(t, h, made, made.Watch).Over)
		require.Equal(t, now, time.Now(), "without a pause")
	})
}

// Agents with one title are distinguished by numbers, and only those.
func TestAgentsAreNumbered(t *testing.T) {
	inHall(t, DefaultLimits(), func(t *testing.T, h *Hall) {
		random := SeatRequest{Agent: "random"}
		titles := func(made *Made) (names []string) {
			for _, s := range seen(t, h, made, made.Keys[0]).Seats {
				names = append(names, s.Name)
			}
			return names
		}
		require.Equal(t, []string{"Anna", "Beginner 1", "Beginner 2"}, titles(lay(t, h, "bank", random, random)))
		require.Equal(t, []string{"Anna", "Beginner"}, titles(lay(t, h, "bank", random)))
	})
}
