// SPDX-License-Identifier: Apache-2.0

package scope_test

import (
	"testing"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/scope"
)

type (
	spaced = *workv1alpha2.ResourceBinding
	wide   = *workv1alpha2.ClusterResourceBinding
)

func TestName(t *testing.T) {
	for _, tc := range []struct{ got, want string }{
		{scope.BindingController[spaced]("work"), "work"},
		{scope.BindingController[wide]("work"), "clusterwork"},
		{scope.BindingController[spaced]("status.binding"), "status.binding"},
		{scope.BindingController[wide]("status.binding"), "status.clusterbinding"},
	} {
		if tc.got != tc.want {
			t.Errorf("Name = %q, want %q", tc.got, tc.want)
		}
	}
}

func TestBindings(t *testing.T) {
	if scope.IsWideBinding[spaced]() || !scope.IsWideBinding[wide]() {
		t.Errorf("Wide returns %t of a ResourceBinding and %t of a ClusterResourceBinding", scope.IsWideBinding[spaced](), scope.IsWideBinding[wide]())
	}
	b, other, c := scope.NewBinding[spaced](), scope.NewBinding[spaced](), scope.NewBinding[wide]()
	if b == other {
		t.Error("New returns the same binding twice")
	}
	b.Namespace = "space"
	for _, tc := range []struct{ what, got, want string }{
		{"id label", scope.BindingIDLabel(b), workv1alpha2.ResourceBindingPermanentIDLabel},
		{"id label", scope.BindingIDLabel(c), workv1alpha2.ClusterResourceBindingPermanentIDLabel},
		{"finalizer", scope.BindingFinalizer(b), "karmada.io/binding-controller"},
		{"finalizer", scope.BindingFinalizer(c), "karmada.io/cluster-resource-binding-controller"},
		{"producer", scope.EvictionProducer(b), "resource-binding-application-failover-controller"},
		{"producer", scope.EvictionProducer(c), "cluster-resource-binding-application-failover-controller"},
	} {
		if tc.got != tc.want {
			t.Errorf("the %s is %q, want %q", tc.what, tc.got, tc.want)
		}
	}
}
