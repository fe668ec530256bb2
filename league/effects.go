package league

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"croupier/internal/stat"
	"croupier/league/rating"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/messages/presence"
)

// step lets the core handle an event and carries out what it wants.
func (l *League) step(ctx context.Context, e event) error {
	effects, err := l.core.step(e)
	if err != nil {
		return err
	}
	return l.carryOut(ctx, effects)
}

// carryOut does what the core wants. What the broker has to take goes to the
// outbox; errors are those that no repetition can heal.
func (l *League) carryOut(ctx context.Context, effects []effect) error {
	for _, e := range effects {
		l.unsaved = true
		var err error
		switch e := e.(type) {
		case freeze:
			err = l.freeze(ctx, e)
		case drop:
			err = l.drop(ctx, e)
		case promote:
			err = l.promote(ctx, e.promotion)
		case setBack:
			err = l.setBack(ctx, e.setback)
		case beginAgain:
			err = l.beginAgain(ctx, e.reset)
		case publishMatch:
			err = l.publishMatch(e)
		case assign:
			err = l.assign(e)
		case unbrought:
			l.log.Log(ctx, normalBelow(e.times, silent), "an actor has not brought the result of a match that it was given by "+
				"name; it gets fewer", "actor", e.actor, "match", e.match, "in_a_row", e.times)
		case publishTable:
			err = l.putMessage(messages.MatchmakingKey(e.table.Learner), e.table)
		case publishLadder:
			l.showNext(e.ladder)
			l.logContradicted()
			l.logHeldBack(e.ladder)
		case publishPoints:
			err = l.outbox.publish(bus.Curves, messages.LeagueRole, e.points)
		case evaluate:
			l.evaluate(ctx, e.member)
		case measureTable:
			l.measureTable(ctx, e)
		case moveBest:
			l.log.Info("best version changed", "agent", e.to, "from", e.from)
		case audit:
			l.audit(ctx, e)
		case settled:
			err = l.settled(e)
		case finished:
			l.finished = &e
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// freeze keeps weights under the member's name and adds it to the population. That
// the member is there the core learns from the population, like everybody.
func (l *League) freeze(ctx context.Context, f freeze) error {
	trying, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	gone, err := l.tryFreeze(trying, f)
	if err == nil {
		l.log.Info("version frozen", "agent", f.member.Name, "version", f.pointer.Version, "updates", f.member.Updates)
		return nil
	}
	if ctx.Err() == nil {
		l.log.Warn("version not frozen", "agent", f.member.Name, "version", f.pointer.Version, "error", err)
	}
	return l.step(ctx, freezeFailed{f.pointer, gone})
}

func (l *League) tryFreeze(ctx context.Context, f freeze) (gone bool, err error) {
	object, sum := f.pointer.Lasting()
	data, err := l.weights(ctx, object, sum)
	if err != nil {
		return errors.Is(err, bus.ErrNotFound) || errors.Is(err, errOtherBytes), err
	}
	if err := l.o.Bus.PutObject(ctx, f.member.Object, data); err != nil && !errors.Is(err, bus.ErrTaken) {
		return false, err
	}
	value, err := messages.Encode(f.member)
	if err != nil {
		return true, err
	}
	_, err = l.o.Bus.State().Update(ctx, messages.MemberKey(agentOf(f.member), f.member.Order), value, 0)
	return false, err
}

// errOtherBytes reports that an object is not what its SHA-256 says.
var errOtherBytes = errors.New("the bytes do not have the promised SHA-256")

func (l *League) weights(ctx context.Context, object string, sum []byte) ([]byte, error) {
	data, err := l.o.Bus.GetObject(ctx, object)
	if err != nil {
		return nil, err
	}
	if got := sha256.Sum256(data); !bytes.Equal(got[:], sum) {
		return nil, fmt.Errorf("object %s: %w", object, errOtherBytes)
	}
	return data, nil
}

// silent is how many matches in a row an actor of a machine that is slow may leave out.
const silent = 3

// normalBelow is the level of what happens on slow machines, too: it is worth a look where it has happened often.
func normalBelow(times, often uint64) slog.Level {
	if times < often {
		return slog.LevelInfo
	}
	return slog.LevelWarn
}

func (l *League) publishMatch(e publishMatch) error {
	time := "first"
	if e.again {
		time = "again"
		l.log.Log(context.Background(), normalBelow(uint64(e.match.Attempt), 2), "no result yet, match is published again",
			"match", e.match.Id, "a", e.match.A, "b", e.match.B)
	}
	l.metrics.matches.WithLabelValues(time).Inc()
	if err := l.journal.add(entry{Issued: issuedAs(e.match)}); err != nil {
		return err
	}
	return l.outbox.publish(bus.Matches, e.match.Id, e.match)
}

// assign gives matches to an actor by name, at once.
func (l *League) assign(e assign) error {
	value, err := messages.EncodeAssigned(e.matches)
	if err != nil {
		return err
	}
	l.outbox.put(messages.AssignedKey(e.actor), value)
	l.outbox.hurry = true
	return nil
}

func (l *League) putMessage(key string, m messages.Message) error {
	value, err := messages.Encode(m)
	if err != nil {
		return err
	}
	l.outbox.put(key, value)
	return nil
}

// settled counts a result, or enters a refused one as an offence of the actor that sent it.
func (l *League) settled(e settled) error {
	outcome := outcomeApplied
	switch {
	case errors.Is(e.err, rating.ErrDuplicate):
		outcome = outcomeDuplicate
	case e.err != nil:
		outcome = outcomeRefused
		if err := l.journal.add(entry{Refused: []mark{{e.arrived.sequence, e.arrived.digest}}}); err != nil {
			return err
		}
		l.offence(e)
	default:
		games := e.arrived.result.OneA.Games + e.arrived.result.OneB.GetGames()
		l.games += games
		l.metrics.games.Add(float64(games))
		counted, err := withoutEvidence(e.arrived.result)
		if err != nil {
			return err
		}
		place := l.core.position()
		if err := l.journal.add(entry{Result: counted, Place: &place}); err != nil {
			return err
		}
	}
	l.metrics.results.WithLabelValues(outcome).Inc()
	return nil
}

// offence notes who has sent a result that is refused. What is read again was noted at its time.
func (l *League) offence(e settled) {
	_, actor, known := messages.ParseResultSubject(e.arrived.subject)
	if known && l.core.ready {
		l.conduct.Offence(actor, fmt.Errorf("result %s: %w", e.arrived.subject, e.err))
		return
	}
	l.log.Warn("result refused", "match", e.arrived.subject, "error", e.err)
}

// issuedAs is what the journal says of a match.
func issuedAs(m *messages.Match) *pairSets {
	k, sets, _ := rating.SetsOf(m)
	return &pairSets{k.Agents(), sets, m.Attempt}
}

// keepJournal writes what the journal does not have yet, and logs when that begins or ceases to fail.
func (l *League) keepJournal() (kept bool) {
	err := l.journal.flush()
	l.note("no matches are asked for: the journal cannot be written", "journal written again", err)
	return err == nil
}

// note logs when something begins or ceases to fail that is tried again every second.
func (l *League) note(fails, works string, err error) {
	switch {
	case err != nil && l.failing[fails] == nil:
		l.log.Warn(fails+"; trying again every second", "error", err)
	case err == nil && l.failing[fails] != nil:
		l.log.Info(works)
	}
	if err == nil {
		delete(l.failing, fails)
	} else {
		l.failing[fails] = err
	}
}

// trouble describes in words what cannot be written just now, "" if all can.
func (l *League) trouble() string {
	fails := slices.Sorted(maps.Keys(l.failing))
	if len(fails) == 0 {
		return ""
	}
	return strings.Join(fails, "; ") + ": " + l.failing[fails[0]].Error() // mostly the disk's, the same for all
}

// noteSent has the journal say which matches the broker has. It is written with what comes next.
func (l *League) noteSent() {
	if len(l.outbox.sent) > 0 {
		_ = l.journal.add(entry{Sent: l.outbox.sent}) // tokens can be written
		l.outbox.sent = nil
	}
}

// audit has a result's games played again next to the league's own work.
func (l *League) audit(ctx context.Context, a audit) {
	l.workers.Go(func() {
		select {
		case l.auditors <- struct{}{}:
			defer func() { <-l.auditors }()
		case <-ctx.Done():
			return
		}
		err := l.o.Audit(ctx, a.result)
		var refusal *messages.Refusal
		if err != nil && !errors.As(err, &refusal) {
			if ctx.Err() == nil {
				l.log.Warn("result counts without an audit", "match", a.result.Match.Id, "error", err)
			}
			err = nil
		}
		select {
		case l.audits <- audited{a.sequence, err}:
		case <-ctx.Done():
		}
	})
}

// evaluate measures a version next to the league's own work.
func (l *League) evaluate(ctx context.Context, m *messages.Member) {
	l.workers.Go(func() {
		e := evaluation{member: m}
		var data []byte
		if data, e.err = l.weights(ctx, m.Object, m.Sha256); e.err == nil {
			e.values, e.err = l.o.Evaluate(ctx, data)
		}
		select {
		case l.evaluations <- e:
		case <-ctx.Done():
		}
	})
}

func evaluationPoints(e evaluation) *messages.Points {
	p := newPoints(e.member)
	for _, series := range slices.Sorted(maps.Keys(e.values)) {
		p.Points = append(p.Points, &messages.Point{Series: series, Value: e.values[series]})
	}
	return p
}

// save brings the run directory up to date: the journal, and, when that has grown as large as the snapshot or the
// broker's results are many bytes, a new one. What the state takes for published has been: both wait for an empty
// outbox.
func (l *League) save(ctx context.Context) error {
	l.writePromotionLog()
	l.writeMembers()
	if l.journal == nil || !l.unsaved || l.outbox.size() > 0 {
		return nil
	}
	if now := l.core.published(); !now.equal(l.kept) {
		if err := l.journal.add(entry{Progress: &now}); err != nil {
			return err
		}
		l.kept = now
	}
	if !l.keepJournal() {
		return nil
	}
	l.unsaved = false
	full := l.journal.size >= max(l.o.Config.JournalBytes, l.snapshotSize) || l.stored >= l.o.Config.ResultBytes
	if !full && l.snapshotSize > 0 || l.core.trusting { // the broker may have results of matches that are not remembered
		return nil
	}
	err := l.writeSnapshot()
	l.note("snapshot not written", "snapshot written again", err)
	if err != nil {
		return nil
	}
	if full {
		l.trim(ctx)
	}
	l.note("journal not restarted", "journal restarted", l.journal.restart(l.core.remains()))
	return nil
}

// trim removes the results from the broker of which both copies of the snapshot have. The newest stays:
// by it the league knows the stream again.
func (l *League) trim(ctx context.Context) {
	below := l.core.position().Sequence
	if err := l.o.Bus.Trim(ctx, below); err != nil {
		l.log.Warn("old results not removed from the broker", "error", err)
		return
	}
	l.stored = 0
	maps.DeleteFunc(l.core.refusals, func(sequence, _ uint64) bool { return sequence < below })
}

// heartbeat reports that the league is alive and what it has done.
func (l *League) heartbeat(ctx context.Context) {
	s := presence.State{Words: "running", Values: map[string]float64{
		"members":     float64(len(l.core.members)),
		"outstanding": float64(len(l.core.outstanding)),
		"results":     float64(l.core.position().Sequence),
		"games":       float64(l.games),

		messages.Troubles: float64(len(l.failing)),
	}}
	trouble := l.trouble()
	switch {
	case trouble != "":
		s.Words = "league: " + trouble
	case !l.core.ready:
		s.Words = "catching up"
	case l.core.finishing:
		s.Words = "finishing"
	}
	if r, ok := l.core.lastRating(); ok {
		s.Values[messages.RatingPlayed], s.Values[messages.RatingLeft] = float64(r.played), float64(r.left)
		s.Values[messages.RatingSeconds] = r.length.Seconds()
	}
	newest, best := l.ratings()
	if newest != nil {
		s.Values["rating_newest"] = newest.Value
	}
	if best != nil {
		s.Values["rating_best"] = best.Value
	}
	if err := l.process.Beat(ctx, s); err != nil && ctx.Err() == nil && !l.unreachable {
		l.log.Warn("heartbeat not sent", "error", err)
	}
}

// ratings returns those of the newest and the best version, nil where there is none.
func (l *League) ratings() (newest, best *stat.Interval) {
	if l.core.standing == nil {
		return nil, nil
	}
	if i, ok := l.core.standing.Rating(l.core.player(l.core.newest())); ok {
		newest = &i
	}
	if i, ok := l.core.standing.Rating(l.core.best); ok {
		best = &i
	}
	return newest, best
}

// observe sets the gauges.
func (l *League) observe() {
	l.metrics.outstanding.Set(float64(len(l.core.outstanding)))
	l.metrics.members.Set(float64(len(l.core.members)))
	order, _ := rating.MemberOrder(l.core.best)
	l.metrics.best.Set(float64(order))
	newest, best := l.ratings()
	if newest != nil {
		l.metrics.rating.WithLabelValues("newest", l.core.standing.Ladder.Scale.Unit).Set(newest.Value)
	}
	if best != nil {
		l.metrics.rating.WithLabelValues("best", l.core.standing.Ladder.Scale.Unit).Set(best.Value)
	}
}
