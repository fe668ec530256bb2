package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"

	"croupier/cluster"
	"croupier/internal/certificate"
	"croupier/internal/login"
	"croupier/internal/plural"
	"croupier/internal/reach"
	"croupier/sweep"
	"croupier/web"
)

// defaultListen is where pages are opened unless --listen says otherwise.
const defaultListen = "127.0.0.1:8080"

// pageFlags say where a page can be opened, and by whom.
type pageFlags struct {
	what      string
	listen    string
	hosts     []string
	tokenFile string
	users     string // file
	cert, key string // files
	insecure  bool
	proxies   []string
	sessions  string // file

	token string // that was made, and is to be printed once
}

// add adds the flags; what is opened there ("page") is in their descriptions and in refusals.
func (p *pageFlags) add(cmd *cobra.Command, what, off string) {
	p.what = what
	f := cmd.Flags()
	f.StringVar(&p.listen, "listen", defaultListen, "address of the "+what+off)
	f.StringSliceVar(&p.hosts, "allow-host", nil, "additional host names under which the "+what+" may be opened")
	f.StringVar(&p.tokenFile, "token-file", "",
		"file with the login token of the "+what+"; made if there is none")
	f.StringVar(&p.users, "users", "", "file with the users who may log in to the "+what+", made by croupier web passwd")
	f.StringVar(&p.sessions, "sessions", "",
		"file that keeps logins when the program starts again (default: they end with it)")
	f.StringSliceVar(&p.proxies, "trusted-proxy", nil,
		"address or network (10.0.0.0/8) of a reverse proxy whose X-Forwarded-For names the client, for the limit of login attempts")
	f.StringVar(&p.cert, "https-cert", "", "PEM file with the certificate of the "+what+"; read again when it changes")
	f.StringVar(&p.key, "https-key", "", "PEM file with the key of --https-cert")
	f.BoolVar(&p.insecure, "insecure", false, "open the "+what+" to other machines though it lacks TLS or a login")
	group(f, pageGroup, "listen", "allow-host", "token-file", "users", "sessions", "trusted-proxy", "https-cert", "https-key",
		"insecure")
}

// open opens the page's port. The caller closes the listener. moved says that the default port is
// taken, and another one used. out is where a token can be printed: a terminal, or nowhere.
func (p *pageFlags) open(cmd *cobra.Command, out io.Writer, log *slog.Logger) (page cluster.Page, moved bool,
	err error) {
	if err = p.check(out); err != nil {
		return page, false, err
	}
	page.AllowedHosts, page.People, page.Tables = p.hosts, peopleFolder(), tablesFolder()
	if p.cert != "" {
		if page.Certificate, err = certificate.Follow(p.cert, p.key, log); err != nil {
			return page, false, fmt.Errorf("--https-cert: %w", err)
		}
	}
	if page.Door, err = p.door(log); err != nil {
		return page, false, err
	}
	page.Listener, moved, err = cluster.ListenPage(p.listen, cmd.Flags().Changed("listen"))
	return page, moved, err
}

// check refuses to open the page to other machines without TLS and a login, unless that is what is wanted.
// On a terminal, a token can be made and printed.
func (p *pageFlags) check(out io.Writer) error {
	if (p.cert == "") != (p.key == "") {
		return usage("--https-cert and --https-key belong together")
	}
	beyond, err := p.beyond()
	if err != nil || !beyond || p.insecure {
		return err
	}
	var missing []string
	if p.cert == "" {
		missing = append(missing, "--https-cert and --https-key for TLS")
	}
	if !p.guarded() && !(p.cert != "" && isTerminal(out)) {
		missing = append(missing, "--token-file or --users for a login")
	}
	if len(missing) == 0 {
		return nil
	}
	return usage("--listen %s opens the %s to other machines: add %s; or --insecure, if anybody who reaches it may use it, "+
		"or if something in front of it sees to that", p.listen, p.what, strings.Join(missing, ", and "))
}

// beyond reports whether other machines reach the address of the page.
func (p *pageFlags) beyond() (bool, error) { return beyond("--listen", p.listen) }

// beyond reports whether other machines reach the address that a flag gives.
func beyond(flag, listen string) (bool, error) {
	host, _, err := reach.Split(listen)
	if err != nil {
		return false, usage("%s %s: %w", flag, listen, err)
	}
	address := net.ParseIP(host)
	return host != "localhost" && (address == nil || !address.IsLoopback()), nil
}

