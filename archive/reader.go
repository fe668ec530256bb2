package archive

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/klauspost/compress/zstd"
)

// Reader reads the archive of a run, whose writer may be at work. Goroutines may share it.
type Reader struct{ dir string }

// Read returns a Reader of the archive in a run directory. An archive that is not there has
// no games.
func Read(run string) *Reader { return &Reader{filepath.Join(run, Folder)} }

// Game reads one game. The error wraps ErrNoGame or ErrDamaged, or is of the disk.
func (r *Reader) Game(id ID) (*Game, error) { return r.Games().Game(id) }

// Games reads several games, one after the other. Those that lie close together, as games that were found mostly do,
// cost little more than one. It belongs to one goroutine.
type Games struct {
	dir     string
	blocks  [len(classes)]loaded // read last
	reviews map[ID]Review        // nil: not read yet
}

// Games returns a reader of several games, whose reviews are those of now.
func (r *Reader) Games() *Games { return &Games{dir: r.dir} }

// loaded is a block in memory, the zero value none.
type loaded struct {
	segment   int
	first     uint32 // number of its first game
	rows      *rows
	histories *histories
}

func (b *loaded) has(id ID) bool {
	return b.rows != nil && b.segment == id.segment && id.number >= b.first && id.number-b.first < uint32(b.rows.n)
}

// Game is [Reader.Game].
func (g *Games) Game(id ID) (*Game, error) {
	b := &g.blocks[id.class]
	if !b.has(id) {
		if err := b.read(g.dir, id); err != nil {
			return nil, fmt.Errorf("game %v: %w", id, err)
		}
	}
	game := b.rows.game(b.histories, int(id.number-b.first), id)
	if g.reviews == nil {
		lines, err := readReviews(g.dir)
		if err != nil {
			return game, err
		}
		g.reviews = make(map[ID]Review, len(lines))
		for _, line := range lines {
			g.reviews[line.ID] = line.Review
		}
	}
	if review, ok := g.reviews[id]; ok {
		game.Review = &review
	}
	return game, nil
}

// read reads the block with that game.
func (b *loaded) read(dir string, id ID) error {
	*b = loaded{}
	f, size, err := segment{class: id.class, number: id.segment}.open(dir)
	if err != nil {
		return err
	}
	if f == nil {
		return ErrNoGame
	}
	defer f.Close()
	dec := newDecoder()
	defer dec.Close()
	_, damaged, err := walk(f, size, func(h *header, at int64) error {
		if id.number < h.first || id.number-h.first >= h.games {
			return nil
		}
		rows, d, err := readBlock(dec, f, h, at)
		if err == nil {
			*b = loaded{id.segment, h.first, rows, d}
		}
		return err
	})
	switch {
	case err != nil:
		return err
	case b.rows == nil && damaged > 0:
		return ErrDamaged
	case b.rows == nil:
		return ErrNoGame
	}
	return nil
}

// readBlock reads both parts of the block at that place. The error wraps ErrDamaged, or is of the disk.
func readBlock(dec *zstd.Decoder, f io.ReaderAt, h *header, at int64) (*rows, *histories, error) {
	index, err := readPart(f, h, at, false)
	if err != nil {
		return nil, nil, err
	}
	rows, err := decodeIndex(dec, h, index)
	if err != nil {
		return nil, nil, err
	}
	part, err := readPart(f, h, at, true)
	if err != nil {
		return nil, nil, err
	}
	d, err := rows.histories(dec, h, part)
	return rows, d, err
}

// Each calls visit for every game that fits the query, whose order and limits it leaves out: training games first, each
// class the oldest first. It holds one block in memory, passes over blocks that are damaged and counts them, and ends
// with the first error of visit, or with ctx's. Games that are thrown away meanwhile are missing.
func (r *Reader) Each(ctx context.Context, q Query, visit func(*Game) error) (damaged int, err error) {
	if err := q.Validate(); err != nil {
		return 0, err
	}
	segments, err := listSegments(r.dir)
	if err != nil {
		return 0, err
	}
	dec := newDecoder()
	defer dec.Close()
	for _, piece := range segments {
		if q.Purpose != "" && piece.class.Purpose() != q.Purpose {
			continue
		}
		n, err := r.each(ctx, dec, piece, &q, visit)
		damaged += n
		if err != nil {
			return damaged, err
		}
	}
	return damaged, nil
}

// each is Each for one segment.
func (r *Reader) each(
	ctx context.Context, dec *zstd.Decoder, piece segment, q *Query, visit func(*Game) error,
) (damaged int, err error) {
	f, size, err := piece.open(r.dir)
	if f == nil {
		return 0, err
	}
	defer f.Close()
	undecoded := 0
	_, damaged, err = walk(f, size, func(h *header, at int64) error {
		rows, d, err := readBlock(dec, f, h, at)
		if errors.Is(err, ErrDamaged) {
			undecoded++
			return nil
		}
		if err != nil {
			return fmt.Errorf("archive: %s: %w", piece.name(), err)
		}
		for i := range q.matches(rows) {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := visit(rows.game(d, i, ID{piece.class, piece.number, h.first}.plus(i))); err != nil {
				return err
			}
		}
		return nil
	})
	return damaged + undecoded, err
}

// Usage reports how full an archive is.
type Usage struct {
	Bytes   int64        `json:"bytes"`
	Classes []ClassUsage `json:"classes"` // in the order in which games are thrown away
}

// ClassUsage is what a class has of the archive.
type ClassUsage struct {
	Class string `json:"class"`
	Bytes int64  `json:"bytes"`
	Games int    `json:"games"`
}

// Usage counts the archive.
func (r *Reader) Usage() (Usage, error) {
	segments, err := listSegments(r.dir)
	if err != nil {
		return Usage{}, err
	}
	u := Usage{}
	for _, c := range classes {
		u.Classes = append(u.Classes, ClassUsage{Class: c.String()})
	}
	for _, s := range segments {
		f, size, err := s.open(r.dir)
		if err != nil {
			return u, err
		}
		if f == nil {
			continue
		}
		of := &u.Classes[s.class]
		of.Bytes += size
		u.Bytes += size
		_, _, err = walk(f, size, func(h *header, _ int64) error {
			of.Games += int(h.games)
			return nil
		})
		f.Close()
		if err != nil {
			return u, fmt.Errorf("archive: %s: %w", s.name(), err)
		}
	}
	return u, nil
}

// Listing is what was found, as programs are shown it.
type Listing struct {
	Games      []Summary    `json:"games"`
	Total      int          `json:"total"`          // games that fit, shown or not
	Reviewed   int          `json:"reviewed"`       // of them
	Damaged    int          `json:"damaged_blocks"` // that could not be read
	Bytes      int64        `json:"bytes"`          // of the archive
	LimitBytes int64        `json:"limit_bytes"`    // 0: no games are kept
	Classes    []ClassUsage `json:"classes"`
	Agents     []string     `json:"agents"` // that have games, at most 500
}

// Listing adds how full the archive is.
func (f *Found) Listing(u Usage, limit int64) *Listing {
	return &Listing{f.Games, f.Total, f.Reviewed, f.Damaged, u.Bytes, limit, u.Classes, f.Agents}
}
