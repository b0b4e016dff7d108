// SPDX-License-Identifier: Apache-2.0

// Package member connects the control plane to its member clusters. In go Cluster
// objects and their credentials; out come clients, and events for the objects that
// the control plane manages there. It decides nothing.
package member

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	coordinationv1 "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/client-go/transport"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/dragoman-io/dragoman/api/names"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/internal/resume"
)

// Member is the connection to one cluster. It is safe for many goroutines.
type Member struct {
	// Name is the name of the Cluster object.
	Name string
	// Client reads and writes the cluster's API server directly.
	Client client.Client
	// Discovery asks the API server what it serves.
	Discovery discovery.DiscoveryInterfaces
	// Metadata reads the metadata of objects of any kind.
	Metadata metadata.Interface
	// Leases reads and writes Leases, which GuardWrites does not concern.
	Leases coordinationv1.LeasesGetter

	// allow decides whether a request may write, see GuardWrites.
	allow atomic.Pointer[func() error]
	// admitted is whether Get of the registry returns it, whose lock guards it.
	admitted bool

	access  access
	config  *rest.Config
	watcher *http.Client // without a timeout, see resume.Transport
	breaker *breaker
	mapper  meta.RESTMapper
	objects cache.Cache
	run     func(cache.Cache)
	ctx     context.Context //nolint:containedctx // the life of the connection
	stop    context.CancelFunc
	notify  func(Event)
	// watching and watchingMetadata make watches of objects that are not managed.
	watching         dynamic.Interface
	watchingMetadata metadata.Interface
	// namespaces and kinds are what Works wait for.
	namespaces, kinds *awaited

	mu      sync.Mutex
	watched map[schema.GroupVersionKind]storeInformer
	// soon are the kinds whose watch begins in the background.
	soon map[schema.GroupVersionKind]bool
}

// storeInformer is an informer whose store can be read.
type storeInformer interface {
	cache.Informer
	GetStore() toolscache.Store
}

// Event is a change of a managed object in a member cluster.
type Event struct {
	// Work is the Work that the object was made from.
	Work types.NamespacedName
	// Cluster names the member.
	Cluster string
	// Old is nil for a new object, New is nil for a deleted one. Neither must be
	// changed.
	Old, New *unstructured.Unstructured
	// Initial is true for an object that was there when the watch began.
	Initial bool
}

// hooks are called by a connection; they must not block.
type hooks struct {
	// wrap wraps the transport of requests other than watches; nil does not.
	wrap transport.WrapperFunc
	// changed is called for each change of a managed object of a watched kind.
	changed func(Event)
	// recovered is called when the cluster answers again.
	recovered func(cluster string)
	// arrived is called when what a Work waits for may be there.
	arrived func(work types.NamespacedName)
}

// limits are those of the requests to one cluster: how long one may last, other than a
// watch, and how many there may be in a second.
type limits struct {
	timeout time.Duration
	qps     float32
	burst   int
}

// open connects; no request is made yet. The connection outlasts ctx, and ends when stop
// is called.
func open(ctx context.Context, name string, a access, l limits, h hooks) (*Member, error) {
	config, err := a.config(l)
	if err != nil {
		return nil, err
	}
	m := &Member{
		Name: name, access: a, config: config, notify: h.changed,
		watched: map[schema.GroupVersionKind]storeInformer{}, soon: map[schema.GroupVersionKind]bool{},
	}
	prober, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, err
	}
	m.ctx, m.stop = context.WithCancel(context.WithoutCancel(ctx))
	probe := func(ctx context.Context) error { return resume.Ready(ctx, prober, config.Host+"/readyz") }
	m.breaker = &breaker{Circuit: circuitOf(m.ctx, probe, func() { h.recovered(name) }), next: prober.Transport, timeout: l.timeout}
	m.watcher = &http.Client{Transport: resume.Transport{Circuit: m.breaker.Circuit, Next: prober.Transport}}
	var requests http.RoundTripper = m.breaker
	if h.wrap != nil {
		requests = h.wrap(m.breaker)
	}
	m.Leases, err = coordinationv1.NewForConfigAndClient(config, &http.Client{Transport: requests, Timeout: l.timeout})
	if err == nil {
		err = m.build(&http.Client{Transport: guard{m, requests}, Timeout: l.timeout}, h)
	}
	if err != nil {
		m.stop()
		return nil, err
	}
	return m, nil
}

