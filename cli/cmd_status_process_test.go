package cli

import (
	"encoding/json"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
)

func TestStatusOfAProcess(t *testing.T) {
	well := true
	role := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		require.Equal(t, "/healthz", r.URL.Path)
		if !well {
			http.Error(w, "the disk is full", http.StatusServiceUnavailable)
			return
		}
		w.Write([]byte("ok\n"))
	}))
	defer role.Close()
	address := strings.TrimPrefix(role.URL, "http://")
	require.Equal(t, "ok\n", succeed(t, "", "status", "--process", address))

	well = false
	said := refused(t, 1, "status", "--process", address)
	require.Contains(t, said, "503")
	require.Contains(t, said, "the disk is full")

	role.Close()
	require.Contains(t, refused(t, 1, "status", "--process", address), "nothing listens at "+address)
	require.Contains(t, refused(t, 2, "status", "--process", "no address:at all"), "HOST:PORT")
	require.Contains(t, refused(t, 2, "status", "--process", role.URL), "is not HOST:PORT")
}

// The certificate of a page is for its public name, and no reason to call it unwell on its own machine.
func TestStatusOfAProcessWithACertificate(t *testing.T) {
	page := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Write([]byte("ok\n"))
	}))
	page.Config.ErrorLog = log.New(io.Discard, "", 0)
	page.StartTLS()
	defer page.Close()
	address := strings.TrimPrefix(page.URL, "https://")
	require.Equal(t, "ok\n", succeed(t, "", "status", "--process", page.URL))
	require.Contains(t, refused(t, 1, "status", "--process", address), "ask https://"+address)
	require.Contains(t, refused(t, 2, "status", "--process", page.URL+"/healthz"), "https://HOST:PORT")
}

// requireHealthFinds requires that a process answers at the address that the help names, where a command listens that
// was started without one, and which has printed the text. Another program may have the port; then the command says
// that it wanted that one.
func requireHealthFinds(t *testing.T, printed string) {
	t.Helper()
	if strings.Contains(printed, "http://"+defaultListen) {
		require.Equal(t, "ok\n", succeed(t, "", "status", "--process", defaultListen))
		return
	}
	require.Contains(t, printed, "("+defaultListen+" is taken)")
}

func TestHealthFindsWhatListensByDefault(t *testing.T) {
	for _, args := range [][]string{
		{"web", "--runs", t.TempDir(), "-q"}, {"play", "--runs", t.TempDir(), "-q"},
		{"serve", "trained", "--game", "kuhn", "-q"},
	} {
		t.Run(args[0], func(t *testing.T) {
			requireHealthFinds(t, started(t, regexp.MustCompile(`http://\S+.*\n`), args...).String())
		})
	}
}

// address finds addresses with a port that somebody chose.
var address = regexp.MustCompile(`\b(?:127\.0\.0\.1|localhost|0\.0\.0\.0):[1-9]\d*`)

// TestNothingIsAskedWhereNothingListens compares the addresses in the help of every command, examples aside, and those
// that its flags have by default, with those where commands listen by default.
func TestNothingIsAskedWhereNothingListens(t *testing.T) {
	listened, named := map[string]bool{}, map[string]string{}
	var look func(*cobra.Command)
	look = func(c *cobra.Command) {
		note := func(text, where string) {
			for _, a := range address.FindAllString(text, -1) {
				named[a] = c.CommandPath() + " " + where
			}
		}
		note(c.Short+c.Long, "(help)")
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Name == "listen" || f.Name == "metrics" {
				listened[f.DefValue] = true
			}
			note(f.DefValue+" "+f.Usage, "--"+f.Name)
		})
		for _, sub := range c.Commands() {
			look(sub)
		}
	}
	look(newRootCommand(installed))
	require.Contains(t, named, defaultListen)
	for a, where := range named {
		require.True(t, listened[a], "%s names %s, where nothing listens by default", where, a)
	}
}

// The check of the container image asks the port that deploy/compose.yaml gives the roles.
func TestContainersAskWhereTheirRolesListen(t *testing.T) {
	line := regexp.MustCompile(`HEALTHCHECK .* CMD (\[.*\])`).FindSubmatch(readFile(t, "../deploy/Dockerfile"))
	require.NotNil(t, line)
	var call []string
	require.NoError(t, json.Unmarshal(line[1], &call))
	require.Len(t, call, 4)
	require.Equal(t, []string{"croupier", "status", "--process"}, call[:3])
	_, asked, found := strings.Cut(call[3], ":")
	require.True(t, found)
	given := regexp.MustCompile(`--metrics=\S+:(\d+)`).FindAllSubmatch(readFile(t, "../deploy/compose.yaml"), -1)
	require.NotEmpty(t, given)
	for _, port := range given {
		require.Equal(t, string(port[1]), asked)
	}
}
