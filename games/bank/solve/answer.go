package solve

import (
	"fmt"
	"io"
	"strings"
	"time"

	"croupier/internal/plural"
	"croupier/internal/texttable"
)

// Answer is what a game is worth to seat 0 in optimal play or, for a response, to the
// responding seat.
type Answer struct {
	Players    int     `json:"players"`
	Rounds     int     `json:"rounds"`
	Repoll     bool    `json:"repoll"`
	Value      float64 `json:"value"`
	ErrorBound float64 `json:"error_bound"`
	// For a response:
	Against      string   `json:"against,omitempty"`
	Seat         *int     `json:"seat,omitempty"`
	Played       *float64 `json:"played,omitempty"`
	PlayedWithin *float64 `json:"played_within,omitempty"`
}

// Render writes the answer for people. With an optimum it adds what a lead is worth; without
// one the answer is a response's.
func (s *Answer) Render(w io.Writer, o *Optimum, took time.Duration) error {
	repoll := "with repoll"
	if !s.Repoll {
		repoll = "without repoll"
	}
	fmt.Fprintf(w, "bank for %d, %s %s, in %.1f s\n", s.Players, plural.Of(s.Rounds, "round"), repoll, took.Seconds())
	if o == nil {
		_, err := fmt.Fprintf(w, "best response of seat %d to %s: value %s ± %s, share of the win %.4f\n",
			*s.Seat+1, s.Against, texttable.Number(s.Value, 4), texttable.Size(s.ErrorBound, 4), (1+s.Value)/2)
		if s.Played != nil && err == nil {
			_, err = fmt.Fprintf(w, "played           %s ± %s\n",
				texttable.Number(*s.Played, 4), texttable.Size(*s.PlayedWithin, 4))
		}
		return err
	}
	fmt.Fprintf(w, "value of seat 1  %s ± %s (-1: all lost, 1: all won; its share of the win is %.4f)\n\n",
		texttable.Number(s.Value, 6), texttable.Size(s.ErrorBound, 6), (1+s.Value)/2)
	if all, ok := s.allAlike(o); ok {
		_, err := fmt.Fprintf(w, "With a lead of %d to %d points, and whatever the number of rounds left, "+
			"seat 1's share of the win is %s.\n", leads[0], leads[len(leads)-1], strings.TrimSuffix(all, " ± 0.0000"))
		return err
	}
	return s.renderLeads(w, o)
}

// leads are the points by which seat 0 leads in the table for people.
var leads = []int{1, 10, 25, 50, 100, 200}

// cell is the share of the win of seat 0 with a lead and some rounds left.
func (s *Answer) cell(o *Optimum, left, lead int) string {
	low, high := o.Bounds(s.Rounds-left, lead)
	return fmt.Sprintf("%.4f ± %.4f", (2+low+high)/4, (high-low)/4)
}

// allAlike returns what all cells of the table say, if they say the same.
func (s *Answer) allAlike(o *Optimum) (all string, ok bool) {
	all = s.cell(o, 1, leads[0])
	for left := 1; left <= s.Rounds; left++ {
		for _, lead := range leads {
			if s.cell(o, left, lead) != all {
				return "", false
			}
		}
	}
	return all, true
}

// renderLeads writes the table of what leads are worth.
func (s *Answer) renderLeads(w io.Writer, o *Optimum) error {
	fmt.Fprint(w, "Share of the win of seat 1 when it leads by\nrounds left")
	for _, d := range leads {
		fmt.Fprintf(w, "%18d", d)
	}
	fmt.Fprintln(w)
	for left := 1; left <= s.Rounds; left++ {
		fmt.Fprintf(w, "%11d", left)
		for _, d := range leads {
			fmt.Fprintf(w, "%18s", s.cell(o, left, d))
		}
		if _, err := fmt.Fprintln(w); err != nil {
			return err
		}
	}
	return nil
}
