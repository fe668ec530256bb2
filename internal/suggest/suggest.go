// Package suggest finds what somebody meant who mistyped a name.
package suggest

import (
	"fmt"
	"strings"
)

// Nearest returns the candidate that name was probably meant to be: the one that takes the fewest
// insertions, deletions, replacements and swaps of neighbouring letters (Damerau's distance,
// restricted; capitals count as their small letters), at most one for every three letters of the
// name and at least one; or else the only one that begins with the name. It is "" if there is
// none.
func Nearest(name string, candidates []string) string {
	nearest, least := "", max(1, len(name)/3)+1
	var longer []string
	for _, c := range candidates {
		if d := distance(strings.ToLower(name), strings.ToLower(c)); d < least && d < len(c) {
			nearest, least = c, d
		}
		if len(name) >= 2 && strings.HasPrefix(c, name) {
			longer = append(longer, c)
		}
	}
	if nearest == "" && len(longer) == 1 {
		return longer[0]
	}
	return nearest
}

// Hint returns what an error message about an unknown name has behind the name:
// " (did you mean x?)", or "" where nothing is near.
func Hint(name string, candidates []string) string {
	if nearest := Nearest(name, candidates); nearest != "" {
		return fmt.Sprintf(" (did you mean %s?)", nearest)
	}
	return ""
}

// distance counts the edits between two texts, byte by byte.
func distance(a, b string) int {
	before, row, next := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next[0] = i + 1
		for j := range len(b) {
			replaced := row[j]
			if a[i] != b[j] {
				replaced++
			}
			next[j+1] = min(replaced, row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row, next = row, next, before
	}
	return row[len(b)]
}
