package main

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"time"
)

// Limits of time hold on machines that are about as fast as the one on which they were found. How fast a machine is
// while the list runs shows in a piece of work that never changes, done every few seconds: a process starts, fills
// memory and sorts some of it. The list itself took 2.8 times as long one day on two cores of the same shared host.
const (
	pieceCall = "piece" // the argument with which this program does the piece and nothing else
	// reference is the processor time of the piece on two cores of a Xeon (family 6, model 167).
	reference = 25 * time.Millisecond
	within    = 1.5 // times the reference, for the limits to hold
	between   = 5 * time.Second
)

// piece is the piece of work.
func piece() {
	numbers := make([]uint64, 1<<21) // 16 MiB that the machine has to hand out
	source := rand.NewPCG(1, 2)
	for i := range numbers {
		numbers[i] = source.Uint64()
	}
	slices.Sort(numbers[:1<<17])
}

// pace is how much processor time the pieces have taken.
type pace struct {
	done  chan struct{}
	taken chan []time.Duration
}

// watch does the piece from now on, at least once.
func watch() (*pace, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := &pace{make(chan struct{}), make(chan []time.Duration, 1)}
	go func() {
		var taken []time.Duration
		defer func() { p.taken <- taken }()
		for {
			work := exec.Command(program, pieceCall)
			if work.Run() == nil {
				taken = append(taken, work.ProcessState.UserTime()+work.ProcessState.SystemTime())
			}
			select {
			case <-p.done:
				return
			case <-time.After(between):
			}
		}
	}()
	return p, nil
}

// times ends the watch and returns how many times as long as the reference the median piece took, 0 if none was done.
func (p *pace) times() float64 {
	close(p.done)
	taken := <-p.taken
	if len(taken) == 0 {
		return 0
	}
	slices.Sort(taken)
	return float64(taken[len(taken)/2]) / float64(reference)
}
