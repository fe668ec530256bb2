package cluster

import (
	"fmt"
	"net/url"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"croupier/web/webtest"
)

const shownStep = `Number(document.getElementById("table").dataset.step)`

const covered = `document.getElementById("table").classList.contains("covered") && document.getElementById("uncover") !== null`

// Two people share a phone at a game with hidden cards: neither sees what the other one has, also after the page was
// loaded again; a move is taken back when all agree, and the result names both.
func TestCardsAreCoveredOnOneDevice(t *testing.T) {
	t.Parallel()
	p := arrive(t, tables(t), 390, 844)
	p.Do(chromedp.Navigate(p.address + "/play?game=leduc&seat=you&seat=random"))
	p.Until(`document.querySelector('[data-seat="1"]') !== null`)
	webtest.Evaluate[bool](p.Browser, `((select) => {
		select.value = "here";
		return select.dispatchEvent(new Event("change", { bubbles: true }));
	})(document.querySelector('[data-seat="1"]'))`)
	p.Until(`document.querySelectorAll("[data-name]").length === 2`)
	for seat, name := range []string{"Mum", "Dad"} {
		field := fmt.Sprintf(`[data-name="%d"]`, seat)
		webtest.Evaluate[bool](p.Browser, fmt.Sprintf(`(document.querySelector(%q).value = "", true)`, field))
		p.Do(chromedp.SendKeys(field, name))
	}
	p.Axe()
	p.Click("#sit-down")
	p.Until(covered)
	p.Axe()
	require.Equal(t, "Pass the device to Mum.", p.text(".pass-on"))
	faces := `document.querySelectorAll("#board .card-face:is(.plain, [class*=suit-])").length`
	require.Zero(t, webtest.Evaluate[int](p.Browser, faces), "no card is in the page, however hidden")
	turn := func(name string) {
		t.Helper()
		p.Until(covered + fmt.Sprintf(` && document.getElementById("uncover").textContent === %q`, name+", show my cards"))
		require.Zero(t, webtest.Evaluate[int](p.Browser, faces))
		p.Click("#uncover")
		p.Until(mine)
		require.Equal(t, 1, webtest.Evaluate[int](p.Browser, faces), "one's own")
		require.Contains(t, p.text("#turn"), name+" is to move")
	}
	move := func() {
		t.Helper()
		p.Click(`#board [data-action]:not(:disabled)`)
	}
	turn("Mum")
	p.Do(chromedp.Reload())
	turn("Mum")
	move()
	p.Until(covered)
	p.Click("#undo-button")
	p.Click("#undo-agreed")
	turn("Mum")
	move()
	turn("Dad")
	for {
		p.Until(covered + ` || ` + mine + ` || ` + over) // chance may have to move first
		if webtest.Evaluate[bool](p.Browser, over) {
			break
		}
		if webtest.Evaluate[bool](p.Browser, covered) {
			p.Click("#uncover")
			p.Until(mine)
		}
		step := webtest.Evaluate[int](p.Browser, shownStep)
		move()
		p.Until(fmt.Sprintf(`%s > %d || %s || %s`, shownStep, step, covered, over))
	}
	p.Until(`document.getElementById("result") !== null`)
	require.Regexp(t, `Mum|Dad|Nobody`, p.text("#result"))
	p.Clean()
}

// A family answers BANK!'s question with one key or tap each.
func TestFamilyBanksByKeys(t *testing.T) {
	t.Parallel()
	p := arrive(t, tables(t), 390, 844)
	p.sit(url.Values{"game": {"bank"}, "rules": {"rounds: 2"}, "seat": {"you", "here", "here", "random"}})
	asked := `document.querySelectorAll("#device button").length > 0`
	p.Until(asked)
	p.Axe()
	p.Scheme("dark")
	p.Axe()
	require.Equal(t, "none", webtest.Evaluate[string](p.Browser,
		`[...document.querySelectorAll("#board button")].filter((b) => b.getClientRects().length > 0).map((b) => b.textContent).join() || "none"`))
	p.Do(chromedp.KeyEvent("2"))
	p.Until(`document.querySelector('[data-seat="1"].banked') !== null || document.querySelector('[data-seat="1"] .state')?.textContent.includes("banked")`)
	for webtest.Evaluate[bool](p.Browser, `!(`+over+`)`) {
		p.Until(asked + ` || ` + over)
		step := webtest.Evaluate[int](p.Browser, shownStep)
		p.Do(chromedp.KeyEvent(kb.Enter))
		p.Until(fmt.Sprintf(`%s > %d || %s`, shownStep, step, over))
	}
	p.Until(`document.getElementById("result") !== null`)
	p.Clean()
}

// A person passes until the bank has a number of points, and is asked then, or when another player has banked.
func TestPassingUntilTheBankIsLarge(t *testing.T) {
	t.Parallel()
	p := arrive(t, tables(t), 390, 844)
	p.sit(url.Values{"game": {"bank"}, "rules": {"{players: 2, rounds: 30}"}, "seat": {"you", "threshold(1000)"}})
	p.Until(mine)
	p.Until(`document.querySelector("#board").contains(document.activeElement)`) // the focus after sitting down
	webtest.Evaluate[bool](p.Browser, `((select) => {
		select.value = "200";
		return select.dispatchEvent(new Event("change"));
	})(document.querySelector(".bank-patience select"))`)
	p.Until(mine + ` && Number(document.querySelector(".bank-pot .amount").textContent.replace(",", "")) >= 200`)
	p.Axe()
	p.Clean()
}
