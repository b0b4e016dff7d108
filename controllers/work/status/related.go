// SPDX-License-Identifier: Apache-2.0

package status

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/dragoman-io/dragoman/api/names"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/internal/reflection"
	"github.com/dragoman-io/dragoman/controllers/internal/related"
	"github.com/dragoman-io/dragoman/engine"
)

// relatedRest is how long changes of related objects are collected: however many there are of
// a workload, it is reconciled for them once in this time. A change of the workload itself
// does not wait, and has them reported too.
const relatedRest = time.Second

// listenRelated enqueues Works whose related objects changed.
func (c *Controller) listenRelated(queue workqueue.TypedRateLimitingInterface[reconcile.Request]) {
	c.Related.Listen(func(work types.NamespacedName) {
		queue.AddAfter(reconcile.Request{NamespacedName: work}, relatedRest)
	})
}

// watchRelated has the objects watched in the member that the scripts of the Work's kinds want
// to see, while their state is wanted.
func (r *reader) watchRelated() {
	var wants []related.Want
	for i := range r.work.Spec.Workload.Manifests {
		if !reflection.WantsState(r.work) {
			break
		}
		manifest := &unstructured.Unstructured{}
		if err := manifest.UnmarshalJSON(r.work.Spec.Workload.Manifests[i].Raw); err != nil {
			continue // execution reports it
		}
		kind := manifest.GroupVersionKind()
		wants = append(wants, related.Want{
			Object: related.Workload{GroupKind: kind.GroupKind(), NamespacedName: client.ObjectKeyFromObject(manifest)}, Declared: r.rules.Related(kind, engine.InterpretState),
		})
	}
	r.Related.Set(r.member, client.ObjectKeyFromObject(r.work), wants)
}

// dropRelated ends the watches of a Work that is gone.
func (c *Controller) dropRelated(_ context.Context, e event.DeleteEvent, _ workqueue.TypedRateLimitingInterface[reconcile.Request]) {
	if cluster, ok := names.Cluster(e.Object.GetNamespace()); ok {
		c.Related.Drop(cluster, client.ObjectKeyFromObject(e.Object))
	}
}

// wantsOther reports whether failover wants something else reported of a Work than before.
func wantsOther(e event.UpdateEvent) bool {
	return e.ObjectOld.GetAnnotations()[workv1alpha2.FailoverAnnotation] != e.ObjectNew.GetAnnotations()[workv1alpha2.FailoverAnnotation]
}
