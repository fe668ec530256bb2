package history_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"croupier/engine"
	"croupier/engine/history"
	"croupier/games/standard"
)

const example = `{"game":"bank","rules":{"players":2,"rounds":1},"seed":7,"history":[5,0,0,1,0,1,0,6,1],"returns":[1,-1],"scores":[77,73]}`

func check(text string) (history.Summary, error) {
	return history.Check(context.Background(), strings.NewReader(text), standard.Games.New, nil)
}

func TestExampleReadsAndWrites(t *testing.T) {
	var rec history.Record
	require.NoError(t, history.Decode([]byte(example), &rec))
	require.Equal(t, "bank", rec.Game)
	require.EqualValues(t, 7, *rec.Seed)
	require.Equal(t, []int{5, 0, 0, 1, 0, 1, 0, 6, 1}, rec.History)
	require.Equal(t, []float64{1, -1}, rec.Returns)
	require.Equal(t, []int64{77, 73}, rec.Scores)
	require.Equal(t, example+"\n", string(history.Append(nil, &rec)))
}

func TestWhatMayBeAbsentIsNotWritten(t *testing.T) {
	rec := history.Record{Game: "pig", History: []int{}}
	require.Equal(t, `{"game":"pig","history":[]}`+"\n", string(history.Append(nil, &rec)))
	rec.Scores = []int64{}
	require.Equal(t, `{"game":"pig","history":[],"scores":[]}`+"\n", string(history.Append(nil, &rec)))
}

func TestPartialLinesReplay(t *testing.T) {
	for _, line := range []string{
		example,
		`{"history":[5,0,0,1,0,1,0,6,1],"rules":{"rounds":1,"players":2},"game":"bank"}`,
		` { "game" : "bank" , "rules":{"players":2,"rounds":1}, "history":[ 5,0,0 ,1,0,1,0,6,1 ] } `,
		`{"game":"bank","rules":{"players":2,"rounds":1},"history":[5,0,0,1,0,1,0,6,1],"returns":[1.0000005,-1e0]}`,
		`{"game":"kuhn","history":[0,1,0,0],"returns":[-1,1],"scores":[]}`,
		`{"game":"kuhn","seed":18446744073709551615,"history":[0,1,0,0]}`,
	} {
		summary, err := check(line)
		require.NoError(t, err, line)
		require.Equal(t, 1, summary.Games)
	}
}

func TestBlankLinesAndLineEnds(t *testing.T) {
	summary, err := check("\n" + example + "\r\n\n  \n" + example)
	require.NoError(t, err)
	require.Equal(t, history.Summary{Games: 2, Steps: 18}, summary)
	_, err = check("\n" + example + "\r\n\nbroken")
	require.ErrorContains(t, err, "line 4: ")
	for _, nothing := range []string{"", "\n \n"} {
		summary, err = check(nothing)
		require.ErrorIs(t, err, history.ErrNoGames)
		require.Zero(t, summary)
	}
}

