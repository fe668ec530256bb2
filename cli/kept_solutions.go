package cli

import (
	"os"
	"path/filepath"

	"croupier/solver/solutions"
)

// solutionsVariable names the environment variable with the folder of kept solutions; the value off keeps none.
const solutionsVariable = "CROUPIER_SOLUTIONS"

// keepSolutions makes this process keep solutions that took long to find. Without a folder for it, none are kept.
func keepSolutions() {
	if folder := solutionsFolder(); folder != "" {
		solutions.Keep(solutions.NewStore(folder))
	}
}

// solutionsFolder is the folder of kept solutions: by default one in the cache folder of the user. It is empty where
// there is none.
func solutionsFolder() string {
	switch folder := os.Getenv(solutionsVariable); folder {
	case "":
		cache, err := os.UserCacheDir()
		if err != nil {
			return ""
		}
		return filepath.Join(cache, "croupier", "solutions")
	case "off":
		return ""
	default:
		return folder
	}
}
