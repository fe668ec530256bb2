package web

import (
	"encoding/xml"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/skip2/go-qrcode"
	"github.com/stretchr/testify/require"
)

func askQR(text string) *httptest.ResponseRecorder {
	answer := httptest.NewRecorder()
	qrCode(answer, httptest.NewRequest(http.MethodGet, "/api/qr?"+url.Values{"text": {text}}.Encode(), nil))
	return answer
}

// A link is drawn with as many dark modules as its code has, on a white ground that leaves the quiet zone.
func TestQRCode(t *testing.T) {
	const link = "http://192.168.1.20:8080/play#join=KXQP"
	answer := askQR(link)
	require.Equal(t, http.StatusOK, answer.Code)
	require.Equal(t, "image/svg+xml", answer.Header().Get("Content-Type"))
	require.NoError(t, xml.Unmarshal(answer.Body.Bytes(), new(struct{})))
	code, err := qrcode.New(link, qrcode.Medium)
	require.NoError(t, err)
	dark := 0
	for _, row := range code.Bitmap() {
		for _, module := range row {
			if module {
				dark++
			}
		}
	}
	require.Equal(t, dark, strings.Count(answer.Body.String(), "h1v1h-1z"))
	require.NotContains(t, answer.Body.String(), "M3 ", "the quiet zone is four modules wide")
	require.Contains(t, answer.Body.String(), "M4 4h1", "a finder pattern begins next to it")

	for _, text := range []string{"", strings.Repeat("x", maxQRBytes+1)} {
		require.Equal(t, http.StatusBadRequest, askQR(text).Code)
	}
}
