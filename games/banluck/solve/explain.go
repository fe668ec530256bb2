package solve

import (
	"fmt"
	"strings"

	"croupier/engine"
	"croupier/games/banluck"
)

// Explain implements policy.Explainer: the chances behind each choice, how the dealer ends, and
// what numbers of cards tell.
func (a *agent) Explain(state engine.State, legal []int) []string {
	s, c := a.check(state), a.solution
	var text []string
	var stop, hit Outlook
	for _, action := range legal {
		o := c.outlook(s, legal, action)
		if o.Win+o.Push+o.Lose > 0 {
			text = append(text, chances(s.ActionName(action), &o, s))
		}
		switch action {
		case banluck.Hit, banluck.Continue:
			hit = o
		case banluck.Stand:
			stop = o
		}
	}
	switch {
	case s.Player() != s.Dealer():
		if ends := endsOf("The dealer ends with ", stop.Dealer[:]); ends != "" {
			text = append(text, ends)
		}
		return append(text, c.inferred(s)...)
	case legal[0] == banluck.Surrender:
		return append(text, endsOf("If you play on you end with ", hit.Dealer[:]), "Surrender returns all bets.")
	case c.revealed(s, legal):
		return append(text, "You know all cards but those of the players with two.")
	}
	return append(text, c.inferences(c.crowd.classOf[c.see(s)], s.Hand(s.Player()))...)
}

// chances says what can come of a choice. The dealer's are those against one unsettled player.
func chances(action string, o *Outlook, s *banluck.State) string {
	against := ""
	if s.Player() == s.Dealer() {
		against = " against a player who is not settled"
	}
	text := fmt.Sprintf("%s: you win %s, push %s and lose %s%s",
		strings.ToUpper(action[:1])+action[1:], percent(o.Win), percent(o.Push), percent(o.Lose), against)
	if o.Bust > 0 {
		text += fmt.Sprintf(", with a bust in %s", percent(o.Bust))
	}
	return text + "."
}

// endsOf lists the totals with which a turn ends and their probabilities, in relation to their
// sum.
func endsOf(begin string, ends []float64) string {
	sum := 0.0
	for _, p := range ends {
		sum += p
	}
	var parts []string
	for i, p := range ends {
		name := fmt.Sprint(mustDraw + i)
		switch i {
		case 0:
			name = "five cards and 15 or less"
		case totals - 1:
			name = "more than 21"
		}
		if p > 0 {
			parts = append(parts, fmt.Sprintf("%s in %s", name, percent(p/sum)))
		}
	}
	if parts == nil {
		return ""
	}
	return begin + strings.Join(parts, ", ") + "."
}

// inferred says what the dealer infers from the number of cards with which the player stands.
func (c *lookup) inferred(s *banluck.State) []string {
	cards := s.Hand(s.Player()).Size()
	var ends [totals]float64
	for _, h := range c.crowd.players {
		if h.Size() == cards {
			p := c.player.ends[h] * c.crowd.odds.of(h, 0)
			ends[ending(c.crowd.HeadsUp.game.Worth(h).Total)] += p
		}
	}
	if told := tell("have", ends[:]); told != "" {
		return []string{fmt.Sprintf("The dealer sees only how many cards you have: with %d, players who play like this %s.",
			cards, told)}
	}
	return nil
}

// inferences says what the dealer infers about the players of a class.
func (c *lookup) inferences(class int, d banluck.Hand) (text []string) {
	f := c.faces(class, d)
	for k, ends := range f.Totals {
		if told := tell("has", ends[:]); told != "" {
			text = append(text, fmt.Sprintf("A player with %d cards %s.", dealt+k, told))
		}
	}
	return text
}

// tell puts the totals with which players end into words; it is empty if none do.
func tell(have string, ends []float64) string {
	sum, high := 0.0, 0.0
	for i, p := range ends {
		sum += p
		if i >= mustStand-mustDraw && i < totals-1 {
			high += p
		}
	}
	if sum == 0 {
		return ""
	}
	text := fmt.Sprintf("%s 16 or 17 in %s, 18 to 21 in %s", have, percent((ends[1]+ends[2])/sum), percent(high/sum))
	if ends[0] > 0 {
		text += fmt.Sprintf(", less in %s", percent(ends[0]/sum))
	}
	if over := ends[totals-1]; over > 0 {
		text += fmt.Sprintf(", more than 21 in %s", percent(over/sum))
	}
	return text
}

func percent(p float64) string { return fmt.Sprintf("%.1f %%", 100*p) }
