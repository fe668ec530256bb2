package league

import (
	"time"

	"croupier/messages"
)

// event is what happens to a league: one of the types below, and no other.
type event interface{ isEvent() }

type (
	// pointerMoved: the learner has published weights.
	pointerMoved struct{ pointer *messages.Pointer }
	// memberKnown: a frozen version is in the population.
	memberKnown struct{ member *messages.Member }
	// membersDropped: the weights of these members are not kept any more.
	membersDropped struct{ members []*messages.Member }
	// freezeFailed: the weights could not be frozen; gone: they never will be.
	freezeFailed struct {
		pointer *messages.Pointer
		gone    bool
	}
	// promotionKnown: the promotion is on record.
	promotionKnown struct{ promotion *messages.Promotion }
	// promotionFailed: the promotion could not be recorded.
	promotionFailed struct{}
	// setbackKnown: the setback is on record.
	setbackKnown struct{ setback *messages.Setback }
	// setbackFailed: the setback could not be recorded.
	setbackFailed struct{}
	// resetKnown: the reset is on record.
	resetKnown struct{ reset *messages.Reset }
	// resetFailed: the reset of an agent could not be recorded.
	resetFailed struct{ agent string }
	// resultArrived: the stream of results has this message.
	resultArrived struct {
		sequence    uint64
		digest      uint64 // the beginning of the message's SHA-256
		subject     string
		quarantined bool // its actor is quarantined: it is not read
		result      *messages.Result
		err         error // why the message is no result; nil: it is one
	}
	// audited: the audit of a result has ended; err is why it is refused.
	audited struct {
		sequence uint64
		err      error
	}
	// queueSeen: these matches, by their ids, are in the queue, or in the hands of an actor that has acknowledged
	// nothing. actors are those that say that they are there, as far as it was asked, and workers those of all of them.
	queueSeen struct {
		ids     map[string]bool
		actors  []string
		workers int
	}
	// evaluated: the member of that order has been measured against the exact answer. loss is what it can lose to
	// the one that knows it, NaN where that was not measured.
	evaluated struct {
		order uint64
		loss  float64
	}
	// tableMeasured: an agent has been measured at a table, by its number, or could not be.
	tableMeasured struct {
		table  int
		result messages.TableResult
		took   time.Duration
		err    error
	}
	// caughtUp: all that was on the bus at the start has been seen.
	caughtUp struct{}
	// worked: the last tick has taken so long.
	worked struct{ took time.Duration }
	// tick: time has come to now, measured from the start of the process.
	tick struct{ now time.Duration }
	// finish: training is over; the newest weights are to be rated, within that time unless it is 0.
	finish struct{ within time.Duration }
)

func (pointerMoved) isEvent()    {}
func (memberKnown) isEvent()     {}
func (membersDropped) isEvent()  {}
func (freezeFailed) isEvent()    {}
func (promotionKnown) isEvent()  {}
func (promotionFailed) isEvent() {}
func (setbackKnown) isEvent()    {}
func (setbackFailed) isEvent()   {}
func (resetKnown) isEvent()      {}
func (resetFailed) isEvent()     {}
func (resultArrived) isEvent()   {}
func (audited) isEvent()         {}
func (queueSeen) isEvent()       {}
func (evaluated) isEvent()       {}
func (tableMeasured) isEvent()   {}
func (caughtUp) isEvent()        {}
func (worked) isEvent()          {}
func (tick) isEvent()            {}
func (finish) isEvent()          {}

// effect is what a league wants to be done: one of the types below, and no other.
type effect interface{ isEffect() }

type (
	// freeze copies the pointer's weights and makes them the member.
	freeze struct {
		pointer *messages.Pointer
		member  *messages.Member
	}
	// drop records what members came to, and then removes their weights.
	drop struct{ members []messages.DroppedMember }
	// promote records a promotion.
	promote struct{ promotion *messages.Promotion }
	// setBack has the learner go back to the best version.
	setBack struct{ setback *messages.Setback }
	// beginAgain has an exploiter's learner begin again.
	beginAgain struct{ reset *messages.Reset }
	// publishMatch puts a match in the queue; again: for lack of a result so far.
	publishMatch struct {
		match *messages.Match
		again bool
	}
	// assign gives an actor these matches by name, and none besides.
	assign struct {
		actor   string
		matches []*messages.Match
	}
	// unbrought reports that an actor has not brought the result of a match that it was given by name.
	unbrought struct {
		actor, match string
		times        uint64 // in a row
	}
	publishTable  struct{ table *messages.Matchmaking }
	publishLadder struct{ ladder *messages.Ladder }
	publishPoints struct{ points *messages.Points }
	// evaluate measures the member against the exact answer.
	evaluate struct{ member *messages.Member }
	// measureTable measures an agent at a table, by its number.
	measureTable struct {
		table int
		agent string
	}
	// moveBest reports that another member is best from now on.
	moveBest struct{ from, to string }
	// audit has some of a result's games played again.
	audit struct {
		sequence uint64
		result   *messages.Result
	}
	// settled says the outcome of a message of the stream of results: err is nil, rating.ErrDuplicate or a
	// refusal.
	settled struct {
		arrived resultArrived
		err     error
	}
	// finished answers finish, with the games that are left at most.
	finished struct{ left uint64 }
)

func (freeze) isEffect()        {}
func (drop) isEffect()          {}
func (promote) isEffect()       {}
func (setBack) isEffect()       {}
func (beginAgain) isEffect()    {}
func (publishMatch) isEffect()  {}
func (assign) isEffect()        {}
func (unbrought) isEffect()     {}
func (publishTable) isEffect()  {}
func (publishLadder) isEffect() {}
func (publishPoints) isEffect() {}
func (evaluate) isEffect()      {}
func (measureTable) isEffect()  {}
func (moveBest) isEffect()      {}
func (audit) isEffect()         {}
func (settled) isEffect()       {}
func (finished) isEffect()      {}
