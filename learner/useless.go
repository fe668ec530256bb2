package learner

import (
	"fmt"

	"croupier/messages"
	"croupier/messages/conduct"
)

// Batches of which nothing is of use are no backlog: other actors do not wait until the learner has come through them
// (ingestion.uselessShare). Each kind of them has its price for the sender, or a flood of it would cost others their
// games without end.

const (
	// oldBatches is how many batches of games that are too old an actor may send in a row, each while other actors' games
	// are learnt from, before they are no backlog any more, and oldOffences after how many each is an offence: as many as
	// sixteen workers on a slow link send in some seconds, none of which is learnt from.
	oldBatches  = 64
	oldOffences = 1024
	maxOld      = 4096 // actors that are remembered
)

// old keeps account of actors that send nothing but games that are too old. As long as all do so, the learner is late
// and not the actors.
type old struct {
	fruitful uint64 // batches with games that were of use, of all actors
	actors   map[string]*oldGames
}

// oldGames are the batches of an actor of which all games were too old, since the last of which some were not.
type oldGames struct {
	batches  int    // those between which others' games were of use
	fruitful uint64 // old.fruitful at the last of them
}

// take notes a batch of an actor, of which games were of use or not, and returns how many batches of old games in a row
// it has sent.
func (o *old) take(actor string, fruitful bool) int {
	if fruitful {
		o.fruitful++
		delete(o.actors, actor)
		return 0
	}
	a := o.actors[actor]
	if a == nil {
		if o.actors == nil || len(o.actors) >= maxOld {
			o.actors = map[string]*oldGames{}
		}
		a = &oldGames{fruitful: o.fruitful}
		o.actors[actor] = a
	}
	if o.fruitful > a.fruitful {
		a.batches, a.fruitful = a.batches+1, o.fruitful
	}
	return a.batches
}

// fruitless reports whether nothing of a batch, with that tally, is of use, and blames the sender of too many batches
// of old games.
func (g *ingestion) fruitless(sender string, tally *messages.Ledger) bool {
	if tally.Consumed > 0 || tally.Stale == 0 {
		g.old.take(sender, tally.Consumed > 0)
		return tally.Consumed == 0
	}
	batches := g.old.take(sender, false)
	if batches > oldOffences {
		g.conduct.Offence(sender, &messages.Refusal{Reason: messages.ReasonStale,
			Detail: fmt.Sprintf("%d batches in a row of games that are too old, while those of others are not", batches)})
	}
	return batches > oldBatches
}

// idle counts a batch with nothing new in it, and blames the sender of too many. Some are in order: the broker gives
// out a batch again if the learner had no time to acknowledge it, and the last one of a worker has no games.
func (g *ingestion) idle(sender string, reason messages.Reason, detail string) {
	g.useless.Add(1)
	if g.conduct.Offence(sender, &messages.Refusal{Reason: reason, Detail: detail}) {
		g.metrics.batches.WithLabelValues(string(reason)).Inc()
	}
}

// refuseBatch counts a batch that is refused as a whole and blames its sender.
func (g *ingestion) refuseBatch(sender string, err error) {
	g.useless.Add(1)
	g.metrics.batches.WithLabelValues(conduct.ReasonOf(err)).Inc()
	g.conduct.Offence(sender, err)
}
