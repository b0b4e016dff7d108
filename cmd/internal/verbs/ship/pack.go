// SPDX-License-Identifier: Apache-2.0

package ship

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/dragoman-io/dragoman/cmd/internal/verbs/verb"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/bundle"
)

// packOptions are the flags of pack.
type packOptions struct {
	streams   verb.Streams
	name      string
	namespace string
	output    string
}

func newPackCommand(streams verb.Streams) *cobra.Command {
	o := &packOptions{streams: streams}
	c := &cobra.Command{
		Use:   "pack FOLDER",
		Short: "Print a ConfigMap that is a bundle where it is mounted",
		Long: `pack prints the ConfigMap of a bundle. Where it is mounted below the folder of
--bundle-dir, dragoman-manager takes it as the bundle, and each change of it at once. The
bundle is loaded before, as the control plane loads it; its cases go along, and are run by the
control plane before it becomes active. Texts for people (.md) are left out.

kubectl create configmap --from-file takes the files of one folder alone, without those of the
kinds.`,
		Example: `  dragoman pack ./flink | kubectl apply -f -
  dragoman pack ./flink --name flink-scripts -n dragoman-system > configmap.yaml`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return o.run(filepath.ToSlash(args[0])) },
	}
	f := c.Flags()
	f.StringVar(&o.name, "name", "", "name of the ConfigMap; by default bundle- and that of the bundle")
	f.StringVarP(&o.namespace, "namespace", "n", "", "namespace of the ConfigMap; by default none is written")
	f.StringVarP(&o.output, "output", "o", "yaml", "form of the output: yaml or json")
	c.ValidArgsFunction = verb.CompleteArguments(verb.CompleteBundles, nil)
	return c
}

func (o *packOptions) run(dir string) error {
	if o.output != "yaml" && o.output != "json" {
		return fmt.Errorf("output %q: want yaml or json", o.output)
	}
	c, err := engine.NewCompiler()
	if err != nil {
		return err
	}
	b, err := bundle.Loader{Compiler: c}.Load(verb.HostFS{}, dir, nil)
	if err != nil {
		return err
	}
	data, err := bundle.Pack(verb.HostFS{}, dir)
	if err != nil {
		return err
	}
	metadata := map[string]any{"name": o.name}
	if o.name == "" {
		metadata["name"] = "bundle-" + b.Name
	}
	if o.namespace != "" {
		metadata["namespace"] = o.namespace
	}
	text, err := verb.Encode(o.output, map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data})
	if err != nil {
		return err
	}
	_, err = o.streams.Out.Write(text)
	return err
}
