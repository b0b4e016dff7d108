// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
	"github.com/dragoman-io/dragoman/engine/script"
)

// mapped adds the functions that the manifest names to the scripts of the bundle. It
// returns all errors at once: unknown kinds and modules, and operations of a kind that
// are answered twice.
func (d *parsedBundle) mapped() error {
	answers := map[string]string{}
	for _, s := range d.scripts {
		answers[answer(s.kinds[0], s.operation.File)] = path.Join(s.kinds[0], path.Base(s.path))
	}
	var problems yamldoc.Problems
	kinds := d.bundle.kindNames()
	for _, m := range d.bundle.Mappings {
		for _, kind := range m.Kinds {
			if !slices.Contains(kinds, kind) {
				problems.AddFrom(func() error { return m.at.Errorf("%s", yamldoc.Unknown("kind", kind, kinds)) })
			}
		}
		for _, f := range m.Functions {
			problems.Add(d.checkFunction(m, f, answers))
			module := d.modules[f.Module]
			d.scripts = append(d.scripts, scriptFile{
				path: module.File, text: module.Text, kinds: m.Kinds, operation: f.Operation, function: &f,
			})
		}
	}
	return problems.Err()
}

// answer identifies an operation of a kind.
func answer(kind, operation string) string { return kind + "/" + operation }

// checkFunction checks one function of a mapping. answers holds what answers each
// operation of a kind so far; the function is added to it.
func (d *parsedBundle) checkFunction(m Mapping, f Function, answers map[string]string) error {
	var problems yamldoc.Problems
	for _, kind := range m.Kinds {
		key := answer(kind, f.Operation.File)
		if by, taken := answers[key]; taken {
			problems.AddFrom(func() error {
				return f.at.Errorf("%s answers %s of %s already; keep one", by, f.Operation.Name, kind)
			})
		}
		answers[key] = f.where()
	}
	if _, known := d.modules[f.Module]; !known {
		problems.AddFrom(func() error {
			return f.at.Errorf("%s", yamldoc.Unknown("module", f.Module, slices.Sorted(maps.Keys(d.modules))))
		})
	}
	return problems.Err()
}

// where names the line of the manifest, for messages about another line of it.
func (f Function) where() string {
	return fmt.Sprintf("%s.%s of line %d", f.Module, f.Name, f.at.Line)
}

// locate puts an error about a function that its module lacks at the line of the
// manifest. Errors at a line of the module stay where they are.
func (s scriptFile) locate(err error) error {
	var failure *script.Error
	if s.function == nil || !errors.As(err, &failure) || failure.Line > 0 {
		return err
	}
	return s.function.at.Errorf("%s", failure.Message)
}

// Script returns the position of the script that answers an operation of a kind: its file,
// or the line of the manifest that names its function.
func (b *Bundle) Script(kind schema.GroupVersionKind, operation engine.Operation) script.Position {
	for _, m := range b.Mappings {
		for _, f := range m.Functions {
			if f.Operation.Name == operation.Name && slices.Contains(m.Kinds, kind.Kind) {
				return script.Position{File: f.at.File, Line: f.at.Line}
			}
		}
	}
	extension := ".lua"
	if rule := b.Source.Kinds[kind][operation.Name]; rule != nil && rule.Expression {
		extension = ".cel"
	}
	return script.Position{File: path.Join(b.Dir, kind.Kind, operation.File+extension)}
}
