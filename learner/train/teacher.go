package train

import (
	"slices"

	"croupier/engine"
	"croupier/internal/strict"
)

// teacher is a bot that shows the policy what it would do in the policy's own games. The policy is pulled towards
// that by a term of its loss, less and less, so that it begins with what the bot knows and ends with what it has
// found out itself (Schmitt et al. 2018, "Kickstarting deep reinforcement learning", arXiv 1803.03835). Asked about
// states that the policy comes to, not about those of its own games, the teacher also shows how to get out of
// mistakes that it would not make (Ross, Gordon and Bagnell 2011, DAgger). It belongs to one goroutine.
type teacher struct {
	bot           engine.Bot
	mixture       mixture // the bot, if it has probabilities
	share         float64 // of the games that it is asked about
	asked         bool    // about the current one
	rng           engine.RNG
	probabilities []float64 // by legal action
}

// mixture is a bot that gives the probability of each legal action.
type mixture interface {
	Distribution(s engine.State, legal []int, dst []float64)
}

// teacherStream is the stream of a game's seed for a teacher's choices; see [engine.ChanceStream].
const teacherStream uint64 = 0x7465616368 // "teach"

// Teacher finds a teacher of a game by its name. It returns what makes bots that do as it does, each of them for one
// goroutine.
type Teacher func(game engine.Game, name string) (func() engine.Bot, error)

// BotTeacher is the [Teacher] whose names are those of the game's bots.
func BotTeacher(game engine.Game, name string) (func() engine.Bot, error) {
	b, err := game.Bots().New(name)
	return func() engine.Bot { return b }, err
}

// teachers returns what makes the teacher's bots in each of the games, none without a teacher.
func (c *PPOConfig) teachers(s Setup) (list []func() engine.Bot, err error) {
	if c.Teacher == "" {
		return nil, nil
	}
	find := s.Teacher
	if find == nil {
		find = BotTeacher
	}
	list = make([]func() engine.Bot, len(s.Games))
	for i, g := range s.Games {
		if list[i], err = find(g, c.Teacher); err != nil {
			return nil, strict.Errorf("ppo.teacher", "%v", err)
		}
	}
	return list, nil
}

func newTeacher(bot engine.Bot, share float64) *teacher {
	t := &teacher{bot: bot, share: share}
	t.mixture, _ = bot.(mixture)
	return t
}

// begin begins a game. Whether it is asked there, and what it answers, follows from the game's seed alone. It is asked
// about a whole game or none of it, because a solution may work out a whole turn at its first decision.
func (t *teacher) begin(seed uint64) {
	t.rng.Seed(seed, teacherStream)
	t.asked = t.share >= 1 || t.rng.Float64() < t.share
}

// show appends the bot's probability of each legal action, or zeros where it is not asked or there is nothing to
// choose.
func (t *teacher) show(s engine.State, legal []int, dst []float32) []float32 {
	from := len(dst)
	dst = extend(dst, len(legal))
	target := dst[from:]
	clear(target)
	if len(legal) < 2 || !t.asked {
		return dst
	}
	if t.mixture == nil {
		target[slices.Index(legal, t.bot.Choose(s, legal, &t.rng))] = 1
		return dst
	}
	t.probabilities = resize(t.probabilities, len(legal))
	t.mixture.Distribution(s, legal, t.probabilities)
	for k, p := range t.probabilities {
		target[k] = float32(p)
	}
	return dst
}

// weight returns that of the teacher's term at a time of the run, 0..1.
func (c *PPOConfig) weight(progress float64) float64 {
	if progress >= c.TeacherUntil {
		return 0
	}
	return Linear(c.TeacherCoefficient, 0, progress/c.TeacherUntil)
}
