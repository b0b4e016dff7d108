// SPDX-License-Identifier: Apache-2.0

package ship

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dragoman-io/dragoman/cmd/internal/verbs/shipped"
	"github.com/dragoman-io/dragoman/cmd/internal/verbs/verb"
	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/engine/bundle/oci"
	"github.com/dragoman-io/dragoman/engine/bundle/sign"
)

// pushOptions are the flags of push.
type pushOptions struct {
	streams  verb.Streams
	registry shipped.Registry
	key      string
	output   string
	force    bool
}

// pushResult is the result of push.
type pushResult struct {
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

func newPushCommand(streams verb.Streams) *cobra.Command {
	o := &pushOptions{streams: streams}
	c := &cobra.Command{
		Use:   "push FOLDER|FILE REFERENCE",
		Short: "Push a bundle to a registry",
		Long: `push sends a bundle to a registry: the archive in a file, with the signatures in FILE.sig, or
that of a folder, which is built before. With --key it is signed before anything is sent. It
prints the reference by digest, which always means this bundle.

The reference is REGISTRY/REPOSITORY:TAG. Without a tag, that is the version of the bundle. A
version means one bundle: where the tag is the version of the bundle and stands for another
one already, push exits 1 and sends nothing, but with --force. Any other tag is moved.

` + shipped.RegistryHelp + `

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
	o.registry.AddFlags(f)
	c.ValidArgsFunction = verb.CompleteArguments(verb.CompleteBundles, verb.CompleteNothing)
	return c
}

func (o *pushOptions) run(ctx context.Context, arg, to string) error {
	if o.output != "text" && o.output != "json" {
		return fmt.Errorf("output %q: want text or json", o.output)
	}
	if err := o.registry.Check(); err != nil {
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
	outline, err := s.Outline()
	if err != nil {
		return err
	}
	if err := setTag(&ref, outline.Manifest); err != nil {
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
func (o *pushOptions) find(arg string) (*shipped.Bundle, error) {
	form, err := shipped.FormOf(arg)
	switch {
	case err != nil:
		return nil, err
	case form == shipped.Reference:
		return nil, fmt.Errorf("%s: no such file or folder", arg)
	case form == shipped.Folder:
		a, err := shipped.BuildFolder(arg)
		return &shipped.Bundle{Where: filepath.ToSlash(arg), Archive: a}, err
	}
	s, err := shipped.ReadFile(arg)
	if err != nil {
		return nil, err
	}
	if err := shipped.CheckArchive(s.Archive); err != nil {
		return nil, shipped.FoundIn(s.Where, err)
	}
	return s, nil
}

// setTag sets the tag of a reference without one.
func setTag(ref *oci.Reference, m bundle.Manifest) error {
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
func (o *pushOptions) sign(s *shipped.Bundle) error {
	if s.Envelope != nil && s.Envelope.Digest != s.Archive.Digest {
		return verb.Foundf("%s: the signatures in it are of %s, and the archive is %s: sign it again", s.Where+oci.SignatureSuffix, s.Envelope.Digest, s.Archive.Digest)
	}
	if o.key == "" {
		return nil
	}
	key, err := shipped.ReadPrivateKey(o.key)
	if err != nil {
		return err
	}
	s.Envelope, err = sign.Sign(key, s.Archive.Digest, s.Envelope)
	return err
}

func (o *pushOptions) push(ctx context.Context, s *shipped.Bundle, ref oci.Reference, version string) (*pushResult, error) {
	connection, err := o.registry.Connection()
	if err != nil {
		return nil, err
	}
	ctx, cancel := o.registry.Within(ctx)
	defer cancel()
	digest, changed, err := oci.Push(ctx, connection.Connect(ref), oci.Upload{
		Archive: s.Archive, Envelope: s.Envelope, Tag: ref.Reference, Replace: o.force || ref.Reference != version,
	})
	var conflict *oci.ConflictError
	switch {
	case errors.As(err, &conflict):
		return nil, verb.Foundf("%s: %v; raise metadata.version, push to another tag, or pass --force", ref, conflict)
	case err != nil:
		return nil, shipped.Advise(ref, fmt.Errorf("%s: %w", ref, err))
	}
	result := &pushResult{Tag: ref.Reference, Digest: digest, Archive: s.Archive.Digest, Keys: s.Keys(), Changed: changed}
	ref.Reference = digest
	result.Reference = ref.String()
	return result, nil
}

func (o *pushOptions) print(result *pushResult) error {
	if o.output == "json" {
		text, err := verb.Encode(o.output, result)
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
