package reach

import (
	"errors"
	"net"
	"net/http"
	"net/url"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestExplain(t *testing.T) {
	at := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 9}
	posted := func(err error) error { return &url.Error{Op: "Post", URL: "http://127.0.0.1:9/", Err: err} }
	dialled := func(err error) error { return &net.OpError{Op: "dial", Net: "tcp", Addr: at, Err: err} }
	other := errors.New("something else")
	for want, err := range map[string]error{
		"99999: invalid port": posted(&net.OpError{Op: "dial", Net: "tcp",
			Err: &net.AddrError{Err: "invalid port", Addr: "99999"}}),
		"nothing listens at 127.0.0.1:9": posted(dialled(
			os.NewSyscallError("connect", syscall.ECONNREFUSED))),
		"there is no host nowhere.invalid": posted(&net.OpError{Op: "dial", Net: "tcp",
			Err: &net.DNSError{Name: "nowhere.invalid", IsNotFound: true}}),
		"127.0.0.1:9 does not answer": posted(dialled(os.ErrDeadlineExceeded)),
		"127.0.0.1:9 cannot be reached: no route to host": posted(dialled(
			os.NewSyscallError("connect", syscall.EHOSTUNREACH))),
		"it does not answer in time": posted(os.ErrDeadlineExceeded),
		"something else":             posted(other),
		http.ErrServerClosed.Error(): http.ErrServerClosed,
	} {
		explained := Explain(err)
		require.EqualError(t, explained, want)
		require.NotContains(t, explained.Error(), "dial")
	}
	require.ErrorIs(t, Explain(posted(other)), other)
	require.ErrorIs(t, Explain(posted(dialled(syscall.ECONNREFUSED))), syscall.ECONNREFUSED)
}
