package league

import (
	"errors"
	"slices"
	"strings"
	"time"

	"croupier/league/rating"
	"croupier/messages"
)

// issued is a match that has no result yet.
type issued struct {
	key     rating.Key
	sets    rating.Span
	attempt uint32        // the newest; a result of an earlier one is as good
	at      time.Duration // when it was last published
	unsent  bool          // the process before this one has not published it
	absent  int           // looks at the queue in a row in which its newest attempt was not there
	seen    bool          // a look has found it there
}

// mark is a place in the stream of results: its last message that was looked at, and the
// beginning of the SHA-256 of that, by which a stream that began again is distinguished from this one.
type mark struct {
	Sequence uint64 `json:"sequence"`
	Digest   uint64 `json:"digest,omitempty"`
}

// claim is a result that is good unless its audit finds otherwise.
type claim struct {
	resultArrived
	key    rating.Key
	sets   rating.Span
	before mark // the message before it
}

// id is the same for all claims of the same sets.
func (c claim) id() string { return c.key.MatchID(c.sets, 0) }

// settle looks at a message of the stream of results.
func (c *core) settle(e resultArrived) []effect {
	before := c.place
	c.place = mark{e.sequence, e.digest}
	k, s, err := c.verify(e)
	claimed := claim{resultArrived: e, key: k, sets: s, before: before}
	if err != nil || !c.audits {
		return append(c.conclude(claimed, err), c.decide()...)
	}
	waits := c.claimed(claimed.id())
	c.claims = append(c.claims, claimed)
	if waits {
		return c.decide()
	}
	return append([]effect{audit{e.sequence, e.result}}, c.decide()...)
}

// claimed reports whether a result of these sets is being audited.
func (c *core) claimed(id string) bool {
	return slices.ContainsFunc(c.claims, func(o claim) bool { return o.id() == id })
}

// audited continues with a result whose audit has ended.
func (c *core) audited(e audited) []effect {
	i := slices.IndexFunc(c.claims, func(o claim) bool { return o.sequence == e.sequence })
	if i < 0 {
		return nil
	}
	done := c.claims[i]
	c.claims = slices.Delete(c.claims, i, i+1)
	effects := c.conclude(done, e.err)
	// The first result has won. If there was none, the next in the stream is the first.
	for j := 0; j < len(c.claims); {
		next := c.claims[j]
		if next.id() != done.id() {
			j++
			continue
		}
		if e.err != nil {
			effects = append(effects, audit{next.sequence, next.result})
			break
		}
		c.claims = slices.Delete(c.claims, j, j+1)
		effects = append(effects, c.conclude(next, rating.ErrDuplicate)...)
	}
	return append(effects, c.decide()...)
}

// conclude counts a result, or does not: then its sets are asked for again, lest an actor that sent a bad
// result keeps others from playing them.
func (c *core) conclude(r claim, err error) []effect {
	id := r.id()
	effects := []effect{settled{arrived: r.resultArrived, err: err}}
	switch {
	case err == nil:
		if _, actor, ok := messages.ParseResultSubject(r.subject); ok {
			c.crew.brought(actor, id, c.now)
		}
		c.Count(r.key, r.sets, r.result)
		c.dirty = true
		delete(c.outstanding, id)
	case errors.Is(err, rating.ErrDuplicate):
		if _, free := rating.AddSpan(c.PairOf(r.key).Done, r.sets); !free {
			delete(c.outstanding, id)
		}
	default:
		c.refusals[r.sequence] = r.digest
		if o, ok := c.refused(r); ok {
			effects = append(effects, c.again(o))
		}
	}
	return effects
}

// refused returns the match in whose newest attempt a message was refused: it has taken the place of
// a result there.
func (c *core) refused(r claim) (o issued, ok bool) {
	match, _, _ := messages.ParseResultSubject(r.subject)
	first := match
	if parts := strings.Split(match, "-"); len(parts) > 3 {
		first = strings.Join(parts[:3], "-")
	}
	o, ok = c.outstanding[first]
	return o, ok && o.key.MatchID(o.sets, o.attempt) == match
}

