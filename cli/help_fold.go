package cli

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// helpWidth is the greatest width of a help text.
const helpWidth = 80

// A helpBlock is a part of an explanation: a paragraph, or a table, whose lines are indented.
type helpBlock struct {
	lines        []string
	table, apart bool // apart: a blank line is before it
}

// helpBlocks splits an explanation.
func helpBlocks(text string) (list []helpBlock) {
	apart := true
	for line := range strings.SplitSeq(strings.Trim(text, "\n"), "\n") {
		if line == "" {
			apart = true
			continue
		}
		table := strings.HasPrefix(line, " ")
		if apart || list[len(list)-1].table != table {
			list = append(list, helpBlock{table: table, apart: apart})
		}
		apart = false
		last := &list[len(list)-1]
		last.lines = append(last.lines, line)
	}
	return list
}

// foldHelp breaks an explanation into lines of the width of a help text.
func foldHelp(text string) string {
	var lines []string
	for i, b := range helpBlocks(text) {
		if i > 0 && b.apart {
			lines = append(lines, "")
		}
		if !b.table {
			lines = append(lines, fold(proseWord.FindAllString(strings.Join(b.lines, " "), -1), helpWidth, "\n"))
			continue
		}
		for _, line := range b.lines {
			at := hanging.FindString(line)
			indent := strings.Repeat(" ", utf8.RuneCountInString(at))
			lines = append(lines, at+fold(strings.Split(line[len(at):], " "), helpWidth-len(indent), "\n"+indent))
		}
	}
	return strings.Join(lines, "\n")
}

// hanging matches what is before the text of a table's line: its name, if two spaces follow it.
var hanging = regexp.MustCompile(`^ *(?:[^ ]+(?: [^ ]+)*  +)?`)

// proseWord is what stays on one line of a paragraph: a word, a number with its percent sign, or a call in quotes.
var proseWord = regexp.MustCompile(`\(?"croupier [^"]*"\S*|\S+(?: %\S*)?`)

// argument is an argument of a command line, with what is quoted in it.
var argument = regexp.MustCompile(`(?:"[^"]*"|'[^']*'|\S)+`)

// foldExamples breaks command lines between arguments into lines of the width of a help text, as a shell reads them.
func foldExamples(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if utf8.RuneCountInString(line) > helpWidth {
			lines[i] = "  " + fold(argument.FindAllString(line, -1), helpWidth-len(`       \`), " \\\n      ")
		}
	}
	return strings.Join(lines, "\n")
}

// fold joins words by spaces, or by the separator where a line would be longer than the width.
func fold(words []string, width int, separator string) string {
	var out strings.Builder
	used := 0
	for i, word := range words {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case used+1+n > width:
			out.WriteString(separator)
			used = 0
		default:
			out.WriteString(" ")
			used++
		}
		out.WriteString(word)
		used += n
	}
	return out.String()
}
