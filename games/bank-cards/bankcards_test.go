package bankcards

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"croupier/engine"
	"croupier/engine/enginetest"
)

func TestConformance(t *testing.T) {
	enginetest.Run(t, New, "players: 4\ndeck: 20\nhand: 5", "players: 3\ndeck: 104\nhand: 10", "strict: false")
}

func newState(t require.TestingT, rules string) *State {
	g, err := New([]byte(rules))
	require.NoError(t, err)
	return g.NewState().(*State)
}

// apply makes the steps, all of which must be legal.
func apply(t require.TestingT, s *State, steps ...int) {
	for i, step := range steps {
		require.NoError(t, s.Apply(step), "step %d of %v", i, steps)
	}
}

func returns(s *State) []float64 {
	dst := make([]float64, s.game.rules.Players)
	s.Returns(dst)
	return dst
}

// of returns the set of these cards.
func of(values ...int) (c cards) {
	for _, v := range values {
		c.add(v)
	}
	return c
}

// small is a game for two with hands of three; seat 0 has 5, 10, 15, seat 1 has 6, 11, 16.
func small(t require.TestingT, rules string) *State {
	s := newState(t, "deck: 20\nhand: 3\n"+rules)
	apply(t, s, 5, 10, 15, 6, 11, 16)
	return s
}

func TestDealSeatBySeat(t *testing.T) {
	s := newState(t, "players: 3\nhand: 3")
	apply(t, s, 1, 2, 3, 4, 5, 6, 7, 8)
	require.Equal(t, engine.Chance, s.Player())
	apply(t, s, 9)
	require.Equal(t, of(1, 2, 3), s.hands[0])
	require.Equal(t, of(4, 5, 6), s.hands[1])
	require.Equal(t, of(7, 8, 9), s.hands[2])
	require.Equal(t, 0, s.Player())
	require.EqualValues(t, 0, s.turns, "deals are no turns")
}

func TestDeckHasTheIntegersFromOne(t *testing.T) {
	s := newState(t, "")
	outcomes := s.Outcomes(nil)
	require.Len(t, outcomes, 52)
	for i, o := range outcomes {
		require.Equal(t, engine.Outcome{Index: i + 1, Probability: 1. / 52}, o)
	}
	apply(t, s, 7)
	require.Len(t, s.Outcomes(nil), 51)
	require.ErrorContains(t, s.Apply(7), "illegal chance outcome 7: the card is not in the deck")
}

func TestTurnsGoRound(t *testing.T) {
	s := newState(t, "players: 3\nhand: 3")
	apply(t, s, 1, 2, 3, 4, 5, 6, 7, 8, 9)
	apply(t, s, play+1)
	require.Equal(t, 1, s.Player())
	apply(t, s, Draw)
	require.Equal(t, engine.Chance, s.Player())
	apply(t, s, 20)
	require.Equal(t, 2, s.Player(), "a drawn card cannot be played in the same turn")
	require.Equal(t, of(4, 5, 6, 20), s.hands[1])
	apply(t, s, play+9)
	require.Equal(t, 0, s.Player())
}

func TestOnlyHigherCardsMayBePlayed(t *testing.T) {
	s := small(t, "")
	require.Equal(t, []int{Draw, play + 5, play + 10, play + 15}, s.LegalActions(nil), "any on an empty pile")
	apply(t, s, play+10)
	require.Equal(t, []int{Draw, play + 11, play + 16}, s.LegalActions(nil))
	require.ErrorContains(t, s.Apply(play+6), "illegal action 7 of seat 2: card 6 is not higher than the 10 on the pile")
	require.ErrorContains(t, s.Apply(play+15), "you do not hold card 15")
}

func TestAnyCardMayBePlayedWithoutStrict(t *testing.T) {
	s := small(t, "strict: false")
	apply(t, s, play+10)
	require.Equal(t, []int{Draw, play + 6, play + 11, play + 16}, s.LegalActions(nil))
	apply(t, s, play+6)
	require.EqualValues(t, 6, s.top)
}

func TestADrawWithoutADeckTurnsThePileOver(t *testing.T) {
	s := small(t, "")
	apply(t, s, play+5, play+6)
	s.deck = cards{}
	apply(t, s, Draw)
	require.Equal(t, of(5, 6), s.deck, "the top card included")
	require.True(t, s.pile.empty())
	require.EqualValues(t, 0, s.top)
	apply(t, s, 6)
	require.Equal(t, []int{Draw, play + 11, play + 16}, s.LegalActions(nil), "any card on the empty pile")
	require.Equal(t, of(6, 10, 15), s.hands[0])
}

