// SPDX-License-Identifier: Apache-2.0

package source

import (
	"context"
	"net/http"
	"sync"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// configMaps watches the ConfigMaps that ScriptBundles name, each by itself: a control plane has
// many others. It is safe for many goroutines.
type configMaps struct {
	*waker
	config *rest.Config
	// options are those of each cache. Its kinds are mapped by the manager: a request of watches may wait.
	options cache.Options
	log     logr.Logger

	mu      sync.Mutex
	watched map[string]watched
}

// watched is the ConfigMap of one ScriptBundle.
type watched struct {
	key  types.NamespacedName
	stop context.CancelFunc
}

// newConfigMaps returns an empty set. Its watches are made by watcher; nil is a client of the
// configuration of the manager.
func newConfigMaps(w *waker, mgr ctrl.Manager, watcher *http.Client, log logr.Logger) *configMaps {
	options := cache.Options{HTTPClient: watcher, Scheme: mgr.GetScheme(), Mapper: mgr.GetRESTMapper()}
	return &configMaps{waker: w, config: mgr.GetConfig(), options: options, log: log, watched: map[string]watched{}}
}

// follow watches the ConfigMap of a ScriptBundle, in place of the one before. The log of ctx has
// what goes wrong: the bundle is read again all the same when it changes.
func (m *configMaps) follow(_ context.Context, bundle string, key types.NamespacedName) {
	m.mu.Lock()
	defer m.mu.Unlock()
	parent := m.context()
	if m.watched[bundle].key == key || parent == nil {
		return
	}
	m.end(bundle)
	ctx, stop := context.WithCancel(parent)
	if err := m.begin(ctx, bundle, key); err != nil {
		stop()
		m.log.Error(err, "could not watch the ConfigMap of a bundle", "scriptBundle", bundle, "configMap", key)
		return
	}
	m.watched[bundle] = watched{key, stop}
}

// begin watches until ctx ends.
func (m *configMaps) begin(ctx context.Context, bundle string, key types.NamespacedName) error {
	options := m.options
	options.ByObject = map[client.Object]cache.ByObject{
		&corev1.ConfigMap{}: {Namespaces: map[string]cache.Config{key.Namespace: {FieldSelector: fields.OneTermEqualSelector("metadata.name", key.Name)}}},
	}
	one, err := cache.New(m.config, options)
	if err != nil {
		return err
	}
	informer, err := one.GetInformer(ctx, &corev1.ConfigMap{}, cache.BlockUntilSynced(false))
	if err != nil {
		return err
	}
	wake := func() { m.wake(bundle) }
	_, err = informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
		AddFunc: func(any) { wake() }, UpdateFunc: func(_, _ any) { wake() }, DeleteFunc: func(any) { wake() },
	})
	if err != nil {
		return err
	}
	go func() {
		if err := one.Start(ctx); err != nil {
			m.log.Error(err, "could not watch the ConfigMap of a bundle", "scriptBundle", bundle, "configMap", key)
		}
	}()
	return nil
}

// drop ends the watch of a ScriptBundle; none is fine.
func (m *configMaps) drop(bundle string) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.end(bundle)
}

func (m *configMaps) end(bundle string) {
	if w, ok := m.watched[bundle]; ok {
		w.stop()
		delete(m.watched, bundle)
	}
}
