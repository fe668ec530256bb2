package reach

import (
	"errors"
	"fmt"
	"net"
	"strconv"
)

// Split returns host and port of an address to listen at, HOST:PORT with a port as a number. The error says how one
// looks.
func Split(address string) (host string, port int, err error) {
	host, digits, err := net.SplitHostPort(address)
	if err != nil {
		return "", 0, errors.New("it must look like HOST:PORT, as in 127.0.0.1:8080")
	}
	if port, err = strconv.Atoi(digits); err != nil || port < 0 || port > 65535 {
		return "", 0, fmt.Errorf("the port %q is not a number in 0..65535", digits)
	}
	return host, port, nil
}

// Listen listens at an address as [Split] has it.
func Listen(address string) (net.Listener, error) {
	if _, _, err := Split(address); err != nil {
		return nil, err
	}
	return net.Listen("tcp", address)
}
