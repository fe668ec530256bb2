// Package platform hides what differs between the operating systems that Croupier
// runs on: Linux, macOS and other Unix systems in platform_unix.go, Windows in
// platform_windows.go. All the rest of the program is the same source on each of them.
package platform

import "time"

// Quota is a limit on processor time.
type Quota struct {
	Cores float64
	Used  time.Duration // by all that it holds for, so far
}
