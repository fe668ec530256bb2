package league

import (
	"cmp"
	"math"
	"slices"
	"time"

	"croupier/internal/strict"
	"croupier/league/rating"
)

// Config holds what shapes the population, the matchmaking and the arena of a run.
type Config struct {
	// Agents are the learning agents; none means the main agent alone. See Learning.
	Agents []Agent `yaml:"agents,omitempty"`

	// FreezeUpdates is the number of learner updates between two frozen versions.
	// The first weights are frozen at once, and the first gaps are shorter: after
	// member k < 6 they are FreezeUpdates / 2^(6-k), so that curves begin early.
	FreezeUpdates uint64 `yaml:"freeze_updates"`
	// Population is the number of newest members that are active.
	Population int `yaml:"population"`
	// LadderMembers is the number of newest members with results that are rated.
	// The best is rated in any case.
	LadderMembers int `yaml:"ladder_members"`
	// KeepMembers is the number of newest members all of whose weights are kept; of the older ones
	// half as many for each doubling of their age. It keeps promotions by the same rule.
	KeepMembers uint64 `yaml:"keep_members"`

	// SelfPlay is the share of training games in which the learner has all seats.
	SelfPlay float64 `yaml:"self_play"`
	// PriorityPower is p in an opponent's weight (1 - win rate)^p. 0 is uniform.
	PriorityPower float64 `yaml:"priority_power"`
	// Pool is the number of newest members the learner trains against.
	Pool int `yaml:"pool"`
	// History is the number of older members, the hardest of them, that it trains against as well.
	History int `yaml:"history"`
	// Opponents, unless empty, play the other seats of all training games, instead of those above and of the learner
	// itself: agents that do not learn, by name, each as often as the others. Files are read by actors in the process
	// of croupier train alone.
	Opponents []string `yaml:"opponents,omitempty"`
	// References are on the run's ladder as the game's own references are: agents that do not change
	// while the run lasts, by name. Files are read as those of Opponents.
	References []string `yaml:"references,omitempty"`
	// TrainOnReferences adds the reference agents to the pool.
	TrainOnReferences bool `yaml:"train_on_references"`

	// Outstanding is the greatest number of matches without a result; fewer where the actors have fewer workers.
	Outstanding int `yaml:"outstanding"`
	// MatchSets is the number of sets of a match: enough to fill the tables of a
	// worker, few enough for a match to end well within the broker's lease.
	MatchSets uint64 `yaml:"match_sets"`
	// ReferenceSets is the number of sets between the newest member and each
	// reference (then its curve point is published), and between two references.
	ReferenceSets uint64 `yaml:"reference_sets"`
	// GateSets is the fewest sets, GateMaxSets the most, in which the gate decides whether the
	// newest member is better than the best. They do not count in ratings.
	GateSets    uint64 `yaml:"gate_sets"`
	GateMaxSets uint64 `yaml:"gate_max_sets"`
	// GateGain is what "better" means, in standard deviations of a set: 0.05 are about 12 Elo
	// in a game for two.
	GateGain float64 `yaml:"gate_gain"`
	// GateError is the probability that a member which is not better passes, and that one
	// which is better by GateGain fails before GateMaxSets.
	GateError float64 `yaml:"gate_error"`
	// SetbackLoss is by how much versions in succession must be weaker than the best, in standard
	// deviations of a set, for training to go back to it: 0.3 are about 70 Elo in a game for two. 0: never.
	SetbackLoss float64 `yaml:"setback_loss"`
	// SetbackError is the greatest probability, at each version, that this happens although none is weaker.
	SetbackError float64 `yaml:"setback_error"`
	// FinalSets is what ReferenceSets becomes for the last version of a run, and for one that
	// seems to have regressed against a reference.
	FinalSets uint64 `yaml:"final_sets"`
	// MaxSets bounds the sets of a pair that are played because it is uncertain.
	MaxSets uint64 `yaml:"max_sets"`
	// Aim is what these are to make certain: matrix, top or gate.
	Aim rating.Aim `yaml:"aim"`
	// Precision in Elo, for games that are won or lost: a pair whose rating difference is
	// known to ± this (95 %) is certain enough.
	Precision float64 `yaml:"precision"`
	// MoneyPrecision is Precision for games for money, in the game's unit per game.
	MoneyPrecision float64 `yaml:"money_precision"`
	// Tables is the number of other tables, at most, at which the best version of a family of rules is measured: the
	// presets first. 0: at none.
	Tables int `yaml:"tables"`
	// TableGames is the number of games of a version at each of them, among copies of the strongest bot.
	TableGames uint64 `yaml:"table_games"`
	// MatchTimeout is the time after which a match without a result is published
	// again. It must exceed the broker's lease times its number of deliveries, or
	// matches are played twice in vain (the second result is refused).
	MatchTimeout time.Duration `yaml:"match_timeout"`

	// CurveNodes is the greatest number of nodes of a game's tree on which every version of the main agent is measured
	// exactly. Of larger games there is no curve of exploitability: each version would take longer than it lasts.
	CurveNodes int `yaml:"curve_nodes"`

	// JournalBytes is how large the league's journal becomes, or as large as its snapshot if that is
	// more, before a new snapshot takes its place and the broker may forget the results in it.
	JournalBytes int64 `yaml:"journal_bytes"`
	// ResultBytes is how many bytes of results the broker may come to hold before the same is done: results
	// that are refused leave little in the journal. It should be well below what the stream takes.
	ResultBytes int64 `yaml:"result_bytes"`
}

