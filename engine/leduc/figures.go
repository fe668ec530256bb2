package leduc

import "croupier/engine"

// The figures.
const (
	raises = iota
	bluffs
	folds
)

var figures = []engine.Figure{
	raises: {Name: "raises", Unit: engine.Share, Per: "chance to raise", Help: "moves that could raise and do"},
	bluffs: {Name: "bluffs", Unit: engine.Share, Per: "chance to raise with a jack alone", Help: "moves that could raise and do, with a jack and no pair"},
	folds:  {Name: "folds", Unit: engine.Share, Per: "raise faced", Help: "answers to a raise that fold"},
}

// MeasureStep counts moves.
func (s *State) MeasureStep(step int, sums engine.Sums) {
	if s.player < 0 {
		return
	}
	seat := int(s.player)
	if s.FacingRaise() {
		sums.AddShare(seat, folds, step == Fold)
	}
	if s.raises == maxRaises {
		return
	}
	sums.AddShare(seat, raises, step == Raise)
	if rank, pair := hand(s); rank == jack && !pair {
		sums.AddShare(seat, bluffs, step == Raise)
	}
}

// MeasureEnd adds nothing.
func (s *State) MeasureEnd(engine.Sums) {}
