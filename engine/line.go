package engine

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"croupier/internal/strict"
)

// Lined is a Positioned whose positions can also be written in one line that people read and type, as chess has FEN:
// ">30 42 | 18". ParsePosition reads both.
//
// A line has sections, which "|" separates, in an order that the page of the game describes. A section has words,
// which spaces separate; "-" is an empty section, and empty ones at the end are left out.
type Lined interface {
	Positioned
	// FormatLine writes in one line what FormatPosition writes as JSON.
	FormatLine(s State, seat int) string
}

// LineOf writes in one line what the seat to move knows; "" where none is, or where the game has no such lines.
func LineOf(game Game, s State) string {
	g, ok := game.(Lined)
	if seat := s.Player(); ok && seat >= 0 {
		return g.FormatLine(s, seat)
	}
	return ""
}

// Section is a part of a position in one line. It both writes and reads what a position holds.
type Section struct {
	Name  string                     // of the field that it holds, which errors name
	Write func() []string            // returns the words; none or one empty one is an empty section
	Read  func(words []string) error // is not called where there are none; errors are of [FieldErrorf]
}

// Sectioned is the struct of a position that can be written in one line.
type Sectioned interface {
	// Sections returns the sections of the line in order. They write and read the struct's own fields.
	Sections() []Section
}

const (
	between = " | "
	noWords = "-"
	mayMove = ">" // before the word of the seat to move
	hyphen  = "-" // between the dice of a word
)

// WriteLine writes a position in one line.
func WriteLine(position Sectioned) string {
	var parts []string
	for _, s := range position.Sections() {
		words := strings.Join(s.Write(), " ")
		if words == "" {
			words = noWords
		}
		parts = append(parts, words)
	}
	for len(parts) > 1 && parts[len(parts)-1] == noWords {
		parts = parts[:len(parts)-1]
	}
	return strings.Join(parts, between)
}

// readLine reads a position in one line.
func readLine(line string, position Sectioned) error {
	sections, parts := position.Sections(), strings.Split(line, strings.TrimSpace(between))
	if len(parts) > len(sections) {
		var names []string
		for _, s := range sections {
			names = append(names, s.Name)
		}
		return strict.Errorf("", "it has %d sections, %q is too many: there are %s", len(parts),
			strings.TrimSpace(parts[len(sections)]), strings.Join(names, between))
	}
	for i, part := range parts {
		words := strings.Fields(part)
		switch {
		case len(words) == 0:
			return strict.Errorf(sections[i].Name, "section %d is empty: %q stands for nothing", i+1, noWords)
		case slices.Equal(words, []string{noWords}):
			continue
		}
		if err := sections[i].Read(words); err != nil {
			return err
		}
	}
	return nil
}

// lineIn returns the position in one line that a document is, as text or as JSON's text in quotes.
func lineIn(document []byte) (line string, ok bool) {
	document = bytes.TrimSpace(document)
	if len(document) == 0 || len(document) > strict.MaxBytes || document[0] == '{' || document[0] == '[' {
		return "", false
	}
	if document[0] == '"' {
		return line, json.Unmarshal(document, &line) == nil
	}
	return string(document), true
}

// NumberSection holds one number; 0 is nothing.
func NumberSection[T ~int | ~int8 | ~int16 | ~int32 | ~int64](name string, number *T) Section {
	return Section{
		Name: name,
		Write: func() []string {
			if *number == 0 {
				return nil
			}
			return []string{strconv.FormatInt(int64(*number), 10)}
		},
		Read: func(words []string) error {
			if len(words) > 1 {
				return FieldErrorf(name, "%q is more than one number", strings.Join(words, " "))
			}
			return readNumber(name, words[0], number)
		},
	}
}

// NumbersSection holds a list of numbers.
func NumbersSection[T ~int | ~int8 | ~int16 | ~int32 | ~int64](name string, numbers *[]T) Section {
	return ListSection(name, numbers, func(n T) string { return strconv.FormatInt(int64(n), 10) },
		func(field, word string) (n T, err error) { return n, readNumber(field, word, &n) })
}

// readNumber reads a number that its type can hold.
func readNumber[T ~int | ~int8 | ~int16 | ~int32 | ~int64](field, word string, into *T) error {
	n, err := strconv.ParseInt(word, 10, 64)
	if err != nil {
		return FieldErrorf(field, "%q is not a whole number", word)
	}
	if *into = T(n); int64(*into) != n {
		return FieldErrorf(field, "%d is out of range", n)
	}
	return nil
}

// WordSection holds one word; "" is nothing.
func WordSection(name string, word *string) Section {
	return Section{
		Name:  name,
		Write: func() []string { return []string{*word} },
		Read: func(words []string) error {
			if len(words) > 1 {
				return FieldErrorf(name, "%q is more than one word", strings.Join(words, " "))
			}
			*word = words[0]
			return nil
		},
	}
}

// WordsSection holds a list of words.
func WordsSection(name string, words *[]string) Section {
	return ListSection(name, words, func(word string) string { return word },
		func(_, word string) (string, error) { return word, nil })
}

// ListSection holds a list whose elements are a word each.
func ListSection[T any](
	name string, list *[]T, write func(T) string, read func(field, word string) (T, error),
) Section {
	return Section{
		Name: name,
		Write: func() (words []string) {
			for _, element := range *list {
				words = append(words, write(element))
			}
			return words
		},
		Read: func(words []string) error {
			for i, word := range words {
				element, err := read(Element(name, i), word)
				if err != nil {
					return err
				}
				*list = append(*list, element)
			}
			return nil
		},
	}
}

// DiceSection holds the faces of dice as people read them: "4-1-2", also typed as "412" or "4 1 2".
func DiceSection(name string, dice *[]int) Section {
	return Section{
		Name:  name,
		Write: func() []string { return []string{WriteDice(*dice)} },
		Read: func(words []string) (err error) {
			*dice, err = ReadDice(name, strings.Join(words, hyphen))
			return err
		},
	}
}

// WriteDice writes faces of dice as one word: "4-1-2".
func WriteDice(dice []int) string {
	var faces []string
	for _, face := range dice {
		faces = append(faces, strconv.Itoa(face))
	}
	return strings.Join(faces, hyphen)
}

// ReadDice reads what WriteDice writes; each digit is a face.
func ReadDice(field, word string) (dice []int, err error) {
	for _, face := range strings.ReplaceAll(word, hyphen, "") {
		if face < '0' || face > '9' {
			return nil, FieldErrorf(Element(field, len(dice)), "%q is not a face of a die", face)
		}
		dice = append(dice, int(face-'0'))
	}
	return dice, nil
}

// MoverSection is a section with a word for every seat, in which ">" marks the seat to move: ">30 42".
func MoverSection[T ~int | ~int8](mover *T, seats Section) Section {
	return Section{
		Name: seats.Name,
		Write: func() []string {
			words := slices.Clone(seats.Write())
			if seat := int(*mover); seat >= 0 && seat < len(words) {
				words[seat] = mayMove + words[seat]
			}
			return words
		},
		Read: func(words []string) error {
			plain, marked := slices.Clone(words), 0
			for seat, word := range words {
				if rest, ok := strings.CutPrefix(word, mayMove); ok {
					plain[seat], *mover = rest, T(seat)
					marked++
				}
			}
			switch marked {
			case 0:
				return FieldErrorf(seats.Name, "no seat is marked with %q as the one to move", mayMove)
			case 1:
				return seats.Read(plain)
			}
			return FieldErrorf(seats.Name, "%d seats are marked with %q as the one to move", marked, mayMove)
		},
	}
}
