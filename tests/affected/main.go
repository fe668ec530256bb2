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
	"slices"
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
	imports, err := dependencies(folders)
	if err != nil {
		return nil, err
	}
	for _, folder := range folders {
		if touched[folder] || slices.ContainsFunc(imports[folder], func(d string) bool { return touched[d] }) {
			found = append(found, folder)
		}
	}
	return found, nil
}

// folderOf returns the folder of the package that a folder's files belong to: that of the package whose test data it
// is, or itself.
func folderOf(dir string) string {
	before, _, _ := strings.Cut(dir, "/testdata")
	return before
}

// dependencies returns by folder the folders of this module's packages that a package and its tests import. The go tool
// is asked once: it takes as long for one package as for all.
func dependencies(folders []string) (map[string][]string, error) {
	if len(folders) == 0 {
		return nil, nil
	}
	// A package's tests are the program "a.test", whose dependencies are those of the package too.
	args := []string{"list", "-test", "-f", "{{.ImportPath}} {{join .Deps \"\\t\"}}"}
	for _, folder := range folders {
		args = append(args, "./"+folder)
	}
	cmd := exec.Command("go", args...)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w: %s", strings.Join(args, " "), err, said.String())
	}
	found := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		name, list, _ := strings.Cut(strings.TrimSpace(line), " ")
		folder, _ := ownFolder(strings.TrimSuffix(name, ".test"))
		for d := range strings.SplitSeq(list, "\t") {
			d, _, _ = strings.Cut(d, " ") // "a [b.test]" is a as b's test has it
			if of, own := ownFolder(d); own {
				found[folder] = append(found[folder], of)
			}
		}
	}
	return found, nil
}

// ownFolder returns the folder of one of this module's packages, "." for that at its root.
func ownFolder(pkg string) (folder string, own bool) {
	if pkg == module {
		return ".", true
	}
	return strings.CutPrefix(pkg, module+"/")
}
