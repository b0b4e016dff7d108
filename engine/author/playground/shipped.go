// SPDX-License-Identifier: Apache-2.0

package playground

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
	"github.com/dragoman-io/dragoman/engine/script"
)

// shipped returns the rules of a bundle in which the script stands for a file, for a kind. It asks
// what that file answers.
func (p *Playground) shipped(in Input, kind schema.GroupVersionKind, parameters map[string]string) rules {
	r := newRules(in, path.Join(in.Bundle, in.File))
	texts := map[string]string{}
	for file, text := range in.Files {
		r.err = errors.Join(r.err, p.isFile(in.Bundle, file))
		texts[path.Join(in.Bundle, file)] = text
	}
	texts[r.file] = in.Script
	if r.err = errors.Join(p.isFile(in.Bundle, in.File), r.err); r.err != nil {
		return r
	}
	fsys := edited{FS: p.bundles, bundle: in.Bundle, texts: texts}
	outline, err := bundle.ReadOutline(fsys, in.Bundle)
	if err != nil {
		r.err = err
		return r
	}
	b, err := p.load(fsys, outline, kind, r)
	if err == nil {
		b, err = b.With(parameters)
	}
	if err != nil {
		r.err = err
		return r
	}
	for _, op := range engine.Operations() {
		if slices.ContainsFunc(outline.Answers, func(a bundle.Answer) bool {
			return a.File == in.File && a.Operation == op.File && (isAny(outline) || slices.Contains(a.Kinds, kind.Kind))
		}) {
			r.operations = append(r.operations, op)
		}
	}
	r.install = func(i *engine.Interpreter) error {
		if path := parameters[bundle.ReplicasPath]; path != "" {
			if err := i.Set(engine.Derived, b.Scaled(b.Name, map[schema.GroupVersionKind]string{kind: path})); err != nil {
				return err
			}
		}
		return i.Set(engine.Embedded, b.Source)
	}
	return r
}

// isFile returns an error where there is no such bundle, or no such file in it.
func (p *Playground) isFile(of, file string) error {
	name := path.Join(of, file)
	if !fs.ValidPath(of) || !fs.ValidPath(file) || path.Dir(of) != "." {
		return fmt.Errorf("bundle %q, file %q: these are no names", of, file)
	}
	if info, err := fs.Stat(p.bundles, name); err != nil || info.IsDir() {
		return fmt.Errorf("this program has no script %s", name)
	}
	return nil
}

// load loads what a bundle answers for a kind.
func (p *Playground) load(fsys fs.FS, outline bundle.Outline, kind schema.GroupVersionKind, r rules) (*bundle.Bundle, error) {
	loader := bundle.Loader{Compiler: p.compiler, Coverage: r.coverage, Recording: r.recording}
	if isAny(outline) {
		return loader.Load(fsys, outline.Name, nil)
	}
	if !slices.Contains(outline.Kinds, kind) {
		return nil, &yamldoc.Error{File: objectFile, Line: 1, Message: fmt.Sprintf(
			"the bundle %s does not answer for %s %s; its kinds are %s", outline.Name, kind.GroupVersion(), kind.Kind, kindList(outline.Kinds))}
	}
	all, err := loader.LoadKind(fsys, kind)
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// isAny reports whether a bundle answers for any kind.
func isAny(outline bundle.Outline) bool { return slices.Contains(outline.Kinds, engine.AnyKind) }

// kindList lists kinds for a message.
func kindList(kinds []schema.GroupVersionKind) string {
	names := make([]string, 0, len(kinds))
	for _, k := range kinds {
		names = append(names, k.GroupVersion().String()+" "+k.Kind)
	}
	return script.List(names)
}
