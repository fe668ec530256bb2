package tysiac

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
)

func returns(s *State) []float64 {
	dst := []float64{9, 9}
	s.Returns(dst)
	return dst
}

// scored is the state after a hand that seat `playing` has played for the contract, with the
// given scores before it and points in it.
func scored(t tester, rules string, playing int8, contract int16, before [2]int32, points [2]int16) *State {
	t.Helper()
	s := newState(t, rules)
	deal(t, s)
	s.playing, s.contract, s.scores, s.points = playing, contract, before, points
	s.score()
	return s
}

func TestScores(t *testing.T) {
	for _, test := range []struct {
		name     string
		rules    string
		contract int16
		before   [2]int32 // seat 0 plays
		points   [2]int16
		want     []int64
	}{
		{"contract made exactly", "", 120, [2]int32{0, 0}, [2]int16{120, 0}, []int64{120, 0}},
		{"only the contract counts", "", 100, [2]int32{0, 0}, [2]int16{190, 10}, []int64{100, 10}},
		{"contract missed by one", "", 120, [2]int32{0, 0}, [2]int16{119, 0}, []int64{-120, 0}},
		{"rounding up 62 to 70", "", 100, [2]int32{0, 0}, [2]int16{100, 62}, []int64{100, 70}},
		{"rounding up 61 to 70", "", 100, [2]int32{0, 0}, [2]int16{100, 61}, []int64{100, 70}},
		{"60 stays", "", 100, [2]int32{0, 0}, [2]int16{100, 60}, []int64{100, 60}},
		{"defender at 800 stays", "", 100, [2]int32{0, 800}, [2]int16{100, 62}, []int64{100, 800}},
		{"defender above 800 stays", "", 100, [2]int32{0, 930}, [2]int16{100, 62}, []int64{100, 930}},
		{"defender below the lock passes it", "", 100, [2]int32{0, 790}, [2]int16{100, 62}, []int64{100, 860}},
		{"no lock", "game: {enable_lock: false}", 100, [2]int32{0, 800}, [2]int16{100, 62}, []int64{100, 870}},
		{"declarer beyond the lock", "", 100, [2]int32{850, 0}, [2]int16{100, 62}, []int64{950, 70}},
		{"a score can be negative", "", 100, [2]int32{-50, 0}, [2]int16{99, 21}, []int64{-150, 30}},
	} {
		s := scored(t, test.rules, 0, test.contract, test.before, test.points)
		require.Equal(t, test.want, s.Scores(nil), test.name)
		require.Equal(t, engine.Chance, s.Player(), test.name)
	}
}

func TestEndOfTheGame(t *testing.T) {
	for _, test := range []struct {
		name    string
		rules   string
		playing int8
		before  [2]int32
		points  [2]int16
		want    []float64
	}{
		{"seat 0 reaches 1000", "", 0, [2]int32{900, 0}, [2]int16{100, 0}, []float64{1, -1}},
		{"seat 1 reaches 1000", "", 1, [2]int32{0, 910}, [2]int16{0, 100}, []float64{-1, 1}},
		{"the other reaches it from below the lock", "", 0, [2]int32{0, 790}, [2]int16{0, 210}, []float64{-1, 1}},
		{"both reach 1000: the higher score", "", 0, [2]int32{900, 790}, [2]int16{100, 220}, []float64{-1, 1}},
		{"both reach 1000, equal: the declarer 0", "", 0, [2]int32{900, 790}, [2]int16{100, 210}, []float64{1, -1}},
		{"both reach 1000, equal: the declarer 1", "", 1, [2]int32{790, 900}, [2]int16{210, 100}, []float64{-1, 1}},
		{"last hand: the higher score", "game: {max_hands: 1}", 0, [2]int32{0, 0}, [2]int16{100, 20}, []float64{1, -1}},
		{"last hand: a draw", "game: {max_hands: 1}", 0, [2]int32{0, 0}, [2]int16{100, 100}, []float64{0, 0}},
		{"the target before the last hand", "game: {max_hands: 1}", 0, [2]int32{900, 790}, [2]int16{100, 210},
			[]float64{1, -1}},
	} {
		s := scored(t, test.rules, test.playing, 100, test.before, test.points)
		require.Equal(t, engine.Terminal, s.Player(), test.name)
		require.Equal(t, test.want, returns(s), test.name)
	}
}

