package advice

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"croupier/agents"
	"croupier/catalog"
	"croupier/engine"
)

// Drill is a decision to practise on: one at which a rule of thumb goes wrong, or one at which it
// is right although an exception is near.
type Drill struct {
	Start   engine.State `json:"-"`       // a position that was asked about; nil: the beginning of the game
	History []int        `json:"history"` // leads from Start to the decision
	Answer  *Answer      `json:"answer"`
	Rule    string       `json:"rule"`    // the rule of thumb, a bot of the game
	Obvious int          `json:"obvious"` // what it would do, an action
}

// DrillOptions say which decisions are dealt. The same options deal the same decision.
type DrillOptions struct {
	Seed uint64
	// Asks is how many decisions are judged, of which one of the most expensive is dealt.
	Asks int
	// Easy deals mistakes of the game's weaker bots, before those of the strongest one, which is
	// Strongest.
	Easy      bool
	Strongest string
}

// ErrNoDrill reports that the games that were looked through hold no decision worth practising.
var ErrNoDrill = errors.New("no decision was found at which a rule of thumb goes wrong: deal again")

const (
	// drillSteps bounds what is looked through for decisions to judge.
	drillSteps = 20_000
	// slips is the share of random actions among those of the bots that play the games, which makes
	// positions occur that good play avoids.
	slips = 0.05
	// dear is the part of the most expensive mistake that one must cost to be dealt. Among those one
	// is drawn, so that not always the same kind is.
	dear = 0.5
	// sound is the share of decisions at which the rule of thumb is right: a person that always did
	// otherwise would be wrong there.
	sound = 0.3
)

// Practise deals a decision of the game that the agents play, judged by the strongest of them, from the seed.
func Practise(ctx context.Context, known *agents.Agents, seed uint64, easy bool) (*Drill, error) {
	o := DrillOptions{Seed: seed, Asks: Asks(known), Easy: easy, Strongest: known.StrongestBot()}
	if o.Asks == 0 {
		return nil, fmt.Errorf("%s cannot be practised under these rules: no agent knows the values of its actions",
			known.Game().Spec().Name)
	}
	agent, err := Choose(ctx, known, "", nil)
	if err != nil {
		return nil, err
	}
	return Deal(ctx, known.Game(), agent, o)
}

// PractiseAt makes a drill of the decision of a question. Its rule of thumb is the strongest bot.
func PractiseAt(ctx context.Context, known *agents.Agents, q Question) (*Drill, error) {
	agent, err := Choose(ctx, known, "", nil)
	if err != nil {
		return nil, err
	}
	answer, err := Advise(ctx, q, agent, DefaultOptions())
	if err != nil {
		return nil, err
	}
	d := &dealer{game: q.Game, options: DrillOptions{Strongest: known.StrongestBot()}}
	if err := d.readRules(); err != nil {
		return nil, err
	}
	rule := d.rules[0]
	taken := rule.bot.Choose(q.State, q.State.LegalActions(nil), engine.NewRNG(1, engine.ActionStream))
	return &Drill{Start: q.State, Answer: answer, Rule: rule.name, Obvious: taken}, nil
}

// PractisedUnder returns the preset of the rules under which a game is practised where no agent knows enough about it
// under the usual ones: the first one under which an agent does. knownOf returns the agents of a game.
func PractisedUnder(entry catalog.Game, knownOf func(engine.Game) *agents.Agents) (preset engine.Preset, found bool) {
	game, err := entry.New(nil)
	if err != nil || game.Spec().Rules == nil {
		return preset, false
	}
	for _, p := range game.Spec().Rules.Presets {
		if other, err := entry.New([]byte(p.Document)); err == nil && Asks(knownOf(other)) > 0 {
			return p, true
		}
	}
	return preset, false
}

// Right reports whether a legal action is the best one, or cannot be distinguished from it.
func (a *Answer) Right(action int) bool {
	taken := a.Of(action)
	return action == a.Best || taken.Loss <= 0 || taken.P > certain
}

// Amount writes a loss with its unit: "0.021 win probability".
func (a *Answer) Amount(loss float64) string { return a.number(max(0, loss)) + " " + a.Unit }

// Deal looks for a decision of the game to practise on. Games among its bots are judged by the
// agent, which must know what actions are worth.
func Deal(ctx context.Context, game engine.Game, agent Agent, o DrillOptions) (*Drill, error) {
	d := &dealer{game: game, agent: agent, options: o, rng: engine.NewRNG(o.Seed, engine.ActionStream)}
	if err := d.readRules(); err != nil {
		return nil, err
	}
	if err := d.look(ctx); err != nil {
		return nil, err
	}
	wantSound := d.rng.Float64() < sound
	for rule := range d.rules {
		mistakes := d.mistakes(rule)
		if len(mistakes) == 0 {
			continue
		}
		chosen := mistakes[d.rng.IntN(len(mistakes))]
		if wantSound {
			chosen = d.asSound(rule, chosen)
		}
		return &Drill{
			History: chosen.history, Answer: chosen.answer, Rule: d.rules[rule].name, Obvious: chosen.taken[rule],
		}, nil
	}
	return nil, ErrNoDrill
}

