package web

import (
	"testing"
	"time"

	"croupier/messages/presence"
	"github.com/stretchr/testify/require"
)

func TestStageIsTheOneOfTheLearnerThatIsThere(t *testing.T) {
	learner := func(stage float64) *Role {
		return &Role{Heartbeat: presence.Heartbeat{Role: "learner", Values: map[string]float64{"stage": stage, "stages": 3}}}
	}
	gone := learner(1)
	gone.Gone = time.Now()
	s := &Snapshot{Roles: []*Role{{Heartbeat: presence.Heartbeat{Role: "actor"}}, gone, learner(2)}}
	stage, stages := s.Stage()
	require.Equal(t, []int{2, 3}, []int{stage, stages})
	stage, stages = (&Snapshot{Roles: []*Role{{Heartbeat: presence.Heartbeat{Role: "learner"}}}}).Stage()
	require.Equal(t, []int{0, 0}, []int{stage, stages}, "no curriculum")
}
