package play

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var annasKey, bertsKey = strings.Repeat("0a", 16), strings.Repeat("0b", 16)

// playKuhn plays a game between Anna and Bert to its end.
func playKuhn(t *testing.T, h *Hall) *Made {
	made := lay(t, h, "kuhn", SeatRequest{Person: "Bert", PersonKey: bertsKey})
	for seen(t, h, made, made.Keys[0]).Over == nil {
		mover := seen(t, h, made, made.Keys[0]).Mover
		_, err := h.Act(made.Table, made.Keys[mover], seen(t, h, made, made.Keys[mover]).Step, 0)
		require.NoError(t, err)
	}
	return made
}

// A finished game is in the diary of each person who gave a key, with what a review found; once the
// diary is deleted a review does not bring it back.
func TestPeopleKeepGames(t *testing.T) {
	inHall(t, DefaultLimits(), func(t *testing.T, h *Hall) {
		h.People = &People{Dir: filepath.Join(t.TempDir(), "people")}
		made := playKuhn(t, h)
		entries, err := h.People.Read(bertsKey)
		require.NoError(t, err)
		require.Len(t, entries, 1)
		require.Equal(t, []string{"Anna"}, entries[0].Opponents)
		require.Equal(t, 1, entries[0].Seat)
		require.Empty(t, entries[0].History, "cards of others")
		none, err := h.People.Read(annasKey)
		require.NoError(t, err)
		require.Empty(t, none, "Anna gave no key")
		files, err := os.ReadDir(h.People.Dir)
		require.NoError(t, err)
		require.Len(t, files, 1, "reading makes no file")

		require.NoError(t, h.Judge(made.Table, made.Keys[1], 75))
		require.NoError(t, h.Judge(made.Table, made.Keys[0], 50), "without a diary there is nothing to note")
		require.ErrorContains(t, h.Judge(made.Table, made.Keys[1], 101), "not in 0..100")
		require.ErrorContains(t, h.Judge(made.Table, made.Watch, 75), "do not play")
		entries, err = h.People.Read(bertsKey)
		require.NoError(t, err)
		all := Statistics(entries)[0]
		require.Equal(t, []float64{75}, all.Accuracies)

		require.NoError(t, h.People.Delete(bertsKey))
		require.NoError(t, h.Judge(made.Table, made.Keys[1], 75))
		entries, err = h.People.Read(bertsKey)
		require.NoError(t, err)
		require.Empty(t, entries)
	})
}

// A game that continues from a moment of another one is practice.
func TestPracticeIsNotKept(t *testing.T) {
	inHall(t, DefaultLimits(), func(t *testing.T, h *Hall) {
		h.People = &People{Dir: t.TempDir()}
		made := playKuhn(t, h)
		line, err := h.Save(made.Table, made.Keys[0])
		require.NoError(t, err)
		require.NoError(t, h.People.Delete(bertsKey))
		seats := []SeatRequest{{Person: "Anna", PersonKey: annasKey}, {Agent: "random"}}
		again, err := h.Lay(t.Context(), Request{Seats: seats, From: &Point{History: line, Step: 2}})
		require.NoError(t, err)
		for seen(t, h, again, again.Keys[0]).Over == nil {
			_, err = h.Act(again.Table, again.Keys[0], seen(t, h, again, again.Keys[0]).Step, 0)
			require.NoError(t, err)
		}
		files, err := os.ReadDir(h.People.Dir)
		require.NoError(t, err)
		require.Empty(t, files)
	})
}

// A game is not lost because the one before it was not written to its end.
func TestDiaryAfterATornLine(t *testing.T) {
	d := Diary{filepath.Join(t.TempDir(), "diary.jsonl")}
	require.NoError(t, d.Add(Entry{Game: "pig", Result: "won"}))
	document, err := os.ReadFile(d.Path)
	require.NoError(t, err)
	for cut := range document {
		require.NoError(t, os.WriteFile(d.Path, document[:cut], 0o600))
		require.NoError(t, d.Add(Entry{Game: "kuhn", Result: "lost"}))
		entries, err := d.Read()
		require.NoError(t, err)
		require.Equal(t, "kuhn", entries[len(entries)-1].Game, "cut at byte %d", cut)
	}
}

// The same table is one game, however often its end is taken back; what is torn is passed over.
func TestDiaryOfAPerson(t *testing.T) {
	p := &People{Dir: t.TempDir()}
	require.NoError(t, p.add(annasKey, Entry{Game: "pig", Table: "a", Result: "lost"}))
	require.NoError(t, p.add(annasKey, Entry{Game: "pig", Table: "a", Result: "won"}))
	f, err := os.OpenFile(filepath.Join(p.Dir, annasKey+".jsonl"), os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteString(`{"game": "pig", "tab`)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	require.NoError(t, p.add(annasKey, Entry{Game: "pig", Table: "b", Result: "lost"}))
	entries, err := p.Read(annasKey)
	require.NoError(t, err)
	require.Len(t, entries, 2)
	require.Equal(t, "won", entries[0].Result)
	for _, wrong := range []string{"", "../games", strings.ToUpper(annasKey), annasKey + "0", annasKey + "\n"} {
		_, err := p.Read(wrong)
		require.ErrorContains(t, err, "32 hexadecimal digits")
		require.ErrorContains(t, p.Delete(wrong), "32 hexadecimal digits")
	}
}

// A diary holds the newest games, within a number and a size, and a folder that many diaries.
func TestPeopleAreBounded(t *testing.T) {
	document, err := newest(make([]Entry, maxDiaryGames+5))
	require.NoError(t, err)
	require.Equal(t, maxDiaryGames, strings.Count(string(document), "\n"))
	entries := []Entry{{Table: "old"}, {Table: "large", Name: strings.Repeat("x", maxDiaryBytes-1000)}, {Table: "new"},
		{Table: strings.Repeat("y", 900)}}
	document, err = newest(entries)
	require.NoError(t, err)
	require.LessOrEqual(t, len(document), maxDiaryBytes)
	require.NotContains(t, string(document), "large")
	require.Contains(t, string(document), "new")

	p := &People{Dir: t.TempDir()}
	for i := range maxDiaries {
		require.NoError(t, os.WriteFile(filepath.Join(p.Dir, fmt.Sprintf("%032x.jsonl", i)), nil, 0o600))
	}
	require.ErrorContains(t, p.add(annasKey, Entry{Game: "pig"}), "files of people already")
	require.NoError(t, p.add(fmt.Sprintf("%032x", 1), Entry{Game: "pig"}), "a person with a diary keeps it")
}
