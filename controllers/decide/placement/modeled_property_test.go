// SPDX-License-Identifier: Apache-2.0

package placement

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// amount is so many cores and Gi.
type amount [2]int

func (a amount) fits(in amount) bool { return a[0] <= in[0] && a[1] <= in[1] }

func (a amount) from(in amount) amount { return amount{in[0] - a[0], in[1] - a[1]} }

// story is a cluster of few small nodes, and components of few replicas.
type story struct {
	minimums []amount
	counts   []int
	parts    []amount
	replicas []int
}

func newStory(r *rand.Rand, nodes, parts int) story {
	s := story{minimums: []amount{{}}, counts: []int{r.IntN(2)}}
	for range 1 + r.IntN(3) {
		last := s.minimums[len(s.minimums)-1]
		s.minimums = append(s.minimums, amount{last[0] + 1 + r.IntN(5), last[1] + 1 + r.IntN(5)})
		s.counts = append(s.counts, 0)
	}
	for range 1 + r.IntN(nodes) {
		s.counts[1+r.IntN(len(s.counts)-1)]++
	}
	for range 1 + r.IntN(parts) {
		s.parts = append(s.parts, amount{r.IntN(6), r.IntN(6)})
		s.replicas = append(s.replicas, r.IntN(4))
	}
	return s
}

// capacity is the answer under test.
func (s story) capacity(shuffle func(n int, swap func(i, j int))) int {
	c, spec := cluster("c", has(plenty), graded(s.words()...)), s.spec()
	if shuffle != nil {
		models, counts, parts := c.Spec.ResourceModels, c.Status.ResourceSummary.AllocatableModelings, spec.Components
		shuffle(len(models), func(i, j int) { models[i], models[j] = models[j], models[i] })
		shuffle(len(counts), func(i, j int) { counts[i], counts[j] = counts[j], counts[i] })
		shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	}
	return int(ModeledCapacity(spec, clusters(c), nil)["c"].Fits)
}

// words are the grades as graded takes them.
func (s story) words() []string {
	words := make([]string, len(s.counts))
	for i, m := range s.minimums {
		words[i] = fmt.Sprintf("%d*cpu=%d,memory=%dGi", s.counts[i], m[0], m[1])
	}
	return words
}

// spec is what is placed.
func (s story) spec() *workv1alpha2.ResourceBindingSpec {
	spec := flink(1, once)
	spec.Components = nil
	for i, p := range s.parts {
		spec.Components = append(spec.Components, component(fmt.Sprint(i), int32(s.replicas[i]), fmt.Sprintf("cpu=%d memory=%dGi", p[0], p[1])))
	}
	return spec
}

// nodes lists the nodes one by one.
func (s story) nodes() []amount {
	var all []amount
	for i, n := range s.counts {
		all = append(all, slices.Repeat([]amount{s.minimums[i]}, n)...)
	}
	return all
}

// pods lists the pods of so many sets that take anything, the large ones first.
func (s story) pods(sets int) []amount {
	var all []amount
	for i, p := range s.parts {
		if p != (amount{}) {
			all = append(all, slices.Repeat([]amount{p}, sets*s.replicas[i])...)
		}
	}
	slices.SortFunc(all, func(a, b amount) int { return b[0] + b[1] - a[0] - a[1] })
	return all
}

// packable reports whether there is any way to put the pods on the nodes: it tries all.
func packable(pods, nodes []amount) bool {
	if len(pods) == 0 {
		return true
	}
	tried := map[amount]bool{}
	for i, n := range nodes {
		if tried[n] || !pods[0].fits(n) {
			continue
		}
		tried[n] = true
		nodes[i] = pods[0].from(n)
		ok := packable(pods[1:], nodes)
		nodes[i] = n
		if ok {
			return true
		}
	}
	return false
}

// firstFit packs set after set, pod after pod, on the first node with room, as Karmada does.
func (s story) firstFit(limit int) int {
	nodes := s.nodes()
	for sets := range limit {
		for _, p := range s.pods(1) {
			at := slices.IndexFunc(nodes, p.fits)
			if at < 0 {
				return sets
			}
			nodes[at] = p.from(nodes[at])
		}
	}
	return limit
}

