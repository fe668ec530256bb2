package web

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/messages"
)

var (
	declaration = regexp.MustCompile(`(?ms)^interface (\w+) \{\n(.*?)^\}`)
	member      = regexp.MustCompile(`(?m)^  (\w+)(\??):`)
)

// TestDeclaredTypes requires that types.d.ts, by which the scripts are checked, declares
// the fields that the documents of the API have.
func TestDeclaredTypes(t *testing.T) {
	doc, err := os.ReadFile("types.d.ts")
	require.NoError(t, err)
	declared := map[string][]string{}
	for _, d := range declaration.FindAllStringSubmatch(string(doc), -1) {
		for _, m := range member.FindAllStringSubmatch(d[2], -1) {
			declared[d[1]] = append(declared[d[1]], m[1]+m[2])
		}
	}
	for name, document := range map[string]any{
		"Run": runView{}, "Ending": Ending{}, "RunSummary": RunSummary{},
		"Comparison": Comparison{}, "ComparedRun": ComparedRun{}, "ComparedSetting": ComparedSetting{}, "Newest": newestView{}, "Series": messages.Series{}, "Curve": curveView{},
		"League": leagueView{}, "Member": memberView{}, "Opponent": opponentView{}, "Role": roleView{},
		"Ladder": messages.Ladder{}, "Agent": messages.LadderAgent{}, "Interval": messages.Interval{},
		"Scale": messages.Scale{}, "Gate": messages.LadderGate{}, "Payoff": messages.Payoff{},
		"Figure": engine.Figure{}, "Promotion": messages.LadderPromotion{}, "Gain": messages.Gain{}, "Update": update{},
		"Meeting": messages.Meeting{}, "SequentialTest": messages.SequentialTest{},
		"Correction": messages.Correction{}, "CorrectedPair": messages.CorrectedPair{},
	} {
		require.Equal(t, fieldsOf(reflect.TypeOf(document)), declared[name], name)
	}
}

// fieldsOf lists the fields of a document's JSON, with "?" where they may be left out.
func fieldsOf(document reflect.Type) (fields []string) {
	for i := range document.NumField() {
		field := document.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case name == "-":
		case field.Anonymous: // a part that is there as a whole or not at all
			for _, name := range fieldsOf(field.Type.Elem()) {
				fields = append(fields, name+"?")
			}
		case options == "omitempty" || options == "omitzero":
			fields = append(fields, name+"?")
		default:
			fields = append(fields, name)
		}
	}
	return fields
}
