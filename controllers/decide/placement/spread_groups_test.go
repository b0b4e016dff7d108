// SPDX-License-Identifier: Apache-2.0

package placement

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

func TestSpreadByRegion(t *testing.T) {
	in := func(name, region string, with ...func(*clusterv1alpha1.Cluster)) *clusterv1alpha1.Cluster {
		return cluster(name, append(with, located("", region))...)
	}
	plain := clusters(in("a1", "a"), in("b1", "b"), in("b2", "b"), in("c1", "c"), in("c2", "c"), in("c3", "c"), cluster("nowhere"))
	rooms := clusters(in("a1", "a", has("cpu=1")), in("a2", "a", has("cpu=2")), in("b1", "b", has("cpu=9")), in("b2", "b", has("cpu=1")))
	testSelect(t, map[string]selectCase{
		"OneOfEach": {
			reason: "The limit of clusters gives way to the number of regions.",
			in:     Input{Spec: deployment(2, spread("cluster", 1, 1), spread("region", 2, 2)), Clusters: plain},
			want:   result(to("a1", 2), to("b1", 2)),
		},
		"OneRegion": {
			reason: "One cluster of one region.",
			in:     Input{Spec: deployment(2, spread("cluster", 1, 1), spread("region", 1, 1)), Clusters: plain},
			want:   result(to("a1", 2)),
		},
		"FewestRegions": {
			reason: "As few regions as have enough clusters.",
			in:     Input{Spec: deployment(2, spread("cluster", 1, 1), spread("region", 1, 3)), Clusters: plain},
			want:   result(to("a1", 2)),
		},
		"Filled": {
			reason: "One of each region, then the best others of them.",
			in:     Input{Spec: deployment(2, spread("cluster", 3, 3), spread("region", 2, 2)), Clusters: plain},
			want:   result(to("a1", 2), to("b1", 2), to("b2", 2)),
		},
		"LargeRegions": {
			reason: "Four clusters in two regions are not in the first two; five are in the largest.",
			in:     Input{Spec: deployment(2, spread("cluster", 5, 5), spread("region", 2, 2)), Clusters: plain},
			want:   result(to("b1", 2), to("b2", 2), to("c1", 2), to("c2", 2), to("c3", 2)),
		},
		"MoreRegionsForMoreClusters": {
			reason: "No two regions have six clusters.",
			in:     Input{Spec: deployment(2, spread("cluster", 6, 6), spread("region", 1, 3)), Clusters: plain},
			want:   result(to("a1", 2), to("b1", 2), to("b2", 2), to("c1", 2), to("c2", 2), to("c3", 2)),
		},
		"Stays": {
			reason: "Present targets go before all others.",
			in:     Input{Spec: deployment(2, on(to("c2", 2)), spread("cluster", 1, 1), spread("region", 1, 1)), Clusters: plain},
			want:   result(to("c2", 2)),
		},
		"TooFewRegions": {
			reason: "A cluster without a region is in none.",
			in:     Input{Spec: deployment(2, spread("cluster", 1, 1), spread("region", 4, 4)), Clusters: plain},
			err:    "UnschedulableError: the spread constraint asks for at least 4 regions, clusters of 3 fit",
		},
		"TooFewClusters": {
			reason: "No two regions have six clusters.",
			in:     Input{Spec: deployment(2, spread("cluster", 6, 6), spread("region", 2, 2)), Clusters: plain},
			err:    "UnschedulableError: the spread constraints ask for at least 6 clusters in 2 of 3 regions, and no choice of the 6 that fit has these",
		},
		"RoomiestRegion": {
			reason: "One region has room for eight replicas.",
			in:     Input{Spec: deployment(8, onFew, spread("cluster", 1, 1), spread("region", 1, 1)), Clusters: rooms},
			want:   result(to("b1", 8)),
		},
		"RoomInEach": {
			reason: "The roomiest of each region.",
			in:     Input{Spec: deployment(11, byFreeRoom, spread("cluster", 2, 2), spread("region", 2, 2)), Clusters: rooms},
			want:   result(to("a2", 2), to("b1", 9)),
		},
		"NoRoom": {
			reason: "Two clusters do not do.",
			in:     Input{Spec: deployment(12, byFreeRoom, spread("cluster", 2, 2), spread("region", 1, 2)), Clusters: rooms},
			err:    "UnschedulableError: the spread constraints ask for at least 2 and at most 2 clusters in 1 to 2 of 2 regions, and no choice of the 4 that fit has room for 12 replicas",
		},
		"NoRegion": {
			reason: "No cluster has a region.",
			in:     Input{Spec: deployment(2, spread("cluster", 1, 1), spread("region", 1, 1)), Clusters: members("a", "b")},
			err:    "FitError: 0/2 clusters are available: 2 cluster(s) did not have region property.",
		},
	})
}

