// SPDX-License-Identifier: Apache-2.0

package lsp

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/author"
	"github.com/dragoman-io/dragoman/engine/author/source"
	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/engine/bundle/cases"
)

// value is what is known of a value: the schemas that it may have, one for each version of a kind.
type value []map[string]any

// field returns a field of a map.
func (v value) field(name string) value {
	var all value
	for _, s := range v {
		properties, _ := s["properties"].(map[string]any)
		if next, ok := properties[name].(map[string]any); ok {
			all = append(all, next)
		} else if next, ok := s["additionalProperties"].(map[string]any); ok {
			all = append(all, next)
		}
	}
	return all
}

// element returns the items of a list, or the values of a map with free keys.
func (v value) element() value {
	var all value
	for _, s := range v {
		for _, key := range []string{"items", "additionalProperties"} {
			if next, ok := s[key].(map[string]any); ok {
				all = append(all, next)
			}
		}
	}
	return all
}

// fields returns the names of the fields, sorted.
func (v value) fields() []string {
	all := map[string]bool{}
	for _, s := range v {
		properties, _ := s["properties"].(map[string]any)
		for name := range properties {
			all[name] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// describe returns the type and the description of a value, "" where there is none.
func (v value) describe() (typed, description string) {
	if len(v) == 0 {
		return "", ""
	}
	description, _ = v[0]["description"].(string)
	return typeOf(v[0]), description
}

// typeOf returns the type of a schema in words.
func typeOf(s map[string]any) string {
	if s["x-kubernetes-int-or-string"] == true {
		return "integer or string"
	}
	kind, _ := s["type"].(string)
	switch kind {
	case "array":
		items, _ := s["items"].(map[string]any)
		return "list of " + typeOf(items)
	case "object":
		if values, ok := s["additionalProperties"].(map[string]any); ok {
			return "map of " + typeOf(values)
		}
		return "map"
	case "":
		return "any"
	}
	if values, ok := s["enum"].([]any); ok && len(values) > 0 && len(values) <= 20 {
		var all []string
		for _, v := range values {
			all = append(all, strconv.Quote(fmt.Sprint(v)))
		}
		return kind + ": " + strings.Join(all, ", ")
	}
	return kind
}

// objectValue returns what is known of objects of kinds.
func objectValue(schemas map[schema.GroupVersionKind]map[string]any, kinds []schema.GroupVersionKind) value {
	var all value
	for _, kind := range kinds {
		if s := schemas[kind]; s != nil {
			all = append(all, withIdentity(s))
		}
	}
	if len(all) == 0 {
		all = append(all, withIdentity(nil))
	}
	return all
}

// withIdentity returns the schema of an object with the fields that every object has.
func withIdentity(s map[string]any) map[string]any {
	properties, _ := s["properties"].(map[string]any)
	properties = maps.Clone(properties)
	if properties == nil {
		properties = map[string]any{}
	}
	properties["apiVersion"], properties["kind"], properties["metadata"] = text(), text(), metadata()
	return map[string]any{"type": "object", "properties": properties}
}

func text() map[string]any { return map[string]any{"type": "string"} }

// metadata returns the schema of the metadata of objects.
func metadata() map[string]any {
	properties := map[string]any{}
	for f := range reflect.TypeFor[metav1.ObjectMeta]().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch f.Type.Kind() {
		case reflect.Int64, reflect.Pointer:
			properties[name] = map[string]any{"type": "integer"}
		case reflect.Map:
			properties[name] = map[string]any{"type": "object", "additionalProperties": text()}
		case reflect.Slice:
			properties[name] = map[string]any{"type": "array", "items": map[string]any{"type": "object"}}
		default:
			properties[name] = text()
		}
	}
	properties["deletionTimestamp"] = text()
	properties["finalizers"] = map[string]any{"type": "array", "items": text()}
	return map[string]any{"type": "object", "properties": properties}
}

// paramValue returns what is known of a parameter of an operation, nothing where it is none of
// objects.
func paramValue(p engine.Param, object value) value {
	switch p.Kind {
	case engine.ObjectParam, engine.ObservedParam:
		return object
	case engine.ItemsParam:
		var all value
		for _, s := range object {
			all = append(all, itemsOf(value{s}.field("status")))
		}
		return all
	}
	return nil
}

// itemsOf returns the schema of status items, which have a status.
func itemsOf(status value) map[string]any {
	properties := map[string]any{
		"clusterName": text(), "applied": map[string]any{"type": "boolean"}, "appliedMessage": text(), "health": text(),
		"status": map[string]any{"type": "object"},
	}
	if len(status) > 0 {
		properties["status"] = status[0]
	}
	return map[string]any{"type": "array", "items": map[string]any{"type": "object", "properties": properties}}
}

// schemaCache keeps the schemas of the bundle that was asked about last.
type schemaCache struct {
	mu   sync.Mutex
	dir  string
	mark string
	all  map[schema.GroupVersionKind]map[string]any
}

// of returns the schemas of the CRDs of a bundle. Files that cannot be read have none.
func (c *schemaCache) of(files *source.Tree, dir string) map[schema.GroupVersionKind]map[string]any {
	if dir == "" {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	names, mark := definitions(files, path.Join(dir, bundle.CRDsDir))
	if c.dir == dir && c.mark == mark {
		return c.all
	}
	var objects []*unstructured.Unstructured
	for _, name := range names {
		data, err := fs.ReadFile(files, name)
		if err != nil {
			continue
		}
		found, _ := source.Objects(name, data) // what is wrong is for the check
		objects = append(objects, found...)
	}
	c.dir, c.mark, c.all = dir, mark, author.Schemas(objects)
	return c.all
}

// definitions returns the files below a folder that may hold CRDs, and a mark that is another one
// when they change.
func definitions(files *source.Tree, dir string) (names []string, mark string) {
	var b strings.Builder
	_ = fs.WalkDir(files, dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !cases.IsCaseFile(name) {
			return nil //nolint:nilerr // a folder that cannot be read has none
		}
		names = append(names, name)
		fmt.Fprintf(&b, "%s\x00%s\x00", name, files.Unsaved(name))
		if info, err := fs.Stat(files, name); err == nil {
			fmt.Fprintf(&b, "%d\x00%s\x00", info.Size(), info.ModTime())
		}
		return nil
	})
	return names, b.String()
}