// TestSetsHaveRoom compares the answer for sets with a search through all ways to put pods on
// nodes: it is never above, and reports how often it is the best there is.
func TestSetsHaveRoom(t *testing.T) {
	best, better, worse, all := 0, 0, 0, 0
	for seed := range uint64(3000) {
		s := newStory(rand.New(rand.NewPCG(seed, 7)), 4, 4)
		if len(s.pods(1)) == 0 {
			continue
		}
		got := s.capacity(nil)
		if (got+1)*len(s.pods(1)) > 12 {
			continue // too long to search
		}
		if !packable(s.pods(got), s.nodes()) {
			t.Fatalf("seed %d: there is no way to put %d sets of %+v there", seed, got, s)
		}
		all++
		if !packable(s.pods(got+1), s.nodes()) {
			best++
		}
		if naive := s.firstFit(got + 2); naive > got {
			worse++
		} else if naive < got {
			better++
		}
	}
	t.Logf("of %d answers %d are the best there is; set by set first fit has fewer in %d and more in %d", all, best, better, worse)
	if all < 1000 || best < all*9/10 {
		t.Errorf("only %d of %d answers are the best there is", best, all)
	}
}

// TestMoreNodesHoldNoFewerSets adds a node of each grade in turn.
func TestMoreNodesHoldNoFewerSets(t *testing.T) {
	for seed := range uint64(4000) {
		s := newStory(rand.New(rand.NewPCG(seed, 8)), 30, 6)
		before := s.capacity(nil)
		for i := range s.counts {
			s.counts[i]++
			if after := s.capacity(nil); after < before {
				t.Fatalf("seed %d: %d sets, and %d with one more node of grade %d: %+v", seed, before, after, i, s)
			}
			s.counts[i]--
		}
	}
}

// TestFewerSetsHoldToo has what the binary search relies on: if more sets fit, fewer do.
func TestFewerSetsHoldToo(t *testing.T) {
	for seed := range uint64(300) {
		s := newStory(rand.New(rand.NewPCG(seed, 9)), 30, 6)
		p := packing{resources: 2}
		for i, m := range s.minimums {
			if s.counts[i] > 0 {
				p.nodes = append(p.nodes, equalNodes{count: int64(s.counts[i]), whole: len(p.amounts), free: len(p.amounts)})
				p.amounts = append(p.amounts, int64(m[0]), int64(m[1]))
			}
		}
		for i, a := range s.parts {
			if a != (amount{}) && s.replicas[i] > 0 {
				p.parts = append(p.parts, sizedPart{int64(s.replicas[i]), []int64{int64(a[0]), int64(a[1])}})
			}
		}
		if len(p.parts) == 0 {
			continue
		}
		held := true
		for sets := range int64(120) {
			holds := p.holds(sets + 1)
			if holds && !held {
				t.Fatalf("seed %d: %d sets hold and %d do not", seed, sets+1, sets)
			}
			held = holds
		}
	}
}

// TestSetsDoNotDependOnOrder shuffles models, counts and components.
func TestSetsDoNotDependOnOrder(t *testing.T) {
	for seed := range uint64(1000) {
		r := rand.New(rand.NewPCG(seed, 10))
		s := newStory(r, 20, 5)
		if a, b := s.capacity(nil), s.capacity(r.Shuffle); a != b {
			t.Fatalf("seed %d: %d sets, and %d in another order: %+v", seed, a, b, s)
		}
	}
}

// TestReplicasEqualThoseOfEachNode compares the closed form with a walk over the nodes.
func TestReplicasEqualThoseOfEachNode(t *testing.T) {
	for seed := range uint64(1000) {
		r := rand.New(rand.NewPCG(seed, 11))
		s := newStory(r, 40, 1)
		request := amount{1 + r.IntN(4), r.IntN(4)}
		want := 0
		for _, n := range s.nodes() {
			for ; request.fits(n); n = request.from(n) {
				want++
			}
		}
		c := cluster("c", has(plenty), graded(s.words()...))
		if got := ModeledCapacity(asking(fmt.Sprintf("cpu=%d memory=%dGi", request[0], request[1])), clusters(c), nil)["c"].Fits; int(got) != want {
			t.Fatalf("seed %d: %d replicas of %v, want %d: %+v", seed, got, request, want, s)
		}
	}
}

