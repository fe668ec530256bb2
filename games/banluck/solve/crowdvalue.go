package solve

import (
	"slices"

	"croupier/games/banluck"
)

// Outlook is what can come of a choice: the seat's expected result in units, and the chances of
// what happens, with the seat's best play afterwards. For the dealer, who plays against several,
// the result is that against all, Win, Push and Lose are those against one unsettled player, and
// Bust and Dealer hold against one who is not bust.
type Outlook struct {
	Value           float64
	Win, Push, Lose float64         // Lose includes a bust
	Bust            float64         // of the seat itself
	Dealer          [totals]float64 // how the dealer ends
}

// totals is the number of totals that are distinguished where a turn ends: 15 or less, 16 to 21, and
// more.
const totals = limit - mustDraw + 2

// ending is the index of a total among those.
func ending(total int8) int { return min(max(int(total)-mustDraw, 0), totals-1) }

func (o *Outlook) add(other *Outlook, weight float64) {
	o.Value += weight * other.Value
	o.Win += weight * other.Win
	o.Push += weight * other.Push
	o.Lose += weight * other.Lose
	o.Bust += weight * other.Bust
	for i, p := range other.Dealer {
		o.Dealer[i] += weight * p
	}
}

// settle adds a result of the player that has a probability.
func (o *Outlook) settle(units, p float64) {
	o.Value += units * p
	switch {
	case units > 0:
		o.Win += p
	case units < 0:
		o.Lose += p
	default:
		o.Push += p
	}
}

// stand is what a hand that is not lost gets in a view if the player takes no further card.
func (s *CrowdSolution) stand(v *view, h banluck.Hand) (o Outlook) {
	c := s.crowd
	stops, pays := s.dealer.stops[v.class[h.Size()-dealt]], c.pays[h]
	for column, union := range c.met[h] {
		p := stops[column] * v.odds[union]
		o.settle(float64(pays[column]), p)
		o.Dealer[ending(c.HeadsUp.game.Worth(c.columns[column]).Total)] += p
	}
	return o
}

// facing is what the dealer with some hand knows of the players of a class, by the odds: the
// sums are over the unsettled players, taken one at a time.
type facing struct {
	Mass   float64                // that he has to act
	Lost   float64                // the part in which the player has lost anyway
	Totals [sizes][totals]float64 // by cards − 2
}

// face is, by class and choice of the dealer, what he knows of the players.
func (s *CrowdSolution) face() [][]facing {
	c := s.crowd
	all := make([][]facing, len(c.classes))
	for class := range all {
		all[class] = make([]facing, len(c.choices))
	}
	for i := range c.views {
		v := &c.views[i]
		for _, h := range c.players {
			k, flow := h.Size()-dealt, s.player.ends[h]
			if flow == 0 {
				continue
			}
			total := c.HeadsUp.game.Worth(h).Total
			for at, union := range c.faced[h] {
				odds := v.odds[union]
				if total > limit {
					odds -= v.dead[union]
				}
				all[v.class[k]][at].add(k, total, flow*odds, c.lost(h))
			}
		}
	}
	return all
}

// add adds a player with 2 + k cards, with a probability.
func (f *facing) add(k int, total int8, p float64, lost bool) {
	f.Mass += p
	f.Totals[k][ending(total)] += p
	if lost {
		f.Lost += p
	}
}

// faces returns what the dealer with d, who may choose, knows of a class.
func (s *CrowdSolution) faces(class int, d banluck.Hand) *facing {
	return &s.faced()[class][slices.Index(s.crowd.choices, d)]
}

