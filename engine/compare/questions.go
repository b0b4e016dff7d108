// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/engine"
)

// Questions returns what can be asked about an object alone: for its revision one replica
// more than it has, for Retain itself as observed, for an aggregation its own status from one
// cluster.
func Questions(object *unstructured.Unstructured) []engine.Request {
	var all []engine.Request
	for _, op := range engine.Operations() {
		q := engine.Request{Operation: op.Name, Object: object}
		switch op.Name {
		case engine.RestoreState:
			continue
		case engine.Retain:
			q.Observed = object
		case engine.ReviseReplica:
			replicas, _, _ := unstructured.NestedInt64(object.Object, "spec", "replicas")
			q.Replicas = max(0, replicas) + 1
		case engine.AggregateStatus:
			item, err := engine.StatusItem(&workv1alpha2.AggregatedStatusItem{ClusterName: "member1", Applied: true})
			if err != nil {
				continue
			}
			if status := object.Object["status"]; status != nil {
				item["status"] = status
			}
			q.Items = []any{item}
		}
		all = append(all, q)
	}
	return all
}
