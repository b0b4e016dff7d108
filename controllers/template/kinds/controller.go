// SPDX-License-Identifier: Apache-2.0

// Package kinds begins and ends the watches of templates when the control plane begins and
// ceases to serve their kinds.
//
// Reads CRDs, bindings, and whether the API server serves a kind. Deletes the bindings of
// templates that went with their CRD. Asks the engine nothing. Wakes up on CRDs and on APIServices, and does something only for the groups of
// kinds that somebody wants.
package kinds

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/dragoman-io/dragoman/controllers/internal/base"
)

// Controller reconciles the groups of APIs. A request has the name of a CRD, or of a group
// with a dot before it.
type Controller struct{ base.Deps }

// New returns the controller.
func New(d base.Deps) *Controller { return &Controller{d} }

// Name is the controller's name in logs and metrics.
func (c *Controller) Name() string { return "template.kinds" }

// queue is the queue of this controller.
type queue = workqueue.TypedRateLimitingInterface[reconcile.Request]

// apiService is the kind of the registered groups. An API server without it serves none
// but its own.
var apiService = schema.GroupVersionKind{Group: "apiregistration.k8s.io", Version: "v1", Kind: "APIService"}

// Register adds the controller to the manager.
func (c *Controller) Register(_ context.Context, mgr ctrl.Manager) error {
	b := ctrl.NewControllerManagedBy(mgr).Named(c.Name()).
		WatchesMetadata(&apiextensionsv1.CustomResourceDefinition{}, changes(func(o client.Object) string { return o.GetName() })).
		WatchesRawSource(source.Func(c.unserved)).
		WithOptions(c.Options(mgr, c.Name(), "group"))
	if _, err := mgr.GetRESTMapper().RESTMapping(apiService.GroupKind(), apiService.Version); err == nil {
		services := &metav1.PartialObjectMetadata{}
		services.SetGroupVersionKind(apiService)
		b = b.Watches(services, changes(func(o client.Object) string {
			_, group, _ := strings.Cut(o.GetName(), ".")
			return ofGroup(group).Name
		}), builder.OnlyMetadata)
	}
	return b.Complete(c)
}

// changes enqueues what changes, by a name, and not what is there at the start: a kind is
// watched from the start if it is served.
func changes(name func(client.Object) string) handler.EventHandler {
	add := func(o client.Object, q queue) {
		q.Add(reconcile.Request{NamespacedName: types.NamespacedName{Name: name(o)}})
	}
	return handler.Funcs{
		CreateFunc: func(_ context.Context, e event.CreateEvent, q queue) {
			if !e.IsInInitialList {
				add(e.Object, q)
			}
		},
		UpdateFunc: func(_ context.Context, e event.UpdateEvent, q queue) {
			if e.ObjectOld.GetResourceVersion() != e.ObjectNew.GetResourceVersion() {
				add(e.ObjectNew, q)
			}
		},
		DeleteFunc: func(_ context.Context, e event.DeleteEvent, q queue) {
			add(e.Object, q)
			_, group, _ := strings.Cut(name(e.Object), ".")
			q.AddAfter(ofGroup(group), lag)
		},
	}
}

// retry is after how long a kind that its CRD serves is looked for again: the API server
// serves it a little later than it says so.
const retry = 100 * time.Millisecond

// lag is how long an API server may take to serve a kind, or to cease to, after its CRD
// says so.
const lag = time.Second

// ofGroup returns the request of a group.
func ofGroup(group string) reconcile.Request {
	return reconcile.Request{NamespacedName: types.NamespacedName{Name: "." + group}}
}

// unserved enqueues the groups of kinds that were wanted before they were served.
func (c *Controller) unserved(_ context.Context, q queue) error {
	c.Templates.ListenUnserved(func(group string) { q.AddAfter(ofGroup(group), lag) })
	return nil
}

// Reconcile checks the kinds of one group.
func (c *Controller) Reconcile(ctx context.Context, r reconcile.Request) (reconcile.Result, error) {
	_, group, _ := strings.Cut(r.Name, ".")
	if !strings.HasPrefix(r.Name, ".") {
		if err := c.endIfGone(ctx, r.NamespacedName, group); err != nil {
			return reconcile.Result{}, err
		}
	}
	unserved, err := c.Templates.Check(ctx, group)
	if err != nil || len(unserved) == 0 || strings.HasPrefix(r.Name, ".") {
		return reconcile.Result{}, err
	}
	var crd apiextensionsv1.CustomResourceDefinition
	if err := c.Reader.Get(ctx, r.NamespacedName, &crd); client.IgnoreNotFound(err) != nil {
		return reconcile.Result{}, fmt.Errorf("read CRD %s: %w", r.Name, err)
	}
	if slices.ContainsFunc(unserved, func(kind schema.GroupVersionKind) bool { return serves(&crd, kind) }) {
		return reconcile.Result{RequeueAfter: retry}, nil
	}
	return reconcile.Result{}, nil
}

// serves reports whether the API server serves a kind by a CRD, or is about to.
func serves(crd *apiextensionsv1.CustomResourceDefinition, kind schema.GroupVersionKind) bool {
	established := slices.ContainsFunc(crd.Status.Conditions, func(c apiextensionsv1.CustomResourceDefinitionCondition) bool {
		return c.Type == apiextensionsv1.Established && c.Status == apiextensionsv1.ConditionTrue
	})
	return established && crd.DeletionTimestamp == nil && crd.Spec.Group == kind.Group && crd.Spec.Names.Kind == kind.Kind &&
		slices.ContainsFunc(crd.Spec.Versions, func(v apiextensionsv1.CustomResourceDefinitionVersion) bool {
			return v.Served && v.Name == kind.Version
		})
}
