package doubledummy

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"croupier/engine"
	"croupier/games/tysiac/cards"
)

// plain is the value of a position by the rules, in the plainest form: lists of cards, every
// move, no bounds.
type plain struct {
	overtake, overtrump, followerMelds bool
}

// A plainCard is suit (0..3) and rank (0..5), the latter in order of strength.
type plainCard struct{ suit, rank int }

type plainMove struct {
	card    plainCard
	declare bool
}

func (c plainCard) points() int { return []int{0, 2, 3, 4, 10, 11}[c.rank] }

func without(hand []plainCard, card plainCard) (rest []plainCard) {
	for _, c := range hand {
		if c != card {
			rest = append(rest, c)
		}
	}
	return rest
}

func holds(hand []plainCard, card plainCard) bool { return len(without(hand, card)) < len(hand) }

func partner(c plainCard) plainCard { return plainCard{c.suit, 5 - c.rank} } // of queen (2) or king (3)

func (r plain) moves(hand, allowed []plainCard, mayDeclare bool) (list []plainMove) {
	for _, c := range allowed {
		list = append(list, plainMove{c, false})
		if mayDeclare && (c.rank == 2 || c.rank == 3) && holds(hand, partner(c)) {
			list = append(list, plainMove{c, true})
		}
	}
	return list
}

func (r plain) allowed(hand []plainCard, led plainCard, trump int) []plainCard {
	var suited, higher, trumps []plainCard
	for _, c := range hand {
		if c.suit == led.suit {
			suited = append(suited, c)
			if c.rank > led.rank {
				higher = append(higher, c)
			}
		}
		if c.suit == trump {
			trumps = append(trumps, c)
		}
	}
	switch {
	case len(suited) > 0 && r.overtake && len(higher) > 0:
		return higher
	case len(suited) > 0:
		return suited
	case r.overtrump && len(trumps) > 0:
		return trumps
	}
	return hand
}

var plainMelds = []int{40, 60, 80, 100}

func (r plain) afterLead(leader, follower []plainCard, m plainMove, trump int) int {
	gain := 0
	if m.declare {
		gain, trump = plainMelds[m.card.suit], m.card.suit
	}
	return gain + r.reply(without(leader, m.card), follower, m.card, trump)
}

func (r plain) reply(leader, follower []plainCard, led plainCard, trump int) int {
	worst := 10000
	for _, m := range r.moves(follower, r.allowed(follower, led, trump), r.followerMelds) {
		worst = min(worst, r.afterReply(leader, follower, led, m, trump))
	}
	return worst
}

func (r plain) afterReply(leader, follower []plainCard, led plainCard, m plainMove, trump int) int {
	gain := 0
	if m.declare {
		gain, trump = -plainMelds[m.card.suit], m.card.suit
	}
	rest := without(follower, m.card)
	points := led.points() + m.card.points()
	if m.card.suit == led.suit && m.card.rank > led.rank || m.card.suit != led.suit && m.card.suit == trump {
		return gain - points - r.lead(rest, leader, trump)
	}
	return gain + points + r.lead(leader, rest, trump)
}

func (r plain) lead(leader, follower []plainCard, trump int) int {
	if len(leader) == 0 {
		return 0
	}
	best := -10000
	for _, m := range r.moves(leader, leader, true) {
		best = max(best, r.afterLead(leader, follower, m, trump))
	}
	return best
}

func list(s cards.Set) (hand []plainCard) {
	for card := range cards.Count {
		if s.Has(card) {
			hand = append(hand, plainCard{card / 6, card % 6})
		}
	}
	return hand
}

// deal draws a position with the given number of tricks to play.
func deal(rng *engine.RNG, tricks int, rules cards.Rules) Position {
	var deck [cards.Count]int
	for i := range deck {
		j := rng.IntN(i + 1)
		deck[i], deck[j] = deck[j], i
	}
	p := Position{Led: cards.NoCard, Trump: rng.IntN(cards.NoTrump + 1), Rules: rules}
	for i := range tricks {
		p.Leader |= cards.Of(deck[i])
		p.Follower |= cards.Of(deck[tricks+i])
	}
	return p
}

func variant(i int) cards.Rules {
	return cards.Rules{MustOvertake: i&1 != 0, MustOvertrump: i&2 != 0, FollowerMelds: i&4 != 0}
}

// Small endings in every variant, with and without a led card: the same value for the
// position and for every move.
func TestSolverMatchesPlainMinimax(t *testing.T) {
	solver := New()
	rapid.Check(t, func(t *rapid.T) {
		rng := engine.NewRNG(rapid.Uint64().Draw(t, "seed"), 0)
		rules := variant(rapid.IntRange(0, 7).Draw(t, "variant"))
		tricks := rapid.IntRange(1, 4).Draw(t, "tricks")
		for range 10 {
			p := deal(rng, tricks, rules)
			compareLead(t, solver, p)
			p.Led = p.Leader.First()
			p.Leader &^= cards.Of(p.Led)
			compareReply(t, solver, p)
		}
	})
}

