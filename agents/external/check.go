package external

import (
	"context"
	"fmt"
	"slices"
	"time"

	"croupier/engine"
	"croupier/internal/dialogue"
	"croupier/internal/plural"
	"croupier/policy"
)

// Finding is what one part of [Check] has found.
type Finding struct {
	What   string `json:"what"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
}

// Check tries whether an agent keeps to the protocol: it plays the given number of games in each
// seat against random players, alone and several at a time. Of an agent that cannot be started
// there is one finding.
func Check(ctx context.Context, game engine.Game, name string, games int, seed uint64) []Finding {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if _, err := engine.Written(game); err != nil {
		return []Finding{{"can be asked in this game", false, err.Error()}}
	}
	a, err := Open(ctx, game, name)
	if err != nil {
		return []Finding{{"starts and answers the greeting", false, err.Error()}}
	}
	greeted := "protocol 1"
	if a.hello.Name != "" {
		greeted += fmt.Sprintf(", name %q", a.hello.Name)
	}
	list := []Finding{{"starts and answers the greeting", true, greeted}}
	c := &checking{ctx: ctx, agent: a, seed: seed}
	list = append(list, c.plays(games))
	if list[1].OK {
		list = append(list, c.repeats(), c.interleaves())
		if a.hello.Unit != "" {
			list = append(list, c.values())
		}
	}
	return append(list, c.quits()...)
}

// checking is a check at work.
type checking struct {
	ctx   context.Context
	agent *Agent
	seed  uint64
}

// match is a game of the agent, in one seat, against random players.
type match struct {
	state   engine.State
	seat    int
	player  policy.Policy
	random  policy.Random
	chance  *engine.RNG
	choices []*engine.RNG
	actions []int           // of the agent
	times   []time.Duration // of the agent
}

func (c *checking) begin(seat int, number uint64) *match {
	spec, seed := c.agent.game.Spec(), engine.GameSeed(c.seed, "check", number)
	m := &match{
		state: c.agent.game.NewState(), seat: seat, player: c.agent.Policy(c.ctx),
		chance: engine.NewRNG(seed, engine.ChanceStream),
	}
	for i := range spec.Seats {
		m.choices = append(m.choices, engine.NewRNG(seed, engine.ActionStream+uint64(i)))
	}
	m.player.Reset()
	return m
}

// step makes one step and reports whether the game continues.
func (m *match) step() bool {
	switch seat := m.state.Player(); seat {
	case engine.Terminal:
		m.player.Reset()
		return false
	case engine.Chance:
		m.apply(m.state.SampleChance(m.chance))
	default:
		legal := m.state.LegalActions(nil)
		if seat != m.seat {
			m.apply(m.random.Choose(m.state, legal, m.choices[seat]))
			break
		}
		began := time.Now()
		action := m.player.Choose(m.state, legal, m.choices[seat])
		m.times = append(m.times, time.Since(began))
		m.actions = append(m.actions, action)
		m.apply(action)
	}
	return true
}

// apply makes a step that is legal.
func (m *match) apply(step int) {
	if err := m.state.Apply(step); err != nil {
		panic("external: " + err.Error())
	}
}

// play plays a game to its end.
func (c *checking) play(seat int, number uint64) *match {
	m := c.begin(seat, number)
	for c.ctx.Err() == nil && c.agent.Err() == nil && m.step() {
		continue
	}
	return m
}

// fails reports what the agent has done wrong so far.
func (c *checking) fails(what, detail string) Finding {
	if wrong := c.agent.Conduct(); wrong != "" {
		return Finding{what, false, wrong}
	}
	return Finding{what, c.ctx.Err() == nil, detail}
}

// plays checks whole games in all seats.
func (c *checking) plays(games int) Finding {
	var times []time.Duration
	seats := c.agent.game.Spec().Seats
	for seat := range seats {
		for i := range games {
			times = append(times, c.play(seat, uint64(i)).times...)
		}
	}
	if len(times) == 0 {
		return Finding{"plays whole games", false, "it had nothing to decide in these games: take more"}
	}
	slices.Sort(times)
	at := func(q float64) time.Duration { return times[int(q*float64(len(times)-1))].Round(time.Microsecond) }
	return c.fails("plays whole games", fmt.Sprintf("%s in each of %s, %s; half of them took %v, "+
		"99 %% at most %v, the longest %v of %v", plural.Of(games, "game"), plural.Of(seats, "seat"),
		plural.Of(len(times), "decision"), at(0.5), at(0.99), at(1), c.agent.options.Time))
}

// repeats checks that a game is played again the same way with the same seeds.
func (c *checking) repeats() Finding {
	const what = "plays the same with the same seeds"
	for number := range uint64(5) {
		first, second := c.play(0, number), c.play(0, number)
		if !slices.Equal(first.actions, second.actions) {
			return Finding{what, false, "no: its draws do not depend on the seeds alone, so that its games cannot be played again"}
		}
	}
	return c.fails(what, "5 games")
}

// interleaves checks that several games at the same time do not disturb one another.
func (c *checking) interleaves() Finding {
	const what = "plays several games at the same time"
	var alone, together []*match
	for number := range uint64(5) {
		alone = append(alone, c.play(0, number))
		together = append(together, c.begin(0, number))
	}
	for going := true; going && c.agent.Err() == nil; {
		going = false
		for _, m := range together {
			going = m.step() || going
		}
	}
	for i, m := range together {
		if !slices.Equal(m.actions, alone[i].actions) {
			return Finding{what, false, fmt.Sprintf(
				"game %d of 5 was played differently than alone: what the agent remembers of "+
					"a game must be kept under the game's name", i+1)}
		}
	}
	return c.fails(what, "5 games, as each alone")
}

// values checks that the agent gives values of actions, at its first decision.
func (c *checking) values() Finding {
	const what = "tells what actions are worth"
	m := c.begin(0, 0)
	for m.state.Player() != 0 && m.step() {
		continue
	}
	if m.state.Player() != 0 {
		return Finding{what, true, "nothing to decide in the first game"}
	}
	legal := m.state.LegalActions(nil)
	answer, err := c.agent.Policy(c.ctx).(valuing).ask(m.state, legal, TypeValues, 0)
	if err != nil {
		return Finding{what, false, err.Error()}
	}
	return Finding{what, true, fmt.Sprintf("%d of them, in %s", len(answer.Values), c.agent.hello.Unit)}
}

// quits checks that a process ends when it is asked to, and that it has said nothing but answers.
func (c *checking) quits() []Finding {
	const what, unasked = "ends when asked to", "sends nothing unasked"
	var longest time.Duration
	var said []byte
	ran := false
	for _, s := range c.agent.slots {
		if took, line, running := s.quit(); running {
			longest, ran = max(longest, took), true
			if line != nil {
				said = line
			}
		}
	}
	if !ran {
		return []Finding{{what, false, "its process has ended"}}
	}
	list := []Finding{{what, longest < dialogue.Grace, fmt.Sprintf("after %v", longest.Round(time.Millisecond))}}
	if said != nil {
		return append(list, Finding{unasked, false, "after its last answer it sent " + dialogue.Quote(said)})
	}
	return append(list, Finding{unasked, true, "nothing but answers"})
}

// quit ends what answers in the slot, and says how long that took and what was left of its output.
func (s *slot) quit() (took time.Duration, unasked []byte, running bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.t == nil {
		return 0, nil, false
	}
	began := time.Now()
	s.t.Tell(encode(Quit{Type: TypeQuit}))
	unasked = s.t.Close()
	s.t = nil
	return time.Since(began), unasked, true
}
