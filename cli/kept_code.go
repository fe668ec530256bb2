package cli

import (
	"os"
	"path/filepath"

	"croupier/engine/wasm"
)

// keepCode makes this process keep the machine code of games from files.
func keepCode() { wasm.KeepCode(codeFolder()) }

// codeFolder is the folder of kept code, in the user's folder for caches. It is empty where there is none.
func codeFolder() string {
	cache, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(cache, "croupier", "code")
}
