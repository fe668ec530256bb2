package archive

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// slow finds games by looking at every one of them.
func slow(all []Summary, q Query) []Summary {
	fits := func(s Summary) bool {
		own, other, sits, meets := math.Inf(-1), math.Inf(-1), false, q.Against == ""
		for seat, a := range s.Agents {
			if a.Name == q.Agent {
				sits, own = true, max(own, s.Returns[seat])
			} else {
				other = max(other, s.Returns[seat])
			}
			meets = meets || a.Name == q.Against
		}
		result := map[int]string{1: Won, 0: Drew, -1: Lost}[cmp.Compare(own, other)]
		return (q.Agent == "" || sits && meets && (q.Result == "" || q.Result == result)) &&
			(q.Purpose == "" || q.Purpose == s.Purpose) && (q.Match == "" || q.Match == s.Match) &&
			s.Steps >= q.Longer && (q.Shorter == 0 || s.Steps <= q.Shorter) && (q.Sort != Worst || s.Review != nil)
	}
	var found []Summary
	for _, s := range all {
		if fits(s) {
			found = append(found, s)
		}
	}
	key := func(s Summary) float64 {
		switch {
		case q.Sort == Longest:
			return float64(s.Steps)
		case q.Sort == Worst:
			return s.Review.Loss
		}
		return 0
	}
	slices.SortStableFunc(found, func(a, b Summary) int {
		return cmp.Or(cmp.Compare(key(b), key(a)), b.Time.Compare(a.Time), b.ID.compare(a.ID))
	})
	return found
}

func TestFindAgainstBruteForce(t *testing.T) {
	run, list := t.TempDir(), play(t, 500, 7)
	w := open(t, run, 1<<30)
	fill(t, w, list, 37)
	r := Read(run)
	reviews := map[ID]Review{}
	for i := range 40 {
		reviews[ID{classOf(i), 1, uint32(i)}] = Review{Judge: "judge", Loss: float64(i*7%13) / 10, Unit: "wins"}
	}
	require.NoError(t, AddReviews(run, reviews))
	everything, err := r.Find(context.Background(), Query{Limit: 1000})
	require.NoError(t, err)
	require.Equal(t, 40, everything.Reviewed)
	require.Equal(t, []string{"leader-chaser", "main", "main@3", "random"}, everything.Agents)
	names := []string{"", "main", "main@3", "random", "leader-chaser", "nobody"}
	rapid.Check(t, func(t *rapid.T) {
		q := Query{
			Agent:   rapid.SampledFrom(names).Draw(t, "agent"),
			Purpose: rapid.SampledFrom([]string{"", ArenaPurpose, TrainingPurpose}).Draw(t, "purpose"),
			Match:   rapid.SampledFrom([]string{"", "", "m-1", "m-9"}).Draw(t, "match"),
			Longer:  rapid.SampledFrom([]int{0, 10, 20}).Draw(t, "longer"),
			Shorter: rapid.SampledFrom([]int{0, 15, 30}).Draw(t, "shorter"),
			Sort:    rapid.SampledFrom([]string{"", Newest, Longest, Worst}).Draw(t, "sort"),
			Offset:  rapid.IntRange(0, 60).Draw(t, "offset"),
			Limit:   rapid.IntRange(0, 60).Draw(t, "limit"),
		}
		if q.Agent != "" {
			q.Against = rapid.SampledFrom(names).Draw(t, "against")
			q.Result = rapid.SampledFrom([]string{"", Won, Drew, Lost}).Draw(t, "result")
		}
		found, err := r.Find(context.Background(), q)
		if err != nil {
			t.Fatal(err)
		}
		want := slow(everything.Games, q)
		if q.Sort == Worst {
			q.Sort = ""
			if all := len(slow(everything.Games, q)); found.Total != all || found.Reviewed != len(want) {
				t.Fatalf("%d games and %d reviewed, not %d and %d", found.Total, found.Reviewed, all, len(want))
			}
		} else if found.Total != len(want) {
			t.Fatalf("%d games, not %d", found.Total, len(want))
		}
		want = want[min(q.Offset, len(want)):]
		if q.Limit > 0 {
			want = want[:min(q.Limit, len(want))]
		}
		if !slices.EqualFunc(found.Games, want, func(a, b Summary) bool { return a.ID == b.ID }) {
			t.Fatalf("other games, or another order")
		}
		var each []ID
		damaged, err := r.Each(context.Background(), q, func(g *Game) error {
			each = append(each, g.ID)
			return nil
		})
		q.Sort = ""
		all := slow(everything.Games, q)
		slices.SortFunc(all, func(a, b Summary) int { return a.ID.compare(b.ID) })
		if err != nil || damaged != 0 || !slices.EqualFunc(each, all, func(id ID, s Summary) bool { return id == s.ID }) {
			t.Fatalf("each: %d games, not %d, or another order (%d damaged, %v)", len(each), len(all), damaged, err)
		}
	})
	_, err = r.Each(context.Background(), Query{}, func(g *Game) error {
		same, err := r.Game(g.ID)
		require.NoError(t, err)
		g.Review = same.Review // which only a search returns
		require.Equal(t, same, g)
		return nil
	})
	require.NoError(t, err)
	stop := errors.New("stop")
	_, err = r.Each(context.Background(), Query{}, func(*Game) error { return stop })
	require.ErrorIs(t, err, stop)
	ended, end := context.WithCancel(context.Background())
	end()
	_, err = r.Each(ended, Query{}, func(*Game) error { return nil })
	require.ErrorIs(t, err, context.Canceled)
}

