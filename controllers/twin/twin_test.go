// SPDX-License-Identifier: Apache-2.0

package twin_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/twin"
)

type (
	spaced = *workv1alpha2.ResourceBinding
	wide   = *workv1alpha2.ClusterResourceBinding
)

func TestName(t *testing.T) {
	for _, tc := range []struct{ got, want string }{
		{twin.Name[spaced]("work"), "work"},
		{twin.Name[wide]("work"), "clusterwork"},
		{twin.Name[spaced]("status.binding"), "status.binding"},
		{twin.Name[wide]("status.binding"), "status.clusterbinding"},
	} {
		if tc.got != tc.want {
			t.Errorf("Name = %q, want %q", tc.got, tc.want)
		}
	}
}

func TestKinds(t *testing.T) {
	if twin.Wide[spaced]() || !twin.Wide[wide]() {
		t.Errorf("Wide says %t of a ResourceBinding and %t of a ClusterResourceBinding", twin.Wide[spaced](), twin.Wide[wide]())
	}
	b, other, c := twin.New[spaced](), twin.New[spaced](), twin.New[wide]()
	if b == other {
		t.Error("New gives the same binding twice")
	}
	b.Namespace = "space"
	for _, tc := range []struct{ what, got, want string }{
		{"id label", twin.PermanentIDLabel(b), workv1alpha2.ResourceBindingPermanentIDLabel},
		{"id label", twin.PermanentIDLabel(c), workv1alpha2.ClusterResourceBindingPermanentIDLabel},
		{"finalizer", twin.Finalizer(b), "karmada.io/binding-controller"},
		{"finalizer", twin.Finalizer(c), "karmada.io/cluster-resource-binding-controller"},
		{"producer", twin.EvictionProducer(b), "resource-binding-application-failover-controller"},
		{"producer", twin.EvictionProducer(c), "cluster-resource-binding-application-failover-controller"},
	} {
		if tc.got != tc.want {
			t.Errorf("the %s is %q, want %q", tc.what, tc.got, tc.want)
		}
	}
}

func TestRequests(t *testing.T) {
	keys := []types.NamespacedName{{Namespace: "space", Name: "a"}, {Name: "b"}}
	if diff := cmp.Diff([]reconcile.Request{{NamespacedName: keys[0]}}, twin.Requests[spaced](keys...)); diff != "" {
		t.Errorf("a ResourceBinding has a namespace (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]reconcile.Request{{NamespacedName: keys[1]}}, twin.Requests[wide](keys...)); diff != "" {
		t.Errorf("a ClusterResourceBinding has none (-want +got):\n%s", diff)
	}
}