// earlyMembers is the number of the first member that waits for all of FreezeUpdates.
const earlyMembers = 6

// DefaultConfig returns the defaults.
func DefaultConfig() Config {
	return Config{
		FreezeUpdates: 200,
		Population:    24,
		LadderMembers: 64,
		KeepMembers:   64, // 287 of 8,000, and as many as that who were best

		SelfPlay:      0.8, // as OpenAI Five (Berner et al. 2019, section 3.1)
		PriorityPower: 2,   // "hard" of AlphaStar (Vinyals et al. 2019, methods)
		Pool:          16,

		Outstanding:    8,
		MatchSets:      rating.DefaultMatchSets,
		ReferenceSets:  100,
		GateSets:       100,
		GateMaxSets:    6000, // the test takes 2,400 on average at a gain of 0 or of GateGain
		GateGain:       0.05,
		GateError:      0.05,
		SetbackLoss:    0.3,
		SetbackError:   1e-6,    // once in a million versions
		CurveNodes:     100_000, // some 0.2 s for each version
		FinalSets:      700,     // 2,100 games of a lineup with three seats
		MaxSets:        1000,
		Aim:            rating.AimMatrix,
		Precision:      25,
		MoneyPrecision: 0.05,
		Tables:         8,
		TableGames:     400,
		MatchTimeout:   3 * time.Minute,

		JournalBytes: 4 << 20,   // some thousand results
		ResultBytes:  256 << 20, // a quarter of the stream
	}
}

