// SPDX-License-Identifier: Apache-2.0

package placement

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// TestProperties checks what holds for every decision, on random ones.
func TestProperties(t *testing.T) {
	placed := map[string]int{}
	for seed := range uint64(4000) {
		in := randomInput(rand.New(rand.NewPCG(seed, 7)))
		before := in.copy()
		got, err := selectMeasured(in)
		if diff := cmp.Diff(before, in); diff != "" {
			t.Fatalf("seed %d: Select changed its input (-before +after):\n%s", seed, diff)
		}
		for name, broken := range properties {
			if problem := broken(in, got, err); problem != "" {
				spec, _ := json.Marshal(in.Spec)
				t.Fatalf("seed %d: %s: %s\nspec: %s\nresult: %v, %v", seed, name, problem, spec, got, err)
			}
		}
		placed[outcome(in, err)]++
	}
	for _, o := range []string{"placed replicas", "placed components", "placed object", "unfit", "unschedulable"} {
		if placed[o] < 100 {
			t.Errorf("only %d random inputs were %s, of %v: they prove too little", placed[o], o, placed)
		}
	}
}

// properties return what is wrong with a decision, or "".
var properties = map[string]func(in Input, got Result, err error) string{
	"is steady": func(in Input, got Result, err error) string {
		if err != nil {
			return ""
		}
		again := in.copy()
		again.Fresh = false
		again.Spec.Clusters = got.copy().Clusters
		again.Status = observed(got.AffinityName)
		return cmp.Diff(decided(got, nil), decided(selectMeasured(again)))
	},
	"needs no other decision then": func(in Input, got Result, err error) string {
		if err != nil {
			return ""
		}
		again := in.copy()
		again.Spec.Clusters, again.Status = got.copy().Clusters, observed(got.AffinityName)
		if cause := Needed(again, in.Spec.Placement); cause != NotNeeded && cause != Copied {
			return string(cause)
		}
		return ""
	},
	"does not depend on the order of clusters": func(in Input, got Result, err error) string {
		other := in.copy()
		slices.Reverse(other.Clusters)
		if diff := cmp.Diff(decided(got, err), decided(selectMeasured(other))); diff != "" {
			return diff
		}
		slices.Reverse(other.Spec.Clusters)
		return cmp.Diff(decided(got, err), decided(selectMeasured(other)))
	},
	"places all replicas and no more": func(in Input, got Result, err error) string {
		sum := int32(0)
		for _, c := range got.Clusters {
			sum += c.Replicas
		}
		if err == nil && len(in.Spec.Components) == 0 && strategyOf(in.Spec.Placement.ReplicaScheduling) != duplicated && sum != in.Spec.Replicas {
			return fmt.Sprintf("%d of %d replicas", sum, in.Spec.Replicas)
		}
		return ""
	},
	"uses only clusters that stay": func(in Input, got Result, err error) string {
		for _, t := range got.Clusters {
			c := in.find(t.Name)
			evicting := slices.ContainsFunc(in.Spec.GracefulEvictionTasks, func(g workv1alpha2.GracefulEvictionTask) bool { return g.FromCluster == t.Name })
			if c == nil || evicting || c.DeletionTimestamp != nil {
				return t.Name
			}
		}
		return ""
	},
	"assigns newcomers no more than fits": func(in Input, got Result, err error) string {
		if !strategyOf(in.Spec.Placement.ReplicaScheduling).byCapacity() || len(in.Spec.Components) > 0 {
			return ""
		}
		for _, t := range got.Clusters {
			fits := SummaryCapacity(in.Spec, in.Clusters, nil)[t.Name].Fits
			if int64(t.Replicas) > fits && !in.isTarget(t.Name) {
				return fmt.Sprintf("%s has room for %d replicas", t.Name, fits)
			}
		}
		return ""
	},
	"keeps components together where they fit": func(in Input, got Result, err error) string {
		if err != nil || !together(in.Spec) {
			return ""
		}
		if len(got.Clusters) != 1 {
			return "not one cluster"
		}
		room, known := SummaryCapacity(in.Spec, in.Clusters, nil)[got.Clusters[0].Name]
		if known && room.Fits == 0 && !in.isTarget(got.Clusters[0].Name) {
			return "no room there"
		}
		return ""
	},
	"respects maxGroups": func(in Input, got Result, err error) string {
		for _, s := range in.Spec.Placement.SpreadConstraints {
			if strategyOf(in.Spec.Placement.ReplicaScheduling) != static && s.MaxGroups > 0 && len(got.Clusters) > s.MaxGroups {
				return fmt.Sprintf("%d clusters, %d allowed", len(got.Clusters), s.MaxGroups)
			}
		}
		return ""
	},
	"is sorted and not empty, or an error": func(in Input, got Result, err error) string {
		if (len(got.Clusters) == 0) != (err != nil) {
			return "both or neither"
		}
		if !slices.IsSortedFunc(got.Clusters, func(a, b workv1alpha2.TargetCluster) int { return cmpNames(a.Name, b.Name) }) {
			return "not sorted"
		}
		return ""
	},
}

