package solve

import (
	"maps"
	"slices"
	"sync"

	"croupier/games/banluck"
	"croupier/internal/stat"
)

// playerValue is what the player's hands are worth with best play, in the sense of endPlayer.
type playerValue struct{ end, hit, best [hands]float64 }

// bestPlayer fills in the values against a plan of the dealer.
func (t *HeadsUp) bestPlayer(f *dealerFlow, v *playerValue) {
	t.endPlayer(f, &v.end)
	t.choose(v)
}

// choose fills in what hitting and playing best is worth, given what standing is.
func (t *HeadsUp) choose(v *playerValue) {
	for i := len(t.players) - 1; i >= 0; i-- {
		h := t.players[i]
		v.best[h] = v.end[h]
		if t.player[h] == choice {
			v.hit[h] = after(&v.best, h)
			v.best[h] = max(v.end[h], v.hit[h])
		}
	}
}

// dealerValue is what the dealer's hands are worth to the player if the dealer plays his best,
// by what he sees of the players.
type dealerValue struct {
	end, hit, best [][hands]float64
	goOn           []float64 // by surrenderable hand
}

func (t *HeadsUp) newDealerValue(sights int) *dealerValue {
	v := &dealerValue{goOn: make([]float64, len(t.surrenderable))}
	for _, dst := range []*[][hands]float64{&v.end, &v.hit, &v.best} {
		*dst = make([][hands]float64, sights)
	}
	return v
}

// bestDealer fills in the values against a plan of the player.
func (t *HeadsUp) bestDealer(f *playerFlow, v *dealerValue) {
	t.endDealer(f, v.end, make([]float64, len(t.columns)))
	t.respond(v)
	t.goOn(f, v.best, v.goOn)
}

// respond fills in what hitting and playing best is worth, given what stopping is.
func (t *HeadsUp) respond(v *dealerValue) {
	for k := range v.best {
		best := &v.best[k]
		for i := len(t.dealers) - 1; i >= 0; i-- {
			d := t.dealers[i]
			switch t.dealer[d] {
			case draws:
				best[d] = after(best, d)
			case choice:
				v.hit[k][d] = after(best, d)
				best[d] = min(v.end[k][d], v.hit[k][d])
			default:
				best[d] = v.end[k][d]
			}
		}
	}
}

// bestResponses returns the player's expected result if the dealer, or if the player,
// plays a best response to the other's strategy.
func (t *HeadsUp) bestResponses(p *Profile) (low, high float64) {
	dealer, player := t.flowOf(p), &playerFlow{}
	t.flowPlayer(&p.Player, player)

	byPlayer := &playerValue{}
	t.bestPlayer(dealer, byPlayer)
	high = t.deal(dealer, &byPlayer.best)

	byDealer := t.newDealerValue(sizes)
	t.bestDealer(player, byDealer)
	low = t.before - t.busts(player, 0)
	for i, d := range t.pairs {
		if t.dealer[d] != never && !t.game.Surrenderable(d) {
			for k := range sizes {
				low += orders(t.pairs[i]) * byDealer.best[k][d]
			}
		}
	}
	for _, value := range byDealer.goOn {
		low += min(0, value)
	}
	return low, high
}

// value is the player's expected result, units a hand.
func (t *HeadsUp) value(p *Profile) float64 {
	dealer, player, end := t.flowOf(p), &playerFlow{}, &[hands]float64{}
	t.flowPlayer(&p.Player, player)
	t.endPlayer(dealer, end)
	sum := t.deal(dealer, &[hands]float64{})
	for _, h := range t.players {
		sum += player.ends[h] * end[h]
	}
	return sum
}

// solution computes everything in a Solution.
func (t *HeadsUp) solution(p *Profile) *Solution {
	low, high := t.bestResponses(p)
	s := &Solution{
		Exploitability: (high - low) / 2, Low: low, High: high,
		game: t, profile: p, goOn: make([]Worth, len(t.surrenderable)),
	}
	dealer, player := t.flowOf(p), &playerFlow{}
	t.flowPlayer(&p.Player, player)
	s.valuePlayer(dealer)
	s.valueDealer(player)
	s.EV = t.value(p)
	s.Results = t.results(p)
	s.StdDev = deviation(s.Results)
	s.reach = sync.OnceValue(s.reached)
	return s
}

