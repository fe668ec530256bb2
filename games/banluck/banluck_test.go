package banluck

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"croupier/engine"
	"croupier/engine/enginetest"
)

func TestConformance(t *testing.T) {
	enginetest.Run(t, New, "players: 2", "players: 4\nsurrender: false",
		"players: 3\nreveal: false\nace: greedy\npayouts: {\"777\": 21}")
}

// game is a hand in play, for tests that read like its story.
type game struct {
	*State
	t require.TestingT
}

// start deals the given two cards of each seat, the dealer's last.
func start(t require.TestingT, rules string, hands ...string) game {
	g := game{newGame(t, rules).NewState().(*State), t}
	for _, values := range hands {
		require.Len(t, values, dealt)
		g.cards(values)
	}
	require.GreaterOrEqual(t, g.length, g.game.deals, "hands for every seat")
	return g
}

// cards deals cards of the given values, of the first suits that are left.
func (g game) cards(values string) game {
	for _, name := range values {
		require.Equal(g.t, engine.Chance, g.Player(), "no card is dealt now")
		value, card := valueNamed(g.t, name), 0
		for CardValue(card) != value || g.dealt>>card&1 == 1 {
			card++
		}
		require.NoError(g.t, g.Apply(card))
	}
	return g
}

// acts makes a choice of the seat, which must be the one to move.
func (g game) acts(seat, action int) game {
	require.Equal(g.t, seat, g.Player(), "seat to move")
	require.NoError(g.t, g.Apply(action))
	return g
}

// hits lets the seat take cards one by one.
func (g game) hits(seat int, values string) game {
	for _, value := range values {
		g.acts(seat, Hit).cards(string(value))
	}
	return g
}

// asks requires a decision of the seat between the actions.
func (g game) asks(seat int, legal ...int) game {
	require.Equal(g.t, seat, g.Player(), "seat to move")
	require.Equal(g.t, legal, g.LegalActions(nil))
	return g
}

// ends requires the end of the hand with the given results of the players.
func (g game) ends(results ...float64) {
	require.Equal(g.t, engine.Terminal, g.Player())
	returns := make([]float64, len(results)+1)
	g.Returns(returns)
	require.Equal(g.t, results, returns[:len(results)])
	sum := 0.0
	for _, r := range returns {
		sum += r
	}
	require.Zero(g.t, sum)
}

