//go:build linux

package faults

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/learner/train"
)

// clusterFaults is how many faults one cluster is given before it is ended and looked at.
const clusterFaults = 40

// step is one line of the journal: what happened at a number of the campaign.
type step struct {
	Seed    uint64   `json:"seed"`
	Number  int      `json:"number"` // of its first fault
	Brokers int      `json:"brokers"`
	Faults  []string `json:"faults"`
	Seconds float64  `json:"seconds"`           // in all
	Back    float64  `json:"back"`              // from the end of the fault until training continued
	Group   string   `json:"group"`             // learner.group
	Peers   float64  `json:"peers"`             // in it when the fault began
	Still   float64  `json:"still"`             // for how long there was no optimiser step, at most
	Ended   bool     `json:"ended,omitempty"`   // the cluster was ended after it, and looked at
	Failure string   `json:"failure,omitempty"` // what was wrong
}

// journal has the steps that are done.
type journal struct {
	file *os.File
	seed uint64 // of its last step
	done map[uint64]map[int]step
}

func openJournal(t testing.TB, path string) *journal {
	t.Helper()
	j := &journal{done: map[uint64]map[int]step{}}
	if path == "" {
		return j
	}
	var err error
	j.file, err = os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o644)
	require.NoError(t, err)
	t.Cleanup(func() { j.file.Close() })
	lines := bufio.NewScanner(j.file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var s step
		if json.Unmarshal(lines.Bytes(), &s) != nil {
			continue // cut off
		}
		if j.seed = s.Seed; j.done[s.Seed] == nil {
			j.done[s.Seed] = map[int]step{}
		}
		if s.Failure == "" {
			j.done[s.Seed][s.Number] = s
		}
	}
	require.NoError(t, lines.Err())
	return j
}

// unfinished reports whether the last seed of the journal has fewer than that many steps.
func (j *journal) unfinished(count int) bool { return j.seed != 0 && len(j.done[j.seed]) < count }

func (j *journal) add(s step) error {
	if j.file == nil {
		return nil
	}
	line, err := json.Marshal(s)
	if err == nil {
		_, err = j.file.Write(append(line, '\n'))
	}
	return err
}

// draw returns the faults of a number: they depend on seed and number alone.
func draw(seed uint64, number int) (fault, *rand.Rand) {
	rng := rand.New(rand.NewPCG(seed, uint64(number)))
	drawn := catalogue
	if *onlyFlag != "" {
		named := strings.Split(*onlyFlag, "; ")
		drawn = slices.DeleteFunc(slices.Clone(catalogue), func(f fault) bool { return !slices.Contains(named, f.name) })
	}
	sum := 0
	for _, f := range drawn {
		sum += f.weight
	}
	left := rng.IntN(sum)
	for _, f := range drawn {
		if left -= f.weight; left < 0 {
			return f, rng
		}
	}
	panic("unreachable")
}

// brokersOf reports how many brokers the cluster has that is given the fault of this number.
func brokersOf(seed uint64, number int) int {
	if rand.New(rand.NewPCG(seed, uint64(1_000_000+(number-1)/clusterFaults))).IntN(3) == 0 {
		return 3
	}
	return 1
}

// groupOf reports which kind of group the learners of that cluster are. The short form has gradients: where weights are
// averaged, a leader waits for a lost peer for four of its own iterations. When it is held back, they may take longer
// than a run has to recover.
func groupOf(seed uint64, number int) string {
	kinds := []string{train.GroupGradients, train.GroupWeights}
	if held() {
		kinds = kinds[:1]
	}
	return kinds[rand.New(rand.NewPCG(seed, uint64(2_000_000+(number-1)/clusterFaults))).IntN(len(kinds))]
}

// TestRandomFaults gives clusters random faults, one after the other. The same seed and number
// is the same fault: -faults.seed=S -faults.first=N -faults.n=1 does it again.
func TestRandomFaults(t *testing.T) {
	hosts(t)
	t.Parallel()
	seed, first, count := *seedFlag, *firstFlag, *countFlag
	switch {
	case count == 0 && long:
		count = 1000
	case count == 0:
		seed, count = 55, 6 // four of them happen to learners
	}
	j := openJournal(t, *journalFlag)
	if !seedGiven && j.unfinished(count) {
		seed = j.seed
	}
	fmt.Fprintf(os.Stderr, "seed %d, %d faults from number %d\n", seed, count, first)
	for at := first; at < first+count; {
		next := min(first+count, at+clusterFaults-(at-1)%clusterFaults)
		for at < next && j.done[seed][at].Number == at {
			at++
		}
		if at < next {
			name := fmt.Sprintf("faults %d to %d with %d brokers, %s", at, next-1, brokersOf(seed, at), groupOf(seed, at))
			t.Run(name, func(t *testing.T) { attack(t, j, seed, at, next) })
		}
		at = next
	}
}

// worthwhile are settings with which learners that share their work are faster than one: minibatches that take long,
// and one core for each. Else the learner would soon be alone.
var worthwhile = []string{
	"--set", "network.dense=[128, 128]", "--set", "learner.ppo.minibatch=8192", "--set", "learner.workers=1",
}

// attack starts a cluster and gives it the faults of the numbers.
func attack(t *testing.T, j *journal, seed uint64, first, beyond int) {
	brokers, group := brokersOf(seed, first), groupOf(seed, first)
	args := []string{"--set", "learner.group=" + group}
	if !held() {
		args = append(args, worthwhile...)
	}
	r := newRun(t, brokers, seed+uint64(first), args...)
	at, err := r.uses()
	require.NoError(t, err)
	for n := first; n < beyond; n++ {
		s := step{Seed: seed, Number: n, Brokers: brokers, Group: group}
		began := time.Now()
		err := r.suffer(&s, at)
		if n == beyond-1 && err == nil {
			err = errors.Join(r.rejoins(), r.end())
			s.Ended = true
		}
		if s.Seconds = time.Since(began).Seconds(); err != nil {
			s.Failure = err.Error()
		}
		require.NoError(t, j.add(s))
		require.NoError(t, err, "fault %d of seed %d: %v", n, seed, s.Faults)
		fmt.Fprintf(os.Stderr, "fault %d of seed %d, %d brokers, %.0f peers, %s: %s; %.1f s, back after %.1f s, still for %.1f s\n",
			n, seed, brokers, s.Peers, group, strings.Join(s.Faults, "; "), s.Seconds, s.Back, s.Still)
	}
}

// suffer has the fault of a number happen, ends it and checks that the run is as it must be.
func (r *run) suffer(s *step, at map[string]use) error {
	f, rng := draw(s.Seed, s.Number)
	if err := r.gathers(); err != nil {
		return err
	}
	p, first, err := r.feel()
	if err != nil {
		return err
	}
	s.Peers = first.peers
	what, end, err := f.do(r, rng)
	s.Faults = []string{f.name + ", " + what}
	time.Sleep(while(rng, 0, time.Second))
	ended := time.Now()
	if end != nil {
		err = errors.Join(err, end())
	}
	err = errors.Join(err, r.recovers())
	s.Back = time.Since(ended).Seconds()
	s.Still = p.stop().Seconds()
	if limit := stillWithin(); ofPeers.MatchString(what) && s.Still > limit.Seconds() {
		err = errors.Join(err, fmt.Errorf("learning stood still for %.1f s, longer than %v", s.Still, limit))
	}
	return errors.Join(err, r.check(at))
}
