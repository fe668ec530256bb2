//go:build !amd64 || purego

package kernel

// native returns no instruction sets: there is assembly for amd64 alone.
func native() []*instructions { return nil }