// build makes the clients and the cache. Requests other than watches are made by asker.
func (m *Member) build(asker *http.Client, h hooks) (err error) {
	if m.mapper, err = apiutil.NewDynamicRESTMapper(m.config, asker); err != nil {
		return err
	}
	if m.Client, err = client.New(m.config, client.Options{HTTPClient: asker, Mapper: m.mapper}); err != nil {
		return err
	}
	if m.Discovery, err = discovery.NewDiscoveryClientForConfigAndClient(m.config, asker); err != nil {
		return err
	}
	if m.Metadata, err = metadata.NewForConfigAndClient(m.config, asker); err != nil {
		return err
	}
	if m.watching, err = dynamic.NewForConfigAndClient(m.config, m.watcher); err != nil {
		return err
	}
	if m.watchingMetadata, err = metadata.NewForConfigAndClient(m.config, m.watcher); err != nil {
		return err
	}
	m.namespaces = newAwaited(m.ctx, m.watchingMetadata, namespaces, h.arrived)
	m.kinds = newAwaited(m.ctx, m.watchingMetadata, definitions, h.arrived)
	ctx := m.ctx
	m.run = func(c cache.Cache) {
		go func() {
			_ = c.Start(ctx) // ends when all its watches have ended, but for their last bytes
			time.AfterFunc(time.Second, func() { utilnet.CloseIdleConnectionsFor(m.breaker.next) })
		}()
	}
	managed := labels.SelectorFromSet(labels.Set{workv1alpha2.ManagedLabel: workv1alpha2.ManagedLabelValue})
	m.objects, err = m.Watching(cache.Options{DefaultLabelSelector: managed, DefaultTransform: cache.TransformStripManagedFields()})
	return err
}

// Context returns the life of the connection.
func (m *Member) Context() context.Context { return m.ctx }

// Unavailable returns why the cluster gets no requests now, other than watches: one before
// got no answer. Nil means that it does.
func (m *Member) Unavailable() error { return m.breaker.Err() }

// AwaitAnswer returns when the cluster gets requests, see Unavailable. The error is that of ctx,
// or of the connection if that has ended.
func (m *Member) AwaitAnswer(ctx context.Context) error { return m.breaker.Wait(ctx) }

// Watching returns a cache that reads the cluster for as long as the connection lasts.
func (m *Member) Watching(options cache.Options) (cache.Cache, error) {
	options.HTTPClient, options.Mapper = m.watcher, m.mapper
	c, err := cache.New(m.config, options)
	if err != nil {
		return nil, err
	}
	m.run(c)
	return c, nil
}

// ErrNotSynced is the error of an object that has not been read, as long as not all of
// its kind have been; an event for it follows if it is there.
var ErrNotSynced = errors.New("the objects of this kind have not been read yet")

