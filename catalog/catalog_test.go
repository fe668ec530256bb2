package catalog_test

import (
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"croupier/catalog"
	"croupier/engine"
	"croupier/games/bank"
	banksolve "croupier/games/bank/solve"
	"croupier/games/kuhn"
	"croupier/games/pig"
	"croupier/policy"
)

func TestCatalog(t *testing.T) {
	page := catalog.Page{Name: "dice"}
	c := catalog.New(pig.Entry, kuhn.Entry).With(bank.Entry.With(banksolve.Exact, page))
	require.Equal(t, []string{"pig", "kuhn", "bank"}, c.Names())
	require.Len(t, c.Games(), 3)
	require.Len(t, c.Boards(), 3)
	require.Equal(t, []catalog.Page{page}, c.Games()[2].Pages)
	require.Empty(t, c.Formats())

	g, err := c.New("pig", []byte("target: 20"))
	require.NoError(t, err)
	require.Equal(t, "pig", c.Of(g).Name)
	require.Equal(t, pig.Entry.Network, c.Of(g).Network)
	_, err = c.New("pig", []byte("goal: 3"))
	require.EqualError(t, err, "pig: rules: line 1: goal: unknown key; the only one is target")
	_, err = c.New("pigs", nil)
	require.EqualError(t, err, `unknown game "pigs" (did you mean pig?); the games are pig, kuhn, bank`)
	_, err = c.Describe("chess")
	require.ErrorContains(t, err, `unknown game "chess"`)
	info, err := c.Describe("bank")
	require.NoError(t, err)
	require.Equal(t, 3, info.Seats)
	require.Equal(t, "threshold(N)", info.AllBots[0].Name)
}

// Games explain themselves by a page, which has their title.
func TestManuals(t *testing.T) {
	pages := catalog.New(pig.Entry, catalog.Game{Name: "mute", New: pig.New}).Manuals()
	require.Len(t, pages, 1)
	require.Equal(t, "games/pig", pages[0].Name)
	require.Equal(t, string(pig.Entry.Manual), pages[0].Text)
	require.Equal(t, "Pig", pages[0].Title)
	var none *catalog.Catalog
	require.Empty(t, none.Manuals())
}

func TestPictureOfAStep(t *testing.T) {
	require.Equal(t, "[2] [5]", catalog.Step{Dice: []int{2, 5}}.Picture())
	require.Equal(t, "[K♥] [ ]", catalog.Step{Cards: []string{"K♥", ""}}.Picture())
	require.Empty(t, catalog.Step{Text: "Words alone."}.Picture())
}

// A game that is in no catalog has its rules alone, and no catalog has no games.
func TestNoCatalog(t *testing.T) {
	var none *catalog.Catalog
	g, err := pig.New(nil)
	require.NoError(t, err)
	entry := none.Of(g)
	require.Equal(t, "pig", entry.Name)
	require.Nil(t, entry.Network)
	again, err := entry.New(nil)
	require.NoError(t, err)
	require.Same(t, g, again)
	require.Empty(t, catalog.Digest(entry.Network))
	_, _, err = entry.Compared(g)
	require.EqualError(t, err, "no comparison of agents of pig comes with the program")
	require.Empty(t, none.Boards())
	require.Empty(t, none.Formats())
	_, err = none.New("pig", nil)
	require.EqualError(t, err, `unknown game "pig": there are none`)
}

func TestFaultsOfTheProgramPanic(t *testing.T) {
	require.Panics(t, func() { catalog.New(pig.Entry, pig.Entry) })
	require.Panics(t, func() { catalog.New(catalog.Game{Name: "nothing"}) })
	files := fstest.MapFS{"board/board-nim.js": {}}
	require.NotNil(t, catalog.Folder(files, "board"))
	require.Panics(t, func() { catalog.Folder(files, "boards") })
}

