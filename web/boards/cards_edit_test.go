package boards_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/games/standard"
	"croupier/web/webtest"
)

// tell opens the editor of a game with a position.
func tell(t *testing.T, width int64, game, position string) (*webtest.Browser, engine.Positioned) {
	t.Helper()
	g, err := standard.Games.New(game, []byte(""))
	require.NoError(t, err)
	rules, err := json.Marshal(g.Rules())
	require.NoError(t, err)
	b := webtest.NewBoardPage(t, width, 800)
	webtest.Evaluate[any](b, fmt.Sprintf(`edit(%q, %s, %s)`, game, rules, position))
	b.Until(`window.editor !== undefined && document.styleSheets.length > 2`)
	return b, g.(engine.Positioned)
}

// edited is the position that the editor has told last, which the game must be able to read.
func edited(t *testing.T, b *webtest.Browser, g engine.Positioned) (string, engine.State) {
	t.Helper()
	position := webtest.Evaluate[string](b, `JSON.stringify(edited)`)
	s, _, err := g.ParsePosition([]byte(position), engine.NewRNG(1, 0))
	require.NoError(t, err, position)
	return string(g.FormatPosition(s, s.Player())), s
}

// press presses buttons by their texts or labels, which begin so, one after the other.
func press(t *testing.T, b *webtest.Browser, names ...string) {
	t.Helper()
	for _, name := range names {
		require.True(t, webtest.Evaluate[bool](b, fmt.Sprintf(`(() => {
			const found = [...document.querySelectorAll("#board button")].find((e) =>
				e.dataset.card === %[1]q || (!e.disabled && (e.textContent.startsWith(%[1]q) || e.ariaLabel === %[1]q)));
			found?.click();
			return Boolean(found);
		})()`, name)), "there is no button %q", name)
	}
}

// A hand of Tysiąc is entered by tapping what happens at a real table, and can be asked about at every turn
// of one's own.
func TestTysiacIsTold(t *testing.T) {
	t.Parallel()
	b, g := tell(t, 360, "tysiac", `{"seat": 1, "dealer": 0, "scores": [340, 210], "bombs_left": [2, 1], "hand_number": 5, "hand": []}`)
	requireRoom(t, b, "the editor of Tysiąc")
	b.Axe()
	press(t, b, strings.Fields("Q♠ K♠ Q♣ J♦ K♥ Q♥ A♠ J♣ 9♥ A♥")...)
	position, s := edited(t, b, g)
	require.JSONEq(t, `{"seat": 1, "dealer": 0, "scores": [340, 210], "bombs_left": [2, 1], "hand_number": 5,
		"hand": ["Q♠", "K♠", "A♠", "J♣", "Q♣", "J♦", "9♥", "Q♥", "K♥", "A♥"], "auction": [], "taken": 0, "musik": [],
		"no_bomb": false, "returned": [], "contract": 0, "plays": []}`, position)
	require.Equal(t, 1, s.Player())
	press(t, b, "Bid 100", "Bid 110", "more", "Bid 130", "Challenged, K♠", "Pass", "Musik 2", "10♥", "9♠")
	_, s = edited(t, b, g)
	require.Equal(t, "bomb", s.ActionName(s.LegalActions(nil)[0]))
	press(t, b, "Not bombed", "9♥", "J♣", "more", "more", "Contract 150", "A♠", "10♠", "A♥", "J♥")
	position, _ = edited(t, b, g)
	require.JSONEq(t, `{"seat": 1, "dealer": 0, "scores": [340, 210], "bombs_left": [2, 1], "hand_number": 5,
		"hand": ["9♠", "Q♠", "K♠", "Q♣", "J♦", "Q♥", "K♥", "10♥"],
		"auction": ["bid 100", "bid 110", "bid 130", "challenge ♠", "pass"], "taken": 2, "musik": ["9♠", "10♥"],
		"no_bomb": true, "returned": ["J♣", "9♥"], "contract": 150, "plays": ["A♠", "10♠", "A♥", "J♥"]}`, position)
	press(t, b, "K♥", "K♥ was declared")
	require.Contains(t, webtest.Evaluate[string](b, `JSON.stringify(edited.plays)`), "K♥ declared")
	press(t, b, "Undo", "Undo")
	again, _ := edited(t, b, g)
	require.Equal(t, position, again)
	press(t, b, "Q♥", "J♣")
	require.NotContains(t, webtest.Evaluate[string](b, `JSON.stringify(edited.plays)`), "J♣", "a card that was returned")
	b.Keep("tysiac-editor-play-360")
	webtest.Evaluate[any](b, `editor.complain("scores[0]", "no seat can have 345")`)
	require.Equal(t, "no seat can have 345", webtest.Evaluate[string](
		b, `document.querySelector("#board [role=alert]").textContent`))
	b.Axe()
	b.Clean()
}

