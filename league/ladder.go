package league

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"gonum.org/v1/gonum/stat/distuv"

	"croupier/engine"
	"croupier/internal/durable"
	"croupier/internal/regular"
	"croupier/internal/sealed"
	"croupier/internal/stat"
	"croupier/messages"
)

// standing is a ladder with what scheduling and matchmaking need of it.
type standing struct {
	ladder  *messages.Ladder
	names   []string       // of the agents in ratings
	index   map[string]int // of these names
	ratings *ratings
	zero    int // agent whose rating is 0; -1: the mean of all
	// contradicted are the recorded results that the run's own are far from, which do not count.
	contradicted []Recorded
}

// listing says who is to be rated, and how.
type listing struct {
	agents []string // in whatever order
	kind   func(name string) string
	zero   string // agent whose rating is to be 0
	best   string // agent that has passed the gate, or ""
}

// rate puts agents on a ladder: those that have played, in the run or as recorded, and the best. Of the others nothing
// is known.
func (b *book) rate(l listing) (*standing, error) {
	agents := slices.Clone(l.agents)
	slices.Sort(agents)
	s := &standing{names: agents, index: make(map[string]int, len(agents)), zero: slices.Index(agents, l.zero)}
	for i, name := range agents {
		s.index[name] = i
	}
	data, games := b.compare(agents)
	data, s.contradicted = b.withRecorded(agents, data)
	var err error
	if s.ratings, err = rate(len(agents), newFamily(b.spec, data), data); err != nil {
		return nil, err
	}
	known := make([]bool, len(agents))
	for _, c := range data {
		known[c.a], known[c.b] = true, true
	}
	s.ladder = &messages.Ladder{
		Seats: b.spec.Seats,
		Game:  b.spec.Name, Scale: s.scale(b.spec, l.zero), Figures: b.spec.Figures,
		Agents: []messages.LadderAgent{},
	}
	var played []int
	for i := range agents {
		if known[i] {
			played = append(played, i)
		}
	}
	for i, name := range agents {
		if !known[i] && name != l.best {
			continue
		}
		s.ladder.Agents = append(s.ladder.Agents, s.rung(i, played, messages.LadderAgent{
			Name: name, Kind: l.kind(name), SHA256: b.weights[name].hex(), Games: games[i], Best: name == l.best, Figures: b.figuresOf(name),
		}, l.best))
	}
	slices.SortStableFunc(s.ladder.Agents, func(x, y messages.LadderAgent) int { return cmp.Compare(y.Rating, x.Rating) })
	b.addPayoffs(s, 2*len(data))
	return s, nil
}

// compare returns what the results say about each two agents that have met, and how many
// games each agent has played.
func (b *book) compare(agents []string) (data []comparison, games []uint64) {
	games = make([]uint64, len(agents))
	for i, x := range agents {
		for j := i + 1; j < len(agents); j++ {
			c := b.pair(x, agents[j]).total()
			if c.Sets == 0 {
				continue
			}
			data = append(data, c.compare(i, j, b.spec))
			played := b.played(c.Sets)
			games[i] += played
			games[j] += played
		}
	}
	return data, games
}

// withRecorded joins what the results say with what is recorded, unless that is contradicted.
func (b *book) withRecorded(agents []string, data []comparison) (joined []comparison, contradicted []Recorded) {
	if len(b.recorded) == 0 {
		return data, nil
	}
	f, at := newFamily(b.spec, data), map[[2]int]int{}
	for i, c := range data {
		at[[2]int{c.a, c.b}] = i
	}
	joined = slices.Clone(data)
	for i, x := range agents {
		for j, y := range agents[i+1:] {
			r, ok := b.recorded[newPairKey(x, y)]
			if !ok {
				continue
			}
			c := r.comparison(i, i+1+j, b.spec)
			own, played := at[[2]int{c.a, c.b}]
			switch {
			case !played:
				joined = append(joined, c)
			case data[own].contradicts(c, f):
				contradicted = append(contradicted, r)
			default:
				joined[own] = data[own].join(c)
			}
		}
	}
	return joined, contradicted
}

