// SPDX-License-Identifier: Apache-2.0

package plane

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/dragoman-io/dragoman/cmd/internal/verbs/shipped"
	"github.com/dragoman-io/dragoman/cmd/internal/verbs/verb"
	"github.com/dragoman-io/dragoman/controllers/scriptbundle/shadow"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/author"
	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/scripts"
)

// shadowOptions are the flags of shadow.
type shadowOptions struct {
	streams    verb.Streams
	registry   shipped.Registry
	kubeconfig string
	output     string
	parameters map[string]string
	timeout    time.Duration
}

func newShadowCommand(streams verb.Streams) *cobra.Command {
	o := &shadowOptions{streams: streams}
	c := &cobra.Command{
		Use:   "shadow BUNDLE",
		Short: "Show what a bundle would change on a control plane, without activating it",
		Long: `shadow asks the scripts of a bundle, a folder, an archive or a reference, about all objects of its
kinds that a control plane propagates, and about their copies in the clusters, beside the scripts
that answer there now: the customizations and ScriptBundles of the control plane, and the bundles
of this program. It groups the answers that would change, and says what they mean for where
workloads go and for failovers. It only reads.

The objects of members are read with the credentials that the control plane has of them. Bundles in
a folder of the manager (--bundle-dir) are not seen.

Exit codes: 0 nothing would change; 1 answers would change, or the bundle is not valid; 2 usage,
or the control plane could not be read; 3 it propagates no object of the kinds of the bundle.`,
		Example: `  dragoman shadow bundles/flink
  dragoman shadow registry.example.com/acme/flink:1.5.0 -o json`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return o.run(c.Context(), args[0]) },
	}
	f := c.Flags()
	addKubeconfigFlag(f, &o.kubeconfig)
	f.StringVarP(&o.output, "output", "o", "text", "form of the output: text or json")
	f.StringToStringVar(&o.parameters, "param", nil, "value of a parameter of the bundle, as name=value; --parameter is the same")
	f.SetNormalizeFunc(parameterAsParam)
	f.DurationVar(&o.timeout, "read-timeout", 5*time.Minute, "how long reading the control plane and its members may take")
	o.registry.AddFlags(f)
	return c
}

func (o *shadowOptions) run(ctx context.Context, arg string) error {
	if o.output != "text" && o.output != "json" {
		return fmt.Errorf("output %q: want text or json", o.output)
	}
	if err := o.registry.Check(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	compiler, err := engine.NewCompiler()
	if err != nil {
		return err
	}
	candidate, err := o.load(ctx, compiler, arg)
	if err != nil {
		return err
	}
	found, err := o.compare(ctx, compiler, candidate)
	if err != nil {
		return err
	}
	if found.Objects == 0 {
		return verb.Nothingf("the control plane propagates no object of the kinds of %s, so that nothing was asked", candidate.Name)
	}
	if err := o.print(found); err != nil {
		return err
	}
	if found.Found() {
		return verb.Exit(verb.ExitFound, "")
	}
	return nil
}

// load loads the bundle of an argument as the control plane does.
func (o *shadowOptions) load(ctx context.Context, compiler *engine.Compiler, arg string) (*bundle.Bundle, error) {
	form, err := shipped.FormOf(arg)
	if err != nil {
		return nil, err
	}
	var s *shipped.Bundle
	switch form {
	case shipped.Folder:
		return bundle.Loader{Compiler: compiler}.Load(verb.HostFS{}, filepath.ToSlash(filepath.Clean(arg)), o.parameters)
	case shipped.File:
		s, err = shipped.ReadFile(arg)
	case shipped.Reference:
		s, err = o.registry.Pull(ctx, arg)
	}
	if err != nil {
		return nil, err
	}
	b, err := bundle.Loader{Compiler: compiler}.Load(s.Archive.FS("."), ".", o.parameters)
	if err != nil {
		return nil, shipped.FoundIn(s.Where, err)
	}
	return b, nil
}

// compare compares a bundle with what answers in the control plane.
func (o *shadowOptions) compare(ctx context.Context, compiler *engine.Compiler, candidate *bundle.Bundle) (*shadow.Result, error) {
	p, err := openReadOnlyPlane(o.kubeconfig, "")
	if err != nil {
		return nil, err
	}
	interpreter, left, err := shadow.Engine(ctx, p.client, compiler, scripts.FS)
	if err != nil {
		return nil, err
	}
	for _, err := range left {
		fmt.Fprintln(o.streams.Err, "warning:", err)
	}
	direct, err := shadow.NewDirect(ctx, p.client)
	if err != nil {
		return nil, err
	}
	defer direct.Close()
	return shadow.Compare(ctx, interpreter, candidate.Name, &candidate.Source, direct.Workloads)
}

func (o *shadowOptions) print(r *shadow.Result) error {
	if o.output == "json" {
		text, err := json.MarshalIndent(r, "", "  ")
		if err != nil {
			return err
		}
		_, err = o.streams.Out.Write(append(text, '\n'))
		return err
	}
	for _, text := range r.Effects {
		fmt.Fprintln(o.streams.Out, text)
	}
	if len(r.Effects) > 0 {
		fmt.Fprintln(o.streams.Out)
	}
	author.Printer{Out: o.streams.Out}.Comparison(r.Comparison)
	_, err := fmt.Fprintf(o.streams.Out, "%d objects were asked about\n", r.Objects)
	for _, cluster := range slices.Sorted(maps.Keys(r.Unread)) {
		fmt.Fprintf(o.streams.Err, "warning: not all could be read of cluster %s: %s\n", cluster, r.Unread[cluster])
	}
	return err
}
