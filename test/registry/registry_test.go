// SPDX-License-Identifier: Apache-2.0

// Package registry keeps bundles in a real registry: that of the CNCF's distribution, with its
// storage in memory, over HTTP, over TLS and with the passwords of an htpasswd file. It brings 750
// packages along, and so is in a module of its own; the tests of engine/bundle/oci and of the
// command line use a small registry of go-containerregistry.
package registry

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/distribution/distribution/v3/configuration"
	_ "github.com/distribution/distribution/v3/registry/auth/htpasswd"
	"github.com/distribution/distribution/v3/registry/handlers"
	_ "github.com/distribution/distribution/v3/registry/storage/driver/inmemory"
	"github.com/sirupsen/logrus"
	"golang.org/x/crypto/bcrypt"
	"oras.land/oras-go/v2/errdef"
	"oras.land/oras-go/v2/registry/remote/auth"

	"github.com/dragoman-io/dragoman/engine/bundle/archive"
	"github.com/dragoman-io/dragoman/engine/bundle/oci"
	"github.com/dragoman-io/dragoman/engine/bundle/sign"
)

const user, password = "me", "secret"

// web is the archive of a bundle whose script answers with a text.
func web(t *testing.T, answer string) *archive.Archive {
	t.Helper()
	a, err := archive.Build(fstest.MapFS{
		"bundle.yaml": {Data: []byte("apiVersion: interpreter.dragoman.io/v1alpha1\nkind: Bundle\nmetadata: {name: web, version: 1.4.0}\n" +
			"spec: {kinds: [{group: web.example, versions: [v1], kind: Site}]}\n")},
		"Site/health.lua": {Data: []byte("function InterpretHealth(object) return " + answer + " end\n")},
	}, ".")
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// serve starts a registry, and returns how its repository acme/web is reached.
func serve(t *testing.T, withTLS, withPassword bool) (oci.Connection, oci.Reference) {
	t.Helper()
	config := &configuration.Configuration{Storage: configuration.Storage{"inmemory": configuration.Parameters{}}}
	config.Log.AccessLog.Disabled = true
	if withPassword {
		hash, err := bcrypt.GenerateFromPassword([]byte(password), bcrypt.MinCost)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "htpasswd")
		if err := os.WriteFile(file, []byte(user+":"+string(hash)+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		config.Auth = configuration.Auth{"htpasswd": configuration.Parameters{"realm": "test", "path": file}}
	}
	logrus.SetOutput(io.Discard)
	server := httptest.NewUnstartedServer(handlers.NewApp(t.Context(), config))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	t.Cleanup(server.Close)
	c := oci.Connection{PlainHTTP: !withTLS}
	if !withTLS {
		server.Start()
	} else {
		server.StartTLS()
		pool := x509.NewCertPool()
		pool.AddCert(server.Certificate())
		c.TLS = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	}
	ref, err := oci.ParseReference(server.Listener.Addr().String() + "/acme/web")
	if err != nil {
		t.Fatal(err)
	}
	if withPassword {
		c.Credential = auth.StaticCredential(ref.Host(), auth.Credential{Username: user, Password: password})
	}
	return c, ref
}

func TestBundlesInARegistry(t *testing.T) {
	key, err := sign.Generate()
	if err != nil {
		t.Fatal(err)
	}
	a, other := web(t, "true"), web(t, "false")
	envelope, err := sign.Sign(key, a.Digest, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ tls, password bool }{
		"over HTTP": {}, "over TLS": {tls: true}, "with a password": {tls: true, password: true},
	} {
		t.Run(name, func(t *testing.T) {
			connection, ref := serve(t, c.tls, c.password)
			repository := connection.Connect(ref)
			if _, err := oci.Pull(t.Context(), repository, "1.4.0", "x"); !errors.Is(err, errdef.ErrNotFound) {
				t.Errorf("before anything was pushed: error %v", err)
			}
			digest, changed, err := oci.Push(t.Context(), repository, oci.Upload{Archive: a, Envelope: envelope, Tag: "1.4.0"})
			if err != nil || !changed {
				t.Fatalf("pushed %s, changed %v, error %v", digest, changed, err)
			}
			if again, changed, err := oci.Push(t.Context(), repository, oci.Upload{Archive: a, Envelope: envelope, Tag: "1.4.0"}); err != nil || changed || again != digest {
				t.Errorf("pushed again: %s, changed %v, error %v", again, changed, err)
			}
			for _, reference := range []string{"1.4.0", digest} {
				got, err := oci.Pull(t.Context(), repository, reference, "x")
				if err != nil {
					t.Fatal(err)
				}
				if got.Digest != digest || got.Archive.Digest != a.Digest {
					t.Errorf("%s: got %s of %s", reference, got.Digest, got.Archive.Digest)
				}
				if _, err := sign.Verify(got.Envelope, got.Archive.Digest, []sign.PublicKey{key.Public}); err != nil {
					t.Error(err)
				}
			}
			if _, _, err := oci.Push(t.Context(), repository, oci.Upload{Archive: other, Tag: "1.4.0"}); !errors.As(err, new(*oci.ConflictError)) {
				t.Errorf("the tag was moved: error %v", err)
			}
			if _, _, err := oci.Push(t.Context(), repository, oci.Upload{Archive: other, Tag: "1.4.0", Replace: true}); err != nil {
				t.Error(err)
			}
			if got, err := oci.Pull(t.Context(), repository, digest, "x"); err != nil || got.Archive.Digest != a.Digest {
				t.Errorf("the digest is of %v, error %v", got, err)
			}
			if !c.password {
				return
			}
			connection.Credential = nil
			if _, err := oci.Pull(t.Context(), connection.Connect(ref), "1.4.0", "x"); !errors.Is(err, auth.ErrBasicCredentialNotFound) {
				t.Errorf("without a password: error %v", err)
			}
		})
	}
}
