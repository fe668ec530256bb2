package archive

import (
	"errors"
	"fmt"

	"croupier/internal/check"
	"croupier/internal/sealed"
)

// Part is the games that a run keeps, and their reviews.
var Part = check.Part{
	Patterns: []string{segmentPattern, reviewsPath},
	Grows:    []string{segmentPattern},
	Check: func(c *check.Check) {
		for _, name := range c.Matching(segmentPattern) {
			checkSegment(c, name)
		}
		if !c.Has(reviewsPath) {
			return
		}
		c.List(reviewsPath, maxReviewBytes, func(line []byte) (sealed.Condition, error) {
			var r reviewed
			condition, err := sealed.OpenLine(line, &r)
			if err == nil && r.ID == (ID{}) {
				err = errors.New("it names no game")
			}
			return condition, err
		})
	},
}

const (
	segmentPattern = Folder + "/*" + segmentSuffix
	reviewsPath    = Folder + "/" + reviewsFile
)

// checkSegment reads all blocks of a segment.
func checkSegment(c *check.Check, name string) {
	f := c.Open(name)
	if f == nil {
		return
	}
	defer f.Close()
	dec := newDecoder()
	defer dec.Close()
	next := int64(0) // where a block is to begin
	fault := func(at int64, what any) { c.Fault(name, fmt.Sprintf("byte %d", at), what) }
	end, _, err := walk(f, f.Size(), func(h *header, at int64) error {
		if at != next {
			fault(next, fmt.Sprintf("%d bytes are not a block of games", at-next))
		}
		next = at + h.size()
		if _, _, err := readBlock(dec, f, h, at); err != nil {
			fault(at, err)
			return nil
		}
		c.Games += int64(h.games)
		return nil
	})
	switch {
	case err != nil:
		fault(end, err)
	case end < f.Size():
		fault(end, fmt.Sprintf("%d bytes at the end are not a block of games: they were being written when the process was "+
			"killed, or are damaged", f.Size()-end))
	}
}
