package league

import (
	"bytes"
	"cmp"
	"slices"
	"time"

	"croupier/engine"
	"croupier/internal/stat"
	"croupier/league/rating"
	"croupier/messages"
)

// core is a league without I/O.
type core struct {
	config     Config
	agents     []Agent // that learn, the main agent first
	references []string
	kind       func(string) string
	zero       string // agent whose rating is 0
	evaluates  bool   // versions are measured against the exact answer
	unmeasured string // why they are not; "": not known
	samples    bool   // members can play as they do in training, besides how they play best
	*rating.Results

	// From the population and the learner.
	members    []*messages.Member            // by order of joining
	lineages   map[string][]*messages.Member // the same, by learning agent
	joins      map[string][]uint64           // by learning agent: the numbers of all members that it ever had
	promotions []*messages.Promotion
	best       string                       // whom the last promotion names, "" before the first
	dropped    map[uint64]bool              // numbers of the members whose weights and pairs are gone
	pointers   map[string]*messages.Pointer // by learning agent
	used       uint64                       // the highest number that was ever given, as far as the run directory knows

	// Kept in the snapshot, with the results.
	outstanding map[string]issued // by the id of the first attempt
	place       mark              // in the stream of results
	reported    uint64            // order of the newest member whose curve point is out
	evaluated   uint64            // order of the newest member that was measured
	plotted     map[string]uint64 // by exploiter: order of the newest of its members whose curve point is out

	// losses are what members of the main agent can lose to an opponent that knows them, by order, as far as the gate
	// needs them; NaN: it cannot be measured. They are not kept: they follow from the weights.
	losses map[uint64]float64

	// refusals are the digests of the messages that were refused, by their places in the stream of
	// results: whenever they are read again, they stay refused. Kept in the journal.
	refusals map[uint64]uint64

	// Derived from the above.
	standing *rating.Standing
	design   *rating.Design // of the standing, for what is asked for next
	dirty    bool           // standing is older than what it is derived from

	now       time.Duration
	probed    uint64            // order of the newest member whose first games are out, on curves of their own
	looks     map[string]uint64 // the sets of that with each reference, as far as they are out
	showed    time.Duration     // when a match of the newest member with a reference was last asked for
	restUntil time.Duration     // none is rated before
	ready     bool
	finishing bool
	audits    bool
	claims    []claim // results that are being audited, in the order of the stream
	// trusting: results count although the league does not know that it has asked for them. So it is
	// with those of the past where the list of the matches without result was lost.
	trusting bool
	// forgot: the list of the matches without result was lost at the start. Until those that were under way then have
	// brought their results, or would be asked for again, results that were not asked for count as well.
	forgot bool
	// gamesBefore and finishingSince are the games with results, and the time, when finishing
	// began; finishWithin bounds it, unless that is 0.
	gamesBefore                  uint64
	finishingSince, finishWithin time.Duration
	unfrozen                     bool // since then, weights could not be frozen

	crew    *crew // to whom matches are given by name
	workers int   // of all actors, each of which plays one match at a time; 0: not known

	freezing    uint64                     // number of the version whose freezing is under way, 0: none
	gone        map[string]string          // by learning agent: object that cannot be frozen
	promoting   bool                       // a promotion is being recorded
	setback     *messages.Setback          // the last one, nil before the first
	settingBack bool                       // one is being recorded
	resets      map[string]*messages.Reset // by learning agent: the last one
	resetting   map[string]bool            // one is being recorded
	evaluating  bool
	others      *otherTables
}

// coreOptions are what a core is made for.
type coreOptions struct {
	spec       *engine.Spec
	run        string
	rules      [8]byte
	config     Config
	references []string
	kind       func(string) string
	zero       string
	evaluates  bool
	unmeasured string
	samples    bool
	audits     bool
	tables     []Table
	recorded   []rating.Recorded
}

func newCore(o coreOptions) *core {
	c := &core{
		config: o.config, agents: o.config.Learning(), references: o.references, kind: o.kind, zero: o.zero,
		evaluates: o.evaluates, unmeasured: o.unmeasured, samples: o.samples, audits: o.audits, trusting: true,
		Results:  rating.NewResults(o.spec, o.run, o.rules, o.config.gate()),
		lineages: map[string][]*messages.Member{}, joins: map[string][]uint64{}, pointers: map[string]*messages.Pointer{},
		gone: map[string]string{}, resets: map[string]*messages.Reset{}, resetting: map[string]bool{},
		plotted:     map[string]uint64{},
		losses:      map[uint64]float64{},
		outstanding: map[string]issued{}, crew: newCrew(), refusals: map[uint64]uint64{}, dropped: map[uint64]bool{},
		dirty: true, others: newOtherTables(o.tables),
	}
	c.AddRecorded(o.recorded)
	return c
}