func TestPassOnlyWhenNothingCanBeDrawn(t *testing.T) {
	s := newState(t, "players: 2\ndeck: 20\nhand: 10")
	apply(t, s, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20)
	require.Equal(t, Pass, s.LegalActions(nil)[0], "next to the plays")
	require.Len(t, s.LegalActions(nil), 11)
	require.ErrorContains(t, s.Apply(Draw), "deck and pile are empty")
	apply(t, s, Pass)
	require.Equal(t, 1, s.Player())
	apply(t, s, play+20)
	require.Equal(t, []int{Draw}, s.LegalActions(nil))
	require.ErrorContains(t, s.Apply(Pass), "you may pass only when no card can be drawn")
}

func TestTheFirstEmptyHandWins(t *testing.T) {
	s := small(t, "")
	apply(t, s, play+5, play+6, play+10, play+11)
	require.Equal(t, []float64{0, 0}, returns(s))
	apply(t, s, play+15)
	require.Equal(t, engine.Terminal, s.Player())
	require.Equal(t, []float64{1, -1}, returns(s))
	require.ErrorContains(t, s.Apply(Draw), "the game is over")
	require.Empty(t, s.Scores(nil))
}

func TestTheLastCardWinsAlsoWhenTheDeckIsEmpty(t *testing.T) {
	s := small(t, "")
	apply(t, s, play+5, play+6, play+10, play+11)
	s.deck = cards{}
	apply(t, s, play+15)
	require.Equal(t, []float64{1, -1}, returns(s))
}

func TestLossesAreShared(t *testing.T) {
	s := newState(t, "players: 4\nhand: 3")
	s.hands = [maxSeats]cards{of(1), of(2, 3), {}, of(4)}
	s.player = engine.Terminal
	require.InDeltaSlice(t, []float64{-1. / 3, -1. / 3, 1, -1. / 3}, returns(s), 1e-15)
}

func TestFiveHundredTurnsAreTheLimit(t *testing.T) {
	for _, test := range []struct {
		name  string
		hands [3]cards // seat 1 draws the 20 in the last turn
		want  int
	}{
		{"fewest cards", [3]cards{of(1, 2, 3), of(19), of(4, 5, 6)}, 1},
		{"the last card counts", [3]cards{of(17, 18), of(1, 2), of(4, 5, 6)}, 0},
		{"lower sum", [3]cards{of(1, 12, 3), of(9), of(11, 17)}, 2},
		{"earlier seat", [3]cards{of(1, 12, 4), of(5), of(8, 17)}, 1},
	} {
		s := newState(t, "players: 3\ndeck: 20\nhand: 3")
		apply(t, s, 1, 2, 3, 4, 5, 6, 7, 8, 9)
		s.turns, s.player = maxTurns-1, 1
		copy(s.hands[:], test.hands[:])
		apply(t, s, Draw)
		require.Equal(t, engine.Chance, s.Player(), test.name)
		apply(t, s, 20)
		require.Equal(t, engine.Terminal, s.Player(), test.name)
		require.EqualValues(t, 1, returns(s)[test.want], test.name)
	}
}

func TestDrawnCardsAreHiddenFromOthers(t *testing.T) {
	s := newState(t, "hand: 3")
	require.Equal(t, 7, s.Seen(0, 7))
	require.Equal(t, engine.Hidden, s.Seen(1, 7))
	apply(t, s, 1, 2, 3, 4, 5, 6, play+1, Draw)
	require.Equal(t, engine.Hidden, s.Seen(0, 7))
	require.Equal(t, 7, s.Seen(1, 7))
	apply(t, s, 7)
	require.Equal(t, play+2, s.Seen(1, play+2))
	require.Equal(t, []byte{2, 3, 4, 0, 0, 0, play + 2, 2, 0}, s.InformationKey(0, nil))
	require.Equal(t, []byte{0, 0, 0, 5, 6, 7, play + 2, 2, 8}, s.InformationKey(1, nil))
}

func TestRulesOutOfRange(t *testing.T) {
	for document, message := range map[string]string{
		"players: 1":                     "players: 1 is not in 2..4",
		"players: 5":                     "players: 5 is not in 2..4",
		"deck: 19":                       "deck: 19 is not in 20..104",
		"deck: 105":                      "deck: 105 is not in 20..104",
		"hand: 2":                        "hand: 2 is not in 3..10",
		"hand: 11":                       "hand: 11 is not in 3..10",
		"players: 3\ndeck: 29\nhand: 10": "3 players with a hand of 10 need 30 cards, deck is 29",
		"strict: 1":                      "line 1: strict: 1 is not true or false",
		"decks: 2":                       "line 1: decks: unknown key (did you mean deck?); the keys are players, deck, hand, strict",
	} {
		_, err := New([]byte(document))
		require.ErrorContains(t, err, message, "%q", document)
	}
}

