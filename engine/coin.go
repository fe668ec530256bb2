package engine

// Coin is a coin in which people count money, where a unit of returns is worth several of them.
type Coin struct {
	Name    string  // "ct"; empty: people count in the unit itself
	PerUnit float64 // coins in one unit of returns
}

// Shown returns the name of what people are shown amounts in, coin or unit, and the factor that turns units into it.
func (c Coin) Shown(unit string) (name string, scale float64) {
	if c.Name == "" {
		return unit, 1
	}
	return c.Name, c.PerUnit
}
