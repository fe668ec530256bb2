package web

import (
	"encoding/json"
	"encoding/xml"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Whatever an address asks for is answered with a document, and never a failure of the server.
func FuzzQueries(f *testing.F) {
	mux := http.NewServeMux()
	for pattern, handler := range GamesPage(keepKuhn(f, 30), quiet).API {
		mux.Handle(pattern, handler)
	}
	mux.HandleFunc("GET /qr", qrCode)
	for _, query := range []string{
		"", "agent=main@1&result=won&longer=2&sort=longest", "limit=-1", "limit=500&offset=499",
		"offset=9223372036854775807&limit=1", "longer=x",
		"run=../..", "run=bank-1&against=random", "purpose=training&match=m-1", "sort=worst",
		"text=http://192.168.1.2:8080/t/1?key=0", "text=%ff", "since=7.9",
	} {
		f.Add("a1.0", query)
		f.Add("t9.9", query)
	}
	f.Fuzz(func(t *testing.T, id, query string) {
		if strings.ContainsAny(id, "/\r\n") || id == "" || id == "." || id == ".." {
			return
		}
		for _, path := range []string{"/api/games", "/api/games/" + url.PathEscape(id), "/qr"} {
			r := httptest.NewRequest(http.MethodGet, path, http.NoBody)
			r.URL.RawQuery = query
			w := httptest.NewRecorder()
			mux.ServeHTTP(w, r)
			require.True(t, w.Code < 500 || w.Code == http.StatusServiceUnavailable, "%d: %s", w.Code, w.Body)
			switch {
			case path == "/qr" && w.Code == http.StatusOK:
				require.NoError(t, xml.Unmarshal(w.Body.Bytes(), new(struct{})))
			case path != "/qr":
				require.True(t, json.Valid(w.Body.Bytes()), w.Body)
			}
		}
		p := parsePosition(query)
		require.Equal(t, p, parsePosition(p.String()))
	})
}
