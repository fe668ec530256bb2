package league

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"croupier/engine"
	"croupier/messages"
)

// Tournament is a round robin between given agents, without a population.
type Tournament struct {
	Spec      *engine.Spec
	RulesHash [8]byte // engine.RulesHash of the game
	Run       string  // what the matches are to carry as their run
	Agents    []string
	Kind      func(name string) string // network, bot or solver
	Zero      string                   // agent whose rating is 0; if it takes no part, the mean is 0
	Sets      uint64                   // of each pair; SetsFor has the number for so many games
	MatchSets uint64                   // of a match; 0: DefaultConfig().MatchSets
	Workers   int                      // matches played at the same time; 0: one
	// Progress, unless nil, is called after each match, by one goroutine at a time.
	Progress func(played, matches int)
}

// SetsFor returns the sets in which each lineup of a pair has at least that many games.
func SetsFor(spec *engine.Spec, games uint64) uint64 {
	seats := uint64(spec.Seats)
	return (games + seats - 1) / seats
}

// Play has every pair play and rates the agents. The ladder does not depend on
// Workers. It ends early with the first error of play or of ctx.
func (t Tournament) Play(ctx context.Context, play func(context.Context, *messages.Match) (*messages.Result, error)) (*messages.Ladder, error) {
	if err := t.validate(); err != nil {
		return nil, fmt.Errorf("tournament: %w", err)
	}
	book := newBook(t.Spec, t.Run, t.RulesHash, sequential{})
	var mu sync.Mutex // book
	group, playing := errgroup.WithContext(ctx)
	group.SetLimit(max(1, t.Workers))
	matches := t.matches(book)
	played := 0
	for _, m := range matches {
		if playing.Err() != nil {
			break
		}
		group.Go(func() error {
			result, err := play(playing, m)
			if err != nil {
				return fmt.Errorf("%s against %s: %w", m.A, m.B, err)
			}
			mu.Lock()
			defer mu.Unlock()
			if err := book.apply(result); err != nil {
				return fmt.Errorf("result of %s against %s: %w", m.A, m.B, err)
			}
			if played++; t.Progress != nil {
				t.Progress(played, len(matches))
			}
			return nil
		})
	}
	err := group.Wait()
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("tournament: %w", err)
	}
	standing, err := book.rate(listing{agents: t.Agents, kind: t.Kind, zero: t.Zero})
	if err != nil {
		return nil, fmt.Errorf("tournament: %w", err)
	}
	return standing.ladder, nil
}

func (t Tournament) validate() error {
	if len(t.Agents) < 2 {
		return fmt.Errorf("%d agents, at least two are needed", len(t.Agents))
	}
	for i, a := range t.Agents {
		if a == "" || len(a) > maxAgentName {
			return fmt.Errorf("agent %d: a name has 1..%d bytes", i+1, maxAgentName)
		}
		if slices.Contains(t.Agents[:i], a) {
			return fmt.Errorf("agent %s is named twice", a)
		}
	}
	if t.Sets < 1 || t.Sets > maxPairSets {
		return fmt.Errorf("%d sets, not 1..%d", t.Sets, maxPairSets)
	}
	if t.MatchSets > maxMatchSets {
		return fmt.Errorf("%d sets in a match, at most %d are possible", t.MatchSets, maxMatchSets)
	}
	return nil
}

// matches lists all matches, the first of every pair first.
func (t Tournament) matches(b *book) []*messages.Match {
	size := t.MatchSets
	if size == 0 {
		size = DefaultConfig().MatchSets
	}
	var out []*messages.Match
	for first := uint64(0); first < t.Sets; first += size {
		for i, x := range t.Agents {
			for _, y := range t.Agents[:i] {
				out = append(out, b.match(newPairKey(x, y), span{first, min(first+size, t.Sets)}, 0))
			}
		}
	}
	return out
}
