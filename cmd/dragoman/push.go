// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/engine/bundle/oci"
	"github.com/dragoman-io/dragoman/engine/bundle/sign"
)

// pushOptions are the flags of push.
type pushOptions struct {
	streams  Streams
	registry registryOptions
	key      string
	output   string
	force    bool
}

// pushed is the result of push.
type pushed struct {
	// Reference names the artifact by its digest, Tag is what it is found by.
	Reference string `json:"reference"`
	Tag       string `json:"tag"`
	// Digest is that of the manifest of the artifact, Archive that of the archive.
	Digest  string `json:"digest"`
	Archive string `json:"archive"`
	// Keys are the ids of the keys that signed it.
	Keys []string `json:"keys"`
	// Changed is false where the registry had it already.
	Changed bool `json:"changed"`
}

func newPushCommand(streams Streams) *cobra.Command {
	o := &pushOptions{streams: streams}
	c := &cobra.Command{
		Use:   "push FOLDER|FILE REFERENCE",
		Short: "Push a bundle into a registry of OCI artifacts",
		Long: `push sends a bundle to a registry: the archive in a file, with the signatures in FILE.sig, or
that of a folder, which is built before. With --key it is signed before anything is sent. It
prints the reference by digest, which always means this bundle.

The reference is REGISTRY/REPOSITORY:TAG. Without a tag, that is the version of the bundle. A
version means one bundle: where the tag is the version of the bundle and stands for another
one already, push exits 1 and sends nothing, but with --force. Any other tag is moved.

` + registryHelp + `

With -o json stdout is one object: reference, tag, digest (of the artifact), archive (its
digest), keys (that signed it), changed (false where the registry had it already).`,
		Example: `  dragoman push ./flink registry.example.com/acme/flink --key acme.key.pem
  dragoman push flink-1.4.0.tar.gz registry.example.com/acme/flink:latest`,
		Args: cobra.ExactArgs(2),
		RunE: func(c *cobra.Command, args []string) error { return o.run(c.Context(), args[0], args[1]) },
	}
	f := c.Flags()
	f.StringVar(&o.key, "key", "", "file of a private key that signs before (PEM, PKCS #8, ed25519)")
	f.StringVarP(&o.output, "output", "o", "text", "form of the output: text or json")
	f.BoolVar(&o.force, "force", false, "move a tag that is a version from another bundle")
	o.registry.addFlags(f)
	return c
}

func (o *pushOptions) run(ctx context.Context, arg, to string) error {
	if o.output != "text" && o.output != "json" {
		return fmt.Errorf("output %q: want text or json", o.output)
	}
	if err := o.registry.check(); err != nil {
		return err
	}
	ref, err := oci.ParseReference(to)
	if err != nil {
		return err
	}
	s, err := o.find(arg)
	if err != nil {
		return err
	}
	outline, err := s.outline()
	if err != nil {
		return err
	}
	if err := tagOf(&ref, outline.Manifest); err != nil {
		return err
	}
	if err := o.sign(s); err != nil {
		return err
	}
	result, err := o.push(ctx, s, ref, outline.Version)
	if err != nil {
		return err
	}
	return o.print(result)
}

// find returns the bundle of a folder or a file, once it is loaded.
func (o *pushOptions) find(arg string) (*shipped, error) {
	form, err := formOf(arg)
	switch {
	case err != nil:
		return nil, err
	case form == isReference:
		return nil, fmt.Errorf("%s: no such file or folder", arg)
	case form == isFolder:
		a, err := buildFolder(arg)
		return &shipped{where: filepath.ToSlash(arg), archive: a}, err
	}
	s, err := readFile(arg)
	if err != nil {
		return nil, err
	}
	if err := checkArchive(s.archive); err != nil {
		return nil, foundIn(s.where, err)
	}
	return s, nil
}

// tagOf sets the tag of a reference without one.
func tagOf(ref *oci.Reference, m bundle.Manifest) error {
	switch {
	case ref.Reference == "" && m.Version == "":
		return fmt.Errorf("no tag: the bundle %s has no version; write metadata.version in its %s, or push to %s:TAG", m.Name, bundle.ManifestFile, ref)
	case ref.Reference == "":
		ref.Reference = m.Version
	case strings.Contains(ref.Reference, ":"):
		return fmt.Errorf("%s names a digest, which follows from what is pushed: give a tag", ref)
	}
	return nil
}

// sign adds the signature of the key, and refuses signatures of another archive.
func (o *pushOptions) sign(s *shipped) error {
	if s.envelope != nil && s.envelope.Digest != s.archive.Digest {
		return foundWrong("%s: the signatures in it are of %s, and the archive is %s: sign it again", s.where+oci.SignatureSuffix, s.envelope.Digest, s.archive.Digest)
	}
	if o.key == "" {
		return nil
	}
	key, err := readPrivateKey(o.key)
	if err != nil {
		return err
	}
	s.envelope, err = sign.Sign(key, s.archive.Digest, s.envelope)
	return err
}

func (o *pushOptions) push(ctx context.Context, s *shipped, ref oci.Reference, version string) (*pushed, error) {
	connection, err := o.registry.connection()
	if err != nil {
		return nil, err
	}
	ctx, cancel := o.registry.within(ctx)
	defer cancel()
	digest, changed, err := oci.Push(ctx, connection.Connect(ref), oci.Upload{
		Archive: s.archive, Envelope: s.envelope, Tag: ref.Reference, Replace: o.force || ref.Reference != version,
	})
	var conflict *oci.ConflictError
	switch {
	case errors.As(err, &conflict):
		return nil, foundWrong("%s: %v; raise metadata.version, push to another tag, or pass --force", ref, conflict)
	case err != nil:
		return nil, adviceOf(ref, fmt.Errorf("%s: %w", ref, err))
	}
	result := &pushed{Tag: ref.Reference, Digest: digest, Archive: s.archive.Digest, Keys: s.keys(), Changed: changed}
	ref.Reference = digest
	result.Reference = ref.String()
	return result, nil
}

func (o *pushOptions) print(result *pushed) error {
	if o.output == "json" {
		text, err := encode(o.output, result)
		if err != nil {
			return err
		}
		_, err = o.streams.Out.Write(text)
		return err
	}
	if !result.Changed {
		fmt.Fprintf(o.streams.Err, "note: the registry has it already, as %s\n", result.Tag)
	}
	_, err := fmt.Fprintln(o.streams.Out, result.Reference)
	return err
}

// keys returns the ids of the keys that are said to have signed a bundle, an empty list for none.
func (s *shipped) keys() []string {
	ids := []string{}
	if s.envelope != nil {
		for _, signature := range s.envelope.Signatures {
			ids = append(ids, signature.KeyID)
		}
	}
	return ids
}
