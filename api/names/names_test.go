// SPDX-License-Identifier: Apache-2.0

package names

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation"
)

func TestWork(t *testing.T) {
	cases := map[string]struct {
		reason                string
		kind, namespace, name string
		want                  string
	}{
		"Namespaced": {
			reason: "must equal Karmada's name of the same object",
			kind:   "Deployment", namespace: "default", name: "nginx",
			want: "nginx-687f7fb96f",
		},
		"ClusterScoped": {
			reason: "an object without namespace has none in the hash",
			kind:   "Namespace", name: "prod",
			want: "prod-" + hash("prod-namespace"),
		},
		"Colon": {
			reason: "RBAC names may hold colons and capitals, names of Works may not",
			kind:   "ClusterRole", name: "system:Foo",
			want: "system.foo-" + hash("system.foo-clusterrole"),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := Work(tc.kind, tc.namespace, tc.name); got != tc.want {
				t.Errorf("%s\nWork(%q, %q, %q) = %q, want %q", tc.reason, tc.kind, tc.namespace, tc.name, got, tc.want)
			}
		})
	}
}

func TestBinding(t *testing.T) {
	cases := map[string]struct {
		reason, kind, name, want string
	}{
		"Plain": {reason: "lower case, name first", kind: "Deployment", name: "nginx", want: "nginx-deployment"},
		"Colon": {reason: "colons become dots", kind: "ClusterRole", name: "system:foo", want: "system.foo-clusterrole"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := Binding(tc.kind, tc.name); got != tc.want {
				t.Errorf("%s\nBinding(%q, %q) = %q, want %q", tc.reason, tc.kind, tc.name, got, tc.want)
			}
		})
	}
}

func TestDependedByLabel(t *testing.T) {
	const want = "resourcebinding.karmada.io/depended-by-5dbb6dc9c8"
	if got := DependedByLabel("test", "test-binding"); got != want {
		t.Errorf("DependedByLabel(test, test-binding) = %q, want %q as Karmada makes it", got, want)
	}
}

func TestExecutionSpace(t *testing.T) {
	if got, want := ExecutionSpace("member1"), "karmada-es-member1"; got != want {
		t.Errorf("ExecutionSpace(member1) = %q, want %q", got, want)
	}
	cases := map[string]struct {
		namespace, cluster string
		ok, reserved       bool
	}{
		"Execution": {namespace: "karmada-es-member1", cluster: "member1", ok: true, reserved: true},
		"System":    {namespace: "karmada-system", reserved: true},
		"Clusters":  {namespace: "karmada-cluster", reserved: true},
		"User":      {namespace: "default"},
		"NoCluster": {namespace: "karmada-es-", reserved: true},
		"LookAlike": {namespace: "karmada-estate"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			cluster, ok := Cluster(tc.namespace)
			if ok != tc.ok || cluster != tc.cluster {
				t.Errorf("Cluster(%q) = %q, %t, want %q, %t", tc.namespace, cluster, ok, tc.cluster, tc.ok)
			}
			if got := IsReservedNamespace(tc.namespace); got != tc.reserved {
				t.Errorf("IsReservedNamespace(%q) = %t, want %t", tc.namespace, got, tc.reserved)
			}
		})
	}
}

func TestOwnerLease(t *testing.T) {
	seen := map[string]string{}
	for _, owner := range []string{"west", "East / 2", "8d2a1f7c-0000-4000-8000-000000000000", strings.Repeat("long", 100)} {
		name := OwnerLease(owner)
		if errs := validation.IsDNS1123Subdomain(name); len(errs) > 0 {
			t.Errorf("OwnerLease(%q) = %q, which is no name: %v", owner, name, errs)
		}
		if other, ok := seen[name]; ok || name != OwnerLease(owner) {
			t.Errorf("OwnerLease(%q) = %q is that of %q, or not always the same", owner, name, other)
		}
		seen[name] = owner
	}
}
