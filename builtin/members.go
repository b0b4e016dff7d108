// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"fmt"
	"slices"
	"strings"
)

// member is the status that one cluster reports.
type member struct {
	cluster string
	// status is nil where the cluster has none.
	status map[string]any
	// index is the place in a list that was not sorted.
	index int
}

// memberGas is what the report of one cluster costs beside the fields that are read.
const memberGas = 4

// sortGas is what sorting costs for each item of a list that is not sorted yet.
const sortGas = 4

// fewMembers is up to how many items are looked at before they are paid for: what is
// wrong with one costs less. Of more, each costs manyGas more, for they are in no cache.
const (
	fewMembers = 64
	manyGas    = 2
)

// members reads the status items of an aggregation, sorted by cluster, so that results do
// not depend on the order in which clusters report. Nil and an empty map are no items.
// Each item costs gas.
func members(v any, gas int64, meter Meter) ([]member, error) {
	list, err := asList("items", v)
	if err != nil {
		return nil, err
	}
	if len(list) > fewMembers {
		meter.Charge((gas + manyGas) * int64(len(list)))
	}
	all := make([]member, len(list))
	for i, item := range list {
		m, ok := item.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("item %d must be a map with clusterName and status, not a %s", i+1, typeName(item))
		}
		all[i].cluster = stringAt(m, "clusterName")
		all[i].status, ok = m["status"].(map[string]any)
		if !ok && m["status"] != nil && !isEmptyList(m["status"]) {
			return nil, fmt.Errorf("the status of cluster %s must be a map, not a %s", all[i].cluster, typeName(m["status"]))
		}
	}
	if len(list) <= fewMembers {
		meter.Charge(gas * int64(len(list)))
	}
	if slices.IsSortedFunc(all, member.compare) {
		return all, nil
	}
	meter.Charge(sortGas * int64(len(list)))
	for i := range all {
		all[i].index = i
	}
	slices.SortFunc(all, member.compare)
	return all, nil
}

// compare orders members by cluster, and those of one cluster as they came.
func (m member) compare(other member) int {
	if c := strings.Compare(m.cluster, other.cluster); c != 0 {
		return c
	}
	return m.index - other.index
}

// wrong is the error for a field of a member's status that has another type than wanted.
func (m member) wrong(field, wanted string, v any) error {
	return fmt.Errorf("%s of cluster %s must be %s, not %s", field, m.cluster, wanted, quoted(v))
}

// count reads a whole number from a map, 0 where there is none. The number of a
// script may be a float64.
func count(m map[string]any, key string) (n int64, ok bool) {
	if m[key] == nil {
		return 0, true
	}
	return whole(m[key])
}

// whole returns a number without a fraction as an int64.
func whole(v any) (int64, bool) {
	switch x := v.(type) {
	case int64:
		return x, true
	case float64:
		if n := int64(x); float64(n) == x && x < 1<<63 {
			return n, true
		}
	}
	return 0, false
}

// asList reads a list argument. Nil and an empty map, which is how a script may
// write an empty list, have no items.
func asList(name string, v any) ([]any, error) {
	switch x := v.(type) {
	case nil:
		return nil, nil
	case []any:
		return x, nil
	case map[string]any:
		if len(x) == 0 {
			return nil, nil
		}
	}
	return nil, fmt.Errorf("%s must be a list, not a %s", name, typeName(v))
}

// asMap reads a map argument. Nil and an empty list have no entries.
func asMap(name string, v any) (map[string]any, error) {
	m, ok := v.(map[string]any)
	if !ok && v != nil && !isEmptyList(v) {
		return nil, fmt.Errorf("%s must be a map, not a %s", name, typeName(v))
	}
	return m, nil
}
