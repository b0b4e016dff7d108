package bundle

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/bundle/document"
	"github.com/dragoman-io/dragoman/engine/script"
)

// CasesDir is the folder of a kind that holds its cases.
const CasesDir = "testdata"

// scriptFile is a script of a bundle before it is read.
type scriptFile struct {
	path       string
	kind       string
	operation  engine.Operation
	expression bool
}

// scripts finds the scripts of the bundle, in the order of their paths. All that is
// wrong with the folder is given at once.
func (b *Bundle) scripts(fsys fs.FS) ([]scriptFile, error) {
	entries, err := fs.ReadDir(fsys, b.Dir)
	if err != nil {
		return nil, err
	}
	var (
		found []scriptFile
		seen  []string
		errs  []error
		kinds = b.kindNames()
	)
	for _, e := range entries {
		name := e.Name()
		at := path.Join(b.Dir, name)
		switch {
		case hidden(name):
		case !e.IsDir():
			if name != ManifestFile && path.Ext(name) != ".md" {
				errs = append(errs, wrong(at, "a bundle holds %s, texts (.md) and a folder for each kind; this is none of them", ManifestFile))
			}
		case !slices.Contains(kinds, name):
			errs = append(errs, wrong(at, "%s", script.Unknown("kind", name, kinds)))
		default:
			seen = append(seen, name)
			files, err := kindScripts(fsys, at, name)
			found, errs = append(found, files...), append(errs, err)
		}
	}
	for _, kind := range kinds {
		if !slices.Contains(seen, kind) {
			errs = append(errs, wrong(path.Join(b.Dir, ManifestFile), "kind %s has no folder", kind))
		}
	}
	return found, errors.Join(errs...)
}

func (b *Bundle) kindNames() []string {
	var names []string
	for _, kind := range b.Kinds {
		if !slices.Contains(names, kind.Kind) {
			names = append(names, kind.Kind)
		}
	}
	return names
}

// kindScripts finds the scripts in the folder of one kind.
func kindScripts(fsys fs.FS, dir, kind string) ([]scriptFile, error) {
	entries, err := fs.ReadDir(fsys, dir)
	if err != nil {
		return nil, err
	}
	var (
		found []scriptFile
		errs  []error
	)
	for _, e := range entries {
		name := e.Name()
		extension := path.Ext(name)
		if hidden(name) || extension == ".md" || e.IsDir() && name == CasesDir {
			continue
		}
		f := scriptFile{path: path.Join(dir, name), kind: kind, expression: extension == ".cel"}
		if e.IsDir() || extension != ".cel" && extension != ".lua" {
			errs = append(errs, wrong(f.path, "a kind's folder holds scripts (.lua, .cel), texts (.md) and %s; this is none of them", CasesDir))
			continue
		}
		if f.operation, err = operationOf(strings.TrimSuffix(name, extension)); err != nil {
			errs = append(errs, wrong(f.path, "%v", err))
			continue
		}
		if n := len(found); n > 0 && found[n-1].operation.Name == f.operation.Name {
			errs = append(errs, wrong(f.path, "%s answers %s already; keep one", path.Base(found[n-1].path), f.operation.Name))
		}
		found = append(found, f)
	}
	if len(found) == 0 && len(errs) == 0 {
		errs = append(errs, wrong(dir, "the folder of kind %s holds no script", kind))
	}
	return found, errors.Join(errs...)
}

// operationOf gives the operation that a file of this name answers.
func operationOf(file string) (engine.Operation, error) {
	var names []string
	for _, op := range engine.Operations() {
		if op.File == file {
			return op, nil
		}
		names = append(names, op.File)
	}
	return engine.Operation{}, errors.New(script.Unknown("operation", file, names))
}

// hidden says that a file is of an editor or a version control, not of the bundle.
func hidden(name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasSuffix(name, "~")
}

func wrong(file, format string, args ...any) error {
	return &document.Error{File: file, Message: fmt.Sprintf(format, args...)}
}
