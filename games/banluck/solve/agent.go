package solve

import (
	"fmt"
	"slices"

	"croupier/engine"
	"croupier/games/banluck"
	"croupier/policy"
)

// Policy returns the solution as a policy for both seats of the game with one player. The
// dealer stands where revealing would be just as good.
func (s *Solution) Policy() policy.Stochastic {
	c := s.game.alone()
	return c.solution(s.profile, Point{EV: s.EV, Exploitability: s.Exploitability}).Policy()
}

// Policy returns the solution as a policy for all seats.
func (s *CrowdSolution) Policy() policy.Stochastic { return &agent{solution: s.lookup()} }

type agent struct {
	solution     *lookup
	distribution [3]float64 // of the legal actions, of which there are at most three
}

// Reset does nothing: a strategy table has no memory.
func (*agent) Reset() {}

// Choose draws one of the legal actions.
func (a *agent) Choose(s engine.State, legal []int, rng *engine.RNG) int {
	p := a.distribution[:len(legal)]
	a.Distribution(s, legal, p)
	return legal[policy.Sample(p, rng)]
}

// Distribution looks up the mix of the seat to move. Where the dealer stops, he reveals if that
// opens some hands and leaves others.
func (a *agent) Distribution(state engine.State, legal []int, dst []float64) {
	s := a.check(state)
	takes, stops := a.solution.takes(s, legal), banluck.Stand
	switch {
	case legal[0] == banluck.Surrender:
		stops = banluck.Surrender
	case slices.Contains(legal, banluck.Reveal) && a.solution.see(s).canReveal():
		stops = banluck.Reveal
	}
	for i, action := range legal {
		switch action {
		case banluck.Hit, banluck.Continue:
			dst[i] = takes
		case stops:
			dst[i] = 1 - takes
		default:
			dst[i] = 0
		}
	}
}

// check panics if the state is one of another game.
func (a *agent) check(state engine.State) *banluck.State {
	s, ok := state.(*banluck.State)
	if !ok || s.Dealer() != a.solution.crowd.number || s.Player() < 0 {
		panic(fmt.Sprintf("solver: banluck: a table is asked about a state of another game: %s", state))
	}
	return s
}

// takes is how often the seat to move hits or, when asked about surrender, plays on.
func (c *lookup) takes(s *banluck.State, legal []int) float64 {
	hand, p := s.Hand(s.Player()), c.profile
	switch {
	case s.Player() != s.Dealer():
		return p.Player[hand]
	case legal[0] == banluck.Surrender:
		return p.GoesOn[slices.Index(c.crowd.surrenderable, hand)]
	case c.revealed(s, legal):
		o, left := c.disclosed(s)
		return indicator(o.hit(hand, &left) < o.stop(hand, &left))
	}
	return p.Dealer[c.crowd.classOf[c.see(s)]][hand]
}

// see counts the players by what the dealer can see of them before he reveals.
func (c *lookup) see(s *banluck.State) (n counts) {
	for seat := range s.Dealer() {
		n[c.crowd.kind(s.Hand(seat))]++
	}
	return n
}

// kind is what can be seen of a hand once its turn is over.
func (t *HeadsUp) kind(h banluck.Hand) int {
	switch t.game.Worth(h).Class {
	case banluck.BanBan:
		return banBan
	case banluck.BanLuck:
		return banLuck
	}
	return h.Size() - dealt
}

// revealed reports whether the dealer, who is to move, has revealed: where hands of three or more
// cards are unsettled, he still may.
func (c *lookup) revealed(s *banluck.State, legal []int) bool {
	return c.crowd.canReveal() && c.see(s).canReveal() && !slices.Contains(legal, banluck.Reveal)
}

// disclosed returns what the dealer knows after he has revealed, and the cards that he has not
// seen.
func (c *lookup) disclosed(s *banluck.State) (*opened, deck) {
	var others []banluck.Hand
	for seat := range s.Dealer() {
		others = append(others, s.Hand(seat))
	}
	known, short := split(others, c.crowd.bonus)
	return c.opened[short], union(known, s.Hand(s.Dealer())).removedFrom(c.crowd.deck)
}

