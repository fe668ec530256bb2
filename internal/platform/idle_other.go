//go:build !linux

package platform

import "time"

// IdleTime is how long the processors of the machine have had nothing to do, all together. It is known on Linux alone.
func IdleTime() (idle time.Duration, known bool) { return 0, false }

// Quotas are the limits on processor time that hold for this process, as containers and services have them on Linux.
func Quotas() []Quota { return nil }
