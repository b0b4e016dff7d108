// SPDX-License-Identifier: Apache-2.0

package override

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/decide/override/internal/budget"
	"github.com/dragoman-io/dragoman/controllers/decide/override/internal/pointer"
)

// draft is an object while one Apply changes it. The maps and lists that it owns were made for
// it, stand in one place of it, and are changed as they are. All others are shared, and copied
// the first time that something in them changes, so that many changes in one place copy it
// once. An error in the middle of a change leaves a draft that nobody may use.
type draft struct {
	object map[string]any
	budget *budget.Budget
	// maps are the owned maps by their addresses, and lists the first items of owned lists.
	// Both keep them in memory, so that no other value gets the address of one.
	maps  map[uintptr]map[string]any
	lists map[*any]struct{}
}

// newDraft returns a draft that owns nothing.
func newDraft(object map[string]any) *draft {
	return &draft{object: object, budget: budget.New(), maps: map[uintptr]map[string]any{}, lists: map[*any]struct{}{}}
}

// ownMap returns a map, or a copy of it if the draft does not own it; the caller puts it in the
// place of the map. It is never nil. The error is that of the budget.
func (d *draft) ownMap(m map[string]any) (map[string]any, error) {
	if _, owned := d.maps[addressOf(m)]; owned {
		return m, nil
	}
	if err := d.budget.Take(1 + len(m)); err != nil {
		return nil, err
	}
	if m = maps.Clone(m); m == nil {
		m = map[string]any{}
	}
	d.maps[addressOf(m)] = m
	return m, nil
}

// addressOf returns the address of a map; 0 for nil.
func addressOf(m map[string]any) uintptr { return reflect.ValueOf(m).Pointer() }

// ownList returns a list, or a copy of it if the draft does not own it; the caller puts it in
// the place of the list. The error is that of the budget.
func (d *draft) ownList(list []any) ([]any, error) {
	if len(list) == 0 || d.owns(list) {
		return list, nil
	}
	if err := d.budget.Take(1 + len(list)); err != nil {
		return nil, err
	}
	return d.owned(slices.Clone(list)), nil
}

func (d *draft) owns(list []any) bool {
	_, owned := d.lists[&list[0]]
	return owned
}

// owned returns a list that was made for the draft, which owns it from now on.
func (d *draft) owned(list []any) []any {
	if len(list) > 0 {
		d.lists[&list[0]] = struct{}{}
	}
	return list
}

// valuesPerItem is what a new item costs beside its copy: it stays in memory, and is written.
const valuesPerItem = 4

// insert returns a list with items before the i-th one; see ownList.
func (d *draft) insert(list []any, i int, items ...any) ([]any, error) {
	if len(items) == 0 {
		return list, nil
	}
	moved := len(items) + len(list) - i
	if len(list) == 0 || !d.owns(list) || len(list)+len(items) > cap(list) {
		moved = len(items) + len(list)
		list = slices.Clip(list) // what is behind its end may be somebody else's
	}
	if err := d.budget.Take(moved + valuesPerItem*len(items)); err != nil {
		return nil, err
	}
	return d.owned(slices.Insert(list, i, items...)), nil
}

// remove returns a list without its i-th item; see ownList. It is never nil.
func (d *draft) remove(list []any, i int) ([]any, error) {
	list, err := d.ownList(list)
	if err != nil {
		return nil, err
	}
	if err := d.budget.Take(len(list) - i); err != nil {
		return nil, err
	}
	return slices.Delete(list, i, i+1), nil
}

// set puts a value in the place of the one that a path leads to.
func (d *draft) set(path pointer.Pointer, value any) error {
	return d.do(patch{policyv1alpha1.OverriderOpReplace, path, value})
}

// do does an operation of RFC 6902. The object stays a map.
func (d *draft) do(p patch) error {
	changed, err := p.apply(d)
	if err != nil {
		return err
	}
	object, ok := changed.(map[string]any)
	if !ok {
		return fmt.Errorf("%s: the object would become %s", p.operator, kindOf(changed))
	}
	d.object = object
	return nil
}

// path reads a pointer of a policy.
func (d *draft) path(text string) (pointer.Pointer, error) {
	if err := d.takeText(len(text)); err != nil {
		return nil, err
	}
	return pointer.Parse(text)
}

// bytesPerValue is how many bytes of a text are read in the time in which a value is copied.
const bytesPerValue = 16

// takeText takes from the budget what reading a text of some bytes costs.
func (d *draft) takeText(bytes int) error { return d.budget.Take(1 + bytes/bytesPerValue) }