func TestDecodeRefuses(t *testing.T) {
	for line, message := range map[string]string{
		`null`:                         "not a JSON object",
		`[1]`:                          "not a JSON object",
		`{`:                            "not a JSON object: unexpected EOF",
		`{}`:                           `key "game" is missing`,
		`{"game":"kuhn"}`:              "key \"history\" is missing",
		`{"history":[]}`:               "key \"game\" is missing",
		`{"Game":"kuhn","history":[]}`: `unknown key "Game"`,
		`{"game":"kuhn","history":[],"moves":[]}`:          `unknown key "moves"`,
		`{"game":"kuhn","history":[],"history":[]}`:        `key "history" appears twice`,
		`{"game":"kuhn","history":[]} {}`:                  "unexpected text after",
		`{"game":"kuhn","history":[]`:                      "unexpected EOF",
		`{"game":"kuhn","history":`:                        "unexpected EOF",
		`{"game":7,"history":[]}`:                          `"game" is not a string`,
		`{"game":null,"history":[]}`:                       `"game" is not a string`,
		`{"game":"kuhn","history":null}`:                   `"history": not an array`,
		`{"game":"kuhn","history":"0"}`:                    `"history": not an array`,
		`{"game":"kuhn","history":[0,null]}`:               `step 1: "history": null is not an integer`,
		`{"game":"kuhn","history":[0,1,1.5]}`:              `step 2: "history": 1.5 is not an integer`,
		`{"game":"kuhn","history":[[0]]}`:                  "step 0: ",
		`{"game":"kuhn","history":["0"]}`:                  `step 0: `,
		`{"game":"kuhn","history":[99999999999999999999]}`: "step 0: ",
		`{"game":"kuhn","history":[],"seed":-1}`:           `"seed" is -1`,
		`{"game":"kuhn","history":[],"seed":1e3}`:          `"seed" is 1e3`,
		`{"game":"kuhn","history":[],"seed":null}`:         `"seed" is null`,
		`{"game":"kuhn","history":[],"rules":[]}`:          `"rules" is not an object`,
		`{"game":"kuhn","history":[],"returns":[1,"x"]}`:   `"returns": "x" is not a number`,
		`{"game":"kuhn","history":[],"returns":[1e999]}`:   `"returns": 1e999 is not a number`,
		`{"game":"kuhn","history":[],"scores":[1.5]}`:      `"scores": 1.5 is not an integer`,
	} {
		err := history.Decode([]byte(line), &history.Record{})
		require.ErrorContains(t, err, message, line)
	}
}

func TestReplayFindsTheStep(t *testing.T) {
	for _, test := range []struct {
		line    string
		step    int
		message string
	}{
		{`{"game":"kuhn","history":[0,0,1,1]}`, 1, "illegal chance outcome 0"},
		{`{"game":"kuhn","history":[0,1,2]}`, 2, "illegal action 2 of seat 1"},
		{`{"game":"kuhn","history":[]}`, 0, "chance is to move"},
		{`{"game":"kuhn","history":[0,1,0]}`, 3, "seat 2 is to move"},
		{`{"game":"kuhn","history":[0,1,0,0,0]}`, 4, "continues after the end"},
		{`{"game":"kuhn","history":[0,1,0,0],"returns":[1,-1]}`, 4, "the returns are [-1 1], not [1 -1]"},
		{`{"game":"kuhn","history":[0,1,0,0],"returns":[-1,1.00001]}`, 4, "returns"},
		{`{"game":"kuhn","history":[0,1,0,0],"returns":[-1]}`, 4, "returns"},
		{`{"game":"kuhn","history":[0,1,0,0],"scores":[0,0]}`, 4, "the scores are [], not [0 0]"},
	} {
		_, err := check(example + "\n" + test.line)
		var wrong *history.Error
		require.ErrorAs(t, err, &wrong, test.line)
		require.Equal(t, 2, wrong.Line, test.line)
		require.Equal(t, test.step, wrong.Step, test.line)
		require.ErrorContains(t, err, fmt.Sprintf("line 2, step %d: ", test.step))
		require.ErrorContains(t, err, test.message)
	}
	_, err := check(`{"game":"kuhn","history":[0,1,2]}`)
	require.ErrorIs(t, err, engine.ErrIllegal)
	_, err = check(`{"game":"chess","history":[]}`)
	require.ErrorContains(t, err, `line 1: unknown game "chess"`)
}

// endless is a line without an end.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return copy(p, bytes.Repeat([]byte{' '}, len(p))), nil }

func TestLongLinesAreRefused(t *testing.T) {
	in := io.MultiReader(strings.NewReader(example+"\n"), endless{})
	_, err := history.Check(context.Background(), in, standard.Games.New, nil)
	require.ErrorContains(t, err, fmt.Sprintf("line 2: longer than %d bytes", history.MaxLine))
}