// TestDefaultModelsExcludeOnlyWhatCannotFit makes nodes whose free resources are known,
// counts them by the default models, and compares with what fits on the nodes.
func TestDefaultModelsExcludeOnlyWhatCannotFit(t *testing.T) {
	excluded := 0
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 12))
		request, counts, cores, gi, fits := amount{1 + r.IntN(40), 1 + r.IntN(160)}, make([]int, 9), 0, 0, 0
		for range 1 + r.IntN(10) {
			n := amount{r.IntN(64), r.IntN(256)}
			cores, gi = cores+n[0], gi+n[1]
			counts[defaultGrade(n)]++
			for ; request.fits(n); n = request.from(n) {
				fits++
			}
		}
		c := cluster("c", has(fmt.Sprintf("pods=100000 cpu=%d memory=%dGi", cores, gi)), byDefault(counts...))
		spec := asking(fmt.Sprintf("cpu=%d memory=%dGi", request[0], request[1]))
		got := int(ModeledCapacity(spec, clusters(c), nil)["c"].Fits)
		if got < fits {
			t.Fatalf("seed %d: %d replicas of %v fit on nodes of grades %v, and the models have %d", seed, fits, request, counts, got)
		}
		if int64(got) < SummaryCapacity(spec, clusters(c), nil)["c"].Fits {
			excluded++
		}
	}
	if excluded == 0 {
		t.Error("the default models never excluded anything")
	}
	t.Logf("the default models had less than the summary in %d of 2000", excluded)
}

// defaultGrade returns the default grade of a node by hand.
func defaultGrade(free amount) int {
	grade := 0
	for i, m := range []amount{{0, 0}, {1, 4}, {2, 16}, {4, 32}, {8, 64}, {16, 128}, {32, 256}, {64, 512}, {128, 1024}} {
		if m.fits(free) {
			grade = i
		}
	}
	return grade
}

// BenchmarkModeledCapacity measures clusters of 1,000 nodes each, over five of nine own grades
// or by the default models, for a replica, for a set of two components, and for one of five.
func BenchmarkModeledCapacity(b *testing.B) {
	own := graded("100*cpu=0,memory=0", "0*cpu=1,memory=4Gi", "300*cpu=2,memory=16Gi", "300*cpu=4,memory=32Gi", "200*cpu=8,memory=64Gi",
		"100*cpu=16,memory=128Gi", "0*cpu=32,memory=256Gi", "0*cpu=64,memory=512Gi", "0*cpu=128,memory=1Ti")
	two := flink(4, once)
	two.Components[0].ReplicaRequirements.ResourceRequest = resources("cpu=100m memory=128Mi")
	two.Components[1].ReplicaRequirements.ResourceRequest = resources("cpu=1500m memory=3Gi")
	five := two.DeepCopy()
	for i, request := range []string{"cpu=250m memory=1G", "cpu=2 memory=1Gi", "cpu=700m memory=9Gi"} {
		five.Components = append(five.Components, component(fmt.Sprint(i), int32(i+2), request))
	}
	for _, bench := range []struct {
		name string
		spec *workv1alpha2.ResourceBindingSpec
		with func(*clusterv1alpha1.Cluster)
	}{
		{"Replicas", asking("cpu=100m memory=128Mi"), own},
		{"TwoComponents", two, own},
		{"FiveComponents", five, own},
		{"ReplicasByDefault", asking("cpu=100m memory=128Mi"), byDefault(100, 0, 300, 300, 200, 100)},
		{"FiveComponentsByDefault", five, byDefault(100, 0, 300, 300, 200, 100)},
	} {
		for _, n := range []int{1, 100} {
			b.Run(fmt.Sprintf("%s/clusters=%d", bench.name, n), func(b *testing.B) {
				var all []*clusterv1alpha1.Cluster
				for i := range n {
					all = append(all, cluster(fmt.Sprintf("member%03d", i), has("pods=110000 cpu=6500 memory=52Ti"), bench.with))
				}
				b.ReportAllocs()
				for b.Loop() {
					if got := ModeledCapacity(bench.spec, all, nil); got["member000"].Fits < 100 {
						b.Fatal(got)
					}
				}
			})
		}
	}
}

