// SPDX-License-Identifier: Apache-2.0

package placement

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// fakeRules rejects and scores clusters by name.
type fakeRules struct {
	rejects map[string]string
	scores  map[string]int64
}

func (f fakeRules) Reject(c *clusterv1alpha1.Cluster) string { return f.rejects[c.Name] }
func (f fakeRules) Score(c *clusterv1alpha1.Cluster) int64   { return f.scores[c.Name] }

func TestRules(t *testing.T) {
	one := spread(policyv1alpha1.SpreadByFieldCluster, 1, 1)
	three := clusters(cluster("a", has("cpu=100")), cluster("b", has("cpu=50")), cluster("c", has("cpu=10")))
	small := func(spec *workv1alpha2.ResourceBindingSpec) {
		spec.ReplicaRequirements = &workv1alpha2.ReplicaRequirements{ResourceRequest: resources("cpu=1")}
	}
	parts := func(spec *workv1alpha2.ResourceBindingSpec) {
		spec.Components = []workv1alpha2.Component{component("head", 1, "cpu=1"), component("worker", 2, "cpu=1")}
	}
	better := fakeRules{scores: map[string]int64{"c": 5, "b": 3}}
	cases := map[string]struct {
		reason string
		in     Input
		want   []workv1alpha2.TargetCluster
	}{
		"Rejects": {
			reason: "an object is copied to the clusters that pass",
			in:     Input{Spec: configMap(), Clusters: three, Rules: fakeRules{rejects: map[string]string{"b": "cluster(s) were too small"}}},
			want:   []workv1alpha2.TargetCluster{to("a", 0), to("c", 0)},
		},
		"KeepsTargets": {
			reason: "what is there stays",
			in:     Input{Spec: configMap(on(to("b", 0)), one), Clusters: three, Rules: fakeRules{rejects: map[string]string{"b": "cluster(s) were too small"}}},
			want:   []workv1alpha2.TargetCluster{to("b", 0)},
		},
		"MovesWhatIsPlacedAfresh": {
			reason: "a rebalancing asks the rules about all clusters",
			in:     Input{Spec: configMap(on(to("b", 0)), one), Clusters: three, Fresh: true, Rules: fakeRules{rejects: map[string]string{"b": "cluster(s) were too small"}}},
			want:   []workv1alpha2.TargetCluster{to("a", 0)},
		},
		"ChoosesTheHighestScore": {
			reason: "of one cluster that with the highest score is taken, whatever has more room",
			in:     Input{Spec: configMap(one), Clusters: three, Rules: better},
			want:   []workv1alpha2.TargetCluster{to("c", 0)},
		},
		"TargetsGoFirst": {
			reason: "a better cluster is no reason to move",
			in:     Input{Spec: configMap(on(to("a", 0)), one), Clusters: three, Rules: better},
			want:   []workv1alpha2.TargetCluster{to("a", 0)},
		},
		"Components": {
			reason: "components go to the best cluster that has room",
			in:     Input{Spec: spec("flink.apache.org/v1beta1", "FlinkDeployment", []specOption{parts, onFew, one}), Clusters: three, Rules: better},
			want:   []workv1alpha2.TargetCluster{{Name: "c", Components: []workv1alpha2.TargetComponent{{Name: "head", Replicas: 1}, {Name: "worker", Replicas: 2}}}},
		},
		"Aggregated": {
			reason: "the best cluster is filled first, then the next one",
			in:     Input{Spec: deployment(12, small, onFew), Clusters: three, Rules: better},
			want:   []workv1alpha2.TargetCluster{to("b", 10), to("c", 2)},
		},
		"GivesWayToRoom": {
			reason: "a better cluster without room for all is exchanged for one that has it",
			in:     Input{Spec: deployment(60, small, onFew, one), Clusters: three, Rules: better},
			want:   []workv1alpha2.TargetCluster{to("a", 60)},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := selectMeasured(tc.in)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got.Clusters); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestRulesThatLeaveNothing(t *testing.T) {
	in := Input{Spec: configMap(), Clusters: members("a", "b"), Rules: fakeRules{rejects: map[string]string{"a": "cluster(s) were dear", "b": "cluster(s) were dear"}}}
	_, err := Select(in)
	if fit, ok := errors.AsType[*FitError](err); !ok || !strings.Contains(fit.Error(), "2 cluster(s) were dear") {
		t.Errorf("error %v, want the reason of the rule", err)
	}
	rejected, err := Rejected(in)
	if diff := cmp.Diff(map[string]string{"a": "was dear", "b": "was dear"}, rejected); err != nil || diff != "" {
		t.Errorf("error %v, rejected (-want +got):\n%s", err, diff)
	}
}

// Any change of a cluster may let it pass the rules, which a binding that waits is told of.
func TestRulesConcernWhatWaits(t *testing.T) {
	before, after := cluster("a"), cluster("a")
	after.Status.KubernetesVersion = "v1.36.0"
	spec, status := configMap(), &workv1alpha2.ResourceBindingStatus{}
	for _, ruled := range []bool{false, true} {
		c := Change{Before: before, After: after, Ruled: ruled}
		if got := c.Concerns(spec, status); got != ruled {
			t.Errorf("with rules %t: concerned %t", ruled, got)
		}
		placed := &workv1alpha2.ResourceBindingStatus{Conditions: []metav1.Condition{{Type: workv1alpha2.Scheduled, Status: metav1.ConditionTrue}}}
		if got := c.Concerns(spec, placed); got != ruled {
			t.Errorf("with rules %t: one that is copied concerned %t", ruled, got)
		}
		keys := map[string]bool{}
		for _, key := range c.Keys() {
			keys[key] = true
		}
		if keys[keyWaiting] != ruled {
			t.Errorf("with rules %t: keys %v", ruled, c.Keys())
		}
	}
}