// dealer plays games and notes what their decisions are worth.
type dealer struct {
	game    engine.Game
	agent   Agent
	options DrillOptions
	rng     *engine.RNG
	rules   []rule
	judged  []judged
}

// rule is a rule of thumb.
type rule struct {
	name string
	bot  engine.Bot
}

// judged is a decision with its answer and what each rule of thumb would do.
type judged struct {
	history []int
	answer  *Answer
	taken   []int
}

// readRules makes the game's bots, in the order in which their mistakes are looked for.
func (d *dealer) readRules() error {
	for _, name := range d.game.Bots().References {
		bot, err := d.game.Bots().New(name)
		if err != nil {
			return err
		}
		d.rules = append(d.rules, rule{name, bot})
	}
	rank := func(r rule) int {
		if (r.name == d.options.Strongest) != d.options.Easy {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(d.rules, func(a, b rule) int { return rank(a) - rank(b) })
	return nil
}

// look plays games among bots and judges decisions at which their rules differ from one another or,
// by chance, any other, until enough are judged.
func (d *dealer) look(ctx context.Context) error {
	s, steps := d.game.NewState(), 0
	for len(d.judged) < d.options.Asks && steps < drillSteps {
		s.Reset()
		var history []int
		players := make([]engine.Bot, d.game.Spec().Seats)
		for seat := range players {
			players[seat] = d.rules[d.rng.IntN(len(d.rules))].bot
		}
		for s.Player() != engine.Terminal && len(d.judged) < d.options.Asks && steps < drillSteps {
			step, err := d.step(ctx, s, history, players)
			if err != nil {
				return err
			}
			if err := s.Apply(step); err != nil {
				return err
			}
			history = append(history, step)
			steps++
		}
	}
	return nil
}

// step judges a decision, if it is worth asking, and returns the next step of the game.
func (d *dealer) step(ctx context.Context, s engine.State, history []int, players []engine.Bot) (int, error) {
	if s.Player() == engine.Chance {
		return s.SampleChance(d.rng), nil
	}
	legal := s.LegalActions(nil)
	taken := make([]int, len(d.rules))
	for i, r := range d.rules {
		taken[i] = r.bot.Choose(s, legal, d.rng)
	}
	agree := !slices.ContainsFunc(taken, func(action int) bool { return action != taken[0] })
	if len(legal) > 1 && (!agree || d.rng.IntN(4) == 0) {
		// What is asked may depend on the past, which Redeal changes: a copy is asked.
		q := Question{Game: d.game, State: s.Clone(), History: history}
		answer, err := Advise(ctx, q, d.agent, Options{Steps: 1, Workers: 1, Seed: d.options.Seed})
		if err != nil {
			return 0, err
		}
		d.judged = append(d.judged, judged{slices.Clone(history), answer, taken})
	}
	if d.rng.Float64() < slips {
		return legal[d.rng.IntN(len(legal))], nil
	}
	return players[s.Player()].Choose(s, legal, d.rng), nil
}

// mistakes lists the decisions at which a rule surely goes wrong and pays dearly for it.
func (d *dealer) mistakes(rule int) (list []judged) {
	most := 0.0
	for _, j := range d.judged {
		if taken := j.answer.Of(j.taken[rule]); taken.P <= certain && taken.Loss > 0 {
			list, most = append(list, j), max(most, taken.Loss)
		}
	}
	return slices.DeleteFunc(list, func(j judged) bool { return j.answer.Of(j.taken[rule]).Loss < dear*most })
}

// asSound returns a decision at which the rule is right and the next best action costs about as much
// as the given mistake, or the mistake where there is none.
func (d *dealer) asSound(rule int, mistake judged) judged {
	found, nearest := mistake, math.Inf(1)
	for _, j := range d.judged {
		_, second := j.answer.best()
		if j.taken[rule] != j.answer.Best || second.P > certain {
			continue
		}
		distance := math.Abs(second.Loss - mistake.answer.Of(mistake.taken[rule]).Loss)
		if distance < nearest {
			found, nearest = j, distance
		}
	}
	return found
}

// Asks reports how many decisions of a game can be judged for one drill within seconds, 0 where no agent
// knows what its actions are worth: a solution of the whole game is asked, or a search in a game for
// money. How a game that is won or lost ends lies too far off for the few decisions that a search
// can judge: what they cost drowns in its noise.
func Asks(a *agents.Agents) int {
	for _, s := range a.Solutions() {
		switch {
		case !s.Part && s.Bounded:
			return 300
		case !s.Part:
			return 60 // each takes a turn to be solved
		}
	}
	recorded, here, err := a.Compared()
	if err != nil || a.Game().Spec().Payoff != engine.Money || !here {
		return 0
	}
	if best, found := recorded.Strongest(); found && strings.HasPrefix(best.Name, "search") {
		return 12
	}
	return 0
}
