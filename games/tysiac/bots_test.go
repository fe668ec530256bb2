package tysiac

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"croupier/engine"
	"croupier/engine/history"
	"croupier/games/tysiac/cards"
	"croupier/games/tysiac/doubledummy"
)

// choice names what a bot does.
func choice(t tester, s *State, name string) string {
	t.Helper()
	bot, err := s.game.Bots().New(name)
	require.NoError(t, err)
	legal := s.LegalActions(nil)
	action := bot.Choose(s, legal, engine.NewRNG(1, 0))
	require.Contains(t, legal, action)
	return s.ActionName(action)
}

func TestGreedy(t *testing.T) {
	s := newState(t, "")
	deal(t, s, "9♠ 9♣ J♣ 10♣ A♣ 9♦ Q♥ K♥ A♥ 9♥", "Q♠ K♠ A♠ J♠ 10♠ J♦ 10♦ A♦ J♥ 10♥", "Q♣ K♣")
	require.Equal(t, "bid 100", choice(t, s, "greedy"), "80 and ♠ are 120")
	act(t, s, "bid 100", "bid 110")
	require.Equal(t, "bid 120", choice(t, s, "greedy"))
	act(t, s, "bid 120", "bid 130")
	require.Equal(t, "pass", choice(t, s, "greedy"))
	act(t, s, "bid 140", "pass", "take musik 1")
	require.Equal(t, "play on", choice(t, s, "greedy"))
	act(t, s, "play on")
	require.Equal(t, "return J♠", choice(t, s, "greedy"))
	act(t, s, "return J♠", "return J♦")
	require.Equal(t, "contract 140", choice(t, s, "greedy"))
	act(t, s, "contract 140")
	require.Equal(t, "play Q♣ and declare 60", choice(t, s, "greedy"))
	act(t, s, "play A♠", "play 9♠", "play 10♦")
	require.Equal(t, "play 9♦", choice(t, s, "greedy"), "cannot take")
}

func TestHeuristicSpeaks(t *testing.T) {
	weak, strong := "9♠ J♠ 9♣ J♣ 9♦ J♦ Q♦ 9♥ J♥ Q♠", "K♠ 10♠ A♠ Q♣ K♣ A♣ K♦ A♦ Q♥ A♥"
	s := newState(t, "")
	deal(t, s, weak, strong)
	require.Equal(t, "bid 100", choice(t, s, "heuristic"))
	act(t, s, "bid 100")
	require.Equal(t, "pass", choice(t, s, "heuristic"))
	act(t, s, "bid 110", "bid 160", "bid 170")
	require.Equal(t, "challenge", choice(t, s, "heuristic"), "it costs nothing")

	s = newState(t, "")
	deal(t, s, weak, strong)
	act(t, s, "bid 100", "bid 110", "bid 150")
	require.Equal(t, "challenge", choice(t, s, "heuristic"))
	act(t, s, "challenge", "bid 160")
	require.Equal(t, "challenge", choice(t, s, "heuristic"), "the meld of the other is not shown")
	act(t, s, "pass")
	act(t, s, "take musik 1")
	require.Equal(t, "bomb", choice(t, s, "heuristic"))

	s = newState(t, "")
	deal(t, s, "9♠ 9♣ J♣ 10♣ K♣ 9♦ J♦ K♦ J♥ 10♥", "A♠ 10♠ K♠ Q♠ A♦ 10♦ A♥ Q♥ A♣ 9♥")
	act(t, s, "bid 100", "bid 110", "bid 140", "challenge", "bid 150")
	require.NotEqual(t, "bid 160", choice(t, s, "heuristic"), "♠ proves 140 and no more")
}

func TestHeuristicReturnsAndAnnounces(t *testing.T) {
	s := newState(t, "")
	deal(t, s, "9♠ J♠ 9♣ J♣ 10♣ J♦ K♦ J♥ K♥ 10♥", "A♠ 10♠ K♠ Q♠ A♦ 10♦ A♥ Q♥ A♣ 9♥", "9♦ K♣")
	takeContract(t, s)
	require.Equal(t, "play on", choice(t, s, "heuristic"))
	act(t, s, "play on")
	first := choice(t, s, "heuristic")
	require.Equal(t, "return 9♦", first)
	act(t, s, first)
	second := choice(t, s, "heuristic")
	require.Equal(t, "return 9♥", second)
	act(t, s, second)
	// Base, four aces, two of them with their tens, ♠ with four cards and a meld.
	require.Equal(t, 2+4*19+2*8+3+(40-3)+2*4, strength(s.hands[1]))
	require.Equal(t, "contract 100", choice(t, s, "heuristic"))
}

