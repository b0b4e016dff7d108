// SPDX-License-Identifier: Apache-2.0

package placement

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// graded has the nodes of a cluster counted by own models: each word is a number of nodes
// and the minimums of their grade, such as 3*cpu=4,memory=8Gi.
func graded(grades ...string) func(*clusterv1alpha1.Cluster) {
	return func(c *clusterv1alpha1.Cluster) {
		for i, g := range grades {
			count, minimums, _ := strings.Cut(g, "*")
			n, err := strconv.Atoi(count)
			if err != nil {
				panic(err)
			}
			model := clusterv1alpha1.ResourceModel{Grade: uint(i)}
			for _, m := range strings.Split(minimums, ",") {
				for name, q := range resources(m) {
					model.Ranges = append(model.Ranges, clusterv1alpha1.ResourceModelRange{Name: name, Min: q})
				}
			}
			c.Spec.ResourceModels = append(c.Spec.ResourceModels, model)
			c.Status.ResourceSummary.AllocatableModelings = append(c.Status.ResourceSummary.AllocatableModelings, clusterv1alpha1.AllocatableModeling{Grade: uint(i), Count: n})
		}
	}
}

// byDefault has the nodes of a cluster counted by the default models, from grade 0.
func byDefault(counts ...int) func(*clusterv1alpha1.Cluster) {
	return func(c *clusterv1alpha1.Cluster) {
		c.Spec.ResourceModels = clusterv1alpha1.DefaultResourceModels()
		for i := range c.Spec.ResourceModels {
			m := clusterv1alpha1.AllocatableModeling{Grade: uint(i)}
			if i < len(counts) {
				m.Count = counts[i]
			}
			c.Status.ResourceSummary.AllocatableModelings = append(c.Status.ResourceSummary.AllocatableModelings, m)
		}
	}
}

// asking makes the spec of a Deployment whose replicas request that.
func asking(request string) *workv1alpha2.ResourceBindingSpec {
	s := deployment(1, byFreeRoom)
	s.ReplicaRequirements.ResourceRequest = resources(request)
	return s
}

const plenty = "cpu=100000 memory=1000Ti pods=1M"

