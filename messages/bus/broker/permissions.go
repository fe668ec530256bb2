package broker

import (
	"slices"
	"strings"

	"croupier/messages"
)

// grant is what a key may do, in subjects of NATS. Whatever is not in it the broker refuses.
type grant struct {
	publish   []string // one answer at most comes to each
	ask       []string // many answers can come
	subscribe []string
}

// announcements is before the subjects on which a stream says what it has stored.
const announcements = "stored."

// names are how the parts of a run are called on the broker.
type names struct{ run string }

func (n names) stream(name string) string { return "CROUPIER_" + n.run + "_" + name }

func (n names) subject(stream, of string) string {
	return "croupier." + n.run + "." + stream + "." + of
}

// datagram is the subject of datagrams, which are not stored.
func (n names) datagram(of string) string { return n.subject("told", of) }

func (n names) state(key string) string { return "$KV." + n.stream("STATE") + "." + key }
func (n names) role(key string) string  { return "$KV." + n.stream("ROLES") + "." + key }
func (n names) objectStream() string    { return "OBJ_" + n.stream("OBJECTS") }

// streams lists the streams of a run, buckets included.
func (n names) streams() []string {
	return []string{
		n.stream("EXPERIENCE"), n.stream("KEPT"), n.stream("MATCHES"), n.stream("RESULTS"), n.stream("CURVES"),
		n.stream("CONTESTS"), n.stream("OUTCOMES"),
		"KV_" + n.stream("STATE"), "KV_" + n.stream("ROLES"), n.objectStream(),
	}
}

// inbox is the subjects at which a key gets its answers. No other key can listen there.
func inbox(name string) string { return "_INBOX_" + name + ".>" }

// grantOf lists what a key may do. Nil is everything.
func grantOf(run string, k Key) *grant {
	n := names{run}
	g := &grant{subscribe: []string{inbox(k.Name)}}
	switch k.Role { // these know no streams
	case messages.SweepRole:
		g.publish = append(g.publish, n.datagram(messages.OrdersSubject("*")))
		g.subscribe = append(g.subscribe, n.datagram(messages.ReportsSubject("*")))
		return g
	case messages.SweeperRole:
		g.publish = append(g.publish, n.datagram(messages.ReportsSubject(k.Name)))
		g.subscribe = append(g.subscribe, n.datagram(messages.OrdersSubject(k.Name)))
		return g
	}
	for _, stream := range n.streams() {
		g.publish = append(g.publish, "$JS.API.STREAM.INFO."+stream)
	}
	switch k.Role {
	case messages.ActorRole:
		g.play(n, k.Name)
		g.serveMatches(n, k.Name)
	case ContributorRole:
		g.play(n, k.Name)
	case LeafRole: // for all the actors of its site
		g.play(n, "*")
		g.serveMatches(n, "*")
	case messages.ArenaRole:
		g.hold(n)
	case messages.PeerRole:
		g.share(n)
	case messages.WebRole:
		g.watch(n)
		g.publish = append(g.publish, n.role(messages.WebRole+".*"))
	case messages.LeagueRole:
		g.lead(n)
	case messages.LearnerRole:
		g.learn(n)
	default:
		return nil
	}
	return g
}

// read allows to read a stream or bucket.
func (g *grant) read(subjects string, stream string) {
	g.ask = append(g.ask, "$JS.API.DIRECT.GET."+stream)
	g.publish = append(g.publish, "$JS.API.DIRECT.GET."+stream+".>", "$JS.API.STREAM.MSG.GET."+stream)
	g.subscribe = append(g.subscribe, subjects, announcements+subjects)
}

// fetch allows to take messages from a consumer and to acknowledge them.
func (g *grant) fetch(stream, consumer string) {
	of := stream + "." + consumer
	g.ask = append(g.ask, "$JS.API.CONSUMER.MSG.NEXT."+of)
	g.publish = append(g.publish, "$JS.API.CONSUMER.INFO."+of, "$JS.ACK."+of+".>")
}

// play is for actors, which play training games: its own experience and heartbeat.
func (g *grant) play(n names, id string) {
	g.read(n.state(">"), "KV_"+n.stream("STATE"))
	g.subscribe = append(g.subscribe, n.datagram(messages.BacklogSubject("*"))) // whether the learner keeps up
	g.read(n.role(messages.LearnerRole+".>"), "KV_"+n.stream("ROLES"))          // the same, of an older learner
	g.ask = append(g.ask, "$JS.API.DIRECT.GET."+n.objectStream())
	g.publish = append(g.publish, "$JS.API.DIRECT.GET."+n.objectStream()+".>",
		"$JS.API.CONSUMER.INFO."+n.stream("EXPERIENCE")+".*",
		n.subject("experience", id), n.subject("experience", id+".*"), n.role(messages.RoleKey(messages.ActorRole, id)))
}

// serveMatches allows to play matches, to publish their results under the own name, and to
// offer games to the archive.
func (g *grant) serveMatches(n names, id string) {
	g.fetch(n.stream("MATCHES"), messages.ArenaConsumer)
	g.fetch(n.stream("CONTESTS"), messages.ArenaConsumer)
	results := n.subject("results", "*."+id)
	g.publish = append(g.publish, results, "$JS.API.DIRECT.GET."+n.stream("RESULTS")+"."+results, n.subject("kept", id),
		n.subject("outcomes", "*.*."+id))
}