func TestReadErrorsAreTold(t *testing.T) {
	broken := errors.New("broken disk")
	_, err := history.Check(context.Background(), io.MultiReader(strings.NewReader(example+"\n"),
		iotest.ErrReader(broken)), standard.Games.New, nil)
	require.ErrorIs(t, err, broken)
	_, err = history.Check(context.Background(), strings.NewReader(example), standard.Games.New,
		history.NewTrace(failing{broken}))
	require.ErrorIs(t, err, broken)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = history.Check(ctx, strings.NewReader(example), standard.Games.New, nil)
	require.ErrorIs(t, err, context.Canceled)
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestTraceOfKuhn(t *testing.T) {
	var out strings.Builder
	line := `{"game":"kuhn","history":[0,2,0,1,0]}`
	_, err := history.Check(context.Background(), strings.NewReader(line+"\n"+line), standard.Games.New,
		history.NewTrace(&out))
	require.NoError(t, err)
	third := "0.3333333333333333"
	game := `{"game_index":#,"step":0,"player":-1,"outcomes":[[0,` + third + `],[1,` + third + `],[2,` + third + `]],"taken":0}
{"game_index":#,"step":1,"player":-1,"outcomes":[[1,0.5],[2,0.5]],"taken":2}
{"game_index":#,"step":2,"player":0,"legal":[0,1],"position":"J","taken":0}
{"game_index":#,"step":3,"player":1,"legal":[0,1],"position":"K | check","taken":1}
{"game_index":#,"step":4,"player":0,"legal":[0,1],"position":"J | check bet","taken":0}
{"game_index":#,"end":true,"returns":[-1,1],"scores":[]}
`
	require.Equal(t, strings.ReplaceAll(game, "#", "0")+strings.ReplaceAll(game, "#", "1"), out.String())
}

func TestSimulatorRefusesWhatIsNotLegalOrDoesNotEnd(t *testing.T) {
	pig, err := standard.Games.New("pig", nil)
	require.NoError(t, err)
	simulator, err := history.NewSimulator(pig)
	require.NoError(t, err)
	play := func(action int) error {
		player := engine.BotFunc(func(engine.State, []int, *engine.RNG) int { return action })
		return simulator.Play(1, []engine.Bot{player, player}, &history.Record{})
	}
	require.ErrorIs(t, play(2), engine.ErrIllegal)
	require.ErrorContains(t, play(1), fmt.Sprintf("not over after %d steps", pig.Spec().MaxHistory),
		"both hold with nothing for ever")
}

// Returns of tysiac-hand are points, and histories write them in units of 400.
func TestReturnsAreWrittenInTheUnitOfHistories(t *testing.T) {
	game, err := standard.Games.New("tysiac-hand", nil)
	require.NoError(t, err)
	simulator, err := history.NewSimulator(game)
	require.NoError(t, err)
	random := engine.BotFunc(func(_ engine.State, legal []int, rng *engine.RNG) int { return legal[rng.IntN(len(legal))] })
	replayer := history.NewReplayer(game)
	decided := 0
	for seed := range uint64(20) {
		var rec history.Record
		require.NoError(t, simulator.Play(seed, []engine.Bot{random, random}, &rec))
		points := float64(rec.Scores[0] - rec.Scores[1])
		require.Equal(t, []float64{points / 400, -points / 400}, rec.Returns)
		require.NoError(t, replayer.Replay(&rec, nil))
		if points != 0 {
			decided++
			rec.Returns = []float64{points, -points}
			require.ErrorContains(t, replayer.Replay(&rec, nil), "the returns are")
		}
	}
	require.Positive(t, decided)
}

func TestRecordsSurviveWriting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rec := history.Record{
			Game:    rapid.String().Draw(t, "game"),
			History: rapid.SliceOf(rapid.Int()).Draw(t, "history"),
			Returns: rapid.SliceOf(rapid.Float64()).Draw(t, "returns"),
			Scores:  rapid.SliceOf(rapid.Int64()).Draw(t, "scores"),
		}
		if rapid.Bool().Draw(t, "with seed") {
			seed := rapid.Uint64().Draw(t, "seed")
			rec.Seed = &seed
		}
		var again history.Record
		require.NoError(t, history.Decode(history.Append(nil, &rec), &again))
		if len(rec.History) == 0 {
			again.History = rec.History
		}
		require.Equal(t, rec, again)
	})
}

