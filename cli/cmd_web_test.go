package cli

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"croupier/internal/rundir"
	"croupier/internal/rundir/rundirtest"
	"croupier/internal/testproc"
	"croupier/messages"
	"croupier/messages/conduct"
	curvefile "croupier/messages/curves"
	"croupier/web/webtest"
)

// output is what a command has printed so far.
type output struct {
	mutex sync.Mutex
	text  bytes.Buffer
	ended chan struct{} // closed when the command has ended
}

func (o *output) Write(p []byte) (int, error) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return o.text.String()
}

var pageAddress = regexp.MustCompile(`Web page +(https?://\S+)`)

// served runs a command with a page until the test ends and returns the page's address.
func served(t *testing.T, args ...string) string {
	t.Helper()
	return pageOf(started(t, pageAddress, args...))
}

// pageOf returns the address of the page that a command has printed.
func pageOf(out *output) string {
	return strings.TrimSuffix(pageAddress.FindStringSubmatch(out.String())[1], "/")
}

// started runs a command until the test ends. It returns once the command has printed what is waited for.
func started(t *testing.T, until *regexp.Regexp, args ...string) *output {
	t.Helper()
	out, end := begun(t, args...)
	t.Cleanup(func() { require.Zero(t, end(), out) })
	out.await(t, until)
	return out
}

// begun runs a command. end interrupts it, if it has not ended, and returns its status.
func begun(t *testing.T, args ...string) (out *output, end func() int) {
	t.Helper()
	ctx, interrupt := context.WithCancel(context.Background())
	out, status := &output{ended: make(chan struct{})}, 0
	go func() {
		defer close(out.ended)
		status = installed.run(ctx, args, strings.NewReader(""), out, out)
	}()
	end = func() int {
		interrupt()
		<-out.ended
		return status
	}
	t.Cleanup(func() { end() })
	return out, end
}