// Scale implements policy.Valuer.
func (a *agent) Scale() policy.Scale {
	return policy.Scale{Unit: "units", Exact: a.solution.crowd.number == 1, Risk: "bust"}
}

// The margins of values hold in 19 of 20 cases: with three and four players for the random deals
// of the others, and because what a player may lose by the dealer's drawing after a reveal is
// left out. They are by number of players, of a player and of the dealer.
var (
	valueMargin      = [...][2]float64{2: {0.0005, 0.0005}, 3: {0.004, 0.07}, 4: {0.008, 0.07}}
	differenceMargin = [...][2]float64{2: {0.0005, 0.0005}, 3: {0.005, 0.01}, 4: {0.012, 0.04}}
)

// seatKind is 0 for a player and 1 for the dealer.
func seatKind(s *banluck.State) int {
	if s.Player() == s.Dealer() {
		return 1
	}
	return 0
}

// Values are expected results against the other seats' strategies, with best play afterwards.
func (a *agent) Values(state engine.State, legal []int, dst []policy.Value) {
	s := a.check(state)
	margin := valueMargin[s.Dealer()][seatKind(s)]
	for i, action := range legal {
		o := a.solution.outlook(s, legal, action)
		dst[i] = policy.Value{Mean: o.Value, Low: o.Value - margin, High: o.Value + margin, Risk: o.Bust}
	}
}

// Differences implements policy.Differencer: all actions meet the same deals.
func (a *agent) Differences(state engine.State, legal []int, base int, dst []policy.Value) {
	s := a.check(state)
	a.Values(state, legal, dst)
	worth, margin := dst[base].Mean, differenceMargin[s.Dealer()][seatKind(s)]
	for i := range legal {
		m := margin
		if i == base {
			m = 0
		}
		difference := worth - dst[i].Mean
		dst[i] = policy.Value{Mean: difference, Low: difference - m, High: difference + m}
	}
}

// outlook is what an action of the seat to move is worth to it.
func (c *lookup) outlook(s *banluck.State, legal []int, action int) Outlook {
	hand := s.Hand(s.Player())
	var stop, hit Outlook
	switch {
	case s.Player() != s.Dealer():
		stop, hit = c.playerOutlook(hand, c.weights(s))
	case legal[0] == banluck.Surrender:
		hit = c.goOnOutlook(hand)
	case c.revealed(s, legal):
		stop, hit = c.openOutlook(s)
	default:
		n := c.see(s)
		class := c.crowd.classOf[n]
		stop, hit = c.dealerOutlook(class, hand)
		if action == banluck.Reveal && n.canReveal() {
			return Outlook{Value: c.whole().revealValue(class, hand)}
		}
	}
	if action == banluck.Hit || action == banluck.Continue {
		return hit
	}
	return stop
}

// weights are, by view, how much of it fits what the player to move has seen: the cards of those
// before him, and open hands.
func (c *lookup) weights(s *banluck.State) []float64 {
	var seen counts
	for seat := range s.Dealer() {
		kind := c.crowd.kind(s.Hand(seat))
		if seat != s.Player() && (seat < s.Player() || kind >= banLuck) {
			seen[kind]++
		}
	}
	all := allCounts(c.crowd.number - 1) // in the order of the views
	weights := make([]float64, len(all))
	for i, others := range all {
		rest, fits := others, true
		for kind, n := range seen {
			rest[kind] -= n
			fits = fits && rest[kind] >= 0
		}
		if fits && rest.unsettled() == rest.total() {
			weights[i] = rest.arrangements() / others.arrangements()
		}
	}
	return weights
}

// openOutlook is what stopping and hitting are worth to a dealer who has revealed.
func (c *lookup) openOutlook(s *banluck.State) (stop, hit Outlook) {
	o, left := c.disclosed(s)
	hand := s.Hand(s.Dealer())
	scale := -float64(o.left) / o.mass(o.left, &left, left.size())
	stop.Value, hit.Value = scale*o.stop(hand, &left), scale*o.hit(hand, &left)
	hit.Bust = o.busts(hand, &left) / o.mass(o.left, &left, left.size())
	return stop, hit
}
