// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/engine/script"
)

// aggregation is the input of AggregateStatus.
type aggregation struct {
	object *unstructured.Unstructured
	items  []any
}

// newAggregation refuses items that are no maps.
func newAggregation(object *unstructured.Unstructured, items []any) (aggregation, error) {
	for k, item := range items {
		if _, ok := item.(map[string]any); !ok {
			return aggregation{}, script.Errorf(script.Internal, "items[%d]: want a map, got a %s", k, script.TypeName(item))
		}
	}
	return aggregation{object, items}, nil
}

// AggregateStatus makes one status of those of the member clusters.
const AggregateStatus Op = "AggregateStatus"

var aggregateOp = &operation[aggregation, *unstructured.Unstructured]{
	Operation: Operation{
		Name: AggregateStatus, Field: "statusAggregation", Entry: "AggregateStatus", File: "aggregate", About: AboutTemplate,
		Params:  []Param{{"object", ObjectParam}, {"items", ItemsParam}},
		Results: []Result{{Name: "aggregatedStatus", Type: "map"}}, Patch: true,
		Doc: "The object with its status made from the statuses of the member clusters, which come by the name of their cluster.",
	},
	input: func(q Request) (aggregation, error) { return newAggregation(q.Object, q.Items) },
	bind: func(in aggregation, args []any) []any {
		return append(args, in.object.Object, byCluster(in.items))
	},
	compatArgs: compatItems,
	items:      func(in aggregation) int { return len(in.items) },
	decode: func(in aggregation, r *reader, results []any) (*unstructured.Unstructured, error) {
		answer := at(results, 0)
		if r.rule.Expression && isStatus(answer) {
			return r.withStatus(in.object, answer)
		}
		next, err := r.object(in.object, answer)
		if err == nil && next != in.object {
			err = checkStatus(next)
		}
		return next, err
	},
}

// checkStatus refuses a status that is no map: no API server takes one.
func checkStatus(object *unstructured.Unstructured) error {
	switch status := object.Object["status"].(type) {
	case nil, map[string]any:
		return nil
	default:
		return wrong("object.status: want a map, got a %s", script.TypeName(status))
	}
}

// withStatus returns the object with another status; with an equal one it is the object
// itself.
func (r *reader) withStatus(object *unstructured.Unstructured, answer any) (*unstructured.Unstructured, error) {
	status, err := r.plainMap(answer)
	if err != nil {
		return nil, below("status", err)
	}
	old, had := object.Object["status"]
	same, err := r.equal(old, any(status))
	if err != nil || had && same {
		return object, err
	}
	if err := r.Clone(object.Object); err != nil {
		return nil, err
	}
	next := maps.Clone(object.Object)
	next["status"] = status
	return r.changed(object, next)
}

// isStatus reports whether the answer of an expression is the status itself and no merge patch
// on the object, which would have the key status.
func isStatus(answer any) bool {
	m, ok := answer.(map[string]any)
	_, isPatch := m["status"]
	return ok && len(m) > 0 && !isPatch
}

// byCluster returns items by the name of their cluster, so that an answer does not depend
// on the order in which clusters report. Items without a name keep their order.
func byCluster(items []any) []any {
	if items == nil {
		return []any{}
	}
	if slices.IsSortedFunc(items, compareClusters) {
		return items
	}
	sorted := slices.Clone(items)
	slices.SortStableFunc(sorted, compareClusters)
	return sorted
}

func compareClusters(a, b any) int { return strings.Compare(clusterOf(a), clusterOf(b)) }

func clusterOf(item any) string {
	m, _ := item.(map[string]any)
	name, _ := m["clusterName"].(string)
	return name
}

// StatusItem makes one item of AggregateStatus: a map with clusterName, applied,
// health, and where they are set appliedMessage and status.
func StatusItem(item *workv1alpha2.AggregatedStatusItem) (map[string]any, error) {
	m := map[string]any{"clusterName": item.ClusterName, "applied": item.Applied, "health": string(item.Health)}
	if item.AppliedMessage != "" {
		m["appliedMessage"] = item.AppliedMessage
	}
	if item.Status == nil || len(item.Status.Raw) == 0 {
		return m, nil
	}
	var status any
	if err := decodeJSON(item.Status.Raw, &status); err != nil {
		return nil, fmt.Errorf("decode the status of cluster %s: %w", item.ClusterName, err)
	}
	m["status"] = status
	return m, nil
}

// compatItems returns the items as the published form has them: none at all as nil,
// and without fields that have their zero value.
func compatItems(in aggregation, args []any) {
	if in.items == nil {
		args[1] = nil
		return
	}
	items := make([]any, len(in.items))
	for i, item := range in.items {
		m := maps.Clone(item.(map[string]any))
		if m["applied"] == false {
			delete(m, "applied")
		}
		if m["health"] == "" {
			delete(m, "health")
		}
		items[i] = m
	}
	args[1] = items
}

// decodeJSON keeps whole numbers as int64.
func decodeJSON(raw json.RawMessage, into *any) error {
	return utiljson.Unmarshal(raw, into)
}

// Aggregate returns the object with the status that its script makes from items, one
// of StatusItem for each cluster, in the order of the cluster names. The input is
// not changed; an answer that changes nothing is the input itself.
func (v Snapshot) Aggregate(object *unstructured.Unstructured, items []any) (*unstructured.Unstructured, error) {
	in, err := newAggregation(object, items)
	if err != nil {
		return nil, err
	}
	return run(v, aggregateOp, object, in)
}
