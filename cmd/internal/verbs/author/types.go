// SPDX-License-Identifier: Apache-2.0

package author

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/cmd/internal/verbs/verb"
	"github.com/dragoman-io/dragoman/engine/author"
	"github.com/dragoman-io/dragoman/engine/author/reference"
	"github.com/dragoman-io/dragoman/engine/author/source"
	"github.com/dragoman-io/dragoman/engine/bundle"
)

// typesOptions are the flags of types.
type typesOptions struct {
	streams verb.Streams
	paths   []string
	folder  string
	check   bool
}

func newTypesCommand(streams verb.Streams) *cobra.Command {
	o := &typesOptions{streams: streams}
	c := &cobra.Command{
		Use:   "types BUNDLE | types CRD|FOLDER|-... --folder FOLDER",
		Short: "Write definitions of kinds for the Lua language server",
		Long: `types writes definitions for the Lua language server: a class for each kind and version of
CRDs, with the types of its fields and their descriptions; the functions of kube; and the
functions that scripts define, with what they get and return. A bundle has its CRDs in its folder
crds. Files and folders of CRDs are read where --folder says where to write.

The files are in the folder .lua, and .luarc.json tells the language server of it: Lua 5.1 with the
libraries that scripts have. Both names are hidden, so that they are no part of the bundle. A
.luarc.json of yours is left as it is. Above a function, a line such as
  ---@param object Cache
gives its argument the type of the kind.

Stdout names each file that was written; definitions of kinds that are gone are removed. With
--check nothing is written, and it exits 1 where a file is not as it would be.`,
		Example: `  dragoman types ./flink
  dragoman types ./flink --check
  dragoman types crd.yaml --folder ./cache`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			o.paths = args
			return o.run()
		},
	}
	f := c.Flags()
	f.StringVar(&o.folder, "folder", "", "folder to write to; by default the bundle")
	f.BoolVar(&o.check, "check", false, "write nothing; exit 1 where a file is not as it would be written")
	c.ValidArgsFunction = verb.CompleteArguments(verb.CompleteBundles, nil)
	return c
}

func (o *typesOptions) run() error {
	if err := o.chooseFolder(); err != nil {
		return err
	}
	definitions, err := o.definitions()
	if err != nil {
		return err
	}
	files, err := reference.LuaTypes(definitions)
	if err != nil {
		return err
	}
	stale, err := o.staleFiles(files)
	if err != nil {
		return err
	}
	if o.check {
		return o.compareFiles(files, stale)
	}
	return o.write(files, stale)
}

// chooseFolder sets where to write: the bundle that is the one path.
func (o *typesOptions) chooseFolder() error {
	if err := verb.OnceStdin(o.paths); err != nil {
		return err
	}
	if o.folder == "" {
		if len(o.paths) != 1 || !verb.IsBundle(o.paths[0]) {
			return fmt.Errorf("%s is no bundle, which has a %s: say by --folder where to write", filepath.ToSlash(o.paths[0]), bundle.ManifestFile)
		}
		o.folder = o.paths[0]
	}
	info, err := os.Stat(o.folder)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s is no folder", filepath.ToSlash(o.folder))
	}
	return err
}

