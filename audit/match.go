package audit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"

	"croupier/actor"
	"croupier/engine"
	"croupier/messages"
	"croupier/player"
)

// MatchOptions configure Match.
type MatchOptions struct {
	Game     engine.Game
	Resolver player.Resolver
	RunSeed  uint64
	Share    float64 // of the sets of a result that are played again, at least one set
}

// maxPlayers bounds the players that are kept between results.
const maxPlayers = 32

// matches audits results; several may be audited at the same time.
type matches struct {
	MatchOptions
	mutex   sync.Mutex
	players map[string]*player.Player // by name and hash
}

// Match returns a function that plays a random share of a result's sets again. Its error is a
// *messages.Refusal if a set came out otherwise; any other error says that nothing is known.
// A result has no histories, only their digests, so that an action that another kernel's
// rounding turned over, one in a million, cannot be distinguished from an invention. The reason is
// therefore not messages.ReasonReplay: it is one offence like any other, and the match is
// played once more by somebody else.
func Match(options MatchOptions) func(ctx context.Context, r *messages.Result) error {
	o := &matches{MatchOptions: options, players: map[string]*player.Player{}}
	return func(ctx context.Context, r *messages.Result) error {
		a, err := o.player(ctx, r.Match.A, r.Match.ASha256)
		if err != nil {
			return err
		}
		b, err := o.player(ctx, r.Match.B, r.Match.BSha256)
		if err != nil {
			return err
		}
		sets := int(r.Match.Sets)
		for range max(1, int(o.Share*float64(sets))) {
			if err := o.set(ctx, r, rand.IntN(sets), a, b); err != nil {
				return err
			}
		}
		return nil
	}
}

// player finds the agent of a match, whose weights must be those of the hash.
func (o *matches) player(ctx context.Context, name string, sha256 []byte) (*player.Player, error) {
	key := name + string(sha256)
	o.mutex.Lock()
	p := o.players[key]
	o.mutex.Unlock()
	if p != nil {
		return p, nil
	}
	p, err := o.Resolver.Player(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("audit: %w", err)
	}
	if len(sha256) > 0 && !bytes.Equal(p.SHA256, sha256) {
		return nil, errors.New("audit: the weights of " + name + " are not those of the match")
	}
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if len(o.players) >= maxPlayers {
		clear(o.players)
	}
	o.players[key] = p
	return p, nil
}

// set plays one set again.
func (o *matches) set(ctx context.Context, r *messages.Result, set int, a, b *player.Player) error {
	one := &messages.Match{
		Schema: r.Match.Schema, Run: r.Match.Run, Id: r.Match.Id, A: r.Match.A, B: r.Match.B,
		FirstSet: r.Match.FirstSet + uint64(set), Sets: 1,
	}
	seats := o.Game.Spec().Seats
	again, err := actor.PlayMatch(ctx, o.Game, o.RunSeed, one, a, b, seats)
	if err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	const digest = 4
	if len(r.Digests) != digest*int(r.Match.Sets) || len(r.Returns) != len(again.Returns)*int(r.Match.Sets) {
		return refuseSet(r, set, "it has no evidence")
	}
	if have := r.Digests[set*digest:][:digest]; !bytes.Equal(have, again.Digests) {
		return refuseSet(r, set, fmt.Sprintf("its digest is %x, played again %x", have, again.Digests))
	}
	lineup := 4 * seats * seats // bytes of a set's returns in one lineup
	for i := 0; i*lineup < len(again.Returns); i++ {
		have := r.Returns[(i*int(r.Match.Sets)+set)*lineup:][:lineup]
		if want := again.Returns[i*lineup:][:lineup]; !bytes.Equal(have, want) {
			return refuseSet(r, set, "the returns are not those of its games")
		}
	}
	return nil
}

func refuseSet(r *messages.Result, set int, detail string) error {
	return &messages.Refusal{
		Reason: messages.ReasonReturns, Detail: fmt.Sprintf("set %d of match %s: %s", set, r.Match.Id, detail),
	}
}
