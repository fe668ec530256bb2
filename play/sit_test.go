package play

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/games/standard"
)

// People come by a code, with any case and spaces, or by the link of a seat; each gets a key of their own.
func TestSittingDown(t *testing.T) {
	inHall(t, patient, func(t *testing.T, h *Hall) {
		made := lay(t, h, "bank", SeatRequest{Open: true}, SeatRequest{Open: true})
		require.Equal(t, Waiting, seen(t, h, made, made.Keys[0]).Table.State)
		_, err := h.JoinByCode(made.Code, Guest{Name: " "})
		require.ErrorContains(t, err, "needs a name")
		bert, err := h.JoinByCode(made.Code, Guest{Name: "Bert"})
		require.NoError(t, err)
		require.Equal(t, 1, seen(t, h, made, bert.Key).Eye)
		_, err = h.Join(made.Table, made.Keys[1], Guest{Name: "Eve"})
		require.ErrorContains(t, err, "there is no such table", "the link is used up")
		_, err = h.Join(made.Table, bert.Key, Guest{Name: "Eve"})
		require.ErrorContains(t, err, "the seat is taken")
		_, err = h.Join(made.Table, made.Watch, Guest{Name: "Eve"})
		require.ErrorContains(t, err, "spectators do not play")
		carla, err := h.Join(made.Table, made.Keys[2], Guest{Name: "Carla"})
		require.NoError(t, err)
		show := seen(t, h, made, carla.Key)
		require.Equal(t, "Carla", show.Seats[2].Name)
		require.Equal(t, Playing, show.Table.State)
		_, err = h.JoinByCode(made.Code, Guest{Name: "Dora"})
		require.ErrorContains(t, err, "no table with open seats")
		_, err = h.JoinByCode("WRONG", Guest{Name: "Dora"})
		require.ErrorContains(t, err, "wrong codes")
		time.Sleep(time.Minute)
		_, err = h.JoinByCode("WRONG", Guest{Name: "Dora"})
		require.ErrorContains(t, err, "no table with open seats")
	})
}

// The host gives the open seats to an agent.
func TestFilling(t *testing.T) {
	inHall(t, patient, func(t *testing.T, h *Hall) {
		made := lay(t, h, "bank", SeatRequest{Open: true}, SeatRequest{Open: true})
		_, err := h.Fill(t.Context(), made.Table, made.Keys[0], "random")
		require.ErrorContains(t, err, "only the person who opened the table")
		_, err = h.Fill(t.Context(), made.Table, made.Host, "nobody")
		require.ErrorContains(t, err, "no such agent")
		_, err = h.Fill(t.Context(), "nothing", made.Host, "random")
		require.ErrorContains(t, err, "no such table")
		show, err := h.Fill(t.Context(), made.Table, made.Host, "random")
		require.NoError(t, err)
		require.Equal(t, Playing, show.Table.State)
		require.Empty(t, show.Table.Code)
		require.Equal(t, Robot, show.Seats[2].Kind)
	})
}

// What is not allowed is refused with a sentence.
func TestTablesRefuse(t *testing.T) {
	inHall(t, patient, func(t *testing.T, h *Hall) {
		two := lay(t, h, "kuhn", SeatRequest{Person: "Bert"})
		alone := lay(t, h, "kuhn", SeatRequest{Agent: "random"})
		fast := 1000.0
		for want, do := range map[string]func() error{
			"spectators do not play":       func() error { _, err := h.Act(two.Table, two.Watch, 0, 0); return err },
			"the cards are opened when":    func() error { _, err := h.Show(two.Table, two.Keys[0], true); return err },
			"it holds everybody's cards":   func() error { _, err := h.Save(two.Table, two.Keys[0]); return err },
			"where people play against":    func() error { _, err := h.Ask(two.Table, two.Keys[0]); return err },
			"the next game begins when":    func() error { _, err := h.Again(two.Table, two.Keys[0], false); return err },
			"a moment is tried again when": func() error { _, err := h.Retry(alone.Table, alone.Keys[0], 0); return err },
			"moves_per_second is 1000, not in": func() error {
				_, err := h.SetSpeed(alone.Table, alone.Host, Speed{MovesPerSecond: &fast})
				return err
			},
			"there is no such table":                          func() error { _, err := h.Undo("nothing", alone.Keys[0]); return err },
			"there is no such table; it may have been closed": func() error { _, err := h.Retry("nothing", "", 0); return err },
			"pace is none, short or slow": func() error {
				_, err := h.Lay(t.Context(), Request{Game: "pig", Pace: "fast"})
				return err
			},
			"chance is entered only in games without hidden cards": func() error {
				_, err := h.Lay(t.Context(), Request{Game: "kuhn", Entered: true,
					Seats: []SeatRequest{{Person: "A"}, {Person: "B"}}})
				return err
			},
			"from.history is empty": func() error { _, err := h.Lay(t.Context(), Request{From: &Point{}}); return err },
			"person_key is for a person": func() error {
				_, err := h.Lay(t.Context(), Request{Game: "pig", Seats: []SeatRequest{{Agent: "random", PersonKey: annasKey},
					{Open: true}}})
				return err
			},
		} {
			require.ErrorContains(t, do(), want)
		}
	})
}