func TestQueriesAreChecked(t *testing.T) {
	for message, q := range map[string]Query{
		"result: \"best\" is not one of won, drew, lost": {Agent: "main", Result: "best"},
		"purpose: ":          {Purpose: "fun"},
		"sort: ":             {Sort: "random"},
		"say which":          {Result: Won},
		"longer and shorter": {Longer: -1},
		"offset and limit":   {Limit: -1},
	} {
		_, err := Read(t.TempDir()).Find(context.Background(), q)
		require.ErrorContains(t, err, message)
	}
	for _, text := range []string{"", "x1.2", "a1", "a01.2", "a1.2.3", "a-1.2", "a1.99999999999"} {
		_, err := ParseID(text)
		require.Error(t, err, text)
	}
	_, err := Read(t.TempDir()).Game(ID{Arena, 1, 0})
	require.ErrorIs(t, err, ErrNoGame)
}

// What judges the games of a run does not make the folder of a run again that was deleted meanwhile.
func TestDeletedRunsStayDeleted(t *testing.T) {
	run := filepath.Join(t.TempDir(), "deleted")
	_, err := Judge(run)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorIs(t, AddReviews(run, map[ID]Review{{Arena, 1, 0}: {Judge: "late"}}), fs.ErrNotExist)
	require.False(t, BeingJudged(run))
	require.NoDirExists(t, run)
}

// The newest review of a game counts, and their number is bounded.
func TestReviews(t *testing.T) {
	run, list := t.TempDir(), play(t, 3, 8)
	w := open(t, run, 1<<30)
	fill(t, w, list, 3)
	id := ID{Arena, 1, 0}
	require.NoError(t, AddReviews(run, map[ID]Review{id: {Judge: "first", Loss: 1}}))
	require.NoError(t, AddReviews(run, map[ID]Review{id: {Judge: "second", Loss: 2}}))
	g, err := Read(run).Game(id)
	require.NoError(t, err)
	require.Equal(t, "second", g.Review.Judge)
	many := map[ID]Review{}
	for i := range maxReviews {
		many[ID{Best, 9, uint32(i)}] = Review{Judge: "third"}
	}
	require.NoError(t, AddReviews(run, many))
	lines, err := readReviews(Read(run).dir)
	require.NoError(t, err)
	require.Len(t, lines, maxReviews)
	g, err = Read(run).Game(id)
	require.NoError(t, err)
	require.Nil(t, g.Review, "the oldest go first")
}

// Any bytes are a segment without a crash.
func FuzzSegment(f *testing.F) {
	g := play(f, 5, 9)
	run := f.TempDir()
	w := open(f, run, 1<<30)
	for _, one := range g {
		require.NoError(f, w.Add(Arena, one))
	}
	require.NoError(f, w.Flush())
	b := newBlock(g[0])
	b.add(g[0])
	data, err := b.encode(w.enc, 0)
	require.NoError(f, err)
	f.Add(data)
	f.Add(append([]byte("CRP1CRP1"), data...))
	f.Fuzz(func(t *testing.T, data []byte) {
		dec := newDecoder()
		defer dec.Close()
		_, _, err := walk(bytes.NewReader(data), int64(len(data)), func(h *header, at int64) error {
			rows, d, err := readBlock(dec, bytes.NewReader(data), h, at)
			if err != nil {
				require.ErrorIs(t, err, ErrDamaged)
				return nil
			}
			for i := range rows.n {
				require.Len(t, rows.game(d, i, ID{}).History, rows.steps(i)*int(d.Width))
			}
			return nil
		})
		require.NoError(t, err)
	})
}

// BenchmarkArchive opens and searches an archive of 256 MiB.
func BenchmarkArchive(b *testing.B) {
	run, list := b.TempDir(), play(b, 60_000, 10)
	const limit = 256 << 20
	w := open(b, run, limit)
	total := 0
	for w.Removed(Training) == 0 {
		for i, g := range list {
			g.Time = epoch.Add(time.Duration(total) * time.Millisecond)
			require.NoError(b, w.Add(classOf(i), g))
			total++
		}
		require.NoError(b, w.Flush())
	}
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			again, _, err := Open(run, limit)
			require.NoError(b, err)
			require.NoError(b, again.Close())
		}
		b.ReportMetric(float64(total), "games")
		b.ReportMetric(float64(w.Bytes())/float64(total), "B/game")
	})
	for name, q := range map[string]Query{
		"newest": {Limit: 50}, "agent": {Agent: "main@3", Result: Won, Sort: Longest, Limit: 50},
		"nobody": {Agent: "nobody", Limit: 50},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				_, err := Read(run).Find(context.Background(), q)
				require.NoError(b, err)
			}
		})
	}
	b.Run("usage", func(b *testing.B) {
		for b.Loop() {
			_, err := Read(run).Usage()
			require.NoError(b, err)
		}
	})
}