func TestModeledCapacityOfReplicas(t *testing.T) {
	cases := map[string]struct {
		reason  string
		request string
		cluster *clusterv1alpha1.Cluster
		want    Room
	}{
		"SumOverGrades": {
			"each node has the minimum of its grade: 5*0 + 3*2 + 2*8", "cpu=1 memory=1Gi",
			cluster("c", has(plenty), graded("5*cpu=0,memory=0", "3*cpu=2,memory=4Gi", "2*cpu=8,memory=16Gi")),
			Room{Fits: 22},
		},
		"ScarcestOfANode": {
			"the scarcest resource of each node: 3*min(2,1) + 2*min(8,5)", "cpu=1 memory=3Gi",
			cluster("c", has(plenty), graded("0*cpu=0,memory=0", "3*cpu=2,memory=4Gi", "2*cpu=8,memory=16Gi")),
			Room{Fits: 13},
		},
		"Fragments": {
			"ten nodes of 1 core hold no replica of 2, though their sum holds five", "cpu=2",
			cluster("c", has("cpu=10"), graded("0*cpu=0", "10*cpu=1", "0*cpu=2")),
			Room{Lacking: "cpu on one node"},
		},
		"NoNodeHasBoth": {
			"one node has the cores, another the memory", "cpu=8 memory=8Gi",
			cluster("c", has(plenty), graded("1*cpu=8,memory=1Gi", "1*cpu=1,memory=8Gi")),
			Room{Lacking: "room on one node"},
		},
		"FirstGrade": {
			"nodes of the first grade have nothing of what it names", "cpu=1m",
			cluster("c", has(plenty), graded("100*cpu=0,memory=0", "1*cpu=1,memory=1Gi")),
			Room{Fits: 1000},
		},
		"SummaryIsTheBound": {
			"pods that wait for a node are in the summary alone", "cpu=1",
			cluster("c", has("cpu=7"), graded("0*cpu=0", "10*cpu=1")),
			Room{Fits: 7},
		},
		"NotNamed": {
			"a resource that no grade names is bounded by the summary", "cpu=1 nvidia.com/gpu=1",
			cluster("c", has("cpu=100 nvidia.com/gpu=8"), graded("0*cpu=0", "10*cpu=4")),
			Room{Fits: 8},
		},
		"NotNamedIsAbsent": {
			"and by zero if the summary has none of it", "cpu=1 nvidia.com/gpu=1",
			cluster("c", has("cpu=100"), graded("0*cpu=0", "10*cpu=4")),
			Room{Lacking: "nvidia.com/gpu"},
		},
		"NothingNamed": {
			"a request that the grades do not name has the summary", "ephemeral-storage=1Gi",
			cluster("c", has("ephemeral-storage=20Gi"), graded("10*cpu=0", "0*cpu=4")),
			Room{Fits: 20},
		},
		"NoNodes": {
			"a cluster whose nodes are all cordoned has no room", "cpu=1",
			cluster("c", has("cpu=100"), graded("0*cpu=0", "0*cpu=4")),
			Room{Lacking: "cpu on one node"},
		},
		"PodsAsAResource": {
			"grades may name pods", "cpu=1m",
			cluster("c", has(plenty), graded("0*cpu=0,pods=0", "3*cpu=1,pods=10")),
			Room{Fits: 30},
		},
		"NotCounted": {
			"without counts the summary decides", "cpu=1",
			cluster("c", has("cpu=9"), func(c *clusterv1alpha1.Cluster) {
				graded("1*cpu=0")(c)
				c.Status.ResourceSummary.AllocatableModelings = nil
			}),
			Room{Fits: 9},
		},
		"CountedByOtherGrades": {
			"and so it does with counts of grades that are no longer there", "cpu=1",
			cluster("c", has("cpu=9"), func(c *clusterv1alpha1.Cluster) {
				graded("0*cpu=0", "1*cpu=1")(c)
				c.Status.ResourceSummary.AllocatableModelings[1].Grade = 7
			}),
			Room{Fits: 9},
		},
		"AnyOrder": {
			"the order of models and counts does not matter", "cpu=1",
			cluster("c", has(plenty), func(c *clusterv1alpha1.Cluster) {
				graded("5*cpu=0", "3*cpu=2", "2*cpu=8")(c)
				m, n := c.Spec.ResourceModels, c.Status.ResourceSummary.AllocatableModelings
				m[0], m[2], n[1], n[2] = m[2], m[0], n[2], n[1]
			}),
			Room{Fits: 22},
		},
		"NegativeCount":   {"a wrong count is none", "cpu=1", cluster("c", has(plenty), graded("0*cpu=0", "-5*cpu=4", "2*cpu=8")), Room{Fits: 16}},
		"HugeCount":       {"large counts do not overflow", "cpu=1n", cluster("c", has("cpu=100000 memory=1000Ti pods=1E"), graded("0*cpu=0", "9000000000000000000*cpu=9000000000000000000")), Room{Fits: math.MaxInt32}},
		"DecimalInBinary": {"1G is a little less than 1Gi: 8 of them in 8Gi", "memory=1G", cluster("c", has(plenty), graded("0*memory=0", "10*memory=8Gi")), Room{Fits: 80}},
		"MegaInBinary":    {"1000M is 1G", "memory=1000M", cluster("c", has(plenty), graded("0*memory=0", "10*memory=8388608Ki")), Room{Fits: 80}},
		"BytesInBinary":   {"1073741824 is 1Gi", "memory=1073741824", cluster("c", has(plenty), graded("0*memory=0", "10*memory=8Gi")), Room{Fits: 80}},
		"MilliBytes":      {"thousandths of a byte are exact", "memory=1024m", cluster("c", has(plenty), graded("0*memory=0", "1*memory=1025")), Room{Fits: 1000}},
		"DefaultGPU": {
			"Karmada has 0 here: ten nodes with 8 GPUs", "cpu=1 nvidia.com/gpu=1",
			cluster("c", has("cpu=80 memory=320Gi nvidia.com/gpu=8"), byDefault(0, 0, 0, 10)),
			Room{Fits: 8},
		},
		"DefaultStorage": {
			"and here: 1Gi of ephemeral storage", "cpu=1 ephemeral-storage=1Gi",
			cluster("c", has("cpu=80 memory=320Gi ephemeral-storage=100Gi"), byDefault(0, 0, 0, 10)),
			Room{Fits: 80},
		},
		"DefaultIsNoMinimum": {
			"a node of 4 cores and 8Gi is in grade 1 for its memory, and has room for 2 cores all the same", "cpu=2",
			cluster("c", has("cpu=40 memory=80Gi"), byDefault(0, 10)),
			Room{Fits: 20},
		},
		"DefaultFirstGrade": {
			"a node of 16 cores and 3Gi is in grade 0", "cpu=2 memory=1Gi",
			cluster("c", has("cpu=16 memory=3Gi"), byDefault(1)),
			Room{Fits: 3},
		},
		"DefaultExcludes": {
			"nodes of grade 1 have less than 2 cores or less than 16Gi", "cpu=2 memory=16Gi",
			cluster("c", has("cpu=1000 memory=1000Gi"), byDefault(0, 100)),
			Room{Lacking: "room on one node"},
		},
		"DefaultExcludesNoMore": {
			"one byte less fits once on each node, and twice in cores", "cpu=1 memory=17179869183",
			cluster("c", has("cpu=1000 memory=10Ti"), byDefault(0, 100)),
			Room{Fits: 100},
		},
		"DefaultLast": {
			"the last grade has no end", "cpu=200 memory=2Ti",
			cluster("c", has("cpu=1000 memory=10Ti"), byDefault(0, 0, 0, 0, 0, 0, 0, 0, 1)),
			Room{Fits: 5},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			before := tc.cluster.DeepCopy()
			spec := asking(tc.request)
			got := ModeledCapacity(spec, clusters(tc.cluster), nil)["c"]
			if got != tc.want {
				t.Errorf("got %+v, want %+v: %s", got, tc.want, tc.reason)
			}
			if most := SummaryCapacity(spec, clusters(tc.cluster), nil)["c"]; got.Fits > most.Fits {
				t.Errorf("%d fit by grades, and %d by the summary", got.Fits, most.Fits)
			}
			if diff := cmp.Diff(before, tc.cluster); diff != "" {
				t.Errorf("the shared cluster was changed (-before +after):\n%s", diff)
			}
		})
	}
}

