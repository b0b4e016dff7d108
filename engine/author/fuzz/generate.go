// SPDX-License-Identifier: Apache-2.0

package fuzz

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Kind is a kind whose objects are made.
type Kind struct {
	schema.GroupVersionKind
	Namespaced bool
	// Schema is the openAPIV3Schema of the version.
	Schema map[string]any
}

const (
	// maxValues bounds the values of an object beside those that its schema requires, maxDepth how deep
	// they nest, and maxItems the items of a list.
	maxValues = 400
	maxDepth  = 16
	maxItems  = 3
)

// generator makes values from schemas.
type generator struct {
	*rand.Rand
	left int
}

// object returns an object of a kind, the same for the same seed and run.
func (k Kind) object(seed, run uint64) *unstructured.Unstructured {
	g := &generator{rand.New(rand.NewPCG(seed, run)), maxValues}
	made, _ := g.value(k.Schema, 0)
	m, isMap := made.(map[string]any)
	if !isMap {
		m = map[string]any{}
	}
	metadata := map[string]any{"name": "fuzz", "generation": int64(1 + g.IntN(3))}
	if k.Namespaced {
		metadata["namespace"] = "default"
	}
	m["metadata"] = metadata
	o := &unstructured.Unstructured{Object: m}
	o.SetGroupVersionKind(k.GroupVersionKind)
	return o
}

// likely reports true in as many of 100 cases.
func (g *generator) likely(percent int) bool { return g.IntN(100) < percent }

// value returns a value that a schema allows; false where none is known.
func (g *generator) value(s map[string]any, depth int) (any, bool) {
	g.left--
	if preset, has := s["default"]; has && g.likely(20) {
		return preset, true
	}
	if choices, _ := s["enum"].([]any); len(choices) > 0 {
		return choices[g.IntN(len(choices))], true
	}
	if s["x-kubernetes-int-or-string"] == true {
		if g.likely(50) {
			return int64(g.IntN(4)), true
		}
		return g.text(s)
	}
	switch s["type"] {
	case "string":
		return g.text(s)
	case "integer":
		return g.integer(s), true
	case "number":
		return []any{0.5, 1.5, int64(0), int64(1), int64(100)}[g.IntN(5)], true
	case "boolean":
		return g.likely(50), true
	case "array":
		return g.list(s, depth)
	case "object":
		return g.fields(s, depth)
	}
	if s["x-kubernetes-preserve-unknown-fields"] == true {
		// Nearly always a pod template or another object that the schema leaves open.
		return []any{map[string]any{}, map[string]any{"a": "b"}}[g.IntN(2)], true
	}
	return []any{"a", int64(1), true, map[string]any{}}[g.IntN(4)], true
}

// words are texts that scripts compare with, or read.
var words = []string{
	"a", "b", "True", "False", "Unknown", "Ready", "Running", "Failed", "1", "0", "100m", "1Gi", "2026-01-02T03:04:05Z", "",
	"1h", "50%", "10.0.0.1", "https://a.example", "a.example.com", "a/b", "sha256:0", "1.2.3", "80", "A",
}

// text returns a text that the schema allows.
func (g *generator) text(s map[string]any) (any, bool) {
	if s["format"] == "date-time" {
		return []any{"2025-01-01T00:00:00Z", "2026-01-02T03:04:00Z", "2027-01-01T00:00:00Z"}[g.IntN(3)], true
	}
	least, most := whole(s["minLength"], 0), whole(s["maxLength"], math.MaxInt64)
	pattern, _ := s["pattern"].(string)
	allowed, err := regexp.Compile(pattern)
	if err != nil {
		return nil, false
	}
	first := g.IntN(len(words))
	for i := range words {
		word := words[(first+i)%len(words)]
		if n := int64(len(word)); n >= least && n <= most && allowed.MatchString(word) {
			return word, true
		}
	}
	return nil, false
}

// integer returns a number that the schema allows, mostly a small one.
func (g *generator) integer(s map[string]any) int64 {
	least, most := whole(s["minimum"], math.MinInt32), whole(s["maximum"], math.MaxInt32)
	if s["exclusiveMinimum"] == true {
		least++
	}
	if s["exclusiveMaximum"] == true {
		most--
	}
	numbers := []int64{0, 1, 2, 3, 1, 2, 5, 100, -1, math.MaxInt32}
	return min(max(numbers[g.IntN(len(numbers))], least), most)
}

func (g *generator) list(s map[string]any, depth int) (any, bool) {
	least, most := int(whole(s["minItems"], 0)), int(whole(s["maxItems"], maxItems))
	items, _ := s["items"].(map[string]any)
	n := least
	if g.left > 0 && depth < maxDepth && most > least {
		n += g.IntN(min(most, maxItems) - min(least, maxItems) + 1)
	}
	made := []any{}
	for range min(n, max(most, least)) {
		v, known := g.value(items, depth+1)
		if !known {
			break
		}
		made = append(made, v)
	}
	return made, len(made) >= least
}

// fields returns an object with the fields that the schema requires, and some of the others.
func (g *generator) fields(s map[string]any, depth int) (any, bool) {
	made := map[string]any{}
	properties, _ := s["properties"].(map[string]any)
	required := requiredOf(s)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		of, _ := properties[name].(map[string]any)
		must := slices.Contains(required, name)
		share := 80 - 12*depth
		if !must && (g.left <= 0 || depth >= maxDepth || !g.likely(max(share, 25))) {
			continue
		}
		if of["nullable"] == true && g.likely(10) {
			made[name] = nil
			continue
		}
		v, known := g.value(of, depth+1)
		if known {
			made[name] = v
		} else if must {
			return nil, false
		}
	}
	g.others(s, made, depth)
	return made, int64(len(made)) >= whole(s["minProperties"], 0)
}

// others adds entries to an object whose schema lets them have any name: as many as there must be, and
// some more.
func (g *generator) others(s, made map[string]any, depth int) {
	values, free := s["additionalProperties"].(map[string]any)
	if !free {
		return
	}
	n := int(whole(s["minProperties"], 0)) - len(made)
	if g.left > 0 && depth < maxDepth {
		n = max(n, g.IntN(3))
	}
	n = min(n, int(whole(s["maxProperties"], math.MaxInt32))-len(made))
	for i := range n {
		if v, known := g.value(values, depth+1); known {
			made[fmt.Sprintf("key%d", i+1)] = v
		}
	}
}

func requiredOf(s map[string]any) []string {
	items, _ := s["required"].([]any)
	var all []string
	for _, item := range items {
		if name, ok := item.(string); ok {
			all = append(all, name)
		}
	}
	return all
}

// whole returns a number of a schema as an integer.
func whole(v any, otherwise int64) int64 {
	switch n := v.(type) {
	case int64:
		return n
	case float64:
		return int64(n)
	}
	return otherwise
}
