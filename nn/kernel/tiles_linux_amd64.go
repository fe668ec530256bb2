//go:build !purego

package kernel

import "syscall"

// allowTiles asks the kernel for the tile registers of AMX, which a process may use only then (arch_prctl, since Linux
// 5.16).
func allowTiles() bool {
	const requestPermission, tileData = 0x1023, 18 // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
	_, _, err := syscall.RawSyscall(syscall.SYS_ARCH_PRCTL, requestPermission, tileData, 0)
	return err == 0
}