func TestModeledCapacityOfSets(t *testing.T) {
	job := func(parts ...workv1alpha2.Component) []workv1alpha2.Component { return parts }
	cases := map[string]struct {
		reason     string
		components []workv1alpha2.Component
		cluster    *clusterv1alpha1.Cluster
		want       Room
	}{
		"OneNode": {
			"a set of 5 cores, twice on each node", job(component("jm", 1, "cpu=1"), component("tm", 2, "cpu=2")),
			cluster("c", has(plenty), graded("0*cpu=0", "3*cpu=10")),
			Room{Fits: 6},
		},
		"AcrossNodes": {
			"a set of 1+2*4 on nodes of 4 and a small one", job(component("jm", 1, "cpu=1"), component("tm", 2, "cpu=4")),
			cluster("c", has(plenty), graded("0*cpu=0", "1*cpu=1", "2*cpu=4")),
			Room{Fits: 1},
		},
		"PodTooLarge": {
			"no node holds one of the task managers", job(component("jm", 1, "cpu=1"), component("tm", 2, "cpu=8")),
			cluster("c", has(plenty), graded("0*cpu=0", "100*cpu=4")),
			Room{Lacking: "cpu on one node"},
		},
		"SumIsNotEnough": {
			"three of 3 cores need three nodes of 4", job(component("w", 3, "cpu=3")),
			cluster("c", has("cpu=9"), graded("0*cpu=0", "2*cpu=4")),
			Room{Lacking: "room on one node"},
		},
		"SmallOnesBesideLargeOnes": {
			"the master fits beside a worker", job(component("master", 1, "cpu=1"), component("worker", 3, "cpu=3")),
			cluster("c", has(plenty), graded("0*cpu=0", "3*cpu=4")),
			Room{Fits: 1},
		},
		"DifferentScarcities": {
			"one has much memory, one many cores, both on each node", job(component("a", 1, "cpu=1 memory=9Gi"), component("b", 1, "cpu=9 memory=1Gi")),
			cluster("c", has(plenty), graded("0*cpu=0,memory=0", "7*cpu=10,memory=10Gi")),
			Room{Fits: 7},
		},
		"ManyParts": {
			"five sizes fill ten nodes of 16, a set of them each", job(component("a", 1, "cpu=6"), component("b", 1, "cpu=4"), component("c", 1, "cpu=3"), component("d", 1, "cpu=2"), component("e", 1, "cpu=1")),
			cluster("c", has(plenty), graded("0*cpu=0", "10*cpu=16")),
			Room{Fits: 10},
		},
		"NothingToRun": {
			"components without replicas always fit", job(component("jm", 0, "cpu=1"), component("tm", 0, "cpu=1000")),
			cluster("c", has(plenty), graded("0*cpu=0", "1*cpu=1")),
			Room{Fits: math.MaxInt32},
		},
		"NothingOfOne": {
			"a component without replicas needs no node", job(component("jm", 1, "cpu=1"), component("tm", 0, "cpu=1000")),
			cluster("c", has(plenty), graded("0*cpu=0", "4*cpu=1")),
			Room{Fits: 4},
		},
		"NotNamed": {
			"what no grade names is bounded by the summary: 4 GPUs a set", job(component("head", 1, "cpu=1"), component("worker", 4, "cpu=1 nvidia.com/gpu=1")),
			cluster("c", has("cpu=1000 nvidia.com/gpu=8"), graded("0*cpu=0", "50*cpu=4")),
			Room{Fits: 2},
		},
		"NilRequirements": {
			"a component without requests has pods alone", job(workv1alpha2.Component{Name: "w", Replicas: 50}),
			cluster("c", has(""), graded("0*cpu=0", "1*cpu=1")),
			Room{Fits: 2},
		},
		"DecimalInBinary": {
			"256 nodes of 1Gi hold 256 sets of 1G", job(component("w", 1, "memory=1G"), component("e", 1, "cpu=1")),
			cluster("c", has(plenty), graded("0*cpu=0,memory=0", "256*cpu=8,memory=1Gi")),
			Room{Fits: 256},
		},
		"MegaInBinary":  {"and of 1000M", job(component("w", 1, "memory=1000M"), component("e", 1, "cpu=1")), cluster("c", has(plenty), graded("0*cpu=0,memory=0", "256*cpu=8,memory=1048576Ki")), Room{Fits: 256}},
		"BytesInBinary": {"and of 1073741824", job(component("w", 1, "memory=1073741824"), component("e", 1, "cpu=1")), cluster("c", has(plenty), graded("0*cpu=0,memory=0", "256*cpu=8,memory=1Gi")), Room{Fits: 256}},
		"OneByteMore": {
			"but none of one byte more", job(component("w", 1, "memory=1073741825"), component("e", 1, "cpu=1")),
			cluster("c", has(plenty), graded("0*cpu=0,memory=0", "256*cpu=8,memory=1Gi")),
			Room{Lacking: "memory on one node"},
		},
		"MilliCores": {
			"1500m and 2500m on nodes of 4", job(component("a", 1, "cpu=1500m"), component("b", 1, "cpu=2500m")),
			cluster("c", has(plenty), graded("0*cpu=0", "5*cpu=4")),
			Room{Fits: 5},
		},
		"NoCommonScale": {
			"where int64 cannot hold the amounts, whole sets on one node count, exactly", job(component("a", 1, "memory=1n"), component("b", 1, "memory=512Gi")),
			cluster("c", has(plenty), graded("0*memory=0", "3*memory=1100Gi")),
			Room{Fits: 6},
		},
		"DefaultIsNoMinimum": {
			"workers of 2 cores on ten nodes of 4 cores and 8Gi, in grade 1", job(component("m", 1, "cpu=1 memory=1Gi"), component("w", 4, "cpu=2 memory=2Gi")),
			cluster("c", has("cpu=40 memory=80Gi"), byDefault(0, 10)),
			Room{Fits: 4},
		},
		"DefaultExcludes": {
			"a worker that no node of grade 1 holds", job(component("m", 1, "cpu=1 memory=1Gi"), component("w", 4, "cpu=2 memory=16Gi")),
			cluster("c", has("cpu=1000 memory=1000Gi"), byDefault(0, 100)),
			Room{Lacking: "room on one node"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			spec := flink(1, once)
			spec.Components = tc.components
			if got := ModeledCapacity(spec, clusters(tc.cluster), nil)["c"]; got != tc.want {
				t.Errorf("got %+v, want %+v: %s", got, tc.want, tc.reason)
			}
		})
	}
}

