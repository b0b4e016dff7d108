// SPDX-License-Identifier: Apache-2.0

package client

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
)

// TLS are the files by which a client trusts estimators, and by which they trust it. The zero
// value is plain text.
type TLS struct {
	// CAFile has the authorities of the estimators' certificates.
	CAFile string
	// CertFile and KeyFile are the certificate of the client; neither is none.
	CertFile, KeyFile string
	// AnyServer takes estimators whose certificate nobody has signed.
	AnyServer bool
}

// Config returns a configuration of TLS 1.3, or nil for plain text. The authorities are read now,
// the certificate at each handshake.
func (t TLS) Config() (*tls.Config, error) {
	if (t.CertFile == "") != (t.KeyFile == "") {
		return nil, errors.New("a certificate for estimators needs its key: set both --scheduler-estimator-cert-file and --scheduler-estimator-key-file")
	}
	if t.CAFile == "" && !t.AnyServer {
		if t.CertFile != "" {
			return nil, errors.New("a certificate for estimators is sent to nobody without TLS: set --scheduler-estimator-ca-file too")
		}
		return nil, nil
	}
	c := &tls.Config{MinVersion: tls.VersionTLS13, InsecureSkipVerify: t.AnyServer} //nolint:gosec // what the flag says
	if t.CAFile != "" {
		pem, err := os.ReadFile(t.CAFile)
		if err != nil {
			return nil, fmt.Errorf("read the authorities of estimators: %w", err)
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("read the authorities of estimators: %s has no certificate in PEM", t.CAFile)
		}
	}
	if t.CertFile == "" {
		return c, nil
	}
	load := func() (*tls.Certificate, error) {
		certificate, err := tls.LoadX509KeyPair(t.CertFile, t.KeyFile)
		return &certificate, err
	}
	if _, err := load(); err != nil {
		return nil, fmt.Errorf("read the certificate for estimators: %w", err)
	}
	c.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return load() }
	return c, nil
}