// step is the whole league: it changes the state by an event and says what is to
// be done. Nothing is decided before caughtUp.
func (c *core) step(e event) ([]effect, error) {
	switch e := e.(type) {
	case pointerMoved:
		c.pointers[e.pointer.GetAgent()] = e.pointer
	case memberKnown:
		c.join(e.member)
	case membersDropped:
		c.drop(e.members)
		return nil, nil
	case freezeFailed:
		c.freezing, c.unfrozen = 0, c.finishing
		if e.gone {
			c.gone[e.pointer.Agent], _ = e.pointer.Lasting()
		}
		return nil, nil // tried again at the next tick
	case promotionKnown:
		return append(c.promote(e.promotion), c.decide()...), nil
	case promotionFailed:
		c.promoting = false
		return nil, nil // tried again at the next tick
	case setbackKnown:
		c.setback, c.settingBack = e.setback, false
		return nil, nil
	case setbackFailed:
		c.settingBack = false
		return nil, nil // tried again at the next tick
	case resetKnown:
		if last := c.resets[e.reset.Agent]; last == nil || last.Number < e.reset.Number {
			c.resets[e.reset.Agent], c.dirty = e.reset, true
		}
		delete(c.resetting, e.reset.Agent)
		return nil, nil
	case resetFailed:
		delete(c.resetting, e.agent)
		return nil, nil // tried again at the next tick
	case resultArrived:
		return append(c.settle(e), c.deal()...), nil
	case audited:
		return append(c.audited(e), c.deal()...), nil
	case queueSeen:
		c.crew.see(e.actors, c.now)
		c.workers = e.workers
		effects := c.vanished(e.ids)
		return append(effects, c.deal()...), nil
	case evaluated:
		c.evaluated, c.evaluating = max(c.evaluated, e.order), false
		c.learnLoss(e)
	case tableMeasured:
		return append(c.takeTable(e), c.decide()...), nil
	case caughtUp:
		c.ready, c.trusting = true, false
	case finish:
		c.finishing = true
		c.gamesBefore, c.finishingSince, c.finishWithin = c.games(), c.now, e.within
	case worked:
		c.restUntil = c.now + time.Duration(float64(e.took)/ratingShare)
		return nil, nil
	case tick:
		c.now = e.now
		return c.onTick()
	}
	return c.decide(), nil
}

// decide returns what follows from the state without a new rating.
func (c *core) decide() []effect {
	if !c.ready {
		return nil
	}
	var effects []effect
	if p := c.nextPromotion(); p != nil {
		c.promoting = true
		effects = append(effects, promote{p})
	}
	if f, ok := c.nextFreeze(); ok {
		c.freezing = f.member.Order
		effects = append(effects, c.reportFollowed(agentOf(f.member))...)
		effects = append(effects, f)
	}
	if m := c.nextEvaluation(); m != nil {
		c.evaluating = true
		effects = append(effects, evaluate{m})
	}
	effects = append(effects, c.nextTable()...)
	return append(effects, c.schedule()...)
}

// waitsForTick reports whether the next decision needs a rating that only a tick makes, with no match under way that
// could be waited for: the first rating, without which no match is asked for, and the last, with which training ends.
func (c *core) waitsForTick() bool {
	return c.ready && (c.standing == nil && c.dirty || c.finishing && len(c.outstanding) == 0 && c.freezing == 0)
}

// ratingShare is the share of the time, at most, that goes into ratings: one that takes long is followed by the next
// only after ten times as long.
const ratingShare = 0.1

// onTick rates and reports what is new, and looks after what has come to nothing.
func (c *core) onTick() ([]effect, error) {
	if !c.ready {
		return nil, nil
	}
	var effects []effect
	if c.now >= c.restUntil {
		if c.dirty {
			news, err := c.reconsider()
			if err != nil {
				return nil, err
			}
			effects = append(effects, news...)
		}
		dropped, err := c.thin()
		if err != nil {
			return nil, err
		}
		effects = append(effects, dropped...)
	}
	effects = append(effects, c.republish()...)
	effects = append(effects, c.decide()...)
	if s := c.nextSetback(); s != nil {
		c.settingBack = true
		effects = append(effects, setBack{s})
	}
	if r := c.nextReset(); r != nil {
		c.resetting[r.Agent] = true
		effects = append(effects, beginAgain{r})
	}
	if c.finishing && (c.complete() || c.timeIsUp()) {
		end := finished{c.remaining()}
		c.finishing = false
		if c.newest() != nil {
			c.reported = c.newestOrder()
			effects = append(effects, publishPoints{c.points()})
		}
		for _, a := range c.agents[1:] {
			effects = append(effects, c.reportFollowed(a.Name)...)
		}
		effects = append(effects, end)
	}
	return append(effects, c.deal()...), nil
}

