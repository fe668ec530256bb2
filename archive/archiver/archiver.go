// Package archiver takes the games that actors offer and puts them into the run's archive.
//
// One archiver works next to the learner, in the process that owns the run directory. It
// believes no actor: every game is replayed under the run's rules with the chance of its seed,
// and what is made up is refused, counted and an offence of its sender. Whatever goes wrong here
// costs games of the archive and nothing else: training continues.
package archiver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"croupier/archive"
	"croupier/engine"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/messages/conduct"
	"croupier/messages/roles"
)

const (
	// fetchBatches is how many batches are fetched at a time.
	fetchBatches = 16
	fetchWait    = time.Second
	// flushEvery is how long a game may wait to be written: what a kill costs.
	flushEvery = 5 * time.Second
	// lastWait is how long after the end of a run games are still taken.
	lastWait = 500 * time.Millisecond
	// logEvery spaces the warnings of games that are refused or lost.
	logEvery = 10 * time.Second
)

// Options of an archiver.
type Options struct {
	roles.Common
	Config archive.Config
	// Room, unless nil, reports why there is no room for games just now, on a disk that is nearly full.
	Room func() error
}

// Archiver takes games.
type Archiver struct {
	o       Options
	log     *slog.Logger
	conduct *conduct.Monitor
	metrics *metrics
	writer  *archive.Writer
	games   []played // that of matches, then those of training games by stage
	flushed time.Time
	failing bool                 // what was written last is lost
	logged  map[string]time.Time // when a problem was last logged, by kind

	mutex sync.Mutex
	best  string // the agent that is best now
}

// played is a game that is played in the run.
type played struct {
	verifier *messages.Verifier
	source   *archive.Source
}

// New returns an archiver of the run's archive.
func New(o Options) (*Archiver, error) {
	log := o.Log.With("part", "archive")
	k := &Archiver{
		o: o, log: log, conduct: conduct.NewMonitor(o.Conduct, o.Bus.State(), messages.ArchiveRole, log),
		metrics: newMetrics(o.Registerer, o.Config), logged: map[string]time.Time{},
	}
	for _, g := range append([]engine.Game{o.Game}, o.TrainingGames()...) {
		source, err := archive.NewSource(g)
		if err != nil {
			return nil, err
		}
		k.games = append(k.games, played{messages.NewVerifier(g, o.Run, o.RunSeed), source})
	}
	return k, nil
}

// of returns the game of a batch, nil for a stage that the run does not have.
func (k *Archiver) of(batch *messages.Kept) *played {
	if batch.Match != "" && batch.Stage == 0 {
		return &k.games[0]
	}
	if int(batch.Stage) < len(k.games)-1 {
		return &k.games[1+batch.Stage]
	}
	return nil
}

// Run keeps games until ctx ends. It does not fail: without an archive nothing is kept, and
// the log reports why.
func (k *Archiver) Run(ctx context.Context) {
	if k.o.Config.MaxBytes == 0 {
		return
	}
	var mended archive.Recovered
	var err error
	if k.writer, mended, err = archive.Open(k.o.Dir, k.o.Config.MaxBytes); err != nil {
		k.metrics.failing.Set(1)
		k.log.Error("no games are kept", "error", err)
		return
	}
	if mended.Damaged > 0 {
		k.log.Warn("the archive is damaged; the games in the damaged blocks are lost", "blocks", mended.Damaged)
	}
	k.account()
	var following sync.WaitGroup
	following.Go(func() { k.followBest(ctx) })
	following.Go(func() {
		if err := k.conduct.Run(ctx); err != nil && ctx.Err() == nil {
			k.log.Warn("games of actors that are quarantined are kept", "error", err)
		}
	})
	k.take(ctx)
	following.Wait()
	k.note(k.writer.Close())
	k.account()
}

// take fetches and keeps games until ctx ends, and then what is there.
func (k *Archiver) take(ctx context.Context) {
	last, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(lastWait, cancel) })()
	consumer, err := k.o.Bus.Consume(last, bus.Kept, messages.ArchiveConsumer, "")
	if err != nil {
		if ctx.Err() == nil {
			k.metrics.failing.Set(1)
			k.log.Error("no games are kept", "error", err)
		}
		return
	}
	defer consumer.Close()
	for ctx.Err() == nil {
		batches, err := consumer.Fetch(ctx, fetchBatches, fetchWait)
		if err != nil && ctx.Err() == nil {
			k.warn("fetch", "games for the archive not fetched", err)
			sleep(ctx, fetchWait)
		}
		k.keep(ctx, batches)
	}
	for {
		batches, err := consumer.Fetch(last, fetchBatches, lastWait/2)
		if err != nil || len(batches) == 0 {
			return
		}
		k.keep(last, batches)
	}
}

