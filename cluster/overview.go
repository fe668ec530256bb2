package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"croupier/engine"
	"croupier/internal/regular"
	"croupier/internal/rundir"
	"croupier/league"
	"croupier/learner"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/messages/conduct"
	"croupier/messages/lease"
	"croupier/messages/presence"
	"croupier/nn"
)

// Where an [Overview] comes from.
const (
	FromBroker    = "broker"
	FromDirectory = "directory" // of a run that is not being trained
)

// Overview reports how a run is doing, as its broker, or else its directory, knows it.
type Overview struct {
	Run    string `json:"run"`
	Game   string `json:"game"`
	State  string `json:"state"` // a rundir.State
	Source string `json:"source"`
	// Version is that of the newest published weights; in a directory that of the newest checkpoint.
	Version uint64  `json:"version"`
	Updates uint64  `json:"updates"`
	Samples uint64  `json:"samples"`
	Seconds float64 `json:"seconds"` // of training
	Members int     `json:"members"` // frozen versions
	Best    string  `json:"best,omitempty"`
	// HeldBack is the version that beats the best and is not best, and NoExploitability reports why it is not known what
	// versions can lose, as the ladder has them.
	HeldBack         *messages.HeldBack `json:"held_back,omitempty"`
	NoExploitability string             `json:"no_exploitability,omitempty"`
	// Tables are other tables at which the best version is measured, as the ladder has them.
	Tables []messages.LadderTable `json:"tables,omitempty"`
	// Ledger is the account of the training games. In the directory of a run that was interrupted it is that with which
	// the run would continue: what is in no checkpoint is lost. Of a run that ended in order what was not learnt from
	// any more is in flight.
	Ledger learner.Account        `json:"ledger"`
	Roles  []presence.Heartbeat   `json:"roles"`
	Leases []RoleLease            `json:"leases"`
	Actors []conduct.Contribution `json:"actors"`
	// Problems reports what keeps the run from training and rating just now; none for a directory.
	Problems []string `json:"problems"`
}

// RoleLease reports which process has a role that exists once.
type RoleLease struct {
	Role   string       `json:"role"`
	Holder lease.Holder `json:"holder"`
}

// Overview returns how the run is doing. Without a broker's URL it asks the broker that the run's directory
// names while the run is running, and else reads the directory.
func (p Process) Overview(ctx context.Context) (*Overview, error) {
	if p.Broker.URL == "" {
		session, err := rundir.ReadSession(p.Dir)
		if err != nil {
			return nil, err
		}
		if state := rundir.StateOf(p.Dir, session, messages.LearnerRole); state != rundir.Running {
			return p.filedOverview(string(state))
		}
		if p, err = p.Reach(); err != nil {
			return nil, err
		}
	}
	id, err := rundir.ID(p.Dir)
	if err != nil {
		return nil, invalid("--run: %w", err)
	}
	o := newOverview(id)
	return o, p.visit(ctx, func(s *node) error {
		o.Game = s.config.Game
		return o.ask(ctx, s.bus, s.game.Spec())
	})
}

// newOverview returns that of a run that is running, with lists that are empty, not missing, as JSON.
func newOverview(run string) *Overview {
	return &Overview{
		Run: run, State: string(rundir.Running), Source: FromBroker,
		Roles: []presence.Heartbeat{}, Leases: []RoleLease{}, Actors: []conduct.Contribution{}, Problems: []string{},
	}
}

// filedOverview reads the directory of a run that is not being trained.
func (p Process) filedOverview(state string) (*Overview, error) {
	dir := p.Dir
	info, err := rundir.ReadInfo(dir)
	if err != nil {
		return nil, err
	}
	id, err := rundir.ID(dir)
	if err != nil {
		return nil, invalid("--run: %w", err)
	}
	o := newOverview(id)
	o.Game, o.State, o.Source = info.Game, state, FromDirectory
	totals, err := learner.ReadTotals(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return o, nil
	}
	if err != nil {
		return nil, err
	}
	o.Version, o.Updates, o.Samples, o.Seconds = totals.Version, totals.Updates, totals.Samples, totals.Trained.Seconds()
	for _, place := range agentDirs(dir) {
		if err := addFiled(&o.Ledger, place, state == string(rundir.Ended)); err != nil {
			return nil, err
		}
	}
	doc, err := regular.Read(filepath.Join(dir, rundir.MembersFile), nn.MaxFileBytes)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	list, _ := messages.ParseMembers(doc)
	o.Members = len(list.Kept)
	ladder, err := ReadLadder(p.Catalog, dir)
	if errors.Is(err, league.ErrNoLadder) {
		return o, nil
	}
	if best, found := ladder.Best(); found {
		o.Best = best.Name
	}
	o.takeLadder(ladder)
	return o, err
}

// takeLadder takes over what a ladder, if there is one, says of versions besides their ratings.
func (o *Overview) takeLadder(ladder *messages.Ladder) {
	if ladder != nil {
		o.HeldBack, o.NoExploitability, o.Tables = ladder.HeldBack, ladder.NoExploitability, ladder.Tables
	}
}

