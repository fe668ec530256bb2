package play

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/internal/seed"
)

// shared asks for a seat at the device of the person who lays the table.
func shared(name string) SeatRequest { return SeatRequest{Person: name, Shared: true} }

// layShared lays a table at which several share a device.
func layShared(t *testing.T, h *Hall, game, rules string, seats ...SeatRequest) *Made {
	t.Helper()
	deal := seed.Asked(3)
	made, err := h.Lay(t.Context(), Request{Game: game, Rules: rules, Seats: seats, Seed: &deal})
	require.NoError(t, err)
	return made
}

// What is sent to a device while the cards are covered, or while another one of the persons has it than the one who is
// asked, is the same to the byte in games that look the same to spectators.
func TestNothingCoveredTravels(t *testing.T) {
	h := NewHall(t.Context(), Options{Limits: DefaultLimits()})
	each(t, func(t *testing.T, game engine.Game) {
		if game.Spec().PerfectInformation {
			return
		}
		rng := engine.NewRNG(1, 0)
		changed, compared, uncovered := 0, 0, 0
		covered := func(r *room) (documents []string) {
			p := pass{chosen: -1}
			for seat := range game.Spec().Seats {
				p.seats = append(p.seats, seat)
			}
			for _, p.chosen = range append([]int{-1}, p.seats...) {
				show := r.showTo(p)
				if p.chosen >= 0 && p.chosen == r.asked(p) {
					require.False(t, show.Table.Device.Covered)
					require.NotEmpty(t, show.Actions)
					require.Equal(t, r.show(p.chosen).View, show.View)
					uncovered++
				} else if r.asked(p) >= 0 {
					require.True(t, show.Table.Device.Covered)
					require.Empty(t, show.Actions)
					documents = append(documents, document(t, show))
				}
			}
			return documents
		}
		for seed := range uint64(8) {
			plan := Plan{Game: game, Seed: seed, Undo: true, Timeout: time.Minute}
			for range game.Spec().Seats {
				plan.Chairs = append(plan.Chairs, Chair{Kind: Person, Name: "Anna", Shared: true})
			}
			c, n := pairUp(t, stillRoom(t, h, plan), stillRoom(t, h, plan), engine.Public, rng, covered)
			changed, compared = changed+c, compared+n
		}
		require.Positive(t, changed)
		require.Positive(t, uncovered)
		t.Logf("%d positions compared, %d steps were others", compared, changed)
	})
}

// The cards of the person who is asked are shown once they have the device, and covered as soon as another one is
// asked.
func TestCardsAreCoveredBetweenTurns(t *testing.T) {
	inHall(t, patient, func(t *testing.T, h *Hall) {
		made := layShared(t, h, "leduc", "", shared("Mum"), shared("Dad"))
		key := made.Keys[0]
		require.Equal(t, key, made.Keys[1], "one key")
		show := seen(t, h, made, key)
		require.Equal(t, &Device{Seats: []int{0, 1}, Asked: 0, Covered: true}, show.Table.Device)
		require.Equal(t, engine.Public, show.Eye)
		_, err := h.Act(made.Table, key, show.Step, 0)
		require.ErrorContains(t, err, "Mum is asked and has to have the device first")

		show = seen(t, h, made, key+":0")
		require.Equal(t, 0, show.Eye)
		require.Equal(t, You, show.Seats[0].Kind)
		require.False(t, show.Table.Device.Covered)
		revision := show.Table.Revision
		show, err = h.Act(made.Table, key+":0", show.Step, show.Actions[0].Action)
		require.NoError(t, err)
		require.Greater(t, show.Table.Revision, revision)
		require.Equal(t, engine.Public, show.Eye, "Dad is asked")
		require.Equal(t, &Device{Seats: []int{0, 1}, Asked: 1, Covered: true}, show.Table.Device)
		require.Equal(t, 1, seen(t, h, made, key+":1").Eye)

		require.True(t, show.Table.Undo)
		show, err = h.Undo(made.Table, key+":1")
		require.NoError(t, err)
		require.Equal(t, &Device{Seats: []int{0, 1}, Asked: 0, Covered: true}, show.Table.Device)
		for show.Over == nil {
			asked := seen(t, h, made, key).Table.Device.Asked
			own := key + ":" + string(rune('0'+asked))
			show = seen(t, h, made, own)
			show, err = h.Act(made.Table, own, show.Step, show.Actions[0].Action)
			require.NoError(t, err)
		}
		require.Equal(t, engine.Public, show.Eye)
		require.Equal(t, -1, show.Table.Device.Asked)
		again, err := h.Again(made.Table, key, true)
		require.NoError(t, err)
		require.Equal(t, []string{key, key}, again.Keys)
		require.Equal(t, again.Table, seen(t, h, made, key).Table.Next.Table)
		require.Equal(t, "Dad", seen(t, h, again, key).Seats[0].Name)
		for _, table := range []*Made{made, again} {
			_, err = h.Leave(t.Context(), table.Table, key)
			require.NoError(t, err)
			_, err = h.Show(table.Table, key, false)
			require.ErrorContains(t, err, "there is no such table", "all have left")
		}
	})
}

