//go:build !amd64 || purego

package kernel

// native returns no instruction sets: there is assembly only for amd64.
func native() []*instructions { return nil }
