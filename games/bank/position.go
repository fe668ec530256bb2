package bank

import (
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"croupier/engine"
)

// position is what everybody knows when a seat is asked. Rounds and rolls are counted
// from 1, seats from 0.
type position struct {
	Round  int32   `json:"round"`
	Roll   int32   `json:"roll"` // of the round
	Dice   []int   `json:"dice"` // of that roll
	Bank   int64   `json:"bank"` // after that roll
	Totals []int64 `json:"totals"`
	Seat   int     `json:"seat"`                     // is asked
	Banked []int   `json:"banked" strict:"optional"` // seats, in this round
	// Now are those of Banked that have banked since the newest roll, and Passed the
	// seats that have passed since it and since the newest bank.
	Now    []int `json:"banked_now" strict:"optional"`
	Passed []int `json:"passed" strict:"optional"`

	// What follows from the rest and the rules may be left out of a position that is read.

	In         []int `json:"in" strict:"optional"`                    // seats that have not banked in this round
	SevenEnds  *bool `json:"seven_ends_round" strict:"optional"`      // a seven on the next roll does
	FirstAsked *int  `json:"asked_first_next_roll" strict:"optional"` // seat, unless it has banked by then
}

// ParsePosition implements engine.Positioned.
func (g *Game) ParsePosition(document []byte, _ *engine.RNG) (engine.State, []string, error) {
	var p position
	if err := engine.ReadPosition(document, &p); err != nil {
		return nil, nil, err
	}
	outcome, err := p.outcome()
	if err != nil {
		return nil, nil, err
	}
	if err := g.checkBank(&p, outcome); err != nil {
		return nil, nil, err
	}
	s, err := g.place(&p, outcome)
	if err != nil {
		return nil, nil, err
	}
	if err := s.checkTotals(); err != nil {
		return nil, nil, err
	}
	if err := s.checkPhase(); err != nil {
		return nil, nil, err
	}
	return s, nil, p.checkDerived(s)
}

// checkDerived rejects what does not follow from the rest of the position.
func (p *position) checkDerived(s *State) error {
	follows := s.position()
	switch {
	case p.In != nil && !slices.Equal(p.In, follows.In):
		return engine.FieldErrorf("in", "it is not %v, given banked %v", p.In, follows.Banked)
	case p.SevenEnds != nil && *p.SevenEnds != *follows.SevenEnds:
		return engine.FieldErrorf("seven_ends_round", "it is not %t after roll %d", *p.SevenEnds, p.Roll)
	case p.FirstAsked != nil && *p.FirstAsked != *follows.FirstAsked:
		return engine.FieldErrorf("asked_first_next_roll", "it is not %d but %d", *p.FirstAsked, *follows.FirstAsked)
	}
	return nil
}

// outcome returns the number of the newest roll.
func (p *position) outcome() (int, error) {
	if len(p.Dice) != 2 {
		return 0, engine.FieldErrorf("dice", "%d dice, but a roll has 2", len(p.Dice))
	}
	for i, die := range p.Dice {
		if die < 1 || die > 6 {
			return 0, engine.FieldErrorf(engine.Element("dice", i), "%d is not in 1..6", die)
		}
	}
	low, high := min(p.Dice[0], p.Dice[1]), max(p.Dice[0], p.Dice[1])
	return slices.IndexFunc(pairs[:], func(d die) bool { return int(d.low) == low && int(d.high) == high }), nil
}

// checkBank reports whether that many rolls, the newest being the given one, can make the bank.
func (g *Game) checkBank(p *position, outcome int) error {
	const maxRolls = 10_000 // of a round; 3 + 52 make any bank reach MaxBank
	roll := &pairs[outcome]
	switch {
	case p.Round < 1 || int(p.Round) > g.rules.Rounds:
		return engine.FieldErrorf("round", "%d is not in 1..%d", p.Round, g.rules.Rounds)
	case p.Roll < 1 || p.Roll > maxRolls:
		return engine.FieldErrorf("roll", "%d is not in 1..%d", p.Roll, maxRolls)
	case p.Roll > safeRolls && roll.seven():
		return engine.FieldErrorf("dice", "a seven on roll %d has ended the round", p.Roll)
	}
	least, most := bankRange(p.Roll - 1)
	before, after := p.Bank, func(bank int64) int64 { return min(bank, MaxBank) }
	switch safe := p.Roll <= safeRolls; {
	case roll.seven():
		before -= safeSeven
	case roll.doubles() && !safe:
		least, most = 2*least, 2*most
		if before%2 != 0 {
			return engine.FieldErrorf("bank", "%d is odd, and doubles have just doubled it", p.Bank)
		}
	default:
		before -= roll.sum
	}
	if offset := p.Bank - before; p.Bank != MaxBank && before < least || before > most || p.Bank > MaxBank {
		return engine.FieldErrorf("bank", "it cannot be %d: after roll %d and %d-%d it is in %d..%d",
			p.Bank, p.Roll, roll.low, roll.high, after(least+offset), after(most+offset))
	}
	return nil
}

