package archive

import (
	"cmp"
	"container/heap"
	"context"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// Orders in which games are found.
const (
	Newest  = "newest"
	Longest = "longest"
	Worst   = "worst" // the most expensive decision first; only games that were reviewed
)

// Results of an agent's game.
const (
	Won  = "won"  // a seat of the agent's has the highest return, and no other agent's
	Drew = "drew" // seats of the agent's and of another's have it
	Lost = "lost"
)

// maxAgents bounds the agents that a search lists.
const maxAgents = 500

// Query reports which games are looked for. The zero value finds all, the newest first.
type Query struct {
	Agent   string // one that took part, by its name; "": any
	Against string // another one that took part
	Result  string // Won, Drew or Lost by Agent
	Purpose string // TrainingPurpose or ArenaPurpose
	Match   string // a match of the arena
	Longer  int    // at least this many steps
	Shorter int    // at most this many steps; 0: any
	Sort    string // Newest (or ""), Longest or Worst
	Offset  int    // games to pass over
	Limit   int    // most games to return; 0: all
	// Unjudged leaves out games whose certain mistakes are known.
	Unjudged bool
}

// Validate reports what is wrong with a query.
func (q *Query) Validate() error {
	oneOf := func(field, value string, known ...string) error {
		if value == "" || slices.Contains(known, value) {
			return nil
		}
		return fmt.Errorf("%s: %.40q is not one of %s", field, value, strings.Join(known, ", "))
	}
	if err := oneOf("result", q.Result, Won, Drew, Lost); err != nil {
		return err
	}
	if err := oneOf("purpose", q.Purpose, ArenaPurpose, TrainingPurpose); err != nil {
		return err
	}
	if err := oneOf("sort", q.Sort, Newest, Longest, Worst); err != nil {
		return err
	}
	switch {
	case q.Agent == "" && (q.Against != "" || q.Result != ""):
		return fmt.Errorf("against and result are of an agent: say which")
	case q.Longer < 0 || q.Shorter < 0:
		return fmt.Errorf("longer and shorter: a game has at least 0 steps")
	case q.Offset < 0 || q.Limit < 0:
		return fmt.Errorf("offset and limit: they must be at least 0")
	}
	return nil
}

// Found is what a search has found.
type Found struct {
	Games    []Summary
	Total    int // games that fit, shown or not
	Reviewed int // of them
	Damaged  int // blocks that could not be read
	// Agents are the names in the blocks that were read, sorted; maxAgents at most.
	Agents []string
}

// Find searches the archive: it reads the index of every block, newest first. It ends early
// with ctx's error.
func (r *Reader) Find(ctx context.Context, q Query) (*Found, error) {
	if err := q.Validate(); err != nil {
		return nil, err
	}
	segments, err := listSegments(r.dir)
	if err != nil {
		return nil, err
	}
	reviews, err := readReviews(r.dir)
	if err != nil {
		return nil, err
	}
	s := &search{
		Query: q, dir: r.dir, dec: newDecoder(), reviews: map[ID]Review{}, names: map[string]bool{}, best: math.MaxInt,
	}
	if q.Limit > 0 && q.Limit < math.MaxInt-q.Offset {
		s.best = q.Offset + q.Limit
	}
	defer s.dec.Close()
	for _, line := range reviews {
		s.reviews[line.ID] = line.Review
	}
	for _, piece := range slices.Backward(segments) {
		if q.Purpose != "" && piece.class.Purpose() != q.Purpose {
			continue
		}
		if err := s.read(ctx, piece); err != nil {
			return nil, err
		}
	}
	return s.result(), nil
}

// search is a search in progress.
type search struct {
	Query
	dir     string
	dec     *zstd.Decoder
	reviews map[ID]Review
	best    int // games to remember
	top     candidates
	names   map[string]bool
	found   Found
}

// read searches a segment.
func (s *search) read(ctx context.Context, piece segment) error {
	f, size, err := piece.open(s.dir)
	if f == nil {
		return err
	}
	defer f.Close()
	_, damaged, err := walk(f, size, func(h *header, at int64) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		data, err := readPart(f, h, at, false)
		if err != nil {
			return err
		}
		rows, err := decodeIndex(s.dec, h, data)
		if err != nil {
			s.found.Damaged++
			return nil
		}
		s.look(rows, ID{piece.class, piece.number, h.first})
		return nil
	})
	s.found.Damaged += damaged
	if err != nil {
		return fmt.Errorf("archive: %s: %w", piece.name(), err)
	}
	return nil
}

