// SPDX-License-Identifier: Apache-2.0

package member

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestKeeps(t *testing.T) {
	namespaced := map[schema.GroupKind]bool{{Group: "apps", Kind: "ReplicaSet"}: true}
	owner := func(apiVersion, kind string) []metav1.OwnerReference {
		return []metav1.OwnerReference{{APIVersion: apiVersion, Kind: kind, Name: "owner"}}
	}
	for _, tc := range []struct {
		reason, resource string
		object           metav1.ObjectMeta
		want             bool
	}{
		{"a user's", "configmaps", metav1.ObjectMeta{Name: "settings"}, true},
		{"another resource of a name that Kubernetes uses", "secrets", metav1.ObjectMeta{Name: "default"}, true},
		{"in every namespace", "configmaps", metav1.ObjectMeta{Name: "kube-root-ca.crt"}, false},
		{"in every namespace", "serviceaccounts", metav1.ObjectMeta{Name: "default"}, false},
		{"it is being deleted", "configmaps", metav1.ObjectMeta{Name: "settings", DeletionTimestamp: &metav1.Time{}}, false},
		{"its owner is in the namespace too", "pods", metav1.ObjectMeta{Name: "a", OwnerReferences: owner("apps/v1", "ReplicaSet")}, false},
		{"its owner is in no namespace", "pods", metav1.ObjectMeta{Name: "a", OwnerReferences: owner("v1", "Node")}, true},
		{"a claim that outlives its StatefulSet", "persistentvolumeclaims", metav1.ObjectMeta{Name: "data-db-0"}, true},
	} {
		if got := keeps(tc.resource, &metav1.PartialObjectMetadata{ObjectMeta: tc.object}, namespaced); got != tc.want {
			t.Errorf("keeps(%s %s) = %t, want %t: %s", tc.resource, tc.object.Name, got, tc.want, tc.reason)
		}
	}
}

// TestContentResources lists the same by chance in another order, as discovery does.
func TestContentResources(t *testing.T) {
	all := metav1.Verbs{"get", "list", "delete"}
	core := &metav1.APIResourceList{GroupVersion: "v1", APIResources: []metav1.APIResource{
		{Name: "secrets", Kind: "Secret", Verbs: all},
		{Name: "configmaps", Kind: "ConfigMap", Verbs: all},
		{Name: "events", Kind: "Event", Verbs: all},
		{Name: "bindings", Kind: "Binding", Verbs: metav1.Verbs{"create"}},
	}}
	apps := &metav1.APIResourceList{GroupVersion: "apps/v1", APIResources: []metav1.APIResource{{Name: "deployments", Kind: "Deployment", Verbs: all}}}
	want := []schema.GroupVersionResource{{Version: "v1", Resource: "configmaps"}, {Version: "v1", Resource: "secrets"}, {Group: "apps", Version: "v1", Resource: "deployments"}}
	for _, lists := range [][]*metav1.APIResourceList{{core, apps}, {apps, core}} {
		got, err := contentResources(lists)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("error %v, difference of what is listed:\n%s", err, diff)
		}
		slices.Reverse(core.APIResources)
	}
	if _, err := contentResources([]*metav1.APIResourceList{{GroupVersion: "a/b/c"}}); err == nil {
		t.Error("a version that cannot be read: got no error")
	}
}
