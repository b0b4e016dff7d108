// SPDX-License-Identifier: Apache-2.0

package reference

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const (
	// maxTyped is how deep a schema becomes classes; below, a value is any.
	maxTyped = 32
	// maxChoices is up to how many values of a field are listed.
	maxChoices = 50
)

// text returns the file of a kind: a class for each object in its schema, the outermost first.
func (k typedKind) text() string {
	w := &classWriter{}
	w.text.WriteString(typesMark)
	w.class(k.class, k.schema, 0, fmt.Sprintf("%s of %s/%s.", k.kind, k.group, k.version))
	return w.text.String()
}

// classWriter writes classes.
type classWriter struct{ text strings.Builder }

// class writes the class of an object and those of its fields.
func (w *classWriter) class(name string, schema map[string]any, depth int, title string) {
	w.text.WriteString("\n")
	w.comment(title)
	description, _ := schema["description"].(string)
	w.comment(description)
	fmt.Fprintf(&w.text, "---@class %s\n", name)
	properties, _ := schema["properties"].(map[string]any)
	required := requiredOf(schema)
	if depth == 0 {
		properties = withIdentity(properties)
	}
	type nested struct {
		name   string
		schema map[string]any
	}
	var below []nested
	for _, field := range slices.Sorted(maps.Keys(properties)) {
		of, _ := properties[field].(map[string]any)
		t := w.typeOf(name, field, of, depth)
		if t.class != nil {
			below = append(below, nested{t.name, t.class})
		}
		description, _ := of["description"].(string)
		w.comment(description)
		mark := "?"
		if slices.Contains(required, field) && of["nullable"] != true || depth == 0 && (field == "apiVersion" || field == "kind") {
			mark = ""
		}
		fmt.Fprintf(&w.text, "---@field %s%s %s\n", fieldName(field), mark, t.text)
	}
	for _, n := range below {
		w.class(n.name, n.schema, depth+1, "")
	}
}

// withIdentity returns the fields of an object with those that every object has.
func withIdentity(properties map[string]any) map[string]any {
	all := maps.Clone(properties)
	if all == nil {
		all = map[string]any{}
	}
	all["apiVersion"], all["kind"] = map[string]any{"type": "string"}, map[string]any{"type": "string"}
	all["metadata"] = map[string]any{"$class": "ObjectMeta"}
	return all
}

// fieldType is the type of a field, and the class that has to be written for it; nil is none.
type fieldType struct {
	text  string
	name  string
	class map[string]any
}

// typeOf returns the type of a field of a class.
func (w *classWriter) typeOf(class, field string, schema map[string]any, depth int) fieldType {
	if known, ok := schema["$class"].(string); ok {
		return fieldType{text: known}
	}
	if depth >= maxTyped {
		return fieldType{text: "any"}
	}
	if schema["x-kubernetes-int-or-string"] == true {
		return fieldType{text: "integer|string"}
	}
	kind, _ := schema["type"].(string)
	switch kind {
	case "string":
		return fieldType{text: choicesOf(schema)}
	case "integer", "number", "boolean":
		return fieldType{text: kind}
	case "array":
		items, _ := schema["items"].(map[string]any)
		t := w.typeOf(class, field, items, depth+1)
		t.text = wrappedUnion(t.text) + "[]"
		return t
	case "object":
		return w.objectType(class, field, schema, depth)
	}
	return fieldType{text: "any"}
}

// objectType returns the type of a field that is an object: a class, or a table whose keys are free.
func (w *classWriter) objectType(class, field string, schema map[string]any, depth int) fieldType {
	if properties, _ := schema["properties"].(map[string]any); len(properties) > 0 {
		name := class + "." + className(field)
		return fieldType{text: name, name: name, class: schema}
	}
	if values, ok := schema["additionalProperties"].(map[string]any); ok {
		t := w.typeOf(class, field, values, depth+1)
		t.text = "table<string, " + t.text + ">"
		return t
	}
	return fieldType{text: "table<string, any>"}
}

// choicesOf returns the type of a text: its values where there are few.
func choicesOf(schema map[string]any) string {
	values, _ := schema["enum"].([]any)
	var all []string
	for _, v := range values {
		if s, ok := v.(string); ok {
			all = append(all, strconv.Quote(s))
		}
	}
	if len(all) == 0 || len(all) != len(values) || len(all) > maxChoices {
		return "string"
	}
	return strings.Join(all, "|")
}

// wrappedUnion puts a union into parentheses, so that [] is about all of it.
func wrappedUnion(t string) string {
	if strings.Contains(t, "|") && !strings.HasPrefix(t, "table<") {
		return "(" + t + ")"
	}
	return t
}

func requiredOf(schema map[string]any) []string {
	items, _ := schema["required"].([]any)
	var all []string
	for _, item := range items {
		if s, ok := item.(string); ok {
			all = append(all, s)
		}
	}
	return all
}

// luaName matches the names that a field has without brackets.
var luaName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

func fieldName(name string) string {
	if luaName.MatchString(name) {
		return name
	}
	return "[" + strconv.Quote(name) + "]"
}

// comment writes a description. A line of it is no annotation, whatever it begins with.
func (w *classWriter) comment(description string) {
	for line := range strings.Lines(description) {
		if line = strings.TrimSpace(line); line != "" {
			w.text.WriteString(strings.ReplaceAll(wrapped("---", line), "--- @", `--- \@`))
		}
	}
}
