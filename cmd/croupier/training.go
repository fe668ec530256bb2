package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"

	"croupier/actor"
	"croupier/league"
	"croupier/learner"
	"croupier/messages/bus"
	"croupier/messages/bus/broker"
	"croupier/web"
)

// healthEvery is how often the embedded broker is looked at.
const healthEvery = 2 * time.Second

// training is one call of croupier train.
type training struct {
	*site
	o        *trainOptions
	screen   *console
	listener net.Listener // nil: no web page
	moved    bool         // the page is not at its default port
	embedded *broker.Broker

	clock   *schedule
	learner *learner.Learner
	league  *league.League
	actor   *actor.Actor
	feed    *web.Feed
	pages   http.Handler
}

// open takes the run directory, connects to the broker and makes the roles; close
// undoes that. A call that fails leaves no new run directory behind.
func (t *training) open(ctx context.Context) (close func(), err error) {
	release, err := t.o.claim(t.config, "learner", "league")
	if err != nil {
		return nil, err
	}
	if err = t.startBroker(); err == nil {
		err = t.guarded(ctx, t.prepare)
	}
	if err != nil {
		t.disconnect()
		release(false)
		return nil, err
	}
	return func() { t.disconnect(); release(true) }, nil
}

// startBroker starts a broker in this process, unless --nats names one.
func (t *training) startBroker() (err error) {
	if t.o.nats.url != "" {
		return nil
	}
	t.embedded, err = broker.Start(broker.Options{Dir: filepath.Join(t.dir, "nats"), SyncAlways: true, Log: t.log})
	if err != nil {
		return fmt.Errorf("embedded %w", err)
	}
	t.registry.MustRegister(broker.NewCollector(t.embedded))
	return nil
}

// guarded lets do work for as long as the embedded broker works.
func (t *training) guarded(ctx context.Context, do func(ctx context.Context) error) error {
	if t.embedded == nil {
		return do(ctx)
	}
	group, ctx := errgroup.WithContext(ctx)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	group.Go(func() error { return watchBroker(ctx, t.embedded.Healthy) })
	group.Go(func() error { defer cancel(); return do(ctx) })
	return group.Wait()
}

// disconnect closes the bus and ends the embedded broker, as far as they are there.
func (t *training) disconnect() {
	if t.bus != nil {
		if err := t.bus.Close(); err != nil {
			t.log.Debug("experience was on its way", "error", err)
		}
	}
	if t.embedded != nil {
		t.embedded.Shutdown()
	}
}

// prepare connects to the broker and makes the roles. When all of them can work, the
// configuration is saved.
func (t *training) prepare(ctx context.Context) (err error) {
	opts := t.o.nats.options("train", t.config.Run, t.registry, t.log)
	if t.embedded != nil {
		opts.InProcess = t.embedded
	}
	if t.bus, err = bus.Connect(ctx, opts); err != nil {
		return err
	}
	if !t.o.resume {
		if err := t.checkUnknown(ctx); err != nil {
			return err
		}
	}
	t.clock = &schedule{length: t.o.length, games: t.o.games}
	progress := t.clock.progress
	if !t.clock.bounded() {
		progress = nil // by learner.horizon
	}
	if t.learner, err = t.newLearner(t.o.resume, progress); err != nil {
		return err
	}
	_, t.clock.before = t.learner.Totals()
	t.clock.played = func() uint64 { games, _ := t.learner.Totals(); return games }
	if t.league, err = t.newLeague(); err != nil {
		return err
	}
	if t.actor, err = t.newActor(t.o.actors); err != nil {
		return err
	}
	t.feed, t.pages = t.newWeb(t.o.hosts)
	return t.save(ctx)
}

// announce says where the run is.
func (t *training) announce() {
	url := ""
	if t.listener != nil {
		url = "http://" + t.listener.Addr().String()
	}
	if t.o.log.json {
		t.log.Info("training begins", "dir", t.dir, "url", url)
		return
	}
	fmt.Fprintf(t.screen, "Run directory  %s\n", t.dir)
	if t.moved {
		url += fmt.Sprintf(" (%s is taken)", t.o.listen)
	}
	if url != "" {
		fmt.Fprintf(t.screen, "Web page       %s\n", url)
	}
}

// run runs the roles until ctx or the run ends.
func (t *training) run(ctx context.Context) error {
	// Training ends first; the others go on until the last matches are rated.
	all, stopAll := context.WithCancel(context.WithoutCancel(ctx))
	defer stopAll()
	group, all := errgroup.WithContext(all)
	learning, stopLearning := context.WithCancel(all)
	defer stopLearning()
	t.clock.began = time.Now()
	stopped := make(chan struct{})
	group.Go(func() error {
		defer close(stopped)
		return t.learner.Run(learning)
	})
	group.Go(func() error { return t.league.Run(all) })
	group.Go(func() error { return t.actor.Run(all) })
	group.Go(func() error { return t.feed.Run(all) })
	if t.listener != nil {
		group.Go(func() error { return web.Serve(all, t.listener, t.pages, t.log) })
		group.Go(func() error { return t.beat(all, "web", webValues(t.feed)) })
	}
	if t.embedded != nil {
		group.Go(func() error { return watchBroker(all, t.embedded.Healthy) })
		group.Go(func() error { return t.beat(all, "broker", brokerValues(t.bus)) })
	}
	status := &status{feed: t.feed, console: t.screen, clock: t.clock, flags: t.o.log, log: t.log, phase: make(chan string, 1)}
	group.Go(func() error { return status.run(all) })
	group.Go(func() error {
		defer stopAll()
		finished := t.await(ctx, all)
		stopLearning()
		<-stopped
		if !finished {
			return nil
		}
		status.say("rating the newest version")
		finishing, cancel := context.WithCancel(all)
		defer cancel()
		defer context.AfterFunc(ctx, cancel)()
		return t.league.Finish(finishing)
	})
	if err := group.Wait(); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return t.printLadder()
}

// await waits for the end of training. It says whether the run came to its own end.
func (t *training) await(ctx, all context.Context) (finished bool) {
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-all.Done():
			return false
		case <-ticker.C:
			if t.clock.bounded() && t.clock.progress() >= 1 {
				return true
			}
		}
	}
}

// watchBroker returns why the broker does not keep what it is given: a stream that
// could not be written stays so until the broker is started again.
func watchBroker(ctx context.Context, healthy func() error) error {
	ticker := time.NewTicker(healthEvery)
	defer ticker.Stop()
	for failures := 0; ; {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		err := healthy()
		if err == nil {
			failures = 0
			continue
		}
		// A stream that is just being made looks like one that was not recovered.
		if failures++; failures == 2 {
			return fmt.Errorf("embedded %w: put that right and go on with --resume", err)
		}
	}
}

// printLadder prints the run's ladder, if it has one yet.
func (t *training) printLadder() error {
	ladder, err := league.ReadLadder(t.dir)
	if errors.Is(err, league.ErrNoLadder) {
		return nil
	}
	if err != nil {
		return err
	}
	if t.o.log.json {
		return json.NewEncoder(t.screen).Encode(ladder)
	}
	return league.Render(t.screen, ladder)
}
