// SPDX-License-Identifier: Apache-2.0

package related

import (
	"context"
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	toolscache "k8s.io/client-go/tools/cache"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/dragoman-io/dragoman/controllers/internal/member"
	"github.com/dragoman-io/dragoman/engine"
)

const (
	// retry is how long a member that answers with an error is left alone before it is asked
	// again which kinds it serves.
	retry = 30 * time.Second
	// firstTry is how long after a CRD of the group has changed the member is asked again:
	// it serves a kind a moment after the last change. The time doubles with each further
	// try; after maxTries, half a minute, the next change is waited for.
	firstTry = 250 * time.Millisecond
	maxTries = 7
)

// watch is the watch of one declaration in one member.
type watch struct {
	declared engine.Related
	// uses is guarded by the Watches.
	uses int
	stop context.CancelFunc
	// changed is called with the workloads that an object referred to or refers to, known once
	// it is known which objects there are.
	changed func(refers []engine.WorkloadReference, namespace string)
	known   func()

	informer atomic.Pointer[informer]
	// missing is true while the cluster does not serve the kind, or forbids to read it: then
	// there are no related objects.
	missing atomic.Bool
}

// informer holds the informer of a kind that is served.
type informer struct{ toolscache.SharedIndexInformer }

// byWorkload is the index of objects by the namespace and name of their workload.
const byWorkload = "workload"

// object is what is kept of an object of a member, in the store of an informer.
type object struct {
	metav1.ObjectMeta
	engine.RelatedObject
}

// start begins a watch. It makes no request itself.
func start(m *member.Member, r engine.Related, changed func([]engine.WorkloadReference, string), known func()) *watch {
	ctx, stop := context.WithCancel(m.Context())
	w := &watch{declared: r, stop: stop, changed: changed, known: known}
	go w.begin(ctx, m)
	return w
}

// begin begins the informer as soon as the member serves the kind.
func (w *watch) begin(ctx context.Context, m *member.Member) {
	served := make(chan struct{}, 1)
	var once sync.Once
	tries := 0
	for ctx.Err() == nil {
		i, err := m.Informer(w.declared.Kind, w.declared.Refers.Label, toolscache.Indexers{byWorkload: keysOf})
		if err == nil {
			w.run(ctx, m.Name, i)
			return
		}
		if !meta.IsNoMatchError(err) {
			if m.Unavailable() == nil {
				wait(ctx, nil, retry)
			}
			_ = m.AwaitAnswer(ctx) // ends with ctx, as the loop does
			continue
		}
		once.Do(func() {
			w.set(true)
			context.AfterFunc(ctx, m.AwaitServed(w.declared.Kind.Group, func() {
				select {
				case served <- struct{}{}:
				default:
				}
			}))
		})
		if tries < maxTries {
			if wait(ctx, served, firstTry<<tries) {
				tries = 0
			}
			tries++
			continue
		}
		wait(ctx, served, 0)
		tries = 0
	}
}

// wait returns when a channel has a value, and true, or when some time has passed, of which 0
// is without end, or when ctx ends.
func wait(ctx context.Context, c <-chan struct{}, d time.Duration) bool {
	var after <-chan time.Time
	if d > 0 {
		after = time.After(d)
	}
	select {
	case <-c:
		return true
	case <-after:
	case <-ctx.Done():
	}
	return false
}

// run runs an informer until ctx ends.
func (w *watch) run(ctx context.Context, cluster string, i toolscache.SharedIndexInformer) {
	log := ctrl.LoggerFrom(ctx).WithValues("cluster", cluster, "kind", w.declared.Kind.String())
	// The three calls fail only for an informer that runs already.
	_ = i.SetTransform(w.transform)
	_ = i.SetWatchErrorHandlerWithContext(func(_ context.Context, _ *toolscache.Reflector, err error) {
		if apierrors.IsForbidden(err) || apierrors.IsNotFound(err) {
			log.V(1).Info("could not read related objects", "reason", err.Error())
			w.set(true)
		}
	})
	_, _ = i.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
		AddFunc:    func(o any) { w.send(nil, asObject(o)) },
		UpdateFunc: func(o, n any) { w.send(asObject(o), asObject(n)) },
		DeleteFunc: func(o any) { w.send(asObject(o), nil) },
	})
	w.informer.Store(&informer{i})
	go func() {
		select {
		case <-i.HasSyncedChecker().Done():
			w.missing.Store(false)
			w.known()
		case <-ctx.Done():
		}
	}()
	i.RunWithContext(ctx)
}

// set records whether the kind is missing, and notifies if that is new.
func (w *watch) set(missing bool) {
	if w.missing.Swap(missing) != missing {
		w.known()
	}
}

// transform replaces an object by what is kept of it.
func (w *watch) transform(o any) (any, error) {
	u, ok := o.(*unstructured.Unstructured)
	if !ok {
		return o, nil // it is one already
	}
	return &object{
		ObjectMeta:    metav1.ObjectMeta{Namespace: u.GetNamespace(), Name: u.GetName(), UID: u.GetUID(), ResourceVersion: u.GetResourceVersion()},
		RelatedObject: w.declared.Read(u),
	}, nil
}

// send notifies of a change that scripts can see.
func (w *watch) send(before, after *object) {
	if before != nil && after != nil && reflect.DeepEqual(before.RelatedObject, after.RelatedObject) {
		return
	}
	for _, o := range []*object{before, after} {
		if o != nil && len(o.Workloads) > 0 {
			w.changed(o.Workloads, o.ObjectMeta.Namespace)
		}
	}
}

// of returns the objects that may be related to a workload, and whether that is known.
func (w *watch) of(workload types.NamespacedName) ([]engine.RelatedObject, bool) {
	i := w.informer.Load()
	if i == nil || !i.HasSynced() {
		return nil, w.missing.Load()
	}
	found, err := i.GetIndexer().ByIndex(byWorkload, workload.String())
	if err != nil {
		return nil, false
	}
	objects := make([]engine.RelatedObject, 0, len(found))
	for _, o := range found {
		objects = append(objects, o.(*object).RelatedObject)
	}
	return objects, true
}

// keysOf returns the workloads of an object, for the index.
func keysOf(o any) ([]string, error) {
	kept, ok := o.(*object)
	if !ok {
		return nil, fmt.Errorf("index a related object: got a %T", o)
	}
	var keys []string
	for _, r := range kept.Workloads {
		keys = append(keys, types.NamespacedName{Namespace: kept.ObjectMeta.Namespace, Name: r.Name}.String())
	}
	return keys, nil
}

func asObject(o any) *object {
	if gone, ok := o.(toolscache.DeletedFinalStateUnknown); ok {
		o = gone.Obj
	}
	kept, _ := o.(*object)
	return kept
}
