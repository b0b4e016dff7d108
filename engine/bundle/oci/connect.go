// SPDX-License-Identifier: Apache-2.0

package oci

import (
	"crypto/tls"
	"fmt"
	"net/http"
	"strings"
	"time"

	"oras.land/oras-go/v2/registry"
	"oras.land/oras-go/v2/registry/remote"
	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/retry"
)

// Reference names an artifact, or the repository of artifacts.
type Reference = registry.Reference

// Scheme may stand before a reference.
const Scheme = "oci://"

// ParseReference reads a reference such as registry.example.com/acme/flink:1.4.0, with a tag, a digest after @,
// or neither.
func ParseReference(text string) (Reference, error) {
	ref, err := registry.ParseReference(strings.TrimPrefix(text, Scheme))
	if err != nil {
		return ref, fmt.Errorf("%q is no reference to an artifact: %w; want REGISTRY/REPOSITORY:TAG or REGISTRY/REPOSITORY@DIGEST", text, err)
	}
	return ref, nil
}

// Connection is how a registry is reached.
type Connection struct {
	// PlainHTTP means that it is asked without TLS.
	PlainHTTP bool
	// TLS is nil for the defaults.
	TLS *tls.Config
	// Credential returns what to log in with; nil for nothing.
	Credential auth.CredentialFunc
	// UserAgent names the program.
	UserAgent string
}

// headerTimeout is how long a registry may take to begin an answer.
const headerTimeout = 30 * time.Second

// Connect returns the repository of a reference. Nothing is sent yet. A request that fails for a
// reason that passes is sent again, a few times within some seconds.
func (c Connection) Connect(ref Reference) *remote.Repository {
	base := http.DefaultTransport.(*http.Transport).Clone()
	base.TLSClientConfig = c.TLS
	base.ResponseHeaderTimeout = headerTimeout
	client := &auth.Client{
		Client: &http.Client{Transport: retry.NewTransport(base)}, Cache: auth.NewCache(), Credential: c.Credential,
	}
	client.SetUserAgent(c.UserAgent)
	return &remote.Repository{Client: client, Reference: ref, PlainHTTP: c.PlainHTTP}
}
