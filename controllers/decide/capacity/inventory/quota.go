// SPDX-License-Identifier: Apache-2.0

package inventory

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// quota is what a ResourceQuota has left. It does not change.
type quota struct {
	// left are the amounts by the name of the resource that pods request.
	left []Request
	// priority are the conditions on the priority class of the pods that count.
	priority []corev1.ScopedResourceSelectorRequirement
}

// SetQuota adds a quota or replaces it. Of its hard amounts those on what pods request
// count, and those on the number of pods; limits and other objects do not, as questions
// have none. A quota with another scope than the priority class is left out: whether a
// pod is in its scope is not in the question.
func (i *Inventory) SetQuota(q *corev1.ResourceQuota) {
	kept, counts := quotaOf(q)
	if !counts {
		i.DeleteQuota(q.Namespace, q.Name)
		return
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.quotas[q.Namespace] == nil {
		i.quotas[q.Namespace] = map[string]*quota{}
	}
	i.quotas[q.Namespace][q.Name] = kept
}

// DeleteQuota removes a quota.
func (i *Inventory) DeleteQuota(namespace, name string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if delete(i.quotas[namespace], name); len(i.quotas[namespace]) == 0 {
		delete(i.quotas, namespace)
	}
}

func quotaOf(q *corev1.ResourceQuota) (*quota, bool) {
	kept := &quota{}
	for _, scope := range q.Spec.Scopes {
		kept.priority = append(kept.priority, corev1.ScopedResourceSelectorRequirement{ScopeName: scope, Operator: corev1.ScopeSelectorOpExists})
	}
	if q.Spec.ScopeSelector != nil {
		kept.priority = append(kept.priority, q.Spec.ScopeSelector.MatchExpressions...)
	}
	for _, p := range kept.priority {
		if p.ScopeName != corev1.ResourceQuotaScopePriorityClass {
			return nil, false
		}
	}
	hard := q.Status.Hard
	if hard == nil { // the quota controller has not counted yet
		hard = q.Spec.Hard
	}
	for name, limit := range hard {
		requested, ok := requestedName(name)
		if !ok {
			continue
		}
		left := limit.DeepCopy()
		left.Sub(q.Status.Used[name])
		kept.left = append(kept.left, Request{requested, amountDown(requested, left)})
	}
	return kept, len(kept.left) > 0
}

// requestedName returns the resource of pods that a hard amount is about.
func requestedName(hard corev1.ResourceName) (corev1.ResourceName, bool) {
	if name, ok := strings.CutPrefix(string(hard), corev1.DefaultResourceRequestsPrefix); ok {
		return corev1.ResourceName(name), name != string(corev1.ResourceStorage)
	}
	switch hard {
	case corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceEphemeralStorage, corev1.ResourcePods:
		return hard, true
	case "count/pods":
		return corev1.ResourcePods, true
	}
	return hard, strings.HasPrefix(string(hard), corev1.ResourceHugePagesPrefix)
}

// counts reports whether pods of a priority class count against the quota.
func (q *quota) counts(priorityClass string) bool {
	return !slices.ContainsFunc(q.priority, func(s corev1.ScopedResourceSelectorRequirement) bool {
		switch s.Operator {
		case corev1.ScopeSelectorOpExists:
			return priorityClass == ""
		case corev1.ScopeSelectorOpDoesNotExist:
			return priorityClass != ""
		case corev1.ScopeSelectorOpIn:
			return priorityClass == "" || !slices.Contains(s.Values, priorityClass)
		case corev1.ScopeSelectorOpNotIn:
			return slices.Contains(s.Values, priorityClass)
		}
		return true
	})
}

// request returns what of a resource the replicas of all components request together, as
// far as they count against the quota.
func (q *quota) request(name corev1.ResourceName, components []*needs) int64 {
	var sum int64
	for _, c := range components {
		if !q.counts(c.priorityClass) {
			continue
		}
		for _, r := range c.requests {
			if r.Name == name {
				sum = add(sum, multiply(r.Amount, c.replicas))
			}
		}
	}
	return sum
}

// quotaSets returns how many sets the quotas of a namespace allow, at most limit.
func (v *View) quotaSets(namespace string, components []*needs, limit int64) int64 {
	v.of.mu.Lock()
	quotas := make([]*quota, 0, len(v.of.quotas[namespace]))
	for _, q := range v.of.quotas[namespace] {
		quotas = append(quotas, q)
	}
	v.of.mu.Unlock()
	if len(quotas) == 0 {
		return limit
	}
	var assumed []*needs
	for _, w := range v.assumed {
		if w.Namespace == namespace {
			for _, c := range w.Components {
				assumed = append(assumed, needsAlone(c))
			}
		}
	}
	for _, q := range quotas {
		for _, left := range q.left {
			if each := q.request(left.Name, components); each > 0 {
				limit = min(limit, max(left.Amount-q.request(left.Name, assumed), 0)/each)
			}
		}
	}
	return limit
}