// look looks at the games of a block, the first of which has the ID.
func (s *search) look(rows *rows, id ID) {
	for _, a := range rows.agents {
		if len(s.names) < maxAgents {
			s.names[a.Name] = true
		}
	}
	for i := range s.matches(rows) {
		game := id.plus(i)
		review, reviewed := s.reviews[game]
		if s.Unjudged && review.Mistakes != nil {
			continue
		}
		s.found.Total++
		if reviewed {
			s.found.Reviewed++
		}
		if s.Sort != Worst || reviewed {
			s.remember(rows, i, game, review.Loss)
		}
	}
}

// plus is the ID of the game that is i games further in the segment.
func (id ID) plus(i int) ID { return ID{id.class, id.segment, id.number + uint32(i)} }

// matches yields the games of a block that are looked for.
func (q *Query) matches(rows *rows) iter.Seq[int] {
	var is, other [256]bool // by agent of the block
	known, met := false, false
	for i, a := range rows.agents {
		is[i], other[i] = a.Name == q.Agent, a.Name == q.Against
		known, met = known || is[i], met || other[i]
	}
	return func(yield func(int) bool) {
		if q.Agent != "" && !known || q.Against != "" && !met {
			return
		}
		for i := range rows.n {
			if q.fits(rows, i, &is, &other) && !yield(i) {
				return
			}
		}
	}
}

// fits reports whether game i of a block is looked for.
func (q *Query) fits(rows *rows, i int, is, other *[256]bool) bool {
	if steps := rows.steps(i); steps < q.Longer || q.Shorter > 0 && steps > q.Shorter {
		return false
	}
	if q.Match != "" && rows.match(i) != q.Match {
		return false
	}
	if q.Agent == "" {
		return true
	}
	sits, meets := false, q.Against == ""
	own, best := float32(math.Inf(-1)), float32(math.Inf(-1)) // highest returns: the agent's, others'
	for seat, a := range rows.sitting(i) {
		payoff := rows.payoff(i, seat)
		if is[a] {
			sits, own = true, max(own, payoff)
		} else {
			best = max(best, payoff)
		}
		meets = meets || other[a]
	}
	return sits && meets && (q.Result == "" || q.Result == resultOf(own, best))
}

// resultOf is the result of a seat with one return where the others have at most another.
func resultOf(own, best float32) string {
	switch {
	case own > best:
		return Won
	case own == best:
		return Drew
	}
	return Lost
}

// candidate is a game that may be among those shown.
type candidate struct {
	key     float64 // greater is shown first
	time    int64   // and among equals what is newer
	summary Summary
}

// before reports whether c is shown before another one.
func (c *candidate) before(o *candidate) bool {
	return cmp.Or(cmp.Compare(c.key, o.key), cmp.Compare(c.time, o.time), c.summary.ID.compare(o.summary.ID)) > 0
}

// compare orders games of the same time: by number within a segment.
func (id ID) compare(o ID) int {
	return cmp.Or(cmp.Compare(id.class, o.class), cmp.Compare(id.segment, o.segment), cmp.Compare(id.number, o.number))
}

// candidates is a heap whose first is shown last.
type candidates []candidate

func (c candidates) Len() int           { return len(c) }
func (c candidates) Less(i, j int) bool { return c[j].before(&c[i]) }
func (c candidates) Swap(i, j int)      { c[i], c[j] = c[j], c[i] }
func (c *candidates) Push(x any)        { *c = append(*c, x.(candidate)) }
func (c *candidates) Pop() any {
	last := (*c)[len(*c)-1]
	*c = (*c)[:len(*c)-1]
	return last
}

// remember keeps game i of a block if it is among the best so far.
func (s *search) remember(rows *rows, i int, id ID, loss float64) {
	c := candidate{time: rows.time(i)}
	c.summary.ID = id
	switch s.Sort {
	case Longest:
		c.key = float64(rows.steps(i))
	case Worst:
		c.key = loss
	default:
		c.key = float64(c.time)
	}
	full := len(s.top) == s.best
	if full && !c.before(&s.top[0]) {
		return
	}
	c.summary = rows.summary(i, id)
	if full {
		s.top[0] = c
		heap.Fix(&s.top, 0)
		return
	}
	heap.Push(&s.top, c)
}

// result returns what was found.
func (s *search) result() *Found {
	slices.SortFunc(s.top, func(a, b candidate) int {
		if a.before(&b) {
			return -1
		}
		return 1
	})
	s.found.Games = []Summary{}
	for _, c := range s.top[min(s.Offset, len(s.top)):] {
		if review, found := s.reviews[c.summary.ID]; found {
			c.summary.Review = &review
		}
		s.found.Games = append(s.found.Games, c.summary)
	}
	s.found.Agents = slices.Sorted(maps.Keys(s.names))
	return &s.found
}
