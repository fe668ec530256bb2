package rating

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/messages"
)

// Tables are listed with what the newest version got, what that means, and who was refused there.
func TestRenderTables(t *testing.T) {
	at := func(agent string, value, half float64) messages.TableResult {
		return messages.TableResult{Agent: agent, Games: 400,
			Interval: messages.Interval{Value: value, Low: value - half, High: value + half}}
	}
	l := &messages.Ladder{Game: "bank", Tables: []messages.LadderTable{
		{Name: "Four", Seats: 4, Against: "bot", Unit: "of the win", Parity: 0.25, Rules: json.RawMessage("{ \"n\":  4 }"),
			Results: []messages.TableResult{at("main@1", 0.3, 0.05), at("main@2", 0.4, 0.05)},
			Refused: []messages.TableRefusal{{TableResult: at("main@3", 0.2, 0.05), Best: at("main@2", 0.4, 0.05)}}},
		{Name: "Eight", Seats: 8, Against: "bot", Unit: "of the win", Parity: 0.125, Results: []messages.TableResult{at("main@2", 0.13, 0.02)},
			Refused: []messages.TableRefusal{{TableResult: at("main@1", 0.02, 0.02), Best: at("main@0", 0.2, 0.05)}}},
		{Name: "Coins", Seats: 2, Against: "bot", Unit: "coins", Results: []messages.TableResult{at("main@2", -1.5, 0.5)}},
		{Name: "New", Seats: 2, Against: "bot", Unit: "coins"},
	}}
	text := TablesText(l, 0)
	require.Regexp(t, `Four +4 +main@2 +bot +40\.0 % +35\.0 … 45\.0 % +25\.0 % +above parity`, text)
	require.Regexp(t, `Eight +8 +main@2 +bot +13\.0 % +11\.0 … 15\.0 % +12\.5 % +near parity`, text)
	require.Regexp(t, `Coins +2 +main@2 +bot +-1\.500 +-2\.000 … -1\.000 +0\.000 +below parity`, text)
	require.Regexp(t, `New +2 +bot +0\.000 +not measured yet`, text)
	require.Contains(t, text, "main@3 is not promoted: at Four it gets 20.0 %, and main@2 gets 40.0 %.")
	require.Equal(t, 1, strings.Count(text, "is not promoted"))
	require.Empty(t, TablesText(&messages.Ladder{}, 0))

	var out strings.Builder
	require.NoError(t, RenderTable(&out, l, &l.Tables[0]))
	require.Contains(t, out.String(), "bank, Four, 4 seats: what a version gets of the win among copies of bot; equal play gets 25.0 %\n"+
		"{\"n\":4}\n")
	require.Regexp(t, `main@1 +400 +30\.0 %`, out.String())
	require.Contains(t, out.String(), "The newest: above parity.")
	out.Reset()
	require.NoError(t, RenderTable(&out, l, &l.Tables[3]))
	require.Contains(t, out.String(), "gets in coins a game among copies of bot; equal play gets 0.000")
	require.Contains(t, out.String(), "The newest: not measured yet.")
}
