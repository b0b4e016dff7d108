// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/internal/diag"
	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
)

const (
	// CasesDir is the folder of a kind that holds its cases.
	CasesDir = "testdata"
	// libDir is the folder of a bundle that holds what its scripts share.
	libDir = "lib"
	// CRDsDir is the folder of a bundle that holds the CRDs of its kinds, for checks.
	CRDsDir = "crds"
	// SamplesDir is the folder of a bundle that holds objects for people.
	SamplesDir = "samples"
)

// scriptFile is a script of a bundle: a file in the folder of a kind, or a function of
// a module that a mapping names.
type scriptFile struct {
	path string
	text string
	// kinds are the names of the kinds that it answers for; a file has one.
	kinds      []string
	operation  engine.Operation
	expression bool
	// function is nil for a file.
	function *Function
}

// versions are the kinds that the script answers for, in each of their versions.
func (s scriptFile) versions(b *Bundle) []schema.GroupVersionKind {
	var kinds []schema.GroupVersionKind
	for _, kind := range b.Kinds {
		if slices.Contains(s.kinds, kind.Kind) {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// found is the code of a bundle: its scripts, and the paths of its modules.
type found struct {
	scripts []scriptFile
	modules []string
}

// files finds the code of the bundle, in the order of the paths. It returns all errors of
// the folder at once.
func (b *Bundle) files(fsys fs.FS) (found, error) {
	var code found
	entries, err := fs.ReadDir(fsys, b.Dir)
	if err != nil {
		return code, err
	}
	var (
		seen     []string
		problems yamldoc.Problems
		kinds    = b.kindNames()
	)
	for _, e := range entries {
		name := e.Name()
		at := path.Join(b.Dir, name)
		switch {
		case Hidden(name) || b.ignore.Matches(name, e.IsDir()):
		case !e.IsDir():
			if name != ManifestFile && !isText(name, true) {
				problems.Add(wrong(at, "a bundle holds %s, texts (.md, .txt, LICENSE, NOTICE), %s, %s, %s and a folder for each kind; "+
					"this is none of them; name it in %s where it is no part of the bundle", ManifestFile, libDir, CRDsDir, SamplesDir, IgnoreFile))
			}
		case name == libDir:
			code.modules, err = b.modules(fsys, at)
			problems.Add(err)
		case isReference(name):
			problems.Add(b.references(fsys, at))
		case !slices.Contains(kinds, name):
			problems.AddFrom(func() error { return wrong(at, "%s", yamldoc.Unknown("kind", name, kinds)) })
		default:
			seen = append(seen, name)
			scripts, err := b.kindScripts(fsys, at, name)
			code.scripts = append(code.scripts, scripts...)
			problems.Add(err)
		}
	}
	for _, kind := range kinds {
		if !slices.Contains(seen, kind) && !b.maps(kind) {
			problems.Add(wrong(path.Join(b.Dir, ManifestFile), "kind %s has no folder", kind))
		}
	}
	return code, problems.Err()
}

// moduleFile matches the file name of a module: a Lua name with its extension.
var moduleFile = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*\.lua$`)

// modules finds the modules in the folder of a bundle that holds them.
func (b *Bundle) modules(fsys fs.FS, dir string) ([]string, error) {
	entries, err := fs.ReadDir(fsys, dir)
	var (
		files    []string
		problems yamldoc.Problems
	)
	problems.Add(err)
	for _, e := range entries {
		at := path.Join(dir, e.Name())
		switch {
		case b.leavesOut(at, e):
		case e.IsDir() || !moduleFile.MatchString(e.Name()):
			problems.Add(wrong(at, "%s holds modules (<name>.lua) and texts (.md); this is none of them", libDir))
		default:
			files = append(files, at)
		}
	}
	return files, problems.Err()
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

// maps reports whether the manifest names a function for an operation of a kind.
func (b *Bundle) maps(kind string) bool {
	return slices.ContainsFunc(b.Mappings, func(m Mapping) bool { return slices.Contains(m.Kinds, kind) })
}

// kindScripts finds the scripts in the folder of one kind.
func (b *Bundle) kindScripts(fsys fs.FS, dir, kind string) ([]scriptFile, error) {
	entries, err := fs.ReadDir(fsys, dir)
	if err != nil {
		return nil, err
	}
	var (
		files    []scriptFile
		problems yamldoc.Problems
	)
	for _, e := range entries {
		name := e.Name()
		extension := path.Ext(name)
		if b.leavesOut(path.Join(dir, name), e) || e.IsDir() && name == CasesDir {
			continue
		}
		f := scriptFile{path: path.Join(dir, name), kinds: []string{kind}, expression: extension == ".cel"}
		if e.IsDir() || extension != ".cel" && extension != ".lua" {
			problems.Add(wrong(f.path, "a kind's folder holds scripts (.lua, .cel), texts (.md) and %s; this is none of them", CasesDir))
			continue
		}
		if f.operation, err = operationOf(strings.TrimSuffix(name, extension)); err != nil {
			problems.Add(wrong(f.path, "%v", err))
			continue
		}
		if n := len(files); n > 0 && files[n-1].operation.Name == f.operation.Name {
			problems.Add(wrong(f.path, "%s answers %s already; keep one", path.Base(files[n-1].path), f.operation.Name))
		}
		files = append(files, f)
	}
	if len(files) == 0 && problems.Err() == nil && !b.maps(kind) {
		problems.Add(wrong(dir, "the folder of kind %s holds no script", kind))
	}
	return files, problems.Err()
}

// leavesOut reports whether an entry below a folder of the bundle is no part of its code: a text,
// hidden, or ignored.
func (b *Bundle) leavesOut(at string, e fs.DirEntry) bool {
	return Hidden(e.Name()) || !e.IsDir() && isText(e.Name(), false) || b.ignore.Matches(b.within(at), e.IsDir())
}

// Ignores reports whether a file or a folder, by its path in the file system that the bundle was
// loaded from, is no part of the bundle by its IgnoreFile.
func (b *Bundle) Ignores(name string, isDir bool) bool {
	return b.ignore.Matches(b.within(name), isDir)
}

// within returns the path within the bundle of what is at a path of the file system.
func (b *Bundle) within(name string) string {
	if dir := path.Clean(b.Dir); dir != "." {
		return strings.TrimPrefix(strings.TrimPrefix(path.Clean(name), dir), "/")
	}
	return path.Clean(name)
}

// isText reports whether a file is a text for people by its name; more names are at the top of a
// bundle.
func isText(name string, top bool) bool {
	extension := path.Ext(name)
	return extension == ".md" || top && (extension == ".txt" || slices.Contains([]string{"LICENSE", "NOTICE"}, strings.TrimSuffix(name, extension)))
}

// isReference reports whether a folder of a bundle holds objects that no script is asked about.
func isReference(name string) bool { return name == CRDsDir || name == SamplesDir }

// references checks the names of what is in a folder of objects.
func (b *Bundle) references(fsys fs.FS, dir string) error {
	var problems yamldoc.Problems
	err := walk(fsys, dir, Ignore{}, func(name, _ string, d fs.DirEntry) error {
		switch path.Ext(name) {
		case ".yaml", ".yml", ".json", ".md":
		default:
			if !b.Ignores(name, false) {
				problems.Add(wrong(name, "%s holds objects (.yaml, .yml, .json) and texts (.md); this is none of them", path.Base(dir)))
			}
		}
		return nil
	})
	problems.Add(err)
	return problems.Err()
}

// operationOf returns the operation that a file of this name answers.
func operationOf(file string) (engine.Operation, error) {
	var names []string
	for _, op := range engine.Operations() {
		if op.File == file {
			return op, nil
		}
		names = append(names, op.File)
	}
	return engine.Operation{}, errors.New(yamldoc.Unknown("operation", file, names))
}

// Hidden reports whether a file belongs to an editor or to version control, not to the
// bundle.
func Hidden(name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasSuffix(name, "~")
}

func wrong(file, format string, args ...any) error {
	return &yamldoc.Error{File: file, Message: diag.Clip(fmt.Sprintf(format, args...))}
}
