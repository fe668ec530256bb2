package actor

import (
	"croupier/internal/check"
	"croupier/internal/sealed"
)

// Part is what the workers of a run have produced.
var Part = check.Part{
	Patterns: []string{journalPattern},
	Grows:    []string{journalPattern},
	Check: func(c *check.Check) {
		for _, name := range c.Matching(journalPattern) {
			doc, ok := c.ReadFile(name, maxJournal)
			if !ok || len(doc) == 0 { // a worker that has produced nothing yet
				continue
			}
			condition, err := sealed.OpenLine(doc, &Produced{})
			c.Sealed(name, condition, err)
		}
	},
}

const (
	journalPattern = journalFolder + "/*.json"
	maxJournal     = 1 << 20 // bytes
)