// bankRange returns the least and the greatest bank after that many rolls.
func bankRange(rolls int32) (least, most int64) {
	for roll := int32(1); roll <= rolls; roll++ {
		if roll <= safeRolls {
			least, most = least+2, most+safeSeven
		} else {
			least, most = min(2*least, least+3, MaxBank), min(max(2*most, most+11), MaxBank)
		}
	}
	return least, most
}

// place builds the state; its totals and phase are not checked yet.
func (g *Game) place(p *position, outcome int) (*State, error) {
	n := g.rules.Players
	if len(p.Totals) != n {
		return nil, engine.FieldErrorf("totals", "%d entries for %d seats", len(p.Totals), n)
	}
	if p.Seat < 0 || p.Seat >= n {
		return nil, engine.FieldErrorf("seat", "%d is not in 0..%d", p.Seat, n-1)
	}
	banked, err := seatMask("banked", p.Banked, n)
	if err != nil {
		return nil, err
	}
	now, err := seatMask("banked_now", p.Now, n)
	if err != nil {
		return nil, err
	}
	passed, err := seatMask("passed", p.Passed, n)
	if err != nil {
		return nil, err
	}
	switch bit := uint8(1) << p.Seat; {
	case now&^banked != 0:
		return nil, engine.FieldErrorf("banked_now", "%d is not in banked", bits.TrailingZeros8(now&^banked))
	case banked&bit != 0:
		return nil, engine.FieldErrorf("seat", "it has banked in this round and is not asked")
	case banked&passed != 0:
		return nil, engine.FieldErrorf("passed", "%d has banked in this round", bits.TrailingZeros8(banked&passed))
	}
	s := &State{
		game: g, bank: p.Bank, round: p.Round - 1, roll: p.Roll, player: int8(p.Seat), dice: uint8(outcome),
		active: g.all &^ banked, asking: g.all &^ banked &^ passed, banked: now,
	}
	copy(s.totals[:], p.Totals)
	if s.asking>>p.Seat&1 == 0 {
		return nil, engine.FieldErrorf("seat", "it has passed and is not asked")
	}
	return s, nil
}

// seatMask turns a list of seats into a mask.
func seatMask(field string, list []int, n int) (mask uint8, err error) {
	for i, seat := range list {
		if seat < 0 || seat >= n {
			return 0, engine.FieldErrorf(engine.Element(field, i), "%d is not in 0..%d", seat, n-1)
		}
		if mask>>seat&1 == 1 {
			return 0, engine.FieldErrorf(engine.Element(field, i), "%d appears twice", seat)
		}
		mask |= 1 << seat
	}
	return mask, nil
}

// checkTotals rejects totals that the seats cannot have by now.
func (s *State) checkTotals() error {
	for seat, total := range s.totals[:s.game.rules.Players] {
		field, bit := engine.Element("totals", seat), uint8(1)<<seat
		earned := total
		if s.banked&bit != 0 {
			earned -= s.bank
		}
		switch {
		case total < 0 || total > int64(s.game.rules.Rounds)*MaxBank:
			return engine.FieldErrorf(field, "no seat can have %d", total)
		case earned < 0:
			return engine.FieldErrorf(field, "%d is less than the bank of %d that the seat has just banked", total, s.bank)
		case s.round == 0 && earned > 0 && (s.active|s.banked)&bit != 0:
			return engine.FieldErrorf(field, "%d is impossible in the first round: the seat had not banked before this roll",
				total)
		case s.round == 0 && total == 0 && (s.active|s.banked)&bit == 0:
			return engine.FieldErrorf(field, "0 is impossible: the seat has banked in the first round")
		}
	}
	return nil
}

// checkPhase reports whether answers since the roll can lead to this question. It tries all
// possible answers, whatever their points.
func (s *State) checkPhase() error {
	type phase struct {
		player         int8
		asking, banked uint8
	}
	want := phase{s.player, s.asking, s.banked}
	start := *s
	start.active |= s.banked
	start.asking, start.banked = start.active, 0
	start.player = firstFrom(start.asking, start.opener(s.roll))
	seen, queue := map[phase]bool{}, []State{start}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		p := phase{at.player, at.asking, at.banked}
		if p == want {
			return nil
		}
		if seen[p] || at.player < 0 {
			continue
		}
		seen[p] = true
		for _, action := range []int{Pass, Bank} {
			next := at
			next.answer(action)
			if next.round == s.round && next.player >= 0 {
				queue = append(queue, next)
			}
		}
	}
	return engine.FieldErrorf("seat", "it cannot be the one that is asked, given passed and banked_now")
}

