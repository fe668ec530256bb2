package main

import (
	"github.com/spf13/cobra"

	"croupier/cluster"
)

func newWebCommand() *cobra.Command {
	o := &roleFlags{}
	var listen string
	var hosts []string
	cmd := newRoleCommand(o, "web", "Show a run in the browser, as a process of its own",
		`Web connects to a run's broker and serves pages with curves, ladder, population, roles
and advice. It changes nothing, so it can be started and stopped at any time.`)
	cmd.Args = cobra.NoArgs
	cmd.Example = "  croupier web --nats nats://broker:4222 --run runs/evening --listen 127.0.0.1:8081"
	cmd.Flags().StringVar(&listen, "listen", "127.0.0.1:8080", "address of the web page")
	cmd.Flags().StringSliceVar(&hosts, "allow-host", nil, "additional host names under which the page may be opened")
	cmd.RunE = action(func(cmd *cobra.Command, _ []string) error {
		p, err := o.process(cmd.ErrOrStderr())
		if err != nil {
			return err
		}
		listener, moved, err := cluster.ListenPage(listen, cmd.Flags().Changed("listen"))
		if err != nil {
			return err
		}
		defer listener.Close()
		if moved {
			p.Log.Warn("the default port is taken, using another", "taken", listen)
		}
		return p.ServeWeb(cmd.Context(), cluster.Page{Listener: listener, AllowedHosts: hosts})
	})
	return cmd
}
