// SPDX-License-Identifier: Apache-2.0

package oci

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-containerregistry/pkg/registry"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/errdef"
	"oras.land/oras-go/v2/registry/remote"
	"oras.land/oras-go/v2/registry/remote/auth"

	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/engine/bundle/archive"
	"github.com/dragoman-io/dragoman/engine/bundle/sign"
	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
)

// web is the archive of a bundle whose script answers with a text.
func web(t *testing.T, answer string) *archive.Archive {
	t.Helper()
	a, err := archive.Build(fstest.MapFS{
		"bundle.yaml": {Data: []byte("apiVersion: interpreter.dragoman.io/v1alpha1\nkind: Bundle\nmetadata: {name: web, version: 1.4.0}\n" +
			"spec:\n  description: Sites\n  kinds: [{group: web.example, versions: [v1], kind: Site}]\n")},
		"Site/health.lua": {Data: []byte("function InterpretHealth(object) return " + answer + " end\n")},
	}, ".")
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func signed(t *testing.T, a *archive.Archive, keys ...sign.PrivateKey) *sign.Envelope {
	t.Helper()
	var e *sign.Envelope
	for _, key := range keys {
		next, err := sign.Sign(key, a.Digest, e)
		if err != nil {
			t.Fatal(err)
		}
		e = next
	}
	return e
}

func newKey(t *testing.T) sign.PrivateKey {
	t.Helper()
	key, err := sign.Generate()
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// serve returns the repository acme/web of a new registry. What it is asked goes to requests.
func serve(t *testing.T, requests *[]string) *remote.Repository {
	t.Helper()
	handler := registry.New(registry.Logger(log.New(io.Discard, "", 0)))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if requests != nil {
			*requests = append(*requests, r.Method+" "+r.URL.Path)
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return Connection{PlainHTTP: true}.Connect(reference(t, server, ""))
}

func reference(t *testing.T, server *httptest.Server, tag string) Reference {
	t.Helper()
	ref, err := ParseReference(server.Listener.Addr().String() + "/acme/web" + tag)
	if err != nil {
		t.Fatal(err)
	}
	return ref
}

func push(t *testing.T, to Target, u Upload) string {
	t.Helper()
	digest, changed, err := Push(t.Context(), to, u)
	if err != nil || !changed {
		t.Fatalf("pushed %s, changed %v, error %v", digest, changed, err)
	}
	return digest
}

func TestWhatIsPushedIsPulled(t *testing.T) {
	a, key := web(t, "true"), newKey(t)
	for name, envelope := range map[string]*sign.Envelope{"signed": signed(t, a, key), "not signed": nil} {
		t.Run(name, func(t *testing.T) {
			repository := serve(t, nil)
			digest := push(t, repository, Upload{Archive: a, Envelope: envelope, Tag: "1.4.0"})
			for _, ref := range []string{"1.4.0", digest} {
				got, err := Pull(t.Context(), repository, ref, "x")
				if err != nil {
					t.Fatal(err)
				}
				if got.Digest != digest || got.Archive.Digest != a.Digest || (got.Envelope == nil) != (envelope == nil) {
					t.Errorf("%s: got %s of %s, signed: %v", ref, got.Digest, got.Archive.Digest, got.Envelope != nil)
				}
				if envelope == nil {
					continue
				}
				if _, err := sign.Verify(got.Envelope, got.Archive.Digest, []sign.PublicKey{key.Public}); err != nil {
					t.Error(err)
				}
			}
			if again, changed, err := Push(t.Context(), repository, Upload{Archive: a, Envelope: envelope, Tag: "1.4.0"}); err != nil || changed || again != digest {
				t.Errorf("pushed again: %s, changed %v, error %v; want %s as it is", again, changed, err, digest)
			}
		})
	}
}

// Whoever finds the manifest finds all: it comes last, and by its tag alone. Referrers are not
// asked for.
func TestTheManifestComesLast(t *testing.T) {
	var requests []string
	a := web(t, "true")
	push(t, serve(t, &requests), Upload{Archive: a, Envelope: signed(t, a, newKey(t)), Tag: "1.4.0"})
	puts := 0
	for i, r := range requests {
		if strings.Contains(r, "referrers") {
			t.Errorf("asked for %s", r)
		}
		if strings.HasPrefix(r, "PUT") {
			puts++
		}
		if last := i == len(requests)-1; strings.HasPrefix(r, "PUT /v2/acme/web/manifests/") != last || last && !strings.HasSuffix(r, "/1.4.0") {
			t.Errorf("request %d of %d is %s", i+1, len(requests), r)
		}
	}
	if puts != 4 {
		t.Errorf("put %d things; want config, archive, signatures and manifest: %q", puts, requests)
	}
}

func TestTheArtifact(t *testing.T) {
	a := web(t, "true")
	all, err := blobs(a, signed(t, a, newKey(t)))
	if err != nil {
		t.Fatal(err)
	}
	var m ocispec.Manifest
	if err := json.Unmarshal(all[3].data, &m); err != nil {
		t.Fatal(err)
	}
	if m.ArtifactType != ArtifactType || m.Config.MediaType != ConfigType || m.Subject != nil ||
		m.Annotations[ocispec.AnnotationVersion] != "1.4.0" || m.Annotations[ocispec.AnnotationCreated] != "" {
		t.Errorf("got the manifest %s", all[3].data)
	}
	if len(m.Layers) != 2 || string(m.Layers[0].Digest) != a.Digest || m.Layers[0].Annotations[ocispec.AnnotationTitle] != "web-1.4.0.tar.gz" {
		t.Errorf("got the layers %v", m.Layers)
	}
	var config struct {
		Kind     string
		Metadata struct{ Name, Version string }
	}
	if err := json.Unmarshal(all[0].data, &config); err != nil || config.Kind != "Bundle" || config.Metadata.Version != "1.4.0" {
		t.Errorf("got the config %s, %v", all[0].data, err)
	}
	if _, err := blobs(a, signed(t, web(t, "false"), newKey(t))); err == nil || !strings.Contains(err.Error(), "sign it again") {
		t.Errorf("signatures of another archive: error %v", err)
	}
	if got := FileName(bundle.Manifest{Name: "web"}); got != "web.tar.gz" {
		t.Errorf("a bundle without a version is in %s", got)
	}
}

func TestATagIsNotMovedFromAnotherBundle(t *testing.T) {
	a, other, one, two := web(t, "true"), web(t, "false"), newKey(t), newKey(t)
	for name, c := range map[string]struct {
		before, after Upload
		want          string
	}{
		"another bundle":              {Upload{Archive: a}, Upload{Archive: other}, "stands for another artifact"},
		"another bundle, replaced":    {Upload{Archive: a}, Upload{Archive: other, Replace: true}, ""},
		"a signature more":            {Upload{Archive: a, Envelope: signed(t, a, one)}, Upload{Archive: a, Envelope: signed(t, a, one, two)}, ""},
		"the first signature":         {Upload{Archive: a}, Upload{Archive: a, Envelope: signed(t, a, one)}, ""},
		"a signature less":            {Upload{Archive: a, Envelope: signed(t, a, one, two)}, Upload{Archive: a, Envelope: signed(t, a, one)}, "a signature of " + two.Public.ID + ", which would be lost"},
		"no signature":                {Upload{Archive: a, Envelope: signed(t, a, one)}, Upload{Archive: a}, "would be lost"},
		"no signature, and replaced":  {Upload{Archive: a, Envelope: signed(t, a, one)}, Upload{Archive: a, Replace: true}, ""},
		"signatures of other archive": {Upload{Archive: a}, Upload{Archive: a, Envelope: signed(t, other, one)}, "sign it again"},
	} {
		t.Run(name, func(t *testing.T) {
			var requests []string
			repository := serve(t, &requests)
			c.before.Tag, c.after.Tag = "1.4.0", "1.4.0"
			before := push(t, repository, c.before)
			requests = nil
			_, _, err := Push(t.Context(), repository, c.after)
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("got error %v; want one with %q", err, c.want)
			}
			if c.want == "" {
				return
			}
			if slices.ContainsFunc(requests, func(r string) bool { return strings.HasPrefix(r, "PUT") || strings.HasPrefix(r, "POST") }) {
				t.Errorf("sent %q", requests)
			}
			if there, err := Pull(t.Context(), repository, "1.4.0", "x"); err != nil || there.Digest != before {
				t.Errorf("the tag is of %v, %v", there, err)
			}
		})
	}
}

// stub is a source whose content is whatever a registry could send.
type stub struct {
	root    ocispec.Descriptor
	content map[string]string
	err     error
}

func (s stub) Resolve(context.Context, string) (ocispec.Descriptor, error) { return s.root, s.err }

func (s stub) Fetch(_ context.Context, d ocispec.Descriptor) (io.ReadCloser, error) {
	text, known := s.content[string(d.Digest)]
	if !known {
		return nil, fmt.Errorf("%s: %w", d.Digest, errdef.ErrNotFound)
	}
	return io.NopCloser(strings.NewReader(text)), nil
}

// artifact returns a source with the artifact of an archive, whose manifest and content are changed.
func artifact(t *testing.T, a *archive.Archive, e *sign.Envelope, change func(m *ocispec.Manifest, content map[string]string)) stub {
	t.Helper()
	all, err := blobs(a, e)
	if err != nil {
		t.Fatal(err)
	}
	last := len(all) - 1
	s := stub{content: map[string]string{}}
	for _, b := range all[:last] {
		s.content[string(b.Digest)] = string(b.data)
	}
	var m ocispec.Manifest
	if err := json.Unmarshal(all[last].data, &m); err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(&m, s.content)
	}
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	root := newBlob(ocispec.MediaTypeImageManifest, text)
	s.root = root.Descriptor
	s.content[string(root.Digest)] = string(text)
	return s
}

func TestPullRefusesWhatIsNoBundle(t *testing.T) {
	a := web(t, "true")
	envelope := signed(t, a, newKey(t))
	add := func(m *ocispec.Manifest, content map[string]string, mediaType, text string) {
		b := newBlob(mediaType, []byte(text))
		m.Layers = append(m.Layers, b.Descriptor)
		content[string(b.Digest)] = text
	}
	for name, c := range map[string]struct {
		change func(m *ocispec.Manifest, content map[string]string)
		want   string
	}{
		"another artifact": {func(m *ocispec.Manifest, _ map[string]string) { m.ArtifactType = "application/vnd.cncf.helm" }, `it is no bundle: its type is "application/vnd.cncf.helm"`},
		"an image":         {func(m *ocispec.Manifest, _ map[string]string) { m.ArtifactType, m.Config.MediaType = "", "an/image" }, `it is no bundle: its type is "an/image"`},
		"no layer":         {func(m *ocispec.Manifest, _ map[string]string) { m.Layers = nil }, "it has 0 layers"},
		"two archives":     {func(m *ocispec.Manifest, c map[string]string) { add(m, c, LayerType, "x") }, "it has 2 layers"},
		"two envelopes":    {func(m *ocispec.Manifest, c map[string]string) { add(m, c, sign.MediaType, "x") }, "a layer of the type"},
		"an unknown layer": {func(m *ocispec.Manifest, c map[string]string) { add(m, c, "text/plain", "x") }, `a layer of the type "text/plain", which this program does not know`},
		"a changed archive": {func(m *ocispec.Manifest, c map[string]string) {
			c[a.Digest] = c[a.Digest][:10] + "x" + c[a.Digest][11:]
		}, "the registry sent other bytes than " + a.Digest + " names"},
		"a longer archive": {func(_ *ocispec.Manifest, c map[string]string) { c[a.Digest] += "x" }, "the registry sent other bytes than"},
		"no gzip": {func(m *ocispec.Manifest, c map[string]string) {
			m.Layers = nil
			add(m, c, LayerType, "text")
		}, "x: not an archive of a bundle"},
		"no envelope": {func(m *ocispec.Manifest, c map[string]string) {
			m.Layers = m.Layers[:1]
			add(m, c, sign.MediaType, "text")
		}, "x: not an envelope of signatures"},
		"a huge archive":    {func(m *ocispec.Manifest, _ map[string]string) { m.Layers[0].Size = 1 << 40 }, "has 1099511627776 bytes; at most"},
		"a huge envelope":   {func(m *ocispec.Manifest, _ map[string]string) { m.Layers[1].Size = 1 << 20 }, "has 1048576 bytes; at most"},
		"a size below none": {func(m *ocispec.Manifest, _ map[string]string) { m.Layers[0].Size = -1 }, "has -1 bytes"},
		"no digest":         {func(m *ocispec.Manifest, _ map[string]string) { m.Layers[0].Digest = "sha256:x" }, `the digest "sha256:x"`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Pull(t.Context(), artifact(t, a, envelope, c.change), "1.4.0", "x")
			if err == nil || !strings.Contains(err.Error(), c.want) || !errors.As(err, new(*yamldoc.Error)) {
				t.Errorf("got %v, error %v; want one with %q", got, err, c.want)
			}
		})
	}
	index := artifact(t, a, nil, nil)
	index.root.MediaType = ocispec.MediaTypeImageIndex
	if _, err := Pull(t.Context(), index, "1.4.0", "x"); err == nil || !strings.Contains(err.Error(), "its manifest is of the type") {
		t.Errorf("an index: error %v", err)
	}
	text := artifact(t, a, nil, nil)
	b := newBlob(ocispec.MediaTypeImageManifest, []byte("{"))
	text.root, text.content[string(b.Digest)] = b.Descriptor, "{"
	if _, err := Pull(t.Context(), text, "1.4.0", "x"); err == nil || !strings.Contains(err.Error(), "its manifest is not JSON") {
		t.Errorf("no JSON: error %v", err)
	}
	away := stub{err: errors.New("no route")}
	if _, err := Pull(t.Context(), away, "1.4.0", "x"); err == nil || errors.As(err, new(*yamldoc.Error)) {
		t.Errorf("a registry that is away is a finding: %v", err)
	}
	missing := artifact(t, a, nil, func(_ *ocispec.Manifest, c map[string]string) { delete(c, a.Digest) })
	if _, err := Pull(t.Context(), missing, "1.4.0", "x"); !errors.Is(err, errdef.ErrNotFound) {
		t.Errorf("an archive that is missing: %v", err)
	}
}

