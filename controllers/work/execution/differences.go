// SPDX-License-Identifier: Apache-2.0

package execution

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// difference is a field in which an object is not as it is to be. Nil stands for a field
// that is not there; null is the same to an API server.
type difference struct {
	Path       string
	Want, Have any
	// elements is the path in the form of managedFields.
	elements []string
}

// digest identifies differences; none have the empty digest.
func digest(all []difference) string {
	if len(all) == 0 {
		return ""
	}
	return digestOf(all)
}

// digestOf identifies a value by its JSON, whose keys are in order. One that has no JSON
// has a digest that no other has.
func digestOf(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:16])
}

// paths lists the paths of differences.
func paths(all []difference) []string {
	list := make([]string, len(all))
	for i := range all {
		list[i] = all[i].Path
	}
	return list
}

// compared are the fields of an object's metadata that execution writes; those of the rest
// are the API server's.
var compared = []string{"annotations", "finalizers", "labels", "ownerReferences"}

// compare returns the differences between an object as it is to be and as it is, without
// status, sorted by path. The fields that are left are set in want to what they are in
// have, and are no difference. Items of a list are matched by their names if all have one
// and are in the same order, and by their positions if the lists have the same length.
func compare(want, have *unstructured.Unstructured, left []string) []difference {
	c := comparison{left: left}
	metadata, _ := have.Object["metadata"].(map[string]any)
	wanted, _ := want.Object["metadata"].(map[string]any)
	if wanted == nil {
		wanted = map[string]any{}
	}
	for _, field := range compared {
		c.field(place{}.key("metadata").key(field), wanted, field, metadata[field])
	}
	for _, field := range fields(want.Object, have.Object) {
		if field != "metadata" && field != "status" {
			c.field(place{}.key(field), want.Object, field, have.Object[field])
		}
	}
	return c.found
}

// fields lists the keys of both maps, sorted.
func fields(a, b map[string]any) []string {
	keys := slices.AppendSeq(make([]string, 0, len(a)+len(b)), maps.Keys(a))
	keys = slices.AppendSeq(keys, maps.Keys(b))
	slices.Sort(keys)
	return slices.Compact(keys)
}

// place is where a field is: a step from another place. It is written out only where there
// is a difference.
type place struct {
	parent *place
	step   step
	// name is that of the key or of the item, i the position.
	name string
	i    int
}

// step is how a place is reached from the one that it is in.
type step int

const (
	root step = iota
	byKey
	byIndex
	byItemName
)

// plain are the keys that a path has after a dot.
var plain = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*$`)

func (p place) key(k string) place          { return place{parent: &p, step: byKey, name: k} }
func (p place) index(i int) place           { return place{parent: &p, step: byIndex, i: i} }
func (p place) itemNamed(name string) place { return place{parent: &p, step: byItemName, name: name} }

// path returns the place as users read it.
func (p place) path() string {
	if p.step == root {
		return ""
	}
	path := p.parent.path()
	switch {
	case p.step == byIndex:
		return path + "[" + strconv.Itoa(p.i) + "]"
	case p.step == byItemName:
		return path + "[name=" + p.name + "]"
	case !plain.MatchString(p.name):
		return path + "[" + p.name + "]"
	case path == "":
		return p.name
	}
	return path + "." + p.name
}

// elements returns the place in the form of managedFields.
func (p place) elements() []string {
	if p.step == root {
		return nil
	}
	elements := p.parent.elements()
	switch p.step {
	case byIndex:
		return append(elements, "i:"+strconv.Itoa(p.i))
	case byItemName:
		raw, _ := utiljson.Marshal(map[string]string{"name": p.name}) // never fails
		return append(elements, "k:"+string(raw))
	}
	return append(elements, "f:"+p.name)
}

// comparison collects differences.
type comparison struct {
	left  []string
	found []difference
}

// field compares one field of a map.
func (c *comparison) field(at place, parent map[string]any, key string, have any) {
	result := c.value(at, parent[key], have)
	if result == nil && parent[key] == nil {
		return
	}
	if result == nil {
		delete(parent, key)
		return
	}
	parent[key] = result
}

// value compares two values and returns the one to be.
func (c *comparison) value(at place, want, have any) any {
	if len(c.left) > 0 && slices.Contains(c.left, at.path()) {
		return runtime.DeepCopyJSONValue(have)
	}
	switch w := want.(type) {
	case map[string]any:
		if h, ok := have.(map[string]any); ok {
			for _, key := range fields(w, h) {
				c.field(at.key(key), w, key, h[key])
			}
			return w
		}
	case []any:
		if h, ok := have.([]any); ok {
			return c.list(at, w, h)
		}
	}
	if !equality.Semantic.DeepEqual(want, have) {
		c.add(at, want, have)
	}
	return want
}

func (c *comparison) add(at place, want, have any) {
	c.found = append(c.found, difference{Path: at.path(), Want: want, Have: have, elements: at.elements()})
}

// list compares two lists and returns the one to be.
func (c *comparison) list(at place, want, have []any) any {
	wanted, found := namesOf(want), namesOf(have)
	named := wanted != nil && found != nil
	switch {
	case named && sameOrder(wanted, found):
		return c.byName(at, want, have, wanted, found)
	case !named && len(want) == len(have):
		for i := range want {
			want[i] = c.value(at.index(i), want[i], have[i])
		}
	default:
		c.add(at, want, have)
	}
	return want
}

// byName compares the items of two lists that have a name each.
func (c *comparison) byName(at place, want, have []any, wanted, found []string) any {
	for i, name := range wanted {
		var item any
		if j := slices.Index(found, name); j >= 0 {
			item = have[j]
		}
		want[i] = c.value(at.itemNamed(name), want[i], item)
	}
	for j, name := range found {
		if slices.Contains(wanted, name) {
			continue
		}
		if item := c.value(at.itemNamed(name), nil, have[j]); item != nil {
			want = append(want, item)
		}
	}
	return slices.DeleteFunc(want, func(item any) bool { return item == nil })
}

// namesOf lists the names of the items of a list; nil if not each has one of its own.
func namesOf(list []any) []string {
	names := make([]string, 0, len(list))
	for _, item := range list {
		m, _ := item.(map[string]any)
		name, ok := m["name"].(string)
		if !ok || slices.Contains(names, name) {
			return nil
		}
		names = append(names, name)
	}
	return names
}

// sameOrder reports whether the names that are in both lists are in the same order.
func sameOrder(a, b []string) bool {
	in := func(list []string) func(string) bool {
		return func(name string) bool { return !slices.Contains(list, name) }
	}
	return slices.Equal(slices.DeleteFunc(slices.Clone(a), in(b)), slices.DeleteFunc(slices.Clone(b), in(a)))
}

// describeDifferences returns the first paths of differences for a log or an event.
func describeDifferences(paths []string) string {
	const most = 5
	if len(paths) <= most {
		return fmt.Sprint(paths)
	}
	return fmt.Sprintf("%v and %d more", paths[:most], len(paths)-most)
}