func plainRules(r cards.Rules) plain { return plain{r.MustOvertake, r.MustOvertrump, r.FollowerMelds} }

func plainOf(m Move) plainMove { return plainMove{plainCard{m.Card / 6, m.Card % 6}, m.Declare} }

func compareLead(t *rapid.T, solver *Solver, p Position) {
	require.NoError(t, p.Validate())
	r, leader, follower := plainRules(p.Rules), list(p.Leader), list(p.Follower)
	require.Equal(t, r.lead(leader, follower, p.Trump), solver.Value(&p), "%+v", p)
	moves := solver.Moves(&p, nil)
	require.Len(t, moves, len(r.moves(leader, leader, true)))
	for _, m := range moves {
		require.Equal(t, r.afterLead(leader, follower, plainOf(m.Move), p.Trump), m.Value, "%+v: %v", p, m)
	}
}

func compareReply(t *rapid.T, solver *Solver, p Position) {
	require.NoError(t, p.Validate())
	r, leader, follower := plainRules(p.Rules), list(p.Leader), list(p.Follower)
	led := plainCard{p.Led / 6, p.Led % 6}
	require.Equal(t, r.reply(leader, follower, led, p.Trump), solver.Value(&p), "%+v", p)
	moves := solver.Moves(&p, nil)
	require.Len(t, moves, len(r.moves(follower, r.allowed(follower, led, p.Trump), r.followerMelds)))
	for _, m := range moves {
		require.Equal(t, r.afterReply(leader, follower, led, plainOf(m.Move), p.Trump), m.Value, "%+v: %v", p, m)
	}
}

// The table holds positions of other deals and rules, and is far too small for all of them:
// that must not change a value.
func TestUsedTableChangesNoValue(t *testing.T) {
	used, rng := New(), engine.NewRNG(2, 0)
	for i := range 40 {
		p := deal(rng, 7, variant(i%8))
		fresh := New()
		require.Equal(t, fresh.Moves(&p, nil), used.Moves(&p, nil), "position %d", i)
		best := -infinity
		for _, m := range fresh.Moves(&p, nil) {
			best = max(best, m.Value)
		}
		require.Equal(t, best, fresh.Value(&p))
	}
}

func TestResetRepeatsTheNodes(t *testing.T) {
	solver, rng := New(), engine.NewRNG(3, 0)
	p := deal(rng, 8, variant(3))
	solver.Value(&p)
	nodes := solver.Nodes
	require.Positive(t, nodes)
	solver.Reset()
	solver.Value(&p)
	require.Equal(t, nodes, solver.Nodes)
}

func TestMeldsAndTheirTrump(t *testing.T) {
	// ♥ K Q against A♠ A♥. The ace of ♥ takes the first trick; what is left of the meld
	// takes the ace of ♠ if ♥ is trump, otherwise not.
	p := Position{Leader: cards.Meld(3), Follower: cards.Of(5) | cards.Of(23), Led: cards.NoCard, Trump: cards.NoTrump}
	queen, king := 3*cards.Ranks+cards.Queen, 3*cards.Ranks+cards.King
	require.Equal(t, []Valued{
		{Move{Card: queen}, -14 - 15},
		{Move{Card: king}, -15 - 14},
		{Move{Card: king, Declare: true}, 100 - 15 + 14},
		{Move{Card: queen, Declare: true}, 100 - 14 + 15},
	}, New().Moves(&p, nil))
}

func TestValidate(t *testing.T) {
	for message, p := range map[string]Position{
		"both hands have 9♠":                     {Leader: 1, Follower: 1, Led: cards.NoCard},
		"not in the deck":                        {Leader: 1 << 24, Follower: 1, Led: cards.NoCard},
		"out of range":                           {Leader: 1, Follower: 2, Led: cards.NoCard, Trump: 5},
		"the led card J♠ is still in a hand":     {Leader: 1, Follower: 6, Led: 1},
		"the leader has 1 cards, the follower 2": {Leader: 1, Follower: 6, Led: cards.NoCard},
		"11 tricks to play":                      {Leader: 1<<11 - 1, Follower: (1<<11 - 1) << 11, Led: cards.NoCard},
	} {
		require.ErrorContains(t, p.Validate(), message)
	}
}

func BenchmarkMoves(b *testing.B) {
	for i, name := range map[int]string{3: "default", 0: "no duties", 7: "follower melds"} {
		b.Run(name, func(b *testing.B) {
			solver, rng := New(), engine.NewRNG(1, 0)
			var buf []Valued
			for b.Loop() {
				p := deal(rng, 10, variant(i))
				p.Trump = cards.NoTrump
				buf = solver.Moves(&p, buf[:0])
			}
			b.ReportMetric(float64(solver.Nodes)/float64(b.N), "nodes/op")
		})
	}
}
