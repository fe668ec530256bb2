package cluster

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/messages"
)

func TestEvidenceForBest(t *testing.T) {
	promoted := messages.LadderPromotion{Number: 2, Agent: "main@4", Over: "main@1", GateSets: 300}
	with := func(g messages.Gain) messages.LadderPromotion {
		p := promoted
		p.Gain = &g
		return p
	}
	its, before := 0.244, 0.3
	lost := promoted
	lost.Exploitability, lost.ExploitabilityBefore = &its, &before
	for want, promotion := range map[string]messages.LadderPromotion{
		"main@4 is best because it was the first version, and no later one has passed the gate.": {Agent: "main@4"},
		"main@4 is best because it passed the gate against main@1 after 300 sets; no other games of the two have been " +
			"played.": promoted,
		"main@4 is best because it passed the gate against main@1 after 300 sets; in 80 other games it has 0.20 antes per " +
			"game over it, 95 % interval 0.10 to 0.30.": with(messages.Gain{Games: 80, Value: 0.2, Low: 0.1, High: 0.3}),
		"main@4 is best because it passed the gate against main@1 after 300 sets; it also won all of 8 other games between " +
			"them, which is more than 0.10 antes per game.": with(messages.Gain{Games: 8, Value: 0.3, Low: 0.1, High: 0.3}),
		"main@4 is best because it passed the gate against main@1 after 300 sets and an opponent that knows it wins 0.244 a game " +
			"(of main@1 0.3); no other games of the two have been played.": lost,
		"main@4 is best, but the ladder no longer says which version it beat.": {Agent: "main@3"},
	} {
		l := &messages.Ladder{
			Scale:      messages.Scale{Kind: messages.MoneyScale, Unit: "antes per game", Decimals: 2},
			Promotions: []messages.LadderPromotion{{Agent: "main@1"}, promotion},
		}
		require.Equal(t, want, evidence(l, "main@4"))
	}
}
