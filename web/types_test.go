package web

import (
	"testing"

	"croupier/engine"
	"croupier/messages"
	"croupier/messages/conduct"
	"croupier/web/webtest"
)

// TestDeclaredTypes requires that types.d.ts, by which the scripts are checked, declares
// the fields that the documents of the API have.
func TestDeclaredTypes(t *testing.T) {
	webtest.Declares(t, "types.d.ts", map[string]any{
		"Run": runView{}, "Ending": Ending{}, "RunSummary": RunSummary{},
		"Comparison": Comparison{}, "ComparedRun": ComparedRun{}, "ComparedSetting": ComparedSetting{},
		"Newest": newestView{}, "Series": messages.Series{}, "Curve": curveView{},
		"League": leagueView{}, "Member": memberView{}, "Opponent": opponentView{}, "Role": roleView{},
		"Ladder": messages.Ladder{}, "Agent": messages.LadderAgent{}, "Interval": messages.Interval{},
		"Scale": messages.Scale{}, "Gate": messages.LadderGate{}, "HeldBack": messages.HeldBack{}, "Reset": messages.Reset{},
		"Payoff": messages.Payoff{}, "LadderTable": messages.LadderTable{}, "TableResult": messages.TableResult{},
		"Figure": engine.Figure{}, "Promotion": messages.LadderPromotion{}, "Gain": messages.Gain{}, "Update": update{},
		"Meeting": messages.Meeting{}, "SequentialTest": messages.SequentialTest{},
		"Contribution": conduct.Contribution{}, "Contributions": conduct.Contributions{}, "GamesGiven": conduct.Games{},
		"Quarantine": conduct.Quarantine{},
		"Correction": messages.Correction{}, "CorrectedPair": messages.CorrectedPair{},
	})
}
