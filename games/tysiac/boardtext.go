package tysiac

import (
	"fmt"
	"strings"

	"croupier/engine"
)

// String shows the view in words, a line for each thing, for the terminal.
func (v View) String() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	if v.Ended != nil {
		line("%s", v.ended())
	}
	if v.Phase == phaseNames[over] {
		line("The game is over after hand %d.", v.Hand)
	} else {
		line("Hand %d, %s: %s.", v.Hand, v.does(v.Dealer, "deal"), v.what())
	}
	for seat, s := range v.Seats {
		line("%s: %d points, %s left.", v.who(seat), s.Score, plural(s.Bombs, "bomb"))
	}
	if calls := v.calls(); calls != "" {
		line("Auction: %s.", calls)
	}
	for i, musik := range v.Musiks {
		if musik.Taken {
			line("%s musik %d: %s.", v.does(v.Playing, "took"), i+1, strings.Join(musik.Cards, " "))
		}
	}
	if v.Contract > 0 {
		line("%s. This hand: %s.", v.contract(), v.points())
	}
	if n := len(v.Tricks); n > 0 {
		last := v.Tricks[n-1]
		line("Last trick: %s, %s.", played(last.Cards[:]), v.does(last.Winner, "won"))
	}
	if len(v.Trick) > 0 {
		line("%s %s.", v.does(v.Trick[0].Seat, "led"), played(v.Trick))
	}
	for seat, s := range v.Seats {
		if len(s.Held) > 0 {
			line("%s: %s", v.whose(seat), heldNames(s.Held))
		} else if s.Cards > 0 {
			line("%s: %s", v.whose(seat), plural(s.Cards, "card"))
		}
		if len(s.Returned) > 0 {
			line("%s: %s", v.does(seat, "returned"), strings.Join(s.Returned, " "))
		}
	}
	return b.String()
}

// what reports what the position is about.
func (v *View) what() string {
	doing := map[string]string{
		"deal": "the cards are dealt", "auction": "auction", "musik": "a musik is taken", "bomb": "bomb or play on",
		"return": "two cards are returned", "contract": "a contract is announced", "play": "play",
	}[v.Phase]
	if v.Mover == engine.Chance {
		return doing
	}
	return doing + ", " + v.turn()
}

func (v *View) turn() string {
	if v.Mover == v.Eye {
		return "your turn"
	}
	return fmt.Sprintf("it is the turn of %s", strings.ToLower(v.who(v.Mover)))
}

// who names a seat for the eye. Seats are counted from 1 for people.
func (v *View) who(seat int) string {
	switch {
	case seat == v.Eye:
		return "You"
	case v.Eye >= 0:
		return "The other"
	}
	return fmt.Sprintf("Seat %d", seat+1)
}

func (v *View) whose(seat int) string {
	if seat == v.Eye {
		return "Your hand"
	}
	return v.who(seat) + "'s hand"
}

// does puts a seat before a verb, which is in a form that fits every seat except "deal".
func (v *View) does(seat int, verb string) string {
	if verb == "deal" && seat != v.Eye {
		verb = "deals"
	}
	return v.who(seat) + " " + verb
}

func (v *View) calls() string {
	var calls []string
	for _, c := range v.Auction.Calls {
		call := v.does(c.Seat, map[string]string{"bid": "bid", "pass": "passed", "challenge": "challenged"}[c.Kind])
		if c.Points > 0 {
			call += fmt.Sprintf(" %d", c.Points)
		}
		if c.Proof != "" {
			call += fmt.Sprintf(" (proved with K%s Q%s)", c.Proof, c.Proof)
		}
		calls = append(calls, call)
	}
	for _, s := range v.Seats {
		if s.Provable > 0 && v.Eye >= 0 {
			calls = append(calls, fmt.Sprintf("you can prove bids up to %d", s.Provable))
		}
	}
	return strings.Join(calls, ", ")
}

func (v *View) contract() string {
	text := fmt.Sprintf("%s for %d", v.does(v.Playing, "played"), v.Contract)
	if v.Phase != phaseNames[over] {
		text = fmt.Sprintf("Contract of %d, %s", v.Contract, strings.ToLower(v.does(v.Playing, "to make it")))
	}
	if v.Trump != "" {
		text += ", trump " + v.Trump
	}
	return text
}

func (v *View) points() string {
	var points []string
	for seat, s := range v.Seats {
		text := fmt.Sprintf("%s %d", strings.ToLower(v.who(seat)), s.Points)
		if len(s.Declared) > 0 {
			text += " (declared " + strings.Join(s.Declared, " ") + ")"
		}
		points = append(points, text)
	}
	return strings.Join(points, ", ")
}

// ended reports how the newest finished hand went.
func (v *View) ended() string {
	e := v.Ended
	how := ""
	switch e.End {
	case "bombed":
		return fmt.Sprintf("Hand %d: %s. No points, the same dealer.", e.Hand, strings.ToLower(v.does(e.Player, "bombed")))
	case "passed":
		return fmt.Sprintf("Hand %d: both passed.", e.Hand)
	case "unproved":
		how = fmt.Sprintf("%s %d without the meld to prove it", v.does(e.Player, "bid"), e.Contract)
	default:
		made := "made"
		if e.Change[e.Player] < 0 {
			made = "lost"
		}
		how = fmt.Sprintf("%s the contract of %d with %d", v.does(e.Player, made), e.Contract, e.Points[e.Player])
	}
	return fmt.Sprintf("Hand %d: %s. %s %+d, %s %+d.", e.Hand, strings.ToLower(how[:1])+how[1:],
		v.who(0), e.Change[0], strings.ToLower(v.who(1)), e.Change[1])
}

func played(trick []PlayedCard) string {
	var names []string
	for _, p := range trick {
		name := p.Card
		if p.Declared > 0 {
			name += fmt.Sprintf(" (declared %d)", p.Declared)
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

func heldNames(held []HeldCard) string {
	var names []string
	for _, c := range held {
		names = append(names, c.Card)
	}
	return strings.Join(names, " ")
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
