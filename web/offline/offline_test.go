package offline

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/engine/enginetest/liarsdice"
	"croupier/engine/wasm"
	"croupier/nn"
	"croupier/nn/nntest"
	"croupier/policy"
	"croupier/web/webtest"
)

func TestMain(m *testing.M) { os.Exit(webtest.Main{M: m}.Run()) }

// fromKit is a game of the kit for C, and a network for it that nobody has trained.
func fromKit(t *testing.T, name, rules string) (engine.Game, *nn.Network) {
	t.Helper()
	file, err := os.ReadFile("../../engine/wasm/kits/" + name + ".wasm")
	require.NoError(t, err)
	f, err := wasm.Open(file)
	require.NoError(t, err)
	g, err := f.New([]byte(rules))
	require.NoError(t, err)
	return g, nntest.Network(t, nn.Description{Dense: []int{16}, LSTM: []int{8}}, g.Spec())
}

// opened writes the page to a file and opens it from there, as on a phone.
func opened(t *testing.T, n *nn.Network, g engine.Game) *webtest.Browser {
	t.Helper()
	text, err := Page(n, g, "main@3", nil)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "page.html")
	require.NoError(t, os.WriteFile(path, text, 0o600))
	b := webtest.NewBrowser(t, 360, 800)
	b.Do(chromedp.Navigate("file://" + path))
	b.Until(`document.getElementById("main").dataset.over`)
	return b
}

// turn is what the page says, history the steps that were made.
const (
	turn    = `document.getElementById("turn").textContent`
	history = `document.getElementById("main").dataset.history`
	over    = `document.getElementById("main").dataset.over === "true"`
)

func steps(t *testing.T, b *webtest.Browser) (list []int) {
	t.Helper()
	for _, word := range strings.Fields(webtest.Evaluate[string](b, history)) {
		step, err := strconv.Atoi(word)
		require.NoError(t, err)
		list = append(list, step)
	}
	return list
}

// requireSamePlay plays a game again: the network has played what this program has it play, at temperature 0.
func requireSamePlay(t *testing.T, n *nn.Network, g engine.Game, person int, history []int) engine.State {
	t.Helper()
	s := g.NewState()
	players := make([]*nn.Policy, g.Spec().Seats)
	for seat := range players {
		players[seat] = nn.NewPolicy(n, policy.Greedy)
	}
	for i, step := range history {
		if seat := s.Player(); seat >= 0 && seat != person {
			require.Equal(t, step, players[seat].Choose(s, s.LegalActions(nil), nil), "step %d of %v", i, history)
		}
		require.NoError(t, s.Apply(step))
	}
	return s
}

// Tic-tac-toe is played to the end by keyboard alone, at the width of a phone, without a server; the network plays as
// it does here, and makes no network requests.
func TestTicTacToeIsPlayedOffline(t *testing.T) {
	g, n := fromKit(t, "c/tic-tac-toe", "")
	b := opened(t, n, g)
	require.Equal(t, "Your turn.", webtest.Evaluate[string](b, turn))
	require.Equal(t, "Tic-tac-toe", webtest.Evaluate[string](b, `document.querySelector("h1").textContent`))
	require.False(t, webtest.Evaluate[bool](b, `document.documentElement.scrollWidth > 360`))
	b.Axe()
	for range 2 {
		b.Do(chromedp.Focus("#board button:enabled"))
		for !webtest.Evaluate[bool](b, over) {
			before := len(steps(t, b))
			b.Do(chromedp.KeyEvent(kb.Enter)) // on the first possible square
			b.Until(history + `.split(" ").length > ` + strconv.Itoa(before))
		}
		s := requireSamePlay(t, n, g, 0, steps(t, b))
		require.Equal(t, engine.Terminal, s.Player())
		returns := make([]float64, 2)
		s.Returns(returns)
		require.Equal(t, map[float64]string{1: "The game is over: you have won.", 0: "The game is over: a draw.",
			-1: "The game is over: you have lost."}[returns[0]], webtest.Evaluate[string](b, turn))
		require.Equal(t, "again", webtest.Evaluate[string](b, `document.activeElement.id`))
		b.Do(chromedp.KeyEvent(kb.Enter))
		require.Empty(t, steps(t, b))
	}
	b.Clean()
}

