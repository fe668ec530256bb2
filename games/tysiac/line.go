package tysiac

import (
	"strconv"
	"strings"

	"croupier/engine"
)

// Signs in the words of a position in one line.
const (
	dealsMark    = "d" // after the score of the seat that deals
	meldMark     = "!" // after a card that was played and declared
	shownMark    = "?" // after the suit of the meld that answered a challenge
	declinedWord = "no_bomb"

	bidPrefix, challengePrefix = "bid ", "challenge "
)

// suitLetters turns suits into letters, and suitSigns letters into suits.
var (
	suitLetters = strings.NewReplacer("♠", "S", "♣", "C", "♦", "D", "♥", "H").Replace
	suitSigns   = strings.NewReplacer("S", "♠", "C", "♣", "D", "♦", "H", "♥").Replace
)

// Sections implements engine.Sectioned:
// "340d >210 | 5 | 2 1 | 9S QS KS QC JD 10H KH QH | 100 110 130 S? pass | 2 10H 9S | 9H JC | 150 | AS 10S AH JH", and
// in tysiac-hand without scores, number and bombs: "2 | 9S …".
func (p *position) Sections() []engine.Section {
	sections := []engine.Section{{Name: "seat", Write: p.writeSeat, Read: p.readSeat}}
	if !p.oneHand {
		scores := engine.Section{Name: "scores", Write: p.writeScores, Read: p.readScores}
		sections = []engine.Section{
			engine.MoverSection(&p.Seat, scores),
			{Name: "hand_number", Write: p.writeNumber, Read: p.readNumber},
			engine.NumbersSection("bombs_left", &p.Bombs),
		}
	}
	return append(
		sections,
		engine.ListSection("hand", &p.Hand, writeCard, readCard),
		engine.ListSection("auction", &p.Auction, writeCall, readCall),
		engine.Section{Name: "musik", Write: p.writeMusik, Read: p.readMusik},
		engine.ListSection("returned", &p.Returned, writeCard, readCard),
		engine.NumberSection("contract", &p.Contract),
		engine.ListSection("plays", &p.Plays, writePlay, readPlay),
	)
}

func (p *position) writeSeat() []string { return []string{strconv.Itoa(p.Seat + 1)} }

func (p *position) readSeat(words []string) error {
	if len(words) != 1 || words[0] != "1" && words[0] != "2" {
		return engine.FieldErrorf("seat", "%q is not 1 or 2", strings.Join(words, " "))
	}
	p.Seat = int(words[0][0] - '1')
	return nil
}

func (p *position) writeScores() (words []string) {
	for seat, score := range p.Scores {
		word := strconv.Itoa(int(score))
		if seat == int(*p.Dealer) {
			word += dealsMark
		}
		words = append(words, word)
	}
	return words
}

func (p *position) readScores(words []string) error {
	for seat, word := range words {
		field := engine.Element("scores", seat)
		digits, deals := strings.CutSuffix(word, dealsMark)
		score, err := strconv.ParseInt(digits, 10, 32)
		switch dealer := int8(seat & 127); {
		case err != nil:
			return engine.FieldErrorf(field, "%q is not a score, with %q after it for the seat that deals", word, dealsMark)
		case deals && p.Dealer != nil:
			return engine.FieldErrorf(field, "seat %d is already marked as the one that deals", *p.Dealer+1)
		case deals:
			p.Dealer = &dealer
		}
		p.Scores = append(p.Scores, int32(score))
	}
	if p.Dealer == nil {
		return engine.FieldErrorf("scores", "none has %q after it, which marks the seat that deals", dealsMark)
	}
	return nil
}

func (p *position) writeNumber() []string { return []string{strconv.Itoa(int(*p.Number))} }

func (p *position) readNumber(words []string) error {
	p.Number = new(int32)
	return engine.NumberSection("hand_number", p.Number).Read(words)
}

func (p *position) writeMusik() (words []string) {
	if p.Taken == 0 {
		return nil
	}
	words = []string{strconv.Itoa(int(p.Taken))}
	for _, card := range p.Musik {
		words = append(words, writeCard(card))
	}
	if p.PlayedOn {
		words = append(words, declinedWord)
	}
	return words
}

func (p *position) readMusik(words []string) error {
	if last := len(words) - 1; words[last] == declinedWord {
		p.PlayedOn, words = true, words[:last]
	}
	if len(words) == 0 || words[0] != "1" && words[0] != "2" {
		return engine.FieldErrorf("musik", "it does not begin with 1 or 2, which says which one was taken")
	}
	p.Taken = int8(words[0][0] - '0')
	return engine.ListSection("musik", &p.Musik, writeCard, readCard).Read(words[1:])
}

func writeCard(card string) string { return suitLetters(card) }

// readCard reads "10H" or "10♥"; the rank cannot be a letter of a suit. Whether it is a card is checked later.
func readCard(_, word string) (string, error) { return suitSigns(word), nil }

func writePlay(play string) string {
	card, declared := strings.CutSuffix(play, declaredMark)
	if declared {
		return writeCard(card) + meldMark
	}
	return writeCard(card)
}

func readPlay(_, word string) (string, error) {
	card, declared := strings.CutSuffix(suitSigns(word), meldMark)
	if declared {
		return card + declaredMark, nil
	}
	return card, nil
}

// writeCall writes "bid 100" as "100", and "challenge ♠" as "S?".
func writeCall(call string) string {
	if suit, ok := strings.CutPrefix(call, challengePrefix); ok {
		return suitLetters(suit) + shownMark
	}
	return strings.TrimPrefix(call, bidPrefix)
}

func readCall(_, word string) (string, error) {
	if suit, ok := strings.CutSuffix(word, shownMark); ok {
		return challengePrefix + suitSigns(suit), nil
	}
	if word[0] >= '0' && word[0] <= '9' {
		return bidPrefix + word, nil
	}
	return word, nil
}
