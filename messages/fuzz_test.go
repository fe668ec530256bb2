package messages

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"croupier/internal/sealed"
)

// topLevel makes one of every message that travels by itself.
var topLevel = []func() Message{
	func() Message { return &Experience{} }, func() Message { return &Kept{} },
	func() Message { return &ArchiveIndex{} }, func() Message { return &ArchiveHistories{} },
	func() Message { return &Match{} }, func() Message { return &Result{} },
	func() Message { return &Pointer{} }, func() Message { return &Member{} },
	func() Message { return &Matchmaking{} }, func() Message { return &Points{} },
	func() Message { return &Status{} }, func() Message { return &Ledger{} },
	func() Message { return &MergedLedgers{} },
	func() Message { return &ToLeader{} }, func() Message { return &ToPeers{} },
}

// What is read is written again as the same message.
func FuzzMessages(f *testing.F) {
	for kind := range topLevel {
		f.Add([]byte{8, 1}, kind)
	}
	for kind, m := range map[int]Message{
		4: &Match{Id: "m-1", A: "main@1", B: "random", Sets: 5, FirstSet: 1 << 40},
		5: &Result{Match: &Match{Schema: 1, Id: "m-1"}, OneA: &Lineup{Sets: 5, ShareSum: 2.5}, Returns: make([]byte, 40)},
		6: &Pointer{Agent: "main", Version: 9, Object: "live/main/9-00", Sha256: make([]byte, 32)},
		9: &Points{Source: "learner", Points: []*Point{{Series: "entropy", Value: 1}}},
	} {
		data, err := Encode(m)
		require.NoError(f, err)
		f.Add(data, kind)
		f.Add(data[:len(data)-1], kind)
	}
	f.Fuzz(func(t *testing.T, data []byte, kind int) {
		if kind < 0 || kind >= len(topLevel) {
			return
		}
		m, again := topLevel[kind](), topLevel[kind]()
		if err := Decode(data, m); err != nil {
			require.ErrorAs(t, err, new(*Refusal))
			return
		}
		written, err := Encode(m)
		require.NoError(t, err)
		require.NoError(t, Decode(written, again))
		require.True(t, proto.Equal(m, again))
	})
}

func FuzzLadder(f *testing.F) {
	f.Add([]byte(`{"game":"kuhn","seats":2,"agents":[{"name":"main@1","kind":"version","games":4}],"payoff":[]}`))
	f.Add([]byte(`{"agents":[{"name":"a"},{"name":"a"}],"scale":{"kind":"elo","unit":"Elo","zero":"a"}}`))
	f.Fuzz(func(t *testing.T, doc []byte) {
		ladder, err := ParseLadder(doc)
		if err != nil {
			return
		}
		written, err := ladder.JSON()
		require.NoError(t, err)
		_, err = ParseLadder(written)
		require.NoError(t, err)
	})
}

func FuzzPromotions(f *testing.F) {
	f.Add([]byte(`{"number":1,"agent":"main@1","over":""}` + "\n"))
	f.Add([]byte(`{"number":2,"agent":"main@2","over":"main@1","sets":10}` + "\n{"))
	f.Fuzz(func(t *testing.T, doc []byte) {
		all, _ := ParsePromotions(doc)
		for _, p := range all {
			written, err := p.JSON()
			require.NoError(t, err)
			again, err := ParsePromotion(written)
			require.NoError(t, err)
			require.Equal(t, p, again)
		}
	})
}

// Names that are understood are written as they were read.
func FuzzNames(f *testing.F) {
	f.Add("main@12")
	f.Add("live/main/9-0011223344556677")
	f.Fuzz(func(t *testing.T, name string) {
		if agent, number, ok := ParseMemberName(name); ok {
			require.Equal(t, name, MemberName(agent, number))
		}
		if agent, _, ok := ParseLiveObject(name); ok {
			require.NoError(t, CheckToken(agent))
		}
		if actor, agent, ok := ParseExperienceSubject(name); ok {
			require.Equal(t, name, ExperienceSubject(actor, agent))
		}
		if worker, agent, ok := ParseLedgerKey(name); ok {
			require.Equal(t, name, LedgerKey(worker, agent))
		}
		if match, actor, ok := ParseResultSubject(name); ok {
			require.Equal(t, name, ResultSubject(match, actor))
		}
	})
}

// What the league tells learners is understood as it was written, or refused.
func FuzzOrders(f *testing.F) {
	f.Add([]byte(`{"number":1,"object":"` + MemberObjects + `main@2","sha256":"` + strings.Repeat("0f", 32) + `",` +
		`"weaker":[{"agent":"main@3","sets":9,"gain":-0.5}]}`))
	f.Add([]byte(`{"agent":"hunter","number":1,"member":"hunter@7","why":"it has stopped gaining"}`))
	again := func(t *testing.T, order any) []byte {
		doc, err := json.Marshal(order)
		require.NoError(t, err)
		return doc
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		if s, err := ParseSetback(doc); err == nil {
			read, err := ParseSetback(again(t, s))
			require.NoError(t, err)
			require.Equal(t, s.String(), read.String())
		}
		if r, err := ParseReset(doc); err == nil {
			read, err := ParseReset(again(t, r))
			require.NoError(t, err)
			require.Equal(t, r, read)
		}
	})
}

// Lines of the list of members with a right checksum, whatever is in them, are read, or counted as damaged.
func FuzzMembers(f *testing.F) {
	f.Add([]byte(`{"name":"main@1","order":1,"sha256":"00","object":"population/main@1-00"}`))
	f.Add([]byte(`{"name":"main@1","order":1,"sha256":"0","dropped":{"rating":1}}`))
	f.Fuzz(func(t *testing.T, content []byte) {
		line, err := sealed.Line(json.RawMessage(content))
		if err != nil {
			return // not an object of JSON
		}
		list, damaged := ParseMembers(line)
		require.Equal(t, 1, len(list.Kept)+len(list.Dropped)+damaged)
		written, err := FormatMembers(list)
		require.NoError(t, err)
		again, damaged := ParseMembers(written)
		require.Zero(t, damaged)
		require.Len(t, again.Kept, len(list.Kept))
		require.Len(t, again.Dropped, len(list.Dropped))
	})
}
