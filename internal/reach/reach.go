// Package reach says in words why a server could not be reached.
package reach

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"syscall"
)

// Explain returns an error of an HTTP request, or of a connection, without the names of calls: a server that does not
// listen, or which host is not known. Other errors lose only the method and the address of the request, which the
// caller names.
func Explain(err error) error {
	var (
		request *url.Error
		unknown *net.DNSError
		call    *net.OpError
		address *net.AddrError
	)
	switch {
	case errors.As(err, &unknown) && unknown.IsNotFound:
		return reason{fmt.Sprintf("there is no host %s", unknown.Name), err}
	case errors.As(err, &call) && call.Op == "dial" && errors.Is(err, syscall.ECONNREFUSED):
		return reason{fmt.Sprintf("nothing listens at %s", call.Addr), err}
	case errors.As(err, &call) && call.Op == "dial" && call.Timeout():
		return reason{fmt.Sprintf("%s does not answer", call.Addr), err}
	case errors.As(err, &call) && call.Op == "dial" && call.Addr != nil:
		return reason{fmt.Sprintf("%s cannot be reached: %v", call.Addr, root(call.Err)), err}
	case errors.As(err, &call) && call.Op == "dial" && errors.As(err, &address):
		return reason{fmt.Sprintf("%s: %s", address.Addr, address.Err), err}
	case errors.As(err, &request) && request.Timeout():
		return reason{"it does not answer in time", err}
	case errors.As(err, &request):
		return request.Err
	}
	return err
}

// root returns what the system said.
func root(err error) error {
	var number syscall.Errno
	if errors.As(err, &number) {
		return number
	}
	return err
}

// reason is an error in other words.
type reason struct {
	text string
	err  error
}

func (r reason) Error() string { return r.text }
func (r reason) Unwrap() error { return r.err }
