package main

import (
	"html"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/docs"
)

var (
	linked = regexp.MustCompile(`(?:href|src)="([^"]*)"`)
	named  = regexp.MustCompile(`\bid="([^"]*)"`)
)

// Every link and picture of the site leads to a file of the site, and every anchor to a heading there.
func TestLinksOfTheSite(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "site")
	require.NoError(t, write(dir))
	anchors := map[string]map[string]bool{}
	texts := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(file string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, _ := filepath.Rel(dir, file)
		name = filepath.ToSlash(name)
		anchors[name] = map[string]bool{}
		if path.Ext(name) != ".html" {
			return nil
		}
		content, err := os.ReadFile(file)
		texts[name] = string(content)
		for _, m := range named.FindAllStringSubmatch(texts[name], -1) {
			anchors[name][html.UnescapeString(m[1])] = true
		}
		return err
	}))
	require.Greater(t, len(texts), 60)
	checked := 0
	for name, text := range texts {
		for _, m := range linked.FindAllStringSubmatch(text, -1) {
			to, err := url.PathUnescape(html.UnescapeString(m[1]))
			require.NoError(t, err, m[1])
			if strings.Contains(to, "://") {
				continue
			}
			file, anchor, anchored := strings.Cut(to, "#")
			target := name
			if file != "" {
				target = path.Join(path.Dir(name), file)
			}
			require.Contains(t, anchors, target, "%s: %s", name, to)
			if anchored {
				require.True(t, anchors[target][anchor], "%s: %s", name, to)
				checked++
			}
		}
	}
	require.Greater(t, checked, 100)
	require.Contains(t, texts["guide/operate/disk.html"], `<a href="../../index.html">`)
	require.Contains(t, texts["games/pig.html"], `<a href="../games/pig.html" aria-current="page">`)
}

// The map leads to every page, but for the notes of the lab and the decisions, which other pages name.
func TestMapHasThePages(t *testing.T) {
	pages := append(docs.Pages(), docs.New("games/pig", "# Pig\n"))
	there := map[string]bool{"index.html": true}
	for _, s := range sections(pages, "index") {
		require.NotEmpty(t, s.Links, s.Title)
		for _, link := range s.Links {
			there[link.To] = true
		}
	}
	for _, p := range pages {
		if !strings.HasPrefix(p.Name, "lab/") {
			require.True(t, there[p.Name+".html"], "docs/index.md does not name %s", p.Name)
		}
	}
	require.True(t, there["games/pig.html"])
}
