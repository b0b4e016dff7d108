// SPDX-License-Identifier: Apache-2.0

package inventory

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// newQuota makes a quota of the namespace team.
func newQuota(name string, hard, used corev1.ResourceList, scopes ...corev1.ScopedResourceSelectorRequirement) *corev1.ResourceQuota {
	q := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: name}}
	q.Spec.Hard, q.Status.Hard, q.Status.Used = hard, hard, used
	if len(scopes) > 0 {
		q.Spec.ScopeSelector = &corev1.ScopeSelector{MatchExpressions: scopes}
	}
	return q
}

func priority(operator corev1.ScopeSelectorOperator, values ...string) corev1.ScopedResourceSelectorRequirement {
	return corev1.ScopedResourceSelectorRequirement{ScopeName: corev1.ResourceQuotaScopePriorityClass, Operator: operator, Values: values}
}

func TestQuota(t *testing.T) {
	uncounted := newQuota("q", nil, nil)
	uncounted.Spec.Hard = list("cpu", "2")
	exists := newQuota("q", list("cpu", "2"), nil)
	exists.Spec.Scopes = []corev1.ResourceQuotaScope{corev1.ResourceQuotaScopePriorityClass}
	for name, c := range map[string]struct {
		quotas    []*corev1.ResourceQuota
		namespace string
		assumed   []Workload
		priority  string
		// want is for replicas of 1 CPU, 1Gi and 1 GPU; sets is for two of them.
		want, sets int32
	}{
		"no quota":                         {want: 40, sets: 20},
		"that of another namespace":        {quotas: []*corev1.ResourceQuota{newQuota("q", list("cpu", "1"), nil)}, namespace: "other", want: 40, sets: 20},
		"hard less used":                   {quotas: []*corev1.ResourceQuota{newQuota("q", list("cpu", "10"), list("cpu", "4500m"))}, want: 5, sets: 2},
		"used more than hard":              {quotas: []*corev1.ResourceQuota{newQuota("q", list("cpu", "1"), list("cpu", "4"))}},
		"requests.cpu":                     {quotas: []*corev1.ResourceQuota{newQuota("q", list("requests.cpu", "3"), nil)}, want: 3, sets: 1},
		"requests.memory":                  {quotas: []*corev1.ResourceQuota{newQuota("q", list("requests.memory", "4Gi"), nil)}, want: 4, sets: 2},
		"an extended resource":             {quotas: []*corev1.ResourceQuota{newQuota("q", list("requests.nvidia.com/gpu", "5"), list("requests.nvidia.com/gpu", "3"))}, want: 2, sets: 1},
		"pods":                             {quotas: []*corev1.ResourceQuota{newQuota("q", list("pods", "7"), nil)}, want: 7, sets: 3},
		"count/pods":                       {quotas: []*corev1.ResourceQuota{newQuota("q", list("count/pods", "7"), list("count/pods", "1"))}, want: 6, sets: 3},
		"limits are not known":             {quotas: []*corev1.ResourceQuota{newQuota("q", list("limits.cpu", "1", "services", "0", "requests.storage", "0"), nil)}, want: 40, sets: 20},
		"the least of two":                 {quotas: []*corev1.ResourceQuota{newQuota("a", list("cpu", "9"), nil), newQuota("b", list("memory", "4Gi"), nil)}, want: 4, sets: 2},
		"not counted by its controller":    {quotas: []*corev1.ResourceQuota{uncounted}, want: 2, sets: 1},
		"assumed workloads":                {quotas: []*corev1.ResourceQuota{newQuota("q", list("cpu", "6"), nil)}, assumed: []Workload{{"team", []Component{component("a", 3, "cpu", "1")}}}, want: 3, sets: 1},
		"assumed in another namespace":     {quotas: []*corev1.ResourceQuota{newQuota("q", list("cpu", "6"), nil)}, assumed: []Workload{{"other", []Component{component("a", 3, "cpu", "1")}}}, want: 6, sets: 3},
		"of the priority class":            {quotas: []*corev1.ResourceQuota{newQuota("q", list("cpu", "2"), nil, priority("In", "high", "top"))}, priority: "high", want: 2, sets: 1},
		"of another priority class":        {quotas: []*corev1.ResourceQuota{newQuota("q", list("cpu", "2"), nil, priority("In", "high"))}, priority: "low", want: 40, sets: 20},
		"of no priority class in a list":   {quotas: []*corev1.ResourceQuota{newQuota("q", list("cpu", "2"), nil, priority("In", "high"))}, want: 40, sets: 20},
		"not of a priority class":          {quotas: []*corev1.ResourceQuota{newQuota("q", list("cpu", "2"), nil, priority("NotIn", "high"))}, priority: "high", want: 40, sets: 20},
		"not of others":                    {quotas: []*corev1.ResourceQuota{newQuota("q", list("cpu", "2"), nil, priority("NotIn", "high"))}, want: 2, sets: 1},
		"of any priority class":            {quotas: []*corev1.ResourceQuota{exists}, priority: "low", want: 2, sets: 1},
		"of any priority class, with none": {quotas: []*corev1.ResourceQuota{exists}, want: 40, sets: 20},
		"without a priority class":         {quotas: []*corev1.ResourceQuota{newQuota("q", list("cpu", "2"), nil, priority("DoesNotExist"))}, want: 2, sets: 1},
		"another scope": {quotas: []*corev1.ResourceQuota{newQuota("q", list("cpu", "2"), nil, corev1.ScopedResourceSelectorRequirement{
			ScopeName: corev1.ResourceQuotaScopeTerminating, Operator: corev1.ScopeSelectorOpExists,
		})}, want: 40, sets: 20},
	} {
		t.Run(name, func(t *testing.T) {
			i := setNodes(New(), nodes(4, "n", "cpu", "10", "memory", "64Gi", "nvidia.com/gpu", "10")...)
			for _, q := range c.quotas {
				i.SetQuota(q)
			}
			namespace := c.namespace
			if namespace == "" {
				namespace = "team"
			}
			of := component("a", 2, "cpu", "1", "memory", "1Gi", "nvidia.com/gpu", "1")
			of.Requirements.PriorityClass = c.priority
			v := i.Assume(c.assumed...)
			want, sets := c.want, c.sets
			if got := v.Replicas(namespace, of.Requirements, 0); got != want {
				t.Errorf("got %d replicas, want %d", got, want)
			}
			if got := v.Sets(namespace, []Component{of}, 0); got != sets {
				t.Errorf("got %d sets, want %d", got, sets)
			}
			for _, q := range c.quotas {
				i.DeleteQuota(q.Namespace, q.Name)
			}
			if len(i.quotas) > 0 {
				t.Error("a deleted quota is kept")
			}
		})
	}
}

// TestQuotaOfComponents counts only the components of the quota's priority class.
func TestQuotaOfComponents(t *testing.T) {
	i := setNodes(New(), nodes(1, "n", "cpu", "100")...)
	i.SetQuota(newQuota("q", list("cpu", "3"), nil, priority("In", "high")))
	high, low := component("driver", 1, "cpu", "1"), component("worker", 4, "cpu", "1")
	high.Requirements.PriorityClass = "high"
	if got := i.Assume().Sets("team", []Component{high, low}, 0); got != 3 {
		t.Errorf("got %d, want 3", got)
	}
	// A changed scope that is not counted ends it.
	i.SetQuota(newQuota("q", list("cpu", "3"), nil, corev1.ScopedResourceSelectorRequirement{ScopeName: corev1.ResourceQuotaScopeBestEffort, Operator: corev1.ScopeSelectorOpExists}))
	if got := i.Assume().Sets("team", []Component{high, low}, 0); got != 20 {
		t.Errorf("got %d, want 20", got)
	}
}
