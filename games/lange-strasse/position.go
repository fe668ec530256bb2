package langestrasse

import (
	"fmt"
	"slices"

	"croupier/engine"
)

// position is what everybody knows when a player chooses what to keep, in five blocks:
// the dice, the points of the turn, the players, the turn number and the order of play.
type position struct {
	// Kept holds the groups and singles of the set: [[5, 5, 5], [1]] is a group and a 1.
	Kept      [][]int `json:"kept_groups"`
	Available []int   `json:"available_dice"` // the roll
	// Roll is the number of the roll in the set, from 1. It only matters if a 1 and a 5 are kept:
	// if two rolls kept them, a Lange Strasse on the third is a Super Strasse. Elsewhere it may be 0.
	Roll    *int     `json:"roll" strict:"optional"`
	Turn    int32    `json:"turn_score"` // of the finished sets
	Set     *int     `json:"set_score" strict:"optional"`
	Players []player `json:"players"` // in order of play, the starting player first
	Number  int      `json:"turn_number"`

	notes []string // on what was read
}

type player struct {
	Score  int32 `json:"score"`
	Strich bool  `json:"strich"`
	You    bool  `json:"you" strict:"optional"`      // it is this player's turn
	Money  int32 `json:"money_ct" strict:"optional"` // paid to the player so far
}

// ParsePosition implements engine.Positioned.
func (g *Game) ParsePosition(document []byte, _ *engine.RNG) (engine.State, []string, error) {
	var p position
	if err := engine.ReadPosition(document, &p); err != nil {
		return nil, nil, err
	}
	notes := p.notes
	s := &State{tables: g.tables, turn: p.Turn}
	if err := p.place(s); err != nil {
		return nil, nil, err
	}
	kept, err := keptSet(p.Kept)
	if err != nil {
		return nil, nil, err
	}
	if kept.super, err = p.super(kept, &notes); err != nil {
		return nil, nil, err
	}
	if p.Set != nil && *p.Set != kept.points() {
		notes = append(notes, fmt.Sprintf("set_score: %d was given, but %s makes %d, which is used instead",
			*p.Set, kept, kept.points()))
	}
	s.set = uint8(slices.Index(g.tables.sets, kept))
	s.node, err = g.node(s.set, p.Available)
	if err != nil {
		return nil, nil, err
	}
	s.player = s.standing.Seat
	return s, notes, nil
}

// keptSet reads groups and singles.
func keptSet(groups [][]int) (s set, err error) {
	for i, group := range groups {
		field := engine.Element("kept_groups", i)
		for j, face := range group {
			if face < 1 || face > dice {
				return s, engine.FieldErrorf(engine.Element(field, j), "%d is not in 1..%d", face, dice)
			}
			if face != group[0] {
				return s, engine.FieldErrorf(engine.Element(field, j), "a %d in a group of %ds", face, group[0])
			}
		}
		switch {
		case len(group) == 1 && group[0] == 1:
			s.ones++
		case len(group) == 1 && group[0] == 5:
			s.fives++
		case len(group) == 1:
			return s, engine.FieldErrorf(field, "a single %d cannot be kept", group[0])
		case len(group) < 3:
			return s, engine.FieldErrorf(field, "%d dice: a single is one die, a group has three or more", len(group))
		case s.size > 0:
			return s, engine.FieldErrorf(field, "a second group leaves no die to roll")
		default:
			s.face, s.size = uint8(group[0]), uint8(min(len(group), dice))
		}
		if s.kept() >= dice {
			return s, engine.FieldErrorf(field, "no die of the %d is left to roll", dice)
		}
	}
	return s, nil
}

// super reports whether a Lange Strasse of the set would be a Super Strasse.
func (p *position) super(kept set, notes *[]string) (bool, error) {
	open := kept == set{ones: 1, fives: 1}
	if p.Roll == nil || *p.Roll == 0 && !open {
		if open {
			*notes = append(*notes, "roll: is missing: the 1 and the 5 are taken to be from one roll, "+
				"so that a Lange Strasse is not a Super Strasse")
		}
		return false, nil
	}
	// A roll keeps one die or more, at most two equal singles, and begins a group with three.
	least := 1 + max((kept.ones+1)/2, (kept.fives+1)/2, min(kept.size, 1))
	most := 1 + kept.ones + kept.fives + max(kept.size, 2) - 2
	if *p.Roll < int(least) || *p.Roll > int(most) {
		return false, engine.FieldErrorf("roll", "%d is not in %d..%d, the rolls with these kept dice", *p.Roll, least, most)
	}
	return open && *p.Roll == 3, nil
}

// node returns the node of the rolled dice.
func (g *Game) node(set uint8, rolled []int) (uint16, error) {
	const field = "available_dice"
	left := int(g.tables.left[set])
	if len(rolled) != left {
		return 0, engine.FieldErrorf(field, "%d dice, but with %d kept %d are rolled", len(rolled), dice-left, left)
	}
	var c counts
	for i, face := range rolled {
		if face < 1 || face > dice {
			return 0, engine.FieldErrorf(engine.Element(field, i), "%d is not in 1..%d", face, dice)
		}
		c[face]++
	}
	outcome := slices.IndexFunc(g.tables.rolls[left], func(r roll) bool { return r.counts == c })
	node := g.tables.base[set] + uint16(outcome)
	if len(g.tables.at(node)) == 0 {
		return 0, engine.FieldErrorf(field, "none of %s can be kept: this is a strich, with nothing to choose", c)
	}
	return node, nil
}

