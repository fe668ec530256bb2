package cluster

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A client of the page names no files of the machine, however deep a name hides one, and learns nothing of
// them: the answer to a file that is there is that to one that is not.
func TestThePageOpensNoFiles(t *testing.T) {
	f := newFolder(t)
	f.ended("evening", "pig", 3)
	there := filepath.Join(t.TempDir(), "there")
	require.NoError(t, os.WriteFile(there, []byte("not to be seen"), 0o600))
	var open struct {
		Table, Host, Watch string
		Keys               []string
	}
	history, err := json.Marshal(`{"game": "pig", "rules": {"target": 20}, "history": [0,4,0,5,0,3,1,1,0,4,1]}`)
	require.NoError(t, err)
	w := f.ask("POST", "/api/tables", `{"game": "pig", "seats": [{"person": "Ann"}, {"open": true}]}`)
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &open))
	at := func(what, key string) string { return fmt.Sprintf("/api/tables/%s/%s?key=%s", open.Table, what, key) }
	for _, path := range []string{there, there + "-not", "/dev/zero", "/etc/passwd", "../evening/config.yaml"} {
		for _, wrapped := range []string{
			"file:", "greedy:file:", "temperature(2):file:", "search:file:", "search(1,8):file:", "search:search:file:",
			"greedy:greedy:file:", "greedy:search:file:", "search:greedy:file:", "temperature(2):search(2):file:", " file:",
			"FILE:",
		} {
			name, err := json.Marshal(wrapped + path)
			require.NoError(t, err)
			for address, body := range map[string]string{
				"/api/advice":                `{"game": "pig", "agent": %s, "position": {"scores": [0, 0], "turn": 3, "seat": 0}}`,
				"/api/review":                `{"agent": %s, "histories": ` + string(history) + `}`,
				"/api/tables":                `{"game": "pig", "seats": [{"person": "Ann"}, {"agent": %s}]}`,
				at("fill", open.Host):        `{"agent": %s}`,
				at("thoughts", open.Keys[0]): `{"agent": %s}`,
				"/api/tournament":            `{"agents": [{"agent": %s}, {"run": "evening", "agent": "main@8"}], "games": 1}`,
			} {
				began := time.Now()
				w := f.ask("POST", address, fmt.Sprintf(body, name))
				require.NotEqual(t, http.StatusOK, w.Code, "%s %s: %s", address, name, w.Body)
				require.Less(t, w.Code, 500, "%s %s: %s", address, name, w.Body)
				require.Less(t, time.Since(began), 10*time.Second)
				said := strings.ReplaceAll(w.Body.String(), path, "PATH")
				if wrapped == "file:" {
					require.Contains(t, said, "files are not read here", address)
				}
				for _, leak := range []string{"no such file", "denied", "network file", "not to be", "regular", "root:"} {
					require.NotContains(t, said, leak, "%s %s", address, name)
				}
			}
		}
	}
}
