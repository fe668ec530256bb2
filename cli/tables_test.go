package cli

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"croupier/internal/testport"
	"croupier/play"
	"croupier/web/webtest"
)

// The server of a table is killed in the middle of a game and started again: the page says that the seat is kept,
// connects by itself, and shows the cards and the moves that were there before; the game continues.
func TestTableSurvivesTheDeathOfItsServer(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	listen, runs := testport.Free(t), t.TempDir()
	args := []string{"web", "--runs", runs, "--listen", listen, "-q"}
	server := process(t, args...)
	address := "http://" + listen
	answers := func() bool {
		answer, err := http.Get(address + "/healthz")
		if err == nil {
			answer.Body.Close()
		}
		return err == nil
	}
	require.Eventually(t, answers, patience, 20*time.Millisecond)
	answer, err := http.Post(address+"/api/tables", "application/json",
		strings.NewReader(`{"game": "leduc", "seed": 5, "seats": [{"person": "Anna"}, {"agent": "random"}]}`))
	require.NoError(t, err)
	defer answer.Body.Close()
	var made play.Made
	require.NoError(t, json.NewDecoder(answer.Body).Decode(&made))

	b := webtest.NewBrowser(t, 1280, 900)
	b.Do(chromedp.Navigate(address + "/play#table=" + made.Table + "&key=" + made.Keys[0]))
	const turn = `document.querySelector("#board [data-action]:not(:disabled)") !== null`
	const step = `document.getElementById("table").dataset.step`
	show := func() (s play.Show) {
		answer, err := http.Get(address + "/api/tables/" + made.Table + "?key=" + made.Keys[0])
		require.NoError(t, err)
		defer answer.Body.Close()
		require.NoError(t, json.NewDecoder(answer.Body).Decode(&s))
		s.Seats, s.Table = nil, nil // whether somebody is connected, and what is counted again
		return s
	}
	b.Until(turn)
	first := show().Step
	b.Click(`#board [data-action]:not(:disabled)`)
	var before play.Show
	require.Eventually(t, func() bool { // Anna's first move is made, and she is to move again
		before = show()
		return before.Step > first && len(before.Actions) > 0
	}, patience, 20*time.Millisecond)
	at := step + " == " + strconv.Itoa(before.Step)
	b.Until(at + " && " + turn)

	require.NoError(t, server.Process.Kill())
	_ = server.Wait()
	b.Until(`!document.getElementById("table-lost").hidden &&
		document.getElementById("table-lost").innerText.includes("also when Croupier is started again")`)
	b.Forget() // requests that could not be made
	process(t, args...)
	require.Eventually(t, answers, patience, 20*time.Millisecond)
	b.Until(`document.getElementById("table-lost").hidden && ` + turn)
	require.Equal(t, before, show())
	require.True(t, webtest.Evaluate[bool](b, at))
	b.Click(`#board [data-action]:not(:disabled)`)
	b.Until(step + " > " + strconv.Itoa(before.Step))
	b.Forget()
	b.Clean()
	kept, err := filepath.Glob(filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "croupier", "tables", "*", "*.json"))
	require.NoError(t, err)
	require.Len(t, kept, 1)
}