// After a game against agents its moments are tried again, it is saved, and a person that watches is led to the next
// one.
func TestAfterTheGame(t *testing.T) {
	inHall(t, patient, func(t *testing.T, h *Hall) {
		registry := prometheus.NewRegistry()
		h.Metrics = NewMetrics(registry)
		made := lay(t, h, "kuhn", SeatRequest{Agent: "random"})
		seen(t, h, made, made.Keys[0])
		q, err := h.Ask(made.Table, made.Keys[0])
		require.NoError(t, err)
		require.Equal(t, []string{"random"}, q.Agents)
		require.Contains(t, string(q.Document), `"card"`)
		for seen(t, h, made, made.Keys[0]).Over == nil {
			_, err := h.Act(made.Table, made.Keys[0], seen(t, h, made, made.Keys[0]).Step, 0)
			require.NoError(t, err)
		}
		open, err := h.Show(made.Table, made.Keys[0], true)
		require.NoError(t, err)
		require.Equal(t, engine.Everything, open.Eye)
		line, err := h.Save(made.Table, made.Keys[0])
		require.NoError(t, err)
		require.Contains(t, line, `"seed":3`)
		_, err = h.Ask(made.Table, made.Keys[0])
		require.ErrorContains(t, err, "hints are for the player to move")

		retried, err := h.Retry(made.Table, made.Keys[0], 2)
		require.NoError(t, err)
		require.Equal(t, 2, seen(t, h, retried, retried.Keys[0]).Step)
		_, err = h.Retry(made.Table, made.Keys[0], 99)
		require.ErrorContains(t, err, "from is")
		_, err = h.Retry(made.Table, made.Watch, 2)
		require.ErrorContains(t, err, "spectators do not play")
		_, err = h.Again(made.Table, made.Watch, false)
		require.ErrorContains(t, err, "spectators do not play")
		next, err := h.Again(made.Table, made.Host, false)
		require.NoError(t, err)
		require.Equal(t, &NextSeat{next.Table, next.Watch}, seen(t, h, made, made.Watch).Table.Next)
		require.Equal(t, &NextSeat{next.Table, made.Keys[0]}, seen(t, h, made, made.Keys[0]).Table.Next)
		require.Equal(t, 4, testutil.CollectAndCount(registry))
		require.Equal(t, 1.0, testutil.ToFloat64(h.Metrics.games))
		require.Equal(t, 3.0, testutil.ToFloat64(h.Metrics.open))
	})
}

// Tables are closed with their hall: then nobody sits down any more.
func TestHallCloses(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	h := NewHall(ctx, Options{Source: source{}, Limits: patient, Log: slog.New(slog.DiscardHandler)})
	cancel()
	h.working.Wait()
	_, err := h.Lay(t.Context(), Request{Game: "pig", Seats: []SeatRequest{{Person: "A"}, {Agent: "random"}}})
	require.ErrorContains(t, err, "the tables are being closed")
}

// A game is described with how many can play it, and under which conditions it fits other seats.
func TestGamesAreDescribed(t *testing.T) {
	for name, want := range map[string][3]int{"bank": {3, 2, 8}, "kuhn": {2, 2, 2}, "banluck": {2, 2, 5}} {
		game, err := standard.Games.New(name, nil)
		require.NoError(t, err)
		d := Describe(standard.Games.Of(game), game)
		require.Equal(t, want, [3]int{d.Seats, d.Fewest, d.Most}, name)
		require.Equal(t, name == "bank", d.Entered, name)
	}
	bank, err := standard.Games.New("bank", nil)
	require.NoError(t, err)
	require.Equal(t, 30.0, Describe(standard.Games.Of(bank), bank).TimeoutSeconds)
	_, err = Fit(standard.Games.Of(bank), bank, 99)
	require.ErrorContains(t, err, "cannot be played with 99 seats")
	kuhn, err := standard.Games.New("kuhn", nil)
	require.NoError(t, err)
	_, err = Fit(standard.Games.Of(kuhn), kuhn, 3)
	require.ErrorContains(t, err, "has 2 seats, not 3")
}
