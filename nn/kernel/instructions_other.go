//go:build (!amd64 && !arm64) || purego

package kernel

// native returns no instruction sets: there is assembly only for amd64 and arm64.
func native() []*instructions { return nil }
