// SPDX-License-Identifier: Apache-2.0

package shipped

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"oras.land/oras-go/v2/errdef"
	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/credentials"
	"oras.land/oras-go/v2/registry/remote/errcode"

	"github.com/dragoman-io/dragoman/cmd/internal/version"
	"github.com/dragoman-io/dragoman/engine/author/source"
	"github.com/dragoman-io/dragoman/engine/bundle/oci"
)

// Registry are the flags of verbs that ask a registry.
type Registry struct {
	plainHTTP bool
	insecure  bool
	caFile    string
	timeout   time.Duration
}

// AddFlags adds the flags to those of a verb.
func (o *Registry) AddFlags(f *pflag.FlagSet) {
	f.BoolVar(&o.plainHTTP, "plain-http", false, "ask the registry without TLS")
	f.BoolVar(&o.insecure, "insecure-skip-tls-verify", false, "accept any certificate of the registry")
	f.StringVar(&o.caFile, "ca-file", "", "file with certificates (PEM) that the registry's may be signed by, beside those of the system")
	f.DurationVar(&o.timeout, "timeout", 2*time.Minute, "how long the registry may take in all")
}

// RegistryHelp is what the help of such a verb says about logging in.
const RegistryHelp = `Passwords are those of docker login: of ~/.docker/config.json, or of the folder in
DOCKER_CONFIG, with the credential helpers that it names.`

// Check refuses flags that contradict each other.
func (o *Registry) Check() error {
	switch {
	case o.plainHTTP && (o.insecure || o.caFile != ""):
		return errors.New("--plain-http asks without TLS; leave out --insecure-skip-tls-verify and --ca-file")
	case o.insecure && o.caFile != "":
		return errors.New("--insecure-skip-tls-verify accepts any certificate; leave out --ca-file, or the other")
	case o.timeout <= 0:
		return fmt.Errorf("timeout %s: want more than none", o.timeout)
	}
	return nil
}

// Within returns a context that ends with the timeout.
func (o *Registry) Within(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, o.timeout)
}

// Connection returns how the registry is reached.
func (o *Registry) Connection() (oci.Connection, error) {
	c := oci.Connection{PlainHTTP: o.plainHTTP, UserAgent: "dragoman/" + strings.ReplaceAll(version.String(), " ", "-")}
	var err error
	if c.TLS, err = o.tls(); err != nil {
		return c, err
	}
	store, err := credentials.NewStoreFromDocker(credentials.StoreOptions{})
	if err != nil {
		return c, fmt.Errorf("read the credentials of docker: %w", err)
	}
	c.Credential = credentials.Credential(store)
	return c, nil
}

func (o *Registry) tls() (*tls.Config, error) {
	if o.insecure {
		return &tls.Config{InsecureSkipVerify: true}, nil //nolint:gosec // the user asks for it
	}
	if o.caFile == "" {
		return nil, nil
	}
	text, err := os.ReadFile(o.caFile)
	if err != nil {
		return nil, err
	}
	config, err := oci.Authorities(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.caFile, err)
	}
	return config, nil
}

// Advise returns an error of a registry with what to do about it.
func Advise(ref oci.Reference, err error) error {
	if err == nil || source.IsFinding(err) {
		return err
	}
	var (
		refusal   *errcode.ErrorResponse
		authority x509.UnknownAuthorityError
		record    tls.RecordHeaderError
	)
	advice := ""
	switch {
	case errors.Is(err, auth.ErrBasicCredentialNotFound),
		errors.As(err, &refusal) && (refusal.StatusCode == http.StatusUnauthorized || refusal.StatusCode == http.StatusForbidden):
		advice = "log in with docker login " + ref.Registry + ", or ask for access to " + ref.Repository
	case errors.Is(err, errdef.ErrNotFound):
		advice = "is the tag or the digest right?"
	case errors.As(err, &authority):
		advice = "name the certificate authority of the registry with --ca-file"
	case errors.As(err, &record), strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		advice = "the registry does not speak TLS; if that is meant, pass --plain-http"
	case errors.Is(err, context.DeadlineExceeded):
		advice = "the registry took too long; give it more with --timeout"
	}
	if advice == "" {
		return err
	}
	return fmt.Errorf("%w; %s", err, advice)
}
