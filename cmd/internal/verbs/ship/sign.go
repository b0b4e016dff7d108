// SPDX-License-Identifier: Apache-2.0

package ship

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/dragoman-io/dragoman/cmd/internal/verbs/shipped"
	"github.com/dragoman-io/dragoman/cmd/internal/verbs/verb"
	"github.com/dragoman-io/dragoman/engine/bundle/oci"
	"github.com/dragoman-io/dragoman/engine/bundle/sign"
)

// signOptions are the flags of sign.
type signOptions struct {
	streams  verb.Streams
	key      string
	generate string
}

func newSignCommand(streams verb.Streams) *cobra.Command {
	o := &signOptions{streams: streams}
	c := &cobra.Command{
		Use:   "sign FILE --key KEY | --generate-key NAME",
		Short: "Sign the archive of a bundle, or make a key",
		Long: `sign signs the digest of an archive with an ed25519 key, and writes the signature into
FILE.sig, beside the archive, which stays as it is. Another key adds its signature to those
that are there. dragoman push sends them along. It prints the id of the key and the digest.

With --generate-key it makes a key in NAME.key.pem, which only you can read (mode 0600), and
the public key that belongs to it in NAME.pub.pem. A key of openssl is as good:
openssl genpkey -algorithm ed25519.`,
		Example: `  dragoman sign --generate-key acme
  dragoman sign flink-1.4.0.tar.gz --key acme.key.pem`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return o.run(args) },
	}
	f := c.Flags()
	f.StringVar(&o.key, "key", "", "file of the private key (PEM, PKCS #8, ed25519)")
	f.StringVar(&o.generate, "generate-key", "", "make a key in NAME.key.pem and NAME.pub.pem")
	return c
}

func (o *signOptions) run(args []string) error {
	switch {
	case o.generate != "" && (len(args) > 0 || o.key != ""):
		return errors.New("--generate-key makes a key and signs nothing; leave out the file and --key")
	case o.generate != "":
		return o.makeKey()
	case len(args) == 0:
		return errors.New("nothing to sign: want the archive that dragoman build wrote")
	case o.key == "":
		return errors.New("no key to sign with: pass --key FILE; dragoman sign --generate-key NAME makes one")
	}
	return o.sign(args[0])
}

// sign writes the signature of an archive beside it.
func (o *signOptions) sign(file string) error {
	key, err := shipped.ReadPrivateKey(o.key)
	if err != nil {
		return err
	}
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		return fmt.Errorf("%s is a folder; sign the archive that dragoman build makes of it", filepath.ToSlash(file))
	}
	s, err := shipped.ReadFile(file)
	if err != nil {
		return err
	}
	if s.Envelope != nil && s.Envelope.Digest != s.Archive.Digest {
		fmt.Fprintf(o.streams.Err, "note: the signatures in %s are of another archive, %s; they are replaced\n", s.Where+oci.SignatureSuffix, s.Envelope.Digest)
		s.Envelope = nil
	}
	e, err := sign.Sign(key, s.Archive.Digest, s.Envelope)
	if err != nil {
		return err
	}
	text, err := e.JSON()
	if err != nil {
		return err
	}
	if err := verb.WriteFile(file+oci.SignatureSuffix, text, 0o644); err != nil {
		return err
	}
	fmt.Fprintf(o.streams.Err, "wrote %s\n", s.Where+oci.SignatureSuffix)
	_, err = fmt.Fprintf(o.streams.Out, "%s signed by %s\n", s.Archive.Digest, key.Public.ID)
	return err
}

// makeKey writes a new key, in files that are not there.
func (o *signOptions) makeKey() error {
	key, err := sign.Generate()
	if err != nil {
		return err
	}
	private, err := key.PEM()
	if err != nil {
		return err
	}
	public, err := key.Public.PEM()
	if err != nil {
		return err
	}
	privateFile, publicFile := o.generate+".key.pem", o.generate+".pub.pem"
	if _, err := os.Lstat(publicFile); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is there already: choose another name; a key is never replaced", filepath.ToSlash(publicFile))
	}
	if err := createFile(privateFile, private, 0o600); err != nil {
		return err
	}
	if err := createFile(publicFile, public, 0o644); err != nil {
		return errors.Join(err, os.Remove(privateFile))
	}
	fmt.Fprintf(o.streams.Err, "wrote %s, which is secret, and %s, which is for everyone\n", filepath.ToSlash(privateFile), filepath.ToSlash(publicFile))
	_, err = fmt.Fprintln(o.streams.Out, key.Public.ID)
	return err
}

// createFile writes a file that is not there.
func createFile(file string, data []byte, mode fs.FileMode) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s is there already: choose another name; a key is never replaced", filepath.ToSlash(file))
	}
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}
