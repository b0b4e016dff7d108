// SPDX-License-Identifier: Apache-2.0

package author

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/internal/lint"
	"github.com/dragoman-io/dragoman/engine/script"
)

// field returns what a rule finds in the use of a field; a finding without a rule is none.
func (l *linter) field(s linted, a answer, read script.Read) lint.Finding {
	if read.Param >= len(a.op.Params) {
		return lint.Finding{}
	}
	f := lint.Finding{Field: a.op.Params[read.Param].Name + "." + strings.Join(read.Path, ".")}
	switch read.Use {
	case script.Accessed:
		if field, message := l.schemas.unknown(a.kinds, a.op, read); message != "" {
			f.Rule, f.Field, f.Message = lint.UnknownField, field, message
		}
	case script.Written:
		if message := misplaced(a.op, read); message != "" {
			f.Rule, f.Message = lint.UndeclaredWritePath, message
		}
	case script.IndexedAnswer:
		f.Rule, f.Message = lint.NilIndexRisk, "kube.condition returns nil where there is no such condition, and nothing tests that before a field of it is read"
	case script.Computed:
		if isQuantity(read.Path) && !l.schemas.all(a, read, hasType("integer", "number")) {
			f.Rule, f.Message = lint.QuantityArithmetic, "it is a quantity such as 500m, not a number; use kube.resourceAdd or kube.getResourceQuantity"
		}
	default:
		r := schemaRules[read.Use]
		if (r.customizations || s.strict) && l.schemas.all(a, read, r.is) {
			f.Rule, f.Message = r.rule, r.message
		}
	}
	return f
}

// schemaRules are the rules about uses of fields that the schema has in some form. One that is
// not for customizations is about what their form takes.
var schemaRules = map[script.Use]struct {
	rule, message  string
	is             func(at) bool
	customizations bool
}{
	script.Indexed:        {lint.NilIndexRisk, "it can be absent, and nothing tests that before a field of it is read; use kube.get", isOptional, true},
	script.ComparedText:   {lint.StringNumberCompare, "it is a number in the schema, and is compared with a string", hasType("integer", "number"), true},
	script.ComparedNumber: {lint.StringNumberCompare, "it is a string in the schema, and is compared with a number", hasType("string"), true},
	script.SetEmpty:       {lint.AmbiguousEmptyTable, "it is a list in the schema, and {} is an empty map; write kube.list()", hasType("array"), false},
}

// at is a place in a schema: that of the last step of a path, and of what is above it.
type at struct {
	above, here map[string]any
	step        string
	// depth is the number of steps.
	depth int
}

// all reports whether each kind that a script answers for has the field of a read in its schema
// and each of them is as is reports. A kind without a schema in any version is none.
func (s schemas) all(a answer, read script.Read, is func(at) bool) bool {
	steps := schemaSteps(a.op, read)
	if len(steps) == 0 {
		return false
	}
	known := map[schema.GroupKind]bool{}
	for _, kind := range a.kinds {
		root := s[kind]
		if root == nil {
			continue
		}
		known[kind.GroupKind()] = true
		place, found := find(root, steps)
		if !found || !is(place) {
			return false
		}
	}
	return len(a.kinds) > 0 && !slices.ContainsFunc(a.kinds, func(k schema.GroupVersionKind) bool { return !known[k.GroupKind()] })
}

// find returns the place of a path that a schema names in full.
func find(root map[string]any, steps []string) (at, bool) {
	p := at{here: root, depth: len(steps)}
	for _, step := range steps {
		properties, _ := p.here["properties"].(map[string]any)
		next, found := properties[step].(map[string]any)
		if step == script.AnyElement || !found {
			next = elementsOf(p.here)
		}
		if next == nil {
			return p, false
		}
		p.above, p.here, p.step = p.here, next, step
	}
	return p, true
}

// isOptional reports whether a field of an object may be absent. The spec and the metadata of
// an object are there, whatever the schema has.
func isOptional(p at) bool {
	properties, _ := p.above["properties"].(map[string]any)
	if _, named := properties[p.step]; !named || p.depth == 1 && (p.step == "spec" || p.step == "metadata") {
		return false
	}
	required, _ := p.above["required"].([]any)
	_, hasDefault := p.here["default"]
	return !hasDefault && !slices.Contains(required, any(p.step))
}

// hasType returns a function that reports whether a field has one of the types.
func hasType(types ...string) func(at) bool {
	return func(p at) bool {
		t, _ := p.here["type"].(string)
		return slices.Contains(types, t) && p.here["x-kubernetes-int-or-string"] != true
	}
}

// isQuantity reports whether a path is that of a quantity in the resources of a container.
func isQuantity(steps []string) bool {
	for i, step := range steps {
		if (step == "requests" || step == "limits") && i > 0 && steps[i-1] == "resources" && i == len(steps)-2 {
			return true
		}
	}
	return false
}

// identity are the fields of metadata that the engine lets no script change.
var identity = []string{"name", "namespace"}

// misplaced returns why an operation does not take what a script writes at a path of the object
// that it returns; "" where it takes it.
func misplaced(op engine.Operation, read script.Read) string {
	if !op.Patch || read.Param != 0 || len(read.Path) == 0 {
		return ""
	}
	first := read.Path[0]
	switch {
	case first == "apiVersion" || first == "kind" || first == "metadata" && len(read.Path) > 1 && slices.Contains(identity, read.Path[1]):
		return fmt.Sprintf("%s cannot change what identifies the object", op.Name)
	case op.Name == engine.AggregateStatus && first == "spec":
		return fmt.Sprintf("%s answers the status; nothing takes what it writes into the spec", op.Name)
	}
	return ""
}