// guarded reports whether there is a login.
func (p *pageFlags) guarded() bool { return p.tokenFile != "" || p.users != "" }

// door makes the login, nil for none.
func (p *pageFlags) door(log *slog.Logger) (*login.Door, error) {
	o := login.Options{Secure: p.cert != "", Sessions: p.sessions, Log: log}
	var err error
	for _, text := range p.proxies {
		proxy, err := parseNetwork(text)
		if err != nil {
			return nil, usage("--trusted-proxy %s: %w", text, err)
		}
		o.Proxies = append(o.Proxies, proxy)
	}
	made := false
	if p.tokenFile != "" {
		if o.Token, made, err = login.ReadToken(p.tokenFile); err != nil {
			return nil, fmt.Errorf("--token-file: %w", err)
		}
		if made {
			log.Info("a token for the "+p.what+" was made", "file", p.tokenFile)
		}
	}
	if p.users != "" {
		if o.Users, err = login.ReadUsers(p.users, log); err != nil {
			return nil, fmt.Errorf("--users: %w", err)
		}
	}
	if !p.guarded() {
		if beyond, err := p.beyond(); !beyond || p.insecure {
			return nil, err
		}
		o.Token, made = login.NewToken(), true
	}
	if made {
		p.token = o.Token
	}
	door, err := login.New(o)
	if err != nil {
		return nil, fmt.Errorf("--sessions: %w", err)
	}
	return door, nil
}

// parseNetwork reads an address, or a network as 10.0.0.0/8.
func parseNetwork(text string) (netip.Prefix, error) {
	if strings.Contains(text, "/") {
		return netip.ParsePrefix(text)
	}
	ip, err := netip.ParseAddr(text)
	if err != nil {
		return netip.Prefix{}, err
	}
	return ip.Prefix(ip.BitLen())
}

// address returns the page's URL as it is shown to people: with the token, if it was made now and out
// is a terminal.
func (p *pageFlags) address(page cluster.Page, path string, out io.Writer) string {
	if p.token == "" || !isTerminal(out) {
		return page.URL() + path
	}
	return page.URL() + "/login#token=" + p.token
}

// hubFlags are those of commands that serve the page of all runs.
type hubFlags struct {
	program
	pageFlags
	runs   string
	trains func(args ...string) *exec.Cmd // begins trainings of the page; nil: none are begun there
}

func (h *hubFlags) add(cmd *cobra.Command) {
	h.pageFlags.add(cmd, "page", "")
	cmd.Flags().StringVar(&h.runs, "runs", "runs", "directory of runs")
}

// serveHub serves the page of all runs until ctx ends. It says on out where it is, opened at the
// given path ("/", "/play"), and to whom.
func (h *hubFlags) serveHub(ctx context.Context, cmd *cobra.Command, path string, log *slog.Logger,
	out io.Writer) error {
	if err := h.check(out); err != nil {
		return err
	}
	runs, err := cluster.CountRuns(h.runs)
	if err != nil {
		return err
	}
	page, moved, err := h.open(cmd, out, log)
	if err != nil {
		return err
	}
	defer page.Listener.Close()
	fmt.Fprintf(out, "Web page       %s", h.address(page, path, out))
	if moved {
		fmt.Fprintf(out, " (%s is taken)", h.listen)
	}
	fmt.Fprintf(out, "\nRuns           %s: %s\n", h.runs, howMany(runs))
	if beyond, err := h.beyond(); err == nil && (beyond || len(h.hosts) > 0) {
		fmt.Fprintln(out, h.openTo(page))
	}
	sweeps := []web.Page{sweep.Page(h.catalog, h.runs, log)}
	return cluster.RunsServer{
		Catalog: h.catalog, Dir: h.runs, Page: page, Home: sweeps, Log: log, Train: h.trains,
		Judge: again(),
	}.Serve(ctx)
}

// openTo reports what others can do who reach the page.
func (h *hubFlags) openTo(page cluster.Page) string {
	who := "Open to others who reach it"
	if len(h.hosts) > 0 {
		who += " as " + strings.Join(h.hosts, " or ")
	}
	if page.Door != nil {
		who += " and log in"
	}
	what := ": they see all runs, play and ask for advice"
	if h.trains != nil {
		what += ", begin and stop trainings"
	}
	return who + what + "; runs cannot be deleted"
}

func howMany(runs int) string {
	switch runs {
	case 0:
		return "none yet"
	}
	return plural.Of(runs, "run")
}