// The other seat, a board of cells that are tapped, rules other than the game's own.
func TestConnectFourAndLiarsDiceAreShown(t *testing.T) {
	g, n := fromKit(t, "c/connect-four", "")
	b := opened(t, n, g)
	b.Do(chromedp.SetValue("#seat", "1"))
	webtest.Evaluate[any](b, `void document.getElementById("seat").dispatchEvent(new Event("change"))`)
	require.Len(t, steps(t, b), 1, "the network has begun")
	b.Click(".board-grid .cell:nth-child(3)")
	list := steps(t, b)
	require.Equal(t, 2, list[1])
	require.Len(t, list, 3)
	requireSamePlay(t, n, g, 1, list)
	b.Clean()

	g, n = fromKit(t, "rust/liars-dice", "faces: 4")
	b = opened(t, n, g)
	require.Contains(t, webtest.Evaluate[string](b, `document.getElementById("board").textContent`), "?", "a cup")
	for !webtest.Evaluate[bool](b, over) {
		before := len(steps(t, b))
		b.Click(".controls button:last-child")
		b.Until(history + `.split(" ").length > ` + strconv.Itoa(before))
	}
	s := g.NewState()
	for _, step := range steps(t, b) {
		require.NoError(t, s.Apply(step))
	}
	require.Equal(t, engine.Terminal, s.Player())
	b.Clean()
}

// What is hidden from the person is not shown; a game without a view is played with buttons.
func TestKuhnHidesTheOthersCard(t *testing.T) {
	g, n := fromKit(t, "c/kuhn", "")
	b := opened(t, n, g)
	dealt := steps(t, b)
	require.Len(t, dealt, 2)
	cards := []string{"J", "Q", "K"}
	require.Equal(t, []string{cards[dealt[0]], "something hidden"}, webtest.Evaluate[[]string](b,
		`[...document.querySelectorAll(".events li")].map((li) => li.textContent)`))
	require.Contains(t, webtest.Evaluate[string](b, `document.querySelector("pre").textContent`), "betting: 0 0 0 0 0 0")
	for !webtest.Evaluate[bool](b, over) {
		b.Click(`.controls button[data-action="0"]`)
	}
	require.Regexp(t, `^The game is over: you (gain|lose) [12] antes\.$`, webtest.Evaluate[string](b, turn))
	b.Clean()
}

// A network of action values plays the best of them, also where games are played with mixtures.
func TestActionValuesAreNotDrawn(t *testing.T) {
	g, _ := fromKit(t, "c/kuhn", "")
	n := nntest.Network(t, nn.Description{Dense: []int{16}, Dueling: true}, g.Spec())
	b := opened(t, n, g)
	for !webtest.Evaluate[bool](b, over) {
		b.Click(`.controls button[data-action="0"]`)
	}
	requireSamePlay(t, n, g, 0, steps(t, b))
	b.Clean()
}

// A file that cannot be read is said, and not a page that stands still.
func TestDamagedPageSaysSo(t *testing.T) {
	g, n := fromKit(t, "c/kuhn", "")
	text, err := Page(n, g, "<b>", nil)
	require.NoError(t, err)
	require.Contains(t, string(text), "&lt;b&gt;")
	path := filepath.Join(t.TempDir(), "page.html")
	damaged := strings.Replace(string(text), `"file":"H4s`, `"file":"H4t`, 1)
	require.NotEqual(t, string(text), damaged)
	require.NoError(t, os.WriteFile(path, []byte(damaged), 0o600))
	b := webtest.NewBrowser(t, 360, 800)
	b.Do(chromedp.Navigate("file://" + path))
	b.Until(turn + `.startsWith("The game has failed: ")`)
}