// The other's hand is entered as well: he plays, and his return stays unknown.
func TestTysiacOfTheOtherIsTold(t *testing.T) {
	t.Parallel()
	b, g := tell(t, 768, "tysiac-hand", `{"seat": 0, "hand": []}`)
	press(t, b, strings.Fields("9♠ J♠ Q♠ K♠ 9♣ J♣ 9♦ J♦ 9♥ J♥")...)
	press(t, b, "Bid 100", "Pass", "Musik 1", "A♠", "10♠", "Contract 100", "A♥")
	position, s := edited(t, b, g)
	require.JSONEq(t, `{"seat": 0, "hand": ["9♠", "J♠", "Q♠", "K♠", "9♣", "J♣", "9♦", "J♦", "9♥", "J♥"],
		"auction": ["bid 100", "pass"], "taken": 1, "musik": ["10♠", "A♠"], "no_bomb": true, "returned": [],
		"contract": 100, "plays": ["A♥"]}`, position)
	require.Equal(t, []string{"play 9♥", "play J♥"}, []string{s.ActionName(s.LegalActions(nil)[0]),
		s.ActionName(s.LegalActions(nil)[1])})
	b.Keep("tysiac-editor-768")
	b.Clean()
}

// After the last trick the next hand begins with the scores that the hand led to; after a bomb with the
// old ones.
func TestTysiacGoesOnToTheNextHand(t *testing.T) {
	t.Parallel()
	b, _ := tell(t, 360, "tysiac", `{"seat": 0, "dealer": 1, "scores": [790, 800], "hand": []}`)
	press(t, b, strings.Fields("9♠ J♠ Q♠ K♠ 10♠ A♠ 9♣ J♣ Q♣ K♣")...)
	press(t, b, "Bid 100", "Pass", "Musik 1", "9♦", "J♦", "Bombed")
	require.JSONEq(t, `{"seat": 0, "dealer": 1, "scores": [790, 800], "bombs_left": [1, 2], "hand_number": 2, "hand": []}`,
		webtest.Evaluate[string](b, `JSON.stringify(edited)`))
	press(t, b, "Undo", "Not bombed", "9♦", "J♦", "Contract 100", "K♠", "K♠ was declared", "9♥")
	press(t, b, strings.Fields("A♠ J♥ 10♠ Q♥ Q♠ K♥ J♠ Q♦ 9♠ K♦ K♣ 10♣ A♥ Q♣ 10♥ J♣ A♣ 9♣")...)
	press(t, b, "Next hand")
	require.JSONEq(t, `{"seat": 0, "dealer": 0, "scores": [690, 800], "hand_number": 2, "hand": []}`,
		webtest.Evaluate[string](b, `JSON.stringify(edited)`))
	b.Clean()
}

// BANK! cards is entered turn by turn; a draw from an empty deck makes the pile the deck, and shows what
// must be in other hands.
func TestBankCardsAreTold(t *testing.T) {
	t.Parallel()
	b, g := tell(t, 360, "bank-cards", `{"seat": 0, "turn": 1, "hand": [3], "counts": [1, 5]}`)
	press(t, b, "New game", "3", "9", "14", "31", "50")
	requireRoom(t, b, "the editor of BANK! cards")
	b.Axe()
	press(t, b, "14", "20", "Drew a card", "33", "Drew a card")
	position, s := edited(t, b, g)
	require.JSONEq(t, `{"seat": 0, "turn": 5, "hand": [3, 9, 31, 33, 50], "counts": [5, 5], "pile": [14, 20], "top": 20,
		"held": [], "deck": 40}`, position)
	require.Equal(t, 0, s.Player())
	press(t, b, "Undo", "Undo", "Undo")
	position = webtest.Evaluate[string](b, `JSON.stringify(edited)`)
	require.JSONEq(t, `{"seat": 0, "turn": 3, "hand": [3, 9, 31, 50], "counts": [4, 4], "pile": [14, 20], "top": 20}`,
		position)
	b.Clean()

	webtest.Evaluate[any](b, `editor.set({ seat: 0, turn: 3, hand: [1], counts: [1, 3], pile: Array.from({ length: 48 }, (_, i) => i + 2), top: 49 })`)
	press(t, b, "Drew a card", "7", "Drew a card")
	position, _ = edited(t, b, g)
	require.JSONEq(t, `{"seat": 0, "turn": 5, "hand": [1, 7], "counts": [2, 4], "pile": [], "top": 0,
		"held": [50, 51, 52], "deck": 46}`, position)
	b.Clean()
}
