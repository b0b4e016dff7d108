// SPDX-License-Identifier: Apache-2.0

package gather

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	interpreterv1alpha1 "github.com/dragoman-io/dragoman/api/interpreter/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// page is how many objects one request of ReadSnapshot lists.
const page = 500

// Snapshot is what a control plane has of clusters and bindings.
type Snapshot struct {
	Clusters      []*clusterv1alpha1.Cluster
	Bindings      []workv1alpha2.Binding
	TaintPolicies []*policyv1alpha1.ClusterTaintPolicy
	// Rules are all PlacementRules; a control plane without this kind has none.
	Rules []*interpreterv1alpha1.PlacementRule
}

// ReadSnapshot lists clusters, bindings of both kinds and taint policies, in pages. What
// changes between two requests may be seen in part.
func ReadSnapshot(ctx context.Context, c client.Reader) (*Snapshot, error) {
	return readSnapshot(ctx, c, page)
}

// readSnapshot is ReadSnapshot with that many objects in a page.
func readSnapshot(ctx context.Context, c client.Reader, page int64) (*Snapshot, error) {
	s := &Snapshot{}
	for _, list := range []client.ObjectList{
		&clusterv1alpha1.ClusterList{}, &policyv1alpha1.ClusterTaintPolicyList{},
		&workv1alpha2.ResourceBindingList{}, &workv1alpha2.ClusterResourceBindingList{},
	} {
		if err := inPages(ctx, c, list, page, s.add); err != nil {
			return nil, fmt.Errorf("list %T: %w", list, err)
		}
	}
	rules, err := placementRules(ctx, c)
	s.Rules = rules
	return s, err
}

// inPages calls do with each item of a list.
func inPages(ctx context.Context, c client.Reader, list client.ObjectList, page int64, do func(runtime.Object)) error {
	for next := ""; ; {
		into := list.DeepCopyObject().(client.ObjectList)
		if err := c.List(ctx, into, client.Limit(page), client.Continue(next)); err != nil {
			return err
		}
		if err := meta.EachListItem(into, func(o runtime.Object) error {
			do(o)
			return nil
		}); err != nil {
			return err
		}
		if next = into.GetContinue(); next == "" {
			return nil
		}
	}
}

// add adds an object of one of the kinds; others it leaves out.
func (s *Snapshot) add(o runtime.Object) {
	switch o := o.(type) {
	case *clusterv1alpha1.Cluster:
		s.Clusters = append(s.Clusters, o)
	case *policyv1alpha1.ClusterTaintPolicy:
		s.TaintPolicies = append(s.TaintPolicies, o)
	case *interpreterv1alpha1.PlacementRule:
		s.Rules = append(s.Rules, o)
	case workv1alpha2.Binding:
		s.Bindings = append(s.Bindings, o)
	}
}

// Add adds an object that was recorded, if it is of one of the kinds.
func (s *Snapshot) Add(object *unstructured.Unstructured) error {
	var into runtime.Object
	switch object.GroupVersionKind() {
	case clusterv1alpha1.GroupVersion.WithKind("Cluster"):
		into = &clusterv1alpha1.Cluster{}
	case policyv1alpha1.GroupVersion.WithKind("ClusterTaintPolicy"):
		into = &policyv1alpha1.ClusterTaintPolicy{}
	case interpreterv1alpha1.GroupVersion.WithKind("PlacementRule"):
		into = &interpreterv1alpha1.PlacementRule{}
	default:
		b, is, err := AsBinding(object)
		if is && err == nil {
			s.add(b)
		}
		return err
	}
	if err := convert(object, into); err != nil {
		return err
	}
	s.add(into)
	return nil
}
