package league

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"reflect"

	"croupier/internal/durable"
	"croupier/messages"
	"croupier/messages/bus"
)

// promotionsName is the file of the promotions in the run directory.
const promotionsName = "promotions.jsonl"

// promotionLog keeps the promotions twice: each is a key on the broker, which decides, and a line
// of a file, from which a broker that has lost it gets it back.
type promotionLog struct {
	// Until the broker's are all known: those of the file and those of the broker, by number.
	filed, arrived map[uint64]*messages.Promotion
	ready          bool
	unwritten      bool // the file is older than the core
}

func newPromotionLog() promotionLog {
	return promotionLog{filed: map[uint64]*messages.Promotion{}, arrived: map[uint64]*messages.Promotion{}}
}

// readPromotionLog reads the run directory's promotions. A line that is wrong ends them: those
// after it are as good as lost, and come from the broker.
func (l *League) readPromotionLog() {
	doc, err := readList(l.o.Dir, promotionsName)
	var filed []*messages.Promotion
	if err == nil {
		filed, err = messages.ParsePromotions(doc)
	}
	if err != nil {
		l.log.Warn("not all promotions can be read; they come from the broker", "file", promotionsName, "error", err)
		l.promotionLog.unwritten = true
	}
	if now, err := messages.FormatPromotions(filed); err == nil && !bytes.Equal(now, doc) {
		l.promotionLog.unwritten = true // version 0.1 wrote no checksums
	}
	for _, p := range filed {
		l.promotionLog.filed[p.Number] = p
	}
}

// promotion takes over a promotion that the broker has.
func (l *League) promotion(ctx context.Context, e bus.Entry) error {
	if e.Key == "" {
		return l.mergePromotions(ctx)
	}
	if e.Value == nil {
		return nil
	}
	p, err := messages.ParsePromotion(e.Value)
	if err == nil && e.Key != messages.PromotionKey(p.Number) {
		err = fmt.Errorf("number %d does not belong under this key", p.Number)
	}
	if err != nil {
		l.log.Warn("promotion refused", "key", e.Key, "error", err)
		return nil
	}
	if !l.promotionLog.ready {
		l.promotionLog.arrived[p.Number] = p
		return nil
	}
	l.promotionLog.unwritten = true
	return l.step(ctx, promotionKnown{p})
}

// mergePromotions hands over all promotions in their order and gives the broker those that it
// has lost.
func (l *League) mergePromotions(ctx context.Context) error {
	r := &l.promotionLog
	last := uint64(0)
	for _, known := range []map[uint64]*messages.Promotion{r.filed, r.arrived} {
		for number := range known {
			last = max(last, number)
		}
	}
	for number := uint64(1); number <= last; number++ {
		p, filed := r.arrived[number], r.filed[number]
		if p == nil && filed == nil {
			continue
		}
		if p == nil {
			p = filed
			doc, err := p.JSON()
			if err != nil {
				return err
			}
			l.log.Warn("the broker has lost a promotion, which the run directory has", "agent", p.Agent, "number", number)
			l.outbox.put(messages.PromotionKey(number), doc)
		} else if !reflect.DeepEqual(p, filed) {
			r.unwritten = true
		}
		if err := l.step(ctx, promotionKnown{p}); err != nil {
			return err
		}
	}
	r.filed, r.arrived, r.ready = nil, nil, true
	return nil
}

// promote puts a promotion on record, where it was not yet. That it is there the core learns
// from the broker, like everybody.
func (l *League) promote(ctx context.Context, p *messages.Promotion) error {
	doc, err := p.JSON()
	if err != nil {
		return err
	}
	trying, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if _, err = l.o.Bus.State().Update(trying, messages.PromotionKey(p.Number), doc, 0); err == nil {
		return nil
	}
	l.log.Warn("promotion not recorded", "agent", p.Agent, "over", p.Over, "error", err)
	return l.step(ctx, promotionFailed{})
}

// writePromotionLog writes the run directory's copy if it is older than the core. A failure is
// tried again in the next second.
func (l *League) writePromotionLog() {
	if l.o.Dir == "" || !l.promotionLog.unwritten {
		return
	}
	doc, err := messages.FormatPromotions(l.core.promotions)
	if err == nil {
		err = durable.WriteFile(filepath.Join(l.o.Dir, promotionsName), doc)
	}
	l.note("promotions not written", "promotions written again", err)
	l.promotionLog.unwritten = err != nil
}
