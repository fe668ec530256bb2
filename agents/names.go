package agents

import (
	"fmt"
	"slices"
	"strings"

	"croupier/catalog"
	"croupier/internal/suggest"
	"croupier/policy"
)

// All names every bot of a game's ladders, where several agents can be named.
const All = "all"

// NameError reports that a name stands for no agent here: the user has to name another one.
type NameError struct{ err error }

func (e *NameError) Error() string { return e.err.Error() }
func (e *NameError) Unwrap() error { return e.err }

// forms are the names of agents that are not listed; of programs only where they are asked.
const (
	forms    = "main@12 (a version of --run), file:PATH, greedy:NETWORK, temperature(T):NETWORK, search:NETWORK"
	programs = ", exec:COMMAND, http://HOST/PATH"
)

// Names lists the names that agents of a game have: the levels, random, the bots of its ladders, its solutions and the
// network that comes with the program. Bots with other numbers and the forms with PATH, NETWORK, COMMAND or HOST are
// not in it.
func (a *Agents) Names() (names []string) {
	for _, l := range a.Levels() {
		names = append(names, l.Name)
	}
	names = append(append(names, a.References()...), a.Candidates()...)
	for _, s := range a.Solutions() {
		names = append(names, s.Agent)
	}
	var once []string
	for _, name := range names {
		if !slices.Contains(once, name) {
			once = append(once, name)
		}
	}
	return once
}

// Resolve returns the agent that a name stands for: that of a level, else the name itself.
func (a *Agents) Resolve(name string) string {
	if !slices.Contains(levelNames[maxLevels], name) {
		return name
	}
	for _, l := range a.Levels() {
		if l.Name == name {
			return l.Agent
		}
	}
	return name
}

// Expand resolves several names, in which [All] stands for the bots that are not among the others.
func (a *Agents) Expand(names []string) (list []string) {
	for _, name := range names {
		if name != All {
			list = append(list, a.Resolve(name))
		}
	}
	if !slices.Contains(names, All) {
		return list
	}
	for _, name := range a.game.Bots().References {
		if !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// misnamed explains why a name stands for no bot, nor for anything else.
func (a *Agents) misnamed(name string, why error) error {
	game := a.game
	call, _, _ := strings.Cut(name, "(")
	var calls, heads []string
	for _, b := range game.Bots().Table {
		head, _, _ := strings.Cut(b.Call, "(")
		calls, heads = append(calls, b.Call), append(heads, head)
	}
	if slices.Contains(heads, call) { // it is a bot, with wrong numbers
		return &NameError{fmt.Errorf("agent %s: %w", name, why)}
	}
	names, more := a.Names(), forms
	if !a.sources.Levels {
		names = slices.DeleteFunc(names, func(name string) bool { return a.Resolve(name) != name })
	}
	if a.sources.Programs {
		more += programs
	}
	bots := ""
	if len(calls) > 0 {
		bots = " the bots " + strings.Join(calls, ", ") + ";"
	}
	return &NameError{fmt.Errorf("unknown agent %q of %s%s; there are %s;%s and %s (croupier help reference/agents)", name,
		game.Spec().Name, suggest.Hint(call, append(heads, names...)), strings.Join(names, ", "), bots, more)}
}

// levelNames name that many levels, weakest first.
var levelNames = map[int][]string{
	1: {"beginner"},
	2: {"beginner", "expert"},
	3: {"beginner", "advanced", "expert"},
	4: {"beginner", "casual", "advanced", "expert"},
	5: {"beginner", "casual", "regular", "advanced", "expert"},
}

const maxLevels = 5

// Level is an opponent by how strong it is.
type Level struct {
	Name     string // "beginner" … "expert"
	Agent    string
	Strength string // against its hardest opponent, with interval; empty if it is not known
}

// Levels returns the opponents at a game, weakest first: a beginner moves at random, the expert is
// the answer of a solver that comes with the program where there is one for the whole game, else
// the strongest agent of the recorded comparison, and between them are its other agents in their
// order there. Under rules that no agents have been compared under, the order of the bots is that
// under the usual ones.
func (a *Agents) Levels() []Level {
	ranked := a.ranking()
	if len(ranked) > maxLevels-1 {
		ranked = ranked[len(ranked)-(maxLevels-1):]
	}
	levels := []Level{{Agent: policy.RandomName}}
	levels = append(levels, ranked...)
	for i := range levels {
		levels[i].Name = levelNames[len(levels)][i]
	}
	if a.OnlyBots() {
		levels[len(levels)-1].Strength = NobodyStrong
	}
	return levels
}

// NobodyStrong is the note about rules under which there are only bots.
const NobodyStrong = "no strong agent knows these rules: no solution and no network covers them"

// Caution is what people must know before a game by rules under which there are only bots: that, and who gives the
// hints. It is "" under other rules.
func (a *Agents) Caution() string {
	if !a.OnlyBots() {
		return ""
	}
	return fmt.Sprintf("%s; hints come from the bot %s", NobodyStrong, a.StrongestBot())
}

// OnlyBots reports whether only bots play by the rules, though by others of the game a network or a solver does.
func (a *Agents) OnlyBots() bool {
	_, here, err := a.Compared()
	return err == nil && !here && !a.HasTrained() && a.expert() == ""
}

// ranking lists the opponents better than random, weakest first.
func (a *Agents) ranking() (ranked []Level) {
	here := append(a.References(), policy.RandomName)
	if s := a.expert(); s != "" {
		ranked = append(ranked, Level{Agent: s})
	}
	recorded, covered, err := a.Compared()
	if err != nil {
		return ranked
	}
	for _, r := range recorded.Agents {
		known := slices.Contains(here, r.Name) || covered && r.Name != Trained
		if !known || hopeless(r) || len(ranked) > 0 && ranked[0].Agent == r.Name {
			continue
		}
		level := Level{Agent: r.Name}
		if covered {
			level.Strength = recorded.Describe(r.Worst)
		}
		ranked = append(ranked, level)
	}
	slices.Reverse(ranked)
	return ranked
}

// hopeless reports whether an agent lost the same in every game against somebody: then it does
// worse than one that moves at random.
func hopeless(a catalog.Agent) bool { return a.Worst.Mean < 0 && a.Worst.Low == a.Worst.High }

// expert names the solver of the whole game that needs no time to answer it, "" without one.
func (a *Agents) expert() string {
	for _, s := range a.Solutions() {
		if !s.Part {
			return s.Agent
		}
	}
	return ""
}
