// SPDX-License-Identifier: Apache-2.0

package bindings_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/internal/bindings"
)

type (
	spaced = *workv1alpha2.ResourceBinding
	wide   = *workv1alpha2.ClusterResourceBinding
)

func TestName(t *testing.T) {
	for _, tc := range []struct{ got, want string }{
		{bindings.Name[spaced]("work"), "work"},
		{bindings.Name[wide]("work"), "clusterwork"},
		{bindings.Name[spaced]("status.binding"), "status.binding"},
		{bindings.Name[wide]("status.binding"), "status.clusterbinding"},
	} {
		if tc.got != tc.want {
			t.Errorf("Name = %q, want %q", tc.got, tc.want)
		}
	}
}

func TestKinds(t *testing.T) {
	if bindings.Wide[spaced]() || !bindings.Wide[wide]() {
		t.Errorf("Wide returns %t of a ResourceBinding and %t of a ClusterResourceBinding", bindings.Wide[spaced](), bindings.Wide[wide]())
	}
	b, other, c := bindings.New[spaced](), bindings.New[spaced](), bindings.New[wide]()
	if b == other {
		t.Error("New returns the same binding twice")
	}
	b.Namespace = "space"
	for _, tc := range []struct{ what, got, want string }{
		{"id label", bindings.PermanentIDLabel(b), workv1alpha2.ResourceBindingPermanentIDLabel},
		{"id label", bindings.PermanentIDLabel(c), workv1alpha2.ClusterResourceBindingPermanentIDLabel},
		{"finalizer", bindings.Finalizer(b), "karmada.io/binding-controller"},
		{"finalizer", bindings.Finalizer(c), "karmada.io/cluster-resource-binding-controller"},
		{"producer", bindings.EvictionProducer(b), "resource-binding-application-failover-controller"},
		{"producer", bindings.EvictionProducer(c), "cluster-resource-binding-application-failover-controller"},
	} {
		if tc.got != tc.want {
			t.Errorf("the %s is %q, want %q", tc.what, tc.got, tc.want)
		}
	}
}

func TestRequests(t *testing.T) {
	keys := []types.NamespacedName{{Namespace: "space", Name: "a"}, {Name: "b"}}
	if diff := cmp.Diff([]reconcile.Request{{NamespacedName: keys[0]}}, bindings.Requests[spaced](keys...)); diff != "" {
		t.Errorf("a ResourceBinding has a namespace (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]reconcile.Request{{NamespacedName: keys[1]}}, bindings.Requests[wide](keys...)); diff != "" {
		t.Errorf("a ClusterResourceBinding has none (-want +got):\n%s", diff)
	}
}