// The 14 edge cases of the source, section 5.5.
func TestEdgeCases(t *testing.T) {
	run := func(name string, test func(t *testing.T)) { t.Run(name, test) }

	run("1: dealer's hard 15 overrides Ban Ban", func(t *testing.T) {
		start(t, "", "AA", "78").asks(1, Surrender, Continue).acts(1, Surrender).ends(0)
		start(t, "", "AA", "78").acts(1, Continue).ends(3)
	})
	run("2: Ban Ban totals 21", func(t *testing.T) {
		require.Equal(t, Worth{21, true, BanBan}, newGame(t, "").Worth(hand(t, "AA")))
	})
	run("3: soft 15 is not a hard 15", func(t *testing.T) {
		g := start(t, "", "TT", "A4").acts(0, Stand)
		require.Equal(t, engine.Chance, g.Player(), "the dealer is not asked; he must hit")
	})
	run("4: five cards against five cards of the same total push", func(t *testing.T) {
		start(t, "", "23", "22").hits(0, "446").cards("465").ends(0)
	})
	run("5: five cards against five cards, the higher total wins 1", func(t *testing.T) {
		start(t, "", "23", "22").hits(0, "445").cards("465").ends(-1)
		start(t, "", "23", "22").hits(0, "448").cards("465").ends(1)
	})
	run("6: 777 beats the dealer's 21", func(t *testing.T) {
		start(t, "", "77", "T5").acts(1, Continue).hits(0, "7").cards("6").ends(7)
	})
	run("7: the suits of 777 do not matter", func(t *testing.T) {
		const first = seven * suits
		for missing := range suits {
			s := newGame(t, "").NewState()
			var sevens []int
			for suit := range suits {
				if suit != missing {
					sevens = append(sevens, first+suit)
				}
			}
			for _, step := range []int{sevens[0], sevens[1], 32, 33, Hit, sevens[2]} {
				require.NoError(t, s.Apply(step))
			}
			require.Equal(t, []int64{7, -7}, s.Scores(nil))
		}
	})
	run("8: 15 or less is forfeit even when the dealer busts", func(t *testing.T) {
		start(t, "", "78", "T6").acts(0, Stand).hits(1, "T").ends(-1)
	})
	run("9: 15 or less is forfeit whatever the dealer has", func(t *testing.T) {
		start(t, "", "78", "T6").acts(0, Stand).acts(1, Stand).ends(-1)
		start(t, "", "T5", "22").acts(0, Stand).cards("335").ends(-1) // 15 against 15
		start(t, "", "T2", "TT").acts(0, Stand).ends(-1)
	})
	run("10: Ban Ban against Ban Ban pushes", func(t *testing.T) {
		start(t, "", "AA", "AA").ends(0)
	})
	run("11: Ban Luck against Ban Luck pushes", func(t *testing.T) {
		start(t, "", "AT", "TA").ends(0)
	})
	run("12: A-A-A is 21", func(t *testing.T) {
		require.Equal(t, Worth{21, true, Regular}, newGame(t, "").Worth(hand(t, "AAA")))
	})
	run("13: the dealer reveals at 17 before he decides to hit", func(t *testing.T) {
		g := start(t, "players: 2", "T2", "TT", "T7").hits(0, "6").acts(0, Stand).acts(1, Stand)
		g.asks(2, Stand, Hit, Reveal).acts(2, Reveal)
		require.Equal(t, []int64{1, 0, -1}, g.Scores(nil), "seat 0 settles against 17")
		g.asks(2, Stand, Hit).hits(2, "4").ends(1, -1) // and seat 1 against 21
	})
	run("14: the five-card bonus needs no announcement", func(t *testing.T) {
		start(t, "", "23", "TT").hits(0, "446").ends(2)
		start(t, "", "23", "TT").hits(0, "448").ends(3)
	})
}

func TestCardsGoToSeatAfterSeat(t *testing.T) {
	g := start(t, "players: 3", "23", "45", "67", "89")
	for seat, values := range []string{"2-3", "4-5", "6-7", "8-9"} {
		require.Equal(t, values, g.Hand(seat).String())
	}
	require.Equal(t, 3, g.Dealer())
}

func TestCardsAreDealtOnce(t *testing.T) {
	s := newGame(t, "").NewState()
	require.NoError(t, s.Apply(7))
	require.Len(t, s.Outcomes(nil), 51)
	for step, message := range map[int]string{7: "already been dealt", 52: "0 to 51", -1: "0 to 51"} {
		err := s.Apply(step)
		require.ErrorIs(t, err, engine.ErrIllegal)
		require.ErrorContains(t, err, message)
	}
}

func TestSurrender(t *testing.T) {
	g := start(t, "players: 2", "AA", "22", "69").asks(2, Surrender, Continue)
	require.ErrorContains(t, g.Apply(Stand), "the dealer first says whether he surrenders his hard 15")
	g.acts(2, Surrender).ends(0, 0)

	start(t, "players: 2", "AA", "22", "69").acts(2, Continue).asks(1, Stand, Hit)
	start(t, "players: 2\nsurrender: false", "AA", "22", "69").asks(1, Stand, Hit)
	start(t, "", "22", "6T").asks(0, Stand, Hit)
}

func TestDealersBonusSettlesAll(t *testing.T) {
	start(t, "players: 4", "AA", "AT", "22", "TT", "AT").ends(3, 0, -2, -2)
	start(t, "players: 3", "AT", "22", "TT", "AA").ends(-3, -3, -3)
}

func TestPlayersBonusSettlesAtOnce(t *testing.T) {
	start(t, "", "AT", "TT").ends(2)
	start(t, "", "AA", "T2").ends(3)
	g := start(t, "players: 2", "AT", "T6", "T2")
	require.Equal(t, []int64{2, 0, -2}, g.Scores(nil))
	g.acts(1, Stand).cards("T").ends(2, 1)
}

