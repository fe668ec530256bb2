package league

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"croupier/internal/durable"
	"croupier/internal/stat"
	"croupier/messages"
	"croupier/policy"
)

// Anchor is the agent whose rating is 0, where it takes part.
const Anchor = policy.RandomName

// standing is a ladder with what scheduling and matchmaking need of it.
type standing struct {
	ladder  *messages.Ladder
	index   map[string]int // of the agents in ratings
	ratings *ratings
	anchor  int // -1: none
}

// rate puts the agents, in whatever order, on a ladder.
func (b *book) rate(agents []string, kind func(string) string, best string) (*standing, error) {
	agents = slices.Clone(agents)
	slices.Sort(agents)
	s := &standing{index: make(map[string]int, len(agents)), anchor: -1}
	for i, name := range agents {
		s.index[name] = i
		if name == Anchor {
			s.anchor = i
		}
	}
	games := make([]uint64, len(agents))
	var data []comparison
	for i, x := range agents {
		for j := i + 1; j < len(agents); j++ {
			c := b.pair(x, agents[j]).total()
			if c.Sets == 0 {
				continue
			}
			data = append(data, c.compare(i, j, b.spec.Seats))
			played := b.played(c.Sets)
			games[i] += played
			games[j] += played
		}
	}
	var err error
	if s.ratings, err = rate(len(agents), b.spec.Seats, data); err != nil {
		return nil, err
	}
	s.ladder = &messages.Ladder{Game: b.spec.Name, Agents: make([]messages.LadderAgent, len(agents)), Payoff: []messages.Payoff{}, Figures: b.spec.Figures}
	for i, name := range agents {
		r := s.ratings.elo(i, s.anchor).Rounded()
		s.ladder.Agents[i] = messages.LadderAgent{
			Name: name, Kind: kind(name), Rating: r.Value, Low: r.Low, High: r.High,
			Games: games[i], Best: name == best, Figures: b.figuresOf(name),
		}
	}
	slices.SortStableFunc(s.ladder.Agents, func(x, y messages.LadderAgent) int { return cmp.Compare(y.Rating, x.Rating) })
	b.addPayoffs(s.ladder)
	return s, nil
}

// addPayoffs fills in the payoff matrix of the ladder's agents.
func (b *book) addPayoffs(l *messages.Ladder) {
	for _, x := range l.Agents {
		for _, y := range l.Agents {
			f := b.focal(x.Name, y.Name)
			if f.sets == 0 {
				continue
			}
			mean, share := f.meanReturn().Rounded(), f.share().Rounded()
			l.Payoff = append(l.Payoff, messages.Payoff{
				A: x.Name, B: y.Name, Games: f.games(),
				MeanReturnA: mean.Value, Low: mean.Low, High: mean.High,
				ShareA: share.Value, ShareLow: share.Low, ShareHigh: share.High,
			})
		}
	}
}

// rating returns an agent's rating, and false for an agent that is not on the ladder.
func (s *standing) rating(name string) (stat.Interval, bool) {
	i, ok := s.index[name]
	if !ok {
		return stat.Interval{}, false
	}
	return s.ratings.elo(i, s.anchor), true
}

// fileName of the ladder in a run directory.
const fileName = "ladder.json"

// writeLadder writes the run directory's copy.
func writeLadder(dir string, l *messages.Ladder) error {
	doc, err := l.JSON()
	if err != nil {
		return err
	}
	return durable.WriteFile(filepath.Join(dir, fileName), doc)
}

// ErrNoLadder: the league of a run has not written a ladder yet.
var ErrNoLadder = errors.New("no ladder yet")

// ReadLadder reads the newest ladder of a run directory.
func ReadLadder(dir string) (*messages.Ladder, error) {
	path := filepath.Join(dir, fileName)
	doc, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w: the league writes it within seconds of its start", dir, ErrNoLadder)
	}
	if err != nil {
		return nil, fmt.Errorf("ladder: %w", err)
	}
	l, err := messages.ParseLadder(doc)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return l, nil
}
