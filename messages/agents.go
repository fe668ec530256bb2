package messages

import (
	"fmt"
	"strings"
)

// The run's learning agents have an experience, ledgers, matchmaking and a learner each. The names of those of
// [LearningAgent], the main agent, are plain; those of another agent have its name as a further part.

// LearnerOf names the learner of an agent: "learner", "learner-AGENT". It is its consumer of experience, its
// lock, and the source of its curves.
func LearnerOf(agent string) string { return agentPart(LearnerRole, "-", agent) }

// LearnerKey is the same in subjects and keys: "learner", "learner.AGENT". The lease of the learner and its curves
// are under it.
func LearnerKey(agent string) string { return agentPart(LearnerRole, ".", agent) }

// ExperienceSubject is the subject of an actor's games for an agent: "ACTOR", "ACTOR.AGENT".
func ExperienceSubject(actor, agent string) string { return agentPart(actor, ".", agent) }

// ExperienceFilter matches the experience subjects of an agent, whatever the actor, and of no other agent.
func ExperienceFilter(agent string) string { return agentPart("*", ".", agent) }

// ParseExperienceSubject splits the subject of a batch of experience.
func ParseExperienceSubject(subject string) (actor, agent string, ok bool) {
	actor, agent, other := strings.Cut(subject, ".")
	if !other {
		agent = LearningAgent
	}
	return actor, agent, CheckToken(actor) == nil && CheckToken(agent) == nil && (!other || agent != LearningAgent)
}

// CheckAgentSubject reports what is wrong with a subject that has to be a token, or two where the second is an agent
// other than the main one.
func CheckAgentSubject(subject string) error {
	if _, _, ok := ParseExperienceSubject(subject); !ok {
		return fmt.Errorf("subject %.80q: neither a token nor one and an agent", subject)
	}
	return nil
}

// MergedKey is the State key of an agent's account of workers that are gone, MergedLedgers.
func MergedKey(agent string) string { return agentPart("folded", ".", agent) }

// MatchmakingKey is the State key of an agent's Matchmaking.
func MatchmakingKey(agent string) string { return agentPart("matchmaking", ".", agent) }

// ResetKey is the State key of an agent's newest Reset, JSON.
func ResetKey(agent string) string { return ResetPrefix + agent }

// LedgerKey is the State key of an agent's account of a worker: "ledger.WORKER", "ledger.AGENT.WORKER".
func LedgerKey(worker, agent string) string { return LedgersOf(agent) + worker }

// LedgersOf begins the State keys of an agent's ledgers; those of the main agent begin as all others do, see
// [ParseLedgerKey].
func LedgersOf(agent string) string {
	if agent == LearningAgent {
		return LedgerPrefix
	}
	return LedgerPrefix + agent + "."
}

// ParseLedgerKey splits the State key of a ledger.
func ParseLedgerKey(key string) (worker, agent string, ok bool) {
	rest, isLedger := strings.CutPrefix(key, LedgerPrefix)
	agent, worker, other := strings.Cut(rest, ".")
	if !other {
		agent, worker = LearningAgent, rest
	}
	ok = isLedger && CheckToken(worker) == nil && CheckToken(agent) == nil && key == LedgerKey(worker, agent)
	return worker, agent, ok
}

// agentPart appends the name of an agent, unless it is the main one.
func agentPart(name, separator, agent string) string {
	if agent == LearningAgent {
		return name
	}
	return name + separator + agent
}
