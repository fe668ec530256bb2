package boards_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/games/standard"
	"croupier/internal/nightly"
	"croupier/web/webtest"
)

func newGame(t *testing.T, name, rules string) engine.Game {
	t.Helper()
	g, err := standard.Games.New(name, []byte(rules))
	require.NoError(t, err)
	return g
}

// moments are positions of a game worth a picture, from the eyes of seat 0.
type moments struct {
	game, rules string
	eye         int
	list        []moment
}

type moment struct {
	name, position string
	steps          []int
}

var diceMoments = []moments{
	{"pig", "", 0, []moment{
		{"beginning", "", nil},
		{"turn", `{"scores": [42, 71], "turn": 14, "seat": 0}`, nil},
		{"lost", `{"scores": [42, 71], "turn": 14, "seat": 1}`, []int{0, 0}},
		{"won", `{"scores": [42, 91], "turn": 14, "seat": 1}`, []int{1}},
	}},
	{"bank", "", 0, []moment{
		{"beginning", "", nil},
		{"asked", `{"round": 3, "roll": 4, "dice": [5, 6], "bank": 105, "totals": [1204, 980, 20], "seat": 0}`, nil},
		{"again", `{"round": 3, "roll": 4, "dice": [5, 5], "bank": 148, "totals": [1204, 980, 20], "seat": 0}`,
			[]int{0, 0, 1}},
		{"seven", `{"round": 3, "roll": 4, "dice": [5, 6], "bank": 105, "totals": [1204, 980, 20], "seat": 0}`,
			[]int{0, 0, 0, 9}},
	}},
	{"bank", "players: 8", engine.Public, []moment{
		{"eight", `{"round": 9, "roll": 6, "dice": [4, 4], "bank": 1296, "totals": [2200, 0, 310, 3000, 12, 99, 1500, 2200], "seat": 2, "banked": [1], "passed": [0]}`, []int{1}},
	}},
	{"lange-strasse", "", 0, []moment{
		{"beginning", "", nil},
		{"thrown", `{"kept_groups": [], "available_dice": [1, 2, 2, 2, 5, 6], "turn_score": 0, "players": [{"score": 4550, "strich": true, "you": true, "money_ct": -50}, {"score": 1300, "strich": true, "money_ct": 100}, {"score": 6400, "strich": false, "money_ct": -50}], "turn_number": 7}`, nil},
		{"kept", `{"kept_groups": [[5, 5, 5]], "available_dice": [4, 1, 2], "turn_score": 1500, "players": [{"score": 4550, "strich": true, "you": true}, {"score": 1300, "strich": true}, {"score": 6400, "strich": false}], "turn_number": 7}`, nil},
		{"talheim", `{"kept_groups": [], "available_dice": [2, 2, 3, 3, 4, 4], "turn_score": 0, "players": [{"score": 9550, "strich": false, "you": true}, {"score": 9300, "strich": true}, {"score": 6400, "strich": false}], "turn_number": 11}`, nil},
	}},
}

func (m moments) show(b *webtest.Board, at moment) {
	if at.position != "" {
		b.Place(at.position)
	}
	b.Play(at.steps...)
}

const overflow = `document.documentElement.scrollWidth <= innerWidth`

// requireMomentsFit: at all moments of the games, boards fit every window in both themes, and axe finds nothing.
func requireMomentsFit(t *testing.T, games []moments) {
	t.Helper()
	for _, widths := range windows() {
		var b *webtest.Board
		seen := looks{}
		for i, m := range games {
			if b == nil {
				b = webtest.NewBoard(t, widths[0], 800, newGame(t, m.game, m.rules), m.eye)
			} else {
				b.Open(newGame(t, m.game, m.rules), m.eye)
			}
			for _, at := range m.list {
				b.Begin()
				m.show(b, at)
				seen.requireFits(t, b.Browser, m.game, fmt.Sprintf("%s-%d-%s", m.game, i, at.name), widths)
			}
		}
		b.Clean()
	}
}

func TestDiceBoardsFit(t *testing.T) {
	t.Parallel()
	requireMomentsFit(t, diceMoments)
}

