// SPDX-License-Identifier: Apache-2.0

package source

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"testing/fstest" // the only file system in memory of the standard library

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	interpreterv1alpha1 "github.com/dragoman-io/dragoman/api/interpreter/v1alpha1"
	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/engine/bundle/archive"
	"github.com/dragoman-io/dragoman/engine/bundle/oci"
	"github.com/dragoman-io/dragoman/engine/bundle/sign"
)

// found is what a source has.
type found struct {
	archive *archive.Archive
	// digest is that of the artifact in a registry; "" elsewhere.
	digest string
	// envelope has its signatures; nil for none.
	envelope *sign.Envelope
}

// wrongError is the error of a source that was read and holds no bundle.
type wrongError struct{ error }

// Unwrap returns the cause.
func (e wrongError) Unwrap() error { return e.error }

// readConfigMap reads a bundle whose files are the keys of a ConfigMap.
func readConfigMap(ctx context.Context, r client.Reader, o *interpreterv1alpha1.ObjectName, dir string) (found, error) {
	var there corev1.ConfigMap
	if err := r.Get(ctx, client.ObjectKey{Namespace: o.Namespace, Name: o.Name}, &there); err != nil {
		return found{}, fmt.Errorf("spec.source.configMap: %w", err)
	}
	files := fstest.MapFS{}
	for name, text := range there.Data {
		files[path.Join(dir, name)] = &fstest.MapFile{Data: []byte(text), Mode: 0o444}
	}
	for name, data := range there.BinaryData {
		files[path.Join(dir, name)] = &fstest.MapFile{Data: data, Mode: 0o444}
	}
	return build(bundle.Mount(files), dir)
}

// readInline reads a bundle whose files are in its spec.
func readInline(s *interpreterv1alpha1.InlineSource, dir string) (found, error) {
	files := fstest.MapFS{}
	for _, name := range slices.Sorted(maps.Keys(s.Files)) {
		if !fs.ValidPath(name) || name == "." {
			return found{}, wrongError{fmt.Errorf("spec.source.inline.files[%s]: want a path within the bundle, such as FlinkDeployment/health.lua", name)}
		}
		for above := path.Dir(name); above != "."; above = path.Dir(above) {
			if _, file := s.Files[above]; file {
				return found{}, wrongError{fmt.Errorf("spec.source.inline.files[%s]: the folder %s above it is a file too; rename one of the two", name, above)}
			}
		}
		files[path.Join(dir, name)] = &fstest.MapFile{Data: []byte(s.Files[name]), Mode: 0o444}
	}
	return build(files, dir)
}

// build returns the archive of the files of a folder.
func build(files fs.FS, dir string) (found, error) {
	a, err := archive.Build(files, dir)
	if err != nil {
		return found{}, wrongError{err}
	}
	return found{archive: a}, nil
}

// registry is the repository of an OCI source.
type registry struct {
	oci.Source
	reference oci.Reference
	name      string
}

// registryOf returns the repository that a source names, with what its Secret has.
func registryOf(ctx context.Context, r client.Reader, s *interpreterv1alpha1.OCISource) (registry, error) {
	reference, err := oci.ParseReference(s.Reference)
	if err != nil {
		return registry{}, fmt.Errorf("spec.source.oci.reference: %w", err)
	}
	if reference.Reference == "" {
		return registry{}, fmt.Errorf("spec.source.oci.reference: %q has neither a tag nor a digest; want REGISTRY/REPOSITORY:TAG or REGISTRY/REPOSITORY@DIGEST", s.Reference)
	}
	connection := oci.Connection{PlainHTTP: s.PlainHTTP, UserAgent: "dragoman-manager"}
	if s.Secret != nil {
		if err := readSecret(ctx, r, s.Secret, &connection); err != nil {
			return registry{}, fmt.Errorf("spec.source.oci.secret: %w", err)
		}
	}
	return registry{connection.Connect(reference), reference, s.Reference}, nil
}

// authorities is the key of a Secret with the certificate authority of a registry.
const authorities = "ca.crt"

// readSecret reads what a Secret says about a registry.
func readSecret(ctx context.Context, r client.Reader, o *interpreterv1alpha1.ObjectName, into *oci.Connection) error {
	var there corev1.Secret
	if err := r.Get(ctx, client.ObjectKey{Namespace: o.Namespace, Name: o.Name}, &there); err != nil {
		return err
	}
	login, hasLogin := there.Data[corev1.DockerConfigJsonKey]
	ca, hasCA := there.Data[authorities]
	if !hasLogin && !hasCA {
		return fmt.Errorf("secret %s/%s has neither %s nor %s", o.Namespace, o.Name, corev1.DockerConfigJsonKey, authorities)
	}
	var err error
	if hasLogin {
		if into.Credential, err = oci.DockerConfig(login); err != nil {
			return fmt.Errorf("secret %s/%s: %s: %w", o.Namespace, o.Name, corev1.DockerConfigJsonKey, err)
		}
	}
	if hasCA {
		if into.TLS, err = oci.Authorities(ca); err != nil {
			return fmt.Errorf("secret %s/%s: %s: %w", o.Namespace, o.Name, authorities, err)
		}
	}
	return nil
}

// digest returns the digest of what the reference names now. The registry is only asked about a tag.
func (r registry) digest(ctx context.Context) (string, error) {
	if digest, err := r.reference.Digest(); err == nil {
		return string(digest), nil
	}
	root, err := r.Resolve(ctx, r.reference.Reference)
	if err != nil {
		return "", fmt.Errorf("find %s: %w", r.name, err)
	}
	return string(root.Digest), nil
}

// pull returns the artifact of a digest.
func (r registry) pull(ctx context.Context, digest string) (found, error) {
	a, err := oci.Pull(ctx, r, digest, r.name)
	if err != nil {
		if oci.IsWrong(err) {
			return found{}, wrongError{err}
		}
		return found{}, err
	}
	return found{a.Archive, a.Digest, a.Envelope}, nil
}

// verify returns the name of the key of a bundle that signed what was found; "" without keys.
func verify(b *interpreterv1alpha1.ScriptBundle, f found) (string, error) {
	if len(b.Spec.Keys) == 0 {
		return "", nil
	}
	var keys []sign.PublicKey
	names := map[string]string{}
	for i, k := range b.Spec.Keys {
		key, err := sign.ParsePublicKey([]byte(k.PublicKey))
		if err != nil {
			return "", fmt.Errorf("spec.keys[%d].publicKey: %w", i, err)
		}
		keys, names[key.ID] = append(keys, key), k.Name
	}
	key, err := sign.Verify(f.envelope, f.archive.Digest, keys)
	if err != nil {
		var refused *sign.Error
		if errors.As(err, &refused) {
			return "", fmt.Errorf("%s: %w; sign it with dragoman sign by a key of spec.keys, and push it again", f.digest, err)
		}
		return "", err
	}
	return names[key.ID], nil
}
