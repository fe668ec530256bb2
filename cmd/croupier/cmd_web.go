package main

import (
	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"croupier/web"
)

func newWebCommand() *cobra.Command {
	o := &roleOptions{role: "web"}
	var listen string
	var hosts []string
	cmd := newRoleCommand(o, "web", "Show a run in the browser, as a process of its own",
		`Web connects to a run's broker and serves the page with curves, ladder, population,
roles and advice. It changes nothing: it can be started and stopped at any time.`)
	cmd.Args = cobra.NoArgs
	cmd.Example = "  croupier web --nats nats://broker:4222 --run runs/evening --listen 127.0.0.1:8081"
	cmd.Flags().StringVar(&listen, "listen", "127.0.0.1:8080", "address of the web page")
	cmd.Flags().StringSliceVar(&hosts, "allow-host", nil, "further host names under which the page may be opened")
	cmd.RunE = action(func(cmd *cobra.Command, _ []string) error {
		ctx := cmd.Context()
		listener, moved, err := listenWeb(listen, cmd.Flags().Changed("listen"))
		if err != nil {
			return err
		}
		defer listener.Close()
		s, release, err := o.open(ctx, nil, cmd.ErrOrStderr())
		if err != nil {
			return stopped(ctx, err)
		}
		defer release()
		if moved {
			s.log.Warn("the default port is taken, using another", "taken", listen)
		}
		s.log.Info("web page", "url", "http://"+listener.Addr().String())
		feed, handler := s.newWeb(hosts)
		group, ctx := errgroup.WithContext(ctx)
		group.Go(func() error { return feed.Run(ctx) })
		group.Go(func() error { return web.Serve(ctx, listener, handler, s.log) })
		group.Go(func() error { return s.beat(ctx, "web", webValues(feed)) })
		return group.Wait()
	})
	return cmd
}
