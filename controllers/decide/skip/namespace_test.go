// SPDX-License-Identifier: Apache-2.0

package skip

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestNamespaceFollows(t *testing.T) {
	configured, err := New("", []string{"dev-.*"})
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		reason, name, label string
		rules               *Rules
		want                bool
	}{
		{reason: "a user's", name: "team", want: true},
		{reason: "every cluster has one", name: "default"},
		{reason: "Kubernetes' own", name: "kube-system"},
		{reason: "Kubernetes' own, whatever is configured", name: "kube-public", rules: configured},
		{reason: "the control plane's", name: "karmada-system"},
		{reason: "the control plane's", name: "karmada-cluster"},
		{reason: "an execution namespace", name: "karmada-es-one"},
		{reason: "skipped by the configuration", name: "dev-1", rules: configured},
		{reason: "not matched as a whole", name: "a-dev-1", rules: configured, want: true},
		{reason: "skipped by its label", name: "team", label: "True"},
		{reason: "the label has another value", name: "team", label: "false", want: true},
	} {
		n := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: tc.name, Labels: map[string]string{"namespace.karmada.io/skip-auto-propagation": tc.label}}}
		if got := NamespaceFollows(n, tc.rules); got != tc.want {
			t.Errorf("NamespaceFollows(%s) = %t, want %t: %s", tc.name, got, tc.want, tc.reason)
		}
	}
}