// In BANK! all at the device are asked together: those who bank say so, and the others need not answer one by one.
// Nobody is asked while nothing can be lost, and what is taken back is the whole question.
func TestDeviceIsAskedTogether(t *testing.T) {
	inHall(t, patient, func(t *testing.T, h *Hall) {
		made := layShared(t, h, "bank", "{players: 4, rounds: 3}", shared("Mum"), shared("Dad"),
			SeatRequest{Agent: "random"}, SeatRequest{Person: "Anna"})
		device, anna := made.Keys[0], made.Keys[3]
		require.NotEqual(t, device, anna)
		polled := func() *Show { // at a question that Anna and the agent have no part in
			for {
				show := seen(t, h, made, device)
				if show.Table.Device.Poll != nil || show.Over != nil {
					return show
				}
				show = seen(t, h, made, anna)
				_, err := h.Act(made.Table, anna, show.Step, 0)
				require.NoError(t, err)
			}
		}
		show := polled()
		require.Equal(t, &Poll{[]int{0, 1}, Choice{1, "bank"}, Choice{0, "pass"}}, show.Table.Device.Poll)
		require.Equal(t, engine.Public, show.Eye)
		require.GreaterOrEqual(t, show.Step, 5, "rolls 1 and 2 were not asked about")
		require.False(t, show.Table.Undo, "Anna has a device of her own")
		_, err := h.Answer(made.Table, anna, show.Step, nil)
		require.ErrorContains(t, err, "only at one device")
		_, err = h.Answer(made.Table, device, show.Step, []int{3})
		require.ErrorContains(t, err, "seat 4 is not asked")
		_, err = h.Answer(made.Table, device, show.Step-1, []int{1})
		require.ErrorContains(t, err, ErrLate.Error())
		_, err = h.Answer(made.Table, device, show.Step, []int{1})
		require.NoError(t, err)
		show = polled()
		if show.Over == nil && show.Table.Device.Poll.Seats[0] == 0 {
			require.NotContains(t, show.Table.Device.Poll.Seats, 1, "Dad has banked")
		}
	})
	inHall(t, patient, func(t *testing.T, h *Hall) {
		made := layShared(t, h, "bank", "{players: 3, rounds: 1}", shared("Mum"), shared("Dad"), shared("Anna"))
		key := made.Keys[0]
		first := seen(t, h, made, key)
		_, err := h.Answer(made.Table, key, first.Step, []int{1})
		require.NoError(t, err)
		show := seen(t, h, made, key)
		require.ElementsMatch(t, []int{0, 2}, show.Table.Device.Poll.Seats, "the question goes round again")
		require.True(t, show.Table.Undo)
		_, err = h.Undo(made.Table, key)
		require.NoError(t, err)
		show = seen(t, h, made, key)
		require.Equal(t, first.Step, show.Step)
		require.Equal(t, []int{0, 1, 2}, show.Table.Device.Poll.Seats, "nobody has answered")
		require.False(t, show.Table.Undo)
		// When time is up all who did not answer pass.
		time.Sleep(30 * time.Second)
		show = seen(t, h, made, key)
		require.Greater(t, show.Step, first.Step+3, "the next roll has been made")
		for show.Over == nil {
			_, err = h.Answer(made.Table, key, show.Step, show.Table.Device.Poll.Seats)
			require.NoError(t, err)
			show = seen(t, h, made, key)
		}
		_, err = h.Answer(made.Table, key, show.Step, nil)
		require.ErrorContains(t, err, ErrOver.Error())
	})
}

// Where nothing is hidden the board is that of the person who is asked, without asking for it; and of the one before
// while agents move.
func TestDeviceTurnsToWhoIsAsked(t *testing.T) {
	inHall(t, patient, func(t *testing.T, h *Hall) {
		made := layShared(t, h, "pig", "", shared("Mum"), shared("Dad"))
		key := made.Keys[1]
		show := seen(t, h, made, key)
		require.Equal(t, 0, show.Eye)
		for show.Mover == 0 {
			_, err := h.Act(made.Table, key, show.Step, show.Actions[len(show.Actions)-1].Action)
			require.NoError(t, err)
			show = seen(t, h, made, key)
		}
		require.Equal(t, 1, show.Eye)
		require.NotEmpty(t, show.Actions)
		watch, err := h.Watch(made.Table, key)
		require.NoError(t, err)
		defer watch.Close()
		for _, seat := range seen(t, h, made, key).Seats {
			require.True(t, seat.Present)
		}
		<-watch.Changed()
		_, err = h.Undo(made.Table, key)
		require.NoError(t, err)
		<-watch.Changed()
		alone := layShared(t, h, "pig", "", shared("Mum"), SeatRequest{Agent: "random"})
		require.Nil(t, seen(t, h, alone, alone.Keys[0]).Table.Device, "shared with nobody")
		_, err = h.Lay(t.Context(), Request{Game: "pig", Seats: []SeatRequest{{Agent: "random", Shared: true}, {Open: true}}})
		require.ErrorContains(t, err, "shared is for a person")
	})
}