// Validate names the first wrong setting.
func (c Config) Validate() error {
	for _, n := range []struct {
		key   string
		value uint64
		most  uint64
	}{
		{"freeze_updates", c.FreezeUpdates, math.MaxInt32},
		{"population", asCount(c.Population), 1000},
		{"ladder_members", asCount(c.LadderMembers), 1000},
		{"keep_members", c.KeepMembers, math.MaxInt32},
		{"pool", asCount(c.Pool), 1000},
		{"outstanding", asCount(c.Outstanding), 10000},
		{"match_sets", c.MatchSets, rating.MaxMatchSets},
		{"reference_sets", c.ReferenceSets, rating.MaxPairSets},
		{"gate_sets", c.GateSets, rating.MaxPairSets},
		{"gate_max_sets", c.GateMaxSets, rating.MaxPairSets},
		{"final_sets", c.FinalSets, rating.MaxPairSets},
		{"max_sets", c.MaxSets, rating.MaxPairSets},
		{"table_games", c.TableGames, rating.MaxPairSets},
		{"curve_nodes", asCount(c.CurveNodes), maxCurveNodes},
		{"journal_bytes", uint64(c.JournalBytes), 1 << 40},
		{"result_bytes", uint64(c.ResultBytes), 1 << 40},
	} {
		if n.value < 1 || n.value > n.most {
			return strict.Errorf(n.key, "must be a whole number in 1..%d", n.most)
		}
	}
	switch {
	case c.Tables < 0 || c.Tables > 100:
		return strict.Errorf("tables", "must be a whole number in 0..100")
	case c.History < 0 || c.History > 1000:
		return strict.Errorf("history", "must be a whole number in 0..1000")
	case !(c.SelfPlay >= 0 && c.SelfPlay <= 1):
		return strict.Errorf("self_play", "%v is not in 0..1", c.SelfPlay)
	case !(c.PriorityPower >= 0 && c.PriorityPower <= 100):
		return strict.Errorf("priority_power", "%v is not in 0..100", c.PriorityPower)
	case c.Aim != rating.AimMatrix && c.Aim != rating.AimTop && c.Aim != rating.AimGate:
		return strict.Errorf("aim", "%.40q is not one of %s, %s and %s", c.Aim, rating.AimMatrix, rating.AimTop, rating.AimGate)
	case !(c.Precision > 0 && c.Precision <= 10000):
		return strict.Errorf("precision", "%v is not in 0..10000 (Elo), 0 excluded", c.Precision)
	case !(c.MoneyPrecision > 0 && c.MoneyPrecision <= 10000):
		return strict.Errorf("money_precision", "%v is not in 0..10000 (of the game's unit), 0 excluded", c.MoneyPrecision)
	case !(c.GateGain > 0 && c.GateGain <= 1):
		return strict.Errorf("gate_gain", "%v is not in 0..1 (standard deviations of a set), 0 excluded", c.GateGain)
	case !(c.GateError > 0 && c.GateError < 0.5):
		return strict.Errorf("gate_error", "%v is not a probability between 0 and 0.5", c.GateError)
	case !(c.SetbackLoss >= 0 && c.SetbackLoss <= 10):
		return strict.Errorf("setback_loss", "%v is not in 0..10 (standard deviations of a set)", c.SetbackLoss)
	case !(c.SetbackError > 0 && c.SetbackError < 0.5):
		return strict.Errorf("setback_error", "%v is not a probability between 0 and 0.5", c.SetbackError)
	case c.GateMaxSets < c.GateSets:
		return strict.Between("gate_max_sets", "gate_sets", "%d is less than gate_sets, %d", c.GateMaxSets, c.GateSets)
	case c.FinalSets < c.ReferenceSets:
		return strict.Between("final_sets", "reference_sets", "%d is less than reference_sets, %d", c.FinalSets,
			c.ReferenceSets)
	case c.MatchTimeout <= 0:
		return strict.Errorf("match_timeout", "%v is not positive", c.MatchTimeout)
	}
	if err := cmp.Or(validateFixed("opponents", c.Opponents), validateFixed("references", c.References)); err != nil {
		return err
	}
	return validateAgents(c.Agents)
}

// validateFixed names the first wrong one of the agents in a field. Whether there are such agents is not known here.
func validateFixed(field string, names []string) error {
	if len(names) > maxFixed {
		return strict.Errorf(field, "%d, at most %d are possible", len(names), maxFixed)
	}
	for i, name := range names {
		if name == "" || slices.Index(names, name) != i {
			return strict.Errorf(strict.Element(field, i), "%q is empty or named twice", name)
		}
	}
	return nil
}

// maxCurveNodes is the greatest number of nodes of a tree: some 10 GB of memory.
const maxCurveNodes = 100_000_000

// maxFixed is the greatest number of opponents, and of references, that are named in the settings.
const maxFixed = 64

// gate returns the gate's test.
func (c Config) gate() rating.Sequential {
	return rating.Sequential{Gain: c.GateGain, Error: c.GateError, Least: c.GateSets, Most: c.GateMaxSets}
}

// asCount makes a negative count one that is out of any bounds.
func asCount(n int) uint64 { return uint64(int64(n)) }

// freezeGap is the number of updates after which member number k is followed by
// the next.
func (c Config) freezeGap(k uint64) uint64 {
	if k >= earlyMembers {
		return c.FreezeUpdates
	}
	return max(1, c.FreezeUpdates>>(earlyMembers-k))
}
