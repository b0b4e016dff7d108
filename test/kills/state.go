// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

const (
	// rest is how long nothing may change for the state to count as the last: longer than a manager waits for the
	// lease of one that was killed, and for that of its own in a member.
	rest = 45 * time.Second
	// patience is how long that may take.
	patience = 10 * time.Minute
)

// state is what is left, by cluster, kind and name, without what differs from run to run.
type state map[string]any

// kinds are what is compared; those behind the templates exist in the control plane only.
var kinds = []schema.GroupVersionKind{
	{Version: "v1", Kind: "ConfigMap"},
	{Group: "apps", Version: "v1", Kind: "Deployment"},
	{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "ClusterRole"},
	{Group: "work.karmada.io", Version: "v1alpha2", Kind: "ResourceBinding"},
	{Group: "work.karmada.io", Version: "v1alpha2", Kind: "ClusterResourceBinding"},
	{Group: "work.karmada.io", Version: "v1alpha1", Kind: "Work"},
	{Group: "policy.karmada.io", Version: "v1alpha1", Kind: "PropagationPolicy"},
	{Group: "policy.karmada.io", Version: "v1alpha1", Kind: "ClusterPropagationPolicy"},
}

const templateKinds = 3

// settle waits until nothing changes any more while managers run, and returns the state.
func (s *site) settle(ctx context.Context, d disturbance) (state, error) {
	var last state
	since := time.Now()
	for began := time.Now(); time.Since(began) < patience; {
		now, err := s.state(ctx)
		if err != nil {
			return nil, err
		}
		revived, err := d.revive(ctx)
		if err != nil {
			return nil, err
		}
		if revived || !reflect.DeepEqual(now, last) {
			last, since = now, time.Now()
		}
		if time.Since(since) > rest {
			return last, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(time.Second):
		}
	}
	return nil, errors.New("the objects do not come to rest")
}

// state reads all objects of the workload.
func (s *site) state(ctx context.Context) (state, error) {
	all := state{}
	for cluster, c := range s.clients {
		for i, kind := range kinds {
			if cluster != hub && i >= templateKinds {
				break
			}
			list := &unstructured.UnstructuredList{}
			list.SetGroupVersionKind(kind)
			if err := c.List(ctx, list); err != nil {
				return nil, fmt.Errorf("list %s in %s: %w", kind.Kind, cluster, err)
			}
			for j := range list.Items {
				o := &list.Items[j]
				if !strings.Contains(o.GetName(), "template-") {
					continue // of the cluster itself
				}
				all[strings.Join([]string{cluster, kind.Kind, o.GetNamespace(), o.GetName()}, " ")] = stable(o.Object)
			}
		}
	}
	return all, nil
}

// perRun are the fields whose values are those of one run: ids, times and counts of
// writes.
var perRun = []string{
	"uid", "resourceVersion", "generation", "creationTimestamp", "managedFields", "lastTransitionTime", "lastUpdateTime", "lastScheduledTime",
	"observedGeneration", "schedulerObservedGeneration", "resourceTemplateGeneration",
}

// stable returns a value without what differs from run to run.
func stable(value any) any {
	switch v := value.(type) {
	case map[string]any:
		kept := make(map[string]any, len(v))
		for key, one := range v {
			switch {
			case slices.Contains(perRun, key), strings.HasSuffix(key, "/uid"), strings.HasSuffix(key, "/generation"), strings.HasSuffix(key, "/binding-generation"):
			case strings.HasSuffix(key, "permanent-id"), strings.HasSuffix(key, "fingerprint"): // of an id
				kept[key] = one != ""
			default:
				kept[key] = stable(one)
			}
			if conditions, ok := kept[key].([]any); ok && key == "conditions" {
				slices.SortFunc(conditions, byType)
			}
		}
		return kept
	case []any:
		kept := make([]any, len(v))
		for i, one := range v {
			kept[i] = stable(one)
		}
		return kept
	}
	return value
}

// byType orders conditions, which stand in the order in which they were first written.
func byType(a, b any) int {
	x, _ := a.(map[string]any)
	y, _ := b.(map[string]any)
	return strings.Compare(fmt.Sprint(x["type"]), fmt.Sprint(y["type"]))
}
