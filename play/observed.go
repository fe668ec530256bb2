package play

import (
	"fmt"
	"strings"

	"croupier/engine"
)

// ViewOf returns what is shown of a state to an eye: the game's own view, or of a game that has none what a seat
// observes. Others see nothing of it.
func ViewOf(game engine.Game, s engine.State, eye int) any {
	if viewed, ok := game.(engine.Viewed); ok {
		return viewed.View(s, eye)
	}
	if eye < 0 {
		return nil
	}
	return observed(s, game.Spec(), eye)
}

// Observed is the view of a game that has none: what a seat observes, in words.
type Observed struct {
	Text string `json:"text"`
}

// String is what a terminal shows.
func (o Observed) String() string { return o.Text }

// wholeSegment is the greatest size of a segment of which all numbers are shown. Of larger ones those are that are not
// 0, as far as there is room for.
const wholeSegment = 16

// observed shows what a seat observes, a line for each segment.
func observed(s engine.State, spec *engine.Spec, seat int) Observed {
	values := make([]float32, spec.ObservationSize)
	s.Observe(seat, values)
	var lines []string
	for _, segment := range spec.Segments {
		var shown []string
		for i, v := range values[segment.Offset : segment.Offset+segment.Size] {
			switch {
			case segment.Size <= wholeSegment:
				shown = append(shown, fmt.Sprintf("%.3g", v))
			case v != 0 && len(shown) == 4*wholeSegment:
				shown = append(shown, "…")
			case v == 1 && len(shown) < 4*wholeSegment:
				shown = append(shown, fmt.Sprint(i))
			case v != 0 && len(shown) < 4*wholeSegment:
				shown = append(shown, fmt.Sprintf("%d: %.3g", i, v))
			}
		}
		between := " "
		if segment.Size > wholeSegment {
			between = ", "
		}
		lines = append(lines, strings.ReplaceAll(segment.Name, "_", " ")+": "+strings.Join(shown, between))
	}
	return Observed{strings.Join(lines, "\n")}
}
