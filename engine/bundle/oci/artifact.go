// SPDX-License-Identifier: Apache-2.0

package oci

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/opencontainers/image-spec/specs-go"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/content"
	"sigs.k8s.io/yaml"

	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/engine/bundle/archive"
	"github.com/dragoman-io/dragoman/engine/bundle/sign"
	"github.com/dragoman-io/dragoman/engine/internal/diag"
	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
)

const (
	// ArtifactType is the type of an artifact that is a bundle.
	ArtifactType = "application/vnd.dragoman.bundle.v1"
	// ConfigType is the media type of its manifest as JSON, LayerType that of its archive.
	ConfigType = "application/vnd.dragoman.bundle.config.v1+json"
	LayerType  = "application/vnd.dragoman.bundle.layer.v1.tar+gzip"
)

// maxManifest bounds the manifest of an artifact in bytes.
const maxManifest = 64 << 10

// Artifact is a bundle as a registry keeps it.
type Artifact struct {
	Archive *archive.Archive
	// Envelope has the signatures of the archive; nil for none.
	Envelope *sign.Envelope
	// Digest is that of the manifest in the registry: what a reference with @ names.
	Digest string
}

// blob is content, and what names it.
type blob struct {
	ocispec.Descriptor
	data []byte
}

func newBlob(mediaType string, data []byte) blob {
	return blob{content.NewDescriptorFromBytes(mediaType, data), data}
}

// blobs returns what an artifact consists of, the manifest last. It is the same for the same
// archive and signatures.
func blobs(a *archive.Archive, e *sign.Envelope) ([]blob, error) {
	outline, err := bundle.ReadOutline(a.FS("."), ".")
	if err != nil {
		return nil, err
	}
	config, err := Config(a)
	if err != nil {
		return nil, err
	}
	layer := newBlob(LayerType, a.Bytes)
	layer.Annotations = map[string]string{ocispec.AnnotationTitle: FileName(outline.Manifest)}
	all := []blob{newBlob(ConfigType, config), layer}
	if e != nil {
		text, err := e.JSON()
		if err != nil {
			return nil, err
		}
		if e.Digest != a.Digest {
			return nil, fmt.Errorf("the signatures are of %s, and the archive is %s; sign it again", e.Digest, a.Digest)
		}
		signatures := newBlob(sign.MediaType, text)
		signatures.Annotations = map[string]string{ocispec.AnnotationTitle: FileName(outline.Manifest) + SignatureSuffix}
		all = append(all, signatures)
	}
	manifest := ocispec.Manifest{
		Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: ocispec.MediaTypeImageManifest,
		ArtifactType: ArtifactType, Config: all[0].Descriptor, Annotations: annotations(outline.Manifest),
	}
	for _, b := range all[1:] {
		manifest.Layers = append(manifest.Layers, b.Descriptor)
	}
	text, err := json.Marshal(manifest)
	if err != nil {
		return nil, err
	}
	return append(all, newBlob(ocispec.MediaTypeImageManifest, text)), nil
}

// SignatureSuffix is what the name of an archive's file is followed by in that of its signatures.
const SignatureSuffix = ".sig"

// FileName returns the name of the file that the archive of a bundle is kept in.
func FileName(m bundle.Manifest) string {
	if m.Version == "" {
		return m.Name + ".tar.gz"
	}
	return m.Name + "-" + m.Version + ".tar.gz"
}

// Config returns the manifest of a bundle as JSON, the config of its artifact.
func Config(a *archive.Archive) ([]byte, error) {
	for _, f := range a.Files {
		if f.Path == bundle.ManifestFile {
			return yaml.YAMLToJSON(f.Data)
		}
	}
	return nil, errors.New("there is no " + bundle.ManifestFile)
}

// annotations are for who looks at the registry.
func annotations(m bundle.Manifest) map[string]string {
	all := map[string]string{ocispec.AnnotationTitle: m.Name}
	if m.Version != "" {
		all[ocispec.AnnotationVersion] = m.Version
	}
	if m.Description != "" {
		all[ocispec.AnnotationDescription] = m.Description
	}
	return all
}

// parts are the layers of an artifact.
type parts struct {
	archive ocispec.Descriptor
	// envelope is nil for none.
	envelope *ocispec.Descriptor
}

// partsOf reads the manifest of an artifact.
func partsOf(text []byte) (parts, error) {
	var (
		m ocispec.Manifest
		p parts
	)
	if err := json.Unmarshal(text, &m); err != nil {
		return p, fmt.Errorf("its manifest is not JSON: %w", err)
	}
	if m.ArtifactType != ArtifactType {
		kind := m.ArtifactType
		if kind == "" {
			kind = m.Config.MediaType
		}
		return p, fmt.Errorf("it is no bundle: its type is %q; want %q, as dragoman push writes it", kind, ArtifactType)
	}
	archives := 0
	for _, layer := range m.Layers {
		switch {
		case layer.MediaType == LayerType:
			p.archive = layer
			archives++
		case layer.MediaType == sign.MediaType && p.envelope == nil:
			p.envelope = &layer
		default:
			return p, fmt.Errorf("it has a layer of the type %q, which this program does not know; a newer one may", layer.MediaType)
		}
	}
	if archives != 1 {
		return p, fmt.Errorf("it has %d layers of the type %s; want one", archives, LayerType)
	}
	return p, nil
}

func wrong(name, format string, args ...any) error {
	return &yamldoc.Error{File: name, Message: diag.Clip(fmt.Sprintf(format, args...))}
}
