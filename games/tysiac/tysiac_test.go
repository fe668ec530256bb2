package tysiac

import (
	"testing"

	"croupier/engine/enginetest"
)

func TestConformance(t *testing.T) {
	enginetest.Run(t, New,
		"game: {max_hands: 40}\nbidding: {proof_threshold: 280, all_pass: redeal}\nbombing: {enabled: false}",
		"game: {target_score: 300, enable_lock: false, max_hands: 3}\nbidding: {jump_bids: false, increment: 20}\ntrick_rules: {must_overtake: false, must_overtrump: false, follower_melds: true}")
}
