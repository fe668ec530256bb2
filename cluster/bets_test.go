package cluster

import (
	"net/url"
	"testing"

	"github.com/chromedp/chromedp"

	"croupier/web/webtest"
)

// A person bets more from the next hand on, sees what everybody has gained, and bets as much at the next table.
func TestBetsByClicks(t *testing.T) {
	t.Parallel()
	p := arrive(t, tables(t), 390, 844)
	banluck := url.Values{"game": {"banluck"}}
	p.sit(banluck)
	webtest.Evaluate[bool](p.Browser, clicker)
	p.Until(`document.querySelector("#bets p").textContent.startsWith("Bets in this game, in units: you 1.")`)
	p.finish()
	p.Do(chromedp.SetValue("#bet", "5"))
	webtest.Evaluate[bool](p.Browser, `document.getElementById("bet").dispatchEvent(new Event("change"))`)
	p.Until(`JSON.parse(localStorage.getItem("croupier.play")).bets.banluck === 5`)
	p.Click("#again-button")
	p.Until(`/^Bets in this game, in units: you 5\. Gained so far: you [^,]+, [^,]+\.$/.test(document.querySelector("#bets p").textContent)`)
	p.sit(banluck)
	p.Until(`document.querySelector("#bets p").textContent.startsWith("Bets in this game, in units: you 5.")`)
	// The chip shows the bet, or what a hand that is over has brought: 0, 5, 10, 15 or 35 units.
	p.Until(`/^[+−]?\d*[05]$/.test(document.querySelector("#board .own .chip text").textContent)`)
	p.sit(url.Values{"game": {"pig"}})
	p.Until(`document.getElementById("bets").hidden`)
}
