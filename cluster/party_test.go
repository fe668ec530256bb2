package cluster

import (
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"croupier/games/standard"
	"croupier/internal/nightly"
	"croupier/internal/testport"
	"croupier/play"
	"croupier/web/webtest"
)

// wire is a connection to a server that can be cut and mended.
type wire struct {
	t       *testing.T
	address string // HOST:PORT of this end
	server  string

	mutex    sync.Mutex
	listener net.Listener
	open     []net.Conn
}

func newWire(t *testing.T, server string) *wire {
	w := &wire{t: t, address: testport.Free(t), server: strings.TrimPrefix(server, "http://")}
	w.mend()
	t.Cleanup(w.cut)
	return w
}

// mend lets connections through.
func (w *wire) mend() {
	listener, err := net.Listen("tcp", w.address)
	require.NoError(w.t, err)
	w.mutex.Lock()
	w.listener = listener
	w.mutex.Unlock()
	go func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", w.server)
			if err != nil {
				near.Close()
				continue
			}
			w.mutex.Lock()
			w.open = append(w.open, near, far)
			if w.listener != listener { // cut meanwhile
				near.Close()
				far.Close()
			}
			w.mutex.Unlock()
			go func() { _, _ = io.Copy(near, far); near.Close() }()
			go func() { _, _ = io.Copy(far, near); far.Close() }()
		}
	}()
}

// cut breaks all connections and lets none through.
func (w *wire) cut() {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.listener == nil {
		return
	}
	w.listener.Close()
	w.listener = nil
	for _, c := range w.open {
		c.Close()
	}
	w.open = nil
}

// join enters a code and a name on the page Play.
func (p *person) join(code, name string) {
	p.t.Helper()
	p.Do(chromedp.Navigate(p.address + "/play#join"))
	p.Until(`!document.getElementById("join").hidden`)
	p.Do(chromedp.SendKeys("#code", strings.ToLower(code)), chromedp.SendKeys("#join-name", name),
		chromedp.KeyEvent(kb.Enter))
	p.Until(`location.hash.includes("key=") && "step" in document.getElementById("table").dataset`)
}

// Two people play BANK! on devices of their own, and an agent with them, while a third device shows the table. One
// loses the connection: it says so and the others see it; when the connection is there again, so is the seat, with
// the position as it is then, and the game continues to its end.
func TestPartyWithADroppedConnection(t *testing.T) {
	t.Parallel()
	address := tables(t)
	host := arrive(t, address, 1280, 800)
	host.sit(url.Values{"game": {"bank"}, "rules": {"rounds: 2"}, "seat": {"open", "open", "open"}})
	host.Until(`document.querySelector("#party img")?.naturalWidth > 0`)
	code := host.text("#shown-code")
	host.Keep("party")
	host.Axe()

	w := newWire(t, address)
	anna, bert := arrive(t, address, 390, 800), arrive(t, "http://"+w.address, 360, 740)
	anna.join(code, "Anna")
	bert.join(code, "Bert")
	anna.Until(`document.getElementById("turn").innerText.includes("Waiting for 1 more person")`)
	host.Until(`document.getElementById("sitting").innerText.includes("Bert")`)
	host.Until(`document.querySelector("#fill") !== null && document.querySelector("#party select").length > 0`)
	host.Click("#fill")
	anna.Until(mine)
	require.Equal(t, "none", webtest.Evaluate[string](host.Browser,
		`getComputedStyle(document.getElementById("strip")).display`),
		"the screen has no buttons")

	w.cut()
	bert.Until(`!document.getElementById("table-lost").hidden`)
	require.Contains(t, bert.text("#table-lost"), "Your seat is kept")
	host.Until(`document.getElementById("party").innerText.includes("Bert has lost the connection")`)
	anna.Click(`#board [data-action="0"]`)
	host.Until(`document.getElementById("turn").innerText.includes("Bert is to move")`)
	w.mend()
	bert.Until(`document.getElementById("table-lost").hidden && ` + mine)
	host.Until(`!document.getElementById("party").innerText.includes("lost the connection")`)
	bert.Forget() // requests that could not be made

	for _, p := range []*person{anna, bert} {
		webtest.Evaluate[bool](p.Browser, clicker)
	}
	game, err := standard.Games.New("bank", []byte("rounds: 2"))
	require.NoError(t, err)
	for _, p := range []*person{anna, bert} {
		p.finish()
		p.judged(game)
	}
	host.Until(`document.getElementById("result") !== null`)
	for _, p := range []*person{host, anna, bert} {
		p.Clean()
	}
}

