// SPDX-License-Identifier: Apache-2.0

package ship

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/dragoman-io/dragoman/cmd/internal/verbs/shipped"
	"github.com/dragoman-io/dragoman/cmd/internal/verbs/verb"
	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/engine/bundle/oci"
)

// buildOptions are the flags of build.
type buildOptions struct {
	streams verb.Streams
	output  string
}

func newBuildCommand(streams verb.Streams) *cobra.Command {
	o := &buildOptions{streams: streams}
	c := &cobra.Command{
		Use:   "build FOLDER",
		Short: "Build the archive of a bundle",
		Long: `build writes the archive that a bundle ships as, and prints its digest. The bundle is loaded
before, as the control plane loads it; its cases go along, and are not run: run dragoman test
before.

The same files make the same archive with the same version of dragoman: their times, modes and
owners do not count. Files that are hidden or named in .dragomanignore stay out. A bundle
holds no links; nothing is written where there is something wrong.`,
		Example: `  dragoman build ./flink
  dragoman build ./flink -o flink.tar.gz`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return o.run(args[0]) },
	}
	c.Flags().StringVarP(&o.output, "output", "o", "", "file of the archive; by default NAME-VERSION.tar.gz of the bundle")
	c.ValidArgsFunction = verb.CompleteArguments(verb.CompleteBundles, nil)
	return c
}

func (o *buildOptions) run(dir string) error {
	a, err := shipped.BuildFolder(dir)
	if err != nil {
		return err
	}
	s := &shipped.Bundle{Where: filepath.ToSlash(dir), Archive: a}
	outline, err := s.Outline()
	if err != nil {
		return err
	}
	if o.output == "" {
		o.output = oci.FileName(outline.Manifest)
	}
	if err := checkOutside(dir, o.output); err != nil {
		return err
	}
	if err := verb.WriteFile(o.output, a.Bytes, 0o644); err != nil {
		return err
	}
	fmt.Fprintf(o.streams.Err, "wrote %s: %d files, %d bytes\n", filepath.ToSlash(o.output), len(a.Files), len(a.Bytes))
	_, err = fmt.Fprintln(o.streams.Out, a.Digest)
	return err
}

// checkOutside returns an error where a file would become part of the bundle in a folder.
func checkOutside(dir, file string) error {
	from, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	to, err := filepath.Abs(file)
	if err != nil {
		return err
	}
	within, err := filepath.Rel(from, to)
	if err != nil || !filepath.IsLocal(within) {
		return nil //nolint:nilerr // without a path from one to the other it is outside
	}
	ignore, err := bundle.ReadIgnore(verb.Disk{}, filepath.ToSlash(filepath.Clean(dir)))
	if err != nil || bundle.Hidden(filepath.Base(to)) || ignore.Matches(filepath.ToSlash(within), false) {
		return err
	}
	return fmt.Errorf("%s would lie in the bundle itself, and be no part of it: pass -o ../%s, or name *.tar.gz in %s",
		filepath.ToSlash(file), filepath.Base(to), bundle.IgnoreFile)
}
