// Package tysiachand_test holds the conformance test and the golden files of
// tysiac-hand, the game of one deal in package tysiac.
package tysiachand_test

import (
	"testing"

	"croupier/engine/enginetest"
	"croupier/games/tysiac"
)

func TestConformance(t *testing.T) {
	enginetest.Run(t, tysiac.NewHand,
		"bidding: {proof_threshold: 280}\nhand: {scores: [790, 810], dealer: 1, bombs_left: [0, 1]}",
		"bidding: {all_pass: redeal, jump_bids: false, max_bid: 120}\ntrick_rules: {follower_melds: true}")
}
