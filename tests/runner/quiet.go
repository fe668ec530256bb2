package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"
)

// quiet is the share of the processors that may have worked for others, other machines on the same host among them, for
// times to be comparable. A fifth is the list's own: browsers and roles that are killed leave nothing to their parents.
const quiet = 0.3

// machine is what the processors had done when the list began.
type machine struct {
	began time.Time
	busy  time.Duration
	known bool
}

func look() machine {
	busy, known := busyTime()
	return machine{time.Now(), busy, known}
}

// others returns the share of the processors that was not the list's own, given its process with all its children. It
// is known on Linux only.
func (m machine) others(list *os.ProcessState) (share float64, known bool) {
	busy, known := busyTime()
	if !m.known || !known {
		return 0, false
	}
	own := list.UserTime() + list.SystemTime()
	all := time.Since(m.began) * time.Duration(runtime.NumCPU())
	return float64(busy-m.busy-own) / float64(all), true
}

// busyTime returns how long the processors have worked since the machine started, or were busy elsewhere ("steal",
// proc(5), /proc/stat).
func busyTime() (busy time.Duration, known bool) {
	doc, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, false
	}
	first, _, _ := strings.Cut(string(doc), "\n")
	var user, nice, system, idle, wait, interrupts, soft, steal int64
	if _, err := fmt.Sscanf(first, "cpu %d %d %d %d %d %d %d %d",
		&user, &nice, &system, &idle, &wait, &interrupts, &soft, &steal); err != nil {
		return 0, false
	}
	const tick = time.Second / 100 // USER_HZ, the same on every architecture that Go supports
	return time.Duration(user+nice+system+interrupts+soft+steal) * tick, true
}
