// SPDX-License-Identifier: Apache-2.0

package namespace

import (
	"maps"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/types"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
)

// places holds the clusters of each namespace that have a Work of something in it. It is
// safe for many goroutines; the zero value is ready.
type places struct {
	mu sync.Mutex
	// works are the Works by namespace and cluster.
	works map[string]map[string]map[types.NamespacedName]bool
}

// add notes a Work, and reports whether it is the first of its namespace in its cluster.
func (p *places) add(w *workv1alpha1.Work) (namespace string, first bool) {
	namespace, ok := index.ContentOf(w)
	cluster := binding.ClusterOf(w)
	if !ok || cluster == "" {
		return "", false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.works == nil {
		p.works = map[string]map[string]map[types.NamespacedName]bool{}
	}
	clusters := p.works[namespace]
	if clusters == nil {
		clusters = map[string]map[types.NamespacedName]bool{}
		p.works[namespace] = clusters
	}
	if clusters[cluster] == nil {
		clusters[cluster], first = map[types.NamespacedName]bool{}, true
	}
	clusters[cluster][types.NamespacedName{Namespace: w.Namespace, Name: w.Name}] = true
	return namespace, first
}

// remove removes a Work, and reports whether it was the last of its namespace in its
// cluster.
func (p *places) remove(w *workv1alpha1.Work) (namespace string, last bool) {
	namespace, ok := index.ContentOf(w)
	cluster := binding.ClusterOf(w)
	if !ok || cluster == "" {
		return "", false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	works := p.works[namespace][cluster]
	delete(works, types.NamespacedName{Namespace: w.Namespace, Name: w.Name})
	if len(works) > 0 {
		return namespace, false
	}
	delete(p.works[namespace], cluster)
	if len(p.works[namespace]) == 0 {
		delete(p.works, namespace)
	}
	return namespace, true
}

// of returns the clusters of a namespace, sorted.
func (p *places) of(namespace string) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Sorted(maps.Keys(p.works[namespace]))
}
