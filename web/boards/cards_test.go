package boards_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/games/standard"
	"croupier/web/webtest"
)

func TestMain(m *testing.M) { webtest.Main{M: m}.Run() }

// scene is a position of a card game worth a picture: what is dealt, by name, and what is done then,
// by name.
type scene struct {
	name, game, rules string
	eye               int
	deal              string
	play              []string
}

// tysiacDeal gives seat 1, who is forehand, ♥ K Q, and seat 0 ♣ K Q.
const tysiacDeal = "J♠ K♠ 9♣ Q♣ K♣ A♣ 9♦ Q♦ 9♥ A♥ 9♠ 10♠ A♠ J♣ J♦ K♦ J♥ Q♥ K♥ 10♥ Q♠ 10♣ 10♦ A♦"

// toTheLead are the actions up to the first lead of seat 1.
var toTheLead = []string{"bid 100", "pass", "take musik 2", "play on", "return 9♠", "return J♦", "contract 140"}

func tysiacScene(name string, eye int, play ...string) scene {
	return scene{"tysiac-" + name, "tysiac", "", eye, tysiacDeal, play}
}

func after(names []string, more ...string) []string {
	return append(names[:len(names):len(names)], more...)
}

// bankDeal gives every seat five cards.
const bankDeal = "3 9 14 31 50 7 12 25 28 44"

var scenes = []scene{
	tysiacScene("auction", 1),
	tysiacScene("bidding", 1, "bid 100", "bid 130"),
	tysiacScene("proved", 0, "bid 100", "bid 110", "bid 140", "challenge"),
	tysiacScene("musik", 1, toTheLead[:2]...),
	tysiacScene("bomb", 1, toTheLead[:3]...),
	tysiacScene("return", 1, toTheLead[:4]...),
	tysiacScene("contract", 1, toTheLead[:6]...),
	tysiacScene("lead", 1, toTheLead...),
	tysiacScene("reply", 0, after(toTheLead, "play Q♥ and declare 100")...),
	tysiacScene("open", engine.Everything, after(toTheLead, "play Q♥ and declare 100", "play A♥")...),
	tysiacScene("watched", engine.Public, after(toTheLead, "play Q♥ and declare 100", "play A♥", "play 9♦")...),
	{"tysiac-hand-over", "tysiac-hand", "", 0, tysiacDeal, []string{"bid 100", "bid 180", "challenge"}},
	tysiacScene("between", 0, after([]string{"bid 100", "bid 180", "challenge"}, strings.Fields(tysiacDeal)...)...),
	{"bank-cards-first", "bank-cards", "", 0, bankDeal, nil},
	{"bank-cards-stuck", "bank-cards", "", 0, bankDeal, []string{"play 31", "play 44", "play 50", "draw", "card 52",
		"draw", "card 20", "play 52"}},
	{"bank-cards-four", "bank-cards", "players: 4", 1, bankDeal + " 1 2 4 5 6 8 10 11 13 15", []string{"play 3"}},
	{"bank-cards-open", "bank-cards", "players: 3", engine.Everything, bankDeal + " 1 2 4 5 6",
		[]string{"play 3", "play 12"}},
}

func (sc scene) newGame(t *testing.T) engine.Game {
	t.Helper()
	g, err := standard.Games.New(sc.game, []byte(sc.rules))
	require.NoError(t, err)
	return g
}

// open opens the board of a scene.
func (sc scene) open(t *testing.T, width int64) *webtest.Board {
	t.Helper()
	b := webtest.NewBoard(t, width, 800, sc.newGame(t), sc.eye)
	sc.show(t, b)
	return b
}

func (sc scene) show(t *testing.T, b *webtest.Board) {
	t.Helper()
	s := b.State.Clone()
	var steps []int
	for _, name := range append(strings.Fields(sc.deal), sc.play...) {
		step := named(t, s, name)
		require.NoError(t, s.Apply(step))
		steps = append(steps, step)
	}
	b.Play(steps...)
}

// named returns the outcome or legal action of that name; numbers name cards.
func named(t *testing.T, s engine.State, name string) int {
	t.Helper()
	var names []string
	for _, o := range s.Outcomes(nil) {
		if names = append(names, s.OutcomeName(o.Index)); s.OutcomeName(o.Index) == name ||
			s.OutcomeName(o.Index) == "card "+name {
			return o.Index
		}
	}
	for _, action := range s.LegalActions(nil) {
		if names = append(names, s.ActionName(action)); s.ActionName(action) == name {
			return action
		}
	}
	require.Fail(t, "not possible", "%q is not among %v", name, names)
	return 0
}

// Boards of card games fit every window in both themes, and axe finds nothing.
func TestCardBoardsFit(t *testing.T) {
	t.Parallel()
	for _, widths := range windows() {
		b, seen := scenes[0].open(t, widths[0]), looks{}
		for _, sc := range scenes {
			b.Open(sc.newGame(t), sc.eye)
			sc.show(t, b)
			seen.requireFits(t, b.Browser, sc.game, sc.name, widths)
		}
		b.Clean()
	}
}