// await waits until the command has printed what is waited for.
func (o *output) await(t *testing.T, until *regexp.Regexp) {
	t.Helper()
	for end := time.After(patience); !until.MatchString(o.String()); {
		select {
		case <-o.ended:
			require.Regexp(t, until, o.String(), "the command has ended")
		case <-end:
			require.Fail(t, "the command does not say it", "%v: %v", until, o)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// patience is how long a test waits for what must happen in the end.
const patience = 2 * time.Minute

// process starts croupier as a process of its own.
func process(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Stderr = os.Stderr
	require.NoError(t, testproc.Start(cmd))
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	return cmd
}

const ending = `document.getElementById("ending").textContent`

// A training that continues in another process is seen live, without its broker's address; when the
// process is killed, the page says so, and when the run continues, it is live again.
func TestRunIsSeenLiveAndKilled(t *testing.T) {
	t.Parallel()
	runs := t.TempDir()
	dir := filepath.Join(runs, "night")
	args := trainArgs("kuhn", "--run", dir)
	training := process(t, args...)
	address := served(t, "web", "--runs", runs, "--listen", "127.0.0.1:0", "-q")
	b := webtest.NewBrowser(t, 1280, 900)
	b.Do(chromedp.Navigate(address))
	b.Until(`document.querySelector('tr[data-run="night"] .badge')?.textContent === "running"`)
	require.False(t, webtest.Evaluate[bool](b, `document.querySelector("[data-delete]") !== null`),
		"a running run cannot be deleted")
	b.Do(chromedp.Navigate(address + "/runs/night/"))
	b.Until(`document.getElementById("link").textContent === "live"`)
	b.Until(`document.querySelectorAll("#charts svg .line").length > 3`)
	require.Empty(t, webtest.Evaluate[string](b, ending))
	secret, err := os.ReadFile(filepath.Join(dir, rundir.KeyFile))
	require.NoError(t, err)
	for _, path := range []string{"/", "/api/runs", "/runs/night/cluster", "/runs/night/api/run",
		"/runs/night/api/roles"} {
		require.NotContains(t, fetched(t, address+path), strings.TrimSpace(string(secret)), path)
	}
	info, err := os.Stat(filepath.Join(dir, rundir.KeyFile))
	require.NoError(t, err)
	require.Zero(t, info.Mode().Perm()&0o077, "the key is for its owner alone")

	require.NoError(t, training.Process.Kill())
	training.Wait()
	b.Until(ending + `.startsWith("Training was interrupted")`)
	b.Until(`document.getElementById("link").textContent === "interrupted"`)
	require.FileExists(t, filepath.Join(dir, "broker.json"), "what a killed process leaves")

	process(t, append(trainArgs("--resume"), "--run", dir)...)
	b.Until(`document.getElementById("link").textContent === "live"`)
	b.Until(ending + ` === ""`)
	require.True(t, rundir.Held(dir, messages.LearnerRole))
}

func fetched(t *testing.T, url string) string {
	t.Helper()
	response, err := http.Get(url)
	require.NoError(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return string(text)
}

// addCurves adds points at 1,000 and 2,000 seconds to the curves of a run that has ended, which by itself
// may have ended before anything was rated.
func addCurves(t *testing.T, dir string, curves map[string]string) {
	t.Helper()
	w, err := curvefile.Open(filepath.Join(dir, rundir.CurvesFile))
	require.NoError(t, err)
	for series, source := range curves {
		for _, seconds := range []float64{1000, 2000} {
			data, err := messages.Encode(&messages.Points{
				Schema: messages.SchemaVersion, Source: source, Seconds: seconds, Samples: uint64(seconds),
				Points: []*messages.Point{{Series: series, Value: 0.6}},
			})
			require.NoError(t, err)
			require.NoError(t, w.Append(w.Next(), data))
		}
	}
	require.NoError(t, w.Close())
}

// An ended run is shown, compared and deleted without any broker.
func TestRunsThatHaveEnded(t *testing.T) {
	t.Parallel()
	runs := t.TempDir()
	kept, err := os.ReadFile(filepath.Join(trained(t), rundir.CurvesFile))
	require.NoError(t, err)
	require.Contains(t, string(kept), `"entropy"`, "the learner's curves are kept, however short the training was")
	for _, name := range []string{"evening", "morning"} {
		require.NoError(t, os.CopyFS(filepath.Join(runs, name), os.DirFS(trained(t))))
	}
	config := filepath.Join(runs, "morning", rundir.ConfigFile)
	text, err := os.ReadFile(config)
	require.NoError(t, err)
	text = bytes.Replace(text, []byte("gamma: 1\n"), []byte("gamma: 0.9\n"), 1)
	text = append(text[:bytes.LastIndexByte(bytes.TrimSpace(text), '\n')+1], rundir.ByHand+"\n"...)
	require.NoError(t, os.WriteFile(config, text, 0o600))
	for _, name := range []string{"evening", "morning"} {
		addCurves(t, filepath.Join(runs, name), map[string]string{"rating/newest": messages.LeagueRole})
	}
	addCurves(t, filepath.Join(runs, "morning"), map[string]string{
		"rating/hunter": messages.LeagueRole, "exploit_share/hunter": messages.LeagueRole,
		"entropy": messages.LearnerOf("hunter"),
	})
	address := served(t, "web", "--runs", runs, "--listen", "127.0.0.1:0", "-q")
	b := webtest.NewBrowser(t, 390, 844)
	b.Do(chromedp.Navigate(address))
	b.Until(`document.querySelectorAll("tr[data-run]").length === 2`)
	b.Keep("runs")
	b.Axe()
	require.LessOrEqual(t, webtest.Evaluate[int](b, "document.documentElement.scrollWidth - innerWidth"), 0)
	webtest.Evaluate[any](b, `document.querySelector('a[href="/runs/evening/"]').click()`)
	b.Until(`document.getElementById("link")?.textContent === "ended"`)
	require.Regexp(t, `^Training ended .* after .*, best Version \d`, webtest.Evaluate[string](b, ending))
	b.Until(`document.querySelectorAll("#charts svg .line").length > 3`)
	b.Keep("ended")
	b.Do(chromedp.Navigate(address + "/runs/evening/league"))
	b.Until(`document.querySelectorAll(".ladder tbody tr").length > 3`)
	b.Until(`document.querySelectorAll("#population tbody tr").length > 1`)
	b.Until(`document.getElementById("matchmaking").textContent.includes("the training has ended")`)

	b.Do(chromedp.Navigate(address + "/runs/evening/cluster"))
	b.Until(`document.querySelectorAll("tr[data-actor]").length > 0`)
	_, listed, _ := croupier("", "status", "--run", filepath.Join(runs, "evening"), "--json")
	var account struct{ Ledger struct{ Received uint64 } }
	require.NoError(t, json.Unmarshal([]byte(listed), &account))
	require.Positive(t, account.Ledger.Received)
	var given conduct.Contributions
	response, err := http.Get(address + "/runs/evening/api/actors")
	require.NoError(t, err)
	defer response.Body.Close()
	require.NoError(t, json.NewDecoder(response.Body).Decode(&given))
	sum := given.Others.Consumed
	for _, a := range given.Actors {
		sum += a.Consumed
	}
	require.Equal(t, account.Ledger.Received, sum, "the games of all actors are those of the account")
	share := fmt.Sprintf("%.1f\u202f%%", 100*float64(given.Actors[0].Consumed)/float64(sum)) // all that was booked
	require.Equal(t, share, webtest.Evaluate[string](
		b, `document.querySelector('tr[data-actor] [data-label="Share"]').textContent`))
	b.Axe()
	require.LessOrEqual(t, webtest.Evaluate[int](b, "document.documentElement.scrollWidth - innerWidth"), 0)
	b.Keep("contributions")

	// Two runs are compared on all charts within three clicks.
	b.Do(chromedp.Navigate(address))
	b.Until(`document.querySelector('[data-tick="evening"]') !== null`)
	b.Click(`[data-tick="evening"]`)
	b.Click(`[data-tick="morning"]`)
	b.Click("#compare")
	const drawn = `[...document.querySelectorAll("#charts [data-series]")].every((c) => c.querySelectorAll("svg .line").length > 0)`
	b.Until(`document.querySelectorAll("#charts [data-series]").length > 10 && ` + drawn)
	webtest.Evaluate[any](b, `document.getElementById("apart").open = true`)
	chart := func(series string) string { return fmt.Sprintf(`[data-series=%q] `, series) }
	for series, want := range map[string]string{
		"rating/newest": "evening|morning|morning, hunter", "entropy": "evening|morning|morning, hunter",
		"exploit_share": "morning, hunter",
	} {
		b.Until(fmt.Sprintf(`document.querySelectorAll(%q).length >= %d`, chart(series)+"svg .line", strings.Count(want, "|")+1))
		require.Equal(t, want, webtest.Evaluate[string](
			b, fmt.Sprintf(`[...document.querySelectorAll(%q)].map((l) => l.dataset.value).join("|")`, chart(series)+"[data-value]")),
			series)
	}
	// What is hidden, the groups and the axis are in the address, and hold when it is opened again.
	b.Click(`#compared input[data-run="evening"]`)
	webtest.Evaluate[any](b, `{ const s = document.getElementById("by"); s.value = "learner.gamma"; s.dispatchEvent(new Event("change")); }`)
	webtest.Evaluate[any](b, `document.querySelector('#axis input[value="samples"]').click()`)
	const entropy = `[...document.querySelectorAll('[data-series="entropy"] [data-value]')].map((l) => l.dataset.value).join("|")`
	const grouped = "learner.gamma 0.9|learner.gamma 0.9, hunter"
	b.Until(entropy + ` === "` + grouped + `"`)
	require.Equal(t, "?run=evening&run=morning&hide=evening&axis=samples&by=learner.gamma",
		webtest.Evaluate[string](b, "location.search"))
	b.Do(chromedp.Reload())
	b.Until(entropy + ` === "` + grouped + `"`)
	require.True(t, webtest.Evaluate[bool](b, `document.querySelector('#axis input[value="samples"]').checked`))
	require.Equal(t, "learner.gamma|1|0.9", webtest.Evaluate[string](b,
		`[...document.querySelector("#settings tbody tr").cells].map((c) => c.textContent).join("|")`))
	b.Axe()
	require.LessOrEqual(t, webtest.Evaluate[int](b, "document.documentElement.scrollWidth - innerWidth"), 0)
	webtest.Evaluate[any](b, `document.getElementById("play").click()`)
	b.Until(`document.querySelectorAll("#ladder tbody tr").length === 2`)
	require.Contains(t, webtest.Evaluate[string](b, `document.getElementById("ladder").textContent`), "morning-main@")
	b.Keep("compare")

	b.Do(chromedp.Navigate(address + "/runs/evening/"))
	b.Until(`document.getElementById("link")?.textContent === "ended"`)
	b.Clean()
	require.NoError(t, os.RemoveAll(filepath.Join(runs, "evening")))
	b.Until(`document.getElementById("banner").textContent.startsWith("This run is no longer there")`)
	require.NoError(t, os.CopyFS(filepath.Join(runs, "evening"), os.DirFS(trained(t))))
	b.Until(`document.getElementById("link")?.textContent === "ended"`)
	b.Forget()

	b.Do(chromedp.Navigate(address))
	b.Until(`document.querySelectorAll("tr[data-run]").length === 2`)
	b.Do(chromedp.SendKeys("#search", "morn"))
	b.Until(`document.querySelectorAll("tr[data-run]").length === 1`)
	webtest.Evaluate[any](b, `document.querySelector('[data-delete="morning"]').click()`)
	b.Until(`document.getElementById("confirm").open`)
	require.Contains(t, webtest.Evaluate[string](b, `document.getElementById("confirm-text").textContent`),
		"Delete run morning")
	webtest.Evaluate[any](b, `document.querySelector('#confirm button[value="cancel"]').click()`)
	b.Until(`!document.getElementById("confirm").open`)
	require.DirExists(t, filepath.Join(runs, "morning"))
	webtest.Evaluate[any](b, `document.querySelector('[data-delete="morning"]').click()`)
	webtest.Evaluate[any](b, `document.querySelector('#confirm button[value="yes"]').click()`)
	b.Until(`document.querySelectorAll("tr[data-run]").length === 0`)
	require.NoDirExists(t, filepath.Join(runs, "morning"))
	b.Clean()
}

func TestKeptPage(t *testing.T) {
	t.Parallel()
	for name, length := range map[string][]string{
		"after learning":      {"--for", "1s"},
		"before an iteration": {"--for", "1ms", "--set", "learner.ppo.samples=10000000"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "evening")
			out, end := begun(t, append([]string{"train", "kuhn", "--run", dir, "--keep-page", "--actors", "1",
				"--set", "league.reference_sets=20", "--set", "league.final_sets=20", "--log-level", "error"}, length...)...)
			out.await(t, pageAddress)
			address := pageOf(out)
			out.await(t, regexp.MustCompile("The page stays at "+regexp.QuoteMeta(address)))
			requireHealthFinds(t, out.String())
			require.Contains(t, fetched(t, address+"/api/run"), `"ending":{"state":"ended"`)
			require.Contains(t, out.String(), "croupier train --resume --run "+dir)
			require.NotZero(t, readSession(t, dir).Ended, "the run has ended though its page stays")
			require.Zero(t, end(), out)
		})
	}
}

func readSession(t *testing.T, dir string) rundir.Session {
	s, err := rundir.ReadSession(dir)
	require.NoError(t, err)
	return s
}

func TestWebRefuses(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"web", "--listen", "0.0.0.0:0"},
			"opens the page to other machines: add --https-cert and --https-key for TLS, " +
				"and --token-file or --users for a login; or --insecure"},
		{[]string{"web", "--listen", ":0", "--allow-host", "a"}, "opens the page to other machines"},
		{[]string{"web", "--listen", ":0", "--token-file", "token"},
			"add --https-cert and --https-key for TLS; or --insecure"},
		{[]string{"web", "--listen", ":0", "--https-cert", "a", "--https-key", "b"},
			"add --token-file or --users for a login; or"},
		{[]string{"play", "--listen", "192.0.2.1:0"}, "opens the page to other machines"},
		{[]string{"train", "kuhn", "--listen", "0.0.0.0:0"}, "opens the page to other machines"},
		{[]string{"train", "kuhn", "--listen", "[::]:0", "--json-logs"}, "opens the page to other machines"},
		{[]string{"web", "--nats", "nats://x", "--run", "r", "--listen", "0.0.0.0:0"}, "opens the page to other machines"},
		{[]string{"web", "--https-cert", "a"}, "--https-cert and --https-key belong together"},
		{[]string{"web", "--listen", "8080"}, "--listen 8080: it must look like HOST:PORT"},
		{[]string{"web", "--run", "runs/evening"}, "--run and --metrics are for the broker of --nats"},
		{[]string{"web", "--creds", "x"}, "the broker of --nats, which is not given"},
		{[]string{"web", "--nats", "nats://x"}, "name the run on the broker"},
		{[]string{"web", "--train", "--nats", "nats://x", "--run", "r"}, "--train is for the page of all runs"},
		{[]string{"web", "--train", "--listen", "0.0.0.0:0", "--insecure"}, "trainings are begun on this one alone"},
		{[]string{"web", "--train", "--allow-host", "a"}, "add --token-file or --users for a login"},
		{[]string{"train", "kuhn", "--keep-page"}, "--keep-page: it needs"},
	} {
		t.Run(strings.Join(test.args, " "), func(t *testing.T) {
			t.Chdir(t.TempDir())
			require.Contains(t, refused(t, 2, test.args...), test.want)
		})
	}
}