// FuzzDecode: no line makes Decode or the replay panic, and what Decode accepts is the same
// after writing and reading.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(example))
	f.Add([]byte(`{"game":"kuhn","history":[0,1,0,0],"scores":[]}`))
	f.Add([]byte(`{"game":"pig","rules":{"target":1},"history":[0,4,1],"returns":[1,-1e0]}`))
	f.Add([]byte(`{"game":"leduc","history":[0,1,"x"]}`))
	f.Add([]byte(`{"game":"bank","rules":{"players":{}},"history":[]}`))
	f.Add([]byte("{\"game\":\"\\u0007\",\"history\":[-0]}"))
	f.Fuzz(func(t *testing.T, line []byte) {
		var rec, again history.Record
		if history.Decode(line, &rec) != nil {
			return
		}
		for _, r := range rec.Returns {
			require.False(t, math.IsNaN(r) || math.IsInf(r, 0))
		}
		written := history.Append(nil, &rec)
		require.NoError(t, history.Decode(bytes.TrimSpace(written), &again))
		require.Equal(t, string(written), string(history.Append(nil, &again)))
		if g, err := standard.Games.New(rec.Game, []byte(rec.Rules)); err == nil {
			_ = history.NewReplayer(g).Replay(&rec, nil)
		}
	})
}

func BenchmarkCheck(b *testing.B) {
	g, err := standard.Games.New("bank", nil)
	require.NoError(b, err)
	simulator, err := history.NewSimulator(g)
	require.NoError(b, err)
	random := engine.BotFunc(func(_ engine.State, legal []int, rng *engine.RNG) int { return legal[rng.IntN(len(legal))] })
	var text []byte
	var rec history.Record
	for seed := range uint64(1000) {
		require.NoError(b, simulator.Play(seed, []engine.Bot{random, random, random}, &rec))
		text = history.Append(text, &rec)
	}
	run := func(name string, trace *history.Trace) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			steps := 0
			for b.Loop() {
				total, err := history.Check(context.Background(), bytes.NewReader(text), standard.Games.New, trace)
				require.NoError(b, err)
				steps += total.Steps
			}
			b.ReportMetric(float64(steps)/b.Elapsed().Seconds(), "steps/s")
		})
	}
	run("plain", nil)
	run("traced", history.NewTrace(io.Discard))
}

// A seed of 64 bits is written as a string and read in both forms. One that another program has rounded is found where
// the chance is not its own.
func TestLargeSeeds(t *testing.T) {
	game, err := standard.Games.New("pig", nil)
	require.NoError(t, err)
	simulator, err := history.NewSimulator(game)
	require.NoError(t, err)
	random := engine.BotFunc(func(_ engine.State, legal []int, rng *engine.RNG) int { return legal[rng.IntN(len(legal))] })
	check := func(line string) error {
		_, err := history.Check(t.Context(), strings.NewReader(line), standard.Games.New, nil)
		return err
	}
	for _, seed := range []uint64{1<<64 - 1, 12345678901234567890, 1 << 63, 9876543210987654321} {
		var rec, again history.Record
		require.NoError(t, simulator.Play(seed, []engine.Bot{random, random}, &rec))
		line := string(history.Append(nil, &rec))
		quoted := fmt.Sprintf(`"seed":"%d"`, seed)
		require.Contains(t, line, quoted)
		require.NoError(t, history.Decode([]byte(line), &again))
		require.Equal(t, seed, *again.Seed)
		require.NoError(t, check(line))
		require.NoError(t, check(strings.Replace(line, quoted, fmt.Sprintf(`"seed":%d`, seed), 1)),
			"as older versions wrote it")
		for _, rounded := range []string{"12345678901234567000", "9876543210987655000", "9223372036854775807"} {
			changed := strings.Replace(line, quoted, `"seed":`+rounded, 1)
			if rounded == "9223372036854775807" { // no program makes that of another number
				require.NoError(t, check(changed))
				continue
			}
			require.ErrorContains(t, check(changed),
				"its chance is not that of the seed "+rounded+", which another program has rounded")
		}
	}
}