func TestModeledCapacityLessTaken(t *testing.T) {
	cases := map[string]struct {
		reason  string
		request string
		free    string
		taken   string
		want    int64
	}{
		"Nothing":       {"two large nodes hold one replica of 8 each", "cpu=8", "cpu=36", "", 2},
		"OfALargeNode":  {"what was placed may be on a large node", "cpu=8", "cpu=26", "cpu=6 pods=1", 1},
		"OfBoth":        {"or on both", "cpu=8", "cpu=26", "cpu=12 pods=2", 0},
		"BeyondGrades":  {"what the nodes have beyond their grades is used first", "cpu=8", "cpu=36", "cpu=6 pods=1", 2},
		"PartlyBeyond":  {"and then the grades", "cpu=8", "cpu=30", "cpu=6 pods=1", 1},
		"OtherResource": {"another resource displaces nothing", "cpu=8", "cpu=26 memory=1Gi", "memory=1Gi", 2},
		"Once":          {"it is taken off once, though the summary has it off too: 26-6", "cpu=1", "cpu=26", "cpu=6 pods=1", 20},
		"LittleFree":    {"a summary with less than the grades is the bound", "cpu=1", "cpu=9", "cpu=6 pods=1", 3},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := cluster("c", has(tc.free), graded("0*cpu=0", "10*cpu=1", "2*cpu=8"))
			one := asking(tc.request)
			if got := ModeledCapacity(one, clusters(c), Taken{"c": resources(tc.taken)})["c"].Fits; got != tc.want {
				t.Errorf("%d replicas fit, want %d: %s", got, tc.want, tc.reason)
			}
			set := flink(1, once)
			set.Components = []workv1alpha2.Component{component("a", 1, tc.request), component("b", 1, "")}
			if got := ModeledCapacity(set, clusters(c), Taken{"c": resources(tc.taken)})["c"].Fits; got != tc.want {
				t.Errorf("%d sets fit, want %d: %s", got, tc.want, tc.reason)
			}
		})
	}
}

