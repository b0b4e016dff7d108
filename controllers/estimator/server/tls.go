// SPDX-License-Identifier: Apache-2.0

package server

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
)

// TLS are the files of the server's certificate and of the authorities of its clients.
type TLS struct {
	CertFile, KeyFile string
	// ClientCAFile are the authorities whose certificates clients must have.
	ClientCAFile string
	// AnyClient takes clients without a certificate; ClientCAFile is then not read.
	AnyClient bool
}

// Config returns a configuration of TLS 1.3, or nil if no certificate is named. The files
// are read again at each handshake, so that renewed certificates need no restart; files
// that cannot be read then fail that handshake.
func (t TLS) Config() (*tls.Config, error) {
	switch {
	case t.CertFile == "" && t.KeyFile == "" && t.ClientCAFile == "":
		return nil, nil
	case t.CertFile == "" || t.KeyFile == "":
		return nil, errors.New("a certificate needs a file of its own and one of its key")
	case t.ClientCAFile == "" && !t.AnyClient:
		return nil, errors.New("clients cannot be verified without the file of their authorities")
	}
	c, err := t.load()
	if err != nil {
		return nil, err
	}
	c.GetConfigForClient = func(*tls.ClientHelloInfo) (*tls.Config, error) { return t.load() }
	return c, nil
}

func (t TLS) load() (*tls.Config, error) {
	certificate, err := tls.LoadX509KeyPair(t.CertFile, t.KeyFile)
	if err != nil {
		return nil, fmt.Errorf("read the certificate: %w", err)
	}
	c := &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS13, NextProtos: []string{"h2"}}
	if t.AnyClient {
		return c, nil
	}
	pem, err := os.ReadFile(t.ClientCAFile)
	if err != nil {
		return nil, fmt.Errorf("read the authorities of clients: %w", err)
	}
	c.ClientCAs, c.ClientAuth = x509.NewCertPool(), tls.RequireAndVerifyClientCert
	if !c.ClientCAs.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s holds no certificate", t.ClientCAFile)
	}
	return c, nil
}
