// Command affected prints those of some packages that a change concerns: one of their files, their tests or what they
// or their tests import is in the list of changed files.
//
//	go run ./tests/affected "$(git diff --name-only BASE)" FOLDER...
//
// It is to be run in the root of the module.
package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path"
	"strings"
)

const module = "croupier"

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: affected CHANGED-FILES FOLDER...")
		os.Exit(2)
	}
	found, err := affected(strings.Fields(os.Args[1]), os.Args[2:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "affected:", err)
		os.Exit(1)
	}
	for _, folder := range found {
		fmt.Println(folder)
	}
}

// affected returns the folders that the changed files concern. A change of go.mod or go.sum concerns all.
func affected(changed, folders []string) (found []string, err error) {
	touched := map[string]bool{}
	for _, file := range changed {
		if file == "go.mod" || file == "go.sum" {
			return folders, nil
		}
		touched[folderOf(path.Dir(file))] = true
	}
	for _, folder := range folders {
		concerned := touched[folder]
		if !concerned {
			deps, err := dependencies(folder)
			if err != nil {
				return nil, err
			}
			for _, d := range deps {
				concerned = concerned || touched[d]
			}
		}
		if concerned {
			found = append(found, folder)
		}
	}
	return found, nil
}

// folderOf returns the folder of the package that a folder's files belong to: that of the package whose test data it is,
// or itself.
func folderOf(dir string) string {
	before, _, _ := strings.Cut(dir, "/testdata")
	return before
}

// dependencies returns the folders of this module's packages that a package and its tests import.
func dependencies(folder string) (folders []string, err error) {
	cmd := exec.Command("go", "list", "-deps", "-test", "-f", "{{.ImportPath}}", "./"+folder)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list ./%s: %w: %s", folder, err, said.String())
	}
	for line := range strings.Lines(string(out)) {
		name, _, _ := strings.Cut(strings.TrimSpace(line), " ") // "a [b.test]" is a as b's test has it
		if rest, own := strings.CutPrefix(name, module+"/"); own {
			folders = append(folders, rest)
		}
	}
	return folders, nil
}