// TestGradesWake has whoever waits for room look again when more nodes are in a grade,
// though the sums are the same.
func TestGradesWake(t *testing.T) {
	before := cluster("c", has("cpu=10"), graded("8*cpu=0", "0*cpu=2", "1*cpu=4"))
	waiting := &workv1alpha2.ResourceBindingStatus{}
	cases := map[string]struct {
		change func(*clusterv1alpha1.Cluster)
		want   bool
	}{
		"Nothing": {func(*clusterv1alpha1.Cluster) {}, false},
		"MoreNodes": {func(c *clusterv1alpha1.Cluster) {
			c.Status.ResourceSummary.AllocatableModelings[1].Count = 1
		}, true},
		"FewerNodes": {func(c *clusterv1alpha1.Cluster) {
			c.Status.ResourceSummary.AllocatableModelings[2].Count = 0
		}, false},
		"NotCountedAnyMore": {func(c *clusterv1alpha1.Cluster) { c.Status.ResourceSummary.AllocatableModelings = nil }, true},
		"OtherModels": {func(c *clusterv1alpha1.Cluster) {
			c.Spec.ResourceModels[1].Ranges[0].Min = resources("cpu=3")["cpu"]
		}, true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			after := before.DeepCopy()
			tc.change(after)
			if got := (Change{Before: before, After: after}).Concerns(asking("cpu=4"), waiting); got != tc.want {
				t.Errorf("concerned = %t, want %t", got, tc.want)
			}
		})
	}
}