func TestSpreadByGroups(t *testing.T) {
	byLabel := func(key string, least, most int) specOption {
		return func(s *workv1alpha2.ResourceBindingSpec) {
			s.Placement.SpreadConstraints = append(s.Placement.SpreadConstraints, policyv1alpha1.SpreadConstraint{SpreadByLabel: key, MinGroups: least, MaxGroups: most})
		}
	}
	in := func(name, provider, region, zones string, with ...func(*clusterv1alpha1.Cluster)) *clusterv1alpha1.Cluster {
		return cluster(name, append(with, located(provider, region, strings.Fields(zones)...))...)
	}
	labelled := clusters(cluster("a", label("env", "prod")), cluster("b", label("env", "prod")), cluster("c", label("env", "test")), cluster("d"))
	all := clusters(
		in("a", "p", "eu", "eu1"), in("b", "p", "eu", "eu2"), in("c", "p", "us", "us1"),
		in("d", "q", "eu", "eu1"), in("e", "q", "us", "us1 us2"))
	testSelect(t, map[string]selectCase{
		"Label": {
			reason: "One cluster of each value, and none without the label.",
			in:     Input{Spec: configMap(byLabel("env", 2, 2), spread("cluster", 1, 2)), Clusters: labelled},
			want:   result(to("a", 0), to("c", 0)),
		},
		"LabelAlone": {
			reason: "Without a limit for clusters all of one value are taken.",
			in:     Input{Spec: configMap(byLabel("env", 1, 1)), Clusters: labelled},
			want:   result(to("a", 0), to("b", 0)),
		},
		"TooFewValues": {
			reason: "The label is named.",
			in:     Input{Spec: configMap(byLabel("env", 3, 3)), Clusters: labelled},
			err:    "UnschedulableError: the spread constraint asks for at least 3 values of label env, clusters of 2 fit",
		},
		"Provider": {
			reason: "One of each provider.",
			in:     Input{Spec: configMap(spread("provider", 2, 2), spread("cluster", 1, 2)), Clusters: all},
			want:   result(to("a", 0), to("d", 0)),
		},
		"Zones": {
			reason: "e spans two zones, so it is no choice where one is wanted.",
			in:     Input{Spec: configMap(spread("zone", 1, 1), spread("cluster", 2, 2), on(to("c", 0))), Clusters: all},
			want:   result(to("a", 0), to("d", 0)),
		},
		"TwoZonesInOneCluster": {
			reason: "e is in two zones at once.",
			in:     Input{Spec: configMap(spread("zone", 2, 2), spread("cluster", 1, 1), on(to("e", 0))), Clusters: all},
			want:   result(to("e", 0)),
		},
		"RegionAndProvider": {
			reason: "Two regions by two providers: c is the first cluster that opens neither group of a, e opens both.",
			in:     Input{Spec: configMap(spread("region", 2, 2), spread("provider", 2, 2), spread("cluster", 1, 2)), Clusters: all},
			want:   result(to("a", 0), to("e", 0)),
		},
		"RegionAndZone": {
			reason: "In one region two zones.",
			in:     Input{Spec: configMap(spread("region", 1, 1), spread("zone", 2, 2), spread("cluster", 1, 2)), Clusters: all},
			want:   result(to("a", 0), to("b", 0)),
		},
		"Contradiction": {
			reason: "Two regions have two zones at least.",
			in:     Input{Spec: configMap(spread("region", 2, 2), spread("zone", 1, 1), spread("cluster", 1, 0)), Clusters: all},
			err:    "UnschedulableError: the spread constraints ask for at least 1 clusters in 2 of 2 regions and 1 of 4 zones, and no choice of the 5 that fit has these",
		},
	})
}

// TestSpreadProperties compares spreading by up to three properties with all choices of the
// clusters: it finds one wherever there is one, what it finds is one, the order of the
// clusters does not matter, and what is there stays.
func TestSpreadProperties(t *testing.T) {
	found := map[bool]int{}
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 11))
		in := randomGroups(r)
		got, err := selectMeasured(in)
		if _, short := errors.AsType[*UnschedulableError](err); err != nil && !short {
			t.Fatalf("seed %d: %v", seed, err)
		}
		spec, _ := json.Marshal(in.Spec)
		if want := anyChoice(in); (err == nil) != want {
			t.Fatalf("seed %d: a choice of clusters that fits exists: %v; got %v, %v\nspec: %s", seed, want, got, err, spec)
		}
		found[err == nil]++
		other := in.copy()
		slices.Reverse(other.Clusters)
		if diff := cmp.Diff(decided(got, err), decided(selectMeasured(other))); diff != "" {
			t.Fatalf("seed %d: in another order (-before +after):\n%s\nspec: %s", seed, diff, spec)
		}
		if err != nil {
			continue
		}
		var chosen []*clusterv1alpha1.Cluster
		for _, c := range got.Clusters {
			chosen = append(chosen, in.find(c.Name))
		}
		if in.Spec.Replicas == 0 && !isChoice(in, chosen) {
			t.Fatalf("seed %d: %v breaks the constraints\nspec: %s", seed, got, spec)
		}
		again := in.copy()
		again.Spec.Clusters = got.copy().Clusters
		if diff := cmp.Diff(decided(got, nil), decided(selectMeasured(again))); diff != "" {
			t.Fatalf("seed %d: not steady (-before +after):\n%s\nspec: %s", seed, diff, spec)
		}
	}
	if found[true] < 500 || found[false] < 500 {
		t.Errorf("%v proves too little", found)
	}
}

