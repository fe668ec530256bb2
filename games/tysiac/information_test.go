package tysiac

import (
	"bytes"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"croupier/engine"
	"croupier/games/tysiac/cards"
)

func observation(s *State, seat int) []float32 {
	dst := make([]float32, observationSize)
	s.Observe(seat, dst)
	return dst
}

// segment returns a named part of the observation.
func segment(t tester, s *State, seat int, name string) []float32 {
	t.Helper()
	i := slices.IndexFunc(segments, func(g engine.Segment) bool { return g.Name == name })
	require.GreaterOrEqual(t, i, 0, name)
	return observation(s, seat)[segments[i].Offset:][:segments[i].Size]
}

// permute returns the position with the cards that a seat cannot see redealt among the places
// where they may lie: the other's hand, the musiks that were not shown, and what the other has
// returned. What the seat has been shown stays where it is.
func permute(s *State, seat int, rng *engine.RNG) *State {
	other := 1 - seat
	v := s.view(seat)
	for {
		p := *s
		unseen := cards.All &^ (v.cards | v.played[0] | v.played[1] | v.returned | v.known)
		p.hands[other] = v.known | sample(unseen, v.count-v.known.Len(), rng)
		unseen &^= p.hands[other]
		var musiks cards.Set
		for i := range p.musiks {
			if int(s.taken) != i {
				p.musiks[i] = sample(unseen, s.musiks[i].Len(), rng)
				unseen &^= p.musiks[i]
				musiks |= p.musiks[i]
			}
		}
		if v.playing == 1 {
			p.returned = unseen
		}
		// Replies have denied cards of the hand; the shown musik is not the other one.
		if p.hands[other]&s.denied[other]|musiks&v.musik == 0 {
			relabel(s, &p, seat)
			return &p
		}
	}
}

// relabel writes the cards that the seat cannot see again into the log.
func relabel(s, p *State, seat int) {
	other := 1 - seat
	// The other was dealt what it has, had played or returned, without the musik it took.
	dealt := p.hands[other] | p.played[other]
	if int(s.playing) == other {
		dealt = (dealt | p.returned) &^ p.musiks[max(s.taken, 0)]
		if s.taken == nobody {
			dealt = p.hands[other]
		}
		if p.returned != 0 {
			p.log[p.returnAt] = uint8(Return + p.returned.First() + 1)
			if p.returned.Len() == 2 {
				p.log[p.returnAt+1] = uint8(Return + p.returned.Last() + 1)
			}
		}
	}
	write := func(at int, set cards.Set) {
		for ; set != 0; set &= set - 1 {
			p.log[at] = uint8(set.First() + 1)
			at++
		}
	}
	write(other*handCards, dealt)
	write(2*handCards, p.musiks[0])
	write(2*handCards+musikSize, p.musiks[1])
}

// The test that the specification demands: at any decision, permuting cards among the hidden
// places changes neither observation, key, legal actions nor what bots do.
func TestHiddenCardsAreHidden(t *testing.T) {
	bots := map[string]engine.Bot{}
	for _, name := range []string{"greedy", "heuristic", "pimc(2)"} {
		bot, err := newState(t, "").game.Bots().New(name)
		require.NoError(t, err)
		bots[name] = bot
	}
	changed := 0
	rapid.Check(t, func(t *rapid.T) {
		rules := rapid.SampledFrom([]string{"", "bidding: {proof_threshold: 100}",
			"trick_rules: {follower_melds: true, must_overtake: false}"}).Draw(t, "rules")
		s := newHandState(t, rules)
		rng := engine.NewRNG(rapid.Uint64().Draw(t, "seed"), 0)
		steps := rapid.IntRange(24, 50).Draw(t, "steps")
		random(t, s, rng, func() bool { steps--; return steps < 0 })
		for seat := range seats {
			p := permute(s, seat, rng)
			if p.hands[1-seat] != s.hands[1-seat] {
				changed++
			}
			require.Equal(t, observation(s, seat), observation(p, seat), "%v\n%v", s, p)
			require.Equal(t, s.InformationKey(seat, nil), p.InformationKey(seat, nil), "%v\n%v", s, p)
			require.Equal(t, s.view(seat), p.view(seat))
			if s.Player() != seat {
				continue
			}
			legal := s.LegalActions(nil)
			require.Equal(t, legal, p.LegalActions(nil))
			for name, bot := range bots {
				require.Equal(t, bot.Choose(s, legal, engine.NewRNG(1, 0)), bot.Choose(p, legal, engine.NewRNG(1, 0)), name)
			}
		}
	})
	require.Greater(t, changed, 50, "hardly anything was permuted")
}