// reconsider derives ladder, table and curve points again.
func (c *core) reconsider() ([]effect, error) {
	standing, err := c.Rate(rating.Listing{Agents: c.listed(), Kind: c.kind, Zero: c.zero, Best: c.best})
	if err != nil {
		return nil, err
	}
	standing.Ladder.Promotions, standing.Ladder.Gate = c.history(), c.progress()
	standing.Ladder.NoExploitability, standing.Ladder.Tables = c.unmeasured, c.others.show()
	c.showLosses(standing.Ladder)
	c.nameRoles(standing.Ladder)
	for _, a := range c.agents {
		if last := c.resets[a.Name]; last != nil {
			standing.Ladder.Resets = append(standing.Ladder.Resets, *last)
		}
	}
	c.standing, c.dirty = standing, false
	c.design = rating.NewDesign(c.Results, standing, c.plan())
	effects := []effect{publishLadder{standing.Ladder}}
	for _, table := range c.tables() {
		effects = append(effects, publishTable{table})
	}
	newest := c.newest()
	if newest.GetOrder() > c.reported && !c.finishing && c.measured(c.player(newest), c.config.ReferenceSets) {
		c.reported = newest.Order
		effects = append(effects, publishPoints{c.points()})
	}
	return append(effects, c.probe()...), nil
}

// reportUnfinished returns the curve point of the main agent's newest member that is about to be
// followed before it has played all that it should: a wide interval says more than
// no point. Before the first rating there is nothing to say.
func (c *core) reportUnfinished() []effect {
	newest := c.newest()
	if newest == nil || newest.Order <= c.reported || !c.HasResults(c.player(newest)) || c.standing == nil {
		return nil
	}
	c.reported = newest.Order
	return []effect{publishPoints{c.points()}}
}

// join adds a member in the order of joining. A second one of the same order is
// ignored: members never change.
func (c *core) join(m *messages.Member) {
	i, known := byOrder(c.members, m.Order)
	if known || c.dropped[m.Order] {
		return
	}
	c.members = slices.Insert(c.members, i, m)
	lineage := c.lineages[agentOf(m)]
	i, _ = byOrder(lineage, m.Order)
	c.lineages[agentOf(m)] = slices.Insert(lineage, i, m)
	c.joined(m)
	for _, name := range []string{m.Name, c.player(m)} {
		c.SetWeights(name, m.Sha256)
	}
	c.dirty = true
	if c.freezing == m.Order {
		c.freezing = 0
	}
}

// byOrder returns where a number is in a list of members by order of joining, or would be.
func byOrder(members []*messages.Member, order uint64) (i int, found bool) {
	return slices.BinarySearchFunc(members, order, func(m *messages.Member, order uint64) int {
		return cmp.Compare(m.Order, order)
	})
}

// nextEvaluation returns the oldest member that is still to be measured, if any, and else one of which the gate has to
// know again what it can lose.
func (c *core) nextEvaluation() *messages.Member {
	if c.evaluating {
		return nil
	}
	if i := slices.IndexFunc(c.members, c.awaitsEvaluation); i >= 0 {
		return c.members[i]
	}
	return c.forgottenLoss()
}

// awaitsEvaluation reports whether a member is still to be measured. Those of other agents than the main one are not:
// an exploiter is to beat its target and not to be hard to beat, and there is one curve.
func (c *core) awaitsEvaluation(m *messages.Member) bool {
	return c.evaluates && m.Order > c.evaluated && agentOf(m) == messages.LearningAgent
}

// measured reports whether an agent has played that many sets against every reference.
func (c *core) measured(name string, sets uint64) bool {
	return !slices.ContainsFunc(c.references, func(r string) bool { return c.Focal(name, r).Sets < sets })
}

