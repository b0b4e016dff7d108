// SPDX-License-Identifier: Apache-2.0

package attack

import "strings"

// Operation is what an attack must know of the operation that it answers.
type Operation struct {
	// Field, Entry and File are its names in a customization, in Lua and in a bundle.
	Field, Entry, File string
	// Params are the names of its parameters.
	Params []string
}

// Sources are the files that an attack consists of.
type Sources struct {
	// Customization is the content of a ResourceInterpreterCustomization, nil for none.
	Customization map[string]any
	// Bundle are the files of a bundle by their paths, nil for none.
	Bundle map[string]string
}

// Identity returns what each object of the attacks has: the identity of the kind that the
// scripts answer for, and the field armed, without which a script does nothing.
func Identity() map[string]any {
	return map[string]any{
		"apiVersion": "attack.example/v1", "kind": "Victim",
		"metadata": map[string]any{"name": "a", "namespace": "b"}, "armed": true,
	}
}

// Sources returns the files of the attack.
func (q Question) Sources(op Operation) Sources {
	switch q.Form {
	case Published:
		return Sources{Customization: customization(op, "luaScript", q.lua(op))}
	case Expression:
		return Sources{Customization: customization(op, "celExpression", q.cel(op))}
	case Bundle, Folder:
		files := map[string]string{"bundle.yaml": manifest, "Victim/" + op.File + ".lua": q.lua(op)}
		if q.Files != nil {
			for name, text := range q.Files() {
				files[name] = text
			}
		}
		return Sources{Bundle: files}
	}
	return Sources{}
}

// Idle returns a script that does nothing, for an object of the attack: what it takes to
// read the files.
func (q Question) Idle() Question {
	if q.Form == Shipped {
		return Question{Name: "idle", Form: Shipped, Operation: health, Object: q.Object}
	}
	q.Form, q.Source, q.Whole, q.Files = Bundle, "return nil", false, nil
	return q
}

// lua returns the chunk.
func (q Question) lua(op Operation) string {
	if q.Whole {
		return q.Source
	}
	return "function " + op.Entry + "(" + strings.Join(op.Params, ", ") + ") " +
		"if not " + op.Params[0] + ".armed then return " + op.Params[0] + " end " + q.Source + "\nend"
}

// cel returns the expression.
func (q Question) cel(op Operation) string {
	if q.Whole {
		return q.Source
	}
	return "has(" + op.Params[0] + ".armed) ? dyn(" + q.Source + ") : dyn({})"
}

// customization returns one with a script for an operation.
func customization(op Operation, field, script string) map[string]any {
	return map[string]any{
		"apiVersion": "config.karmada.io/v1alpha1",
		"kind":       "ResourceInterpreterCustomization",
		"metadata":   map[string]any{"name": "attack"},
		"spec": map[string]any{
			"target":         map[string]any{"apiVersion": "attack.example/v1", "kind": "Victim"},
			"customizations": map[string]any{op.Field: map[string]any{field: script}},
		},
	}
}
