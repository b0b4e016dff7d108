// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// cluster returns a good cluster, changed by change.
func cluster(change func(*Cluster)) *Cluster {
	c := &Cluster{
		ObjectMeta: metav1.ObjectMeta{Name: "member1"},
		Spec: ClusterSpec{
			SyncMode:    Push,
			APIEndpoint: "https://10.0.0.1:6443/k8s",
			SecretRef:   &LocalSecretReference{Namespace: "karmada-cluster", Name: "member1"},
		},
	}
	change(c)
	return c
}

func TestValidateCluster(t *testing.T) {
	cases := map[string]struct {
		reason  string
		cluster *Cluster
		want    []string
	}{
		"Good": {
			reason:  "a plain member is fine",
			cluster: cluster(func(*Cluster) {}),
		},
		"LongName": {
			reason:  "the name must leave room for the prefix of the execution namespace",
			cluster: cluster(func(c *Cluster) { c.Name = strings.Repeat("a", 49) }),
			want:    []string{"FieldValueTooLong metadata.name"},
		},
		"BadName": {
			reason:  "the name becomes part of a namespace",
			cluster: cluster(func(c *Cluster) { c.Name = "member.1" }),
			want:    []string{"FieldValueInvalid metadata.name"},
		},
		"Mode": {
			reason:  "someone carries the objects",
			cluster: cluster(func(c *Cluster) { c.Spec.SyncMode = "" }),
			want:    []string{"FieldValueNotSupported spec.syncMode"},
		},
		"EndpointWithoutHost": {
			reason:  "an endpoint is a URL",
			cluster: cluster(func(c *Cluster) { c.Spec.APIEndpoint = "10.0.0.1:6443" }),
			want:    []string{"FieldValueInvalid spec.apiEndpoint"},
		},
		"EndpointWithUser": {
			reason:  "secrets do not stand in a URL",
			cluster: cluster(func(c *Cluster) { c.Spec.APIEndpoint = "https://me:pass@host" }),
			want:    []string{"FieldValueInvalid spec.apiEndpoint"},
		},
		"Proxy": {
			reason:  "a proxy speaks http or socks5",
			cluster: cluster(func(c *Cluster) { c.Spec.ProxyURL = "ftp://proxy" }),
			want:    []string{"FieldValueInvalid spec.proxyURL"},
		},
		"Secrets": {
			reason: "a Secret has a namespace and a name",
			cluster: cluster(func(c *Cluster) {
				c.Spec.SecretRef = &LocalSecretReference{Name: "a"}
				c.Spec.ImpersonatorSecretRef = &LocalSecretReference{Namespace: "a"}
			}),
			want: []string{"FieldValueRequired spec.secretRef.namespace", "FieldValueRequired spec.impersonatorSecretRef.name"},
		},
		"Location": {
			reason: "places are label values, and zone is the old form of zones",
			cluster: cluster(func(c *Cluster) {
				c.Spec.Provider, c.Spec.Region = "a b", "c d"
				c.Spec.Zone, c.Spec.Zones = "z1", []string{"z2", "e f"}
			}),
			want: []string{
				"FieldValueInvalid spec.provider", "FieldValueInvalid spec.region",
				"FieldValueInvalid spec.zones[1]", "FieldValueForbidden spec.zone",
			},
		},
		"Taints": {
			reason: "taints are those that a node may have",
			cluster: cluster(func(c *Cluster) {
				c.Spec.Taints = []corev1.Taint{
					{Key: "a", Effect: corev1.TaintEffectNoSchedule},
					{Key: "a", Effect: corev1.TaintEffectNoSchedule, Value: "b"},
					{Key: "-", Effect: "NoRun", Value: "a b"},
				}
			}),
			want: []string{
				"FieldValueDuplicate spec.taints[1]",
				"FieldValueInvalid spec.taints[2].key",
				"FieldValueInvalid spec.taints[2].value",
				"FieldValueNotSupported spec.taints[2].effect",
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) { wantErrors(t, tc.reason, tc.cluster.Validate(), tc.want...) })
	}
}