func TestBombedHandsCountTowardsTheLast(t *testing.T) {
	s := newState(t, "game: {max_hands: 2}")
	for range 2 {
		deal(t, s)
		takeContract(t, s)
		act(t, s, "bomb")
	}
	require.Equal(t, engine.Terminal, s.Player())
	require.Equal(t, []float64{0, 0}, returns(s))
}

func TestHandReturnsTheDifferenceOfChanges(t *testing.T) {
	s := newHandState(t, "hand: {scores: [300, 700], dealer: 1}")
	deal(t, s, "", "", "")
	require.Equal(t, 0, s.Player(), "dealer 1")
	s.playing, s.contract, s.points = 0, 120, [2]int16{119, 62}
	s.score()
	require.Equal(t, []int64{-120, 70}, s.Scores(nil))
	require.Equal(t, []float64{-190, 190}, returns(s))

	s = newHandState(t, "hand: {scores: [300, 800]}")
	deal(t, s)
	s.playing, s.contract, s.points = 0, 120, [2]int16{120, 62}
	s.score()
	require.Equal(t, []int64{120, 0}, s.Scores(nil), "the lock holds in a single hand")

	s = newHandState(t, "")
	deal(t, s, "Q♠ Q♣ Q♦ Q♥")
	act(t, s, "bid 100", "bid 110", "bid 200", "challenge")
	require.Equal(t, engine.Terminal, s.Player())
	require.Equal(t, []float64{200, -200}, returns(s))
}

func TestRulesOutOfRange(t *testing.T) {
	for rules, message := range map[string]string{
		"bidding: {start_bid: 90}":                   "bidding.start_bid: 90 is not in 100..280",
		"bidding: {start_bid: 105}":                  "bidding.start_bid: 105 is not a multiple of 10",
		"bidding: {increment: 0}":                    "bidding.increment: 0 is not in",
		"bidding: {increment: 15}":                   "bidding.increment: 15 is not a multiple of 10",
		"bidding: {max_bid: 290}":                    "bidding.max_bid: 290 is not in 100..280",
		"bidding: {start_bid: 200, max_bid: 190}":    "bidding.max_bid: 190 is not in 200..280",
		"bidding: {all_pass: nothing}":               `bidding.all_pass: "nothing" is not one of forehand_plays, redeal`,
		"bidding: {proof_threshold: -1}":             "bidding.proof_threshold: -1 is not in",
		"contract: {max: 410}":                       "contract.max: 410 is not in 100..400",
		"contract: {max: 270}":                       "contract.max: 270 is not in 280..400",
		"game: {max_hands: 0}":                       "game.max_hands: 0 is not in",
		"game: {target_score: 0}":                    "game.target_score: 0 is not in",
		"bombing: {bombs_per_player: -1}":            "bombing.bombs_per_player: -1 is not in",
		"bidding: {proof: 1}":                        "bidding.proof: unknown key",
		"hand: {dealer: 0}":                          "line 1: hand: unknown key",
		"trick_rules: {must_overtake: perhaps}":      "line 1",
		"game: {target_score: 1000.5}":               "1000.5 is not a whole number",
		"game:\n  target_score: 1000\n  targe_t: 10": "line 3: game.targe_t: unknown key; the keys are target_score",
	} {
		_, err := New([]byte(rules))
		require.ErrorContains(t, err, message, rules)
	}
	for rules, message := range map[string]string{
		"hand: {dealer: 2}":          "hand.dealer: 2 is not in 0..1",
		"hand: {bombs_left: [0]}":    "line 1: hand.bombs_left: 1 values, there must be 2",
		"hand: {scores: 100}":        "line 1: hand.scores: 100 is not a list",
		"hand: {scores: [1, 2.5]}":   "2.5 is not a whole number",
		"hand: {bombs_left: [0,-1]}": "hand.bombs_left[1]: -1 is not in 0..100",
		"contract: {max: 500}":       "contract.max: 500 is not in",
	} {
		_, err := NewHand([]byte(rules))
		require.ErrorContains(t, err, message, rules)
	}
}
