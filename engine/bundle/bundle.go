// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/internal/diag"
	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
)

// Bundle is a folder of scripts that was read and compiled. It is immutable.
type Bundle struct {
	Manifest
	// Dir is the folder within the file system that it was read from.
	Dir string
	// Revision is that of its content; "" where no Store activated it.
	Revision string
	// Source holds its rules, with the parameters that it was loaded with.
	Source engine.RuleSet

	// ignore is what its IgnoreFile names.
	ignore Ignore
	// compiler compiled its scripts; nil for one without.
	compiler *engine.Compiler
}

// Compiler returns what compiled the scripts of the bundle, and compiles the conditions of its cases; nil
// for a bundle that no Loader made.
func (b *Bundle) Compiler() *engine.Compiler { return b.compiler }

// With returns the bundle with other values for some parameters. For an empty params it
// is b itself.
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

// Values returns the values of its parameters, by their names.
func (b *Bundle) Values() map[string]string {
	values := make(map[string]string, len(b.Parameters))
	for name, value := range b.current() {
		values[name], _ = value.(string)
	}
	return values
}

// current returns the values that the rules have; all share one map.
func (b *Bundle) current() map[string]any {
	for _, rules := range b.Source.Kinds {
		for _, rule := range rules {
			return rule.Params
		}
	}
	return nil
}

// maxWrong is how many wrong parameters are named at once.
const maxWrong = 3

// values returns a value for each parameter: that of params, or the default.
func (b *Bundle) values(params map[string]string) (map[string]any, error) {
	values := make(map[string]any, len(b.Parameters))
	names := make([]string, 0, len(b.Parameters))
	for _, p := range b.Parameters {
		values[p.Name] = p.Default
		names = append(names, p.Name)
	}
	var problems yamldoc.Problems
	wrong := 0
	for _, name := range slices.Sorted(maps.Keys(params)) {
		p, known := b.parameter(name)
		switch {
		case !known:
			problems.Add(fmt.Errorf("bundle %s: %s", b.Name, yamldoc.Unknown("parameter", name, names)))
		case !p.allows(params[name]):
			problems.Add(fmt.Errorf("bundle %s: parameter %s cannot be %q; its values are %s",
				b.Name, name, diag.Clip(params[name]), diag.Clip(strings.Join(p.Values, ", "))))
		default:
			values[name] = params[name]
			continue
		}
		if wrong++; wrong == maxWrong {
			break
		}
	}
	return values, problems.Err()
}