// valuePlayer fills in what the player's choices are worth.
func (s *Solution) valuePlayer(f *dealerFlow) {
	t, v, busts := s.game, &playerValue{}, &[hands]float64{}
	t.bestPlayer(f, v)
	for i := len(t.players) - 1; i >= 0; i-- {
		h := t.players[i]
		meets := t.meets(h, f.goesOn)
		switch t.player[h] {
		case bust:
			busts[h] = meets
		case choice:
			bustIfHits := after(busts, h)
			busts[h] = s.profile.Player[h] * bustIfHits
			s.player[h] = Worth{
				Chance: t.Chance(h) * meets / t.odds.of(h, 0),
				Stop:   v.end[h] / meets, Hit: v.hit[h] / meets, BustIfHits: bustIfHits / meets,
			}
		}
	}
}

// valueDealer fills in what the dealer's choices are worth.
func (s *Solution) valueDealer(f *playerFlow) {
	t, v := s.game, s.game.newDealerValue(sizes)
	t.bestDealer(f, v)
	busts := &[sizes][hands]float64{}
	for k := range sizes {
		for i := len(t.dealers) - 1; i >= 0; i-- {
			d := t.dealers[i]
			meets := t.stays(f, k, d)
			switch w := t.game.Worth(d); {
			case w.Total > limit:
				busts[k][d] = meets
			case t.dealer[d] == draws:
				busts[k][d] = after(&busts[k], d)
			case t.dealer[d] == choice:
				bustIfHits := after(&busts[k], d)
				busts[k][d] = s.profile.Dealer[k][d] * bustIfHits
				s.dealer[k][d] = Worth{
					Chance: t.Chance(d) * meets / t.odds.of(d, 0),
					Stop:   -v.end[k][d] / meets, Hit: -v.hit[k][d] / meets, BustIfHits: bustIfHits / meets,
				}
			}
		}
	}
	for i, d := range t.surrenderable {
		meets := orders(d) * t.odds.of(d, 0)
		bustIfHits := 0.0
		for k := range sizes {
			bustIfHits += orders(d) * busts[k][d]
		}
		s.goOn[i] = Worth{Chance: meets, Hit: -v.goOn[i] / meets, BustIfHits: bustIfHits / meets}
	}
}

// stays is the probability, by the odds and the player's plan, that the player has stopped with
// dealt + k cards and is not bust while the dealer has the hand d.
func (t *HeadsUp) stays(f *playerFlow, k int, d banluck.Hand) (sum float64) {
	for _, h := range t.rows[k] {
		if f.ends[h] > 0 {
			sum += f.ends[h] * t.odds.of(h, d)
		}
	}
	return sum
}

// Result is a result of the player and its probability.
type Result struct {
	Units       int
	Probability float64
}

// results is the distribution of the player's result, in ascending order.
func (t *HeadsUp) results(p *Profile) (list []Result) {
	dealer, player := t.flowOf(p), &playerFlow{}
	t.flowPlayer(&p.Player, player)
	chances := map[int]float64{}
	add := func(h, d banluck.Hand, flow float64) { chances[t.game.Settle(h, d)] += flow * t.odds.of(h, d) }
	goesOn := func(d banluck.Hand) float64 {
		if i := slices.Index(t.surrenderable, d); i >= 0 {
			return dealer.goesOn[i]
		}
		return 1
	}
	for _, d := range t.pairs {
		chances[0] += (1 - goesOn(d)) * t.Chance(d)
		for _, h := range t.pairs {
			if t.bonus(h) || t.bonus(d) {
				add(h, d, orders(h)*orders(d)*goesOn(d))
			}
		}
	}
	for _, h := range t.players {
		switch {
		case player.ends[h] == 0:
		case t.player[h] == bust:
			chances[-1] += player.ends[h] * t.meets(h, dealer.goesOn)
		default:
			for column, flow := range dealer.stops[h.Size()-dealt] {
				if flow > 0 {
					add(h, t.columns[column], player.ends[h]*flow)
				}
			}
		}
	}
	for _, units := range slices.Sorted(maps.Keys(chances)) {
		list = append(list, Result{units, chances[units]})
	}
	return list
}

// deviation is the standard deviation of results.
func deviation(list []Result) float64 {
	var units stat.Moments
	for _, r := range list {
		units.AddWeighted(float64(r.Units), r.Probability)
	}
	return units.Deviation()
}
