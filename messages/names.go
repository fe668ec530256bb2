package messages

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// MaxToken is the greatest length of a token in bytes.
const MaxToken = 64

// CheckToken reports what is wrong with a name that has to be a token: 1..MaxToken
// ASCII letters, digits, "-" and "_": more is not possible in every subject and stream of NATS.
func CheckToken(s string) error {
	if s == "" {
		return errors.New("empty name")
	}
	if len(s) > MaxToken {
		return fmt.Errorf("name %q… has %d bytes, the limit is %d", s[:16], len(s), MaxToken)
	}
	for i := 0; i < len(s); i++ {
		if !tokenByte(s[i]) {
			return fmt.Errorf("name %q: only ASCII letters, digits, \"-\" and \"_\" are possible", s)
		}
	}
	return nil
}

func tokenByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '_'
}

// LearningAgent is the main agent: the one that is to become good, for which others that a run may have learn to
// find its weaknesses. The frozen versions of all of them are members of the population, see [MemberName].
const LearningAgent = "main"

// Roles of processes, as keys, locks and logs name them. Learner and league publish curves
// under their role as the subject.
const (
	BrokerRole  = "broker"
	LearnerRole = "learner"
	ActorRole   = "actor"
	LeagueRole  = "league"
	WebRole     = "web"
	PeerRole    = "peer"    // a learner that computes a share of another's work
	AuditRole   = "audit"   // a part of the learner's process
	ArchiveRole = "archive" // another one
	ArenaRole   = "arena"   // a process that holds a tournament on the actors of a run
	SweepRole   = "sweep"   // hands out the trainings of a sweep
	SweeperRole = "sweeper" // does trainings of sweeps for others
)

// RefusedShare is the value in the learner's heartbeat that says which share, 0..1, of the
// batches that it took since the beat before was refused or not read. What waits for it is to
// be counted with that in mind: a flood that is thrown away is no reason to stop playing.
const RefusedShare = "refused_share"

// Workers is the value in an actor's heartbeat that says how many workers it has.
const Workers = "workers"

// Troubles is the value in a learner's or league's heartbeat that counts what it cannot do just now; its state
// says it in words.
const Troubles = "troubles"

// WithoutGames is the value in a learner's heartbeat that says for how many seconds it has waited without a game
// having come.
const WithoutGames = "seconds_without_games"

// Values in the league's heartbeat while it rates the newest version at the end of a run.
const (
	RatingPlayed  = "rating_played"  // games
	RatingLeft    = "rating_left"    // games, at most
	RatingSeconds = "rating_seconds" // since its beginning
)

// Durable consumers: the actors' common place in Matches and in Contests, and the archive's in Kept. In Experience
// each learner has its own, LearnerOf, by which actors see whether it keeps up.
const (
	ArenaConsumer   = "arena"
	ArchiveConsumer = "archive"
)

// Purposes of game seeds (engine.GameSeed).
const ArenaPurpose = "arena"

// TrainPurpose is the purpose of an actor's training games.
func TrainPurpose(actor string) string { return "train/" + actor }

// Keys of the State bucket that exist once. The others have a prefix, which is
// also what to watch for all of them.
const (
	ConfigKey  = "config"  // the run's effective configuration, YAML
	LadderKey  = "ladder"  // the ladder, JSON
	SetbackKey = "setback" // the main agent's newest Setback, JSON
	SchemaKey  = "schema"  // the schema in which all write, decimal; absent: the oldest

	PointerPrefix    = "agent."      // a Pointer for each learning agent
	MemberPrefix     = "population." // a Member for each frozen version
	PromotionPrefix  = "promotion."  // a Promotion, JSON, for each change of the best
	LedgerPrefix     = "ledger."     // a Ledger for each worker of an actor and agent, see LedgerKey
	ResetPrefix      = "reset."      // a Reset, JSON, for each agent that begins again
	QuarantinePrefix = "aside."      // a conduct.Quarantine, JSON, for each actor that is quarantined
	AssignedPrefix   = "matches."    // matches for one actor by name, JSON, see AssignedKey
)

// FigurePrefix and a figure's name are the learning curve of it.
const FigurePrefix = "figure/"

// PointerKey is the State key of a learning agent's newest weights.
func PointerKey(agent string) string { return PointerPrefix + agent }

// MemberKey is the State key of a frozen version.
func MemberKey(agent string, number uint64) string {
	return MemberPrefix + agent + "-" + strconv.FormatUint(number, 10)
}

// PromotionKey is the State key of a promotion.
func PromotionKey(number uint64) string {
	return PromotionPrefix + strconv.FormatUint(number, 10)
}

// QuarantineKey is the State key that says that an actor is quarantined.
func QuarantineKey(actor string) string { return QuarantinePrefix + actor }

