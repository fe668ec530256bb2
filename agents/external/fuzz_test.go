package external

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/internal/dialogue"
)

// Whatever line an agent answers, its decision is one of the legal ones and its values are finite, or the error quotes
// the beginning of the line.
func FuzzAnswers(f *testing.F) {
	for _, line := range []string{
		`{"id":3,"action":2}`, `{"id":3,"action":1,"values":[0.5,-0.25]}`, `{"id":3,"values":[1e999,0]}`, `null`, `[]`,
		`{"id":3,"action":1,"values":[]}`, `{"protocol":1,"name":"n","unit":"chips"}`, `{"ID":3,"id":4,"action":2.0}`,
		`let me think`,
	} {
		f.Add([]byte(line), false)
		f.Add([]byte(line), true)
	}
	question := Question{Type: TypeChoose, ID: 3, Legal: []Action{{1, "one"}, {2, "two"}}}
	f.Fuzz(func(t *testing.T, line []byte, values bool) {
		q := question
		if values {
			q.Type = TypeValues
		}
		answer := Answer{Action: -1}
		if err := dialogue.Decode(line, &answer); err != nil {
			require.Less(t, len(err.Error()), 1<<10)
			return
		}
		if answer.belongs(&q) != nil || answer.check(&q) != nil {
			return
		}
		require.EqualValues(t, 3, answer.ID)
		if values {
			require.Len(t, answer.Values, 2)
		} else {
			require.Contains(t, []int{1, 2}, answer.Action)
		}
		again := Answer{Action: -1}
		require.NoError(t, dialogue.Decode(encode(answer), &again))
		require.NoError(t, again.check(&q))
		require.NoError(t, dialogue.Decode(line, &Hello{})) // no field has two meanings
	})
}

// Names of agents outside this program are understood within their bounds, or refused; passwords are in none.
func FuzzNames(f *testing.F) {
	for _, name := range []string{
		"exec:./bot --level 3", `exec(time=2s,memory=1GiB,copies=4,log=a b.log):"my bot" 'x y'`, "http://localhost:9000/play",
		"https(time=1ms):https://example.com/x", "http(memory=1KiB):http://h", "http://user:secret@h", "exec(:", "exec():",
		"exec(memory=99999999TiB):x",
		"http://[::1", "exec:\"", "exec(time=-1s):x",
	} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		o, err := Parse(name)
		if err != nil || !Is(name) {
			return
		}
		require.GreaterOrEqual(t, o.Time, time.Millisecond)
		require.LessOrEqual(t, o.Time, time.Hour)
		require.GreaterOrEqual(t, o.Copies, 1)
		require.LessOrEqual(t, o.Copies, 64)
		require.LessOrEqual(t, o.Memory, uint64(1)<<63)
		require.NotEqual(t, o.command == nil, o.url == "", "a program or a server")
		if o.url != "" {
			_, err := originOf(o.url)
			require.NoError(t, err, "a token may be for it")
		}
	})
}

// A file of tokens gives the token of its server alone; errors name the line and hold no token.
func FuzzTokens(f *testing.F) {
	f.Add("# of the league\nhttps://example.com:9000 token-1\nhttp://localhost:9000 token-2\n",
		"http://localhost:9000/play")
	f.Add("token-alone\n", "https://example.com")
	f.Add("http://example.com token\n", "http://EXAMPLE.com:80/")
	f.Add("https://[::1]:443/ t\r\n", "https://[::1]/x")
	f.Fuzz(func(t *testing.T, doc, server string) {
		path := filepath.Join(t.TempDir(), "tokens")
		require.NoError(t, os.WriteFile(path, []byte(doc), 0o600))
		t.Setenv(CredentialsVariable, path)
		token, err := tokenFor(server)
		if err != nil {
			require.Empty(t, token)
			for _, field := range strings.Fields(strings.ReplaceAll(doc, "TOKEN", "")) {
				if len(field) > 20 && !strings.Contains(path+server, field) {
					require.NotContains(t, err.Error(), field)
				}
			}
			return
		}
		if token == "" {
			return
		}
		require.Contains(t, strings.Fields(doc), token)
		wanted, err := originOf(server)
		require.NoError(t, err)
		require.True(t, private(wanted), "it travels in the clear")
	})
}