func TestRunsCommand(t *testing.T) {
	runs := t.TempDir()
	status, stdout, _ := croupier("", "runs", "--runs", runs)
	require.Zero(t, status)
	require.Contains(t, stdout, "There are no runs below "+runs)
	require.NoError(t, os.CopyFS(filepath.Join(runs, "evening"), os.DirFS(trained(t))))
	rundirtest.Create(t, filepath.Join(runs, "broken"), rundir.Info{ID: "broken", Game: "pig"})
	status, stdout, _ = croupier("", "runs", "--runs", runs)
	require.Zero(t, status)
	require.Regexp(t, `evening +kuhn +ended .*main@\d`, stdout)
	require.Contains(t, stdout, "broken: open "+filepath.Join(runs, "broken", "config.yaml"))
	status, stdout, _ = croupier("", "runs", "--runs", runs, "--json")
	require.Zero(t, status)
	require.Contains(t, stdout, `"id": "evening"`)
}

// A tournament is played for the client that reads its answer, one at a time.
func TestTournamentEndsWithItsReader(t *testing.T) {
	runs := t.TempDir()
	require.NoError(t, os.CopyFS(filepath.Join(runs, "evening"), os.DirFS(trained(t))))
	address := served(t, "web", "--runs", runs, "--listen", "127.0.0.1:0", "-q")
	tournament := func(games int) (*http.Response, *bufio.Reader) {
		body := fmt.Sprintf(`{"agents": [{"run": "evening", "agent": "main@1"}, {"agent": "random"}], "games": %d}`, games)
		response, err := http.Post(address+"/api/tournament", "application/json", strings.NewReader(body))
		require.NoError(t, err)
		return response, bufio.NewReader(response.Body)
	}
	whole := func() string {
		response, reader := tournament(1)
		defer response.Body.Close()
		all, err := io.ReadAll(reader)
		require.NoError(t, err)
		return string(all)
	}
	long, lines := tournament(100_000)
	line, err := lines.ReadString('\n')
	require.NoError(t, err)
	require.Contains(t, line, `"matches":`)
	require.Contains(t, whole(), "another tournament")
	require.NoError(t, long.Body.Close())
	for !strings.Contains(whole(), `"ladder":`) { // once it has ended
		time.Sleep(50 * time.Millisecond)
	}
}

