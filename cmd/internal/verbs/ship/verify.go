// SPDX-License-Identifier: Apache-2.0

package ship

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/dragoman-io/dragoman/cmd/internal/verbs/shipped"
	"github.com/dragoman-io/dragoman/cmd/internal/verbs/verb"
)

// verifyOptions are the flags of verify.
type verifyOptions struct {
	streams  verb.Streams
	registry shipped.Registry
	keys     []string
}

func newVerifyCommand(streams verb.Streams) *cobra.Command {
	o := &verifyOptions{streams: streams}
	c := &cobra.Command{
		Use:   "verify FILE|REFERENCE --key PUBLIC_KEY",
		Short: "Check that a bundle is signed by a key",
		Long: `verify checks that the archive of a bundle is signed by one of the keys, and prints which. The
signatures of a file are in FILE.sig, those in a registry in the artifact. It exits 1 where
the bundle is signed by none of the keys, and names those that signed it; where it was
changed after it was signed; and where it is damaged.

` + shipped.RegistryHelp,
		Example: `  dragoman verify flink-1.4.0.tar.gz --key acme.pub.pem
  dragoman verify registry.example.com/acme/flink:1.4.0 --key acme.pub.pem --key partner.pub.pem`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return o.run(c.Context(), args[0]) },
	}
	f := c.Flags()
	f.StringArrayVar(&o.keys, "key", nil, "file of a public key (PEM, PKIX, ed25519); of several, one that signed is enough")
	o.registry.AddFlags(f)
	return c
}

func (o *verifyOptions) run(ctx context.Context, arg string) error {
	if len(o.keys) == 0 {
		return errors.New("no key to verify with: pass --key FILE")
	}
	if err := o.registry.Check(); err != nil {
		return err
	}
	keys, err := shipped.ReadKeys(o.keys)
	if err != nil {
		return err
	}
	s, err := o.find(ctx, arg)
	if err != nil {
		return err
	}
	by, err := s.Verify(keys)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(o.streams.Out, "%s signed by %s\n", s.Archive.Digest, by.ID)
	return err
}

// find returns what the argument names.
func (o *verifyOptions) find(ctx context.Context, arg string) (*shipped.Bundle, error) {
	form, err := shipped.FormOf(arg)
	switch {
	case err != nil:
		return nil, err
	case form == shipped.Folder:
		return nil, fmt.Errorf("%s is a folder, which has no signature; verify the archive that dragoman build made of it, or what is in the registry", arg)
	case form == shipped.File:
		return shipped.ReadFile(arg)
	}
	return o.registry.Pull(ctx, arg)
}
