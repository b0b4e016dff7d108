// SPDX-License-Identifier: Apache-2.0

package status

import (
	corev1 "k8s.io/api/core/v1"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"

	"github.com/dragoman-io/dragoman/controllers/decide/capacity/modeling"
)

// grades follow the nodes and pods of a member by their changes.
type grades struct {
	ledger      modeling.Ledger
	nodes, pods toolscache.ResourceEventHandlerRegistration
}

// follow begins to follow what the informers report. It ends with them.
func follow(nodes, pods cache.Informer) (*grades, error) {
	g := &grades{}
	var err error
	if g.nodes, err = nodes.AddEventHandler(eachChange(g.replaceNode)); err != nil {
		return nil, err
	}
	if g.pods, err = pods.AddEventHandler(eachChange(g.replacePod)); err != nil {
		return nil, err
	}
	return g, nil
}

// hasSynced reports whether all nodes and pods of the first list have arrived.
func (g *grades) hasSynced() bool { return g.nodes.HasSynced() && g.pods.HasSynced() }

// eachChange calls a function for each change of an object: before is nil for one that is new,
// after for one that is gone.
func eachChange[T any](replace func(before, after *T)) toolscache.ResourceEventHandler {
	return toolscache.ResourceEventHandlerFuncs{
		AddFunc:    func(o any) { replace(nil, typed[T](o)) },
		UpdateFunc: func(before, after any) { replace(typed[T](before), typed[T](after)) },
		DeleteFunc: func(o any) { replace(typed[T](o), nil) },
	}
}

// typed returns the object of an event, also if its end was missed; nil if it is another kind.
func typed[T any](o any) *T {
	if gone, ok := o.(toolscache.DeletedFinalStateUnknown); ok {
		o = gone.Obj
	}
	object, _ := o.(*T)
	return object
}

func (g *grades) replaceNode(before, after *corev1.Node) {
	switch {
	case after != nil:
		g.ledger.SetNode(after.Name, after.Status.Allocatable, takesPods(after))
	case before != nil:
		g.ledger.RemoveNode(before.Name)
	}
}

func (g *grades) replacePod(before, after *corev1.Pod) {
	g.ledger.ReplacePod(used(before), used(after))
}

// used returns what a pod takes of its node; nil if it is on none, or has ended.
func used(p *corev1.Pod) *modeling.Pod {
	if p == nil || p.Spec.NodeName == "" || hasEnded(p) {
		return nil
	}
	return &modeling.Pod{Node: p.Spec.NodeName, Requests: requestsOf(p)}
}
