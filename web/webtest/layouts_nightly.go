//go:build nightly

package webtest

import (
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/performance"
	"github.com/stretchr/testify/require"
)

// Layouts returns how often the page has been laid out, as the browser counts it.
func (b *Browser) Layouts() int {
	b.t.Helper()
	call(b, performance.Enable, performance.EnableParams{})
	for _, m := range call(b, performance.GetMetrics, cdp.Empty{}).Metrics {
		if m.Name == "LayoutCount" {
			return int(m.Value)
		}
	}
	require.Fail(b.t, "the browser counts no layouts")
	return 0
}
