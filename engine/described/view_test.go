package described

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
)

var viewSpec = &engine.Spec{Seats: 2, Actions: 4}

// What a terminal shows of parts.
func TestViewsAsText(t *testing.T) {
	v, err := ReadView(`{"parts": [
		{"label": "bid", "note": "3x2"}, {"seat": 0, "dice": [5, 0]}, {"seat": 1, "label": "hand", "cards": ["Qh", "?"]},
		{"grid": {"columns": 2, "cells": ["@0", "", "@1K", "7"], "actions": [0, 1, 2, -1]}},
		{"chips": 12}, {"label": "round", "track": {"at": 2, "of": 5}}]}`, viewSpec)
	require.NoError(t, err)
	require.Equal(t, "bid: 3x2\nSeat 1: 5 ?\nSeat 2 hand: Qh ?\n\n x  .\noK  7\n12\nround: 2 of 5", v.String())
	v, err = ReadView(`{"text": "a board", "parts": [{"chips": 1}]}`, viewSpec)
	require.NoError(t, err)
	require.Equal(t, "a board", v.String())
}

func TestViewsAreChecked(t *testing.T) {
	for view, message := range map[string]string{
		`{"part": []}`:                                                                   "part",
		`{"parts": [{}]}`:                                                                "it has 0 of grid, cards",
		`{"parts": [{"chips": 1, "note": "x"}]}`:                                         "it has 2 of grid, cards",
		`{"parts": [{"chips": 1, "seat": 2}]}`:                                           "there is no seat 2",
		`{"parts": [{"dice": [7]}]}`:                                                     "7 is not a face",
		`{"parts": [{"track": {"at": 3, "of": 2}}]}`:                                     "3 of 2",
		`{"parts": [{"cards": ["a\nb"]}]}`:                                               "is not a word",
		`{"parts": [{"note": "a\nb"}]}`:                                                  "label and note are lines",
		`{"parts": [{"grid": {"columns": 2, "cells": ["", "", ""]}}]}`:                   "3 cells do not make rows of 2",
		`{"parts": [{"grid": {"columns": 0, "cells": [""]}}]}`:                           "do not make rows of 0",
		`{"parts": [{"grid": {"columns": 1, "cells": [""], "actions": [4]}}]}`:           "there is no action 4",
		`{"parts": [{"grid": {"columns": 1, "cells": [""], "column_actions": [0, 1]}}]}`: "2 actions, and not 1",
	} {
		_, err := ReadView(view, viewSpec)
		require.ErrorContains(t, err, message, view)
	}
}
