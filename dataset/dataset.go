// Package dataset writes games that were kept as a Parquet file for other programs, one row a decision.
//
// What is kept of a game is its history. Observations, legal actions and returns are what the engine gives when the
// history is replayed, and log-probabilities what the agent's weights give, where they are still there. A file holds
// games of one game under the same rules, so that all its rows have the same columns.
//
// Rows are written in groups of bounded size, and one game is in memory at a time, so memory does not grow with the
// number of games. The file appears under its name only once it has been read back and found equal.
//
// The format is Apache Parquet (https://parquet.apache.org/docs/file-format/); lists have the three levels of its
// LogicalTypes.md.
package dataset

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/parquet-go/parquet-go"

	"croupier/archive"
	"croupier/catalog"
	"croupier/engine"
	"croupier/internal/durable"
	"croupier/internal/plural"
	"croupier/internal/rundir"
)

// Options say which games are written.
type Options struct {
	// Catalog has the games that are played again.
	Catalog *catalog.Catalog
	// Dirs are directories of runs and tournaments, each with an archive of games.
	Dirs []string
	// Query reports which games; its order does not matter. With a limit, that many are taken, spread evenly over those
	// that fit; 0: all.
	Query   archive.Query
	Version string // of the program, for the file's metadata
	// Progress, unless nil, is called after each game that was written or left out; games are all that fit.
	Progress func(done, games int)

	keys       []string // of the runs, in the order of Dirs
	groupBytes int      // of a row group before compression, about
}

// groupBytes is the default of Options.groupBytes. Readers decode a group at a time, and a group costs a file some
// hundred bytes a column.
const groupBytes = 32 << 20

// Report reports what was written, and what was left out.
type Report struct {
	Game       string // with its rules
	Games      int
	Decisions  int
	WithLog    int // decisions with a log-probability
	Bytes      int64
	Damaged    int    // blocks of archives that could not be read, whose games are missing
	Beyond     int    // games that fit beyond the limit
	OtherRules int    // games under other rules than those of the file
	Refused    int    // games that this program plays differently than they were kept
	Refusal    string // why, of the first of them
	Unread     string // why weights that are there were not read, of the first of them; "": they all were
}

// Text describes what was written to the file at path.
func (r *Report) Text(path string) string {
	text := fmt.Sprintf("%s of %s of %s written to %s (%d bytes); %d of them with a log-probability\n",
		plural.Of(r.Decisions, "decision"), plural.Of(r.Games, "game"), r.Game, path, r.Bytes, r.WithLog)
	if r.Beyond > 0 {
		text += fmt.Sprintf("%s left out by the limit\n", plural.Of(r.Beyond, "game that fits was", "games that fit were"))
	}
	if r.OtherRules > 0 {
		text += fmt.Sprintf("%s by other rules left out\n", plural.Of(r.OtherRules, "game"))
	}
	if r.Damaged > 0 {
		text += fmt.Sprintf("%s of the archives could not be read; the games there are missing\n",
			plural.Of(r.Damaged, "damaged block"))
	}
	if r.Refused > 0 {
		text += fmt.Sprintf("%s that cannot be replayed left out; the first is %s\n", plural.Of(r.Refused, "game"), r.Refusal)
	}
	if r.Unread != "" {
		text += fmt.Sprintf("Log-probabilities are missing where weights could not be read: %s\n", r.Unread)
	}
	return text
}

// ErrNothing: there is no game to write.
var ErrNothing = errors.New("there are no such games")

// Write writes the games to the file at path, which it replaces if it is there. If it fails or is cancelled, no file
// appears and an old one stays.
func Write(ctx context.Context, path string, o Options) (*Report, error) {
	if o.groupBytes == 0 {
		o.groupBytes = groupBytes
	}
	if err := Validate(o.Query); err != nil {
		return nil, err
	}
	if err := o.identify(); err != nil {
		return nil, err
	}
	limit := o.Query.Limit
	o.Query = of(o.Query)
	game, total, err := survey(ctx, &o)
	if err != nil {
		return nil, err
	}
	w := newWriter(game, &o, newShare(limit, total))
	w.total = total
	err = durable.Create(path, func(f *os.File) error { return w.write(ctx, f) })
	return &w.report, err
}

// identify finds the keys of the runs, which must differ: a game is known by that of its run and its own ID.
func (o *Options) identify() error {
	o.keys = nil
	for i, dir := range o.Dirs {
		info, err := rundir.ReadInfo(dir)
		if err != nil {
			return err
		}
		key := info.Key()
		if j := slices.Index(o.keys, key); j >= 0 {
			return fmt.Errorf("%s and %s are the same run, or one is a copy of the other: name one of them", o.Dirs[j],
				o.Dirs[i])
		}
		o.keys = append(o.keys, key)
	}
	return nil
}

// Validate reports what is wrong with Options.Query, whose limit may be any.
func Validate(q archive.Query) error {
	if q.Limit < 0 {
		return errors.New("limit: it must not be negative")
	}
	q = of(q)
	return q.Validate()
}

// of is the query for the newest of all games that fit.
func of(q archive.Query) archive.Query {
	q.Sort, q.Offset, q.Limit = archive.Newest, 0, 1
	return q
}