// A comparison is of one game under its own rules.
func TestComparison(t *testing.T) {
	own, err := bank.New(nil)
	require.NoError(t, err)
	c, here, err := bank.Entry.Compared(own)
	require.NoError(t, err)
	require.True(t, here)
	require.Equal(t, catalog.Digest(bank.Entry.Network), c.Trained)
	strange, err := bank.New([]byte("rounds: 999"))
	require.NoError(t, err)
	other, here, err := bank.Entry.Compared(strange)
	require.NoError(t, err)
	require.False(t, here)
	require.Equal(t, c, other, "that under the usual rules")
	entry := bank.Entry
	entry.Tables = []byte(`{"game": "bank", "rules": {"rounds": 7}, "games": 1} {"game": "bank", "rules": {"rounds": 999}, "games": 2}`)
	table, here, err := entry.Compared(strange)
	require.NoError(t, err)
	require.True(t, here)
	require.EqualValues(t, 2, table.Games)
	entry.Tables = []byte("{} {")
	_, _, err = entry.Compared(strange)
	require.ErrorContains(t, err, "comparisons of agents of bank at other tables: ")
	strongest, found := c.Strongest()
	require.True(t, found)
	require.Equal(t, c.Agents[0].Name, strongest.Name)
	_, found = (&catalog.Comparison{}).Strongest()
	require.False(t, found)
	_, met := c.Between("nobody", "random")
	require.False(t, met)
	_, met = c.Between(c.Met[0].Agent, c.Met[0].Among)
	require.True(t, met)
	met1 := catalog.Met{Among: "random", Mean: 0.5304, Low: 0.5101, High: 0.5502}
	require.Equal(t, "0.530 (0.510 .. 0.550) of the win", met1.Write(catalog.ShareUnit, engine.Coin{}))
	require.Equal(t, "0 (-100 .. 100) units", catalog.Met{Mean: -0.2, Low: -100, High: 100}.Write("units", engine.Coin{}))
	require.Equal(t, "12 (1 .. 23) ct", catalog.Met{Mean: 0.123, Low: 0.012, High: 0.234}.Write("units",
		engine.Coin{Name: "ct", PerUnit: 100}))
	require.Equal(t, "0.530 (0.510 .. 0.550) of the win against random in 900 games",
		(&catalog.Comparison{Unit: catalog.ShareUnit, Games: 900}).Describe(met1))
	broken := catalog.Game{Name: "nim", Comparison: []byte("{")}
	_, _, err = broken.Compared(own)
	require.ErrorContains(t, err, "comparison of agents of nim: ")
}

// Solutions say what they answer, and their tables are written and read.
func TestSolutions(t *testing.T) {
	random := func() policy.Stochastic { return policy.Random{} }
	s := catalog.Solved("solver:luck", func(engine.Game) (catalog.Players, error) {
		return random, nil
	}).ForSeats(2).OfPart().WithBound()
	require.Equal(t, []any{"solver:luck", 2, true, true}, []any{s.Agent, s.Seats, s.Part, s.Bounded})
	players, tables, err := s.Solve(t.Context(), nil)
	require.NoError(t, err)
	require.Nil(t, tables)
	require.Equal(t, policy.Random{}, players())
	require.Nil(t, s.Open)

	optimal := banksolve.Exact.Solutions[0]
	g, err := bank.New([]byte("{players: 2, rounds: 1}"))
	require.NoError(t, err)
	_, tables, err = optimal.Solve(t.Context(), g)
	require.NoError(t, err)
	kept, err := json.Marshal(tables)
	require.NoError(t, err)
	players, err = optimal.Open(g, func(into any) error { return json.Unmarshal(kept, into) })
	require.NoError(t, err)
	require.NotNil(t, players())
	broken := errors.New("broken")
	_, err = optimal.Open(g, func(any) error { return broken })
	require.ErrorIs(t, err, broken)
}

// Further algorithms are those of one catalog alone, whatever games join it.
func TestAlgorithmsOfACatalog(t *testing.T) {
	var none *catalog.Catalog
	require.Empty(t, none.Algorithms())
	games := catalog.New()
	one := games.Learning(func() any { return 1 })
	two := one.Learning(func() any { return 2 })
	require.Empty(t, games.Algorithms())
	require.Len(t, one.With().Algorithms(), 1)
	require.Equal(t, 2, two.Algorithms()[1]())
}

func TestWrongCallsAreToldApart(t *testing.T) {
	err := catalog.Usage("--depth: %d is negative", -1)
	require.EqualError(t, err, "--depth: -1 is negative")
	var usage *catalog.UsageError
	require.ErrorAs(t, err, &usage)
	require.ErrorIs(t, err, usage.Err)
}

// listed notes what is written to the file of --out.
type listed struct {
	catalog.Call
	out      string
	document any
	rows     [][]string
}

func (l *listed) Out() string { return l.out }

func (l *listed) WriteTable(_ []string, document any, rows iter.Seq[[]string]) error {
	l.document, l.rows = document, slices.Collect(rows)
	return nil
}

type cell string

func (c cell) Cells() []string { return []string{string(c)} }

// A list is made only where somebody wants the file.
func TestListsAreWrittenWhereAFileIsNamed(t *testing.T) {
	c := &listed{}
	require.NoError(t, catalog.WriteList(c, []string{"name"}, func() []cell { panic("nobody wants it") }))
	c.out = "list.csv"
	require.NoError(t, catalog.WriteList(c, []string{"name"}, func() []cell { return []cell{"a", "b"} }))
	require.Equal(t, []cell{"a", "b"}, c.document)
	require.Equal(t, [][]string{{"a"}, {"b"}}, c.rows)
}