// again asks for the sets of a match in a new attempt.
func (c *core) again(o issued) publishMatch {
	o.attempt++
	o.absent, o.seen = 0, false
	o.at = c.now
	c.outstanding[o.key.MatchID(o.sets, 0)] = o
	return publishMatch{match: c.Match(o.key, o.sets, o.attempt)}
}

const (
	// lookEvery is the time between two looks at the queue of matches, and absentLooks how many in a row a match
	// without a result may be missing there: an actor publishes the result before it acknowledges the match, and it is
	// read then.
	lookEvery   = period
	absentLooks = 3
	// maxAbsences bounds how long a match waits that was in the queue for a while before it vanished, each time twice
	// as long: the queue gives up matches that no actor can play.
	maxAbsences = 6
)

// vanished asks again for matches that somebody has acknowledged without a result. queued are the ids of those that
// no process has acknowledged.
func (c *core) vanished(queued map[string]bool) []effect {
	var effects []effect
	for _, id := range c.outstandingIDs() {
		o := c.outstanding[id]
		wait := time.Duration(0)
		if o.seen {
			wait = absentLooks * lookEvery << min(o.attempt, maxAbsences)
		}
		if there := queued[o.key.MatchID(o.sets, o.attempt)]; o.unsent || there {
			o.absent, o.seen = 0, there
		} else if o.absent++; o.absent >= absentLooks && c.now-o.at >= wait && !c.claimed(id) {
			if c.crew.lost(c.now); c.crew.holder(id) != nil {
				continue // and if that one does not bring it either, another gets it
			}
			asked := c.again(o)
			asked.again = true
			effects = append(effects, asked)
			continue
		}
		c.outstanding[id] = o
	}
	return effects
}

// recall notes a match that was issued before the process began; sent: the broker has taken it.
func (c *core) recall(k rating.Key, s rating.Span, attempt uint32, sent bool) {
	id := k.MatchID(s, 0)
	o := c.outstanding[id]
	c.outstanding[id] = issued{key: k, sets: s, attempt: max(o.attempt, attempt), unsent: !sent}
}

// verify reports what is wrong with a message of the stream of results: its error is rating.ErrDuplicate, or a
// *messages.Refusal.
func (c *core) verify(e resultArrived) (k rating.Key, s rating.Span, err error) {
	match, _, ok := messages.ParseResultSubject(e.subject)
	// A result of a program that knew neither authors nor weights is one of the past.
	old := !ok && c.trusting
	digest, refused := c.refusals[e.sequence]
	switch {
	case refused && digest == e.digest:
		return k, s, messages.Refuse(messages.ReasonMatch, "it was refused before")
	case e.quarantined:
		return k, s, messages.Refuse(messages.ReasonQuarantined, "it is not read")
	case e.err != nil:
		return k, s, e.err
	case !ok && !old:
		return k, s, messages.Refuse(messages.ReasonActor, "subject %.80q does not say whose result it is", e.subject)
	case !old && e.result.GetMatch().GetId() != match:
		return k, s, messages.Refuse(messages.ReasonMatch, "it is of match %.80q", e.result.GetMatch().GetId())
	case !old && len(e.result.Returns) == 0:
		return k, s, messages.Refuse(messages.ReasonReturns, "it has none")
	}
	if k, s, err = c.Check(e.result); err != nil {
		return k, s, err
	}
	if c.ofDropped(k) {
		return k, s, rating.ErrDuplicate // or of no more use
	}
	known := c.Key(k.A, k.B)
	if old {
		k = known
	}
	if k != known {
		return k, s, messages.Refuse(messages.ReasonAgents, "%s and %s have other weights", k.A, k.B)
	}
	if err := c.VerifySums(k, s, e.result); err != nil {
		return k, s, err
	}
	recent := c.forgot && c.now < c.config.MatchTimeout
	if o, ok := c.outstanding[k.MatchID(s, 0)]; !c.trusting && !recent && !(ok && e.result.Match.Attempt <= o.attempt) {
		return k, s, messages.Refuse(messages.ReasonMatch, "sets %d to %d of %s and %s were not requested", s.First, s.End, k.A,
			k.B)
	}
	return k, s, nil
}

// position is the place in the stream of results up to which all is settled.
func (c *core) position() mark {
	if len(c.claims) > 0 {
		return c.claims[0].before
	}
	return c.place
}
