package web

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"croupier/engine"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/messages/presence"
)

// limits bound what a run can make the process remember.
type limits struct {
	points  int           // of one series
	series  int           // number of series
	name    int           // bytes of a series name
	roles   int           // present and gone
	goneFor time.Duration // how long a role is shown after its heartbeat expired
}

var defaultLimits = limits{points: 2000, series: 256, name: 128, roles: 2048, goneFor: 2 * time.Minute}

// learnerKey is the State key of the learning agent's newest weights.
var learnerKey = messages.PointerKey(messages.LearningAgent)

// sections are the feed versions at which each part of the model last changed.
type sections struct {
	run, league, ladder, roles uint64
}

// model is what is known about a run: a pure function of the messages and entries
// applied to it, without locks, clocks or I/O.
type model struct {
	limits      limits
	spec        *engine.Spec // of the game, whose coin amounts are shown in; nil: not known
	epoch       string       // changes whenever versions begin again
	version     uint64       // counts changes
	changed     sections
	series      map[string]*series
	connected   bool
	caughtUp    bool
	game        string
	config      string
	pointer     *messages.Pointer
	population  map[string]*messages.Member // by State key
	matchmaking *messages.Matchmaking
	ladder      *messages.Ladder
	roles       map[string]*Role // by Roles key
	refused     map[string]uint64
	goals       []string // that end the run, and how far off they are
	course      *Course
	ending      *Ending
}

// Reasons for which a point, document or heartbeat is refused.
const (
	refusedUndecodable = "undecodable"
	refusedNonFinite   = "non_finite"
	refusedLimit       = "limit"
)

func newModel(epoch string, spec *engine.Spec, limits limits) *model {
	return &model{
		limits:     limits,
		spec:       spec,
		epoch:      epoch,
		series:     map[string]*series{},
		population: map[string]*messages.Member{},
		roles:      map[string]*Role{},
		refused:    map[string]uint64{refusedUndecodable: 0, refusedNonFinite: 0, refusedLimit: 0},
	}
}

// touch begins a new version and stamps the section with it.
func (m *model) touch(section *uint64) {
	m.version++
	*section = m.version
}

func (m *model) setConnected(connected bool) {
	if m.connected != connected {
		m.connected = connected
		m.touch(&m.changed.run)
	}
}

func (m *model) end(e Ending) {
	m.ending = &e
	m.touch(&m.changed.run)
}

func (m *model) expect(goals []string) {
	if !slices.Equal(m.goals, goals) {
		m.goals = goals
		m.touch(&m.changed.run)
	}
}

func (m *model) setCourse(c *Course) {
	if !m.course.near(c) {
		m.course = c
		m.touch(&m.changed.run)
	}
}

func (m *model) setCaughtUp() {
	if !m.caughtUp {
		m.caughtUp = true
		m.touch(&m.changed.run)
	}
}

// forgetCurves starts the curves over under a new epoch.
func (m *model) forgetCurves(epoch string) {
	m.epoch = epoch
	m.caughtUp = false
	clear(m.series)
	m.touch(&m.changed.run)
}

// applyPoints adds the points of a Curves message. Points that cannot be shown are
// left out and counted; the error says that the whole message was.
func (m *model) applyPoints(data []byte) error {
	var msg messages.Points
	if err := messages.Decode(data, &msg); err != nil {
		m.refused[refusedUndecodable]++
		return fmt.Errorf("points: %w", err)
	}
	m.addPoints(&msg)
	return nil
}

func (m *model) addPoints(msg *messages.Points) {
	m.version++
	msg = msg.InCoin(m.spec)
	for _, p := range msg.Points {
		if reason := m.applyPoint(msg, p); reason != "" {
			m.refused[reason]++
		}
	}
}

func (m *model) applyPoint(msg *messages.Points, p *messages.Point) (refused string) {
	if !finite(p.Value) || !finite(msg.Seconds) {
		return refusedNonFinite
	}
	name := seriesOf(msg.Source, p.Series)
	s, known := m.series[name]
	if !known {
		if len(m.series) >= m.limits.series || p.Series == "" || len(name) > m.limits.name {
			return refusedLimit
		}
		s = newSeries(m.limits.points)
		m.series[name] = s
	}
	point := Point{Seconds: msg.Seconds, Samples: float64(msg.Samples), Value: p.Value}
	if p.HasInterval && finite(p.Low) && finite(p.High) {
		point.Low, point.High, point.HasInterval = p.Low, p.High, true
	}
	s.push(point, m.version)
	return ""
}

// seriesOf names a curve of a source: curves of the learners of agents other than the main one have the source before
// their name, as in "learner-exploiter/entropy".
func seriesOf(source, series string) string {
	if strings.HasPrefix(source, messages.LearnerRole+"-") {
		return source + "/" + series
	}
	return series
}

// finite says whether a value is a number that a float32 holds.
func finite(v float64) bool { return math.Abs(v) <= math.MaxFloat32 }