// TestBoundsDecideAsCapacity decides about sets by bounds that are refined, and by the capacity of
// all clusters.
func TestBoundsDecideAsCapacity(t *testing.T) {
	placed, asked, all := 0, 0, 0
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 13))
		s := newStory(r, 20, 5)
		spec := s.spec()
		if len(spec.Components) == 0 {
			continue
		}
		var fleet []*clusterv1alpha1.Cluster
		for i := range 1 + r.IntN(6) {
			s.counts = append([]int(nil), s.counts...)
			for g := range s.counts {
				s.counts[g] = r.IntN(6)
			}
			fleet = append(fleet, cluster(fmt.Sprint("c", i), has(plenty), graded(s.words()...)))
		}
		taken := Taken{"c0": resources(fmt.Sprintf("cpu=%d pods=1", r.IntN(9)))}
		in := Input{Spec: spec, Clusters: fleet, Capacity: ModeledCapacity(spec, fleet, taken)}
		want, wantErr := Select(in)
		bounds, refine := ModeledBounds(spec, fleet, taken)
		in.Capacity, in.Refine = bounds, func(name string, atLeast int64) Room { asked++; return refine(name, atLeast) }
		got, gotErr := Select(in)
		if diff := cmp.Diff(want, got); diff != "" || fmt.Sprint(wantErr) != fmt.Sprint(gotErr) {
			t.Fatalf("seed %d: by bounds %v, %v; by capacity %v, %v: %+v", seed, got, gotErr, want, wantErr, s)
		}
		if wantErr == nil {
			placed, all = placed+1, all+len(fleet)
		}
	}
	if placed < 500 {
		t.Errorf("only %d of 2000 were placed", placed)
	}
	t.Logf("%d of 2000 were placed, on one of %d clusters; %d were refined, also where nothing was placed", placed, all, asked)
}

// BenchmarkModeledSelect decides about new bindings among 100 clusters of about 1,000 nodes, of
// which no two are alike: replicas that are divided, and sets of two and five components.
func BenchmarkModeledSelect(b *testing.B) {
	replicas := spec("group29.example.com/v1", "Kind4", []specOption{onFew})
	replicas.Replicas, replicas.ReplicaRequirements = 10, &workv1alpha2.ReplicaRequirements{ResourceRequest: resources("cpu=100m memory=128Mi")}
	two := spec("group29.example.com/v1", "Kind4", []specOption{onFew, once})
	two.Components = []workv1alpha2.Component{component("jobmanager", 1, "cpu=100m memory=128Mi"), component("taskmanager", 4, "cpu=1500m memory=3Gi")}
	five := two.DeepCopy()
	for i, request := range []string{"cpu=250m memory=1G", "cpu=2 memory=1Gi", "cpu=700m memory=9Gi"} {
		five.Components = append(five.Components, component(fmt.Sprint(i), int32(i+2), request))
	}
	for _, bench := range []struct {
		name string
		spec *workv1alpha2.ResourceBindingSpec
	}{{"Replicas", replicas}, {"TwoComponents", two}, {"FiveComponents", five}} {
		for _, n := range []int{1, 100} {
			b.Run(fmt.Sprintf("%s/clusters=%d", bench.name, n), func(b *testing.B) {
				in := Input{Spec: bench.spec, Clusters: manyClusters(n)}
				for i, c := range in.Clusters {
					has("pods=110000 cpu=6500 memory=52Ti")(c)
					graded(fmt.Sprintf("%d*cpu=0,memory=0", 100+i), "0*cpu=1,memory=4Gi", fmt.Sprintf("%d*cpu=2,memory=16Gi", 300-i), "300*cpu=4,memory=32Gi",
						fmt.Sprintf("%d*cpu=8,memory=64Gi", 150+i%50), "100*cpu=16,memory=128Gi", "0*cpu=32,memory=256Gi", "0*cpu=64,memory=512Gi", "0*cpu=128,memory=1Ti")(c)
				}
				b.ReportAllocs()
				for b.Loop() {
					in.Capacity, in.Refine = ModeledBounds(in.Spec, in.Clusters, nil)
					if _, err := Select(in); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