// scale says what the ratings mean.
func (s *standing) scale(spec *engine.Spec, zero string) messages.Scale {
	out := messages.Scale{Kind: messages.EloScale, Unit: Unit(spec), Zero: zero}
	if spec.Payoff == engine.Money {
		out.Kind, out.Decimals = messages.MoneyScale, moneyDecimals(spec)
		out.UnitMeaning = spec.UnitMeaning
	}
	if s.zero < 0 {
		out.Zero = messages.MeanZero
	}
	return out
}

// Unit names the unit of ratings on the game's ladders.
func Unit(spec *engine.Spec) string {
	if spec.Payoff == engine.Money {
		return spec.Unit + " per game"
	}
	return "Elo"
}

// moneyDecimals are those of thousandths of what histories write as a return of 1.
func moneyDecimals(spec *engine.Spec) int {
	return max(0, 3-int(math.Log10(max(1, spec.HistoryUnit))))
}

// rung adds what the ratings say to agent i of the ladder. It compares agents that have
// played.
func (s *standing) rung(i int, played []int, a messages.LadderAgent, best string) messages.LadderAgent {
	r := s.of(i).Rounded()
	a.Rating, a.Low, a.High = r.Value, r.Low, r.High
	if !slices.Contains(played, i) {
		return a
	}
	a.Places.First, a.Places.Last = s.ratings.places(i, played)
	difference := func(j int, ok bool) *messages.Interval {
		if !ok || i == j || !slices.Contains(played, j) {
			return nil
		}
		d := messages.Interval(s.ratings.above(i, j).Rounded())
		return &d
	}
	j, ok := s.index[best]
	a.ToBest = difference(j, ok)
	j, ok = s.previous(a.Name, played)
	a.ToPrevious = difference(j, ok)
	return a
}

// previous returns the newest of some agents that is an older version than a member and plays
// in the same way, false if there is none.
func (s *standing) previous(member string, among []int) (found int, ok bool) {
	order, isVersion := memberOrder(member)
	newest, way := uint64(0), strings.TrimSuffix(member, strconv.FormatUint(order, 10))
	for _, i := range among {
		n, another := memberOrder(s.names[i])
		if isVersion && another && strings.HasPrefix(s.names[i], way) && n < order && n > newest {
			found, newest, ok = i, n, true
		}
	}
	return found, ok
}

// addPayoffs fills in the payoff matrix of the ladder's agents, which has so many cells at most.
func (b *book) addPayoffs(s *standing, most int) {
	l := s.ladder
	l.Payoff = make([]messages.Payoff, 0, most)
	all := make([]focalSets, 0, most)
	for _, x := range l.Agents {
		for _, y := range l.Agents {
			if f := b.focal(x.Name, y.Name); f.sets > 0 {
				mean := f.meanReturn().Rounded()
				all = append(all, f)
				l.Payoff = append(l.Payoff, messages.Payoff{
					A: x.Name, B: y.Name, Games: f.games(), MeanReturnA: mean.Value, Low: mean.Low, High: mean.High,
				})
			}
		}
	}
	z := distuv.UnitNormal.Quantile(1 - 0.025/float64(max(1, len(all))))
	for i, f := range all {
		p := &l.Payoff[i]
		if b.spec.Payoff != engine.Money {
			share := f.share().Rounded()
			p.WinShare = &messages.WinShare{ShareA: share.Value, ShareLow: share.Low, ShareHigh: share.High}
		}
		difference, _ := s.ratings.difference(s.index[p.A], s.index[p.B])
		rated, _ := s.ratings.family.mean(difference)
		measured := f.results(float64(f.sets), b.spec).Mean
		p.Rated = stat.Interval{Value: rated}.Rounded().Value
		p.Off = math.Abs(measured-rated) > z*f.outcome().StandardError()
	}
}

// rating returns an agent's rating, and false for an agent that is not on the ladder.
func (s *standing) rating(name string) (stat.Interval, bool) {
	i, ok := s.index[name]
	if !ok {
		return stat.Interval{}, false
	}
	return s.of(i), true
}

