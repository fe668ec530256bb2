package advice

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/engine/games"
	"croupier/engine/history"
	"croupier/engine/pig"
	"croupier/internal/strict"
	"croupier/policy"
)

// holder values holding at the turn's points and rolling at 2.
func holder() policy.Policy { return turnValuer{} }

type turnValuer struct{ policy.Random }

func (turnValuer) Scale() policy.Scale { return policy.Scale{Unit: "points", Exact: true} }

func (turnValuer) Values(s engine.State, legal []int, dst []policy.Value) {
	for i, action := range legal {
		v := 2.0
		if action == pig.Hold {
			v = float64(s.(*pig.State).Turn())
		}
		dst[i] = policy.Value{Mean: v, Low: v, High: v}
	}
}

func TestReviewSumsWhatWasLost(t *testing.T) {
	g, err := games.New("pig", strict.YAML("target: 10"))
	require.NoError(t, err)
	rec := &history.Record{Game: "pig", History: []int{
		pig.Hold,                           // seat 0: 2 less than rolling
		pig.Roll, 4, pig.Roll, 4, pig.Hold, // seat 1: with 5 it rolls, 3 less than holding
	}}
	r := NewReviewer(g, Agent{Name: "holder", New: holder}, DefaultOptions())
	var seen []Decision
	show := func(d *Decision) error { seen = append(seen, *d); return nil }
	require.NoError(t, r.Review(context.Background(), rec, show))
	require.NoError(t, r.Review(context.Background(), rec, show))
	require.Equal(t, 2, r.Games)
	require.True(t, r.Exact)
	require.Equal(t, "points", r.Unit)
	require.Equal(t,
		[]Lost{{Seat: 0, Decisions: 2, Mistakes: 2, Loss: 4}, {Seat: 1, Decisions: 6, Mistakes: 2, Loss: 6}}, r.Seats)
	require.Len(t, seen, 8)
	worst := seen[6]
	require.Equal(t, `{"scores":[0,0],"turn":5,"seat":1}`, string(worst.Position))
	require.Equal(t, Decision{
		GameIndex: 1, Step: 3, Seat: 1, Position: worst.Position, Taken: pig.Roll, TakenName: "roll",
		Best: pig.Hold, BestName: "hold",
		Loss: 3, LossLow: 3, LossHigh: 3, Reason: "Hold is worth 5.000 points, 3.000 more than roll.",
	}, worst)
}

func TestReviewRefusesWhatIsNoGame(t *testing.T) {
	g, err := games.New("pig", nil)
	require.NoError(t, err)
	r := NewReviewer(g, Agent{Name: "holder", New: holder}, DefaultOptions())
	for _, steps := range [][]int{{pig.Hold}, {7}, {pig.Roll, 9}} {
		err := r.Review(context.Background(), &history.Record{Game: "pig", History: steps},
			func(*Decision) error { return nil })
		var wrong *history.Error
		require.ErrorAs(t, err, &wrong, "%v", steps)
		require.Equal(t, len(steps)-1, min(wrong.Step, len(steps)-1))
	}
	require.Zero(t, r.Games)
}

// With hidden cards a seat is judged by what it knew: a queen that calls the equilibrium's
// bet has lost nothing, whether or not the other had the king.
func TestReviewJudgesByWhatTheSeatKnew(t *testing.T) {
	g, err := games.New("kuhn", nil)
	require.NoError(t, err)
	var losses [2]float64
	for i, card := range []int{0, 2} {
		r := NewReviewer(g, Agent{Name: "equilibrium", New: func() policy.Policy { return equilibrium{0.2} }},
			Options{Samples: 2000, Seed: 5})
		rec := &history.Record{Game: "kuhn", History: []int{card, 1, 1, 1}}
		require.NoError(t, r.Review(context.Background(), rec, func(d *Decision) error {
			if d.Seat == 1 {
				losses[i] = d.Loss
			}
			return nil
		}))
	}
	require.Equal(t, losses[0], losses[1])
	require.InDelta(t, 0, losses[0], 0.2)
}
