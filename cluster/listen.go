package cluster

import (
	"fmt"
	"net"

	"croupier/internal/platform"
	"croupier/internal/reach"
)

// ListenPage opens the web page's port. An address that was asked for must be free; of the
// default address only the port number may change. moved says that it did.
func ListenPage(address string, asked bool) (l net.Listener, moved bool, err error) {
	l, err = reach.Listen(address)
	if err == nil {
		return l, false, nil
	}
	if asked || !platform.IsAddressInUse(err) {
		return nil, false, fmt.Errorf("--listen %s: %w", address, err)
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, false, fmt.Errorf("--listen %s: %w", address, err)
	}
	l, err = net.Listen("tcp", net.JoinHostPort(host, "0"))
	return l, true, err
}