// A page for other machines: TLS, a login by name that the file of users decides, a token for machines.
func TestWebWithLogin(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, testproc.Run(exec.Command("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
		"ec_paramgen_curve:P-256", "-nodes",
		"-subj", "/CN=localhost", "-keyout", "page.key", "-out", "page.pem")))
	passwd := func(password string, code int, args ...string) string {
		out := &output{}
		require.Equal(t, code, installed.run(t.Context(), append([]string{"web", "passwd"}, args...),
			strings.NewReader(password), out, out), out)
		return out.String()
	}
	require.Contains(t, passwd("correct horse\n", 0, "ann", "--users", "people"), "ann can log in")
	require.Contains(t, passwd("short\n", 1, "ann", "--users", "people"), "8 to 72 bytes")
	require.Contains(t, passwd("correct horse\n", 1, "a:b", "--users", "people"), "invalid name")
	address := served(t, "web", "--listen", "0.0.0.0:0", "--https-cert", "page.pem", "--https-key", "page.key",
		"--users", "people", "--token-file", "token", "-q")
	require.True(t, strings.HasPrefix(address, "https://"), address)
	require.NotContains(t, address, "token", "it stands in its file")
	address = strings.Replace(address, "[::]", "localhost", 1)
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	client := &http.Client{Jar: jar, Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	status := func(method, path, body, token string) int {
		request, err := http.NewRequest(method, address+path, strings.NewReader(body))
		require.NoError(t, err)
		request.Header.Set("Content-Type", "application/json")
		if token != "" {
			request.Header.Set("Authorization", "Bearer "+token)
		}
		response, err := client.Do(request)
		require.NoError(t, err)
		response.Body.Close()
		return response.StatusCode
	}
	require.Equal(t, 401, status("GET", "/api/runs", "", ""))
	require.Equal(t, 401, status("POST", "/api/login", `{"user": "ann", "password": "wrong"}`, ""))
	require.Equal(t, 204, status("POST", "/api/login", `{"user": "ann", "password": "correct horse"}`, ""))
	require.Equal(t, 200, status("GET", "/api/runs", "", ""))
	require.Equal(t, 204, status("POST", "/api/logout", "", ""))
	require.Equal(t, 401, status("GET", "/metrics", "", ""))
	token, err := os.ReadFile("token")
	require.NoError(t, err)
	require.Equal(t, 200, status("GET", "/metrics", "", strings.TrimSpace(string(token))))
}