// A game that is a package in Go has its own board in the page, with what that loads, or the plain one.
func TestGamesInGoHaveTheirBoards(t *testing.T) {
	g, err := liarsdice.New([]byte("faces: 3"))
	require.NoError(t, err)
	n := nntest.Network(t, nn.Description{}, g.Spec())
	text, err := Page(n, g, "main@3", &InGo{Module: []byte("module")})
	require.NoError(t, err)
	require.Contains(t, string(text), `"board":"board-plain.js"`)
	require.Contains(t, string(text), `"file":"`+base64.StdEncoding.EncodeToString([]byte("module"))+`"`)
	text, err = Page(n, g, "main@3", &InGo{Boards: []fs.FS{fstest.MapFS{
		"board-liars-dice.js": {Data: []byte("import { cups } from \"./cups.js\";\nstyle(\"cups.css\");\n")},
		"cups.js":             {Data: []byte("export const cups = 2;\n")},
		"cups.css":            {Data: []byte(".cup-of-liars {}")},
	}}})
	require.NoError(t, err)
	require.Contains(t, string(text), `"board":"board-liars-dice.js"`)
	require.Contains(t, string(text), `"cups.js":"data:text/javascript;base64,`)
	require.Contains(t, string(text), ".cup-of-liars {}")
	rules := `{"game":"liars-dice","rules":{"faces":3}}`
	require.Contains(t, string(text), fmt.Sprintf(`"rules":[%d,%d,%d,`, len(rules), rules[0], rules[1]))
}

func TestOtherGamesAreRefused(t *testing.T) {
	g, err := liarsdice.New(nil)
	require.NoError(t, err)
	_, err = Page(nntest.Network(t, nn.Description{}, g.Spec()), g, "main@3", nil)
	require.ErrorContains(t, err, "a page holds the WebAssembly of its game, and liars-dice has none")
}

// decision is one of testdata/network.mjs.
type decision struct {
	Observation []float32 `json:"observation"`
	Legal       []int     `json:"legal"`
}

func decisions(spec *engine.Spec) (list []decision) {
	rng := rand.New(rand.NewPCG(3, 0))
	for range 20 {
		var d decision
		for range spec.ObservationSize {
			d.Observation = append(d.Observation, rng.Float32()*2-1)
		}
		for a := range spec.Actions {
			if a == 3 || rng.IntN(2) == 0 {
				d.Legal = append(d.Legal, a)
			}
		}
		list = append(list, d)
	}
	return list
}

// The page's forward pass and this program's agree within 1e-5, for every kind of layer, over decisions that depend on
// one another.
func TestNetworkAgrees(t *testing.T) {
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("there is no Node on this machine: the page's forward pass is not compared with this program's")
	}
	type request struct {
		Plan      *plan      `json:"plan"`
		Weights   []float32  `json:"weights"`
		Decisions []decision `json:"decisions"`
	}
	var networks []*nn.Network
	var requests []request
	for _, d := range nntest.Descriptions {
		n := nntest.Network(t, d, nntest.Spec)
		p, err := planOf(n.Layout)
		require.NoError(t, err)
		networks = append(networks, n)
		requests = append(requests, request{p, n.Weights, decisions(nntest.Spec)})
	}
	input, err := json.Marshal(requests)
	require.NoError(t, err)
	command := exec.CommandContext(t.Context(), "node", "testdata/network.mjs")
	command.Stdin, command.Stderr = strings.NewReader(string(input)), os.Stderr
	out, err := command.Output()
	require.NoError(t, err)
	var answers [][]struct {
		Actions []float64 `json:"actions"` // of the legal ones
		Value   float64   `json:"value"`
	}
	require.NoError(t, json.Unmarshal(out, &answers))
	require.Len(t, answers, len(networks))
	worst := 0.0
	for i, n := range networks {
		e := n.NewEvaluator(1, 1)
		for j, d := range decisions(nntest.Spec) {
			copy(e.Observation(0), d.Observation)
			e.SetLegal(0, d.Legal)
			e.Forward(1)
			own, theirs := e.LogProbs(0), logSoftmax(answers[i][j].Actions)
			if n.Layout.Description.ActionValues() {
				own, theirs = e.ActionValues(0), answers[i][j].Actions
			}
			require.Len(t, theirs, len(d.Legal))
			worst = max(worst, math.Abs(float64(e.Value(0))-answers[i][j].Value))
			for k, a := range d.Legal {
				worst = max(worst, math.Abs(float64(own[a])-theirs[k]))
			}
		}
	}
	t.Logf("greatest difference %.2g", worst)
	require.LessOrEqual(t, worst, 1e-5)
}

func logSoftmax(logits []float64) (list []float64) {
	sum := 0.0
	for _, x := range logits {
		sum += math.Exp(x)
	}
	for _, x := range logits {
		list = append(list, x-math.Log(sum))
	}
	return list
}
