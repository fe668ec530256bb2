package webtest

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/play"
)

// Board is a page with nothing but the board of a game, as one eye sees it. A test moves the game
// with the engine, and the board is sent what a page would send it.
type Board struct {
	*Browser
	State engine.State

	game   engine.Game
	eye    int
	events []boardEvent
}

// boardEvent is GameEvent of web/boards/types.d.ts.
type boardEvent struct {
	Step   int    `json:"step"`
	Player int    `json:"player"`
	Name   string `json:"name"`
}

// boardPage mounts the board and notes what it asks for in window.acted.
const boardPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Board</title>
<link rel="icon" href="data:,"><link rel="stylesheet" href="/assets/app.css">
<script type="module">
import { boardOf } from "/assets/board.js";
window.acted = [];
const settings = window.settings = { motion: false, fourColours: false, sound() {} };
window.begin = async (game) => {
  window.module = await boardOf(game);
  window.board = window.module.mount(document.getElementById("board"), { act: (action) => window.acted.push(action), settings });
};
window.edit = async (game, rules, position) => {
  window.editor?.destroy();
  document.getElementById("board").replaceChildren();
  window.edited = undefined;
  window.module = await boardOf(game);
  const changed = (next) => { window.edited = next; };
  window.editor = window.module.editor(document.getElementById("board"), { rules, position, changed, settings });
};
window.ready = true;
</script>
</head>
<body><main><h1>Board</h1><div id="board"></div></main></body>
</html>`

// NewBoardPage opens a page that can hold boards and editors, with the assets of the tree.
func NewBoardPage(t *testing.T, width, height int64) *Browser {
	b := NewBrowser(t, width, height)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(boardPage))
	})
	folders := []string{filepath.Join(root(b), "web", "boards"), filepath.Join(root(b), "web", "assets")}
	ofGames, err := filepath.Glob(filepath.Join(root(b), "games", "*", "board"))
	require.NoError(t, err)
	folders = append(folders, ofGames...)
	mux.HandleFunc("GET /assets/{name}", func(w http.ResponseWriter, r *http.Request) {
		for _, folder := range folders {
			name := filepath.Join(folder, filepath.Base(r.PathValue("name")))
			if _, err := os.Stat(name); err == nil {
				http.ServeFile(w, r, name)
				return
			}
		}
		http.NotFound(w, r)
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server := &http.Server{Handler: mux}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	b.Do(chromedp.Navigate("http://" + listener.Addr().String() + "/"))
	b.Until(`window.ready === true`)
	return b
}

// NewBoard opens the board of a game at its beginning.
func NewBoard(t *testing.T, width, height int64, game engine.Game, eye int) *Board {
	b := &Board{Browser: NewBoardPage(t, width, height), State: game.NewState(), game: game, eye: eye}
	b.call(fmt.Sprintf(`begin(%q)`, game.Spec().Name))
	b.Show()
	b.Styled()
	return b
}

// Open puts the board of another game, or for another eye, in the place of this one.
func (b *Board) Open(game engine.Game, eye int) {
	b.t.Helper()
	b.State, b.game, b.eye, b.events = game.NewState(), game, eye, nil
	b.call(fmt.Sprintf(`board.destroy(); window.shown = undefined; begin(%q)`, game.Spec().Name))
	b.Show()
	b.Styled()
}

// Show shows the state.
func (b *Board) Show() {
	b.t.Helper()
	document, err := json.Marshal(b.show())
	require.NoError(b.t, err)
	b.call(fmt.Sprintf(`(() => { const show = %s; board.show(show, window.shown); window.shown = show; })()`, document))
}

// Styled waits until the style sheets that boards have asked for are there.
func (b *Browser) Styled() {
	b.t.Helper()
	b.Until(`[...document.querySelectorAll("link[rel=stylesheet]")].every((link) => link.sheet)`)
}

// Place shows a position, without a past.
func (b *Board) Place(position string) {
	b.t.Helper()
	s, _, err := b.game.(engine.Positioned).ParsePosition([]byte(position), engine.NewRNG(1, 0))
	require.NoError(b.t, err)
	b.State, b.events = s, nil
	b.call(`window.shown = undefined`)
	b.Show()
}

// Begin begins the game again, without a past.
func (b *Board) Begin() {
	b.t.Helper()
	b.State.Reset()
	b.events = nil
	b.call(`window.shown = undefined`)
	b.Show()
}

// Play makes steps, and shows the state after the last of them.
func (b *Board) Play(steps ...int) {
	b.t.Helper()
	for _, step := range steps {
		name := ""
		if player := b.State.Player(); player == engine.Chance {
			name = b.State.OutcomeName(step)
		} else {
			name = b.State.ActionName(step)
		}
		b.events = append(b.events, boardEvent{Step: len(b.events) + 1, Player: b.State.Player(), Name: name})
		require.NoError(b.t, b.State.Apply(step))
	}
	b.Show()
}

// Acted returns the actions that the board has asked for since the last call.
func (b *Board) Acted() []int {
	b.t.Helper()
	acted := Evaluate[[]int](b.Browser, `acted`)
	b.call(`window.acted.length = 0`)
	return acted
}

// Legal returns what the eye may do.
func (b *Board) Legal() []int {
	if b.State.Player() != b.eye {
		return []int{}
	}
	return b.State.LegalActions(nil)
}

func (b *Board) call(script string) {
	b.t.Helper()
	evaluate(b.Browser, script, true)
}

// show is Show of web/boards/types.d.ts.
func (b *Board) show() map[string]any {
	actions := []map[string]any{}
	for _, action := range b.Legal() {
		actions = append(actions, map[string]any{"action": action, "name": b.State.ActionName(action)})
	}
	names := []string{"Anna", "Expert", "Ben", "Cleo", "Beginner", "Dora", "Emil", "Maximiliane von Hohenfels"}
	seats := []map[string]any{}
	for seat := range b.game.Spec().Seats {
		s := map[string]any{"name": names[seat], "kind": "agent"}
		if seat == b.eye {
			s = map[string]any{"name": "You", "kind": "you"}
		}
		seats = append(seats, s)
	}
	events := b.events[max(0, len(b.events)-40):]
	if events == nil {
		events = []boardEvent{}
	}
	return map[string]any{
		"game": b.game.Spec().Name, "rules": b.game.Rules(), "seats": seats, "eye": b.eye, "step": len(b.events),
		"mover": b.State.Player(), "view": play.ViewOf(b.game, b.State, b.eye), "actions": actions, "events": events,
	}
}
