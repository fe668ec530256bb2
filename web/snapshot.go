package web

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"croupier/messages"
	"croupier/messages/presence"
)

// Role is the last heartbeat of a role. It is immutable.
type Role struct {
	presence.Heartbeat
	Seen time.Time // when the feed got the heartbeat
	Gone time.Time // when it expired; zero while the role is there
}

// Rates are sums over the actors that are there.
type Rates struct {
	Games     float64 // per second
	Decisions float64 // per second
}

// Ending says how a run has ended.
type Ending struct {
	State   string    `json:"state"` // "ended", or "interrupted": its process was killed
	At      time.Time `json:"at"`
	Seconds float64   `json:"seconds"`        // of training
	Best    string    `json:"best,omitempty"` // agent, if one has passed the gate
	// Note says what is not shown, and why.
	Note string `json:"note,omitempty"`
}

// Course says when the work at a run began, and when it will be over.
type Course struct {
	Began time.Time `json:"began"`
	// Ends is when the training ends, as far as is known; zero where it has no end.
	Ends time.Time `json:"ends,omitzero"`
	// Done is when the last rating is over at the latest; zero where the training has no end.
	Done time.Time `json:"done,omitzero"`
}

// courseStep is by how much an estimate of a time must move to be told again.
const courseStep = 2 * time.Second

// near says whether two courses differ too little to be told apart.
func (c *Course) near(other *Course) bool {
	if c == nil || other == nil {
		return c == other
	}
	near := func(a, b time.Time) bool { return a.IsZero() == b.IsZero() && a.Sub(b).Abs() < courseStep }
	return near(c.Began, other.Began) && near(c.Ends, other.Ends) && near(c.Done, other.Done)
}

// Snapshot is what is known of a run at one moment. It is immutable and all its
// parts belong together.
type Snapshot struct {
	Run         string
	Game        string                // "" until the config or the ladder is known
	Title       string                // of the game, for people; its name where nothing else is known
	Connected   bool                  // whether the broker can be reached
	CaughtUp    bool                  // whether the curves' history and the present state have been read
	Config      string                // the run's effective config, YAML
	Newest      *messages.Pointer     // newest published weights, or nil
	Matchmaking *messages.Matchmaking // or nil
	Ladder      *messages.Ladder      // or nil before the first rating
	Population  []*messages.Member    // in the order of joining
	Roles       []*Role               // by kind, then ID; with those gone lately
	Series      []Series              // by name
	Goals       []string              // that end the run, and how far off they are, each in words
	Course      *Course               // of the process that trains; nil if it is another one
	Ending      *Ending               // nil while the run continues

	position position
	changed  sections
}

// Find returns the learning curve of this name.
func (s *Snapshot) Find(series string) (Series, bool) {
	i, found := slices.BinarySearchFunc(s.Series, series, func(v Series, name string) int {
		return strings.Compare(v.Name, name)
	})
	if !found {
		return Series{}, false
	}
	return s.Series[i], true
}

// Latest returns the newest value of a learning curve.
func (s *Snapshot) Latest(series string) (Point, bool) {
	found, ok := s.Find(series)
	if !ok {
		return Point{}, false
	}
	return found.Latest(), true
}

// Rates sums the actors' heartbeats.
func (s *Snapshot) Rates() Rates {
	var sum Rates
	for _, role := range s.Roles {
		if role.Role == messages.ActorRole && role.Gone.IsZero() {
			sum.Games += role.Values["games_per_second"]
			sum.Decisions += role.Values["decisions_per_second"]
		}
	}
	return sum
}

// Stage returns the stage of the curriculum that the learner says it is in, from 1, and
// how many there are; 0 of 0 without a curriculum.
func (s *Snapshot) Stage() (stage, stages int) {
	for _, role := range s.Roles {
		if role.Role == messages.LearnerRole && role.Gone.IsZero() {
			return int(role.Values["stage"]), int(role.Values["stages"])
		}
	}
	return 0, 0
}

// LastRating is how far the rating of the newest version has come at the end of a run.
type LastRating struct {
	Played float64       // games
	Left   float64       // games, at most
	Time   time.Duration // that is left, estimated; negative if nothing is known
}

// LastRating returns how far the last rating has come, nil before it.
func (s *Snapshot) LastRating() *LastRating {
	for _, role := range s.Roles {
		left, rates := role.Values[messages.RatingLeft]
		if role.Role != messages.LeagueRole || !role.Gone.IsZero() || !rates {
			continue
		}
		r := &LastRating{Played: role.Values[messages.RatingPlayed], Left: left, Time: -1}
		if seconds := role.Values[messages.RatingSeconds]; r.Played > 0 && seconds > 0 {
			r.Time = time.Duration(seconds * left / r.Played * float64(time.Second))
		}
		return r
	}
	return nil
}

// position is a place in the sequence of a feed's changes.
type position struct {
	epoch   string
	version uint64
}

func (p position) String() string {
	return p.epoch + "." + strconv.FormatUint(p.version, 10)
}

// parsePosition reads what String wrote; anything else is the beginning.
func parsePosition(text string) position {
	epoch, version, _ := strings.Cut(text, ".")
	number, err := strconv.ParseUint(version, 10, 64)
	if err != nil {
		return position{}
	}
	return position{epoch, number}
}

// compareThen orders by a first, then by a second pair.
func compareThen[A, B cmp.Ordered](a1, a2 A, b1, b2 B) int {
	return cmp.Or(cmp.Compare(a1, a2), cmp.Compare(b1, b2))
}
