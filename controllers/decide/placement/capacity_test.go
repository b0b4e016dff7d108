// SPDX-License-Identifier: Apache-2.0

package placement

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

func TestReplicaDemandFits(t *testing.T) {
	summary := func(allocatable, allocated, allocating string) *clusterv1alpha1.ResourceSummary {
		return &clusterv1alpha1.ResourceSummary{
			Allocatable: resources(allocatable), Allocated: resources(allocated), Allocating: resources(allocating),
		}
	}
	cases := map[string]struct {
		reason  string
		request string
		summary *clusterv1alpha1.ResourceSummary
		want    int64
	}{
		"EmptySummary":        {"a summary without pods has room for none", "", summary("", "", ""), 0},
		"Pods":                {"without requests the pods are the bound", "", summary("pods=110", "pods=10", "pods=1"), 99},
		"ScarcestCounts":      {"the scarcest resource is the bound", "cpu=500m memory=1Gi", summary("pods=110 cpu=4 memory=7Gi", "", ""), 7},
		"UsedAndWaiting":      {"what runs and what waits for a node is taken off", "cpu=1", summary("pods=110 cpu=8", "cpu=2500m", "cpu=1"), 4},
		"Overcommitted":       {"less than nothing is nothing", "cpu=1", summary("pods=110 cpu=2", "cpu=1", "cpu=3"), 0},
		"MissingResource":     {"a resource that is not there does not fit", "nvidia.com/gpu=1", summary("pods=110 cpu=2", "", ""), 0},
		"ZeroRequest":         {"a request of nothing does not bound", "nvidia.com/gpu=0", summary("pods=5", "", ""), 5},
		"DecimalInBinary":     {"1G is a little less than 1Gi, not a thousandth of it", "memory=1G", summary("pods=1k memory=256Gi", "", ""), 274},
		"BytesInBinary":       {"plain bytes are 1Gi too", "memory=1073741824", summary("pods=1k memory=256Gi", "", ""), 256},
		"BinaryInDecimal":     {"and the other way round", "memory=1Gi", summary("pods=1k memory=274877906944", "", ""), 256},
		"MilliBytes":          {"fractions of a byte are exact", "memory=1024m", summary("pods=1k memory=1025", "", ""), 1000},
		"BelowMilli":          {"fractions below a thousandth are exact", "cpu=3n", summary("pods=1k cpu=1u", "", ""), 333},
		"Huge":                {"numbers beyond int64 are exact", "memory=3E", summary("pods=1k memory=30000000000000000000", "", ""), 10},
		"HugeLessOne":         {"even by one", "memory=3E", summary("pods=1k memory=30000000000000000000", "memory=1", ""), 9},
		"MoreThanInt32":       {"the answer is cut at MaxInt32", "memory=1n", summary("pods=1E memory=30000000000000000000", "", ""), math.MaxInt32},
		"RequestNotRoundedUp": {"rounding up a request would give 9", "cpu=1000100u", summary("pods=1k cpu=10001m", "", ""), 10},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			before := tc.summary.DeepCopy()
			got := replicaDemand(&workv1alpha2.ReplicaRequirements{ResourceRequest: resources(tc.request)}).fits(tc.summary, nil)
			if got != tc.want {
				t.Errorf("fits = %d, want %d: %s", got, tc.want, tc.reason)
			}
			if diff := cmp.Diff(before, tc.summary); diff != "" {
				t.Errorf("the shared summary was changed (-before +after):\n%s", diff)
			}
		})
	}
}