// FormatPosition implements engine.Positioned.
func (g *Game) FormatPosition(state engine.State, _ int) []byte {
	return engine.MarshalPosition(state.(*State).position())
}

// FormatLine implements engine.Lined.
func (g *Game) FormatLine(state engine.State, _ int) string {
	return engine.WriteLine(state.(*State).position())
}

// Sections implements engine.Sectioned: "200n >120 0 | 3 | 4 | 5-6 | 105".
func (p *position) Sections() []engine.Section {
	return []engine.Section{
		engine.MoverSection(&p.Seat, engine.Section{Name: "totals", Write: p.writeTotals, Read: p.readTotals}),
		engine.NumberSection("round", &p.Round),
		engine.NumberSection("roll", &p.Roll),
		engine.DiceSection("dice", &p.Dice),
		engine.NumberSection("bank", &p.Bank),
	}
}

// The letters after the total of a seat.
const (
	hasBanked = "b" // before the newest roll
	banksNow  = "n" // since the newest roll
	hasPassed = "p" // since the newest roll and the newest bank
)

func (p *position) writeTotals() (words []string) {
	for seat, total := range p.Totals {
		word := strconv.FormatInt(total, 10)
		switch {
		case slices.Contains(p.Now, seat):
			word += banksNow
		case slices.Contains(p.Banked, seat):
			word += hasBanked
		case slices.Contains(p.Passed, seat):
			word += hasPassed
		}
		words = append(words, word)
	}
	return words
}

func (p *position) readTotals(words []string) error {
	for seat, word := range words {
		digits := strings.TrimRight(word, hasBanked+banksNow+hasPassed)
		total, err := strconv.ParseInt(digits, 10, 64)
		if err != nil || len(word) > len(digits)+1 {
			return engine.FieldErrorf(engine.Element("totals", seat), "%q is not a total, with or without %s (has banked), "+
				"%s (has banked now) or %s (has passed) after it", word, hasBanked, banksNow, hasPassed)
		}
		p.Totals = append(p.Totals, total)
		switch word[len(digits):] {
		case banksNow:
			p.Banked, p.Now = append(p.Banked, seat), append(p.Now, seat)
		case hasBanked:
			p.Banked = append(p.Banked, seat)
		case hasPassed:
			p.Passed = append(p.Passed, seat)
		}
	}
	return nil
}

// position returns what everybody knows.
func (s *State) position() *position {
	g, pair := s.game, pairs[s.dice]
	ends, first := s.roll >= safeRolls, s.opener(s.roll+1)
	return &position{
		Round: s.round + 1, Roll: s.roll, Dice: []int{int(pair.low), int(pair.high)}, Bank: s.bank,
		Totals: s.totals[:g.rules.Players], Seat: int(s.player),
		Banked: seatList(g.all &^ s.active), Now: seatList(s.banked), Passed: seatList(s.active &^ s.asking),
		In: seatList(s.active), SevenEnds: &ends, FirstAsked: &first,
	}
}

// seatList turns a mask into a list of seats.
func seatList(mask uint8) []int {
	list := []int{}
	for ; mask != 0; mask &= mask - 1 {
		list = append(list, bits.TrailingZeros8(mask))
	}
	return list
}

// ExamplePosition implements engine.Positioned: the first two seats are level, in the
// middle of the game, and the others have nothing.
func (g *Game) ExamplePosition() []byte {
	fiveSix := slices.IndexFunc(pairs[:], func(d die) bool { return d.low == 5 && d.high == 6 })
	s := &State{
		game: g, round: int32(g.rules.Rounds / 2), roll: 4, dice: uint8(fiveSix), bank: 105, active: g.all, asking: g.all,
	}
	if g.rules.Rounds > 1 {
		s.totals[0], s.totals[1] = 200, 200
	}
	s.player = int8(s.opener(s.roll))
	return g.FormatPosition(s, int(s.player))
}

// Hazard implements engine.Hazardous.
func (g *Game) Hazard() string { return "a seven takes the bank" }

// Fate implements engine.Hazardous: a round that ends before the seat has banked is lost.
func (g *Game) Fate(before, after engine.State, seat int) engine.Fate {
	b, a := before.(*State), after.(*State)
	switch {
	case b.totals[seat] != a.totals[seat]:
		return engine.Safe
	case b.round != a.round:
		return engine.Struck
	}
	return engine.Open
}
