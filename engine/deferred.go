package engine

// Deferred is a State whose steps are made elsewhere, such as in another process: Apply checks a step and may return
// before it is made, so that steps of many states travel together; the next call waits for it. Such states allocate.
type Deferred interface {
	State
	// Pending reports whether the last step is on its way.
	Pending() bool
	// Foresee passes the coming steps on, such as those of a history, so that they travel together. They need not be
	// possible.
	Foresee(steps []int)
}

// Foresee passes a state the steps of a history that begins at it, if it can make use of them. Step returns each.
func Foresee(s State, length int, step func(i int) int) {
	d, ok := s.(Deferred)
	if !ok {
		return
	}
	steps := make([]int, length)
	for i := range steps {
		steps[i] = step(i)
	}
	d.Foresee(steps)
}
