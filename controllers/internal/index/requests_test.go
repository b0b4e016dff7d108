// SPDX-License-Identifier: Apache-2.0

package index_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
)

func TestBindingRequests(t *testing.T) {
	keys := []types.NamespacedName{{Namespace: "space", Name: "a"}, {Name: "b"}}
	if diff := cmp.Diff([]reconcile.Request{{NamespacedName: keys[0]}}, index.BindingRequests[*workv1alpha2.ResourceBinding](keys...)); diff != "" {
		t.Errorf("a ResourceBinding has a namespace (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]reconcile.Request{{NamespacedName: keys[1]}}, index.BindingRequests[*workv1alpha2.ClusterResourceBinding](keys...)); diff != "" {
		t.Errorf("a ClusterResourceBinding has none (-want +got):\n%s", diff)
	}
}
