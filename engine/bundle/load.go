// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
	"github.com/dragoman-io/dragoman/engine/script"
)

// Loader reads and compiles bundles.
type Loader struct {
	Compiler *engine.Compiler
	// Coverage registers the lines of all scripts; nil registers none.
	Coverage *script.Coverage
	// Recording is told what all scripts do as they run; nil records nothing.
	Recording *script.Recording
}

// Library returns what the scripts of the bundle in dir find beside their objects: its modules, and the values
// of its parameters, by name as Load takes them. Nothing is compiled.
func Library(fsys fs.FS, dir string, params map[string]string) (*engine.Modules, map[string]any, error) {
	d, err := read(fsys, dir)
	if err != nil {
		return nil, nil, err
	}
	if err := d.choose(params); err != nil {
		return nil, nil, err
	}
	return engine.NewModules(d.modules), d.params, nil
}

// Load reads the bundle in dir, compiles its scripts, and runs each once on an empty
// object of each of its kinds. params are values for its parameters, by name; the
// others take their defaults.
//
// The error has the errors of the first stage that fails, the first 50 of them and the
// number of the others, each with the path of the file in fsys and, where known, the line:
// *yamldoc.Error for the manifest and the files, *script.Error for the scripts.
func (l Loader) Load(fsys fs.FS, dir string, params map[string]string) (b *Bundle, err error) {
	defer script.Recover(&err, script.Position{File: dir}, "loading the bundle")
	d, err := read(fsys, dir)
	if err != nil {
		return nil, err
	}
	if err := d.choose(params); err != nil {
		return nil, err
	}
	if err := finish(func() (bool, error) { return d.compileNext(l) }); err != nil {
		return nil, err
	}
	if err := finish(func() (bool, error) { return d.smokeNext(l.Compiler) }); err != nil {
		return nil, err
	}
	return d.bundle, nil
}

// finish takes steps until there are no more.
func finish(step func() (more bool, err error)) error {
	for {
		if more, err := step(); !more || err != nil {
			return err
		}
	}
}

// LoadAll reads all bundles that are folders at the root of fsys, sorted by folder;
// their parameters take their defaults.
//
// The error has those of all bundles, as many as Load returns. It is an error if a folder
// is not a bundle, or if two bundles have the same name or answer the same operation of a
// kind.
func (l Loader) LoadAll(fsys fs.FS) ([]*Bundle, error) {
	return all(fsys, func(dir string) (*Bundle, error) { return l.Load(fsys, dir, nil) })
}

// all loads the bundles that are folders at the root of fsys.
func all(fsys fs.FS, load func(dir string) (*Bundle, error)) ([]*Bundle, error) {
	entries, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return nil, err
	}
	var (
		all      []*Bundle
		problems yamldoc.Problems
	)
	for _, e := range entries {
		if !e.IsDir() || Hidden(e.Name()) {
			continue
		}
		b, err := load(e.Name())
		if err != nil {
			problems.Add(err)
			continue
		}
		for _, other := range all {
			problems.Add(overlap(other, b))
		}
		all = append(all, b)
	}
	if err := problems.Err(); err != nil {
		return nil, err
	}
	return all, nil
}

// parsedBundle is a bundle whose files are read and whose scripts are not compiled yet.
type parsedBundle struct {
	bundle  *Bundle
	params  map[string]any
	scripts []scriptFile
	modules map[string]engine.Module
	// shared are the modules, once they are compiled.
	shared *engine.Modules
	// programs are those of the modules; the compiler does not keep them alive.
	programs []script.Program

	// names are those of the modules, sorted; compiled counts the modules and scripts that
	// were compiled, and smoked the scripts that were run.
	names            []string
	compiled, smoked int
	// gas is what the runs took.
	gas  int64
	errs distinct
}

const (
	// maxManifest bounds a manifest in bytes.
	maxManifest = 64 << 10
	// maxSources bounds the scripts and modules of a bundle together, in bytes.
	maxSources = 1 << 20
	// maxScripts bounds the number of scripts and modules of a bundle; a function that
	// the manifest names counts as one.
	maxScripts = 500
)

// read reads the manifest of a bundle and all files with code, and checks the manifest
// and the names.
func read(fsys fs.FS, dir string) (*parsedBundle, error) {
	b, err := manifestOf(fsys, dir)
	if err != nil {
		return nil, err
	}
	d := &parsedBundle{bundle: b, modules: map[string]engine.Module{}}
	var problems yamldoc.Problems
	b.ignore, err = ReadIgnore(fsys, dir)
	problems.Add(err)
	found, err := d.bundle.files(fsys)
	problems.Add(err)
	d.scripts = found.scripts
	left := maxSources
	for i := range d.scripts {
		s := &d.scripts[i]
		s.text, err = readText(fsys, s.path, &left)
		problems.Add(err)
	}
	for _, at := range found.modules {
		text, err := readText(fsys, at, &left)
		problems.Add(err)
		d.modules[moduleName(at)] = engine.Module{File: at, Text: text}
	}
	problems.Add(d.mapped())
	problems.Add(d.checkRelated())
	if n := len(d.scripts) + len(d.modules); n > maxScripts {
		problems.Add(wrong(path.Join(dir, ManifestFile), "%d scripts and modules; a bundle may have at most %d; split it", n, maxScripts))
	}
	return d, problems.Err()
}

// manifestOf returns a bundle of which only the manifest was read.
func manifestOf(fsys fs.FS, dir string) (*Bundle, error) {
	m, err := ReadManifest(fsys, dir)
	if err != nil {
		return nil, err
	}
	return &Bundle{Dir: dir, Manifest: m}, nil
}

// ReadManifest reads the manifest of the bundle in dir, and nothing else. With an error it returns
// what it could read.
func ReadManifest(fsys fs.FS, dir string) (Manifest, error) {
	file := path.Join(dir, ManifestFile)
	data, err := yamldoc.ReadAtMost(fsys, file, maxManifest)
	if err != nil {
		return Manifest{}, fmt.Errorf("read the manifest: %w", err)
	}
	return readManifest(file, data)
}

// readText reads a script, and takes its length from left.
func readText(fsys fs.FS, file string, left *int) (string, error) {
	data, err := yamldoc.ReadAtMost(fsys, file, *left)
	*left -= len(data)
	if errors.As(err, new(*yamldoc.Error)) {
		return "", wrong(file, "too long: the scripts and modules of a bundle may have at most %d bytes together, and %d are left; split the bundle", maxSources, *left)
	}
	return string(data), err
}

// choose sets the parameters.
func (d *parsedBundle) choose(params map[string]string) (err error) {
	d.params, err = d.bundle.values(params)
	return err
}

// moduleName returns the name that scripts require a module by: that of its file in the
// bundle, with dots.
func moduleName(file string) string {
	return libDir + "." + strings.TrimSuffix(path.Base(file), ".lua")
}
