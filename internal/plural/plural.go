// Package plural writes how many there are of something.
package plural

import "fmt"

// Of writes a number and what it counts: "1 game", "2 games". several is the plural where it is not one and an s.
func Of[N ~int | ~int32 | ~int64 | ~uint64](n N, one string, several ...string) string {
	switch {
	case n == 1:
		return "1 " + one
	case len(several) > 0:
		return fmt.Sprintf("%d %s", n, several[0])
	}
	return fmt.Sprintf("%d %ss", n, one)
}
