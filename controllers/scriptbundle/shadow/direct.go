// SPDX-License-Identifier: Apache-2.0

package shadow

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/api/names"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/gather"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
	"github.com/dragoman-io/dragoman/controllers/internal/member"
)

// page is how many objects one request lists.
const page = 500

// Direct reads the workloads of a control plane by requests alone, and those of its members with the
// credentials that it has of them.
type Direct struct {
	hub      client.Reader
	registry *member.Registry
	bindings []workv1alpha2.Binding
	works    map[types.NamespacedName][]*workv1alpha1.Work
	clusters map[string]*clusterv1alpha1.Cluster
	observed map[place]observed
}

// observed are the objects of a place, or why they cannot be read.
type observed struct {
	all map[types.NamespacedName]*unstructured.Unstructured
	err error
}

// place is a kind in a cluster.
type place struct {
	cluster string
	kind    schema.GroupVersionKind
}

// NewDirect reads what binds the workloads of a control plane to clusters. Close ends its connections
// to members.
func NewDirect(ctx context.Context, hub client.Reader) (*Direct, error) {
	snapshot, err := gather.ReadSnapshot(ctx, hub)
	if err != nil {
		return nil, err
	}
	d := &Direct{
		hub: hub, registry: member.NewRegistry(hub), bindings: snapshot.Bindings, works: map[types.NamespacedName][]*workv1alpha1.Work{},
		clusters: map[string]*clusterv1alpha1.Cluster{}, observed: map[place]observed{},
	}
	for _, c := range snapshot.Clusters {
		d.clusters[c.Name] = c
	}
	for next := ""; ; {
		var list workv1alpha1.WorkList
		if err := hub.List(ctx, &list, client.Limit(page), client.Continue(next)); err != nil {
			return nil, fmt.Errorf("list Works: %w", err)
		}
		for i := range list.Items {
			if key, ok := index.BindingOf(&list.Items[i]); ok {
				d.works[key] = append(d.works[key], &list.Items[i])
			}
		}
		if next = list.Continue; next == "" {
			return d, nil
		}
	}
}

// Close ends the connections to members.
func (d *Direct) Close() { d.registry.Close() }

// Workloads are the Workloads of the control plane.
func (d *Direct) Workloads(ctx context.Context, kind schema.GroupVersionKind, f func(Workload) error) error {
	var templates map[types.NamespacedName]*unstructured.Unstructured
	for _, b := range d.bindings {
		ref := b.GetSpec().Resource
		if schema.FromAPIVersionAndKind(ref.APIVersion, ref.Kind) != kind {
			continue
		}
		if templates == nil {
			var err error
			if templates, err = list(ctx, d.hub, kind); err != nil {
				return err
			}
		}
		template := templates[types.NamespacedName{Namespace: ref.Namespace, Name: ref.Name}]
		if template == nil {
			continue // deleted since
		}
		w := Workload{Template: template, Binding: b}
		for _, work := range d.works[client.ObjectKeyFromObject(b)] {
			d.copies(ctx, work, &w)
		}
		if err := f(w); err != nil {
			return err
		}
	}
	return nil
}

// copies reads the copies that a Work is about.
func (d *Direct) copies(ctx context.Context, work *workv1alpha1.Work, into *Workload) {
	cluster, ok := names.Cluster(work.Namespace)
	if !ok {
		return
	}
	for _, raw := range work.Spec.Workload.Manifests {
		desired := &unstructured.Unstructured{}
		if err := desired.UnmarshalJSON(raw.Raw); err != nil || desired.GetKind() != into.Template.GetKind() {
			continue // what is no object is not applied
		}
		there := d.in(ctx, place{cluster, desired.GroupVersionKind()})
		if there.err != nil {
			into.unread(cluster, there.err.Error())
			return
		}
		if o := there.all[client.ObjectKeyFromObject(desired)]; o != nil {
			into.Copies = append(into.Copies, Copy{cluster, desired, o})
		}
	}
}

// in returns the objects of a place. They are read once.
func (d *Direct) in(ctx context.Context, p place) observed {
	if known, asked := d.observed[p]; asked {
		return known
	}
	var found observed
	cluster := d.clusters[p.cluster]
	if cluster == nil {
		found.err = errors.New("there is no such cluster")
	} else if m, err := d.registry.Connect(ctx, cluster); err != nil {
		found.err = err
	} else {
		managed := client.MatchingLabels{workv1alpha2.ManagedLabel: workv1alpha2.ManagedLabelValue}
		found.all, found.err = list(ctx, m.Client, p.kind, managed)
	}
	d.observed[p] = found
	return found
}

// list lists the objects of a kind by name; there are none where the kind is not served.
func list(ctx context.Context, c client.Reader, kind schema.GroupVersionKind, options ...client.ListOption) (map[types.NamespacedName]*unstructured.Unstructured, error) {
	all := map[types.NamespacedName]*unstructured.Unstructured{}
	for next := ""; ; {
		var found unstructured.UnstructuredList
		found.SetGroupVersionKind(kind.GroupVersion().WithKind(kind.Kind + "List"))
		err := c.List(ctx, &found, append(options, client.Limit(page), client.Continue(next))...)
		if meta.IsNoMatchError(err) || apierrors.IsNotFound(err) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		for i := range found.Items {
			all[client.ObjectKeyFromObject(&found.Items[i])] = &found.Items[i]
		}
		if next = found.GetContinue(); next == "" {
			return all, nil
		}
	}
}