// What a view says about the other's hand is true.
func TestViewTellsTheTruth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newHandState(t, rapid.SampledFrom([]string{"", "bidding: {proof_threshold: 100}",
			"trick_rules: {follower_melds: true, must_overtrump: false}"}).Draw(t, "rules"))
		rng := engine.NewRNG(rapid.Uint64().Draw(t, "seed"), 0)
		for s.Player() != engine.Terminal {
			for seat := range seats {
				v := s.view(seat)
				require.Zero(t, v.known&^s.hands[1-seat], "known: %v\n%v", v.known, s)
				require.Zero(t, s.hands[1-seat]&^v.possible, "possible: %v\n%v", v.possible, s)
				if s.phase == playing {
					hand := v.otherHand(rng)
					require.Equal(t, s.hands[1-seat].Len(), hand.Len())
					position := v.open(hand)
					require.NoError(t, position.Validate())
				}
			}
			once := true
			random(t, s, rng, func() bool { once = !once; return once })
		}
	})
}

func TestKeysHaveTheHandAndADigestOfEarlierOnes(t *testing.T) {
	s := newState(t, "")
	deal(t, s, "Q♠ K♠", "Q♥ K♥", "9♦ J♦")
	act(t, s, "bid 100", "bid 110", "bid 130", "challenge", "pass", "take musik 1", "play on")
	act(t, s, "return 9♥", "return Q♥")
	key := func(seat int) []byte { return s.InformationKey(seat, nil) }
	own := key(1)[16:]
	require.Len(t, own, 24+5+3+1+2)
	require.Equal(t, make([]byte, 10), own[:10], "the other's cards")
	require.Equal(t, make([]byte, 4), own[20:24], "the musiks")
	require.Equal(t, []byte{FirstBid + 1, FirstBid + 2, FirstBid + 4, proven + 2 + 1, Pass + 1, TakeMusik + 1, 13, 14,
		PlayOn + 1, Return + 19, Return + 21},
		own[24:])
	require.Equal(t, []byte{0, 0}, key(0)[len(key(0))-2:])

	first := newState(t, "")
	deal(t, first, "9♥")
	takeContract(t, first)
	act(t, first, "bomb")
	second := newState(t, "")
	deal(t, second, "10♥")
	takeContract(t, second)
	act(t, second, "bomb")
	require.False(t, bytes.Equal(first.InformationKey(0, nil), second.InformationKey(0, nil)), "seat 0 had another card")
	require.Len(t, first.InformationKey(0, nil), 16)
}

func TestObservation(t *testing.T) {
	s := meldDeal(t, "")
	act(t, s, "play K♠ and declare 40")
	set := func(plane []float32) (set cards.Set) {
		for card, v := range plane {
			if v != 0 {
				set |= cards.Of(card)
			}
		}
		return set
	}
	plane := func(seat int, name string) string { return set(segment(t, s, seat, name)).String() }
	require.Equal(t, []float32{0, 0, 0, 0, 0, 0, 1, 0, 1}, segment(t, s, 0, "phase"), "play, own turn")
	require.Equal(t, s.hands[0].String(), plane(0, "hand"))
	require.Equal(t, "K♠", plane(0, "led"))
	require.Equal(t, "K♠", plane(0, "played_other"))
	require.Empty(t, plane(0, "played_own"))
	require.Empty(t, plane(0, "returned"))
	require.Equal(t, "J♥ 10♥", plane(1, "returned"))
	require.Equal(t, "J♥ 10♥", plane(0, "musik"))
	require.Equal(t, "Q♠", plane(0, "known"), "the other half of the meld")
	require.Equal(t, "K♠", plane(1, "played_own"))
	require.Equal(t, []float32{0, 1, 0, 0, 0 /**/, 0, 0, 0, 0 /**/, 1, 0, 0, 0 /**/, 0, 0, 0, 1},
		segment(t, s, 0, "trump"))
	require.Equal(t, []float32{0, 1, 0, 0, 0 /**/, 1, 0, 0, 0 /**/, 0, 0, 0, 0 /**/, 0, 1, 1, 0},
		segment(t, s, 1, "trump"))
	contract := segment(t, s, 0, "contract")
	require.InDeltaSlice(t, []float32{0.5, 0.5, 0, 1, 0, 0.2, 0.3, 0, 1, 0.9, 0, 1}, contract, 1e-6)
	auction := segment(t, s, 0, "auction")
	require.Equal(t, float32(1), auction[bids], "the other bid 100")
	require.Equal(t, float32(1), auction[3*bids], "the observer passed")
}

func TestRepliesTellWhatIsNotHeld(t *testing.T) {
	s := meldDeal(t, "")
	act(t, s, "play A♠", "play 9♠", "play J♠")
	require.Equal(t, []string{"play 9♣", "play J♣", "play 10♣", "play A♣", "play 9♦", "play 9♥", "play Q♥", "play K♥",
		"play A♥"},
		legalNames(s))
	act(t, s, "play 9♣")
	require.Zero(t, s.view(1).possible&cards.OfSuit(0), "seat 0 has no ♠")
}
