package webtest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"github.com/chromedp/cdproto/runtime"
	"github.com/stretchr/testify/require"
)

// axeFile is where tests/needs.sh puts axe, below the root of the repository.
const axeFile = "tests/.cache/axe.min.js"

// violation is a rule of axe that the page breaks.
type violation struct {
	ID    string `json:"id"`
	Help  string `json:"help"`
	Nodes []struct {
		Target  []any  `json:"target"`
		HTML    string `json:"html"`
		Summary string `json:"failureSummary"`
	} `json:"nodes"`
}

// Axe fails the test where axe finds anything on the page that would keep somebody from using it. All of its rules are
// asked, in the dark scheme those about colours: nothing else differs there from the light one, which tests show as
// well.
func (b *Browser) Axe() {
	b.t.Helper()
	code, err := os.ReadFile(filepath.Join(root(b), axeFile))
	require.NoError(b.t, err, "the browser tests need axe: run tests/needs.sh")
	evaluate(b, "if (!window.axe) {"+string(code)+"}", false)
	rules := ""
	if b.scheme == "dark" {
		rules = `, runOnly: ["color-contrast", "link-in-text-block"]`
	}
	result := evaluate(b, `axe.run({resultTypes: ["violations"]`+rules+`}).then(({ violations }) => JSON.stringify(violations))`, true)
	var text string
	require.NoError(b.t, json.Unmarshal(result, &text))
	var violations []violation
	require.NoError(b.t, json.Unmarshal([]byte(text), &violations))
	var found []string
	for _, v := range violations {
		for _, n := range v.Nodes {
			found = append(found, v.ID+": "+v.Help+"\n  "+n.HTML+"\n  "+strings.ReplaceAll(n.Summary, "\n", "\n  "))
		}
	}
	require.Empty(b.t, strings.Join(found, "\n"), "what axe finds")
}

// root is the root of the repository, where go.mod is.
func root(b *Browser) string {
	b.t.Helper()
	folder, err := os.Getwd()
	require.NoError(b.t, err)
	for {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return folder
		}
		require.NotEqual(b.t, folder, filepath.Dir(folder), "there is no go.mod above this test")
		folder = filepath.Dir(folder)
	}
}

// evaluate runs a script as the developer tools would, which the page's content policy does not stop, and returns
// the JSON of its value.
func evaluate(b *Browser, script string, await bool) json.RawMessage {
	b.t.Helper()
	byValue := true
	answer := call(b, runtime.Evaluate, runtime.EvaluateParams{Expression: script, ReturnByValue: &byValue,
		AwaitPromise: &await})
	require.Nil(b.t, answer.ExceptionDetails, "a script on the page failed")
	return json.RawMessage(answer.Result.Value)
}