// An address is a page: a person that opens the link of a seat again sits there.
func TestSeatIsKeptByItsLink(t *testing.T) {
	t.Parallel()
	p := arrive(t, tables(t), 1280, 800)
	p.sit(url.Values{"game": {"pig"}, "seat": {"you", "hold(20)"}})
	p.Until(mine)
	p.Do(chromedp.Navigate("about:blank"), chromedp.Navigate(p.address+"/play"))
	// The games come later, and move the link.
	p.Until(`document.querySelector("#tables a") !== null && document.querySelectorAll("#games input").length > 0`)
	p.Click("#tables a")
	p.Until(mine)
	p.Do(chromedp.Navigate(p.address + "/play#table=nothing&key=nothing"))
	p.Until(`document.getElementById("table-lost").innerText.includes("no longer exists")`)
}

// Agents are watched at ten moves a second, which play's TestSpeed measures, and no step is missing in the list of what
// happened.
func TestWatchingMissesNothing(t *testing.T) {
	t.Parallel()
	p := arrive(t, tables(t), 1280, 800)
	p.like(`{"motion": true, "pace": "slow"}`)
	// The game is long enough that it is not over before the page is.
	p.watch(url.Values{"game": {"pig"}, "rules": {"target: 10000"}, "seat": {"hold(20)", "hold(25)"}})
	p.Do(chromedp.Focus("#speed"), chromedp.KeyEvent(kb.End))
	p.Until(`document.querySelector("output").textContent === "10 moves a second"`)
	require.Eventually(t, func() bool { return p.show().Table.Speed == 10 }, webtest.Limit, 10*time.Millisecond)
	p.Until(`document.querySelectorAll("#log li").length > 60`) // a state tells of the last 40
	steps := webtest.Evaluate[[]int](
		p.Browser, `[...document.querySelectorAll("#log li")].map((e) => Number(e.dataset.step))`)
	for i, step := range steps {
		require.Equal(t, i+1, step, "%v", steps)
	}
	p.Click("#pause-button")
	p.Until(`document.getElementById("turn").innerText.includes("Paused")`)
	at := webtest.Evaluate[string](p.Browser, `document.getElementById("table").dataset.step`)
	p.Do(chromedp.KeyEvent("s"))
	p.Until(fmt.Sprintf(`Number(document.getElementById("table").dataset.step) === %s + 1`, at))
	p.Click("#end-button")
	p.Until(over)
	p.Clean()
}

// People that watch a game see what it is worth to each seat, step by step, and how it ended; people that play do not.
func TestWatchersSeeWhatTheGameIsWorth(t *testing.T) {
	t.Parallel()
	p := arrive(t, tables(t), 1280, 800)
	made := post[play.Made](t, p.address+"/api/tables", map[string]any{"game": "pig", "rules": "target: 30", "seed": 1,
		"pace": "slow", "seats": []map[string]string{{"agent": "hold(20)"}, {"agent": "hold(25)"}}})
	post[play.Show](t, p.address+"/api/tables/"+made.Table+"/speed?key="+made.Host, map[string]any{"paused": true})
	p.Do(chromedp.Navigate(p.address + "/play#table=" + made.Table + "&watch=" + made.Watch + "&host=" + made.Host))
	p.Until(`document.querySelectorAll("#outlook li b").length === 2`)
	require.Regexp(t, `^Exact: what each seat can expect from best play\.$`, p.text("#outlook .note"))
	require.InDelta(t, 100, webtest.Evaluate[float64](p.Browser,
		`[...document.querySelectorAll("#outlook li b")].reduce((sum, b) => sum + parseFloat(b.textContent), 0)`), 0.11)
	p.Keep("outlook")
	p.Axe()
	p.Click("#end-button")
	p.Until(over + ` && document.querySelector("#outlook .note").textContent === "How the game ended."`)
	p.Clean()
	p.sit(url.Values{"game": {"pig"}, "seat": {"you", "hold(20)"}})
	p.Until(mine + ` && document.getElementById("outlook").hidden`)
}

