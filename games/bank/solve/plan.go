package solve

// A role is the situation in which a seat is asked.
type role int

const (
	lone   role = iota // the other seat has banked in this round
	first              // both are active, and the other is asked after it
	second             // both are active, and the other has just passed
	roles
)

// A plan is what a seat does in a round, by role, stage - 1 and difference + size: the banks at
// which its answer changes, falling. It banks from the first upwards, passes below that down to
// and including the second, and so on.
type plan struct {
	size    int
	changes [roles][stages][][]uint16
}

func newPlan(size int) *plan {
	p := &plan{size: size}
	for r := range p.changes {
		for s := range p.changes[r] {
			p.changes[r][s] = make([][]uint16, 2*size+1)
		}
	}
	return p
}

// note reports what the seat does with a bank. It is called for falling banks.
func (p *plan) note(r role, stage, difference, bank int, banks bool) {
	at := &p.changes[r][stage-1][difference+p.size]
	if banks != (len(*at)%2 == 0) {
		*at = append(*at, uint16(bank+1))
	}
}

// banks reports whether the seat banks. Differences beyond the tables count as their ends.
func (p *plan) banks(r role, stage, difference, bank int) bool {
	difference = min(max(difference, -p.size), p.size)
	changes := p.changes[r][stage-1][difference+p.size]
	n := 0
	for n < len(changes) && bank < int(changes[n]) {
		n++
	}
	return n%2 == 0
}
