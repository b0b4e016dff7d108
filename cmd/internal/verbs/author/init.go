// SPDX-License-Identifier: Apache-2.0

package author

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/cmd/internal/verbs/verb"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/author/scaffold"
	"github.com/dragoman-io/dragoman/engine/author/source"
)

// initOptions are the flags of init.
type initOptions struct {
	streams verb.Streams
	paths   []string
	kind    string
	name    string
	folder  string
}

func newInitCommand(streams verb.Streams) *cobra.Command {
	o := &initOptions{streams: streams}
	c := &cobra.Command{
		Use:   "init FILE|-...",
		Short: "Draft a bundle for a kind from its CRD, an object of it, or both",
		Long: `init writes a bundle for the kinds whose CRDs or objects it reads: the manifest, scripts
and cases. It recognizes what many kinds have in common: replicas (by the scale subresource
or spec.replicas), pod templates, names of Secrets and ConfigMaps, spec.suspend, and the
usual conditions, phases and counts of a status. The draft passes dragoman test.

An object beside the CRD shows what the schema leaves open, such as the types of its
conditions. The outputs of the cases are what the scripts answer: read whether they are
right. Objects of kinds of the API server itself are passed over.

Stdout names each file that was written. Nothing is written where the folder is there.`,
		Example: `  dragoman init crd.yaml
  dragoman init crd.yaml sample.yaml --kind Cache
  kubectl get crd caches.cache.example.com -o yaml | dragoman init - --folder ./cache`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			o.paths = args
			return o.run()
		},
	}
	f := c.Flags()
	f.StringVar(&o.kind, "kind", "", "the one kind of several that a bundle is written for")
	f.StringVar(&o.name, "name", "", "name of the bundle; by default the first part of the API group")
	f.StringVar(&o.folder, "folder", "", "folder that is made for the bundle; by default one of its name")
	return c
}

func (o *initOptions) run() error {
	documents, err := o.readDocuments()
	if err != nil {
		return err
	}
	c, err := engine.NewCompiler()
	if err != nil {
		return err
	}
	draft, err := scaffold.New(c, scaffold.Options{Documents: documents, Kind: o.kind, Name: o.name})
	if errors.Is(err, scaffold.ErrNothing) {
		return verb.Nothingf("nothing was written: %v in %v", err, o.paths)
	}
	if err != nil {
		return err
	}
	if o.folder == "" {
		o.folder = draft.Name
	}
	for _, note := range draft.Notes {
		fmt.Fprintln(o.streams.Err, "note:", note)
	}
	if err := writeDraft(o.streams, o.folder, draft); err != nil {
		return err
	}
	fmt.Fprintf(o.streams.Err, "next: read the scripts and cases, then run dragoman test %s\n", filepath.ToSlash(o.folder))
	return nil
}

// readDocuments reads all paths.
func (o *initOptions) readDocuments() ([]*unstructured.Unstructured, error) {
	var all []*unstructured.Unstructured
	if err := verb.OnceStdin(o.paths); err != nil {
		return nil, err
	}
	for _, p := range o.paths {
		name, data, err := o.streams.Read(p)
		if err != nil {
			return nil, err
		}
		objects, err := source.Objects(filepath.ToSlash(name), data)
		if err != nil {
			return nil, err
		}
		all = append(all, objects...)
	}
	return all, nil
}

// writeDraft makes the folder of a bundle, whole or not at all: the files are written beside it and moved there.
func writeDraft(streams verb.Streams, folder string, draft *scaffold.Draft) (err error) {
	if _, err := os.Lstat(folder); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is there already: choose another folder with --folder, or move it away", filepath.ToSlash(folder))
	}
	parent := filepath.Dir(filepath.Clean(folder))
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return err
	}
	beside, err := os.MkdirTemp(parent, ".dragoman-init-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(beside)) }()
	if err := os.Chmod(beside, 0o755); err != nil {
		return err
	}
	for _, p := range draft.Paths() {
		file := filepath.Join(beside, filepath.FromSlash(p))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, []byte(draft.Files[p]), 0o644); err != nil {
			return err
		}
	}
	if err := os.Rename(beside, folder); err != nil {
		return err
	}
	for _, p := range draft.Paths() {
		if _, err := fmt.Fprintln(streams.Out, filepath.ToSlash(filepath.Join(folder, filepath.FromSlash(p)))); err != nil {
			return err
		}
	}
	return nil
}