// offered lists the actions that have a button, ascending.
func offered(b *webtest.Board, buttons string) []int {
	list := webtest.Evaluate[[]int](
		b.Browser, `[...document.querySelectorAll("`+buttons+`")].map((e) => Number(e.dataset.action))`)
	slices.Sort(list)
	return slices.Compact(list)
}

// Whole games of Pig and BANK! by clicks: there is a button for each legal action of the viewer, and
// none else; it asks for its action, and element finds it.
func TestDiceGamesByClicks(t *testing.T) {
	t.Parallel()
	b := webtest.NewBoard(t, 360, 800, newGame(t, "pig", ""), 0)
	for _, game := range []string{"pig", "bank", "lange-strasse"} {
		t.Run(game, func(t *testing.T) {
			b.Open(newGame(t, game, map[string]string{"pig": "target: 20", "bank": "rounds: 2"}[game]), 0)
			webtest.Evaluate[any](b.Browser, `void (settings.motion = true)`)
			rng := engine.NewRNG(5, 0)
			for steps := 0; b.State.Player() != engine.Terminal && steps < 150; steps++ {
				buttons := "#board [data-action]"
				if game == "lange-strasse" {
					buttons = ".ls-choices [data-action]"
				}
				legal := b.Legal()
				require.Equal(t, legal, offered(b, buttons), b.State)
				if b.State.Player() == engine.Chance {
					b.Play(b.State.SampleChance(rng))
					continue
				}
				all := b.State.LegalActions(nil)
				action := all[rng.IntN(len(all))]
				if len(legal) > 0 {
					require.True(t, webtest.Evaluate[bool](b.Browser, fmt.Sprintf(
						`(() => { const e = board.element(%d); e.click(); return e.checkVisibility(); })()`, action)))
					require.Equal(t, []int{action}, b.Acted())
				}
				b.Play(action)
			}
			require.Nil(t, webtest.Evaluate[any](b.Browser, `board.element(999)`))
			b.Clean()
		})
	}
}

// In Lange Strasse dice are tapped: a face that counts only as a group is taken as one, and what
// may not be kept reports why.
func TestLangeStrasseByTapping(t *testing.T) {
	t.Parallel()
	b := webtest.NewBoard(t, 360, 800, newGame(t, "lange-strasse", ""), 0)
	b.Place(diceMoments[3].list[1].position) // 1 2 2 2 5 6
	tap := func(i int) { b.Click(fmt.Sprintf(`.ls-throw [data-i="%d"]`, i)) }
	text := func(of string) string {
		return strings.ReplaceAll(webtest.Evaluate[string](b.Browser,
			fmt.Sprintf(`document.querySelector(%q).textContent`, of)), "\u202f", " ")
	}
	tap(2)
	require.Equal(t, "keep 2, 2 and 2: 200. Three dice left, strich 11 %; ending the turn takes 300 points in this set.",
		text(".ls-worth"))
	require.Equal(t, "200 points in this turn", text(".ls-turn"))
	tap(0)
	require.Equal(t, "keep 1, 2, 2 and 2: 300. Two dice left, strich 25 %.", text(".ls-worth"))
	require.Equal(t, []int{2 * 0b1111, 2*0b1111 + 1}, offered(b, ".controls [data-action]"))
	tap(5)
	require.Equal(t, "A 6 counts only among three or more of one roll, or next to a group of 6s.", text(".ls-worth"))
	require.Empty(t, offered(b, ".controls [data-action]"))
	tap(5)
	tap(1)
	require.Equal(t, "keep 1: 100. Five dice left, strich 7.7 %; ending the turn takes 300 points in this set.",
		text(".ls-worth"))
	b.Click(`.controls [data-action]`)
	require.Equal(t, []int{2 * 0b1}, b.Acted())
	b.Clean()
}