// share allows to compute a share of a learner's work.
func (g *grant) share(n names) {
	g.read(n.state(">"), "KV_"+n.stream("STATE"))
	g.subscribe = append(g.subscribe, n.datagram(messages.PeersSubject("*")),
		n.datagram(messages.PeerSubject("*", "*")))
	g.publish = append(g.publish, n.datagram(messages.LeaderSubject("*")), n.role(messages.PeerRole+".*"))
}

// hold allows to hold tournaments: to publish their matches, to read their results and to remove both.
func (g *grant) hold(n names) {
	g.read(n.state(">"), "KV_"+n.stream("STATE"))
	g.read("$O."+n.stream("OBJECTS")+".>", n.objectStream())
	g.read(n.subject("outcomes", ">"), n.stream("OUTCOMES"))
	g.publish = append(g.publish, n.subject("contests", "*.*"),
		"$JS.API.STREAM.PURGE."+n.stream("CONTESTS"), "$JS.API.STREAM.PURGE."+n.stream("OUTCOMES"))
}

// watch allows to see a run.
func (g *grant) watch(n names) {
	g.read(n.state(">"), "KV_"+n.stream("STATE"))
	g.read(n.role(">"), "KV_"+n.stream("ROLES"))
	g.read(n.subject("curves", ">"), n.stream("CURVES"))
	g.read(n.subject("results", ">"), n.stream("RESULTS"))
	g.read("$O."+n.stream("OBJECTS")+".>", n.objectStream())
}

// store allows to put objects and to delete them.
func (g *grant) store(n names) {
	g.publish = append(g.publish, "$O."+n.stream("OBJECTS")+".C.*", "$O."+n.stream("OBJECTS")+".M.*",
		"$JS.API.STREAM.PURGE."+n.objectStream())
}

func (g *grant) lead(n names) {
	g.watch(n)
	g.store(n)
	for _, key := range []string{
		messages.MemberPrefix + "*", messages.PromotionPrefix + "*", messages.QuarantinePrefix + "*",
		messages.MatchmakingKey(messages.LearningAgent), messages.MatchmakingKey("*"), messages.LadderKey,
		messages.SetbackKey,
		messages.ResetKey("*"), messages.AssignedPrefix + "*",
	} {
		g.publish = append(g.publish, n.state(key))
	}
	g.publish = append(g.publish, n.role(messages.LeagueRole+".*"), n.role(messages.LeaseKey(messages.LeagueRole)),
		n.subject("curves", messages.LeagueRole), n.subject("matches", "*"), "$JS.API.STREAM.PURGE."+n.stream("RESULTS"))
}

func (g *grant) learn(n names) {
	exchange := n.datagram("group.>") // between the learners of a group
	g.publish, g.subscribe = append(g.publish, exchange), append(g.subscribe, exchange)
	g.publish = append(g.publish, n.datagram(messages.BacklogSubject("*")))
	g.watch(n)
	g.store(n)
	g.read(n.subject("experience", ">"), n.stream("EXPERIENCE"))
	for _, key := range []string{
		messages.ConfigKey, messages.SchemaKey, messages.PointerPrefix + "*", messages.LedgerPrefix + "*",
		messages.LedgerPrefix + "*.*",
		messages.MergedKey(messages.LearningAgent), messages.MergedKey("*"), messages.QuarantinePrefix + "*",
	} {
		g.publish = append(g.publish, n.state(key))
	}
	g.publish = append(g.publish, n.role(messages.LearnerRole+".*"), n.role(messages.PeerRole+".*"), accountInfo,
		"$JS.API.STREAM.PURGE.KV_"+n.stream("STATE"))
	for _, key := range []string{messages.LearnerKey(messages.LearningAgent), messages.LearnerKey("*")} {
		g.publish = append(g.publish, n.role(messages.LeaseKey(key)), n.subject("curves", key))
	}
	for _, stream := range n.streams() {
		g.publish = append(g.publish, "$JS.API.STREAM.CREATE."+stream, "$JS.API.STREAM.UPDATE."+stream)
	}
	for stream, consumer := range map[string]string{
		"EXPERIENCE": "*", "KEPT": messages.ArchiveConsumer, "MATCHES": messages.ArenaConsumer,
		"CONTESTS": messages.ArenaConsumer,
	} {
		create := "$JS.API.CONSUMER.CREATE." + n.stream(stream) + "." + consumer
		if stream == "EXPERIENCE" {
			create += "." + n.subject("experience", ">") // each agent's with its filter
		}
		g.publish = append(g.publish, create)
		if stream == "MATCHES" || stream == "CONTESTS" {
			g.publish = append(g.publish, "$JS.API.CONSUMER.INFO."+n.stream(stream)+"."+consumer)
			continue
		}
		g.fetch(n.stream(stream), consumer)
	}
}

// requests lists all subjects to which the key may publish.
func (g *grant) requests() []string {
	all := slices.Concat(g.publish, g.ask)
	slices.Sort(all)
	return slices.Compact(all)
}

// private reports whether a subject is one's own: nothing of it leaves the key's account.
func private(subject string) bool { return strings.HasPrefix(subject, "_INBOX_") }
