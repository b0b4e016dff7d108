// SPDX-License-Identifier: Apache-2.0

package ship

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/dragoman-io/dragoman/cmd/internal/verbs/shipped"
	"github.com/dragoman-io/dragoman/cmd/internal/verbs/verb"
	"github.com/dragoman-io/dragoman/engine/bundle/oci"
)

// pullOptions are the flags of pull.
type pullOptions struct {
	streams  verb.Streams
	registry shipped.Registry
	keys     []string
	output   string
}

func newPullCommand(streams verb.Streams) *cobra.Command {
	o := &pullOptions{streams: streams}
	c := &cobra.Command{
		Use:   "pull REFERENCE",
		Short: "Pull a bundle from a registry",
		Long: `pull fetches a bundle by its tag or its digest, compares all that it gets with the digests, and
writes it as a folder, or as an archive where the name ends in .tar.gz or .tgz, with the
signatures beside it. With --key it writes nothing that none of the keys signed. It prints
the reference by digest.

The folder is written beside its place and moved there once it is whole. A folder that is
there is replaced, if it holds a bundle of the same name and nothing else.

` + shipped.RegistryHelp,
		Example: `  dragoman pull registry.example.com/acme/flink:1.4.0 --key acme.pub.pem
  dragoman pull registry.example.com/acme/flink@sha256:... -o bundles/flink
  dragoman pull registry.example.com/acme/flink:1.4.0 -o flink.tar.gz`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return o.run(c.Context(), args[0]) },
	}
	f := c.Flags()
	f.StringVarP(&o.output, "output", "o", "", "folder of the bundle, or file of its archive; by default a folder of its name")
	f.StringArrayVar(&o.keys, "key", nil, "file of a public key (PEM, PKIX, ed25519) that must have signed; of several, one is enough")
	o.registry.AddFlags(f)
	return c
}

func (o *pullOptions) run(ctx context.Context, arg string) error {
	if err := o.registry.Check(); err != nil {
		return err
	}
	keys, err := shipped.ReadKeys(o.keys)
	if err != nil {
		return err
	}
	s, err := o.registry.Pull(ctx, arg)
	if err != nil {
		return err
	}
	outline, err := s.Outline()
	if err != nil {
		return err
	}
	if len(keys) > 0 {
		if _, err := s.Verify(keys); err != nil {
			return err
		}
	}
	if o.output == "" {
		o.output = outline.Name
	}
	if shipped.IsArchiveName(o.output) {
		err = o.writeArchive(s)
	} else {
		err = shipped.WriteFolder(o.output, s.Archive, outline.Name)
	}
	if err != nil {
		return err
	}
	if len(keys) == 0 && s.Envelope != nil {
		fmt.Fprintln(o.streams.Err, "note: no signature was verified; pass --key to accept only what a key signed")
	}
	fmt.Fprintf(o.streams.Err, "wrote %s: %d files\n", filepath.ToSlash(o.output), len(s.Archive.Files))
	_, err = fmt.Fprintln(o.streams.Out, s.Reference)
	return err
}

// writeArchive writes the archive and its signatures. Those of an archive that was there before go
// first, so that none is ever beside another archive.
func (o *pullOptions) writeArchive(s *shipped.Bundle) error {
	signatures := o.output + oci.SignatureSuffix
	if err := os.Remove(signatures); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := verb.WriteFile(o.output, s.Archive.Bytes, 0o644); err != nil || s.Envelope == nil {
		return err
	}
	text, err := s.Envelope.JSON()
	if err != nil {
		return err
	}
	return verb.WriteFile(signatures, text, 0o644)
}
