// SPDX-License-Identifier: Apache-2.0

package plane

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/pflag"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/transport"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/dragoman-io/dragoman/api"
	"github.com/dragoman-io/dragoman/cmd/internal/verbs/verb"
	"github.com/dragoman-io/dragoman/controllers/decide/explain"
	"github.com/dragoman-io/dragoman/controllers/gather"
)

// requestTimeout is how long all requests of a verb may take, but for what it waits for.
const requestTimeout = 30 * time.Second

// controlPlane reads a control plane.
type controlPlane struct {
	client    client.Client
	mapper    meta.RESTMapper
	namespace string
}

// addKubeconfigFlag adds the flag that names a control plane.
func addKubeconfigFlag(f *pflag.FlagSet, into *string) {
	f.StringVar(into, "kubeconfig", "", "kubeconfig of the control plane; empty means $KUBECONFIG or ~/.kube/config")
}

// openPlane returns the control plane of a kubeconfig; empty values mean the defaults of
// kubectl.
func openPlane(kubeconfig, namespace string) (*controlPlane, error) {
	return openPlaneBy(kubeconfig, namespace, nil)
}

// openReadOnlyPlane is openPlane for what must write nothing: its requests that are not to
// read fail.
func openReadOnlyPlane(kubeconfig, namespace string) (*controlPlane, error) {
	return openPlaneBy(kubeconfig, namespace, func(next http.RoundTripper) http.RoundTripper { return readOnlyTransport{next} })
}

// readOnlyTransport passes on requests that only read.
type readOnlyTransport struct{ next http.RoundTripper }

// RoundTrip returns an error for a request that may write.
func (r readOnlyTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Method != http.MethodGet {
		return nil, fmt.Errorf("%s %s is refused: this command only reads", request.Method, request.URL.Path)
	}
	return r.next.RoundTrip(request)
}

// openPlaneBy is openPlane with a wrapper of its connection, nil for none.
func openPlaneBy(kubeconfig, namespace string, wrap transport.WrapperFunc) (*controlPlane, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = kubeconfig
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{})
	config, err := loader.ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("read kubeconfig: %w", err)
	}
	config.Timeout = requestTimeout
	config.QPS, config.Burst = 50, 100 // of client-go it is 5, which a verb over many objects waits for
	if wrap != nil {
		config.Wrap(wrap)
	}
	if namespace == "" {
		if namespace, _, err = loader.Namespace(); err != nil {
			return nil, fmt.Errorf("read kubeconfig: %w", err)
		}
	}
	d, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("read kubeconfig: %w", err)
	}
	cached := memory.NewMemCacheClient(d)
	mapper := restmapper.NewShortcutExpander(restmapper.NewDeferredDiscoveryRESTMapper(cached), cached, nil)
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{api.AddToScheme, corev1.AddToScheme, eventsv1.AddToScheme, apiextensionsv1.AddToScheme} {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	c, err := client.New(config, client.Options{Scheme: scheme, Mapper: mapper})
	if err != nil {
		return nil, fmt.Errorf("open control plane: %w", err)
	}
	return &controlPlane{client: c, mapper: mapper, namespace: namespace}, nil
}

// readInput reads the object and all that explains it; of one that is gone, what it left. It is an error
// if that is nothing.
func (p *controlPlane) readInput(ctx context.Context, kind, name string) (explain.Input, error) {
	object, err := p.readObject(ctx, kind, name)
	if apierrors.IsNotFound(err) {
		in, failed := gather.Remains(ctx, p.client, object)
		if failed == nil && !in.HasRemains() {
			failed = err
		}
		return in, failed
	}
	if err != nil {
		return explain.Input{}, err
	}
	return gather.Input(ctx, p.client, object)
}

// readObject reads an object of a kind as kubectl takes it. With the error NotFound it returns the
// object with its kind, namespace and name alone.
func (p *controlPlane) readObject(ctx context.Context, kind, name string) (*unstructured.Unstructured, error) {
	mapping, err := p.mappingOf(kind)
	if err != nil {
		return nil, fmt.Errorf("find kind %q: %w", kind, err)
	}
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(mapping.GroupVersionKind)
	key := client.ObjectKey{Name: name}
	if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
		key.Namespace = p.namespace
	}
	if err := p.client.Get(ctx, key, object); err != nil {
		object.SetNamespace(key.Namespace)
		object.SetName(key.Name)
		return object, fmt.Errorf("read %s %s: %w", mapping.GroupVersionKind.Kind, strings.TrimPrefix(key.String(), "/"), err)
	}
	return object, nil
}

// mappingOf returns the kind that a text means, as kubectl reads it, in the version that it names. That is the
// preferred one where it names none.
func (p *controlPlane) mappingOf(text string) (*meta.RESTMapping, error) {
	full, resource := schema.ParseResourceArg(strings.ToLower(text))
	if full != nil {
		if kind, err := p.mapper.KindFor(*full); err == nil && kind.Group == full.Group {
			// A short name is expanded to the resource, and the version is lost.
			if found, err := p.mapper.RESTMapping(kind.GroupKind(), full.Version); err == nil {
				return found, nil
			}
		}
	}
	kind, err := p.mapper.KindFor(resource.WithVersion(""))
	if err == nil {
		return p.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	}
	if !meta.IsNoMatchError(err) {
		return nil, err
	}
	exact, group := schema.ParseKindArg(text)
	if exact != nil {
		if found, err := p.mapper.RESTMapping(exact.GroupKind(), exact.Version); err == nil {
			return found, nil
		}
	}
	return p.mapper.RESTMapping(group)
}

// ReadLive reads the object of a control plane or of a cluster that record asks about. Nothing is written.
func ReadLive(ctx context.Context, object verb.LiveObject) (*unstructured.Unstructured, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	p, err := openReadOnlyPlane(object.Kubeconfig, object.Namespace)
	if err != nil {
		return nil, err
	}
	return p.readObject(ctx, object.Kind, object.Name)
}
