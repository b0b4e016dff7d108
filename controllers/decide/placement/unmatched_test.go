// SPDX-License-Identifier: Apache-2.0

package placement

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

func TestUnmatched(t *testing.T) {
	prod := label("env", "prod")
	byEnv := affinity(policyv1alpha1.ClusterAffinity{LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"env": "prod"}}})
	broken := affinity(policyv1alpha1.ClusterAffinity{LabelSelector: &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "x", Operator: "Like"}}}})
	ab := on(to("a", 0), to("b", 0))
	for name, tc := range map[string]struct {
		reason   string
		spec     *workv1alpha2.ResourceBindingSpec
		clusters []*clusterv1alpha1.Cluster
		want     []string
	}{
		"Lost":       {"a label is gone", configMap(byEnv, ab), []*clusterv1alpha1.Cluster{cluster("b"), cluster("a", prod)}, []string{"b"}},
		"All":        {"from all", configMap(byEnv, ab), []*clusterv1alpha1.Cluster{cluster("b"), cluster("a", label("env", "test"))}, []string{"a", "b"}},
		"Matches":    {"what matches stays, whatever else is wrong with it", configMap(byEnv, ab), []*clusterv1alpha1.Cluster{cluster("a", prod, withoutAPIs, taint("k=v:NoExecute")), cluster("b", prod, inConflict)}, nil},
		"Absent":     {"a cluster that is not there has no labels to lose", configMap(byEnv, ab), nil, nil},
		"Deleted":    {"nor has one that is being deleted", configMap(byEnv, ab), []*clusterv1alpha1.Cluster{cluster("a", deleting)}, nil},
		"NoTarget":   {"others do not matter", configMap(byEnv, ab), []*clusterv1alpha1.Cluster{cluster("c")}, nil},
		"AnyGroup":   {"any affinity group will do", configMap(groups("first: a", "second: b"), ab), []*clusterv1alpha1.Cluster{cluster("a"), cluster("b")}, nil},
		"NoGroup":    {"and none of them does not", configMap(groups("first: a", "second: c"), ab), []*clusterv1alpha1.Cluster{cluster("a"), cluster("b")}, []string{"b"}},
		"Everywhere": {"without an affinity each matches", configMap(ab), []*clusterv1alpha1.Cluster{cluster("a"), cluster("b")}, nil},
		"Broken":     {"an affinity that cannot be read says nothing", configMap(broken, ab), []*clusterv1alpha1.Cluster{cluster("a"), cluster("b")}, nil},
		"Attached":   {"what has no placement goes where others go", &workv1alpha2.ResourceBindingSpec{}, []*clusterv1alpha1.Cluster{cluster("a")}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Unmatched(Input{Spec: tc.spec, Clusters: tc.clusters})); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}
