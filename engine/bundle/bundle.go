package bundle

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/script"
)

// Bundle is a folder of scripts that was read and compiled. It is immutable.
type Bundle struct {
	Manifest
	// Dir is the folder within the file system that it was read from.
	Dir string
	// Source are its rules, with the parameters that it was loaded with.
	Source engine.Source
}

// Load reads the bundle in dir, compiles its scripts, and runs each once on an empty
// object of each of its kinds. params are values for its parameters, by name; the
// others take their defaults.
//
// The error joins all that is wrong, each with the path of the file in fsys and,
// where it is known, the line: *document.Error for the manifest and the parameters,
// *script.Error for the scripts.
func Load(fsys fs.FS, dir string, c *engine.Compiler, params map[string]string) (*Bundle, error) {
	file := path.Join(dir, ManifestFile)
	data, err := fs.ReadFile(fsys, file)
	if err != nil {
		return nil, fmt.Errorf("read the manifest: %w", err)
	}
	b := &Bundle{Dir: dir}
	if b.Manifest, err = readManifest(file, data); err != nil {
		return nil, err
	}
	files, err := b.scripts(fsys)
	if err != nil {
		return nil, err
	}
	values, err := b.values(params)
	if err != nil {
		return nil, err
	}
	if err := b.compile(fsys, c, files, values); err != nil {
		return nil, err
	}
	return b, nil
}

// LoadAll reads all bundles that are folders at the root of fsys, sorted by folder;
// their parameters take their defaults.
//
// The error joins those of all bundles. It is an error when a folder is no bundle,
// or two bundles have one name or answer one operation of one kind.
func LoadAll(fsys fs.FS, c *engine.Compiler) ([]*Bundle, error) {
	entries, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return nil, err
	}
	var (
		all  []*Bundle
		errs []error
	)
	for _, e := range entries {
		if !e.IsDir() || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		b, err := Load(fsys, e.Name(), c, nil)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		all = append(all, b)
	}
	if err := errors.Join(append(errs, overlaps(all))...); err != nil {
		return nil, err
	}
	return all, nil
}

// With gives the bundle with other values for some parameters. An empty params gives
// b itself.
func (b *Bundle) With(params map[string]string) (*Bundle, error) {
	if len(params) == 0 {
		return b, nil
	}
	chosen := map[string]string{}
	for name, value := range b.current() {
		chosen[name], _ = value.(string)
	}
	maps.Copy(chosen, params)
	values, err := b.values(chosen)
	if err != nil {
		return nil, err
	}
	next := *b
	next.Source.Kinds = make(map[schema.GroupVersionKind]engine.Rules, len(b.Source.Kinds))
	for kind, rules := range b.Source.Kinds {
		changed := make(engine.Rules, len(rules))
		for operation, rule := range rules {
			r := *rule
			r.Params = values
			changed[operation] = &r
		}
		next.Source.Kinds[kind] = changed
	}
	return &next, nil
}

// current gives the values that the rules have; all share one map.
func (b *Bundle) current() map[string]any {
	for _, rules := range b.Source.Kinds {
		for _, rule := range rules {
			return rule.Params
		}
	}
	return nil
}

// values gives a value for each parameter: that of params, or the default.
func (b *Bundle) values(params map[string]string) (map[string]any, error) {
	values := make(map[string]any, len(b.Parameters))
	names := make([]string, 0, len(b.Parameters))
	for _, p := range b.Parameters {
		values[p.Name] = p.Default
		names = append(names, p.Name)
	}
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(params)) {
		p, known := b.parameter(name)
		switch {
		case !known:
			errs = append(errs, fmt.Errorf("bundle %s: %s", b.Name, script.Unknown("parameter", name, names)))
		case !p.allows(params[name]):
			errs = append(errs, fmt.Errorf("bundle %s: parameter %s can not be %q; its values are %s",
				b.Name, name, params[name], strings.Join(p.Values, ", ")))
		default:
			values[name] = params[name]
		}
	}
	return values, errors.Join(errs...)
}

// compile makes the source of the bundle.
func (b *Bundle) compile(fsys fs.FS, c *engine.Compiler, files []scriptFile, params map[string]any) error {
	b.Source = engine.Source{Name: b.Name, Kinds: map[schema.GroupVersionKind]engine.Rules{}}
	var errs []error
	for _, f := range files {
		rule := &engine.Rule{Origin: "bundle " + b.Name, Limits: b.Limits, Params: params, Expression: f.expression}
		text, err := fs.ReadFile(fsys, f.path)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		compile := c.Lua
		if f.expression {
			compile = c.CEL
		}
		unit := engine.Unit{File: f.path, Source: string(text), Operation: f.operation, Limits: b.Limits, Params: params}
		if rule.Program, err = compile(unit); err != nil {
			errs = append(errs, err)
			continue
		}
		for _, kind := range b.Kinds {
			if kind.Kind != f.kind {
				continue
			}
			if err := c.Smoke(kind, f.operation, rule); err != nil {
				errs = append(errs, err)
				break
			}
			if b.Source.Kinds[kind] == nil {
				b.Source.Kinds[kind] = engine.Rules{}
			}
			b.Source.Kinds[kind][f.operation.Name] = rule
		}
	}
	return errors.Join(errs...)
}

// overlaps says which bundles have one name, or answer one operation of one kind.
func overlaps(all []*Bundle) error {
	var errs []error
	names := map[string]*Bundle{}
	owners := map[schema.GroupVersionKind]map[string]*Bundle{}
	for _, b := range all {
		if other := names[b.Name]; other != nil {
			errs = append(errs, fmt.Errorf("the folders %s and %s hold bundles of one name, %s", other.Dir, b.Dir, b.Name))
		}
		names[b.Name] = b
		for _, kind := range b.Kinds {
			for _, operation := range slices.Sorted(maps.Keys(b.Source.Kinds[kind])) {
				if other := owners[kind][operation]; other != nil {
					errs = append(errs, fmt.Errorf("the bundles %s and %s both answer %s for %s %s",
						other.Name, b.Name, operation, kind.GroupVersion(), kind.Kind))
				}
				if owners[kind] == nil {
					owners[kind] = map[string]*Bundle{}
				}
				owners[kind][operation] = b
			}
		}
	}
	return errors.Join(errs...)
}