// addFiled adds the account of a learning agent with the folder of its checkpoints, if it has one. Trained are the
// games that the list of runs has as well: the ledgers' are booked by whole batches.
func addFiled(sum *learner.Account, dir string, ended bool) error {
	ledgers, err := learner.ReadLedgers(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	totals, err := learner.ReadTotals(dir)
	if err != nil {
		return err
	}
	var own learner.Account
	if merged := ledgers.GetMerged().GetSum(); merged != nil {
		own.Add(merged)
	}
	for _, l := range ledgers.GetLedgers() {
		own.Add(l)
	}
	sum.Merge(own.AsLeft(totals.Games, ended))
	return nil
}

// fallen is the ledger with which a worker would continue from a checkpoint: what is in none is lost.
func fallen(l *messages.Ledger) *messages.Ledger {
	l.Lost += l.Consumed - l.Checkpointed
	l.Consumed, l.Trained = l.Checkpointed, l.Checkpointed
	return l
}

// ask fills in what the broker knows.
func (o *Overview) ask(ctx context.Context, b bus.Bus, spec *engine.Spec) error {
	state := b.State()
	pointer := &messages.Pointer{}
	entry, err := state.Get(ctx, messages.PointerKey(messages.LearningAgent))
	if err == nil {
		err = messages.Decode(entry.Value, pointer)
	}
	if err != nil && !errors.Is(err, bus.ErrNotFound) {
		return fmt.Errorf("weights: %w", err)
	}
	o.Version, o.Updates, o.Samples, o.Seconds = pointer.Version, pointer.Updates, pointer.Samples, pointer.Seconds
	if err := present(ctx, state, messages.MemberPrefix, func(string, []byte) { o.Members++ }); err != nil {
		return err
	}
	last := uint64(0)
	err = present(ctx, state, messages.PromotionPrefix, func(_ string, value []byte) {
		if p, err := messages.ParsePromotion(value); err == nil && p.Number > last {
			last, o.Best = p.Number, p.Agent
		}
	})
	if err != nil {
		return err
	}
	if entry, err := state.Get(ctx, messages.LadderKey); err == nil {
		ladder, _ := messages.ParseLadder(entry.Value) // one that cannot be read is a fault of the league's
		o.takeLadder(ladder.InCoin(spec))
	} else if !errors.Is(err, bus.ErrNotFound) {
		return fmt.Errorf("ladder: %w", err)
	}
	workers, others, err := ledgers(ctx, state)
	if err != nil {
		return err
	}
	for _, l := range slices.Concat(workers, others) {
		o.Ledger.Add(l)
	}
	actors, err := contributions(ctx, b, workers)
	if err != nil {
		return err
	}
	o.Actors = append(o.Actors, actors...)
	if err := o.askRoles(ctx, b.Roles()); err != nil {
		return err
	}
	o.findProblems()
	return nil
}

// askRoles reads heartbeats and leases.
func (o *Overview) askRoles(ctx context.Context, roles bus.KV) error {
	err := present(ctx, roles, "", func(key string, value []byte) {
		if role, held := strings.CutPrefix(key, messages.LeasePrefix); held {
			var h lease.Holder
			if json.Unmarshal(value, &h) == nil && !h.Released {
				o.Leases = append(o.Leases, RoleLease{Role: role, Holder: h})
			}
			return
		}
		if h, err := presence.Read(key, value); err == nil {
			o.Roles = append(o.Roles, h)
		}
	})
	slices.SortFunc(o.Roles, func(a, b presence.Heartbeat) int { return strings.Compare(a.Role+"."+a.ID, b.Role+"."+b.ID) })
	slices.SortFunc(o.Leases, func(a, b RoleLease) int { return strings.Compare(a.Role, b.Role) })
	return err
}

// longWithoutGames is how long a learner that waits may be without a training game before that is a problem: slow
// networks and long games take a while for the first ones.
const longWithoutGames = time.Minute

// findProblems lists what keeps the run from its work.
func (o *Overview) findProblems() {
	for _, role := range []string{messages.LearnerRole, messages.ActorRole, messages.LeagueRole} {
		if !slices.ContainsFunc(o.Roles, func(r presence.Heartbeat) bool { return r.Role == role }) {
			o.Problems = append(o.Problems, "no "+role+" is there")
		}
	}
	for _, r := range o.Roles {
		if r.Values[messages.Troubles] > 0 {
			o.Problems = append(o.Problems, r.State)
		}
	}
	for _, r := range o.Roles {
		if s := r.Values[messages.WithoutGames]; s >= longWithoutGames.Seconds() {
			o.Problems = append(o.Problems, fmt.Sprintf("agent %s waits and has had no training games for %v", r.Agent,
				time.Duration(s)*time.Second))
		}
	}
	for _, a := range o.Actors {
		if a.Quarantine != nil {
			o.Problems = append(o.Problems, fmt.Sprintf("actor %s is quarantined: %s", a.Actor, a.Quarantine.Detail))
		}
	}
}