// followBest follows which version is best.
func (k *Archiver) followBest(ctx context.Context) {
	entries, err := k.o.Bus.State().Watch(ctx, messages.PromotionPrefix)
	if err != nil {
		return // ctx has ended
	}
	newest := uint64(0)
	for e := range entries {
		if e.Value == nil {
			continue
		}
		if p, err := messages.ParsePromotion(e.Value); err == nil && p.Number > newest {
			newest = p.Number
			k.mutex.Lock()
			k.best = p.Agent
			k.mutex.Unlock()
		}
	}
}

// keep puts the games of batches into the archive.
func (k *Archiver) keep(ctx context.Context, batches []bus.Message) {
	for _, m := range batches {
		k.keepBatch(m.Subject(), m.Data())
		if err := m.Ack(ctx); err != nil && ctx.Err() == nil {
			k.log.Debug("games for the archive not acknowledged", "error", err)
		}
	}
	if time.Since(k.flushed) < flushEvery {
		return
	}
	k.flushed = time.Now()
	before := k.writer.Bytes()
	err := k.writer.Flush()
	k.note(err)
	if err == nil && k.failing && k.writer.Bytes() != before {
		k.failing = false
		k.metrics.failing.Set(0)
		k.log.Info("the archive is written again")
	}
	k.account()
}

// keepBatch puts the games of a sender's batch into the archive, except those that are refused. One
// of an actor that is quarantined is not read.
func (k *Archiver) keepBatch(sender string, data []byte) {
	if k.conduct.Quarantined(sender) {
		k.metrics.refused.WithLabelValues(string(messages.ReasonQuarantined)).Inc()
		return
	}
	batch := &messages.Kept{}
	err := messages.Decode(data, batch)
	if err == nil {
		err = k.header(batch)
	}
	if err == nil {
		err = messages.CheckSender(batch.Actor, sender)
	}
	if err != nil {
		k.refuse(err, max(1, len(batch.Games)))
		k.conduct.Offence(sender, err)
		return
	}
	if k.o.Room != nil {
		if err := k.o.Room(); err != nil {
			k.note(&archive.LostError{Games: len(batch.Games), Err: err})
			return
		}
	}
	game, class := k.of(batch), k.classOf(batch)
	var offence error // one for each batch, however many of its games are refused
	for i := range batch.Games {
		if err := game.verifier.Kept(batch, i); err != nil {
			k.refuse(err, 1)
			offence = cmp.Or(offence, err)
			continue
		}
		k.note(k.writer.Add(class, game.source.Game(batch, i)))
		k.metrics.kept.WithLabelValues(class.String()).Inc()
	}
	if offence != nil {
		k.conduct.Offence(sender, offence)
	}
}

// header checks what a batch says of itself.
func (k *Archiver) header(batch *messages.Kept) error {
	game := k.of(batch)
	if game == nil {
		detail := fmt.Sprintf("stage %d of %d", batch.Stage, len(k.games)-2)
		return &messages.Refusal{Reason: messages.ReasonRules, Detail: detail}
	}
	return game.verifier.KeptHeader(batch)
}

// classOf reports how long the games of a batch are kept.
func (k *Archiver) classOf(batch *messages.Kept) archive.Class {
	if batch.Match == "" {
		return archive.Training
	}
	k.mutex.Lock()
	best := k.best
	k.mutex.Unlock()
	for _, a := range batch.Agents {
		// It plays under its name or in another way: "greedy:main@8".
		if best != "" && (a.Name == best || strings.HasSuffix(a.Name, ":"+best)) {
			return archive.Best
		}
	}
	return archive.Arena
}

// refuse counts games that are not what they say.
func (k *Archiver) refuse(err error, games int) {
	k.metrics.refused.WithLabelValues(conduct.ReasonOf(err)).Add(float64(games))
}

// note counts games that could not be written, and logs them.
func (k *Archiver) note(err error) {
	for _, one := range unjoin(err) {
		var lost *archive.LostError
		if errors.As(one, &lost) {
			k.metrics.lost.Add(float64(lost.Games))
		}
		k.failing = true
		k.metrics.failing.Set(1)
		k.warn("write", "the archive cannot be written; games are lost, training continues", one)
	}
}

// unjoin lists the errors of which one was joined.
func unjoin(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	if err == nil {
		return nil
	}
	return []error{err}
}

// account shows the archive's size.
func (k *Archiver) account() {
	k.metrics.bytes.Set(float64(k.writer.Bytes()))
	k.metrics.countRemoved(k.writer)
}

// warn logs a problem, each kind of them now and then.
func (k *Archiver) warn(kind, text string, err error) {
	if now := time.Now(); now.Sub(k.logged[kind]) >= logEvery {
		k.logged[kind] = now
		k.log.Warn(text, "error", err)
	}
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
