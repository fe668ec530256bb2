//go:build linux

package faults

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"time"
)

// ofPeers matches what happened to learners that share the work of another.
var ofPeers = regexp.MustCompile(`\bpeer\d`)

// stillWithin is how long learning may stand still when such a learner is killed, frozen or cut off. Where roles are
// held back, it is as much longer as their work takes.
func stillWithin() time.Duration {
	const allowed = 5 * time.Second
	if held() {
		return pace * allowed
	}
	return allowed
}

// gathers waits a while until all peers are in the group, so that the next fault finds them there. On a busy machine
// the group may be slower than its leader, which then has peers rest for a minute: started again they come at once. In
// the short form it does not.
func (r *run) gathers() error {
	if held() {
		return nil
	}
	whole := func() error {
		b, err := r.learner.beat()
		if err == nil && int(b.peers) < len(r.peers) {
			err = errors.New("not all peers are in the group")
		}
		return err
	}
	if within(5*time.Second, whole) == nil {
		return nil
	}
	for _, x := range r.peers {
		if err := x.stop(); err != nil {
			return err
		}
		x.start()
	}
	_ = within(10*time.Second, whole) // else the fault finds fewer
	return nil
}

// rejoins waits until each peer has computed for the group again, which may have had it rest for a minute. In the short
// form it does not.
func (r *run) rejoins() error {
	if held() {
		return nil
	}
	for _, x := range r.peers {
		const computing = "croupier_learner_peer_computing_seconds_total"
		before, err := x.value(computing)
		if err == nil {
			err = within(3*time.Minute, func() error {
				now, err := x.value(computing)
				if err == nil && now <= before {
					err = fmt.Errorf("%s does not compute for the group", x.name)
				}
				return err
			})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// pulse follows the learner's own count of optimiser steps: for how long none came, at most. The time that it says it
// waited for games does not count.
type pulse struct {
	learner *role
	last    beat
	longest time.Duration
	cancel  context.CancelFunc
	over    chan struct{}
}

// beat is what the learner says of itself.
type beat struct {
	steps, waited, peers float64
	at                   time.Time
}

func (x *role) beat() (beat, error) {
	v, err := x.values("croupier_learner_updates_total", "croupier_learner_waiting_seconds_total",
		"croupier_learner_group_peers")
	if err != nil {
		return beat{}, err
	}
	return beat{v[0], v[1], v[2], time.Now()}, nil
}

// feel begins to follow the learner, and returns what it says at first.
func (r *run) feel() (*pulse, beat, error) {
	p := &pulse{learner: r.learner, over: make(chan struct{})}
	err := within(recoverWithin, func() (err error) {
		p.last, err = p.learner.beat()
		return err
	})
	if err != nil {
		return nil, beat{}, err
	}
	var ctx context.Context
	ctx, p.cancel = context.WithCancel(context.Background())
	go p.follow(ctx)
	return p, p.last, nil
}

// follow asks the learner again and again until ctx ends.
func (p *pulse) follow(ctx context.Context) {
	defer close(p.over)
	for ctx.Err() == nil {
		time.Sleep(100 * time.Millisecond)
		now, err := p.learner.beat()
		if err != nil || now.steps == p.last.steps {
			continue
		}
		waited := max(0, now.waited-p.last.waited) // less: it was started again
		p.longest = max(p.longest, now.at.Sub(p.last.at)-time.Duration(waited*float64(time.Second)))
		p.last = now
	}
}

// stop ends it and returns for how long no step came, at most.
func (p *pulse) stop() time.Duration {
	p.cancel()
	<-p.over
	return p.longest
}
