// SPDX-License-Identifier: Apache-2.0

package base

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/reference"
	"github.com/dragoman-io/dragoman/controllers/internal/eventbudget"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
	"github.com/dragoman-io/dragoman/controllers/internal/requeue"
)

// Success is an event that says that something went as it should.
type Success struct {
	// Reason is a published word such as SyncWorkSucceed, Action what was done.
	Reason, Action string
	// Note is a format for Args.
	Note string
	Args []any
}

// Succeeded records an event of success about an object, if there is room for it: it is dropped
// where there are many, and nothing waits for it. What ends a failure, or moves something, is recorded
// by Events instead.
func (d Deps) Succeeded(about client.Object, s Success) {
	d.succeeded(about, s, d.isBacklog(about))
}

// SucceededBinding is Succeeded about a binding, and about its template.
func (d Deps) SucceededBinding(b workv1alpha2.Binding, s Success) {
	d.Succeeded(b, s)
	d.SucceededTemplate(b, s)
}

// SucceededTemplate is Succeeded about the template of a binding. One that refers to an object of
// another namespace is not that of its template.
func (d Deps) SucceededTemplate(b workv1alpha2.Binding, s Success) {
	if b.GetSpec().Resource.Namespace == b.GetNamespace() {
		d.succeeded(reference.Template(b), s, d.isBacklog(b))
	}
}

func (d Deps) succeeded(about client.Object, s Success, backlog bool) {
	kind := about.GetObjectKind().GroupVersionKind().Kind
	e := eventbudget.Event{Namespace: tenantOf(about), Reason: s.Reason, Object: eventbudget.Object{UID: about.GetUID()}}
	if e.Object.UID == "" {
		e.Object.Kind, e.Object.NamespacedName = kind, client.ObjectKeyFromObject(about)
	}
	if d.Successes.Admit(e, backlog) == eventbudget.Written {
		d.Events.Eventf(about, nil, corev1.EventTypeNormal, s.Reason, s.Action, "%s", Clip(fmt.Sprintf(s.Note, s.Args...), MaxNote))
	}
}

// tenantOf returns the namespace of an object, and for a Work that of its binding.
func tenantOf(o client.Object) string {
	if binding, ok := index.BindingOf(o); ok {
		return binding.Namespace
	}
	return o.GetNamespace()
}

// isBacklog reports whether an object was last looked at as backlog.
func (d Deps) isBacklog(o client.Object) bool {
	switch o := o.(type) {
	case *workv1alpha1.Work:
		return d.Trail.IsBacklog(requeue.AboutWork(client.ObjectKeyFromObject(o)))
	case workv1alpha2.Binding:
		return d.Trail.IsBacklog(requeue.AboutBinding(client.ObjectKeyFromObject(o)))
	}
	return false
}
