package learner

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"croupier/learner/train"
)

// How the group does a work together: each member computes its share, the leader adds the sums of all in the order of
// the tree, and sends what the whole comes to.
const (
	// checkEvery is after how many works the leader computes a peer's share as well and compares it.
	checkEvery = 256
	// patienceForPeers is how long the leader waits for its peers once its own share is done, and patiencePerShare for
	// how many times as long as that took in addition.
	patienceForPeers = time.Second
	patiencePerShare = 4
)

// position is a work's.
type position struct {
	iteration uint64
	work      uint32
}

func (p position) before(o position) bool {
	return p.iteration < o.iteration || p.iteration == o.iteration && p.work < o.work
}

// Do implements [train.Exchange].
func (g *group) Do(w train.Work) error {
	if len(g.peers) == 0 {
		g.compute(w, g.own)
		w.Combine(train.AllPieces)
		return nil
	}
	began, at := time.Now(), g.next()
	checksum := w.Checksum()
	took := g.compute(w, g.own)
	for _, p := range g.peers {
		if p.size() == 0 {
			continue
		}
		if p.trusted--; p.trusted < 0 {
			w.Compute(p.of(w.Parts()))
		}
	}
	deadline := time.Now().Add(g.patience + patiencePerShare*took)
	pieces := w.Pieces()
	for piece := range pieces {
		for _, p := range slices.Clone(g.peers) {
			if p.size() == 0 {
				continue
			}
			if err := g.add(w, p, at, piece, checksum, deadline); err != nil {
				g.leave(p, err)
				if p.trusted >= 0 { // else it is computed already
					w.Compute(p.of(w.Parts()))
				}
			}
		}
		w.Combine(piece)
		if piece == pieces-1 {
			if pieces > 1 {
				g.judge(time.Since(began))
			}
			g.meet(at, checksum, took)
		}
		if err := g.result(w, at, piece, piece == pieces-1); err != nil {
			return err
		}
	}
	return nil
}

// next begins the next work.
func (g *group) next() position {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	g.at.work++
	maps.DeleteFunc(g.received, func(_ string, t *contribution) bool { return t.before(g.at) })
	return g.at
}

// compute computes a share in this process.
func (g *group) compute(w train.Work, s share) time.Duration {
	began := time.Now()
	first, end := s.of(w.Parts())
	w.Compute(first, end)
	took := time.Since(began)
	if w.Pieces() > 1 && end > first { // a minibatch
		whole := took.Seconds() * float64(w.Parts()) / float64(end-first)
		g.alone = smooth(g.alone, whole)
		g.unit = 1
		if wholeShare%w.Parts() == 0 {
			g.unit = uint32(wholeShare / w.Parts())
		}
	}
	return took
}

// add waits for a peer's share of a piece and adds it.
func (g *group) add(w train.Work, p *peer, at position, piece int, checksum uint32, deadline time.Time) error {
	began := time.Now()
	t, err := g.wait(p.name, at, piece, deadline)
	waited := time.Since(began).Seconds()
	g.metrics.groupWaiting.Add(waited)
	if piece == 0 {
		p.wait = smooth(p.wait, waited)
	}
	if err != nil {
		return err
	}
	first, end := p.of(w.Parts())
	switch {
	case t.checksum != checksum:
		return errOtherWeights
	case t.first != first || t.end != end:
		return fmt.Errorf("it has computed parts %d to %d, not %d to %d", t.first, t.end, first, end)
	}
	data := t.pieces[piece]
	if p.trusted < 0 {
		own := w.AppendPart(nil, piece, first, end)
		if err := w.SetPart(piece, first, end, own); err != nil {
			return err
		}
		if len(own) != len(data) {
			return fmt.Errorf("%d bytes where there should be %d", len(data), len(own))
		}
		if !bytes.Equal(own, data) {
			return errOtherBits
		}
		if piece == w.Pieces()-1 && piece > 0 {
			p.trusted = checkEvery
		}
		return nil
	}
	return w.SetPart(piece, first, end, data)
}

var (
	errOtherWeights = errors.New("its weights are not the leader's")
	errOtherBits    = errors.New("its processor computes other bits than the leader's")
	errSilent       = errors.New("it does not answer in time")
)

// wait waits until a peer has sent a piece of a work.
func (g *group) wait(name string, at position, piece int, deadline time.Time) (contribution, error) {
	timer := time.NewTimer(time.Until(deadline))
	defer timer.Stop()
	for {
		if t, _ := g.now(name); t.position == at && t.complete > piece {
			return t, nil
		}
		select {
		case <-g.news:
		case <-timer.C:
			return contribution{}, errSilent
		case <-g.ctx.Done():
			return contribution{}, g.ctx.Err()
		}
	}
}

// now returns what a peer has sent so far, and how fast its link is, 0 if that is not known.
func (g *group) now(name string) (t contribution, link float64) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if c := g.received[name]; c != nil {
		t = *c
	}
	return t, g.links[name]
}

// meet notes what the peers have sent of a work, which may compute from now on, and how fast they are.
func (g *group) meet(at position, checksum uint32, took time.Duration) {
	for _, p := range slices.Clone(g.peers) {
		t, link := g.now(p.name)
		if err := g.fits(p, link); !p.synced && err != nil {
			g.leave(p, err)
			continue
		}
		switch {
		case t.position != at || p.size() == 0 && t.complete == 0:
			continue
		case t.checksum != checksum:
			g.leave(p, errOtherWeights)
			continue
		case !p.synced:
			p.synced, g.changed = true, true
		}
		if p.size() > 0 && t.seconds > 0 && took > 0 && g.own.size() > 0 {
			p.speed = smooth(p.speed, p.size()/t.seconds/(g.own.size()/took.Seconds()))
		}
	}
	if g.changed {
		g.plan()
	}
}