func TestHeuristicMixesMeldsAndCertainCards(t *testing.T) {
	s := meldDeal(t, "")
	require.Equal(t, "play Q♦ and declare 80", choice(t, s, "heuristic"))
	act(t, s, "play Q♦ and declare 80", "play 9♦")
	require.Equal(t, "play A♦", choice(t, s, "heuristic"), "the highest trump")
	act(t, s, "play A♦", "play 9♠")
	require.Equal(t, "play 10♦", choice(t, s, "heuristic"))
}

// The two cards that bestReturn names are those without which the hand is strongest.
func TestBestReturn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hand := sample(cards.All, 12, engine.NewRNG(rapid.Uint64().Draw(t, "seed"), 0))
		low, high, worth := bestReturn(hand)
		require.Less(t, low, high)
		require.True(t, hand.Has(low) && hand.Has(high))
		require.Equal(t, worth, strength(hand&^cards.Of(low)&^cards.Of(high)))
		for a := range cards.Count {
			for b := range a {
				if hand.Has(a) && hand.Has(b) {
					require.LessOrEqual(t, strength(hand&^cards.Of(a)&^cards.Of(b)), worth)
				}
			}
		}
	})
}

// If the other's hand is known there is only one world, and pimc plays the best open move.
func TestPIMCPlaysTheSolutionWhereAllIsKnown(t *testing.T) {
	s := newHandState(t, "bidding: {proof_threshold: 280}\nbombing: {enabled: false}")
	solver := doubledummy.New()
	known := 0
	for seed := range uint64(60) {
		s.Reset()
		rng := engine.NewRNG(seed, 0)
		dealAnyhow(t, s, rng)
		for s.Player() != engine.Terminal {
			legal := s.LegalActions(nil)
			action := legal[rng.IntN(len(legal))]
			v := s.view(s.Player())
			if p, ok := s.OpenPosition(); ok && v.possible.Len() == v.count && len(legal) > 1 {
				known++
				moves := solver.Moves(&p, nil)
				value := solver.Value(&p)
				name := choice(t, s, "pimc(1)")
				for _, m := range moves {
					if s.ActionName(MoveAction(m.Move)) == name {
						require.Equal(t, value, m.Value)
					}
				}
			}
			require.NoError(t, s.Apply(action))
		}
	}
	require.Greater(t, known, 10)
}

// Open positions have the legal actions of the state as their moves.
func TestMovesAreTheLegalActions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newHandState(t, rapid.SampledFrom([]string{"",
			"trick_rules: {follower_melds: true, must_overtake: false}"}).Draw(t, "rules"))
		rng := engine.NewRNG(rapid.Uint64().Draw(t, "seed"), 0)
		left := rapid.IntRange(2, 6).Draw(t, "cards")
		random(t, s, rng, func() bool { return s.phase == playing && s.hands[0].Len()+s.hands[1].Len() <= left })
		p, ok := s.OpenPosition()
		require.Equal(t, s.phase == playing, ok)
		if !ok {
			return
		}
		require.NoError(t, p.Validate())
		var actions []int
		for _, m := range doubledummy.New().Moves(&p, nil) {
			actions = append(actions, MoveAction(m.Move))
		}
		require.Equal(t, s.LegalActions(nil), actions)
	})
}

// wins is the share of games that the first bot wins, both seats alike.
func wins(t *testing.T, games uint64, names ...string) float64 {
	t.Helper()
	g, err := New(nil)
	require.NoError(t, err)
	simulator, err := history.NewSimulator(g)
	require.NoError(t, err)
	var bots [2]engine.Bot
	for i, name := range names {
		bots[i], err = g.Bots().New(name)
		require.NoError(t, err)
	}
	var rec history.Record
	won := 0.0
	for seed := range games {
		for swap := range 2 {
			require.NoError(t, simulator.Play(seed, []engine.Bot{bots[swap], bots[1-swap]}, &rec))
			won += (1 + rec.Returns[swap]) / 2
		}
	}
	return won / float64(2*games)
}

// Each bot beats the one before it (fixed seeds; the page has intervals).
func TestBotsStandInOrder(t *testing.T) {
	require.Greater(t, wins(t, 100, "heuristic", "greedy"), 0.7)
	require.Greater(t, wins(t, 15, "pimc(3)", "heuristic"), 0.55)
}

func TestBotNames(t *testing.T) {
	g := newState(t, "").game
	for _, name := range []string{"pimc", "pimc(0)", "pimc(2.5)", "pimc(1001)", "greedy(1)", "nobody", ""} {
		_, err := g.Bots().New(name)
		require.Error(t, err, "%q", name)
	}
}
