package solve

import (
	"slices"
	"sync"

	"croupier/games/banluck"
)

// lookup is a solution as those who play it need it: the strategies, and what the choices are worth. It can be opened
// from kept [Tables] without the tables of hands that solving takes.
type lookup struct {
	crowd   *Crowd // without its views
	profile *Profile
	player  *playerFlow
	opened  [4]*opened // by number of players with two cards who are left by a reveal
	answers func() *Answers
	whole   func() *CrowdSolution // what only a reveal of others' cards needs
}

// Answers are the sums over all deals from which follows what each choice is worth.
type Answers struct {
	Meets  [][]float64 // by view and hand of the player: see view.meets
	Stands [][]Outlook // by view and winning hand: what the player gets by taking no further card
	// Stops and Hits are, by class and choice of the dealer, what these are worth to him.
	Stops, Hits [][]Outlook
	Faces       [][]facing
	GoesOn      []Outlook // by surrenderable hand: what playing on is worth to the dealer
}

// lookup returns the solution for those who play it.
func (s *CrowdSolution) lookup() *lookup {
	return &lookup{
		crowd: s.crowd, profile: s.profile, player: &s.player, opened: s.opened, answers: s.answers,
		whole: func() *CrowdSolution { return s },
	}
}

// newAnswers computes the answers to everything.
func (s *CrowdSolution) newAnswers() *Answers {
	c, a := s.crowd, &Answers{Faces: s.faced()}
	for i := range c.views {
		v := &c.views[i]
		meets, stands := make([]float64, len(c.players)), make([]Outlook, len(c.winning))
		for j, h := range c.players {
			meets[j] = v.meets(h, s.dealer.goesOn)
		}
		for j, h := range c.winning {
			stands[j] = s.stand(v, h)
		}
		a.Meets, a.Stands = append(a.Meets, meets), append(a.Stands, stands)
	}
	for class := range c.classes {
		stops, hits := make([]Outlook, len(c.choices)), make([]Outlook, len(c.choices))
		for i, d := range c.choices {
			stops[i], hits[i] = s.dealerOutlook(class, d)
		}
		a.Stops, a.Hits = append(a.Stops, stops), append(a.Hits, hits)
	}
	for _, d := range c.surrenderable {
		a.GoesOn = append(a.GoesOn, s.goOnOutlook(d))
	}
	return a
}

// open returns the solution that the tables hold. What they do not hold is computed when it is asked for.
func (t *Tables) open(c *Crowd) *lookup {
	p := t.Profile
	l := &lookup{
		crowd: c, profile: p, player: &playerFlow{}, answers: func() *Answers { return t.Answers },
		whole: sync.OnceValue(func() *CrowdSolution { return t.solution(c) }),
	}
	c.flowPlayer(&p.Player, l.player)
	for left := range l.opened {
		l.opened[left] = c.newOpened(&p.Player, left)
	}
	return l
}

// solution is the whole solution of the tables.
func (t *Tables) solution(c *Crowd) *CrowdSolution {
	whole, o := *c, DefaultCrowdOptions()
	whole.look(&t.Seen, o.Draws, o.Seed)
	s := whole.solution(t.Profile, Point{EV: t.EV, Exploitability: t.Exploitability, Iterations: t.Iterations})
	s.alone, s.seen = t.Alone, t.Seen
	return s
}

// fit reports whether the tables are of the game.
func (t *Tables) fit(c *Crowd) bool {
	p, a, views := t.Profile, t.Answers, len(allCounts(c.number-1))
	return p != nil && a != nil && len(p.Dealer) == len(c.classes) && len(p.GoesOn) == len(c.surrenderable) &&
		fits(a.Meets, views, len(c.players)) && fits(a.Stands, views, len(c.winning)) &&
		fits(a.Stops, len(c.classes), len(c.choices)) && fits(a.Hits, len(c.classes), len(c.choices)) &&
		fits(a.Faces, len(c.classes), len(c.choices)) && len(a.GoesOn) == len(c.surrenderable)
}

// fits reports whether a table has these numbers of rows and columns.
func fits[T any](table [][]T, rows, columns int) bool {
	return len(table) == rows && !slices.ContainsFunc(table, func(row []T) bool { return len(row) != columns })
}

// prospect is what a hand of the player is worth by standing and by hitting, in the sense of
// HeadsUp.endPlayer.
type prospect struct{ stop, hit Outlook }

// best returns the better choice of the two, or standing if there is none.
func (p *prospect) best(chooses bool) *Outlook {
	if chooses && p.hit.Value > p.stop.Value {
		return &p.hit
	}
	return &p.stop
}

// playerOutlook is what standing and hitting are worth to a player with a hand who has seen what
// the weights of the views say.
func (l *lookup) playerOutlook(h banluck.Hand, weights []float64) (stop, hit Outlook) {
	mass := 0.0
	for i, weight := range weights {
		mass += weight * l.meets(i, h)
	}
	p := l.prospect(h, weights, map[banluck.Hand]*prospect{})
	stop.add(&p.stop, 1/mass)
	hit.add(&p.hit, 1/mass)
	return stop, hit
}

// meets is the probability, by the odds and the dealer's plan, that play reaches the player's
// hand in a view.
func (l *lookup) meets(view int, h banluck.Hand) float64 {
	at, _ := slices.BinarySearch(l.crowd.players, h)
	return l.answers().Meets[view][at]
}

func (l *lookup) prospect(h banluck.Hand, weights []float64, known map[banluck.Hand]*prospect) *prospect {
	if p := known[h]; p != nil {
		return p
	}
	c, p := l.crowd, &prospect{}
	known[h] = p
	for i, weight := range weights {
		if weight > 0 {
			l.stand(i, h, weight, &p.stop)
		}
	}
	if c.player[h] == choice {
		for value := range values {
			if next := h.With(value); c.player[next] != never {
				p.hit.add(l.prospect(next, weights, known).best(c.player[next] == choice), 1)
			}
		}
	}
	return p
}

// stand adds what a hand gets in a view if the player takes no further card.
func (l *lookup) stand(view int, h banluck.Hand, weight float64, o *Outlook) {
	c := l.crowd
	if at, wins := slices.BinarySearch(c.winning, h); wins {
		o.add(&l.answers().Stands[view][at], weight)
		return
	}
	p := weight * l.meets(view, h)
	o.settle(-1, p)
	if c.player[h] == bust {
		o.Bust += p
	}
}

// dealerOutlook is what stopping and hitting are worth to the dealer with d against a class.
func (l *lookup) dealerOutlook(class int, d banluck.Hand) (stop, hit Outlook) {
	a, at := l.answers(), slices.Index(l.crowd.choices, d)
	return a.Stops[class][at], a.Hits[class][at]
}

// goOnOutlook is what not surrendering is worth to the dealer.
func (l *lookup) goOnOutlook(d banluck.Hand) Outlook {
	return l.answers().GoesOn[slices.Index(l.crowd.surrenderable, d)]
}

// faces returns what the dealer with d, who may choose, knows of a class.
func (l *lookup) faces(class int, d banluck.Hand) *facing {
	return &l.answers().Faces[class][slices.Index(l.crowd.choices, d)]
}
