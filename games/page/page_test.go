package page

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"croupier/catalog"
	"croupier/engine"
	"croupier/engine/wasm/inpage"
	"croupier/games/bank"
	bankcards "croupier/games/bank-cards"
	"croupier/games/banluck"
	"croupier/games/kuhn"
	langestrasse "croupier/games/lange-strasse"
	"croupier/games/leduc"
	"croupier/games/pig"
	"croupier/games/tysiac"
	tysiachand "croupier/games/tysiac-hand"
	"croupier/nn"
	"croupier/nn/agentfile"
	"croupier/nn/agentfile/agentfiletest"
	"croupier/nn/nntest"
	"croupier/policy"
	"croupier/web/offline"
	"croupier/web/offline/offlinetest"
	"croupier/web/webtest"
)

func TestMain(m *testing.M) { os.Exit(webtest.Main{M: m}.Run()) }

// games are those of package standard, which imports this one.
var games = catalog.New(bank.Entry, pig.Entry, kuhn.Entry, leduc.Entry, tysiac.Entry, tysiachand.Entry, banluck.Entry,
	langestrasse.Entry, bankcards.Entry)

// others are rules next to those of each game.
var others = map[string]string{"bank": "{players: 2}", "pig": "{target: 20}", "banluck": "{players: 3}"}

// unpacked is the module as it is.
func unpacked(t *testing.T) []byte {
	t.Helper()
	packed, err := Module(t.Context())
	require.NoError(t, err)
	r, err := gzip.NewReader(bytes.NewReader(packed))
	require.NoError(t, err)
	module, err := io.ReadAll(r)
	require.NoError(t, err)
	return module
}

// numbers are a game's rules as the module gets them.
func numbers(t *testing.T, g engine.Game) []int32 {
	t.Helper()
	written, err := json.Marshal(g.Rules())
	require.NoError(t, err)
	list, err := inpage.Choice{Game: g.Spec().Name, Rules: written}.Numbers()
	require.NoError(t, err)
	return list
}

// The module plays each of the games as this program does: whole games at random, with their names, observations,
// chances and what each seat sees, in Node.
func TestModulePlaysEveryGame(t *testing.T) {
	module := unpacked(t)
	for _, entry := range games.Games() {
		list := []string{""}
		if rules := others[entry.Name]; rules != "" {
			list = append(list, rules)
		}
		for _, rules := range list {
			g, err := entry.New([]byte(rules))
			require.NoError(t, err)
			offlinetest.RequireSame(t, g, offlinetest.Play(t, module, numbers(t, g), 1))
		}
	}
}

// Each of the games and the network that comes with it are one WebAssembly file, which chooses as this program does.
func TestOneFilePlaysEveryGame(t *testing.T) {
	module := unpacked(t)
	for _, entry := range games.Games() {
		g, err := entry.New(nil)
		require.NoError(t, err)
		n := nntest.Network(t, valued, g.Spec())
		if entry.Network != nil {
			own, _, err := nn.Decode(entry.Network, games.New)
			require.NoError(t, err)
			n = own.Network
		}
		file, err := agentfile.Encode(module, numbers(t, g), n, nil)
		require.NoError(t, err)
		agentfiletest.RequireSameInNode(t, file, g, n, "", 1)
	}
}

// valued has values of actions, of which the network always plays the best.
var valued = nn.Description{Dense: []int{16}, Dueling: true}

const (
	over    = `document.getElementById("main").dataset.over`
	history = `document.getElementById("main").dataset.history`
)

// chance makes what is drawn in a page the same each time.
const chance = `<head><script>let drawn = 1; Math.random = () => (drawn = drawn * 48271 % 2147483647) / 2147483647;</script>`

func opened(t *testing.T, n *nn.Network, g engine.Game) *webtest.Browser {
	t.Helper()
	module, err := Module(t.Context())
	require.NoError(t, err)
	text, err := offline.Page(n, g, "main@3", &offline.InGo{Module: module, Boards: games.Boards()})
	require.NoError(t, err)
	require.Less(t, len(text), 3_000_000)
	text = bytes.Replace(text, []byte("<head>"), []byte(chance), 1)
	path := filepath.Join(t.TempDir(), "page.html")
	require.NoError(t, os.WriteFile(path, text, 0o600))
	b := webtest.NewBrowser(t, 360, 800)
	b.Do(chromedp.Navigate("file://" + path))
	b.Until(over)
	return b
}

func steps(t *testing.T, b *webtest.Browser) (list []int) {
	t.Helper()
	for _, word := range strings.Fields(webtest.Evaluate[string](b, history)) {
		step, err := strconv.Atoi(word)
		require.NoError(t, err)
		list = append(list, step)
	}
	return list
}

// Leduc is played to its end by keyboard, at the width of a phone, without a server. The network plays as it does here.
func TestLeducIsPlayedOffline(t *testing.T) {
	g, err := leduc.New(nil)
	require.NoError(t, err)
	n := nntest.Network(t, valued, g.Spec())
	b := opened(t, n, g)
	require.False(t, webtest.Evaluate[bool](b, `document.documentElement.scrollWidth > 360`))
	b.Axe()
	for range 3 {
		for webtest.Evaluate[string](b, over) != "true" {
			b.Do(chromedp.Focus("#board button[data-action]"))
			before := len(steps(t, b))
			b.Do(chromedp.KeyEvent(kb.Enter))
			b.Until(history + `.split(" ").length > ` + strconv.Itoa(before))
		}
		s, player := g.NewState(), nn.NewPolicy(n, policy.Greedy)
		for _, step := range steps(t, b) {
			if s.Player() == 1 {
				require.Equal(t, step, player.Choose(s, s.LegalActions(nil), nil))
			}
			require.NoError(t, s.Apply(step))
		}
		require.Equal(t, engine.Terminal, s.Player())
		require.Contains(t, webtest.Evaluate[string](b, `document.getElementById("turn").textContent`), "The game is over: ")
		b.Do(chromedp.Focus("#again"), chromedp.KeyEvent(kb.Enter))
	}
	b.Clean()
}

// Each game shows its own board, on which the first thing that is possible can be done.
func TestBoardsAreShownOffline(t *testing.T) {
	for _, entry := range games.Games() {
		t.Run(entry.Name, func(t *testing.T) {
			g, err := entry.New(nil)
			require.NoError(t, err)
			b := opened(t, nntest.Network(t, valued, g.Spec()), g)
			require.Empty(t, webtest.Evaluate[string](b, `document.querySelector("#board > pre")?.textContent ?? ""`))
			require.NotEqual(t, "true", webtest.Evaluate[string](b, over))
			before := len(steps(t, b))
			if entry.Name == "lange-strasse" { // a die is laid aside first
				b.Click(`#board .die-button:not([data-dead])`)
			}
			b.Click(`#board button[data-action]:not([disabled]):not([aria-disabled="true"])`)
			b.Until(history + `.split(" ").length > ` + strconv.Itoa(before))
			s := g.NewState()
			for _, step := range steps(t, b) {
				require.NoError(t, s.Apply(step))
			}
			b.Clean()
		})
	}
}

// Where neither the module nor its sources are, the error says what to do.
func TestProgramWithoutTheModule(t *testing.T) {
	for _, folder := range []string{"", t.TempDir()} {
		_, err := Build(t.Context(), folder)
		require.ErrorContains(t, err, "released programs and those of deploy/build.sh have it")
	}
	broken := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(broken, "cmd", "page"), 0o700))
	_, err := Build(t.Context(), broken)
	require.ErrorContains(t, err, "building the WebAssembly of the games in "+broken)
}