// Watch sends events for changes of the managed objects of a kind. It returns at once;
// the first call for a kind starts the watch.
//
// The error is a NoMatch error where the cluster does not serve the kind.
func (m *Member) Watch(ctx context.Context, kind schema.GroupVersionKind) error {
	m.mu.Lock()
	informer := m.watched[kind]
	m.mu.Unlock()
	if informer != nil {
		return nil
	}
	// This may be a request, so it is made before the lock.
	_, err := m.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if meta.IsNoMatchError(err) {
		return fmt.Errorf("cluster %s does not serve %s: %w", m.Name, kind, err)
	}
	if err != nil {
		return fmt.Errorf("ask cluster %s whether it serves %s: %w", m.Name, kind, err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.watched[kind] != nil {
		return nil
	}
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(kind)
	watching, err := m.objects.GetInformer(ctx, object, cache.BlockUntilSynced(false))
	if err != nil {
		return fmt.Errorf("watch %s in cluster %s: %w", kind, m.Name, err)
	}
	informer = watching.(storeInformer) // a cache of all namespaces has no other
	_, err = informer.AddEventHandler(toolscache.ResourceEventHandlerDetailedFuncs{
		AddFunc:    func(o any, initial bool) { m.send(Event{New: asObject(o), Initial: initial}) },
		UpdateFunc: func(o, n any) { m.send(Event{Old: asObject(o), New: asObject(n)}) },
		DeleteFunc: func(o any) { m.send(Event{Old: asObject(o)}) },
	})
	if err != nil {
		return fmt.Errorf("watch %s in cluster %s: %w", kind, m.Name, err)
	}
	m.watched[kind] = informer
	return nil
}

// WatchSoon is Watch in the background: it makes no request, and tries again until the
// cluster answers.
func (m *Member) WatchSoon(kind schema.GroupVersionKind) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.watched[kind] != nil || m.soon[kind] {
		return
	}
	m.soon[kind] = true
	go func() {
		for {
			err := m.Watch(m.ctx, kind)
			if err == nil || meta.IsNoMatchError(err) || m.ctx.Err() != nil {
				break
			}
			if m.Unavailable() != nil {
				_ = m.AwaitAnswer(m.ctx) // the condition of the loop is the same
				continue
			}
			select {
			case <-m.ctx.Done():
			case <-time.After(lastProbe):
			}
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		delete(m.soon, kind)
	}()
}

// Unwatch ends the watch of a kind, if there is one.
func (m *Member) Unwatch(ctx context.Context, kind schema.GroupVersionKind) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.watched[kind] == nil {
		return nil
	}
	delete(m.watched, kind)
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(kind)
	return m.objects.RemoveInformer(ctx, object)
}

// Watched reports whether a kind is watched.
func (m *Member) Watched(kind schema.GroupVersionKind) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.watched[kind] != nil
}

// Get reads a managed object from the watch; the object must not be changed. The error is
// a NotFound error for an object that is not there or is not managed, and ErrNotSynced as
// long as that is not known; Watch must have been called for the kind.
//
// An object that there was an event for is found even before all of its kind have been
// read.
func (m *Member) Get(kind schema.GroupVersionKind, key types.NamespacedName) (*unstructured.Unstructured, error) {
	m.mu.Lock()
	informer := m.watched[kind]
	m.mu.Unlock()
	if informer == nil {
		return nil, ErrNotSynced
	}
	synced := informer.HasSynced() // read before the store: an object that arrives later is found all the same
	found, exists, err := informer.GetStore().GetByKey(toolscache.NewObjectName(key.Namespace, key.Name).String())
	switch object, _ := found.(*unstructured.Unstructured); {
	case err != nil:
		return nil, err
	case exists && object != nil:
		return object, nil
	case !synced:
		return nil, ErrNotSynced
	}
	return nil, apierrors.NewNotFound(schema.GroupResource{Group: kind.Group, Resource: kind.Kind}, key.Name)
}

// send notifies of a change, if the object was made from a Work of this cluster; what
// another control plane, or another name of the same cluster, put there is not ours. An
// object that names no Work any more is that of the Work that it named before.
func (m *Member) send(e Event) {
	for _, object := range []*unstructured.Unstructured{e.New, e.Old} {
		if object == nil {
			continue
		}
		annotations := object.GetAnnotations()
		e.Work = types.NamespacedName{
			Namespace: annotations[workv1alpha2.WorkNamespaceAnnotation],
			Name:      annotations[workv1alpha2.WorkNameAnnotation],
		}
		if e.Work.Namespace == names.ExecutionSpace(m.Name) && e.Work.Name != "" {
			e.Cluster = m.Name
			m.notify(e)
			return
		}
	}
}

func asObject(o any) *unstructured.Unstructured {
	if gone, ok := o.(toolscache.DeletedFinalStateUnknown); ok {
		o = gone.Obj
	}
	object, _ := o.(*unstructured.Unstructured)
	return object
}
