// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/dragoman-io/dragoman/engine/bundle/oci"
)

// pullOptions are the flags of pull.
type pullOptions struct {
	streams  Streams
	registry registryOptions
	keys     []string
	output   string
}

func newPullCommand(streams Streams) *cobra.Command {
	o := &pullOptions{streams: streams}
	c := &cobra.Command{
		Use:   "pull REFERENCE",
		Short: "Pull a bundle from a registry, into a folder or a file",
		Long: `pull fetches a bundle by its tag or its digest, compares all that it gets with the digests, and
writes it as a folder, or as an archive where the name ends in .tar.gz or .tgz, with the
signatures beside it. With --key it writes nothing that none of the keys signed. It prints
the reference by digest.

The folder is written beside its place and moved there once it is whole. A folder that is
there is replaced, if it holds a bundle of the same name and nothing else.

` + registryHelp,
		Example: `  dragoman pull registry.example.com/acme/flink:1.4.0 --key acme.pub.pem
  dragoman pull registry.example.com/acme/flink@sha256:... -o bundles/flink
  dragoman pull registry.example.com/acme/flink:1.4.0 -o flink.tar.gz`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return o.run(c.Context(), args[0]) },
	}
	f := c.Flags()
	f.StringVarP(&o.output, "output", "o", "", "folder of the bundle, or file of its archive; by default a folder of its name")
	f.StringArrayVar(&o.keys, "key", nil, "file of a public key (PEM, PKIX, ed25519) that must have signed; of several, one is enough")
	o.registry.addFlags(f)
	return c
}

func (o *pullOptions) run(ctx context.Context, arg string) error {
	if err := o.registry.check(); err != nil {
		return err
	}
	keys, err := readKeys(o.keys)
	if err != nil {
		return err
	}
	s, err := o.registry.pull(ctx, arg)
	if err != nil {
		return err
	}
	outline, err := s.outline()
	if err != nil {
		return err
	}
	if len(keys) > 0 {
		if _, err := s.verify(keys); err != nil {
			return err
		}
	}
	if o.output == "" {
		o.output = outline.Name
	}
	if isArchiveName(o.output) {
		err = o.writeArchive(s)
	} else {
		err = writeFolder(o.output, s.archive, outline.Name)
	}
	if err != nil {
		return err
	}
	if len(keys) == 0 && s.envelope != nil {
		fmt.Fprintln(o.streams.Err, "note: no signature was verified; pass --key to accept only what a key signed")
	}
	fmt.Fprintf(o.streams.Err, "wrote %s: %d files\n", filepath.ToSlash(o.output), len(s.archive.Files))
	_, err = fmt.Fprintln(o.streams.Out, s.reference)
	return err
}

// writeArchive writes the archive and its signatures. Those of an archive that was there before go
// first, so that none is ever beside another archive.
func (o *pullOptions) writeArchive(s *shipped) error {
	signatures := o.output + oci.SignatureSuffix
	if err := os.Remove(signatures); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := writeFile(o.output, s.archive.Bytes, 0o644); err != nil || s.envelope == nil {
		return err
	}
	text, err := s.envelope.JSON()
	if err != nil {
		return err
	}
	return writeFile(signatures, text, 0o644)
}
