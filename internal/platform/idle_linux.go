package platform

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// LowestPriority has this process run only while nothing else wants the processors. What it has already started keeps
// its priority.
func LowestPriority() error {
	// Threads have priorities of their own, and new ones that of the thread that makes them: a second look finds those
	// that were made during the first one.
	for range 2 {
		threads, err := os.ReadDir("/proc/self/task")
		if err != nil {
			return fmt.Errorf("lowest priority: %w", err)
		}
		for _, thread := range threads {
			id, err := strconv.Atoi(thread.Name())
			if err != nil {
				continue
			}
			err = unix.SchedSetAttr(id, &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_IDLE}, 0)
			if err != nil && !errors.Is(err, unix.ESRCH) {
				return fmt.Errorf("lowest priority: %w", err)
			}
		}
	}
	return nil
}

// ticks is the unit of times in /proc/stat, the same on all processors that Go knows.
const ticks = time.Second / 100

// IdleTime is how long the processors of the machine have had nothing to do, all together.
func IdleTime() (idle time.Duration, known bool) {
	stat, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, false
	}
	line, _, _ := bytes.Cut(stat, []byte("\n"))
	fields := strings.Fields(string(line)) // cpu user nice system idle iowait …
	if len(fields) < 6 || fields[0] != "cpu" {
		return 0, false
	}
	for _, field := range fields[4:6] {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0, false
		}
		idle += time.Duration(n) * ticks
	}
	return idle, true
}

// Quotas are the limits on processor time that hold for this process, as containers and services have them.
func Quotas() (list []Quota) {
	own, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return nil
	}
	path, found := strings.CutPrefix(strings.TrimSpace(string(own)), "0::")
	if !found {
		return nil // groups of version 1
	}
	for dir := filepath.Clean("/" + path); ; dir = filepath.Dir(dir) {
		if q, ok := quotaOf(filepath.Join("/sys/fs/cgroup", dir)); ok {
			list = append(list, q)
		}
		if dir == "/" {
			return list
		}
	}
}

// quotaOf reads the limit of a control group, if it has one.
func quotaOf(dir string) (q Quota, ok bool) {
	limit, err := os.ReadFile(filepath.Join(dir, "cpu.max"))
	if err != nil {
		return q, false
	}
	used, err := os.ReadFile(filepath.Join(dir, "cpu.stat"))
	if err != nil {
		return q, false
	}
	var most, period float64
	var micros int64
	if _, err := fmt.Sscan(string(limit), &most, &period); err != nil || period <= 0 {
		return q, false // "max": there is none
	}
	if _, err := fmt.Sscanf(string(used), "usage_usec %d", &micros); err != nil {
		return q, false
	}
	return Quota{Cores: most / period, Used: time.Duration(micros) * time.Microsecond}, true
}
