// SPDX-License-Identifier: Apache-2.0

// Package selection finds the policies that may select a template, and those that wait
// for another object, without looking at all policies. Policies and templates in,
// candidates out. It knows no client and no cache, and does not decide which candidate
// applies.
package selection

import (
	"cmp"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/decide/selector"
)

// Candidate is a policy that may select a template.
type Candidate struct {
	Policy policyv1alpha1.Policy
	// Since is the resource version at which the policy was created; empty if it was
	// there before the index.
	Since string
}

// Index holds the policies of both kinds. The zero value is empty and ready. It is safe
// for many goroutines.
type Index struct {
	mu       sync.RWMutex
	policies map[types.NamespacedName]*entry
	postings map[term]map[*entry]bool
	// sizes are how many policies there are, by their namespaces.
	sizes map[string]int
}

// entry is a policy with the terms that it is found by.
type entry struct {
	Candidate
	terms []term
}

// term is what a policy is found by. The policies of a selector are found by its kind and
// namespace, and by its name or by one label that it requires.
type term struct {
	by by
	// policies is the namespace of the policies; empty for cluster-wide ones.
	policies                    string
	apiVersion, kind, namespace string
	// key is a name, or the key of a label.
	key, value string
}

type by int

const (
	byKind by = iota // selectors of all names that require no label
	byName
	byLabel    // with key and value
	byLabelKey // with any value
	byOverride
	byPriorityClass
)

// Key returns the key of a policy: cluster-wide ones have no namespace.
func Key(p policyv1alpha1.Policy) types.NamespacedName {
	return types.NamespacedName{Namespace: p.GetNamespace(), Name: p.GetName()}
}

// Set adds a policy or replaces it. Since is the resource version at which it was created,
// and counts only if the index does not have the policy yet.
func (i *Index) Set(p policyv1alpha1.Policy, since string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	key := Key(p)
	if old := i.policies[key]; old != nil {
		if old.Policy.GetUID() == p.GetUID() {
			since = old.Since
		}
		i.remove(key)
	}
	e := &entry{Candidate: Candidate{Policy: p, Since: since}, terms: termsOf(p)}
	if i.policies == nil {
		i.policies, i.postings, i.sizes = map[types.NamespacedName]*entry{}, map[term]map[*entry]bool{}, map[string]int{}
	}
	i.policies[key] = e
	i.sizes[key.Namespace]++
	for _, t := range e.terms {
		if i.postings[t] == nil {
			i.postings[t] = map[*entry]bool{}
		}
		i.postings[t][e] = true
	}
}

// Remove removes a policy, if the index has it.
func (i *Index) Remove(key types.NamespacedName) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.remove(key)
}

func (i *Index) remove(key types.NamespacedName) {
	e := i.policies[key]
	if e == nil {
		return
	}
	delete(i.policies, key)
	if i.sizes[key.Namespace]--; i.sizes[key.Namespace] == 0 {
		delete(i.sizes, key.Namespace)
	}
	for _, t := range e.terms {
		delete(i.postings[t], e)
		if len(i.postings[t]) == 0 {
			delete(i.postings, t)
		}
	}
}

// Get returns a policy, or nil. It must not be changed.
func (i *Index) Get(key types.NamespacedName) policyv1alpha1.Policy {
	i.mu.RLock()
	defer i.mu.RUnlock()
	if e := i.policies[key]; e != nil {
		return e.Policy
	}
	return nil
}

// Size returns how many policies a namespace has; "" is for the cluster-wide ones.
func (i *Index) Size(namespace string) int {
	i.mu.RLock()
	defer i.mu.RUnlock()
	return i.sizes[namespace]
}

// Candidates returns the policies with a selector that may select a template, each once
// and in no order: those of its namespace and the cluster-wide ones. They must not be
// changed.
func (i *Index) Candidates(o *unstructured.Unstructured) []Candidate {
	i.mu.RLock()
	defer i.mu.RUnlock()
	var (
		found []Candidate
		seen  = map[*entry]bool{}
	)
	for _, t := range templateTerms(o) {
		for e := range i.postings[t] {
			if !seen[e] {
				seen[e] = true
				found = append(found, e.Candidate)
			}
		}
	}
	return found
}

// DependentOn returns the keys of the policies that wait for an override policy, sorted.
// The override policy of a namespace has policies of that namespace.
func (i *Index) DependentOn(override types.NamespacedName) []types.NamespacedName {
	return i.keys(term{by: byOverride, policies: override.Namespace, key: override.Name})
}

// WithPriorityClass returns the keys of the policies that name a PriorityClass, sorted.
func (i *Index) WithPriorityClass(name string) []types.NamespacedName {
	return i.keys(term{by: byPriorityClass, key: name})
}

func (i *Index) keys(t term) []types.NamespacedName {
	i.mu.RLock()
	defer i.mu.RUnlock()
	var keys []types.NamespacedName
	for e := range i.postings[t] {
		keys = append(keys, Key(e.Policy))
	}
	slices.SortFunc(keys, func(a, b types.NamespacedName) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	return keys
}

// templateTerms returns the terms that the policies which may select a template are found
// by.
func templateTerms(o *unstructured.Unstructured) []term {
	scopes := []term{{}} // the namespaces of policies and of their selectors
	if ns := o.GetNamespace(); ns != "" {
		scopes = []term{{}, {namespace: ns}, {policies: ns}, {policies: ns, namespace: ns}}
	}
	labels := o.GetLabels()
	terms := make([]term, 0, len(scopes)*(2+2*len(labels)))
	for _, t := range scopes {
		t.apiVersion, t.kind = o.GetAPIVersion(), o.GetKind()
		terms = append(terms, t)
		t.by, t.key = byName, o.GetName()
		terms = append(terms, t)
		for k, v := range labels {
			t.by, t.key, t.value = byLabel, k, v
			terms = append(terms, t)
			t.by, t.value = byLabelKey, ""
			terms = append(terms, t)
		}
	}
	return terms
}

// termsOf returns the terms of a policy.
func termsOf(p policyv1alpha1.Policy) []term {
	spec := p.GetSpec()
	var terms []term
	for n := range spec.ResourceSelectors {
		terms = append(terms, selectorTerms(p.GetNamespace(), &spec.ResourceSelectors[n])...)
	}
	for _, name := range spec.DependentOverrides {
		terms = append(terms, term{by: byOverride, policies: p.GetNamespace(), key: name})
	}
	if spec.SchedulePriority != nil {
		terms = append(terms, term{by: byPriorityClass, key: spec.SchedulePriority.PriorityClassName})
	}
	return terms
}

func selectorTerms(policies string, s *policyv1alpha1.ResourceSelector) []term {
	t := term{policies: policies, apiVersion: s.APIVersion, kind: s.Kind, namespace: s.Namespace}
	if s.Name != "" {
		t.by, t.key = byName, s.Name
		return []term{t}
	}
	key, values, ok := selector.Required(s.LabelSelector)
	if !ok {
		return []term{t}
	}
	t.by, t.key = byLabelKey, key
	if len(values) == 0 {
		return []term{t}
	}
	terms := make([]term, len(values))
	for n, v := range values {
		t.by, t.value = byLabel, v
		terms[n] = t
	}
	return terms
}
