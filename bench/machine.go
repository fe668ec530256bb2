package bench

import (
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"croupier/nn/kernel"
)

// Machine describes what the numbers were measured on. Fields that the system does not
// report (/proc exists only on Linux) are empty.
type Machine struct {
	CPU            string    `json:"cpu"`
	Cores          int       `json:"cores"`
	GOMAXPROCS     int       `json:"gomaxprocs"`
	InstructionSet string    `json:"instruction_set"` // of nn/kernel
	MemoryBytes    uint64    `json:"memory_bytes"`
	OS             string    `json:"os"`
	Arch           string    `json:"arch"`
	Go             string    `json:"go"`
	Version        string    `json:"version"` // of this program
	PGO            bool      `json:"pgo"`     // built with profile-guided optimisation
	Load           float64   `json:"load"`    // load average of the minute before
	Time           time.Time `json:"time"`    // when the benchmark began
}

// ThisMachine describes the machine as it is now. version is the calling program's.
func ThisMachine(version string) Machine {
	m := Machine{
		CPU:            field("/proc/cpuinfo", "model name"),
		Cores:          runtime.NumCPU(),
		GOMAXPROCS:     runtime.GOMAXPROCS(0),
		InstructionSet: kernel.InstructionSet(),
		OS:             runtime.GOOS,
		Arch:           runtime.GOARCH,
		Go:             runtime.Version(),
		Version:        version,
		PGO:            builtWithProfile(),
		Time:           time.Now().UTC().Truncate(time.Second),
	}
	memory := strings.TrimSuffix(field("/proc/meminfo", "MemTotal"), " kB")
	if kilobytes, err := strconv.ParseUint(memory, 10, 64); err == nil {
		m.MemoryBytes = kilobytes << 10
	}
	if doc, err := os.ReadFile("/proc/loadavg"); err == nil {
		load, _, _ := strings.Cut(string(doc), " ")
		m.Load, _ = strconv.ParseFloat(load, 64)
	}
	return m
}

// field returns the value of the first line "name: value" in a file, or "" if there is
// none.
func field(path, name string) string {
	doc, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(doc)) {
		if key, value, found := strings.Cut(line, ":"); found && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

func builtWithProfile() bool {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return false
	}
	for _, s := range info.Settings {
		if s.Key == "-pgo" {
			return true
		}
	}
	return false
}