func TestComponentsDemandFits(t *testing.T) {
	cases := map[string]struct {
		reason     string
		components []workv1alpha2.Component
		free       string
		want       int64
	}{
		"WholeSets":       {"1+2*2 CPUs a set", []workv1alpha2.Component{component("jm", 1, "cpu=1"), component("tm", 2, "cpu=2")}, "cpu=14", 2},
		"Pods":            {"110 pods hold three sets of 31", []workv1alpha2.Component{component("jm", 1, ""), component("tm", 30, "")}, "", 3},
		"SumOfSuffixes":   {"1Gi + 1G + 1G", []workv1alpha2.Component{component("jm", 1, "memory=1Gi"), component("tm", 2, "memory=1G")}, "memory=3073741824", 1},
		"LessByOneByte":   {"one byte less is too little", []workv1alpha2.Component{component("jm", 1, "memory=1Gi"), component("tm", 2, "memory=1G")}, "memory=3073741823", 0},
		"NothingToRun":    {"components without replicas always fit", []workv1alpha2.Component{component("jm", 0, "cpu=1"), component("tm", 0, "cpu=1")}, "", math.MaxInt32},
		"NilRequirements": {"a component without requirements still has pods", []workv1alpha2.Component{{Name: "w", Replicas: 50}}, "", 2},
		"HugeRequest":     {"a request larger than int64 is not multiplied in place", []workv1alpha2.Component{component("w", 10, "memory=10000000000000000000")}, "memory=1000E", 10},
		"HugeProduct":     {"a set larger than int64 does not wrap", []workv1alpha2.Component{component("w", 10, "memory=10E")}, "memory=1000E", 10},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := cluster("a", has(tc.free))
			before := (&workv1alpha2.ResourceBindingSpec{Components: tc.components}).DeepCopy().Components
			if got := componentsDemand(tc.components).fits(c.Status.ResourceSummary, nil); got != tc.want {
				t.Errorf("fits = %d, want %d: %s", got, tc.want, tc.reason)
			}
			if diff := cmp.Diff(before, tc.components); diff != "" {
				t.Errorf("the components were changed (-before +after):\n%s", diff)
			}
		})
	}
}

func TestSummaryCapacity(t *testing.T) {
	all := clusters(cluster("unknown"), cluster("free", has("cpu=10")), cluster("promised", has("cpu=10")), cluster("full", has("cpu=10")))
	taken := Taken{"promised": resources("cpu=6"), "full": resources("cpu=12")}
	before := Taken{"promised": resources("cpu=6"), "full": resources("cpu=12")}
	got := SummaryCapacity(deployment(1, onFew), all, taken)
	want := Capacity{"free": {Fits: 10}, "promised": {Fits: 4}, "full": {Lacking: "cpu"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what is taken is not free, and without a summary nothing is known (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(before, taken); diff != "" {
		t.Errorf("what is taken was changed (-before +after):\n%s", diff)
	}
}

func TestFootprint(t *testing.T) {
	cases := map[string]struct {
		reason string
		spec   *workv1alpha2.ResourceBindingSpec
		target workv1alpha2.TargetCluster
		want   string
	}{
		"Replicas":   {"each replica is a pod with its requests", deployment(6, equally), to("a", 3), "cpu=3 pods=3"},
		"NoReplicas": {"what runs nothing takes nothing", configMap(), to("a", 0), ""},
		"Set":        {"a copy has all components", flink(2), to("a", 0), "cpu=5 pods=3"},
		"Recorded":   {"or as many as are on record", flink(2, once), toFlink("a", 1), "cpu=3 pods=2"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(resources(tc.want), Footprint(tc.spec, &tc.target)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestNeedsCapacity(t *testing.T) {
	if !NeedsCapacity(deployment(2, byFreeRoom)) {
		t.Error("replicas that are divided by capacity need it")
	}
	if NeedsCapacity(deployment(2)) {
		t.Error("duplicated replicas do not need it")
	}
	if NeedsCapacity(&workv1alpha2.ResourceBindingSpec{Replicas: 2}) {
		t.Error("a binding without placement is not placed")
	}
}

// TestSelectTakesTheCapacityGiven decides by numbers that no summary of the clusters has,
// as an estimator or a quota would fill them in.
func TestSelectTakesTheCapacityGiven(t *testing.T) {
	s := deployment(4, byFreeRoom)
	clusters := []*clusterv1alpha1.Cluster{cluster("a", has("cpu=100")), cluster("b", has("cpu=100"))}
	got, err := Select(Input{Spec: s, Clusters: clusters, Capacity: Capacity{"a": {Fits: 1}, "b": {Fits: 3}}})
	if err != nil {
		t.Fatal(err)
	}
	want := []workv1alpha2.TargetCluster{{Name: "a", Replicas: 1}, {Name: "b", Replicas: 3}}
	if diff := cmp.Diff(want, got.Clusters); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
