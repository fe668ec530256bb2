package solve

import "croupier/games/banluck"

// Profile is a strategy of all seats, by what they know. What the dealer sees of the players is
// a number: with one player his cards − 2, else that of a class of a [Crowd].
type Profile struct {
	Player [hands]float64   // by hand: the player hits
	Dealer [][hands]float64 // by what the dealer sees and his own hand: the dealer hits
	GoesOn []float64        // by surrenderable hand: the dealer does not surrender
}

// newProfile returns the profile in which nobody hits and the dealer always surrenders.
func (t *HeadsUp) newProfile(sights int) *Profile {
	return &Profile{Dealer: make([][hands]float64, sights), GoesOn: make([]float64, len(t.surrenderable))}
}

// playerFlow is a plan of the player, by hand.
type playerFlow struct {
	reach [hands]float64
	ends  [hands]float64 // the part of reach that takes no further card
}

// dealerFlow is a plan of the dealer, by what he sees of the players.
type dealerFlow struct {
	goesOn []float64 // by surrenderable hand
	reach  [][hands]float64
	stops  [][]float64 // by column: the part of reach that takes no further card
}

func (t *HeadsUp) newDealerFlow(sights int) *dealerFlow {
	f := &dealerFlow{
		goesOn: make([]float64, len(t.surrenderable)), reach: make([][hands]float64, sights),
		stops: make([][]float64, sights),
	}
	for k := range f.stops {
		f.stops[k] = make([]float64, len(t.columns))
	}
	return f
}

// flowOf returns the plan of the dealer's side of a profile.
func (t *HeadsUp) flowOf(p *Profile) *dealerFlow {
	f := t.newDealerFlow(len(p.Dealer))
	t.flowDealer(p.Dealer, p.GoesOn, f)
	return f
}

// flowPlayer writes the plan of a strategy.
func (t *HeadsUp) flowPlayer(hits *[hands]float64, f *playerFlow) {
	for _, h := range t.players {
		f.reach[h] = 0
		if h.Size() == dealt {
			f.reach[h] = orders(h)
		}
	}
	for _, h := range t.players {
		f.ends[h] = f.reach[h]
		if t.player[h] == choice {
			t.pass(&f.reach, h, f.reach[h]*hits[h], &t.player)
			f.ends[h] *= 1 - hits[h]
		}
	}
}

// flowDealer writes the plan of a strategy.
func (t *HeadsUp) flowDealer(hits [][hands]float64, goesOn []float64, f *dealerFlow) {
	copy(f.goesOn, goesOn)
	for k := range hits {
		reach, hits := &f.reach[k], &hits[k]
		for _, d := range t.dealers {
			reach[d] = 0
			if d.Size() == dealt {
				reach[d] = orders(d)
			}
		}
		for i, d := range t.surrenderable {
			reach[d] *= goesOn[i]
		}
		for _, d := range t.dealers {
			switch t.dealer[d] {
			case draws:
				t.pass(reach, d, reach[d], &t.dealer)
			case choice:
				t.pass(reach, d, reach[d]*hits[d], &t.dealer)
				f.stops[k][t.column[d]] = reach[d] * (1 - hits[d])
			default:
				f.stops[k][t.column[d]] = reach[d]
			}
		}
	}
}

// pass adds flow to all hands that follow from h.
func (t *HeadsUp) pass(reach *[hands]float64, h banluck.Hand, flow float64, roles *[hands]role) {
	for value := range values {
		if next := h.With(value); roles[next] != never {
			reach[next] += flow
		}
	}
}

// The values below are the player's results times the odds, against the other seat's plan.
// Divided by the probability of what the seat knows, they are in units.

// meets is the probability, by the odds and the dealer's plan, that play reaches the player's
// hand.
func (t *HeadsUp) meets(h banluck.Hand, goesOn []float64) float64 {
	return meets(t.matrix().meetings[h], goesOn)
}

// meets is the sum of an element of meetings under the dealer's plan.
func meets(meetings, goesOn []float64) float64 {
	sum := meetings[0]
	for i, p := range goesOn {
		sum += p * meetings[1+i]
	}
	return sum
}

// endPlayer writes what each hand of the player is worth if he takes no further card.
func (t *HeadsUp) endPlayer(f *dealerFlow, end *[hands]float64) {
	m := t.matrix()
	for _, h := range t.players {
		if t.player[h] == bust {
			end[h] = -meets(m.meetings[h], f.goesOn)
			continue
		}
		end[h] = dot(m.payoff[t.row[h]], f.stops[h.Size()-dealt])
	}
}

func dot(a, b []float64) (sum float64) {
	b = b[:len(a)]
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}

// endDealer writes, by the player's cards − 2, what each hand of the dealer is worth if he takes
// no further card.
func (t *HeadsUp) endDealer(f *playerFlow, end [][hands]float64, scratch []float64) {
	m := t.matrix()
	for k := range sizes {
		clear(scratch)
		for _, h := range t.rows[k] {
			flow := f.ends[h]
			if flow == 0 {
				continue
			}
			for column, payoff := range m.payoff[t.row[h]] {
				scratch[column] += flow * payoff
			}
		}
		for column, d := range t.columns {
			end[k][d] = scratch[column]
		}
	}
}

// after is the sum of the values of the hands that follow from h.
func after(value *[hands]float64, h banluck.Hand) (sum float64) {
	for v := range values {
		sum += value[h.With(v)]
	}
	return sum
}

// deal is the player's result over all deals, where value is the value of his hands.
func (t *HeadsUp) deal(f *dealerFlow, value *[hands]float64) float64 {
	sum := t.before
	for i, p := range f.goesOn {
		sum += p * t.bonuses[i]
	}
	for _, h := range t.pairs {
		sum += orders(h) * value[h]
	}
	return sum
}

// goOn is what each surrenderable hand is worth if the dealer plays on, where value is the
// value of his hands.
func (t *HeadsUp) goOn(f *playerFlow, value [][hands]float64, dst []float64) {
	for i, d := range t.surrenderable {
		dst[i] = t.bonuses[i] - t.busts(f, 1+i)
		for k := range sizes {
			dst[i] += orders(d) * value[k][d]
		}
	}
}

// busts is the probability, by the odds and the player's plan, that the player is bust against
// the dealer's pairs at index at of meetings.
func (t *HeadsUp) busts(f *playerFlow, at int) (sum float64) {
	meetings := t.matrix().meetings
	for _, h := range t.players {
		if t.player[h] == bust {
			sum += f.ends[h] * meetings[h][at]
		}
	}
	return sum
}
