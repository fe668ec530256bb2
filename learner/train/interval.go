package train

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// Interval is a time ("30s") or a number of updates of the weights ("10000", "10000 updates").
type Interval string

// Every is the interval of a time.
func Every(d time.Duration) Interval { return Interval(d.String()) }

// Time is the interval's time, 0 if it is one of updates.
func (i Interval) Time() time.Duration {
	d, err := time.ParseDuration(string(i))
	if err != nil {
		return 0
	}
	return d
}

// Updates is the interval's number of updates, 0 if it is one of time.
func (i Interval) Updates() uint64 {
	number, _ := strings.CutSuffix(string(i), " updates")
	n, err := strconv.ParseFloat(number, 64) // other settings take 1e4 for a whole number, too
	if err != nil || n != math.Trunc(n) || n < 1 || n >= 1<<63 {
		return 0
	}
	return uint64(n)
}

// valid reports whether it is one of both.
func (i Interval) valid() bool { return i.Time() > 0 || i.Updates() > 0 }
