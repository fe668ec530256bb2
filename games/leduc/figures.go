package leduc

import "croupier/engine"

// The figures.
const (
	raises = iota
	bluffs
	folds
)

var figures = []engine.Figure{
	raises: {Name: "raises", Unit: engine.Share, Per: "chance to raise", Help: "raises where a raise is legal"},
	bluffs: {Name: "bluffs", Unit: engine.Share, Per: "chance to raise with a jack alone",
		Help: "raises with a jack and no pair where a raise is legal"},
	folds: {Name: "folds", Unit: engine.Share, Per: "raise faced", Help: "folds when facing a raise"},
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
