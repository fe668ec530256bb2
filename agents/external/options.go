package external

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"croupier/internal/dialogue"
)

// The kinds of agents outside this program, which begin their names.
const (
	kindExec  = "exec"
	kindHTTP  = "http"
	kindHTTPS = "https"
)

// Options are how an agent is reached and what it may use.
type Options struct {
	dialogue.Options
	command []string // of a process
	url     string   // of a server
}

// defaults are the options without parentheses.
var defaults = Options{Options: dialogue.Options{Time: 5 * time.Second, Copies: 1}}

// Parse reads the name of an agent: exec:COMMAND, exec(OPTIONS):COMMAND, http://HOST/PATH,
// https://HOST/PATH or http(OPTIONS):URL.
func Parse(name string) (Options, error) {
	o := defaults
	kind, rest, err := o.Cut(name)
	if err != nil {
		return o, err
	}
	if kind == kindExec {
		if o.command, err = dialogue.Words(rest); err != nil {
			return o, fmt.Errorf("command: %w", err)
		}
		if len(o.command) == 0 {
			return o, errors.New("it does not say which program: it must look like exec:COMMAND")
		}
		return o, nil
	}
	if strings.HasPrefix(rest, "//") {
		rest = kind + ":" + rest
	}
	u, err := url.Parse(rest)
	switch {
	case err != nil:
		return o, err
	case u.Scheme != kindHTTP && u.Scheme != kindHTTPS || u.Hostname() == "":
		return o, errors.New("it does not say which server: it must look like http://HOST:PORT/PATH")
	case u.User != nil:
		return o, fmt.Errorf("a name must not contain a password: put the token into the file named by %s", CredentialsVariable)
	case o.Memory != 0:
		return o, errors.New("memory: only a process of this machine can be limited, not a server")
	}
	o.url = rest
	return o, nil
}

// start starts the process, or makes the client of the server.
func (o *Options) start(ctx context.Context) (transport, error) {
	if o.command != nil {
		p, err := dialogue.Start(ctx, o.command, o.Memory, maxAnswer)
		if err != nil {
			return nil, err
		}
		return p, nil
	}
	token, err := tokenFor(o.url)
	if err != nil {
		return nil, err
	}
	return newServer(o.url, token), nil
}
