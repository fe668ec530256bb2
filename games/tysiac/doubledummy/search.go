package doubledummy

import "croupier/games/tysiac/cards"

// All searches below are fail-soft: a result of at most alpha is an upper bound on the value,
// one of at least beta a lower bound, anything between is the value itself. Values are points
// of the leader of the trick less points of the follower.

// lead searches the moves of the leader, who has as many cards as the follower.
func (s *Solver) lead(leader, follower cards.Set, trump, alpha, beta int) int {
	if leader&(leader-1) == 0 {
		return lastTrick(leader, follower, trump)
	}
	s.Nodes++
	both := leader | follower
	if both&cards.OfSuit(trump) == 0 {
		trump = cards.NoTrump // makes no difference any more
	}
	key := s.mode | uint64(trump)<<48 | uint64(follower)<<24 | uint64(leader)
	e := &s.table[key*0x9e3779b97f4a7c15>>(64-tableBits)]
	known := *e
	if known.key != key {
		points := both.Points()
		known = entry{
			key:   key,
			lower: int16(-points - cards.MeldPoints(follower.Melds())),
			upper: int16(points + cards.MeldPoints(leader.Melds())),
			best:  noMove,
		}
	}
	alpha, beta = max(alpha, int(known.lower)), min(beta, int(known.upper))
	if alpha >= beta {
		if int(known.lower) >= beta {
			return int(known.lower)
		}
		return int(known.upper)
	}
	var list moves
	list.leads(leader, follower, trump, known.best)
	best := s.bestLead(&list, leader, follower, trump, alpha, beta)
	if best < beta {
		known.upper = int16(best)
	}
	if best > alpha {
		known.lower = int16(best)
		known.best = list.best
	}
	*e = known
	return best
}

// bestLead returns the highest value of the listed moves and notes which one has it.
func (s *Solver) bestLead(list *moves, leader, follower cards.Set, trump, alpha, beta int) int {
	best := -infinity
	for i := range list.count {
		m := list.next(i)
		if bound := list.equivalent(i, follower, infinity); bound <= max(alpha, best) {
			best = max(best, bound)
			continue
		}
		m.value = int16(s.afterLead(leader, follower, m.move(), trump, max(alpha, best), beta))
		m.searched = true
		if v := int(m.value); v > best {
			best, list.best = v, m.index
			if best >= beta {
				break
			}
		}
	}
	return best
}

// afterLead searches what follows a lead.
func (s *Solver) afterLead(leader, follower cards.Set, m Move, trump, alpha, beta int) int {
	gain := 0
	if m.Declare {
		trump = cards.Suit(m.Card)
		gain = cards.MeldValue(trump)
	}
	return gain + s.reply(leader&^cards.Of(m.Card), follower, m.Card, trump, alpha-gain, beta-gain)
}

// reply searches the moves of the follower.
func (s *Solver) reply(leader, follower cards.Set, led, trump, alpha, beta int) int {
	var list moves
	list.replies(s.rules, follower, led, trump)
	best := infinity
	for i := range list.count {
		m := list.next(i)
		if bound := list.equivalent(i, leader|cards.Of(led), -infinity); bound >= min(beta, best) {
			best = min(best, bound)
			continue
		}
		m.value = int16(s.afterReply(leader, follower, led, m.move(), trump, alpha, min(beta, best)))
		m.searched = true
		if best = min(best, int(m.value)); best <= alpha {
			break
		}
	}
	return best
}

// afterReply searches what follows a trick.
func (s *Solver) afterReply(leader, follower cards.Set, led int, m Move, trump, alpha, beta int) int {
	gain := 0
	if m.Declare {
		trump = cards.Suit(m.Card)
		gain = -cards.MeldValue(trump)
	}
	follower &^= cards.Of(m.Card)
	trick := cards.Points(led) + cards.Points(m.Card)
	if cards.Takes(led, m.Card, trump) {
		gain -= trick
		return gain - s.lead(follower, leader, trump, gain-beta, gain-alpha)
	}
	gain += trick
	return gain + s.lead(leader, follower, trump, alpha-gain, beta-gain)
}

// lastTrick returns the value of the last trick, or 0 after it.
func lastTrick(leader, follower cards.Set, trump int) int {
	if leader == 0 {
		return 0
	}
	led, reply := leader.First(), follower.First()
	trick := cards.Points(led) + cards.Points(reply)
	if cards.Takes(led, reply, trump) {
		return -trick
	}
	return trick
}
