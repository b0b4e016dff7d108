// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	interpreterv1alpha1 "github.com/dragoman-io/dragoman/api/interpreter/v1alpha1"
	"github.com/dragoman-io/dragoman/engine/script"
)

// placementRule returns a compiled rule.
func placementRule(t testing.TB, spec interpreterv1alpha1.PlacementRuleSpec) *PlacementRule {
	t.Helper()
	c, err := NewCompiler()
	if err != nil {
		t.Fatal(err)
	}
	r := &interpreterv1alpha1.PlacementRule{Spec: spec}
	r.Name = "test"
	p, errs := c.PlacementRule(r)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	return p
}

func placementInput() (binding, cluster map[string]any) {
	binding = map[string]any{
		"metadata": map[string]any{"namespace": "shop", "name": "web-deployment", "labels": map[string]any{"tier": "gold"}},
		"spec":     map[string]any{"resource": map[string]any{"kind": "Deployment", "name": "web"}, "replicas": int64(3)},
	}
	cluster = map[string]any{
		"metadata": map[string]any{"name": "member1", "labels": map[string]any{"price": "7", "power": "green"}},
		"spec":     map[string]any{"region": "north"},
	}
	return binding, cluster
}

func TestPlacementRuleFilter(t *testing.T) {
	cases := map[string]struct {
		filter, reason, failure string
		rejects                 bool
	}{
		"True":           {filter: `cluster.spec.region == "north"`},
		"False":          {filter: `cluster.spec.region == "south"`, rejects: true},
		"EmptyText":      {filter: `""`},
		"Text":           {filter: `binding.spec.replicas > 2 ? "it is too small for " + string(binding.spec.replicas) + " replicas" : ""`, reason: "it is too small for 3 replicas", rejects: true},
		"Param":          {filter: `cluster.metadata.labels[?"power"].orValue("") == params.power`},
		"Time":           {filter: `now.getHours("UTC") == 22`},
		"NoSuchField":    {filter: `cluster.spec.zone == "a"`, failure: "PlacementRule test: clusterFilter: test/clusterFilter:1:13: no such key: zone", rejects: true},
		"NeitherOfThese": {filter: `3`, failure: "clusterFilter: want a boolean, or a text that says why a cluster may not get the workload, got a number", rejects: true},
		"None":           {},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			p := placementRule(t, interpreterv1alpha1.PlacementRuleSpec{ClusterFilter: tc.filter, ClusterScore: "0", Params: map[string]string{"power": "green"}})
			b, c := placementInput()
			passes, reason, err := p.Placement(b, time.Date(2026, 1, 1, 22, 0, 0, 0, time.UTC)).Filter(c)
			if passes == tc.rejects || reason != tc.reason {
				t.Errorf("passes %t, reason %q; want %t, %q", passes, reason, !tc.rejects, tc.reason)
			}
			if tc.failure == "" && err != nil || tc.failure != "" && (err == nil || !strings.Contains(err.Error(), tc.failure)) {
				t.Errorf("error %v, want %q", err, tc.failure)
			}
		})
	}
}

func TestPlacementRuleScore(t *testing.T) {
	cases := map[string]struct {
		score   string
		weight  int32
		want    int64
		failure string
	}{
		"Number":        {score: `-int(cluster.metadata.labels.price)`, want: -7},
		"Weighed":       {score: `int(cluster.metadata.labels.price)`, weight: 10, want: 70},
		"WithoutWeight": {score: `binding.spec.replicas`, want: 3},
		"Fraction":      {score: `0.5`, failure: "clusterScore: want a whole number, got a number; int(...) makes one of another number"},
		"TooMuch":       {score: `1000001`, failure: "clusterScore: want a whole number from -1000000 to 1000000, got 1000001"},
		"Text":          {score: `"7"`, failure: "clusterScore: want a whole number, got a string"},
		"None":          {},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			p := placementRule(t, interpreterv1alpha1.PlacementRuleSpec{ClusterFilter: "true", ClusterScore: tc.score, Weight: tc.weight})
			b, c := placementInput()
			score, err := p.Placement(b, time.Time{}).Score(c)
			if score != tc.want {
				t.Errorf("score %d, want %d", score, tc.want)
			}
			if tc.failure == "" && err != nil || tc.failure != "" && (err == nil || !strings.Contains(err.Error(), tc.failure)) {
				t.Errorf("error %v, want %q", err, tc.failure)
			}
		})
	}
}

func TestPlacementRuleDoesNotCompile(t *testing.T) {
	c, err := NewCompiler()
	if err != nil {
		t.Fatal(err)
	}
	r := &interpreterv1alpha1.PlacementRule{Spec: interpreterv1alpha1.PlacementRuleSpec{ClusterFilter: "cluster.spec.", ClusterScore: "clusters.x"}}
	r.Name = "broken"
	_, errs := c.PlacementRule(r)
	var fields []string
	for _, err := range errs {
		at, ok := errors.AsType[*FieldError](err)
		if !ok {
			t.Fatalf("%v is no *FieldError", err)
		}
		fields = append(fields, at.Field)
	}
	if got := strings.Join(fields, " "); got != "spec.clusterFilter spec.clusterScore" {
		t.Errorf("errors of %q: %v", got, errs)
	}
	if r.Spec.ClusterFilter, r.Spec.ClusterScore = "", ""; true {
		if _, errs = c.PlacementRule(r); len(errs) != 1 {
			t.Errorf("a rule without expressions: %v", errs)
		}
	}
}

// A rule that takes all it may for each cluster fails for those after the first ones, and takes
// no more for all of them than is stated.
func TestPlacementRuleHasGasForADecision(t *testing.T) {
	p := placementRule(t, interpreterv1alpha1.PlacementRuleSpec{ClusterScore: `lists.range(300).filter(x, lists.range(300).exists(y, y > 400)).size()`})
	b, c := placementInput()
	d := p.Placement(b, time.Time{})
	failed := 0
	for range 1000 {
		_, err := d.Score(c)
		failure, ok := errors.AsType[*script.Error](err)
		if !ok || failure.Code != script.Gas {
			t.Fatalf("error %v, want one of gas", err)
		}
		failed++
	}
	if most := int64(PlacementGas + 1000); failed != 1000 || d.Used.Gas > most {
		t.Errorf("1,000 clusters took %d steps, want at most %d", d.Used.Gas, most)
	}
}

func BenchmarkPlacementRule(b *testing.B) {
	p := placementRule(b, interpreterv1alpha1.PlacementRuleSpec{
		ClusterFilter: `cluster.spec.region == "north" ? "" : "it is in " + cluster.spec.region`,
		ClusterScore:  `-int(cluster.metadata.labels[?"price"].orValue("0"))`,
	})
	binding, cluster := placementInput()
	for _, n := range []int{1, 100} {
		b.Run(fmt.Sprintf("clusters=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				d := p.Placement(binding, time.Time{})
				for range n {
					if _, _, err := d.Filter(cluster); err != nil {
						b.Fatal(err)
					}
					if _, err := d.Score(cluster); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
