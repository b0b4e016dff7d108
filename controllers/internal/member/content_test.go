// SPDX-License-Identifier: Apache-2.0

package member

import (
	"testing"

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
