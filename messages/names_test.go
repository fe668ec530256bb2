package messages

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestCheckToken(t *testing.T) {
	for _, good := range []string{"a", "actor-1_B", strings.Repeat("x", MaxToken)} {
		require.NoError(t, CheckToken(good), good)
	}
	for _, bad := range []string{"", ".", "..", "a/b", "a.b", "a b", "a*", ">", "ä", "a\x00", "a\n",
		strings.Repeat("x", MaxToken+1)} {
		require.Error(t, CheckToken(bad), bad)
	}
}

func TestNames(t *testing.T) {
	sum := [32]byte{0xab, 1, 2, 3, 4, 5, 6, 0xff, 9}
	require.Equal(t, "population.main-12", MemberKey("main", 12))
	require.Equal(t, "ledger.actor-1", LedgerKey("actor-1", LearningAgent))
	require.Equal(t, "agent.main", PointerKey("main"))
	require.Equal(t, "learner.a", RoleKey("learner", "a"))
	require.Equal(t, "live/main/7-ab010203040506ff", LiveObject("main", 7, sum))
	require.Equal(t, "population/main-12-ab010203040506ff", MemberObject("main", 12, sum))
}

func TestActorOf(t *testing.T) {
	for worker, actor := range map[string]string{
		WorkerName("lab", "1f", 3): "lab", WorkerName("lab-7", "1f", 12): "lab-7", WorkerName("a-b-0", "x", 0): "a-b-0",
		"lab": "lab", "lab-7": "lab-7", "": "",
	} {
		require.Equal(t, actor, ActorOf(worker), worker)
	}
}

func TestParseNames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		agent := rapid.StringMatching(`[A-Za-z0-9_-]{1,20}`).Draw(t, "agent")
		number := rapid.Uint64().Draw(t, "number")
		gotAgent, gotNumber, ok := ParseMemberName(MemberName(agent, number))
		require.True(t, ok)
		require.Equal(t, agent, gotAgent)
		require.Equal(t, number, gotNumber)
		gotAgent, gotNumber, ok = ParseLiveObject(LiveObject(agent, number, [32]byte{}))
		require.True(t, ok)
		require.Equal(t, agent, gotAgent)
		require.Equal(t, number, gotNumber)
	})
	for _, bad := range []string{"main", "main@", "main@x", "main@-1", "main@+1", "main@01", "@1", "a/b@1", "a@1@2"} {
		_, _, ok := ParseMemberName(bad)
		require.False(t, ok, bad)
	}
	for _, bad := range []string{"", "live/main", "live/main/1", "live/main/x-0000000000000000",
		"population/main-1-0000000000000000", "live/../1-0000000000000000"} {
		_, _, ok := ParseLiveObject(bad)
		require.False(t, ok, bad)
	}
}

func TestColumns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.IntRange(1, 2).Draw(t, "width")
		steps := rapid.SliceOf(rapid.IntRange(0, 1<<(8*width)-1)).Draw(t, "steps")
		var history []byte
		for _, s := range steps {
			history = AppendStep(history, width, s)
		}
		require.Len(t, history, width*len(steps))
		for i, s := range steps {
			require.Equal(t, s, StepAt(history, width, i))
		}
		values := rapid.SliceOf(rapid.Float32()).Draw(t, "values")
		var column []byte
		for _, v := range values {
			column = AppendFloat(column, v)
		}
		for i, v := range values {
			require.Equal(t, v, FloatAt(column, i))
		}
	})
}

func TestObjectsOfMembers(t *testing.T) {
	for _, want := range []string{"main", "b-1"} {
		agent, number, ok := ParseMemberObject(MemberObject(want, 12, [32]byte{1, 2}))
		require.True(t, ok)
		require.Equal(t, want, agent)
		require.EqualValues(t, 12, number)
	}
	for _, bad := range []string{"", "population/", "population/main-12", "population/main-x-0102030405060708",
		"population/-1-0102030405060708",
		"population/main-1-01", "live/main/1-0102030405060708"} {
		_, _, ok := ParseMemberObject(bad)
		require.False(t, ok, bad)
	}
}