func TestTLSAndPasswords(t *testing.T) {
	handler := registry.New(registry.Logger(log.New(io.Discard, "", 0)))
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); user != "me" || password != "secret" {
			w.Header().Set("WWW-Authenticate", `Basic realm="test"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		handler.ServeHTTP(w, r)
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	t.Cleanup(server.Close)
	pool := x509.NewCertPool()
	pool.AddCert(server.Certificate())
	ref := reference(t, server, "")
	trusted := Connection{TLS: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}}
	me := trusted
	me.Credential = auth.StaticCredential(ref.Host(), auth.Credential{Username: "me", Password: "secret"})
	push(t, me.Connect(ref), Upload{Archive: web(t, "true"), Tag: "1.4.0"})
	if _, err := Pull(t.Context(), me.Connect(ref), "1.4.0", "x"); err != nil {
		t.Error(err)
	}
	if _, err := Pull(t.Context(), trusted.Connect(ref), "1.4.0", "x"); !errors.Is(err, auth.ErrBasicCredentialNotFound) {
		t.Errorf("without a password: error %v", err)
	}
	if _, err := Pull(t.Context(), Connection{}.Connect(ref), "1.4.0", "x"); !errors.As(err, new(x509.UnknownAuthorityError)) {
		t.Errorf("without the authority: error %v", err)
	}
}

func TestReferences(t *testing.T) {
	for text, want := range map[string]string{
		"registry.example.com/acme/flink:1.4.0":          "1.4.0",
		"oci://localhost:5000/a":                         "",
		"a.example/b@sha256:" + strings.Repeat("0a", 32): "sha256:" + strings.Repeat("0a", 32),
	} {
		if ref, err := ParseReference(text); err != nil || ref.Reference != want {
			t.Errorf("%s: got %q, error %v; want %q", text, ref.Reference, err, want)
		}
	}
	for _, text := range []string{"", "flink", "registry.example.com/Acme:1", "registry.example.com/acme:1:2", "registry.example.com/acme@sha256:x", "https://registry.example.com/acme"} {
		if ref, err := ParseReference(text); err == nil || !strings.Contains(err.Error(), "is no reference to an artifact") {
			t.Errorf("%q: got %v, error %v", text, ref, err)
		}
	}
}
