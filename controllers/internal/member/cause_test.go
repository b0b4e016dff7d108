// SPDX-License-Identifier: Apache-2.0

package member

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"syscall"
	"testing"
)

// timeout is an error as that of a TLS handshake that took too long.
type timeout struct{}

func (timeout) Error() string   { return "net/http: TLS handshake timeout" }
func (timeout) Timeout() bool   { return true }
func (timeout) Temporary() bool { return true }

func TestCause(t *testing.T) {
	addr := func(port int) net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port} }
	asked := func(err error) error { return &url.Error{Op: "Get", URL: "https://127.0.0.1:6443/readyz", Err: err} }
	cases := map[string]struct {
		reason string
		err    error
		want   string
	}{
		"Dial": {
			reason: "where, and what", want: "dial 127.0.0.1:6443: connection refused",
			err: asked(&net.OpError{Op: "dial", Net: "tcp", Addr: addr(6443), Err: syscall.ECONNREFUSED}),
		},
		"Read": {
			reason: "our own port is another one each time", want: "read 127.0.0.1:6443: connection reset by peer",
			err: asked(&net.OpError{Op: "read", Net: "tcp", Source: addr(51234), Addr: addr(6443), Err: syscall.ECONNRESET}),
		},
		"Timeout":   {reason: "our patience, not a field of theirs", err: asked(context.DeadlineExceeded), want: "the time was up"},
		"Handshake": {reason: "which of two limits ends first is chance", err: asked(timeout{}), want: "the time was up"},
		"Expired":   {reason: "the message of x509 has the present time", err: asked(x509.CertificateInvalidError{Reason: x509.Expired}), want: "its certificate has expired or is not valid yet"},
		"Request":   {reason: "without method and URL", err: asked(errors.New("EOF")), want: "EOF"},
		"Wrapped":   {reason: "however deep", err: fmt.Errorf("ask: %w", asked(errors.New("EOF"))), want: "EOF"},
		"Anything":  {reason: "as it is", err: errors.New("odd"), want: "odd"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := Cause(tc.err); got != tc.want {
				t.Errorf("%s: Cause(%v) = %q, want %q", tc.reason, tc.err, got, tc.want)
			}
		})
	}
}
