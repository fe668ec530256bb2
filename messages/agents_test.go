package messages

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNamesOfAgents(t *testing.T) {
	for agent, want := range map[string][]string{
		"main": {
			"learner", "learner", "alice", "*", "folded", "matchmaking", "reset.main", "ledger.alice-1-0",
		},
		"exploiter": {
			"learner-exploiter", "learner.exploiter", "alice.exploiter", "*.exploiter", "folded.exploiter",
			"matchmaking.exploiter",
			"reset.exploiter", "ledger.exploiter.alice-1-0",
		},
	} {
		require.Equal(t, want, []string{
			LearnerOf(agent), LearnerKey(agent), ExperienceSubject("alice", agent), ExperienceFilter(agent), MergedKey(agent),
			MatchmakingKey(agent), ResetKey(agent), LedgerKey("alice-1-0", agent),
		})
		worker, of, ok := ParseLedgerKey(LedgerKey("alice-1-0", agent))
		require.Equal(t, []any{"alice-1-0", agent, true}, []any{worker, of, ok})
		actor, of, ok := ParseExperienceSubject(ExperienceSubject("alice", agent))
		require.Equal(t, []any{"alice", agent, true}, []any{actor, of, ok})
	}
	for _, key := range []string{"ledger.", "ledger.main.alice", "ledger.a.b.c", "ledger.a.", "folded.a", "ledger.ä"} {
		_, _, ok := ParseLedgerKey(key)
		require.False(t, ok, key)
	}
	for _, subject := range []string{"", "alice.", "alice.main", "alice.exploiter.more", ".exploiter"} {
		_, _, ok := ParseExperienceSubject(subject)
		require.False(t, ok, subject)
	}
}

func TestReset(t *testing.T) {
	r, err := ParseReset([]byte(`{"agent":"exploiter","number":2,"member":"exploiter@7","why":"it beats main@6"}`))
	require.NoError(t, err)
	require.Equal(t, &Reset{Agent: "exploiter", Number: 2, Member: "exploiter@7", Why: "it beats main@6"}, r)
	for doc, want := range map[string]string{
		``:                            "reset: empty document",
		`{`:                           "reset: ",
		`[]`:                          "reset: ",
		`{"agent":"exploiter"}`:       "reset: it has no number",
		`{"agent":"main","number":1}`: `reset: agent "main" is never reset`,
		`{"agent":"a b","number":1}`:  `reset: name "a b": only ASCII letters`,
		`{"agent":"a","numbr":1}`:     "reset: numbr: unknown key",
		`{"agent":"a","number":-1}`:   "reset: number: ",
		`{"agent":"a","number":1}{}`:  "reset: ",
		`{"agent":"a","number":1}`:    `reset: member "" is not a frozen version of a`,
		`{"agent":"a","number":1,"member":"b@3"}`: `reset: member "b@3" is not a frozen version of a`,
	} {
		_, err := ParseReset([]byte(doc))
		require.ErrorContains(t, err, want, doc)
	}
}
