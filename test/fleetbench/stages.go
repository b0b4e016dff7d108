// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/dragoman-io/dragoman/api/names"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// stages are when edited templates reached their bindings and their Works. It is safe for
// many goroutines.
type stages struct {
	mu sync.Mutex
	// versions has the resource version of each edited template, by its name.
	versions map[string]string
	// bound and rendered are when a binding had that version, and when the Work of a
	// member had the round, as arrivals; the member of a binding is empty.
	bound, rendered *arrivals
	round           string
	stop            func()
}

// watchStages records the stages of templates that are edited to a round, until stop.
func (s *site) watchStages(ctx context.Context, round string) (*stages, error) {
	ctx, stop := context.WithCancel(ctx)
	t := &stages{
		round: round, stop: stop, versions: map[string]string{},
		bound: &arrivals{at: map[copyKey]mark{}}, rendered: &arrivals{at: map[copyKey]mark{}},
	}
	bindings, err := s.hub.Watch(ctx, &workv1alpha2.ResourceBindingList{}, client.InNamespace(namespace))
	if err != nil {
		return nil, fmt.Errorf("watch bindings: %w", err)
	}
	go observe(bindings, t.seeBinding)
	for _, m := range s.members() {
		works, err := s.hub.Watch(ctx, &workv1alpha1.WorkList{}, client.InNamespace(names.ExecutionSpace(m)))
		if err != nil {
			return nil, fmt.Errorf("watch works: %w", err)
		}
		go observe(works, func(w *workv1alpha1.Work) { t.seeWork(m, w) })
	}
	return t, nil
}

// observe calls see for each object of a watch until it ends.
func observe[O client.Object](events watch.Interface, see func(O)) {
	for e := range events.ResultChan() {
		if object, ok := e.Object.(O); ok {
			see(object)
		}
	}
}

// edited records the version that an edit made.
func (t *stages) edited(name, version string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.versions[name] = version
}

func (t *stages) seeBinding(b *workv1alpha2.ResourceBinding) {
	t.mu.Lock()
	defer t.mu.Unlock()
	name := b.Spec.Resource.Name
	if version := t.versions[name]; version != "" && b.Spec.Resource.ResourceVersion == version {
		t.bound.see(copyKey{"", name}, t.round)
	}
}

func (t *stages) seeWork(member string, w *workv1alpha1.Work) {
	for i := range w.Spec.Workload.Manifests {
		raw := w.Spec.Workload.Manifests[i].Raw
		if bytes.Contains(raw, fmt.Appendf(nil, "%q:%q", roundAnnotation, t.round)) {
			t.rendered.see(copyKey{member, w.Annotations[workv1alpha2.ResourceBindingNameAnnotation]}, t.round)
		}
	}
}

// print prints how long the stages took since the edits, and how long the way to the
// members.
func (t *stages) print(what string, copies *arrivals, members []string, since map[string]time.Time) {
	fmt.Printf("  %s, to its binding: %s\n", what, quantiles(t.bound.after(t.round, "", since)))
	byBinding := make(map[string]time.Time, len(since))
	for name, at := range since {
		byBinding[bindingOf(name).Name] = at
	}
	for _, m := range members {
		fmt.Printf("  %s, to its Work for %s: %s\n", what, m, quantiles(t.rendered.after(t.round, m, byBinding)))
		fmt.Printf("  %s, to %s: %s\n", what, m, quantiles(copies.after(t.round, m, since)))
	}
}
