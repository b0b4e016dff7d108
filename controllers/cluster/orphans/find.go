// SPDX-License-Identifier: Apache-2.0

package orphans

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/discovery"
	"sigs.k8s.io/controller-runtime/pkg/client"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/api/names"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/scope"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
	"github.com/dragoman-io/dragoman/controllers/internal/member"
)

// page is how many objects are read at once.
const page = 500

// Orphan is an object of a member that this control plane wrote for a Work that is gone.
type Orphan struct {
	Resource        schema.GroupVersionResource
	Kind            string
	Namespace, Name string // the namespace is empty where it has none
	UID             types.UID
	Created         metav1.Time
	// Work is the name of the Work that it was written for.
	Work   string
	Reason Reason
}

// String returns the kind and the name.
func (o Orphan) String() string {
	if o.Namespace == "" {
		return o.Kind + " " + o.Name
	}
	return o.Kind + " " + o.Namespace + "/" + o.Name
}

// Found is what was found in a cluster.
type Found struct {
	// Orphans are sorted by kind, namespace and name.
	Orphans []Orphan
	// Refused are the resources that may not be listed there, sorted.
	Refused []string
	// Foreign counts the objects that other control planes wrote for Works of this name of
	// the cluster, by the name of the control plane.
	Foreign map[string]int
}

// Finder finds the orphans of one cluster. It is made by Open.
type Finder struct {
	// Owner names the control plane.
	Owner string

	hub    client.Reader
	member *member.Member
	// works are the names of Works of the cluster; those that are not among them are looked
	// up. Nil is none.
	works sets.Set[string]
	seen  sets.Set[types.UID]
	close func()
}

// Open connects to a cluster with the credentials that the control plane has for it. An empty
// owner is the default of the control plane. The Finder must be closed.
func Open(ctx context.Context, hub client.Reader, cluster *clusterv1alpha1.Cluster, owner string) (*Finder, error) {
	owner, err := base.Owner(ctx, hub, owner)
	if err != nil {
		return nil, err
	}
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(workv1alpha1.GroupVersion.WithKind("WorkList"))
	if err := hub.List(ctx, list, client.InNamespace(names.ExecutionSpace(cluster.Name))); err != nil {
		return nil, fmt.Errorf("list the works of cluster %s: %w", cluster.Name, err)
	}
	f := &Finder{Owner: owner, hub: hub, works: sets.Set[string]{}}
	for i := range list.Items {
		f.works.Insert(list.Items[i].Name)
	}
	registry := member.NewRegistry(hub)
	f.close = registry.Close
	if f.member, err = registry.Connect(ctx, cluster); err != nil {
		return nil, err
	}
	return f, nil
}

// Close ends the connection to the cluster.
func (f *Finder) Close() { f.close() }

// Find looks through all that the cluster serves, but for its namespaces: what others put into
// one would go with it. It changes nothing.
func (f *Finder) Find(ctx context.Context) (Found, error) {
	found := Found{Foreign: map[string]int{}}
	f.seen = sets.Set[types.UID]{}
	lists, err := discovery.ServerPreferredResourcesWithContext(ctx, f.member.Discovery)
	if err != nil && len(lists) == 0 { // an aggregated API that is away has none of our objects
		return found, err
	}
	for _, list := range lists {
		version, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return found, err
		}
		for i := range list.APIResources {
			r := &list.APIResources[i]
			if list.GroupVersion == "v1" && r.Name == "namespaces" || !slices.Contains(r.Verbs, "list") || !slices.Contains(r.Verbs, "delete") {
				continue
			}
			if err := f.findOf(ctx, version.WithResource(r.Name), r.Kind, &found); err != nil {
				return found, err
			}
		}
	}
	slices.Sort(found.Refused)
	slices.SortFunc(found.Orphans, func(a, b Orphan) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name), cmp.Compare(a.UID, b.UID))
	})
	return found, nil
}

// findOf adds the orphans of one resource.
func (f *Finder) findOf(ctx context.Context, resource schema.GroupVersionResource, kind string, found *Found) error {
	managed := labels.SelectorFromSet(labels.Set{workv1alpha2.ManagedLabel: workv1alpha2.ManagedLabelValue}).String()
	for next := ""; ; {
		list, err := f.member.Metadata.Resource(resource).List(ctx, metav1.ListOptions{LabelSelector: managed, Limit: page, Continue: next})
		switch {
		case apierrors.IsForbidden(err):
			found.Refused = append(found.Refused, resource.GroupResource().String())
			return nil
		case apierrors.IsNotFound(err), apierrors.IsMethodNotSupported(err):
			return nil
		case err != nil:
			return fmt.Errorf("list %s: %w", resource.Resource, err)
		}
		for i := range list.Items {
			if err := f.add(ctx, resource, kind, &list.Items[i], found); err != nil {
				return err
			}
		}
		if next = list.Continue; next == "" {
			return nil
		}
	}
}

// add adds an object if it is an orphan. One that is served by two groups is added once.
func (f *Finder) add(ctx context.Context, resource schema.GroupVersionResource, kind string, o *metav1.PartialObjectMetadata, found *Found) error {
	if !isOf(o, f.member.Name) || f.seen.Has(o.UID) {
		return nil
	}
	f.seen.Insert(o.UID)
	if owner := o.GetAnnotations()[workv1alpha2.OwnerAnnotation]; owner != f.Owner {
		if owner != "" {
			found.Foreign[owner]++
		}
		return nil
	}
	work := workOf(o).Name
	if f.works.Has(work) {
		return nil
	}
	reason, err := f.reason(ctx, o)
	if err != nil || reason == "" {
		return err
	}
	found.Orphans = append(found.Orphans, Orphan{
		Resource: resource, Kind: kind, Namespace: o.Namespace, Name: o.Name, UID: o.UID, Created: o.CreationTimestamp, Work: work, Reason: reason,
	})
	return nil
}

// reason reads what decides about an object, and decides.
func (f *Finder) reason(ctx context.Context, o metav1.Object) (Reason, error) {
	err := f.hub.Get(ctx, workOf(o), &workv1alpha1.Work{})
	if client.IgnoreNotFound(err) != nil {
		return "", fmt.Errorf("read work %s: %w", workOf(o), err)
	}
	hasWork := err == nil
	var found workv1alpha2.Binding
	if key, ok := index.BindingOf(o); ok && !hasWork {
		b := scope.EmptyBinding(key.Namespace, key.Name)
		if err = f.hub.Get(ctx, key, b); client.IgnoreNotFound(err) != nil {
			return "", fmt.Errorf("read binding %s: %w", key, err)
		}
		if err == nil {
			found = b
		}
	}
	return decide(o, f.member.Name, f.Owner, hasWork, found), nil
}
