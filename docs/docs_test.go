package docs

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// All documents are in the program, the map first, each with a name and a title of its own.
func TestPages(t *testing.T) {
	pages := Pages()
	require.Equal(t, "index", pages[0].Name)
	require.Greater(t, len(pages), 40)
	names := map[string]bool{}
	for _, p := range pages {
		require.NotEmpty(t, p.Title, p.Name)
		require.NotContains(t, p.Title, "#", p.Name)
		require.False(t, names[p.Name], p.Name)
		names[p.Name] = true
	}
	require.True(t, names["guide/play"] && names["explain/algorithms/ppo"])
}

// A page is found by its name, or by the last part of it, which several may share.
func TestFind(t *testing.T) {
	pages := []Page{New("guide/play", "# Playing\n"), New("lab/play", "# Plays\n"), New("index", "# The map\n")}
	names := func(name string) (found []string) {
		for _, p := range Find(pages, name) {
			found = append(found, p.Name)
		}
		return found
	}
	require.Equal(t, []string{"guide/play"}, names("guide/play"))
	require.Equal(t, []string{"guide/play", "lab/play"}, names("play"))
	require.Equal(t, []string{"index"}, names("index"))
	require.Empty(t, names("plays"))
	require.Equal(t, "The map", pages[2].Title)
}

// In a terminal a page has no pictures, fences and links; those to other pages are listed, each once.
func TestPlain(t *testing.T) {
	p := New("guide/play", "# Playing\n\n![a board](../images/board.png)\nSee [replays](replay.md#open), "+
		"[replay.md](replay.md), [Pig](../../games/pig/README.md) and\n[the site](https://example.org).\n\n```sh\ncroupier play\n```\n")
	text, others := p.Plain()
	require.Equal(t, "# Playing\n\n\nSee replays, guide/replay, Pig and\nthe site (https://example.org).\n\ncroupier play\n", text)
	require.Equal(t, []string{"guide/replay", "games/pig"}, others)
	text, others = New("games/pig", "[rules](../../docs/guide/play.md)").Plain()
	require.Equal(t, "rules", text)
	require.True(t, slices.Equal([]string{"guide/play"}, others))
}

// here has an address for documents and pictures of the tree.
func here(file string) string {
	switch {
	case strings.HasSuffix(file, ".md") && !strings.HasPrefix(file, "deploy/"), strings.HasPrefix(file, "docs/images/"):
		return "/" + file
	}
	return ""
}

// As HTML a page has links to where files are found, GitHub's anchors, and no HTML of its own.
func TestHTML(t *testing.T) {
	p := New("guide/play", "# Playing\n\n![a board](../images/board.png) [replays](replay.md#open), "+
		"[Pig](../../games/pig/README.md), **[deploy](../../deploy/README.md)** and [the site](https://example.org).\n\n"+
		"## `--against`, or A_b\n\n## Login & [TLS](#tls)\n\n## Playing\n\n<!-- made -->\n\n<b>&\n\n"+
		"| a | b |\n|---|--:|\n| <i> | 2 |\n\n```sh\ncroupier play <GAME>\n```\n")
	got, err := p.HTML(here)
	require.NoError(t, err)
	require.Equal(t, `<h1 id="playing">Playing</h1>
<p><img src="/docs/images/board.png" alt="a board"> <a href="/docs/guide/replay.md#open">replays</a>, `+
		`<a href="/games/pig/README.md">Pig</a>, <strong>deploy</strong> and <a href="https://example.org">the site</a>.</p>
<h2 id="--against-or-a_b"><code>--against</code>, or A_b</h2>
<h2 id="login--tls">Login &amp; <a href="#tls">TLS</a></h2>
<h2 id="playing-1">Playing</h2>
<p>&lt;b&gt;&amp;</p>
<div class="scroll" tabindex="0" role="group" aria-label="Table">
<table>
<thead>
<tr>
<th>a</th>
<th align="right">b</th>
</tr>
</thead>
<tbody>
<tr>
<td>&lt;i&gt;</td>
<td align="right">2</td>
</tr>
</tbody>
</table>
</div>
<pre tabindex="0"><code>croupier play &lt;GAME&gt;
</code></pre>
`, got)
}

// The anchors that the documents name are there, and no comment is left in them.
func TestHTMLOfAllDocuments(t *testing.T) {
	anchor := regexp.MustCompile(`href="/(docs/[^"#]*\.md)#([^"]*)"`)
	all := map[string]string{}
	for _, p := range Pages() {
		text, err := p.HTML(here)
		require.NoError(t, err, p.Name)
		require.False(t, strings.Contains(text, "&lt;!--"), p.Name)
		all[p.file()] = text
	}
	for file, text := range all {
		for _, m := range anchor.FindAllStringSubmatch(text, -1) {
			name, err := url.PathUnescape(m[2])
			require.NoError(t, err)
			require.True(t, strings.Contains(all[m[1]], `id="`+name+`"`), "%s links to %s#%s", file, m[1], name)
		}
	}
}