// Whatever lines the file of reviews holds, those that are reviews are read, and the next can be added.
func FuzzReviews(f *testing.F) {
	line, err := json.Marshal(reviewed{ID{Arena, 1, 0}, Review{Judge: "solver:optimal", Loss: 0.5, Unit: "wins", Step: 3,
		Taken: "roll", Best: "hold"}})
	require.NoError(f, err)
	f.Add(append(line, '\n'), 1)
	f.Add(append(line, "\nnull\n{}\n[1]\n{\"id\":\"x9.9\"}"...), 3)
	f.Add([]byte(`{"judge":"`), 70_000)
	f.Fuzz(func(t *testing.T, text []byte, times int) {
		run := t.TempDir()
		dir := filepath.Join(run, Folder)
		require.NoError(t, os.Mkdir(dir, 0o755))
		text = bytes.Repeat(text, max(1, min(times, 100_000/max(1, len(text)))))
		require.NoError(t, os.WriteFile(filepath.Join(dir, reviewsFile), text, 0o600))
		before, err := readReviews(dir)
		require.NoError(t, err)
		require.LessOrEqual(t, len(before), bytes.Count(text, []byte("\n"))+1)
		id := ID{Best, 9, 7}
		require.NoError(t, AddReviews(run, map[ID]Review{id: {Judge: "judge", Loss: 1}}))
		after, err := readReviews(dir)
		require.NoError(t, err)
		require.Equal(t, id, after[len(after)-1].ID, "the newest is last")
	})
}

// Without a limit all games are found, however many there are, and several are read as each alone.
func TestAllGamesAreFound(t *testing.T) {
	run := t.TempDir()
	w, _, err := Open(run, 1<<30)
	require.NoError(t, err)
	const many = 12_000
	few := play(t, 40, 5)
	for i := range many {
		g := *few[i%len(few)]
		g.Time = epoch.Add(time.Duration(i) * time.Second)
		require.NoError(t, w.Add(Class(i%3), &g))
	}
	require.NoError(t, w.Close())
	r := Read(run)
	found, err := r.Find(t.Context(), Query{})
	require.NoError(t, err)
	require.Len(t, found.Games, many)
	require.NoError(t, AddReviews(run, map[ID]Review{found.Games[7].ID: {Judge: "random", Step: 1}}))
	games := r.Games()
	for i, s := range found.Games {
		g, err := games.Game(s.ID)
		require.NoError(t, err)
		require.Equal(t, s.ID, g.ID)
		require.True(t, s.Time.Equal(g.Time))
		if i%2000 == 7 {
			alone, err := r.Game(s.ID)
			require.NoError(t, err)
			require.Equal(t, alone, g)
			require.Equal(t, i == 7, g.Review != nil)
		}
	}
	some, err := r.Find(t.Context(), Query{Offset: 11_000, Limit: 500})
	require.NoError(t, err)
	require.Equal(t, found.Games[11_000].ID, some.Games[0].ID)
	require.Len(t, some.Games, 500)
	_, err = games.Game(ID{Arena, 9, 1})
	require.ErrorIs(t, err, ErrNoGame)
	last := found.Games[0].ID
	_, err = games.Game(last.plus(many))
	require.ErrorIs(t, err, ErrNoGame)
}

// Games whose certain mistakes are known are judged; those of which only the dearest decision is known are not.
func TestFindUnjudged(t *testing.T) {
	run := t.TempDir()
	fill(t, open(t, run, 1<<30), play(t, 30, 7), 37)
	all, err := Read(run).Find(t.Context(), Query{})
	require.NoError(t, err)
	judged, old := all.Games[3].ID, all.Games[4].ID
	require.NoError(t, AddReviews(run, map[ID]Review{judged: {Judge: "random", Mistakes: []Mistake{}}, old: {Judge: "random"}}))
	found, err := Read(run).Find(t.Context(), Query{Unjudged: true})
	require.NoError(t, err)
	require.Equal(t, len(all.Games)-1, found.Total)
	require.Equal(t, 1, found.Reviewed)
	for _, g := range found.Games {
		require.NotEqual(t, judged, g.ID)
	}
	mistakes := []Mistake{{Loss: 2, Step: 3, Seat: 1, Taken: "roll", Best: "hold"}}
	require.NoError(t, AddReviews(run, map[ID]Review{old: {Judge: "random", Mistakes: mistakes}}))
	game, err := Read(run).Game(old)
	require.NoError(t, err)
	require.Equal(t, mistakes, game.Review.Mistakes)
}