func TestPlayersActInSeatOrder(t *testing.T) {
	g := start(t, "players: 3", "T2", "TT", "23", "TT").asks(0, Stand, Hit)
	require.ErrorContains(t, g.Apply(Reveal), "only the dealer may reveal")
	g.hits(0, "3").asks(0, Stand, Hit).acts(0, Stand)
	g.asks(1, Stand, Hit).acts(1, Stand)
	g.asks(2, Stand, Hit).acts(2, Stand).ends(-1, 0, -1)
}

func TestTurnsThatEndByThemselves(t *testing.T) {
	start(t, "players: 2", "T2", "TT", "TT").hits(0, "9").asks(1, Stand, Hit)   // 21
	start(t, "players: 2", "T2", "TT", "TT").hits(0, "T").asks(1, Stand, Hit)   // a bust
	start(t, "players: 2", "22", "TT", "TT").hits(0, "233").asks(1, Stand, Hit) // five cards
	start(t, "players: 2", "A8", "TT", "TT").hits(0, "A").asks(0, Stand, Hit)   // 19
}

func TestDealerDrawsAndStandsByHimself(t *testing.T) {
	start(t, "", "TT", "22").acts(0, Stand).cards("2T").asks(1, Stand, Hit)
	start(t, "", "TT", "22").acts(0, Stand).cards("22").cards("6").ends(2 - 4) // five cards with 14
	start(t, "", "T7", "T8").acts(0, Stand).ends(-1)
	start(t, "", "T7", "A7").acts(0, Stand).ends(-1)
	start(t, "", "T7", "T2").acts(0, Stand).cards("T").ends(1)
}

func TestDealerChoosesAt16And17(t *testing.T) {
	for _, values := range []string{"T6", "T7", "A5", "A6"} {
		start(t, "", "TT", values).acts(0, Stand).asks(1, Stand, Hit)
		start(t, "", "T2", values).hits(0, "6").acts(0, Stand).asks(1, Stand, Hit, Reveal)
		start(t, "reveal: false", "T2", values).hits(0, "6").acts(0, Stand).asks(1, Stand, Hit)
	}
	// Soft 17 can become 16, and the choice comes again.
	start(t, "", "TT", "A6").acts(0, Stand).hits(1, "9").asks(1, Stand, Hit)
	// Five cards end it.
	start(t, "", "TT", "A6").acts(0, Stand).hits(1, "9A").asks(1, Stand, Hit)
}

func TestHandIsOverAtTheLastBust(t *testing.T) {
	start(t, "", "T2", "T6").hits(0, "T").ends(-1)
	start(t, "players: 3", "T2", "AT", "T3", "22").hits(0, "T").hits(2, "9").ends(-1, 2, -1)
	g := start(t, "players: 2", "T2", "T3", "22").hits(0, "T").hits(1, "5").acts(1, Stand)
	require.Equal(t, engine.Chance, g.Player(), "seat 1 has not busted, so the dealer draws")
}

func TestRevealTakesBustsToo(t *testing.T) {
	g := start(t, "players: 3", "T2", "T3", "TT", "T6").hits(0, "T").hits(1, "7").acts(1, Stand).acts(2, Stand)
	g.asks(3, Stand, Hit, Reveal).acts(3, Reveal)
	require.Equal(t, []int64{-1, 1, 0, 0}, g.Scores(nil))
	g.asks(3, Stand, Hit).acts(3, Stand).ends(-1, 1, 1)
}

func TestRevealOfAllEndsTheHand(t *testing.T) {
	start(t, "", "T2", "T7").hits(0, "5").acts(0, Stand).acts(1, Reveal).ends(0)
	start(t, "", "T2", "T7").hits(0, "6").acts(0, Stand).acts(1, Stand).ends(1)
}

func TestLongestHistory(t *testing.T) {
	g := start(t, "", "22", "A6").hits(0, "223").hits(1, "9A3")
	g.ends(-1) // five cards with 11
	require.EqualValues(t, g.game.spec.MaxHistory, g.length)

	g = start(t, "players: 2", "23", "TT", "A6").hits(0, "233").acts(1, Stand)
	g.acts(2, Reveal).hits(2, "9A3").ends(-1, -2)
	require.Less(t, int(g.length), g.game.spec.MaxHistory)
}

