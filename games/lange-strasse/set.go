package langestrasse

const dice = 6 // of a fresh set, and faces of a die

// counts is how many dice show each face; counts[0] is not used.
type counts [dice + 1]uint8

// roll is a throw of n dice, dice[:n], ascending.
type roll struct {
	dice   [dice]uint8
	counts counts
	n      uint8
}

// chosen counts the dice of a mask. The mask is canonical if it takes equal dice only from the
// lowest positions.
func (r *roll) chosen(mask int) (c counts, canonical bool) {
	for i, face := range r.dice[:r.n] {
		if mask>>i&1 == 0 {
			continue
		}
		if i > 0 && r.dice[i-1] == face && mask>>(i-1)&1 == 0 {
			return c, false
		}
		c[face]++
	}
	return c, true
}

// set is what is kept of six dice while some are left to roll.
type set struct {
	ones, fives uint8 // singles
	face, size  uint8 // of the group, 0 without one; two do not fit
	// super: the first roll kept just a 1 and the second just a 5, or the reverse.
	super bool
}

func (s set) kept() int { return int(s.ones + s.fives + s.size) }

// points is the set score.
func (s set) points() int {
	return int(s.ones)*singlePoints(1) + int(s.fives)*singlePoints(5) + groupPoints(s.face, s.size)
}

// singlePoints is what a single die is worth, 0 for a face without singles.
func singlePoints(face uint8) int {
	switch face {
	case 1:
		return 100
	case 5:
		return 50
	}
	return 0
}

// groupPoints is what a group is worth, 0 when there is none.
func groupPoints(face, size uint8) int {
	if size == 0 {
		return 0
	}
	three := 100 * int(face)
	if face == 1 {
		three = 1000
	}
	return three << (size - 3)
}

// keep makes an ordinary keep. It returns the set (meaningless if it is full), the set score,
// and whether the keep is legal.
func (s set) keep(c counts) (next set, points int, legal bool) {
	next, points = s, s.points()
	total := uint8(0)
	for face := uint8(1); face <= dice; face++ {
		count := c[face]
		total += count
		switch {
		case count == 0:
		case face == s.face:
			next.size += count
			points += groupPoints(face, next.size) - groupPoints(face, s.size)
		case count >= 3:
			next.face, next.size = face, count
			points += groupPoints(face, count)
		case face == 1:
			next.ones += count
			points += int(count) * singlePoints(face)
		case face == 5:
			next.fives += count
			points += int(count) * singlePoints(face)
		default:
			return next, points, false
		}
	}
	next.super = s.kept() == 1 && total == 1 && next.ones == 1 && next.fives == 1
	return next, points, total > 0
}

// least returns how many dice of a face, of those rolled, a keep may take at least: 1 if a single
// one counts or joins the group, 3 if only a new group does, 0 if the face cannot be kept.
func (s set) least(face int, rolled counts) int {
	switch {
	case rolled[face] == 0:
		return 0
	case face == int(s.face) || singlePoints(uint8(face)) > 0:
		return 1
	case rolled[face] >= 3:
		return 3
	}
	return 0
}

// together counts the kept singles and the rolled dice, which are all six dice only if the set
// has no group.
func (s set) together(r *roll) counts {
	c := r.counts
	c[1] += s.ones
	c[5] += s.fives
	return c
}

// straight reports whether the roll makes the set a Lange Strasse.
func (s set) straight(r *roll) bool {
	return s.together(r) == counts{0, 1, 1, 1, 1, 1, 1}
}

// talheim returns the points of the Talheim that the roll completes, or 0.
func (s set) talheim(r *roll) int {
	pairs, lowest, highest := 0, 0, 0
	for face, count := range s.together(r) {
		if count != 2 {
			continue
		}
		if pairs == 0 {
			lowest = face
		}
		pairs++
		highest = face
	}
	switch {
	case pairs != 3:
		return 0
	case highest-lowest == 2:
		return talheimInARow
	}
	return talheimPoints
}