// applyState takes over a State entry. A document that cannot be read leaves the
// previous one in place.
func (m *model) applyState(entry bus.Entry) error {
	err := m.stateSection(entry)
	if err != nil {
		m.refused[refusedUndecodable]++
		return fmt.Errorf("state %q: %w", entry.Key, err)
	}
	return nil
}

func (m *model) stateSection(entry bus.Entry) (err error) {
	switch {
	case entry.Key == messages.ConfigKey:
		m.config, m.game = string(entry.Value), gameOf(entry.Value)
		m.touch(&m.changed.run)
	case entry.Key == learnerKey:
		err = replace(entry, &m.pointer, &messages.Pointer{})
		m.touch(&m.changed.run)
	case entry.Key == messages.MatchmakingKey(messages.LearningAgent):
		err = replace(entry, &m.matchmaking, &messages.Matchmaking{})
		m.touch(&m.changed.league)
	case entry.Key == messages.LadderKey:
		var ladder *messages.Ladder
		if entry.Value != nil {
			ladder, err = messages.ParseLadder(entry.Value)
		}
		if err == nil {
			m.setLadder(ladder)
		}
	case strings.HasPrefix(entry.Key, messages.MemberPrefix):
		var member *messages.Member
		if err = replace(entry, &member, &messages.Member{}); err == nil {
			m.setMember(entry.Key, member)
		}
	}
	return err
}

// replace decodes the entry and stores the message, or nil for a deleted entry.
func replace[M messages.Message](entry bus.Entry, into *M, decoded M) error {
	var none M
	if entry.Value == nil {
		*into = none
		return nil
	}
	if err := messages.Decode(entry.Value, decoded); err != nil {
		return err
	}
	*into = decoded
	return nil
}

// setLadder also takes the game's name from the ladder while no config has told it.
func (m *model) setLadder(ladder *messages.Ladder) {
	m.ladder = ladder.InCoin(m.spec)
	m.touch(&m.changed.ladder)
	if m.game == "" && ladder != nil {
		m.game = ladder.Game
		m.touch(&m.changed.run)
	}
}

func (m *model) setMember(key string, member *messages.Member) {
	if member == nil {
		delete(m.population, key)
	} else {
		m.population[key] = member
	}
	m.touch(&m.changed.league)
}

// gameOf reads the run's game from its effective config; "" where there is none.
func gameOf(config []byte) string {
	var head struct {
		Game string `yaml:"game"`
	}
	if yaml.Unmarshal(config, &head) != nil {
		return ""
	}
	return head.Game
}

// applyRole takes over a heartbeat, or marks a role gone whose heartbeat expired. Leases are
// passed over.
func (m *model) applyRole(entry bus.Entry, now time.Time) error {
	if strings.HasPrefix(entry.Key, messages.LeasePrefix) {
		return nil // the holder has a heartbeat as well
	}
	role, known := m.roles[entry.Key]
	if entry.Value == nil {
		if known && role.Gone.IsZero() {
			gone := *role
			gone.Gone = now
			m.roles[entry.Key] = &gone
			m.touch(&m.changed.roles)
		}
		return nil
	}
	heartbeat, err := presence.Read(entry.Key, entry.Value)
	if err != nil {
		m.refused[refusedUndecodable]++
		return err
	}
	if !known && len(m.roles) >= m.limits.roles {
		m.refused[refusedLimit]++
		return nil
	}
	m.roles[entry.Key] = &Role{Heartbeat: heartbeat, Seen: now}
	m.touch(&m.changed.roles)
	return nil
}

// prune forgets roles that have been gone for long enough.
func (m *model) prune(now time.Time) {
	for key, role := range m.roles {
		if !role.Gone.IsZero() && now.Sub(role.Gone) >= m.limits.goneFor {
			delete(m.roles, key)
			m.touch(&m.changed.roles)
		}
	}
}

// title is what people call the game.
func (m *model) title() string {
	if m.spec == nil {
		return m.game
	}
	return m.spec.Title
}

// snapshot returns an immutable view.
func (m *model) snapshot(run string) *Snapshot {
	s := &Snapshot{
		Run:         run,
		Game:        m.game,
		Title:       m.title(),
		Connected:   m.connected,
		CaughtUp:    m.caughtUp,
		Config:      m.config,
		Newest:      m.pointer,
		Matchmaking: m.matchmaking,
		Ladder:      m.ladder,
		Goals:       m.goals,
		Course:      m.course,
		Ending:      m.ending,
		Population:  slices.Collect(maps.Values(m.population)),
		Roles:       make([]*Role, 0, len(m.roles)),
		position:    position{m.epoch, m.version},
		changed:     m.changed,
	}
	slices.SortFunc(s.Population, func(a, b *messages.Member) int {
		return compareThen(a.Order, b.Order, a.Name, b.Name)
	})
	for _, key := range slices.Sorted(maps.Keys(m.roles)) {
		s.Roles = append(s.Roles, m.roles[key])
	}
	for _, name := range slices.Sorted(maps.Keys(m.series)) {
		s.Series = append(s.Series, m.series[name].view(name))
	}
	return s
}
