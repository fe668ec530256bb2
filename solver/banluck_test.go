package solver

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/engine/banluck"
)

var banluckDealers = []BanluckDealer{
	{Reveal: true, Surrender: true}, {Reveal: true, Surrender: false},
	{Reveal: false, Surrender: true}, {Reveal: false, Surrender: false},
}

// bot is the dealer as a bot of the game, and the chart against him.
func (d BanluckDealer) bot() string {
	digit := map[bool]int{true: 1}
	return fmt.Sprintf("baseline(%d,%d)", digit[d.Reveal], digit[d.Surrender])
}

func newBanluck(t *testing.T, rules string) *banluck.Game {
	t.Helper()
	g, err := banluck.New([]byte(rules))
	require.NoError(t, err)
	return g.(*banluck.Game)
}

func solveBanluck(t *testing.T, g *banluck.Game, dealer BanluckDealer) *BanluckBaseline {
	t.Helper()
	b, err := SolveBanluck(g, dealer)
	require.NoError(t, err)
	return b
}

// TestBanluckBaselineIsWhatIsPlayed plays hands of the optimum against the dealer's
// bot through the engine: ten million in all under the default rules.
func TestBanluckBaselineIsWhatIsPlayed(t *testing.T) {
	for rules, hands := range map[string]int{"": 2_500_000, "ace: greedy\npayouts: {\"777\": 21, five_card: 5}": 250_000} {
		g := newBanluck(t, rules)
		for _, dealer := range banluckDealers {
			b := solveBanluck(t, g, dealer)
			mean, deviation := playBanluck(t, g, b, hands)
			margin := b.StdDev / math.Sqrt(float64(hands))
			t.Logf("%+v: EV %.6f, standard deviation %.4f; played %.6f ± %.6f, %.4f", dealer, b.EV, b.StdDev, mean, 1.96*margin, deviation)
			require.InDelta(t, b.EV, mean, 4*margin)
			require.InDelta(t, b.StdDev, deviation, 0.02)
		}
	}
}

// playBanluck returns mean and standard deviation of the player's result in units.
func playBanluck(t *testing.T, g *banluck.Game, b *BanluckBaseline, hands int) (mean, deviation float64) {
	t.Helper()
	dealer, err := g.Bot(b.Dealer.bot())
	require.NoError(t, err)
	s, rng := g.NewState().(*banluck.State), engine.NewRNG(11, 0)
	legal, returns := make([]int, 0, 5), make([]float64, 2)
	sum, squares := 0.0, 0.0
	for range hands {
		for s.Reset(); s.Player() != engine.Terminal; {
			step := banluck.Stand
			switch s.Player() {
			case engine.Chance:
				step = s.SampleChance(rng)
			case s.Dealer():
				legal = s.LegalActions(legal[:0])
				step = dealer.Choose(s, legal, nil)
			default:
				if b.Hits(s.Hand(0)) {
					step = banluck.Hit
				}
			}
			if err := s.Apply(step); err != nil {
				require.NoError(t, err)
			}
		}
		s.Returns(returns)
		sum += returns[0]
		squares += returns[0] * returns[0]
	}
	mean = sum / float64(hands)
	return mean, math.Sqrt(squares/float64(hands) - mean*mean)
}

// TestBanluckCharts: the chart that the bot plays is the optimum, but for these hands.
func TestBanluckCharts(t *testing.T) {
	g := newBanluck(t, "")
	exceptions := map[BanluckDealer]string{
		{Reveal: true, Surrender: true}:   "[3-5-8 4-4-8 4-5-7 5-5-6]", // stand on 16
		{Reveal: true, Surrender: false}:  "[]",
		{Reveal: false, Surrender: true}:  "[2-6-8 4-6-6]", // hit 16
		{Reveal: false, Surrender: false}: "[]",
	}
	for _, dealer := range banluckDealers {
		bot, err := g.Bot(dealer.bot())
		require.NoError(t, err)
		b := solveBanluck(t, g, dealer)
		listed := []banluck.Hand{}
		for _, cell := range b.Chart() {
			listed = append(listed, cell.Exceptions...)
		}
		found := []banluck.Hand{}
		for i := range b.values {
			h := banluck.Hand(i)
			if b.values[h].choice && b.Hits(h) != (bot.Choose(banluckWith(t, g, h), nil, nil) == banluck.Hit) {
				found = append(found, h)
			}
		}
		require.Equal(t, listed, found, "%+v", dealer)
		require.Equal(t, exceptions[dealer], fmt.Sprint(found), "%+v", dealer)
	}
}

// banluckWith returns a state in which the player has come to the hand and may choose,
// against a dealer with two kings.
func banluckWith(t *testing.T, g *banluck.Game, h banluck.Hand) *banluck.State {
	t.Helper()
	s := comeTo(g.NewState().(*banluck.State), h)
	require.NotNil(t, s, "%s", h)
	return s
}

// comeTo goes on from s until the player has the hand, or returns nil.
func comeTo(s *banluck.State, h banluck.Hand) *banluck.State {
	hand := s.Hand(0)
	if s.Player() == 0 {
		if hand == h {
			return s
		}
		_ = s.Apply(banluck.Hit)
	}
	if s.Player() != engine.Chance || hand.Size() > h.Size() {
		return nil
	}
	for card := range banluckCards {
		next := s.Clone().(*banluck.State)
		wanted := hand.Count(banluck.CardValue(card)) < h.Count(banluck.CardValue(card))
		if forDealer := hand.Size() == 2 && s.Hand(1).Size() < 2; forDealer {
			wanted = card >= banluckCards-8 && card < banluckCards-4
		}
		if wanted && next.Apply(card) == nil {
			if found := comeTo(next, h); found != nil {
				return found
			}
		}
	}
	return nil
}

// TestBanluckHits16: what the source asks of hard 16 has no single answer.
func TestBanluckHits16(t *testing.T) {
	b := solveBanluck(t, newBanluck(t, ""), banluckDealers[0])
	require.True(t, b.Hits(banluck.Hand(0).With(banluck.Ten).With(4)), "6-T")
	require.False(t, b.Hits(banluck.Hand(0).With(1).With(3).With(6)), "3-5-8")
	require.True(t, b.Hits(banluck.Hand(0).With(0).With(4).With(6)), "2-6-8")
}

func TestBanluckChances(t *testing.T) {
	hard15 := 0.0
	total := 0.0
	g := newBanluck(t, "")
	for h := banluck.Hand(0); h.Size() <= 2; h++ {
		if h.Size() == 2 {
			total += chanceOf(h)
			if g.Surrenderable(h) {
				hard15 += chanceOf(h)
			}
		}
	}
	require.InDelta(t, 1, total, 1e-12)
	require.InDelta(t, 96.0/1326, hard15, 1e-12) // 6-9, 7-8 and 5 with one of 16 tens
}

func TestSolveBanluckRefuses(t *testing.T) {
	for rules, message := range map[string]string{
		"players: 2":       "one player",
		"reveal: false":    "cannot reveal",
		"surrender: false": "cannot surrender",
	} {
		_, err := SolveBanluck(newBanluck(t, rules), BanluckDealer{Reveal: true, Surrender: true})
		require.ErrorContains(t, err, message)
	}
}
