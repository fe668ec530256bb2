package league

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"croupier/messages"
	"croupier/messages/bus"
)

// inputs are the channels from the bus.
type inputs struct {
	pointers, members, promotions <-chan bus.Entry
	results                       <-chan bus.Message
	behind                        int // of pointers and results: those whose past is not yet read
}

func (l *League) open(ctx context.Context) (*inputs, error) {
	in := &inputs{behind: 2}
	info, err := l.o.Bus.Info(ctx, bus.Results)
	if err != nil {
		return nil, fmt.Errorf("results: %w", err)
	}
	l.stored = int64(info.Bytes)
	from, err := l.whereToRead(ctx, info)
	if err != nil {
		return nil, err
	}
	if in.pointers, err = l.o.Bus.State().Watch(ctx, messages.PointerPrefix); err != nil {
		return nil, fmt.Errorf("watch the learners: %w", err)
	}
	if in.members, err = l.o.Bus.State().Watch(ctx, messages.MemberPrefix); err != nil {
		return nil, fmt.Errorf("watch the population: %w", err)
	}
	if in.promotions, err = l.o.Bus.State().Watch(ctx, messages.PromotionPrefix); err != nil {
		return nil, fmt.Errorf("watch promotions: %w", err)
	}
	if err := l.readPopulation(ctx, in); err != nil {
		return nil, err
	}
	if err := l.readSetback(ctx); err != nil {
		return nil, err
	}
	if err := l.readResets(ctx); err != nil {
		return nil, err
	}
	if in.results, err = l.o.Bus.Read(ctx, bus.Results, from); err != nil {
		return nil, fmt.Errorf("results: %w", err)
	}
	return in, nil
}

// whereToRead returns the sequence of the first result that the league does not know. A broker that
// has lost results begins again below it: then all that it has are looked at, and count once.
func (l *League) whereToRead(ctx context.Context, info bus.StreamInfo) (uint64, error) {
	place := l.core.place
	if place.Sequence == 0 || place.Digest == 0 && info.Last >= place.Sequence {
		return place.Sequence + 1, nil
	}
	if info.Last >= place.Sequence {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		stored, err := l.o.Bus.Read(ctx, bus.Results, place.Sequence)
		if err != nil {
			return 0, fmt.Errorf("results: %w", err)
		}
		m := <-stored
		if m != nil && m.Sequence() == place.Sequence && digestOf(m.Data()) == place.Digest {
			return place.Sequence + 1, nil
		}
	}
	l.log.Warn("the broker has lost results which the run directory has", "broker", info.Last, "known", place.Sequence)
	return 1, nil
}

// digestOf is the beginning of a message's SHA-256.
func digestOf(data []byte) uint64 {
	sum := sha256.Sum256(data)
	return binary.BigEndian.Uint64(sum[:])
}

// readPopulation takes over the members and promotions that the broker has: results are of them.
func (l *League) readPopulation(ctx context.Context, in *inputs) error {
	arrived := map[uint64]*messages.Member{}
	for {
		e, ok := <-in.members
		if !ok {
			return ended(ctx)
		}
		if e.Key == "" {
			break
		}
		if m := l.readMember(e); m != nil {
			arrived[m.Order] = m
		}
	}
	if err := l.mergeMembers(ctx, arrived); err != nil {
		return err
	}
	for !l.promotionLog.ready {
		e, ok := <-in.promotions
		if !ok {
			return ended(ctx)
		}
		if err := l.promotion(ctx, e); err != nil {
			return err
		}
	}
	return nil
}

// errEnded reports that a channel of the bus was closed although that was not asked for.
var errEnded = errors.New("the bus has stopped sending")

// next handles whatever comes next.
func (l *League) next(ctx context.Context, in *inputs, ticks <-chan time.Time) error {
	select {
	case <-ctx.Done():
		return nil
	case e, ok := <-in.pointers:
		if !ok {
			return ended(ctx)
		}
		return l.pointer(ctx, in, e)
	case e, ok := <-in.members:
		if !ok {
			return ended(ctx)
		}
		return l.member(ctx, e)
	case e, ok := <-in.promotions:
		if !ok {
			return ended(ctx)
		}
		return l.promotion(ctx, e)
	case m, ok := <-in.results:
		if !ok {
			return ended(ctx)
		}
		return l.result(ctx, in, m)
	case e := <-l.evaluations:
		return l.evaluated(ctx, e)
	case e := <-l.measured:
		return l.tableMeasured(ctx, e)
	case e := <-l.audits:
		return l.step(ctx, e)
	case call := <-l.finish:
		return l.beginFinish(ctx, call)
	case <-ticks:
		return l.tick(ctx)
	}
}

func ended(ctx context.Context) error {
	if ctx.Err() != nil {
		return nil
	}
	return errEnded
}

// caughtUp notes that one of the inputs has no more of the past.
func (l *League) caughtUp(ctx context.Context, in *inputs) error {
	if in.behind--; in.behind > 0 {
		return nil
	}
	l.log.Info("league is up to date", "members", len(l.core.members), "results", l.core.place.Sequence)
	return l.step(ctx, caughtUp{})
}

func (l *League) pointer(ctx context.Context, in *inputs, e bus.Entry) error {
	if e.Key == "" {
		return l.caughtUp(ctx, in)
	}
	if e.Value == nil {
		return nil
	}
	p, err := decodePointer(e.Key, e.Value)
	if err != nil {
		l.log.Warn("weights refused", "key", e.Key, "error", err)
		return nil
	}
	return l.step(ctx, pointerMoved{p})
}

// readMember returns the member of an entry, nil where there is none.
func (l *League) readMember(e bus.Entry) *messages.Member {
	if e.Value == nil {
		return nil
	}
	m, err := decodeMember(e.Key, e.Value)
	if err != nil {
		l.log.Warn("member refused", "key", e.Key, "error", err)
		return nil
	}
	return m
}

func (l *League) member(ctx context.Context, e bus.Entry) error {
	m := l.readMember(e)
	if m == nil {
		return nil
	}
	if !l.core.dropped[m.Order] {
		l.copies[m.Name] = m
	}
	return l.step(ctx, memberKnown{m})
}

func (l *League) result(ctx context.Context, in *inputs, m bus.Message) error {
	if m == nil {
		return l.caughtUp(ctx, in)
	}
	l.unsaved = true
	l.stored += int64(len(m.Data()))
	e := resultArrived{sequence: m.Sequence(), digest: digestOf(m.Data()), subject: m.Subject(),
		result: &messages.Result{}}
	// Of the past all counts that was not refused at its time: an actor that is quarantined now was not so then.
	_, actor, known := messages.ParseResultSubject(e.subject)
	e.quarantined = known && l.core.ready && l.conduct.Quarantined(actor)
	e.err = messages.Decode(m.Data(), e.result)
	return l.step(ctx, e)
}
