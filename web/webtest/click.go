package webtest

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// place finds the middle of an element that a person could click now: it is shown, it is where it was one frame ago, it
// is not disabled, and nothing lies over it but its own label. The answer is null if there is no such moment soon.
const place = `new Promise((done) => {
	const end = performance.now() + 5000;
	let before = null;
	(function look() {
		const element = [...document.querySelectorAll(%s)].find((e) => e.getClientRects().length > 0);
		let now = null;
		if (element && !element.disabled) {
			element.scrollIntoViewIfNeeded();
			const { left, top, width, height } = element.getClientRects()[0];
			const [x, y] = [left + width / 2, top + height / 2];
			const hit = document.elementFromPoint(x, y);
			if (hit && (element.contains(hit) || [...(element.labels ?? [])].some((l) => l.contains(hit)))) {
				now = { x, y };
			}
		}
		if (now && before && now.x === before.x && now.y === before.y) done(now);
		else if (performance.now() > end) done(null);
		else {
			before = now;
			requestAnimationFrame(look);
		}
	})();
})`

// Click clicks the first visible element of a CSS selector, as a person does: once it is enabled, nothing covers it and
// it no longer moves.
func (b *Browser) Click(selector string) {
	b.t.Helper()
	script := fmt.Sprintf(place, strconv.Quote(selector))
	for end := time.Now().Add(Limit); ; {
		found, err := promised(b, script)
		var at *struct{ X, Y float64 }
		if err == nil && json.Unmarshal(found, &at) == nil && at != nil {
			b.Do(chromedp.MouseClickXY(at.X, at.Y))
			return
		}
		require.True(b.t, time.Now().Before(end), "never to be clicked on the page: %s (%v)", selector, err)
		if err != nil { // an answer that was lost while one page gave way to another
			time.Sleep(10 * time.Millisecond)
		}
	}
}