// survey counts the games that fit, and returns the game and rules of the newest of the first directory that has any.
func survey(ctx context.Context, o *Options) (game engine.Game, total int, err error) {
	for _, dir := range o.Dirs {
		kept := archive.Read(dir)
		found, err := kept.Find(ctx, o.Query)
		if err != nil {
			return nil, 0, fmt.Errorf("%s: %w", dir, err)
		}
		total += found.Total
		if game != nil || found.Total == 0 {
			continue
		}
		newest, err := kept.Game(found.Games[0].ID)
		if err == nil {
			game, _, err = newest.Record(o.Catalog)
		}
		if err != nil {
			return nil, 0, fmt.Errorf("%s: the rules of its newest game: %w", dir, err)
		}
	}
	if game == nil {
		return nil, 0, ErrNothing
	}
	return game, total, nil
}

// share takes a number of games out of all, spread evenly.
type share struct{ of, total, seen int }

func newShare(limit, total int) share {
	if limit == 0 {
		return share{1, 1, 0} // games that come in meanwhile, too
	}
	return share{min(limit, total), total, 0}
}

// next reports whether the next game is taken.
func (s *share) next() bool {
	before := s.seen * s.of / s.total
	s.seen++
	return s.seen*s.of/s.total > before && (s.of == s.total || s.seen <= s.total)
}

// writer is a file being written.
type writer struct {
	o        *Options
	report   Report
	share    share
	done     int // games that were written or left out
	total    int // games that fit
	replayer *replayer
	columns  []column
	file     *parquet.GenericWriter[any]
	sums     *sums
	rows     []parquet.Row // that wait to be written; their storage is used again
	waiting  int
	inGroup  int // rows of the present group
	groups   int // rows of a group
}

func newWriter(game engine.Game, o *Options, s share) *writer {
	spec := game.Spec()
	w := &writer{o: o, share: s, replayer: newReplayer(o.Catalog, game), columns: columnsOf(spec),
		rows: make([]parquet.Row, 64)}
	w.report.Game = describe(game)
	bytes := 64 + 4*spec.ObservationSize + spec.Actions/8
	w.groups = max(1, o.groupBytes/bytes)
	return w
}

// write writes all games to the file, and reads it back.
func (w *writer) write(ctx context.Context, f *os.File) error {
	schema := schemaOf(w.columns)
	w.sums = newSums(len(schema.Columns()))
	w.file = parquet.NewGenericWriter[any](f, schema, parquet.Compression(&parquet.Zstd),
		parquet.CreatedBy("croupier", w.o.Version, ""))
	for i, dir := range w.o.Dirs {
		if err := w.run(ctx, dir, w.o.keys[i]); err != nil {
			return err
		}
	}
	if w.report.Games == 0 {
		return w.nothing()
	}
	if err := w.flush(); err != nil {
		return err
	}
	for _, m := range metadata(w.replayer.game, w.o, &w.report) {
		w.file.SetKeyValueMetadata(m.key, m.value)
	}
	if err := w.file.Close(); err != nil {
		return err
	}
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	w.report.Bytes = size
	return verify(ctx, f, size, w.report.Decisions, w.sums)
}

// nothing reports why there is no game although some fit.
func (w *writer) nothing() error {
	if w.report.Refused > 0 {
		return fmt.Errorf("none of %s can be replayed: %s", plural.Of(w.report.Refused, "game"), w.report.Refusal)
	}
	return fmt.Errorf("%w; %s of the archives damaged", ErrNothing, plural.Of(w.report.Damaged, "block is", "blocks are"))
}

// run writes the games of a directory, whose run has the key.
func (w *writer) run(ctx context.Context, dir, key string) error {
	behaviour := newBehaviour(w.o.Catalog, w.replayer.game, dir)
	damaged, err := archive.Read(dir).Each(ctx, w.o.Query, func(g *archive.Game) error {
		if w.done++; w.o.Progress != nil {
			w.o.Progress(w.done, max(w.done, w.total))
		}
		if !w.share.next() {
			w.report.Beyond++
			return nil
		}
		return w.add(ctx, key, g, behaviour)
	})
	w.report.Damaged += damaged
	if w.report.Unread == "" {
		w.report.Unread = behaviour.unread
	}
	return err
}

// add writes the decisions of a game, none if it is refused.
func (w *writer) add(ctx context.Context, run string, g *archive.Game, b *behaviour) error {
	switch err := w.replayer.check(g); {
	case errors.Is(err, errOtherRules):
		w.report.OtherRules++
		return nil
	case err != nil:
		if w.report.Refused++; w.report.Refused == 1 {
			w.report.Refusal = fmt.Sprintf("game %v of %s: %v", g.ID, run, err)
		}
		return nil
	}
	w.report.Games++
	d := decision{run: run, Game: g, hash: w.replayer.hash, returns: w.replayer.returns}
	return w.replayer.decisions(&d, b.seats(ctx, g), func() error {
		w.report.Decisions++
		if d.logProb <= 0 { // else it is not known
			w.report.WithLog++
		}
		return w.row(&d)
	})
}

// row writes a decision.
func (w *writer) row(d *decision) error {
	w.rows[w.waiting] = appendRow(w.rows[w.waiting][:0], w.columns, d)
	w.sums.add(w.rows[w.waiting])
	w.waiting++
	w.inGroup++
	full := w.inGroup >= w.groups
	if w.waiting < len(w.rows) && !full {
		return nil
	}
	if err := w.flush(); err != nil || !full {
		return err
	}
	w.inGroup = 0
	return w.file.Flush()
}

// flush writes the rows that wait.
func (w *writer) flush() error {
	_, err := w.file.WriteRows(w.rows[:w.waiting])
	w.waiting = 0
	return err
}
