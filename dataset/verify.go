package dataset

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"

	"github.com/parquet-go/parquet-go"
)

// sums are checksums of the values of each column in order, absent ones and the beginnings of lists included.
type sums struct {
	columns []maphash.Hash
	buf     []byte
}

func newSums(columns int) *sums {
	s := &sums{columns: make([]maphash.Hash, columns)}
	seed := maphash.MakeSeed()
	for i := range s.columns {
		s.columns[i].SetSeed(seed)
	}
	return s
}

// add adds values that carry their columns.
func (s *sums) add(values []parquet.Value) {
	for _, v := range values {
		s.buf = append(s.buf[:0], byte(v.RepetitionLevel()), byte(v.DefinitionLevel()))
		s.buf = v.AppendBytes(s.buf)
		s.columns[v.Column()].Write(s.buf) // never fails
	}
}

// verify reads a file and compares rows and columns with what was written.
func verify(ctx context.Context, f io.ReaderAt, size int64, rows int, written *sums) error {
	file, err := parquet.OpenFile(f, size)
	if err != nil {
		return fmt.Errorf("read back: %w", err)
	}
	if file.NumRows() != int64(rows) {
		return fmt.Errorf("read back: there are %d rows, %d were written", file.NumRows(), rows)
	}
	read := newSums(len(written.columns))
	for i := range read.columns {
		read.columns[i].SetSeed(written.columns[i].Seed())
	}
	for _, group := range file.RowGroups() {
		for _, chunk := range group.ColumnChunks() {
			if err := read.chunk(ctx, chunk); err != nil {
				return fmt.Errorf("read back: %w", err)
			}
		}
	}
	for i, column := range file.Schema().Columns() {
		if read.columns[i].Sum64() != written.columns[i].Sum64() {
			return fmt.Errorf("read back: column %s is not what was written", column[0])
		}
	}
	return nil
}

// chunk adds a column of a row group.
func (s *sums) chunk(ctx context.Context, chunk parquet.ColumnChunk) error {
	pages := chunk.Pages()
	defer pages.Close()
	values := make([]parquet.Value, 1024)
	for {
		page, err := pages.ReadPage()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		reader := page.Values()
		for err == nil {
			var n int
			n, err = reader.ReadValues(values)
			s.add(values[:n])
		}
		parquet.Release(page)
		if !errors.Is(err, io.EOF) {
			return err
		}
	}
}
