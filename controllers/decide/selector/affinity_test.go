// SPDX-License-Identifier: Apache-2.0

package selector

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
)

func TestAffinityMatches(t *testing.T) {
	labelled := func(pairs ...string) *metav1.LabelSelector {
		s := &metav1.LabelSelector{MatchLabels: map[string]string{}}
		for i := 0; i < len(pairs); i += 2 {
			s.MatchLabels[pairs[i]] = pairs[i+1]
		}
		return s
	}
	field := func(key string, op corev1.NodeSelectorOperator, values ...string) *policyv1alpha1.FieldSelector {
		return &policyv1alpha1.FieldSelector{MatchExpressions: []corev1.NodeSelectorRequirement{{Key: key, Operator: op, Values: values}}}
	}
	a := &clusterv1alpha1.Cluster{
		ObjectMeta: metav1.ObjectMeta{Name: "a", Labels: map[string]string{"env": "prod"}},
		Spec:       clusterv1alpha1.ClusterSpec{Provider: "aws", Region: "eu", Zones: []string{"eu-1", "eu-2"}},
	}
	b := &clusterv1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: "b"}}
	cases := map[string]struct {
		reason   string
		affinity *policyv1alpha1.ClusterAffinity
		cluster  *clusterv1alpha1.Cluster
		want     bool
	}{
		"Nil":              {"nil matches all", nil, a, true},
		"Empty":            {"an affinity without parts matches all", &policyv1alpha1.ClusterAffinity{}, a, true},
		"EmptySelector":    {"an empty label selector matches all", &policyv1alpha1.ClusterAffinity{LabelSelector: &metav1.LabelSelector{}}, a, true},
		"Named":            {"the name is in the list", &policyv1alpha1.ClusterAffinity{ClusterNames: []string{"b", "a"}}, a, true},
		"NotNamed":         {"the name is not in the list", &policyv1alpha1.ClusterAffinity{ClusterNames: []string{"b"}}, a, false},
		"ExcludeWins":      {"exclude goes before names", &policyv1alpha1.ClusterAffinity{ClusterNames: []string{"a"}, ExcludeClusters: []string{"a"}}, a, false},
		"Labels":           {"the label has the value", &policyv1alpha1.ClusterAffinity{LabelSelector: labelled("env", "prod")}, a, true},
		"OtherLabels":      {"the label has another value", &policyv1alpha1.ClusterAffinity{LabelSelector: labelled("env", "test")}, a, false},
		"AllPartsMustHold": {"the name matches and the label does not", &policyv1alpha1.ClusterAffinity{ClusterNames: []string{"a"}, LabelSelector: labelled("env", "test")}, a, false},
		"ProviderIn":       {"the provider is one of the values", &policyv1alpha1.ClusterAffinity{FieldSelector: field("provider", "In", "gcp", "aws")}, a, true},
		"RegionNotIn":      {"the region is one of the values that it must not have", &policyv1alpha1.ClusterAffinity{FieldSelector: field("region", "NotIn", "eu")}, a, false},
		"ZoneIn":           {"one of the zones is enough", &policyv1alpha1.ClusterAffinity{FieldSelector: field("zone", "In", "eu-2", "eu-3")}, a, true},
		"ZoneNotIn":        {"one of the zones is too many", &policyv1alpha1.ClusterAffinity{FieldSelector: field("zone", "NotIn", "eu-2", "eu-3")}, a, false},
		"NoZoneIn":         {"no zones have no value", &policyv1alpha1.ClusterAffinity{FieldSelector: field("zone", "In", "eu-1")}, b, false},
		"NoRegionIn":       {"no region is not the empty value", &policyv1alpha1.ClusterAffinity{FieldSelector: field("region", "In", "")}, b, false},
		"NoRegionNotIn":    {"no region is none of the values", &policyv1alpha1.ClusterAffinity{FieldSelector: field("region", "NotIn", "eu")}, b, true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			affinity, err := NewAffinity(tc.affinity)
			if err != nil {
				t.Fatal(err)
			}
			if got := affinity.Matches(tc.cluster); got != tc.want {
				t.Errorf("Matches(%s) = %t, want %t: %s", tc.cluster.Name, got, tc.want, tc.reason)
			}
		})
	}
}

func TestNewAffinityRefuses(t *testing.T) {
	cases := map[string]struct {
		affinity policyv1alpha1.ClusterAffinity
		want     string
	}{
		"Key": {
			policyv1alpha1.ClusterAffinity{FieldSelector: &policyv1alpha1.FieldSelector{MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "planet", Operator: "In"}}}},
			`read field selector: key "planet" is not provider, region or zone`,
		},
		"LabelOperator": {
			policyv1alpha1.ClusterAffinity{LabelSelector: &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "env", Operator: "Like"}}}},
			`read label selector: "Like" is not a valid label selector operator`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if _, err := NewAffinity(&tc.affinity); err == nil || err.Error() != tc.want {
				t.Errorf("NewAffinity() error = %v, want %s", err, tc.want)
			}
		})
	}
}

func TestTolerates(t *testing.T) {
	taint := corev1.Taint{Key: "k", Value: "v", Effect: corev1.TaintEffectNoExecute}
	cases := map[string]struct {
		toleration corev1.Toleration
		want       bool
	}{
		"Equal":        {corev1.Toleration{Key: "k", Value: "v", Effect: "NoExecute"}, true},
		"OtherValue":   {corev1.Toleration{Key: "k", Operator: "Equal", Value: "w"}, false},
		"OtherEffect":  {corev1.Toleration{Key: "k", Operator: "Exists", Effect: "NoSchedule"}, false},
		"Exists":       {corev1.Toleration{Key: "k", Operator: "Exists"}, true},
		"ExistsForAll": {corev1.Toleration{Operator: "Exists"}, true},
		"OtherKey":     {corev1.Toleration{Key: "l", Operator: "Exists"}, false},
		"Lt":           {corev1.Toleration{Key: "k", Operator: "Lt", Value: "v"}, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := Tolerates(&tc.toleration, &taint); got != tc.want {
				t.Errorf("Tolerates(%v, %v) = %t, want %t", tc.toleration, taint, got, tc.want)
			}
		})
	}
}
