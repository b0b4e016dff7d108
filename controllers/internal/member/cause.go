// SPDX-License-Identifier: Apache-2.0

package member

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"

	"github.com/dragoman-io/dragoman/controllers/internal/resume"
)

// Cause returns the message of a request that got no answer, without what changes from
// one try to the next, such as the port on our side: conditions must not change
// unless the cause does.
func Cause(err error) string {
	var (
		op      *net.OpError
		invalid x509.CertificateInvalidError
		request *url.Error
		late    net.Error
	)
	switch {
	case errors.Is(err, resume.ErrUnauthorized):
		return resume.ErrUnauthorized.Error()
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &late) && late.Timeout():
		return "the time was up"
	case errors.As(err, &op) && op.Addr != nil:
		return fmt.Sprintf("%s %s: %v", op.Op, op.Addr, op.Err)
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "its certificate has expired or is not valid yet"
	case errors.As(err, &request):
		return request.Err.Error()
	}
	return err.Error()
}

// Unanswered reports whether a request got no answer, so that it is unknown whether it
// had an effect.
func Unanswered(err error) bool {
	var request *url.Error
	return errors.As(err, &request)
}