// Hint, thoughts, undo, the next deal, and the rule against what is not legal.
func TestHelpAtTheTable(t *testing.T) {
	t.Parallel()
	p := arrive(t, tables(t), 1280, 900)
	p.sit(url.Values{"game": {"pig"}, "seat": {"you", "hold(20)"}})
	p.Until(mine)
	p.Do(chromedp.KeyEvent("h"))
	p.Until(`document.querySelectorAll(".marks div").length === 2 && document.querySelector(".mark-best span").textContent === "best"`)
	require.Regexp(t, `−\d+\.\d %`, p.text("#hint"), "what holding nothing costs")
	p.Do(chromedp.KeyEvent("t"))
	p.Until(`document.querySelectorAll(".probabilities li").length === 2`)
	p.Keep("help")
	p.Axe()
	p.Until(`document.querySelector('[data-action="0"]') !== null`)
	p.Click(`#board [data-action="0"]`)
	p.Until(`document.getElementById("table").dataset.step !== "0" && document.querySelector(".marks div") === null && ` +
		mine)
	p.Do(chromedp.KeyEvent("u"))
	p.Until(`document.getElementById("table").dataset.step === "0"`)
	require.Empty(t, p.text("#log li"))
	table := p.place("table")
	p.Do(chromedp.KeyEvent("x"))
	p.Until(fmt.Sprintf(`!location.hash.includes(%q) && document.getElementById("sitting")?.lastElementChild?.className === "you"`, table))
	p.Clean()

	made := post[play.Made](t, p.address+"/api/tables", map[string]any{
		"game": "bank-cards", "seed": 1, "seats": []map[string]string{{"agent": "lowest"}, {"person": "Anna"}},
	})
	p.Do(chromedp.Navigate(p.address + "/play#table=" + made.Table + "&key=" + made.Keys[1]))
	p.Until(mine + ` && document.querySelector("#board [data-dim]") !== null`)
	webtest.Evaluate[bool](p.Browser, `(document.querySelector("#board [data-dim]").click(), true)`)
	p.Until(`document.getElementById("rule").textContent.length > 10`)
	require.Regexp(t, `^[A-Z].*\.$`, p.text("#rule"), "a sentence")
}

// A player who does not decide in time has the fallback of the game, and the log reports why.
func TestTimeIsOver(t *testing.T) {
	t.Parallel()
	address := tables(t)
	p := arrive(t, address, 390, 800)
	made := post[play.Made](t, address+"/api/tables", map[string]any{
		"game": "bank", "timeout_seconds": 1, "seats": []map[string]string{{"person": "Anna"}, {"agent": "rolls(6)"}},
	})
	p.Do(chromedp.Navigate(address + "/play#table=" + made.Table + "&key=" + made.Keys[0]))
	p.Until(`document.querySelector("#clock:not([hidden])")?.innerText.includes("then pass") ?? false`)
	p.Until(`document.getElementById("log").textContent.includes("Anna: pass (1s are over)")`)
	p.Clean()
}

// fits requires that what the person sees fits every window, light and dark, and that axe finds nothing.
func (p *person) fits(name string) {
	p.t.Helper()
	for _, width := range []int64{320, 360, 768, 1024, 1280} {
		p.Resize(width, 800)
		overflow := webtest.Evaluate[int](p.Browser, "document.documentElement.scrollWidth - innerWidth")
		require.LessOrEqual(p.t, overflow, 0, "%s at %d pixels", name, width)
		if scheme, looked := map[int64]string{360: "light", 1280: "dark"}[width]; looked {
			p.Scheme(scheme)
			p.Keep(fmt.Sprintf("%s-%d-%s", name, width, scheme))
			// Boards in the dark are looked at in web/boards, and nightly here.
			if scheme == "light" || nightly.On || name == "choose" || name == "pig-end" {
				p.Axe()
			}
		}
	}
}

// Boards, the choice of a game and the end of one fit every window; so does the end of a hand of Tysiąc
// (TestOpenCardsAfterTheHand), and other ends look like that of Pig.
func TestTablesFit(t *testing.T) {
	t.Parallel()
	p := arrive(t, tables(t), 1280, 900)
	p.Do(chromedp.Navigate(p.address + "/play?game=bank"))
	p.Until(`document.querySelectorAll("#seats select").length === 3`)
	p.fits("choose")
	for _, entry := range standard.Games.Games() {
		t.Run(entry.Name, func(t *testing.T) {
			p.t = t
			p.sit(url.Values{"game": {entry.Name}, "rules": {quickRules[entry.Name]}})
			p.Until(mine + ` || ` + over)
			p.fits(entry.Name)
			if entry.Name != "pig" {
				return
			}
			webtest.Evaluate[bool](p.Browser, clicker)
			p.finish()
			p.Until(`document.querySelector("#review ol, #review p:not(.note)") !== null`)
			p.fits(entry.Name + "-end")
		})
	}
}
