package engine

import (
	"encoding/json"
	"fmt"
	"maps"

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

var aggregateOp = &Op[aggregation, *unstructured.Unstructured]{
	Operation: Operation{
		Name: AggregateStatus, Field: "statusAggregation", Entry: "AggregateStatus", File: "aggregate", index: 5,
		Params: []string{"object", "items"}, Results: []string{"aggregatedStatus"},
		Doc: "The object with its status made from the statuses of the member clusters.",
	},
	bind: func(in aggregation, args []any) []any {
		items := in.items
		if items == nil {
			items = []any{}
		}
		return append(args, in.object.Object, items)
	},
	publish: publishItems,
	decode: func(in aggregation, rule *Rule, results []any) (*unstructured.Unstructured, error) {
		if !rule.Expression {
			return decodeObject(in.object, rule, at(results, 0))
		}
		status, err := decodePlainMap("status", at(results, 0))
		if err != nil {
			return nil, err
		}
		object, err := replaced(in.object.Object, []string{"status"}, status)
		if err != nil {
			return nil, err
		}
		return sameOrNew(in.object, object), nil
	},
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

// publishItems gives the items as the published form has them: none at all as nil,
// and without fields that have their zero value.
func publishItems(in aggregation, args []any) {
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

// Aggregate gives the object with the status that its script makes from items, one
// of StatusItem for each cluster, in the order of the cluster names. The input is
// not changed; an answer that changes nothing is the input itself.
func (i *Interpreter) Aggregate(object *unstructured.Unstructured, items []any) (*unstructured.Unstructured, error) {
	for k, item := range items {
		if _, ok := item.(map[string]any); !ok {
			return nil, script.Errorf(script.Internal, "items[%d]: want a map, got a %s", k, script.TypeName(item))
		}
	}
	return run(i, aggregateOp, object.GroupVersionKind(), aggregation{object, items})
}