// WorkerName names a worker of an actor: the actor's id, a part without "-" that is unique to
// each start of its process, and the worker's number. Batches are numbered by worker.
func WorkerName(actor, start string, number int) string {
	return actor + "-" + start + "-" + strconv.Itoa(number)
}

// ActorOf returns the id of the actor to which a worker belongs: it is the subject of what
// the worker publishes, to which the broker's permissions bind an actor. A name in fewer
// parts than those of WorkerName is an actor's own.
func ActorOf(worker string) string {
	parts := strings.Split(worker, "-")
	if len(parts) < 3 {
		return worker
	}
	return strings.Join(parts[:len(parts)-2], "-")
}

// LeasePrefix begins the Roles keys of leases (package lease); all other keys of that bucket are
// heartbeats.
const LeasePrefix = "lease."

// LeaseKey is the Roles key of the lease of a role that may exist once.
func LeaseKey(role string) string { return LeasePrefix + role }

// RoleKey is the Roles key of a process: its role and its id.
func RoleKey(role, id string) string { return role + "." + id }

// MemberName names a frozen version of a learning agent: "main@12".
func MemberName(agent string, number uint64) string {
	return agent + "@" + strconv.FormatUint(number, 10)
}

// ParseMemberName splits "main@12". It reports false for any other form of name.
func ParseMemberName(name string) (agent string, number uint64, ok bool) {
	agent, digits, found := strings.Cut(name, "@")
	number, err := strconv.ParseUint(digits, 10, 64)
	if !found || err != nil || CheckToken(agent) != nil || name != MemberName(agent, number) {
		return "", 0, false
	}
	return agent, number, true
}

// LeaderSubject and PeersSubject are the subjects to which the peers of an agent's group tell its leader, and the
// leader them. PeerSubject is that to which it tells one of them.
func LeaderSubject(agent string) string     { return "group." + agent + ".leader" }
func PeersSubject(agent string) string      { return "group." + agent + ".peers" }
func PeerSubject(agent, peer string) string { return "group." + agent + ".peer." + peer }

// ReportsSubject and OrdersSubject are the subjects on which a worker of sweeps tells all sweeps what it does, and they
// tell it what to do.
func ReportsSubject(worker string) string { return "sweep." + worker + ".reports" }
func OrdersSubject(worker string) string  { return "sweep." + worker + ".orders" }

// BacklogSubject is the subject to which an agent's learner reports to the actors how much experience waits for it.
func BacklogSubject(agent string) string { return "backlog." + agent }

// LivePrefix begins the object names of an agent's published weights.
func LivePrefix(agent string) string { return "live/" + agent + "/" }

// LiveObject names published weights by agent, version and SHA-256 of the file.
func LiveObject(agent string, version uint64, sha256 [32]byte) string {
	return LivePrefix(agent) + strconv.FormatUint(version, 10) + "-" + hex.EncodeToString(sha256[:8])
}

// ParseLiveObject returns agent and version of published weights. It reports false
// for the names of other objects.
func ParseLiveObject(name string) (agent string, version uint64, ok bool) {
	parts := strings.Split(name, "/")
	if len(parts) != 3 || parts[0] != "live" || CheckToken(parts[1]) != nil {
		return "", 0, false
	}
	digits, hash, _ := strings.Cut(parts[2], "-")
	version, err := strconv.ParseUint(digits, 10, 64)
	if sum, bad := hex.DecodeString(hash); err != nil || bad != nil || len(sum) != 8 {
		return "", 0, false
	}
	return parts[1], version, true
}

// GameObject names the file of the run's game by its SHA-256 in hexadecimal digits.
func GameObject(sha256 string) string { return "game/" + sha256 }

// MemberObjects begins the object names of frozen versions.
const MemberObjects = "population/"

// MemberObject names the weights of a frozen version.
func MemberObject(agent string, number uint64, sha256 [32]byte) string {
	return fmt.Sprintf(MemberObjects+"%s-%d-%x", agent, number, sha256[:8])
}

// ParseMemberObject returns agent and number of a frozen version from the name of its weights. It reports
// false for the names of other objects.
func ParseMemberObject(name string) (agent string, number uint64, ok bool) {
	rest, found := strings.CutPrefix(name, MemberObjects)
	parts := strings.Split(rest, "-")
	if !found || len(parts) < 3 {
		return "", 0, false
	}
	last := len(parts) - 1
	agent = strings.Join(parts[:last-1], "-")
	number, err := strconv.ParseUint(parts[last-1], 10, 64)
	if sum, bad := hex.DecodeString(parts[last]); err != nil || bad != nil || len(sum) != 8 || CheckToken(agent) != nil {
		return "", 0, false
	}
	return agent, number, true
}
