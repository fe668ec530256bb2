package messages

import "fmt"

// Reason says in one word why a message was refused. It is a metric label.
type Reason string

// The reasons, in the order in which they are checked.
const (
	ReasonQuarantined Reason = "aside"    // of an actor that is quarantined: not read at all
	ReasonDecode      Reason = "decode"   // not a message, too large, or too many parts
	ReasonSchema      Reason = "schema"   // another schema version
	ReasonRun         Reason = "run"      // of another run
	ReasonRules       Reason = "rules"    // of another game or under other rules
	ReasonActor       Reason = "actor"    // the actor's id is no token, or not that of the sender
	ReasonWorkers     Reason = "workers"  // the actor has too many workers
	ReasonClosed      Reason = "closed"   // the worker may be one that was gone for so long that its account is closed
	ReasonSequence    Reason = "sequence" // impossible numbering of the batch
	ReasonRepeated    Reason = "repeated" // the batch came before
	ReasonEmpty       Reason = "empty"    // batch after batch without games
	ReasonStale       Reason = "stale"    // batch after batch of games that are too old, while others' are not
	ReasonMatch       Reason = "match"    // the match's id is no token
	ReasonAgents      Reason = "agents"   // no agents, too many, or an impossible name
	ReasonVersion     Reason = "version"  // by weights that were not published
	ReasonSeats       Reason = "seats"    // a seat without agent, or the wrong number of seats
	ReasonSeed        Reason = "seed"     // not the seed of that game of that actor
	ReasonLength      Reason = "length"   // the history is cut off, too long, or continues after the end
	ReasonChance      Reason = "chance"   // an outcome that the seed does not yield
	ReasonIllegal     Reason = "illegal"  // an illegal action
	ReasonLogProb     Reason = "log_prob" // a log-probability missing, left over, positive or not finite
	ReasonReplay      Reason = "replay"   // played again, it comes out otherwise
	ReasonReturns     Reason = "returns"  // not the returns of the history
)

// Reasons lists all reasons.
var Reasons = []Reason{
	ReasonQuarantined, ReasonDecode, ReasonSchema, ReasonRun, ReasonRules, ReasonActor, ReasonWorkers, ReasonClosed,
	ReasonSequence, ReasonRepeated, ReasonEmpty, ReasonStale, ReasonMatch,
	ReasonAgents, ReasonVersion, ReasonSeats, ReasonSeed, ReasonLength, ReasonChance, ReasonIllegal, ReasonLogProb,
	ReasonReplay, ReasonReturns,
}

// Innocent reports whether an actor in good order may be refused for the reason, now and then: it is of
// another build or run, was away for very long, the learner went back behind the weights that it plays with, the
// broker gave out a batch twice, or a worker ended.
func (r Reason) Innocent() bool {
	switch r {
	case ReasonQuarantined, ReasonSchema, ReasonRun, ReasonRules, ReasonClosed, ReasonVersion, ReasonRepeated, ReasonEmpty:
		return true
	}
	return false
}

// Refusal is the error of a message that is not accepted.
type Refusal struct {
	Reason Reason
	Detail string
}

func (r *Refusal) Error() string { return fmt.Sprintf("refused (%s): %s", r.Reason, r.Detail) }

// Refuse returns the refusal for a reason, with what is wrong in words.
func Refuse(reason Reason, format string, args ...any) error {
	return &Refusal{Reason: reason, Detail: fmt.Sprintf(format, args...)}
}