// dealerOutlook is what stopping and hitting are worth to the dealer with d against a class.
func (s *CrowdSolution) dealerOutlook(class int, d banluck.Hand) (stop, hit Outlook) {
	f := s.faces(class, d)
	scale := func(o Outlook) (scaled Outlook) {
		o.settle(-1, f.Lost)
		scaled.add(&o, 1/f.Mass)
		scaled.Value *= -float64(s.crowd.classes[class].unsettled())
		scaled.Win, scaled.Lose = scaled.Lose, scaled.Win
		open := f.Mass / (f.Mass - f.Lost)
		scaled.Bust *= open
		for i := range scaled.Dealer {
			scaled.Dealer[i] *= open
		}
		return scaled
	}
	stopped := s.stopped(class, d)
	var drawn Outlook
	for value := range values {
		if next := d.With(value); s.crowd.dealer[next] != never {
			o := s.ahead(class, next)
			drawn.add(&o, 1)
		}
	}
	return scale(stopped), scale(drawn)
}

// settled is, by class and column, with what chances the players who are not bust win,
// push and lose if the dealer stops.
type settled [][][3]float64

func (s *CrowdSolution) settle() settled {
	c := s.crowd
	chances := make(settled, len(c.classes))
	for class := range chances {
		chances[class] = make([][3]float64, len(c.columns))
	}
	for i := range c.views {
		v := &c.views[i]
		for _, h := range c.winning {
			flow := s.player.ends[h]
			if flow == 0 {
				continue
			}
			dst, pays := chances[v.class[h.Size()-dealt]], c.pays[h]
			for column, union := range c.met[h] {
				dst[column][1-sign(pays[column])] += flow * v.odds[union]
			}
		}
	}
	return chances
}

func sign(pays int8) int {
	switch {
	case pays > 0:
		return 1
	case pays < 0:
		return -1
	}
	return 0
}

// stopped is what the dealer's stopping with d gives the players who are not bust.
func (s *CrowdSolution) stopped(class int, d banluck.Hand) (o Outlook) {
	chances := s.settled()[class][s.crowd.column[d]]
	o.Value, o.Win, o.Push, o.Lose = s.against.end[class][d], chances[0], chances[1], chances[2]
	end := ending(s.crowd.HeadsUp.game.Worth(d).Total)
	o.Dealer[end] = o.Win + o.Push + o.Lose
	if end == len(o.Dealer)-1 {
		o.Bust = o.Dealer[end]
	}
	return o
}

// ahead is what follows once the dealer has d, with his best play.
func (s *CrowdSolution) ahead(class int, d banluck.Hand) (o Outlook) {
	c := s.crowd
	if c.dealer[d] == ends || c.dealer[d] == choice && !s.against.draws(class, d) {
		return s.stopped(class, d)
	}
	for value := range values {
		if next := d.With(value); c.dealer[next] != never {
			after := s.ahead(class, next)
			o.add(&after, 1)
		}
	}
	return o
}

// goOnOutlook is what not surrendering is worth to the dealer.
func (c *CrowdSolution) goOnOutlook(d banluck.Hand) (o Outlook) {
	t := c.crowd
	at := slices.Index(t.surrenderable, d)
	chance := orders(d) * t.odds.of(d, 0)
	o.Value = -float64(c.Players) * c.against.goOn[at] / chance
	for class := range t.classes {
		ahead := c.ahead(class, d)
		o.add(&Outlook{Bust: ahead.Bust, Dealer: ahead.Dealer}, orders(d)/chance)
	}
	return o
}

// revealValue is what revealing is worth to the dealer with d against a class in which some are
// opened and others left.
func (s *CrowdSolution) revealValue(class int, d banluck.Hand) float64 {
	c, f := s.crowd, s.faces(class, d)
	at, sum := slices.Index(c.choices, d), -f.Lost
	value := make([]float64, len(c.choices))
	odds, scratch := make([]float64, len(c.unions.parent)), make([]float64, len(c.unions.parent))
	for i := range c.views {
		v := &c.views[i]
		for k := 1; k < sizes; k++ {
			if v.class[k] == class {
				c.revealLong(v, k, &s.player, value)
			}
		}
		if v.class[0] != class {
			continue
		}
		for _, company := range v.companies {
			sum += c.disclose(s.profile, company, odds, scratch).value(d, &s.player)
		}
	}
	return -float64(c.classes[class].unsettled()) * (sum + value[at]) / f.Mass
}
