package league

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/jedib0t/go-pretty/v6/table"

	"croupier/durable"
	"croupier/texttable"
)

// Anchor is the agent whose rating is 0, where it takes part.
const Anchor = "random"

// Ladder is the document that says how agents stand to each other.
type Ladder struct {
	Game string `json:"game"`
	// Agents by falling rating; equal ones by name.
	Agents []Agent `json:"agents"`
	// Payoff is a matrix: an entry for each two agents that have met, A alone among
	// Bs, in the order of Agents. B among As is another entry; with two seats it
	// is the same games seen from the other side.
	Payoff []Payoff `json:"payoff"`
}

// Agent is one rung.
type Agent struct {
	Name string `json:"name"`
	Kind string `json:"kind"` // network, bot or solver
	// Rating in Elo (Anchor has 0; without it the mean is 0) and its 95 % interval.
	Rating float64 `json:"rating"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	Games  uint64  `json:"games"` // in which it took part
	Best   bool    `json:"best"`  // it has passed the gate
}

// Payoff is what agent A got as the only one of its kind among Bs.
type Payoff struct {
	A     string `json:"a"`
	B     string `json:"b"`
	Games uint64 `json:"games"`
	// Mean return in the game's unit and its 95 % interval (by sets).
	MeanReturnA float64 `json:"mean_return_a"`
	Low         float64 `json:"low"`
	High        float64 `json:"high"`
	// Mean share of the win (parity is 1/seats) and its 95 % interval.
	ShareA    float64 `json:"share_a"`
	ShareLow  float64 `json:"share_low"`
	ShareHigh float64 `json:"share_high"`
}

// standing is a ladder with what scheduling and matchmaking need of it.
type standing struct {
	ladder  *Ladder
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
			played := c.Sets * uint64(b.spec.Seats)
			if b.spec.Seats > 2 {
				played *= 2
			}
			games[i] += played
			games[j] += played
		}
	}
	var err error
	if s.ratings, err = rate(len(agents), b.spec.Seats, data); err != nil {
		return nil, err
	}
	s.ladder = &Ladder{Game: b.spec.Name, Agents: make([]Agent, len(agents)), Payoff: []Payoff{}}
	for i, name := range agents {
		r := s.ratings.elo(i, s.anchor).rounded()
		s.ladder.Agents[i] = Agent{
			Name: name, Kind: kind(name), Rating: r.Value, Low: r.Low, High: r.High,
			Games: games[i], Best: name == best,
		}
	}
	slices.SortStableFunc(s.ladder.Agents, func(x, y Agent) int { return cmp.Compare(y.Rating, x.Rating) })
	b.addPayoffs(s.ladder)
	return s, nil
}

// addPayoffs fills in the payoff matrix of the ladder's agents.
func (b *book) addPayoffs(l *Ladder) {
	for _, x := range l.Agents {
		for _, y := range l.Agents {
			f := b.focal(x.Name, y.Name)
			if f.sets == 0 {
				continue
			}
			mean, share := f.meanReturn().rounded(), f.share().rounded()
			l.Payoff = append(l.Payoff, Payoff{
				A: x.Name, B: y.Name, Games: f.games(),
				MeanReturnA: mean.Value, Low: mean.Low, High: mean.High,
				ShareA: share.Value, ShareLow: share.Low, ShareHigh: share.High,
			})
		}
	}
}

// rating returns an agent's rating, and false for an agent that is not on the ladder.
func (s *standing) rating(name string) (Interval, bool) {
	i, ok := s.index[name]
	if !ok {
		return Interval{}, false
	}
	return s.ratings.elo(i, s.anchor), true
}

// fileName of the ladder in a run directory.
const fileName = "ladder.json"

// JSON returns the document, indented for people.
func (l *Ladder) JSON() ([]byte, error) {
	doc, err := json.MarshalIndent(l, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("ladder: %w", err)
	}
	return append(doc, '\n'), nil
}

func (l *Ladder) write(dir string) error {
	doc, err := l.JSON()
	if err != nil {
		return err
	}
	return durable.WriteFile(filepath.Join(dir, fileName), doc)
}

// ParseLadder reads the document.
func ParseLadder(doc []byte) (*Ladder, error) {
	l := &Ladder{}
	if err := json.Unmarshal(doc, l); err != nil {
		return nil, fmt.Errorf("ladder: %w", err)
	}
	return l, nil
}

// ErrNoLadder: the league of a run has not written a ladder yet.
var ErrNoLadder = errors.New("no ladder yet")

// ReadLadder reads the newest ladder of a run directory.
func ReadLadder(dir string) (*Ladder, error) {
	path := filepath.Join(dir, fileName)
	doc, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w: the league writes it within seconds of its start", dir, ErrNoLadder)
	}
	if err != nil {
		return nil, fmt.Errorf("ladder: %w", err)
	}
	l, err := ParseLadder(doc)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return l, nil
}

// Render writes the ladder as tables for people. Of the payoff matrix it shows how
// the best and the newest version fare against each other and against bots and
// solvers; all of it where there is no best.
func (l *Ladder) Render(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%s: ratings in Elo\n%s\n", l.Game, l.ratingTable().Render())
	if payoff := l.payoffTable(); err == nil && payoff.Length() > 0 {
		_, err = fmt.Fprintf(w, "\nOne agent among others of one kind\n%s\n", payoff.Render())
	}
	return err
}

func (l *Ladder) ratingTable() table.Writer {
	t := texttable.New(1, 3, 4, 5)
	t.AppendHeader(table.Row{"", "agent", "kind", "rating", "95 % interval", "games", ""})
	for i, a := range l.Agents {
		mark := ""
		if a.Best {
			mark = "best"
		}
		t.AppendRow(table.Row{
			i + 1, a.Name, a.Kind, fmt.Sprintf("%.0f", a.Rating), fmt.Sprintf("%.0f … %.0f", a.Low, a.High), a.Games, mark,
		})
	}
	return t
}

func (l *Ladder) payoffTable() table.Writer {
	newest := l.newest()
	all := !slices.ContainsFunc(l.Agents, func(a Agent) bool { return a.Best })
	rows, columns := map[string]bool{}, map[string]bool{}
	for _, a := range l.Agents {
		rows[a.Name] = all || a.Best || a.Name == newest
		columns[a.Name] = rows[a.Name] || !isMember(a.Name)
	}
	t := texttable.New(2, 3, 4, 5, 6)
	t.AppendHeader(table.Row{"one", "among", "games", "share of wins", "95 % interval", "mean return", "95 % interval"})
	for _, p := range l.Payoff {
		if rows[p.A] && columns[p.B] {
			t.AppendRow(table.Row{
				p.A, p.B, p.Games, fmt.Sprintf("%.3f", p.ShareA), fmt.Sprintf("%.3f … %.3f", p.ShareLow, p.ShareHigh),
				fmt.Sprintf("%+.3f", p.MeanReturnA), fmt.Sprintf("%+.3f … %+.3f", p.Low, p.High),
			})
		}
	}
	return t
}

// newest returns the name of the member that joined last, "" without members.
func (l *Ladder) newest() string {
	name, newest := "", uint64(0)
	for _, a := range l.Agents {
		if order, ok := memberOrder(a.Name); ok && order > newest {
			name, newest = a.Name, order
		}
	}
	return name
}