// randomGroups makes up to eight clusters, and constraints by some properties.
func randomGroups(r *rand.Rand) Input {
	in := Input{}
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h"}[:1+r.IntN(8)] {
		var zones []string
		for _, z := range []string{"z1", "z2", "z3", "z4"} {
			if r.IntN(3) == 0 {
				zones = append(zones, z)
			}
		}
		if len(zones) == 0 {
			zones = []string{"z1"}
		}
		pick := func(names ...string) string { return names[r.IntN(len(names))] }
		in.Clusters = append(in.Clusters, cluster(name, located(pick("p", "q"), pick("r1", "r2", "r3"), zones...),
			label("env", pick("prod", "test", "dev")), has(fmt.Sprintf("cpu=%d", r.IntN(5)))))
	}
	fewest := r.IntN(4)
	with := []specOption{spread("cluster", fewest, []int{0, max(fewest, 1) + r.IntN(3)}[r.IntN(2)])}
	for _, field := range []policyv1alpha1.SpreadFieldValue{"region", "zone", "provider", ""} {
		if r.IntN(2) == 0 {
			continue
		}
		least := r.IntN(3)
		most := 0
		if r.IntN(3) > 0 {
			most = max(least, 1) + r.IntN(2)
		}
		with = append(with, func(s *workv1alpha2.ResourceBindingSpec) {
			c := policyv1alpha1.SpreadConstraint{SpreadByField: field, MinGroups: least, MaxGroups: most}
			if field == "" {
				c.SpreadByLabel = "env"
			}
			s.Placement.SpreadConstraints = append(s.Placement.SpreadConstraints, c)
		})
	}
	if len(with) == 1 {
		with = append(with, spread("region", 1, 0))
	}
	if r.IntN(2) == 0 {
		in.Spec = configMap(with...)
	} else {
		in.Spec = deployment(int32(1+r.IntN(8)), append(with, onFew)...)
	}
	for _, c := range in.Clusters {
		if in.Spec.Replicas == 0 && r.IntN(4) == 0 {
			in.Spec.Clusters = append(in.Spec.Clusters, to(c.Name, 0))
		}
	}
	return in
}

// anyChoice reports whether any choice of the clusters has what the constraints ask for.
func anyChoice(in Input) bool {
	for choice := 1; choice < 1<<len(in.Clusters); choice++ {
		var chosen []*clusterv1alpha1.Cluster
		for i, c := range in.Clusters {
			if choice&(1<<i) != 0 {
				chosen = append(chosen, c)
			}
		}
		if isChoice(in, chosen) {
			return true
		}
	}
	return false
}

// isChoice reports whether these clusters have what the constraints ask for.
func isChoice(in Input, chosen []*clusterv1alpha1.Cluster) bool {
	least, most, groups := 1, len(in.Clusters), 0
	for _, s := range in.Spec.Placement.SpreadConstraints {
		if byCluster(s) {
			least = max(least, s.MinGroups)
			if s.MaxGroups > 0 {
				most = min(most, s.MaxGroups)
			}
			continue
		}
		names := map[string]bool{}
		for _, c := range chosen {
			switch {
			case s.SpreadByLabel != "":
				names[c.Labels[s.SpreadByLabel]] = true
			case s.SpreadByField == "region":
				names[c.Spec.Region] = true
			case s.SpreadByField == "provider":
				names[c.Spec.Provider] = true
			default:
				for _, z := range c.Spec.Zones {
					names[z] = true
				}
			}
		}
		if len(names) < max(s.MinGroups, 1) || s.MaxGroups > 0 && len(names) > s.MaxGroups {
			return false
		}
		groups = max(groups, s.MinGroups)
	}
	room := int64(0)
	for _, c := range chosen {
		room += SummaryCapacity(in.Spec, in.Clusters, nil)[c.Name].Fits
	}
	return len(chosen) >= least && len(chosen) <= max(most, groups) && room >= int64(in.Spec.Replicas)
}
