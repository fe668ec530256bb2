package solve

// A curve is what a seat is sure to get, in -1..1, by its points less the other seat's, at the
// beginning of a round or at the end of the game. Differences go from -size to size.
//
// A curve never falls: a seat that is further ahead may play as if it were not. So beyond its
// ends the curve is bounded by the value at the end or by what nobody can exceed.
type curve struct {
	size  int
	value []float64 // by difference + reach, extended to both sides
}

// reach is how far the extension of a curve goes, in sizes.
const reach = 6

// newCurve extends values for -size..size to a bound from below: beyond the lower end
// it is -1.
func newCurve(values []float64) *curve {
	c := &curve{size: len(values) / 2}
	c.value = make([]float64, 2*reach*c.size+1)
	for i := range c.value {
		switch difference := i - reach*c.size; {
		case difference < -c.size:
			c.value[i] = -1
		default:
			c.value[i] = values[min(difference, c.size)+c.size]
		}
	}
	return c
}

// endCurve is the end of the game: the higher total wins.
func endCurve(size int) *curve {
	values := make([]float64, 2*size+1)
	for i := range values {
		switch {
		case i < size:
			values[i] = -1
		case i > size:
			values[i] = 1
		}
	}
	return newCurve(values)
}

// mirror is the same curve seen from the other seat: a bound from above.
func (c *curve) mirror() *curve {
	m := &curve{size: c.size, value: make([]float64, len(c.value))}
	for i, v := range c.value {
		m.value[len(c.value)-1-i] = -v
	}
	return m
}

// at returns the value at a difference.
func (c *curve) at(difference int) float64 {
	return c.value[min(max(difference+reach*c.size, 0), len(c.value)-1)]
}

// from returns the values from a difference within the extension on.
func (c *curve) from(difference int) []float64 { return c.value[difference+reach*c.size:] }
