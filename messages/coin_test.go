package messages_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/messages"
)

// notAmounts are the numbers of a ladder that are no money, by their path in the document.
var notAmounts = map[string]bool{
	"Payoff.WinShare.ShareA": true, "Payoff.WinShare.ShareLow": true, "Payoff.WinShare.ShareHigh": true,
	"Promotions.Seconds": true, "Rounds.PointsA": true, "Correction.Pairs.VarianceLeft": true,
	"Test.Gain": true, "Test.Error": true, "Test.Evidence": true, "Test.Threshold": true,
	"Agents.Figures.Value": true, "Agents.Figures.Low": true, "Agents.Figures.High": true,
}

// fill gives each number of a value, in one element of each list, the value 1.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Float64:
		v.SetFloat(1)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Slice:
		if v.Type().Elem().Kind() != reflect.Uint8 {
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
			fill(v.Index(0))
		}
	case reflect.Map:
		element := reflect.New(v.Type().Elem()).Elem()
		fill(element)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("x"), element)
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	}
}

// numbers calls see with each number of a value and its path.
func numbers(v reflect.Value, path string, see func(path string, x float64)) {
	switch v.Kind() {
	case reflect.Float64:
		see(strings.TrimPrefix(path, "."), v.Float())
	case reflect.Pointer:
		numbers(v.Elem(), path, see)
	case reflect.Slice:
		for i := range v.Len() {
			numbers(v.Index(i), path, see)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			numbers(v.MapIndex(key), path, see)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if name := "." + v.Type().Field(i).Name; name == ".Interval" {
				numbers(v.Field(i), path, see)
			} else {
				numbers(v.Field(i), path+name, see)
			}
		}
	}
}

// All amounts of a ladder are in the game's coin, once, and the ladder that was given stays as it is.
func TestLaddersAreShownInTheCoin(t *testing.T) {
	spec := &engine.Spec{Payoff: engine.Money, Unit: "units", Coin: engine.Coin{Name: "ct", PerUnit: 100}}
	l := &messages.Ladder{}
	fill(reflect.ValueOf(l).Elem())
	l.Scale = messages.Scale{Kind: messages.MoneyScale, Unit: "units per game", UnitMeaning: "A unit is 100 ct", Decimals: 3}
	l.Tables[0].Unit = "units"
	before, err := json.Marshal(l)
	require.NoError(t, err)

	shown := l.InCoin(spec)
	seen := 0
	numbers(reflect.ValueOf(shown).Elem(), "", func(path string, x float64) {
		seen++
		want := 100.0
		if notAmounts[path] {
			want = 1
		}
		require.Equal(t, want, x, path)
	})
	require.Greater(t, seen, 50)
	require.Equal(t, messages.Scale{Kind: messages.MoneyScale, Unit: "ct per game", Decimals: 1}, shown.Scale)
	require.Equal(t, "ct", shown.Tables[0].Unit)
	require.Same(t, shown, shown.InCoin(spec), "it is in the coin already")
	after, err := json.Marshal(l)
	require.NoError(t, err)
	require.JSONEq(t, string(before), string(after))

	require.Same(t, l, l.InCoin(nil))
	require.Same(t, l, l.InCoin(&engine.Spec{Payoff: engine.Money, Unit: "units"}), "a game without a coin")
	require.Nil(t, (*messages.Ladder)(nil).InCoin(spec))
	elo := &messages.Ladder{Scale: messages.Scale{Kind: messages.EloScale, Unit: "Elo"}}
	require.Same(t, elo, elo.InCoin(spec))
}

// Points of curves are in the coin where they are amounts.
func TestCurvesAreShownInTheCoin(t *testing.T) {
	spec := &engine.Spec{Payoff: engine.Money, Unit: "units", Coin: engine.Coin{Name: "ct", PerUnit: 100}}
	p := &messages.Points{Source: "league", Seconds: 3, Samples: 4}
	amounts := []string{"rating/best", "rating/hunter", "mean_return/random", "probe/mean_return/random", "exploit_return/x",
		"table_return/Four", "exploitability", "exploitability/dealer"}
	for _, name := range append(amounts, "entropy", "win_share/random", "figure/money") {
		p.Points = append(p.Points, &messages.Point{Series: name, Value: 2, Low: 1, High: 3, HasInterval: true})
	}
	shown := p.InCoin(spec)
	require.Equal(t, []any{"league", 3.0, uint64(4)}, []any{shown.Source, shown.Seconds, shown.Samples})
	for i, q := range shown.Points {
		scale := 1.0
		if i < len(amounts) {
			scale = 100
		}
		require.Equal(t, [3]float64{2 * scale, scale, 3 * scale}, [3]float64{q.Value, q.Low, q.High}, q.Series)
		require.True(t, q.HasInterval)
		require.Equal(t, 2.0, p.Points[i].Value, "what was given stays")
	}
	require.Same(t, p, p.InCoin(&engine.Spec{Payoff: engine.Money, Unit: "antes"}))
	require.Same(t, p, p.InCoin(nil))
}
