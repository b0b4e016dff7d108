// SPDX-License-Identifier: Apache-2.0

package replicas

import (
	"encoding/json"
	"fmt"
	"math"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/placement"
)

// follows reports whether the replicas of a template follow those of its copies: members decide about
// them, and they are divided.
func follows(template *unstructured.Unstructured, b *workv1alpha2.ResourceBinding) bool {
	spec := &b.Spec
	return template.GetLabels()[policyv1alpha1.RetainReplicasLabel] == "true" && spec.Placement != nil && !placement.Copies(spec)
}

// counts are the fields of a copy's status that count its pods, as the kinds with a scale subresource
// have them. Nil is not reported.
type counts struct {
	Replicas        *int64 `json:"replicas"`
	UpdatedReplicas *int64 `json:"updatedReplicas"`
}

// Sum returns how many replicas the copies of a binding have in all, once all copies are as its spec has
// them and have reported. Until then, and while a copy is being rolled out and has pods beyond its
// replicas, the error says what is waited for. An autoscaler never scales to nothing, so a copy without
// replicas has not reported yet.
func Sum(b *workv1alpha2.ResourceBinding, replicas int32) (int32, error) {
	applied := meta.FindStatusCondition(b.Status.Conditions, workv1alpha2.FullyApplied)
	switch {
	case b.Spec.Replicas != replicas:
		return 0, fmt.Errorf("the binding has %d replicas, and the template %d", b.Spec.Replicas, replicas)
	case b.Status.SchedulerObservedGeneration != b.Generation:
		return 0, fmt.Errorf("the binding is not scheduled as it is now")
	case applied == nil || applied.Status != metav1.ConditionTrue || applied.ObservedGeneration != b.Generation:
		return 0, fmt.Errorf("the binding is not applied in all clusters as it is now")
	case len(b.Status.AggregatedStatus) != len(b.Spec.Clusters):
		return 0, fmt.Errorf("%d of %d clusters have reported", len(b.Status.AggregatedStatus), len(b.Spec.Clusters))
	}
	var sum int64
	for i := range b.Status.AggregatedStatus {
		item := &b.Status.AggregatedStatus[i]
		n, err := reported(item)
		if err != nil {
			return 0, fmt.Errorf("cluster %s: %w", item.ClusterName, err)
		}
		sum += n
	}
	if sum > math.MaxInt32 {
		return 0, fmt.Errorf("%d replicas are too many", sum)
	}
	return int32(sum), nil
}

// reported returns the replicas of one copy.
func reported(item *workv1alpha2.AggregatedStatusItem) (int64, error) {
	var c counts
	if item.Status != nil {
		if err := json.Unmarshal(item.Status.Raw, &c); err != nil {
			return 0, fmt.Errorf("read its status: %w", err)
		}
	}
	switch {
	case c.Replicas == nil || *c.Replicas <= 0:
		return 0, fmt.Errorf("no replicas are reported")
	case *c.Replicas > math.MaxInt32:
		return 0, fmt.Errorf("%d replicas are too many", *c.Replicas)
	case c.UpdatedReplicas != nil && *c.UpdatedReplicas != *c.Replicas:
		return 0, fmt.Errorf("%d of %d replicas are updated", *c.UpdatedReplicas, *c.Replicas)
	}
	return *c.Replicas, nil
}
