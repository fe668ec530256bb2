package agents

import (
	"croupier/internal/check"
	"croupier/internal/rundir"
	"croupier/internal/sealed"
	"croupier/messages"
)

// TournamentPart is what a tournament is, and its results.
var TournamentPart = check.Part{
	Patterns: []string{headFile, resultsFile},
	Grows:    []string{resultsFile},
	Check: func(c *check.Check) {
		if doc, ok := c.ReadFile(headFile, maxHead); ok {
			condition, err := sealed.OpenDocument(doc, &head{})
			c.Sealed(headFile, condition, err)
		}
		if !c.Has(resultsFile) {
			return
		}
		c.Lines(resultsFile, maxResults, func(line []byte) (sealed.Condition, error) {
			var l result
			if !sealed.Open(line, &l) {
				return sealed.Damaged, sealed.ErrDamaged
			}
			return sealed.Intact, messages.Decode(l.Result, &messages.Result{})
		})
	},
}

// HoldsTournament reports whether the files are those of a tournament.
func HoldsTournament(c *check.Check) bool {
	info, _ := rundir.Identity(c.Apart())
	return info.Kind == rundir.Tournament || c.Has(headFile)
}