func TestObservationLayout(t *testing.T) {
	s := small(t, "")
	apply(t, s, play+5, Draw, 20, play+10)
	dst := make([]float32, s.game.spec.ObservationSize)
	s.Observe(1, dst)
	segment := func(i int) []float32 {
		segment := s.game.spec.Segments[i]
		return dst[segment.Offset : segment.Offset+segment.Size]
	}
	marked := func(values ...int) []float32 {
		v := make([]float32, 20)
		for _, card := range values {
			v[card-1] = 1
		}
		return v
	}
	require.Equal(t, marked(6, 11, 16, 20), segment(0), "hand")
	require.Equal(t, marked(11, 16, 20), segment(1), "playable")
	require.Equal(t, marked(5, 10), segment(2), "pile")
	require.Equal(t, marked(), segment(3), "held: seat 0 may have any other card")
	require.InDeltaSlice(t, []float32{0.5, 0, 13. / 20, 2. / 20, 0, 3. / 500}, segment(4), 1e-6, "table")
	require.InDeltaSlice(t, []float32{0.4, 0, 0, 1, 0.1, 1, 0, 0}, segment(5), 1e-6, "seats")
	require.Equal(t, []float32{0, 1}, segment(6), "order")
}

func TestHeldCardsAreThoseThatNeverWentBack(t *testing.T) {
	s := newState(t, "players: 2\ndeck: 20\nhand: 10")
	apply(t, s, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20)
	apply(t, s, play+1, play+19, Draw, 19)
	dst := make([]float32, s.game.spec.ObservationSize)
	s.Observe(1, dst)
	held := dst[3*20 : 4*20]
	require.Equal(t, []float32{0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, held,
		"2 to 10; 1 and 19 were in the new deck, of which seat 0 has one")
}

func TestBots(t *testing.T) {
	s := small(t, "")
	choose := func(name string) int {
		bot, err := s.game.Bots().New(name)
		require.NoError(t, err)
		return bot.Choose(s, s.LegalActions(nil), nil)
	}
	require.Equal(t, play+5, choose("lowest"))
	require.Equal(t, play+5, choose("blocker"))
	apply(t, s, play+15, play+16)
	require.Equal(t, Draw, choose("lowest"))
	require.Equal(t, Draw, choose("blocker"))
	s = small(t, "strict: false")
	apply(t, s, play+5, Draw, 20, play+10)
	require.Equal(t, play+6, choose("lowest"))
	require.Equal(t, play+20, choose("blocker"), "seat 0 has one card left")
	for _, name := range []string{"lowest(1)", "nobody", "", "random"} {
		_, err := s.game.Bots().New(name)
		require.Error(t, err, "%q", name)
	}
}

// Throughout random games each card is in exactly one place, a strict pile only rises, and the
// history is the whole state.
func TestCardsAreNeverLost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		players := rapid.IntRange(2, 4).Draw(t, "players")
		g, err := New(nil)
		require.NoError(t, err)
		game := g.(*Game)
		game.rules = Rules{
			Players: players, Deck: rapid.IntRange(players*5, maxDeck).Draw(t, "deck"),
			Hand: rapid.IntRange(3, 5).Draw(t, "hand"), Strict: rapid.Bool().Draw(t, "strict"),
		}
		game.all = upTo(game.rules.Deck)
		rng := engine.NewRNG(rapid.Uint64().Draw(t, "seed"), 0)
		s, again := game.NewState().(*State), game.NewState().(*State)
		for s.Player() != engine.Terminal {
			step := 0
			if s.Player() == engine.Chance {
				step = s.SampleChance(rng)
			} else {
				legal := s.LegalActions(nil)
				step = legal[rng.IntN(len(legal))]
			}
			top := s.top
			require.NoError(t, s.Apply(step))
			if game.rules.Strict && s.top != 0 {
				require.GreaterOrEqual(t, s.top, top)
			}
			n, all := s.deck.len()+s.pile.len(), cards{s.deck[0] | s.pile[0], s.deck[1] | s.pile[1]}
			for _, hand := range s.hands {
				n += hand.len()
				all = cards{all[0] | hand[0], all[1] | hand[1]}
			}
			require.Equal(t, game.rules.Deck, n)
			require.Equal(t, game.all, all)
		}
		for _, step := range s.steps[:s.length] {
			require.NoError(t, again.Apply(int(step)))
		}
		require.Equal(t, s, again)
	})
}

// A set of cards does what a map does.
func TestCardsAreASet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfNDistinct(rapid.IntRange(1, maxDeck), 1, maxDeck, rapid.ID[int]).Draw(t, "cards")
		limit := rapid.IntRange(0, maxDeck).Draw(t, "limit")
		c := of(values...)
		lowest, sum, above := math.MaxInt, 0, 0
		for _, v := range values {
			require.True(t, c.has(v))
			lowest, sum = min(lowest, v), sum+v
			if v > limit {
				above++
				require.True(t, c.above(limit).has(v))
			}
		}
		require.Equal(t, len(values), c.len())
		require.Equal(t, above, c.above(limit).len())
		require.Equal(t, lowest, c.lowest())
		require.Equal(t, sum, c.sum())
		rest := c
		for i := range values {
			require.Equal(t, rest.next(), c.at(i))
		}
		require.True(t, rest.empty())
	})
}
