// SPDX-License-Identifier: Apache-2.0

package placement

import (
	"testing"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

func TestFits(t *testing.T) {
	leaving := func(s *workv1alpha2.ResourceBindingSpec) {
		s.GracefulEvictionTasks = []workv1alpha2.GracefulEvictionTask{{FromCluster: "c"}}
	}
	nothing := configMap()
	nothing.Placement = nil
	cases := map[string]struct {
		reason  string
		spec    *workv1alpha2.ResourceBindingSpec
		group   string
		cluster *clusterv1alpha1.Cluster
		want    bool
	}{
		"Fits":        {"nothing speaks against it", configMap(), "", cluster("c"), true},
		"Evicting":    {"whether to return is what is asked", configMap(leaving), "", cluster("c"), true},
		"NoSchedule":  {"it keeps new objects away", configMap(), "", cluster("c", taint("k=v:NoSchedule")), false},
		"NoExecute":   {"so does this", configMap(), "", cluster("c", taint("k=v:NoExecute")), false},
		"Terminating": {"it leaves", configMap(), "", cluster("c", deleting), false},
		"NoAPI":       {"it does not serve the kind", configMap(), "", cluster("c", withoutAPIs), false},
		"Affinity":    {"the placement names another", configMap(affinity(named("d"))), "", cluster("c"), false},
		"Group":       {"the group in force has it", configMap(groups("first: c", "second: d")), "first", cluster("c"), true},
		"OtherGroup":  {"another group is in force", configMap(groups("first: c", "second: d")), "second", cluster("c"), false},
		"NoCluster":   {"it is gone", configMap(), "", nil, false},
		"NoPlacement": {"nobody knows where it may be", nothing, "", cluster("c"), false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := Fits(tc.spec, observed(tc.group), tc.cluster); got != tc.want {
				t.Errorf("%s: got %t, want %t", tc.reason, got, tc.want)
			}
		})
	}
}
