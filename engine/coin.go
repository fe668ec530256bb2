package engine

// Coin is a coin, of which a unit of returns has a number.
type Coin struct {
	Name    string // "ct"
	PerUnit float64
}

// Shown returns the name of what people are shown amounts in, and how much of it is one of the unit.
func (c Coin) Shown(unit string) (name string, scale float64) {
	if c.Name == "" {
		return unit, 1
	}
	return c.Name, c.PerUnit
}