// complete reports whether nothing is left to do for finish.
func (c *core) complete() bool {
	newest, p, gone := c.newest(), c.pointer(), c.gone[messages.LearningAgent]
	object, sum := p.Lasting()
	if newest == nil {
		return c.freezing == 0 && (p == nil || object == gone)
	}
	return !c.dirty && !c.evaluating && c.nextEvaluation() == nil && c.freezing == 0 &&
		(p == nil || bytes.Equal(sum, newest.Sha256) || object == gone) &&
		c.measured(c.player(newest), c.config.FinalSets) && c.gateAtRest() && c.gainKnown() && c.trainingPlayKnown() &&
		c.tablesDone()
}

// points are the curves' values for the newest member.
func (c *core) points() *messages.Points {
	newest := c.newest()
	p := newPoints(newest)
	c.addOutcomes(p, newest, "", c.references)
	if i, ok := c.standing.Rating(c.player(newest)); ok {
		addPoint(p, "rating/newest", i)
	}
	if i, ok := c.standing.Rating(c.best); ok {
		addPoint(p, "rating/best", i)
	}
	return p
}

// probe publishes the outcomes of a member's first games with each reference as soon as they are there, and again with
// each match that follows, on curves of their own: they come within seconds, and are too few to be among those of
// points. On a slow machine the next member is there by then. Points of a curve come in the order of the members.
func (c *core) probe() (effects []effect) {
	lineage := c.lineages[messages.LearningAgent]
	first, _ := byOrder(lineage, max(c.reported, c.probed))
	active := c.active()
	for _, m := range lineage[first:] {
		if fresh := c.freshLooks(m); fresh != nil && slices.Contains(active, c.player(m)) {
			if m.Order > c.probed || c.looks == nil {
				c.probed, c.looks = m.Order, map[string]uint64{}
			}
			for _, r := range fresh {
				c.looks[r] = c.Focal(c.player(m), r).Sets
			}
			p := newPoints(m)
			c.addOutcomes(p, m, probePrefix, fresh)
			effects = append(effects, publishPoints{p})
		}
	}
	return effects
}

// freshLooks returns the references whose first match with a member is over and with which it has played more sets than
// were reported.
func (c *core) freshLooks(m *messages.Member) (fresh []string) {
	for _, r := range c.references {
		told := uint64(0)
		if m.Order == c.probed {
			told = c.looks[r]
		}
		if sets := c.Focal(c.player(m), r).Sets; sets >= c.config.MatchSets && sets > told {
			fresh = append(fresh, r)
		}
	}
	return fresh
}

// probePrefix begins the names of curves of the newest version's games so far: "probe/win_share/random".
const probePrefix = "probe/"

// addOutcomes adds what a member gets alone among each of the references, to curves whose names begin with prefix.
func (c *core) addOutcomes(p *messages.Points, m *messages.Member, prefix string, references []string) {
	for _, r := range references {
		f := c.Focal(c.player(m), r)
		switch {
		case f.Sets == 0:
		case c.Spec.Payoff == engine.Money:
			addPoint(p, prefix+"mean_return/"+r, f.MeanReturn())
		default:
			addPoint(p, prefix+"win_share/"+r, f.WinShare())
		}
	}
}

func addPoint(p *messages.Points, series string, i stat.Interval) {
	p.Points = append(p.Points, &messages.Point{
		Series: series, Value: i.Value, Low: i.Low, High: i.High, HasInterval: true,
	})
}

// newPoints returns a message for the curves at the member's x.
func newPoints(m *messages.Member) *messages.Points {
	return &messages.Points{Schema: messages.SchemaVersion, Source: messages.LeagueRole, Seconds: m.Seconds,
		Samples: m.Samples}
}

// maxPostponed bounds how long a match without result waits: each attempt twice as long as the one
// before it, lest the queue fill up where no actor plays.
const maxPostponed = 6

// republish asks again for matches whose result has not come in time: the broker
// gives a match up when too many actors have failed with it.
func (c *core) republish() []effect {
	var effects []effect
	for _, id := range c.outstandingIDs() {
		o := c.outstanding[id]
		unsent := o.unsent
		if (unsent || c.now-o.at >= c.config.MatchTimeout<<min(o.attempt, maxPostponed)) && !c.claimed(id) {
			o.at, o.unsent, o.absent, o.seen = c.now, false, 0, false
			if !unsent { // the actor that has played it may publish another result
				o.attempt++
			}
			c.outstanding[id] = o
			effects = append(effects, publishMatch{match: c.Match(o.key, o.sets, o.attempt), again: !unsent})
		}
	}
	return effects
}