// place sets the players and the round of the state.
func (p *position) place(s *State) error {
	if len(p.Players) != seats {
		return engine.FieldErrorf("players", "%d entries for %d players", len(p.Players), seats)
	}
	if p.Number < 1 || p.Number > lastRound {
		return engine.FieldErrorf("turn_number", "%d is not in 1..%d", p.Number, lastRound)
	}
	if p.Turn != 0 && p.Turn < stopPoints || p.Turn%singlePoints5 != 0 || p.Turn > maxTurnScore {
		return engine.FieldErrorf("turn_score", "finished sets cannot have %d points", p.Turn)
	}
	s.standing.Round, s.standing.Seat = uint8(p.Number), -1
	money := int32(0)
	for seat, player := range p.Players {
		field := engine.Element("players", seat)
		if player.You {
			if s.standing.Seat >= 0 {
				return engine.FieldErrorf(field+".you", "it is already the turn of players[%d]", s.standing.Seat)
			}
			s.standing.Seat = int8(seat)
		}
		if player.Strich {
			s.standing.Strich |= 1 << seat
		}
		s.standing.Points[seat], s.money[seat] = player.Score, player.Money
		money += player.Money
		if player.Money < -maxMoney || player.Money > maxMoney {
			return engine.FieldErrorf(field+".money_ct", "%d is more than anybody can be paid", player.Money)
		}
	}
	if s.standing.Seat < 0 {
		return engine.FieldErrorf("players", `the one whose turn it is needs "you": true`)
	}
	if money != 0 {
		return engine.FieldErrorf("players", "money_ct sums to %d instead of 0: what one gets another pays", money)
	}
	return s.checkScores()
}

const (
	singlePoints5 = 50 // all points are multiples of it
	maxTurnScore  = 1_000_000
	maxMoney      = 1_000_000 // ct
)

// checkScores rejects scores that the players cannot have by now: a turn without a strich makes
// 300 points or more, and nobody begins another round once a player has the target.
func (s *State) checkScores() error {
	for seat, score := range s.standing.Points {
		turns := int32(s.standing.Round) - 1
		if seat < int(s.standing.Seat) {
			turns++
		}
		field := engine.Element("players", seat)
		strich := s.standing.Strich>>seat&1 == 1
		switch {
		case score < 0 || score%singlePoints5 != 0 || score > lastRound*maxTurnScore:
			return engine.FieldErrorf(field+".score", "no seat can have %d points", score)
		case strich && turns == 0:
			return engine.FieldErrorf(field+".strich", "the player has not had a turn yet")
		case score >= target && seat >= int(s.standing.Seat):
			return engine.FieldErrorf(field+".score", "%d points would have ended the game with round %d", score,
				s.standing.Round-1)
		case !strich && score < stopPoints*turns:
			return engine.FieldErrorf(field+".score", "%d points are too few for %d turns without a strich", score, turns)
		case score > 0 && (turns == 0 || strich && turns == 1):
			return engine.FieldErrorf(field+".score", "the player cannot have points yet")
		case score > 0 && score < stopPoints:
			return engine.FieldErrorf(field+".score", "a turn cannot make %d points, only %d or more", score, stopPoints)
		}
	}
	return nil
}

// FormatPosition implements engine.Positioned.
func (g *Game) FormatPosition(state engine.State, _ int) []byte {
	return engine.MarshalPosition(state.(*State).position())
}

// FormatLine implements engine.Lined.
func (g *Game) FormatLine(state engine.State, _ int) string {
	return engine.WriteLine(state.(*State).position())
}

// position returns what everybody knows.
func (s *State) position() *position {
	kept := s.tables.sets[s.set]
	points, number := kept.points(), 0
	p := position{
		Kept: kept.groups(), Available: []int{}, Roll: &number, Turn: s.turn, Set: &points, Number: int(s.standing.Round),
	}
	rolled := s.tables.roll(s.set, s.node)
	for _, face := range rolled.dice[:rolled.n] {
		p.Available = append(p.Available, int(face))
	}
	switch {
	case kept.super:
		number = 3
	case kept == set{ones: 1, fives: 1}:
		number = 2
	}
	for seat := range seats {
		p.Players = append(p.Players, player{
			Score: s.standing.Points[seat], Strich: s.standing.Strich>>seat&1 == 1,
			You: seat == int(s.standing.Seat), Money: s.money[seat],
		})
	}
	return &p
}

// groups lists the group and the singles.
func (s set) groups() [][]int {
	list := [][]int{}
	if s.size > 0 {
		list = append(list, slices.Repeat([]int{int(s.face)}, int(s.size)))
	}
	for range s.ones {
		list = append(list, []int{1})
	}
	for range s.fives {
		list = append(list, []int{5})
	}
	return list
}

// ExamplePosition implements engine.Positioned.
func (g *Game) ExamplePosition() []byte {
	return []byte(`{
  "kept_groups": [[5, 5, 5]],
  "available_dice": [4, 1, 2],
  "turn_score": 1500,
  "set_score": 500,
  "players": [
    {"score": 4550, "strich": true},
    {"score": 1300, "strich": true, "you": true},
    {"score": 6400, "strich": false}
  ],
  "turn_number": 7
}`)
}

// Hazard implements engine.Hazardous.
func (g *Game) Hazard() string { return "strich" }

// Fate implements engine.Hazardous: a turn ends with a strich or with points.
func (g *Game) Fate(before, after engine.State, seat int) engine.Fate {
	b, a := before.(*State), after.(*State)
	switch {
	case int(b.standing.Seat) == seat && b.standing.Points[seat] != a.standing.Points[seat]:
		return engine.Safe
	case int(a.standing.Seat) != seat:
		return engine.Struck
	}
	return engine.Open
}
