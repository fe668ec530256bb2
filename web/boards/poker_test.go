package boards_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/web/webtest"
)

var pokerMoments = []moments{
	{"kuhn", "", 0, []moment{
		{"beginning", "", nil},
		{"bet", "", []int{2, 1, 0, 1}},
		{"showdown", "", []int{2, 1, 0, 1, 1}},
	}},
	{"leduc", "", 1, []moment{
		{"second", "", []int{4, 1, 2, 1, 3, 2}},
		{"folded", "", []int{4, 1, 2, 0}},
	}},
	{"banluck", "", 0, []moment{
		{"dealt", "", []int{48, 20, 0, 32}},
		{"sevens", "", []int{20, 21, 0, 32, 1, 22, 36}},
	}},
	{"banluck", "", 1, []moment{{"surrender", "", []int{20, 28, 32, 12}}}},
	{"banluck", "players: 2", 2, []moment{{"reveal", "", []int{20, 21, 32, 28, 33, 16, 1, 22, 0}}}},
	{"banluck", "players: 4", 1, []moment{
		{"four", "", []int{20, 21, 48, 0, 4, 8, 16, 24, 33, 34, 0, 1, 5}},
		{"four-end", "", []int{20, 21, 48, 0, 4, 8, 16, 24, 33, 34, 0, 1, 5, 0, 0, 0}},
	}},
}

func TestPokerBoardsFit(t *testing.T) {
	t.Parallel()
	requireMomentsFit(t, pokerMoments)
}

// Whole games by clicks: there is a button for each legal action of the viewer, and none else; it
// asks for its action, and element finds it.
func TestPokerGamesByClicks(t *testing.T) {
	t.Parallel()
	b := webtest.NewBoard(t, 360, 800, newGame(t, "kuhn", ""), 0)
	for _, game := range []struct{ name, rules string }{{"kuhn", ""}, {"leduc", ""}, {"banluck", ""},
		{"banluck", "players: 3"}} {
		for eye := range 2 {
			t.Run(fmt.Sprintf("%s %s eye %d", game.name, game.rules, eye), func(t *testing.T) {
				g := newGame(t, game.name, game.rules)
				b.Open(g, eye*(g.Spec().Seats-1))
				rng := engine.NewRNG(5, 0)
				for b.State.Player() != engine.Terminal {
					legal := b.Legal()
					require.Equal(t, legal, offered(b, ".controls [data-action]"), b.State)
					if b.State.Player() == engine.Chance {
						b.Play(b.State.SampleChance(rng))
						continue
					}
					all := b.State.LegalActions(nil)
					action := all[rng.IntN(len(all))]
					if len(legal) > 0 {
						b.Click(fmt.Sprintf(`.controls [data-action="%d"]`, action))
						require.Equal(t, []int{action}, b.Acted())
						require.True(t, webtest.Evaluate[bool](b.Browser, fmt.Sprintf(`board.element(%d).checkVisibility()`, action)))
					}
					b.Play(action)
				}
				b.Clean()
			})
		}
	}
}

// Leduc by keyboard: Tab and Enter.
func TestPokerByKeyboard(t *testing.T) {
	t.Parallel()
	b := webtest.NewBoard(t, 768, 800, newGame(t, "leduc", ""), 0)
	b.Play(4, 1)
	b.Do(chromedp.Focus(`[data-action="1"]`), chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Enter))
	require.Equal(t, []int{2}, b.Acted())
}

// The dealer can tap the hand that he opens, and reads what the cards tell.
func TestBanluckReveal(t *testing.T) {
	t.Parallel()
	b := webtest.NewBoard(t, 360, 800, newGame(t, "banluck", "players: 2"), 2)
	b.Play(20, 21, 32, 28, 33, 16, 1, 22, 0)
	require.Equal(t, 1, webtest.Evaluate[int](b.Browser, `document.querySelectorAll(".place .open").length`),
		"one player has three cards")
	b.Click(`.place .open`)
	require.Equal(t, []int{3}, b.Acted())
	text := webtest.Evaluate[string](b.Browser, `document.querySelector(".inference").textContent`)
	require.Contains(t, text, "Three cards, stood or bust")
	b.Play(3)
	require.Equal(t, "777 pays 7", webtest.Evaluate[string](b.Browser, `document.querySelector(".ribbon").textContent`))
}

// What an editor makes of a position is the same position, and cards are put together by tapping.
func TestPokerEditors(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		game, rules string
		taps        []string // what is clicked
		want        string
	}{
		{"kuhn", "", []string{`label:has([aria-label="jack"])`}, `{"card": "J", "moves": ["check", "bet"]}`},
		{"leduc", "", []string{`.editor .part:first-child .path + .options button:last-child`},
			`{"card": "Ks", "first_round": ["raise"]}`},
		{"banluck", "players: 2", []string{`.part:nth-child(2) [aria-label="Take away 9"]`,
			`.part:nth-child(2) [aria-label="Add 4"]`}, `{"seat": 0, "hand": ["7", "4"]}`},
	} {
		t.Run(test.game, func(t *testing.T) {
			g := newGame(t, test.game, test.rules).(engine.Positioned)
			b := openEditor(t, g, string(g.ExamplePosition()))
			for _, tap := range test.taps {
				b.Click(tap)
			}
			edited := webtest.Evaluate[string](b, `JSON.stringify(edited)`)
			require.JSONEq(t, test.want, edited)
			_, _, err := g.ParsePosition([]byte(edited), engine.NewRNG(1, 0))
			require.NoError(t, err)
			require.Empty(t, small(b))
			b.Keep(strings.ReplaceAll(test.game, " ", "-"))
			b.Axe()
			b.Clean()
		})
	}
}
