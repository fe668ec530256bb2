//go:build !purego && !linux

package kernel

// allowTiles: how to ask for the tile registers of AMX is known for Linux alone.
func allowTiles() bool { return false }