// cmpNames makes equal names count as not sorted.
func cmpNames(a, b string) int {
	if a > b {
		return 1
	}
	return -1
}

// decided makes a decision comparable.
func decided(r Result, err error) []any { return []any{r, kind(err)} }

func outcome(in Input, err error) string {
	switch err.(type) {
	case *FitError:
		return "unfit"
	case *UnschedulableError:
		return "unschedulable"
	}
	if together(in.Spec) {
		return "placed components"
	}
	if in.Spec.Replicas > 0 {
		return "placed replicas"
	}
	return "placed object"
}

func (in Input) copy() Input {
	out := in
	out.Spec, out.Status, out.Clusters = in.Spec.DeepCopy(), in.Status.DeepCopy(), nil
	for _, c := range in.Clusters {
		out.Clusters = append(out.Clusters, c.DeepCopy())
	}
	return out
}

func (r Result) copy() Result {
	return Result{Clusters: (&workv1alpha2.ResourceBindingSpec{Clusters: r.Clusters}).DeepCopy().Clusters, AffinityName: r.AffinityName}
}

func (in Input) find(name string) *clusterv1alpha1.Cluster {
	for _, c := range in.Clusters {
		if c.Name == name {
			return c
		}
	}
	return nil
}

func (in Input) isTarget(name string) bool {
	return slices.ContainsFunc(in.Spec.Clusters, func(t workv1alpha2.TargetCluster) bool { return t.Name == name })
}

// randomInput makes up to six clusters, a to f, and a binding on some of them.
func randomInput(r *rand.Rand) Input {
	chance := func(percent int) bool { return r.IntN(100) < percent }
	names := []string{"a", "b", "c", "d", "e", "f"}
	some := func(percent int) []string {
		return slices.DeleteFunc(slices.Clone(names), func(string) bool { return !chance(percent) })
	}
	in := Input{Status: observed([]string{"", "first", "second"}[r.IntN(3)]), Fresh: chance(15)}
	for _, name := range names[:1+r.IntN(6)] {
		c := cluster(name)
		for _, change := range []struct {
			percent int
			with    func(*clusterv1alpha1.Cluster)
		}{
			{15, taint("k=v:NoSchedule")},
			{10, taint("l=v:NoExecute")},
			{8, withoutAPIs},
			{5, deleting},
			{60, label("env", "prod")},
			{80, has(fmt.Sprintf("cpu=%d memory=%dM", r.IntN(20), r.IntN(20_000)))},
		} {
			if chance(change.percent) {
				change.with(c)
			}
		}
		in.Clusters = append(in.Clusters, c)
	}
	in.Spec = randomWorkload(r)
	in.Spec.Resource.UID = types.UID(fmt.Sprint(r.IntN(100)))
	for _, name := range some(25) {
		in.Spec.Clusters = append(in.Spec.Clusters, to(name, int32(r.IntN(6))))
	}
	leaving(some(12)...)(in.Spec)
	if chance(30) {
		tolerating(corev1.Toleration{Key: "k", Operator: corev1.TolerationOpExists})(in.Spec)
	}
	randomPlacement(r, in.Spec)
	return in
}

func randomWorkload(r *rand.Rand) *workv1alpha2.ResourceBindingSpec {
	switch r.IntN(4) {
	case 0:
		return flink(int32(r.IntN(6)))
	case 1:
		return configMap()
	}
	d := deployment(int32(r.IntN(25)))
	d.ReplicaRequirements.ResourceRequest = resources("cpu=500m memory=512Mi")
	return d
}

func randomPlacement(r *rand.Rand, spec *workv1alpha2.ResourceBindingSpec) {
	switch r.IntN(6) {
	case 3:
		affinity(policyv1alpha1.ClusterAffinity{LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"env": "prod"}}})(spec)
	case 0:
		affinity(named("a", "b", "c"))(spec)
	case 1:
		groups("first: a,b", "second: c,d,e")(spec)
	case 2:
		groups("first: a,b+c+d,e,f", "second: b,c+a")(spec)
	}
	strategies := []specOption{func(*workv1alpha2.ResourceBindingSpec) {}, copiedAll, equally, byWeights(map[string]int64{"a": 1, "b": 5, "c": 2}), byFreeRoom, onFew, byFreeRoom, onFew}
	strategies[r.IntN(len(strategies))](spec)
	switch r.IntN(4) {
	case 0:
		once(spec)
	case 1:
		spread("cluster", r.IntN(2), r.IntN(4))(spec)
	}
}
