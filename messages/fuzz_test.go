package messages

import (
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
)

// topLevel makes one of every message that travels by itself.
var topLevel = []func() Message{
	func() Message { return &Experience{} }, func() Message { return &Kept{} },
	func() Message { return &ArchiveIndex{} }, func() Message { return &ArchiveHistories{} },
	func() Message { return &Match{} }, func() Message { return &Result{} },
	func() Message { return &Pointer{} }, func() Message { return &Member{} },
	func() Message { return &Matchmaking{} }, func() Message { return &Points{} },
	func() Message { return &Status{} }, func() Message { return &Ledger{} },
	func() Message { return &Folded{} },
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
	})
}
