package bank

import (
	"fmt"
	"io"
	"time"
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
	fmt.Fprintf(w, "bank for %d, %d rounds %s, in %.1f s\n", s.Players, s.Rounds, repoll, took.Seconds())
	if o == nil {
		_, err := fmt.Fprintf(w, "best response of seat %d to %s: value %.4f ± %.2g, it wins %.4f of games\n",
			*s.Seat, s.Against, s.Value, s.ErrorBound, (1+s.Value)/2)
		if s.Played != nil && err == nil {
			_, err = fmt.Fprintf(w, "played           %.4f ± %.2g\n", *s.Played, *s.PlayedWithin)
		}
		return err
	}
	fmt.Fprintf(w, "value of seat 0  %.6f ± %.2g (it wins %.4f of games)\n\n", s.Value, s.ErrorBound, (1+s.Value)/2)
	differences := []int{1, 10, 25, 50, 100, 200}
	fmt.Fprint(w, "Share of wins of seat 0 when it leads by\nrounds left")
	for _, d := range differences {
		fmt.Fprintf(w, "%16d", d)
	}
	fmt.Fprintln(w)
	for left := 1; left <= s.Rounds; left++ {
		fmt.Fprintf(w, "%11d", left)
		for _, d := range differences {
			low, high := o.Bounds(s.Rounds-left, d)
			fmt.Fprintf(w, "   %.4f ± %.4f", (2+low+high)/4, (high-low)/4)
		}
		if _, err := fmt.Fprintln(w); err != nil {
			return err
		}
	}
	return nil
}