// of returns the rating of agent i, whose difference to the zero is all that is known.
func (s *standing) of(i int) stat.Interval {
	if s.zero < 0 {
		return s.ratings.aboveMean(i)
	}
	return s.ratings.above(i, s.zero)
}

// LadderFile is the ladder in the directory of a run or tournament.
const LadderFile = "ladder.json"

// WriteLadder writes a run directory's copy.
func WriteLadder(dir string, l *messages.Ladder) error {
	_, err := writeLadder(dir, l)
	return err
}

// writeLadder writes a run directory's copy and returns its size in bytes.
func writeLadder(dir string, l *messages.Ladder) (bytes int, err error) {
	doc, err := sealed.Document(l)
	if err != nil {
		return 0, fmt.Errorf("ladder document: %w", err)
	}
	return len(doc), durable.WriteFile(filepath.Join(dir, LadderFile), doc)
}

// shown is the newest ladder for others.
type shown struct{ broker, file copyOf }

// copyOf is a copy of the newest ladder that follows it, as fast as its size allows.
type copyOf struct {
	next *messages.Ladder // nil: the newest is there
	due  time.Time        // when it may follow the one before it
}

// ladderRate bounds the bytes of ladders that are published in a second, and those that are written: a ladder of
// hundreds of agents takes megabytes, and every result changes it.
const ladderRate = 64 << 10

// take returns the ladder that is to follow now, nil for none.
func (c *copyOf) take(at time.Time, now bool) (next *messages.Ladder) {
	if now || !at.Before(c.due) {
		next, c.next = c.next, nil
	}
	return next
}

// done notes that a copy has been made of that many bytes.
func (c *copyOf) done(at time.Time, bytes int) {
	c.due = at.Add(time.Duration(bytes) * time.Second / ladderRate)
}

// showNext has a ladder follow the last one, and measures what it shows of the sets.
func (l *League) showNext(ladder *messages.Ladder) {
	l.shown.broker.next, l.shown.file.next = ladder, ladder
	if ratio, ok := l.core.setVarianceRatio(); ok {
		l.metrics.duplicates.Set(ratio)
	}
}

// showLadder publishes the newest ladder and writes the run directory's copy, each at once, or unless the last one was
// too large to be followed already. A failure to write is no reason to stop rating: the next ladder is another attempt.
func (l *League) showLadder(at time.Time, now bool) error {
	if ladder := l.shown.broker.take(at, now); ladder != nil {
		doc, err := ladder.Within(messages.MaxMessage)
		if err != nil {
			return err
		}
		l.shown.broker.done(at, len(doc))
		if len(doc) <= messages.MaxMessage {
			l.outbox.put(messages.LadderKey, doc)
		} else {
			l.log.Error("ladder too large for the broker: lower league.ladder_members", "bytes", len(doc))
		}
	}
	if ladder := l.shown.file.take(at, now); ladder != nil && l.o.Dir != "" {
		bytes, err := writeLadder(l.o.Dir, ladder)
		l.shown.file.done(at, bytes)
		l.note("ladder not written", "ladder written again", err)
	}
	return nil
}

// ErrNoLadder: the league of a run has not written a ladder yet.
var ErrNoLadder = errors.New("no ladder yet")

// maxLadder is more bytes than a ladder of thousands of agents takes.
const maxLadder = 256 << 20

// ReadLadder reads the newest ladder of a run directory.
func ReadLadder(dir string) (*messages.Ladder, error) {
	path := filepath.Join(dir, LadderFile)
	doc, err := regular.Read(path, maxLadder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w: the league writes it within seconds of its start", dir, ErrNoLadder)
	}
	if err != nil {
		return nil, fmt.Errorf("ladder: %w", err)
	}
	l, _, err := openLadder(doc)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return l, nil
}

// openLadder reads a run directory's copy.
func openLadder(doc []byte) (l *messages.Ladder, c sealed.Condition, err error) {
	var content json.RawMessage
	if c, err = sealed.OpenDocument(doc, &content); err == nil {
		l, err = messages.ParseLadder(content)
	}
	return l, c, err
}
