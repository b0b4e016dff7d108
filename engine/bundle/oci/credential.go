// SPDX-License-Identifier: Apache-2.0

package oci

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"

	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/credentials"
)

// DockerConfig returns the credentials of a config.json of docker, which is also what a Secret of
// type kubernetes.io/dockerconfigjson holds.
func DockerConfig(text []byte) (auth.CredentialFunc, error) {
	store, err := credentials.NewMemoryStoreFromDockerConfig(text)
	if err != nil {
		return nil, fmt.Errorf("read the credentials: %w", err)
	}
	return credentials.Credential(store), nil
}

// Authorities returns how TLS is verified by certificate authorities in the form PEM, beside those
// of the machine.
func Authorities(text []byte) (*tls.Config, error) {
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(text) {
		return nil, errors.New("no certificate in it; want some in the form PEM")
	}
	return &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}, nil
}
