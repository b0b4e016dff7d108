// SPDX-License-Identifier: Apache-2.0

package skip

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

func kindOf(t *testing.T, text string) schema.GroupVersionKind {
	t.Helper()
	at := strings.LastIndex(text, "/")
	return schema.FromAPIVersionAndKind(text[:at], text[at+1:])
}

func TestKind(t *testing.T) {
	configured, err := New("networking.k8s.io; batch/v1beta1 ;apps/v1/ReplicaSet,daemonset;v1/secret", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		rules *Rules
		kind  string
		want  bool
	}{
		{nil, "work.karmada.io/v1alpha2/ResourceBinding", true},
		{nil, "policy.karmada.io/v1alpha1/PropagationPolicy", true},
		{nil, "apps.karmada.io/v1alpha1/WorkloadRebalancer", true},
		{nil, "search.karmada.io/v1alpha1/ResourceRegistry", true},
		{nil, "karmada.io.example.com/v1/Thing", false},
		{nil, "example.karmada.io/v1/Thing", false},
		{nil, "things.work.karmada.io/v1/Thing", false},
		{nil, "interpreter.dragoman.io/v1alpha1/Thing", true},
		{nil, "other.dragoman.io/v1/Thing", false},
		{nil, "v1/Event", true},
		{nil, "events.k8s.io/v1/Event", true},
		{nil, "example.com/v1/Event", false},
		{nil, "coordination.k8s.io/v1/Lease", true},
		{nil, "apps/v1/Deployment", false},
		{nil, "v1/Secret", false},
		{configured, "work.karmada.io/v1alpha1/Work", true},
		{configured, "networking.k8s.io/v1/Ingress", true},
		{configured, "batch/v1beta1/CronJob", true},
		{configured, "batch/v1/CronJob", false},
		{configured, "apps/v1/ReplicaSet", true},
		{configured, "apps/v1/DaemonSet", true},
		{configured, "apps/v1/Deployment", false},
		{configured, "v1/Secret", true},
		{configured, "v1/ConfigMap", false},
	} {
		if got := tc.rules.Kind(kindOf(t, tc.kind)); got != tc.want {
			t.Errorf("Kind(%s) = %t, want %t", tc.kind, got, tc.want)
		}
	}
}

func TestObject(t *testing.T) {
	configured, err := New("", []string{"team", "dev-.*"})
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		rules                 *Rules
		kind, namespace, name string
		want                  bool
	}{
		{nil, "v1/ConfigMap", "kube-system", "a", true},
		{nil, "v1/ConfigMap", "karmada-es-member1", "a", true},
		{nil, "v1/ConfigMap", "default", "a", false},
		{nil, "v1/Namespace", "", "kube-system", true},
		{nil, "v1/Namespace", "", "karmada-es-member1", true},
		{nil, "v1/Namespace", "", "team", false},
		{nil, "rbac.authorization.k8s.io/v1/ClusterRole", "", "kube-system", false},
		{configured, "v1/ConfigMap", "kube-system", "a", false},
		{configured, "v1/ConfigMap", "kube-system", "extension-apiserver-authentication", true},
		{configured, "apps/v1/Deployment", "team", "a", true},
		{configured, "apps/v1/Deployment", "teams", "a", false},
		{configured, "apps/v1/Deployment", "dev-1", "a", true},
		{configured, "apps/v1/Deployment", "karmada-system", "a", true},
		{configured, "work.karmada.io/v1alpha1/Work", "default", "a", true},
	} {
		if got := tc.rules.Object(kindOf(t, tc.kind), tc.namespace, tc.name); got != tc.want {
			t.Errorf("Object(%s, %q, %q) = %t, want %t", tc.kind, tc.namespace, tc.name, got, tc.want)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	for _, tc := range []struct {
		apis       string
		namespaces []string
		want       string
	}{
		{"a/b/c/d", nil, `API "a/b/c/d" has 4 parts`},
		{"apps//Deployment", nil, `API "apps//Deployment": a part is empty`},
		{"", []string{"("}, `namespace pattern "("`},
	} {
		if _, err := New(tc.apis, tc.namespaces); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("New(%q, %q) = %v, want an error with %q", tc.apis, tc.namespaces, err, tc.want)
		}
	}
}
