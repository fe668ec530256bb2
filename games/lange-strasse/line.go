package langestrasse

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"croupier/engine"
)

// Signs around the points of a player in a position in one line.
const (
	toMove  = ">" // before them: it is the player's turn
	crossed = "!" // after them: a strich
)

// Sections implements engine.Sectioned: "4550! >1300! 6400 | 7 | 1500 | 5-5-5 | 4-1-2".
func (p *position) Sections() []engine.Section {
	return []engine.Section{
		{Name: "players", Write: p.writePlayers, Read: p.readPlayers},
		engine.NumberSection("turn_number", &p.Number),
		engine.NumberSection("turn_score", &p.Turn),
		engine.ListSection("kept_groups", &p.Kept, engine.WriteDice, engine.ReadDice),
		engine.DiceSection("available_dice", &p.Available),
		{Name: "roll", Write: p.writeRoll, Read: p.readRoll},
	}
}

func (p *position) writePlayers() (words []string) {
	for _, player := range p.Players {
		word := strconv.Itoa(int(player.Score))
		if player.You {
			word = toMove + word
		}
		if player.Strich {
			word += crossed
		}
		if player.Money != 0 {
			word += fmt.Sprintf("%+d", player.Money)
		}
		words = append(words, word)
	}
	return words
}

func (p *position) readPlayers(words []string) error {
	for seat, word := range words {
		rest, moves := strings.CutPrefix(word, toMove)
		points, money := rest, ""
		if at := strings.LastIndexAny(rest, "+-"); at > 0 {
			points, money = rest[:at], rest[at:]
		}
		points, strich := strings.CutSuffix(points, crossed)
		score, wrong := strconv.ParseInt(points, 10, 32)
		cents := int64(0)
		if money != "" && wrong == nil {
			cents, wrong = strconv.ParseInt(money, 10, 32)
		}
		if wrong != nil {
			return engine.FieldErrorf(engine.Element("players", seat), "%q is not the points of a player, as in 4550, 4550! with a "+
				"strich, %s4550 for the one whose turn it is, or 4550+30 with the money in ct", word, toMove)
		}
		p.Players = append(p.Players, player{Score: int32(score), Strich: strich, You: moves, Money: int32(cents)})
	}
	if !slices.ContainsFunc(p.Players, func(one player) bool { return one.You }) {
		p.Players[0].You = true
		p.notes = append(p.notes, "players: none is marked with "+toMove+", so it is taken to be the first one's turn")
	}
	return nil
}

func (p *position) writeRoll() []string {
	if p.Roll == nil || *p.Roll == 0 {
		return nil
	}
	return []string{strconv.Itoa(*p.Roll)}
}

func (p *position) readRoll(words []string) error {
	p.Roll = new(int)
	return engine.NumberSection("roll", p.Roll).Read(words)
}
