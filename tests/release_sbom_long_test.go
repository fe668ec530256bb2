//go:build long

package tests

import (
	"debug/buildinfo"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// newestRelease returns the newest version in the changelog.
func newestRelease(t *testing.T) string {
	t.Helper()
	changelog, err := os.ReadFile("../CHANGELOG.md")
	require.NoError(t, err)
	found := regexp.MustCompile(`(?m)^## \[(\d+\.\d+\.\d+)\] - `).FindSubmatch(changelog)
	require.NotNil(t, found)
	return string(found[1])
}

// lend gives a working copy the program that lists modules, which cannot be fetched in a test.
func lend(t *testing.T, dir string) {
	t.Helper()
	found, err := filepath.Glob(".cache/cyclonedx-gomod@*")
	require.NoError(t, err)
	require.NotEmpty(t, found, "deploy/release.sh tools fetches what lists the modules of a program")
	for _, lister := range found {
		there := filepath.Join(dir, "tests", lister)
		require.NoError(t, os.CopyFS(there, os.DirFS(lister)))
	}
}

// An inventory is the list of the modules in a program, in the form of CycloneDX.
type inventory struct {
	Format     string `json:"bomFormat"`
	Form       string `json:"specVersion"`
	Components []component
	Metadata   struct {
		Component  component
		Properties []struct{ Name, Value string }
	}
}

type component struct{ Name, Version, Type, Purl string }

// checkInventory requires that the SBOM of a program names it, its checksum, and every module that Go has noted in it.
func checkInventory(t *testing.T, program, version string) {
	t.Helper()
	content, err := os.ReadFile(program + ".cdx.json")
	require.NoError(t, err)
	var found inventory
	require.NoError(t, json.Unmarshal(content, &found))
	require.Equal(t, []string{"CycloneDX", "1.6"}, []string{found.Format, found.Form})
	require.Equal(t, []string{"croupier", version, "application"},
		[]string{found.Metadata.Component.Name, found.Metadata.Component.Version, found.Metadata.Component.Type})
	checksum := ""
	for _, p := range found.Metadata.Properties {
		if p.Name == "cdx:gomod:binary:hash:SHA-256" {
			checksum = p.Value
		}
	}
	require.Equal(t, sum(t, program), checksum)

	info, err := buildinfo.ReadFile(program)
	require.NoError(t, err)
	wanted := []string{"std " + info.GoVersion}
	for _, module := range info.Deps {
		if module.Replace != nil {
			module = module.Replace
		}
		wanted = append(wanted, module.Path+" "+module.Version)
	}
	var named []string
	for _, c := range found.Components {
		named = append(named, c.Name+" "+c.Version)
		require.NotEmpty(t, c.Purl, c.Name)
	}
	require.ElementsMatch(t, wanted, named)
}
