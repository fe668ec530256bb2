package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"

	"github.com/spf13/cobra"

	"croupier/cluster"
)

// pageFlags say where a page can be opened.
type pageFlags struct {
	listen string
	hosts  []string
}

func (p *pageFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&p.listen, "listen", "127.0.0.1:8080", "address of the web page")
	f.StringSliceVar(&p.hosts, "allow-host", nil, "additional host names under which the page may be opened")
}

// open opens the page's port. The caller closes the listener. moved says that the default port is
// taken, and another one used.
func (p *pageFlags) open(cmd *cobra.Command) (page cluster.Page, moved bool, err error) {
	page.AllowedHosts, page.People = p.hosts, peopleFolder()
	page.Listener, moved, err = cluster.ListenPage(p.listen, cmd.Flags().Changed("listen"))
	return page, moved, err
}

// checkOpen refuses an address that other machines reach, unless the names for it are given: whoever
// opens the page to others should say so twice.
func (p *pageFlags) checkOpen() error {
	host, _, err := net.SplitHostPort(p.listen)
	if err != nil {
		return usage("--listen %s: %v", p.listen, err)
	}
	if address := net.ParseIP(host); host == "localhost" || address != nil && address.IsLoopback() || len(p.hosts) > 0 {
		return nil
	}
	return usage("--listen %s opens the page to other machines: add --allow-host with the name or address under which they "+
		"open it, such as --allow-host 192.168.1.20", p.listen)
}

// hubFlags are those of commands that serve the page of all runs.
type hubFlags struct {
	pageFlags
	runs string
}

func (h *hubFlags) add(cmd *cobra.Command) {
	h.pageFlags.add(cmd)
	cmd.Flags().StringVar(&h.runs, "runs", "runs", "directory of runs")
}

// serveHub serves the page of all runs until ctx ends. It says on out where it is, opened at the
// given path ("/", "/play"), and to whom.
func (h *hubFlags) serveHub(ctx context.Context, cmd *cobra.Command, path string, log *slog.Logger, out io.Writer) error {
	if err := h.checkOpen(); err != nil {
		return err
	}
	runs, err := cluster.CountRuns(h.runs)
	if err != nil {
		return err
	}
	page, moved, err := h.open(cmd)
	if err != nil {
		return err
	}
	defer page.Listener.Close()
	address := page.Listener.Addr().String()
	fmt.Fprintf(out, "Web page       http://%s%s", address, path)
	if moved {
		fmt.Fprintf(out, " (%s is taken)", h.listen)
	}
	fmt.Fprintf(out, "\nRuns           %s: %s\n", h.runs, howMany(runs))
	for _, name := range h.hosts {
		fmt.Fprintf(out, "Open to others who reach %s as %s: they see all runs, play and ask for advice; nobody deletes runs\n",
			address, name)
	}
	return cluster.Hub{Dir: h.runs, Page: page, Log: log}.Serve(ctx)
}

func howMany(runs int) string {
	switch runs {
	case 0:
		return "none yet"
	case 1:
		return "one run"
	}
	return fmt.Sprintf("%d runs", runs)
}