// Boards are played by keyboard: the focus comes back to the button where it was.
func TestDiceBoardsByKeyboard(t *testing.T) {
	t.Parallel()
	b := webtest.NewBoard(t, 768, 800, newGame(t, "pig", ""), 0)
	press := func(key string) { b.Do(chromedp.KeyEvent(key)) }
	b.Do(chromedp.Focus(`[data-action="0"]`))
	for range 2 {
		press(kb.Enter)
		require.Equal(t, []int{0}, b.Acted())
		b.Play(0, 5)
	}
	press(kb.Tab)
	press(" ")
	require.Equal(t, []int{1}, b.Acted())
	b.Play(1, 0, 0)
	require.Equal(t, []int{0, 1}, offered(b, "[data-action]"))
	require.Equal(t, "1", webtest.Evaluate[string](b.Browser, `document.activeElement.dataset.action`))

	b = webtest.NewBoard(t, 768, 800, newGame(t, "lange-strasse", ""), 0)
	b.Place(diceMoments[3].list[1].position) // 1 2 2 2 5 6
	b.Do(chromedp.Focus(`[data-i="0"]`))
	for _, key := range []string{" ", kb.Tab, " ", kb.Tab, kb.Tab, kb.Tab, kb.Tab, kb.Tab, kb.Tab, kb.Enter} {
		b.Do(chromedp.KeyEvent(key))
	}
	require.Equal(t, []int{2*0b1111 + 1}, b.Acted(), "1 and the 2s are kept, the turn ends")
}

// What an editor makes of a position is the same position, and stays one when it is edited.
func TestDiceEditors(t *testing.T) {
	t.Parallel()
	b := webtest.NewBoardPage(t, 320, 800)
	for _, m := range diceMoments {
		g := newGame(t, m.game, m.rules).(engine.Positioned)
		for i, position := range append([]moment{{"example", string(g.ExamplePosition()), nil}}, m.list...) {
			if position.position == "" {
				continue
			}
			edit(t, b, g, position.position)
			field := map[string]string{"pig": "Seat 1", "bank": "Bank after it",
				"lange-strasse": "Points of finished sets"}[m.game]
			for _, way := range []string{"more", "less"} {
				b.Click(fmt.Sprintf(`[aria-label^="%s %s by"]`, field, way))
			}
			edited := webtest.Evaluate[string](b, `JSON.stringify(edited)`)
			require.Equal(t, formatted(t, g, position.position), formatted(t, g, edited), edited)
			require.Empty(t, small(b))
			if i == 0 || nightly.On { // the positions of a game have the same fields
				b.Axe()
			}
		}
	}
	b.Clean()
}

// edit opens the editor of a position, in the place of the one before.
func edit(t *testing.T, b *webtest.Browser, g engine.Game, position string) {
	t.Helper()
	rules, err := json.Marshal(g.Rules())
	require.NoError(t, err)
	webtest.Evaluate[any](b, fmt.Sprintf(`edit(%q, %s, %s)`, g.Spec().Name, rules, position))
	b.Until(`document.querySelector(".editor") !== null`)
	b.Styled()
	require.True(t, webtest.Evaluate[bool](b, overflow))
}

func openEditor(t *testing.T, g engine.Game, position string) *webtest.Browser {
	b := webtest.NewBoardPage(t, 320, 800)
	edit(t, b, g, position)
	return b
}

func formatted(t *testing.T, g engine.Positioned, position string) string {
	t.Helper()
	s, _, err := g.ParsePosition([]byte(position), engine.NewRNG(1, 0))
	require.NoError(t, err, position)
	return string(g.FormatPosition(s, s.Player()))
}

// Dice are entered by tapping; what is wrong is reported where it is.
func TestDiceEditorsByTapping(t *testing.T) {
	t.Parallel()
	g := newGame(t, "lange-strasse", "").(engine.Positioned)
	b := openEditor(t, g, string(g.ExamplePosition()))
	take := `[aria-label^="take the"]`
	b.Click(take)
	b.Click(take)
	b.Click(take)
	for _, face := range []string{"5", "1", "6"} {
		b.Click(fmt.Sprintf(`[aria-label="a %s fell"]`, face))
	}
	require.Equal(t, []int{5, 1, 6}, webtest.Evaluate[[]int](b, `edited.available_dice`))
	webtest.Evaluate[any](b, `editor.complain("players[1].score", "players[1].score: too few")`)
	require.Equal(t, "players[1].score: too few", webtest.Evaluate[string](
		b, `document.querySelector("[data-wrong] .problem").textContent`))
	b.Axe()
	b.Click(`[aria-label="Points more by 50"]`)
	require.True(t, webtest.Evaluate[bool](b, `document.querySelector(".problem") === null`),
		"a change takes the complaint away")
	b.Clean()
}