// definitions returns the CRDs of all paths. A file that is named and has none is an error.
func (o *typesOptions) definitions() ([]*unstructured.Unstructured, error) {
	var all []*unstructured.Unstructured
	for _, p := range o.paths {
		var found []*unstructured.Unstructured
		var err error
		info, statErr := os.Stat(p)
		switch {
		case verb.IsBundle(p):
			found, err = definitionsBelow(path.Join(filepath.ToSlash(p), bundle.CRDsDir))
			if len(found) == 0 && err == nil {
				author.Printer{Out: o.streams.Err}.Notes([]error{fmt.Errorf("%s has no CRDs in %s: objects are tables", filepath.ToSlash(p), bundle.CRDsDir)})
			}
		case p != "-" && statErr == nil && info.IsDir():
			if found, err = definitionsBelow(filepath.ToSlash(p)); len(found) == 0 && err == nil {
				err = verb.Nothingf("%s: there is no CRD in it", filepath.ToSlash(p))
			}
		default:
			if found, err = o.definitionsOf(p); len(found) == 0 && err == nil {
				err = verb.Nothingf("%s: there is no CRD in it", filepath.ToSlash(p))
			}
		}
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// definitionsOf returns the CRDs of a file.
func (o *typesOptions) definitionsOf(file string) ([]*unstructured.Unstructured, error) {
	name, data, err := o.streams.Read(file)
	if err != nil {
		return nil, err
	}
	return crdsOf(filepath.ToSlash(name), data)
}

// crdsOf returns the CRDs among the objects of a text.
func crdsOf(name string, data []byte) ([]*unstructured.Unstructured, error) {
	objects, err := source.Objects(name, data)
	return slices.DeleteFunc(objects, func(u *unstructured.Unstructured) bool { return u.GetKind() != "CustomResourceDefinition" }), err
}

// definitionsBelow returns the CRDs of the files of a folder; none where it is not there.
func definitionsBelow(dir string) ([]*unstructured.Unstructured, error) {
	var all []*unstructured.Unstructured
	err := fs.WalkDir(verb.HostFS{}, dir, func(file string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist) && file == dir:
			return nil
		case err != nil:
			return err
		case bundle.Hidden(d.Name()) && d.IsDir() && file != dir:
			return fs.SkipDir
		case d.IsDir() || !slices.Contains([]string{".yaml", ".yml", ".json"}, path.Ext(file)) || bundle.Hidden(d.Name()):
			return nil
		}
		data, err := fs.ReadFile(verb.HostFS{}, file)
		if err != nil {
			return err
		}
		found, err := crdsOf(file, data)
		all = append(all, found...)
		return err
	})
	return all, err
}

// staleFiles returns the definitions in the folder that are not among files, and leaves out of these a
// configuration that another program or a person wrote.
func (o *typesOptions) staleFiles(files map[string]string) ([]string, error) {
	if data, err := os.ReadFile(o.filePath(reference.TypesConfig)); err == nil && !reference.IsTypes(data) {
		delete(files, reference.TypesConfig)
		author.Printer{Out: o.streams.Err}.Notes([]error{fmt.Errorf("%s was not written by types and stays as it is: name %s in its workspace.library",
			filepath.ToSlash(o.filePath(reference.TypesConfig)), reference.TypesDir)})
	}
	entries, err := os.ReadDir(o.filePath(reference.TypesDir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var stale []string
	for _, e := range entries {
		name := path.Join(reference.TypesDir, e.Name())
		data, err := os.ReadFile(o.filePath(name))
		_, wanted := files[name]
		switch {
		case err != nil || reference.IsTypes(data) && wanted:
		case reference.IsTypes(data):
			stale = append(stale, name)
		case wanted:
			return nil, fmt.Errorf("%s was not written by types: move it away", filepath.ToSlash(o.filePath(name)))
		}
	}
	return stale, nil
}

// filePath returns the path of a file.
func (o *typesOptions) filePath(name string) string {
	return filepath.Join(o.folder, filepath.FromSlash(name))
}

// compareFiles reports which files are not as they would be.
func (o *typesOptions) compareFiles(files map[string]string, stale []string) error {
	var wrong []error
	for _, name := range slices.Sorted(maps.Keys(files)) {
		data, err := os.ReadFile(o.filePath(name))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			wrong = append(wrong, fmt.Errorf("%s is not there", filepath.ToSlash(o.filePath(name))))
		case err != nil:
			return err
		case string(data) != files[name]:
			wrong = append(wrong, fmt.Errorf("%s is not up to date", filepath.ToSlash(o.filePath(name))))
		}
	}
	for _, name := range stale {
		wrong = append(wrong, fmt.Errorf("%s is of a kind that is gone", filepath.ToSlash(o.filePath(name))))
	}
	if len(wrong) == 0 {
		return nil
	}
	author.Printer{Out: o.streams.Err}.Errors(errors.Join(wrong...))
	return verb.Foundf("%d files are not as they would be: run dragoman types again", len(wrong))
}

// write writes the files that are not so already, and removes those of kinds that are gone.
func (o *typesOptions) write(files map[string]string, stale []string) error {
	if err := os.MkdirAll(o.filePath(reference.TypesDir), 0o755); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := verb.WriteFile(o.filePath(name), []byte(files[name]), 0o644); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(o.streams.Out, filepath.ToSlash(o.filePath(name))); err != nil {
			return err
		}
	}
	for _, name := range stale {
		if err := os.Remove(o.filePath(name)); err != nil {
			return err
		}
	}
	return nil
}