func TestRules(t *testing.T) {
	for document, message := range map[string]string{
		"players: 0":               "players: 0 is not in 1..4",
		"players: 5":               "players: 5 is not in 1..4",
		"ace: high":                `ace: "high" is not one of best, greedy`,
		`payouts: {"777": 0}`:      "payouts.777: 0 is not in 1..100",
		"payouts: {ban_ban: 101}":  "ban_ban: 101 is not in",
		"payouts: {ban_luck: 1.5}": "1.5 is not a whole number",
		"payouts: {regular: 2}":    "line 1: payouts.regular: unknown key; the keys are ban_ban",
	} {
		_, err := New([]byte(document))
		require.ErrorContains(t, err, message, document)
	}
	want := DefaultRules()
	want.Payouts.Sevens, want.Players = 10, 2
	for _, document := range []string{"players: 2\npayouts: {777: 10}", `{"players": 2, "payouts": {"777": 10}}`} {
		g := newGame(t, document)
		require.Equal(t, want, g.Rules(), document)
		require.EqualValues(t, 20, g.Spec().MaxReturn, document)
	}
}

func TestPeopleReadWhatHappens(t *testing.T) {
	g := start(t, "players: 2", "AT", "T2", "A6").hits(1, "6").acts(1, Stand).acts(2, Reveal)
	require.Equal(t, `seat 1: AC 10C = 21, Ban Luck, result +2
seat 2: 10D 2C hit 6D stand = 18, result +1
dealer: AD 6C reveal = 17, soft
`, g.String())
}

// TestRevealIsStandHeadsUp: with one player, reveal and stand settle the same hands
// at the same totals.
func TestRevealIsStandHeadsUp(t *testing.T) {
	g := newGame(t, "")
	s := g.NewState().(*State)
	rapid.Check(t, func(t *rapid.T) {
		rng := engine.NewRNG(rapid.Uint64().Draw(t, "seed"), 0)
		for s.Reset(); s.Player() != engine.Terminal; {
			if s.Player() == engine.Chance {
				require.NoError(t, s.Apply(s.SampleChance(rng)))
				continue
			}
			legal := s.LegalActions(nil)
			if legal[len(legal)-1] == Reveal {
				revealed, stood := s.Clone(), s.Clone()
				require.NoError(t, revealed.Apply(Reveal))
				require.NoError(t, stood.Apply(Stand))
				require.Equal(t, engine.Terminal, revealed.Player())
				require.Equal(t, stood.Scores(nil), revealed.Scores(nil))
			}
			require.NoError(t, s.Apply(legal[rng.IntN(len(legal))]))
		}
	})
}

// TestResultsFollowFromTheHands: whom the dealer reveals is settled against his hand
// of that moment, everybody else against his last; a surrender returns all bets.
func TestResultsFollowFromTheHands(t *testing.T) {
	g := newGame(t, "players: 4")
	s := g.NewState().(*State)
	rapid.Check(t, func(t *rapid.T) {
		rng := engine.NewRNG(rapid.Uint64().Draw(t, "seed"), 0)
		against := map[int]Hand{}
		action := 0
		for s.Reset(); s.Player() != engine.Terminal; {
			if s.Player() == engine.Chance {
				require.NoError(t, s.Apply(s.SampleChance(rng)))
				continue
			}
			legal := s.LegalActions(nil)
			action = legal[rng.IntN(len(legal))]
			for seat := range s.Dealer() {
				if action == Reveal && s.Hand(seat).Size() > 2 {
					against[seat] = s.Hand(s.Dealer())
				}
			}
			require.NoError(t, s.Apply(action))
		}
		for seat, score := range s.Scores(nil)[:s.Dealer()] {
			dealer, revealed := against[seat]
			if !revealed {
				dealer = s.Hand(s.Dealer())
			}
			want := g.Settle(s.Hand(seat), dealer)
			if action == Surrender {
				want = 0
			}
			require.EqualValues(t, want, score, s)
		}
	})
}
