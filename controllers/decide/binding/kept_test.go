// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// reportSaid is a report as the cases write it: the health, then labels of the rules with
// these keys as job=17, and values of the script as /path=x.
func reportSaid(cluster, text string) Report {
	words := strings.Fields(text)
	values, labels := map[string]string{}, map[string]string{}
	for _, word := range words[1:] {
		key, value, _ := strings.Cut(word, "=")
		if name, ok := strings.CutPrefix(key, "/"); ok {
			values[name] = value
		} else {
			labels[key] = value
		}
	}
	r := NewReport(cluster, words[0] == "healthy", values)
	r.Add(keptRules, labels)
	return r
}

var keptRules = &policyv1alpha1.StatePreservation{Rules: []policyv1alpha1.StatePreservationRule{
	{AliasLabelName: "job", JSONPath: "{.job}"}, {AliasLabelName: "path", JSONPath: "{.path}"},
}}

// newestSaid is the state of a copy as the cases write it.
func newestSaid(b workv1alpha2.Binding, r Report) string {
	s := NewestState(b, keptRules, r)
	var words []string
	for _, key := range slices.Sorted(maps.Keys(s.Labels)) {
		words = append(words, key+"="+s.Labels[key])
	}
	for _, key := range slices.Sorted(maps.Keys(s.Values)) {
		words = append(words, "/"+key+"="+s.Values[key])
	}
	return strings.Join(words, " ")
}

// TestKeep writes reports of one copy one after the other over each other. writes is how
// often something had to be kept.
func TestKeep(t *testing.T) {
	cases := map[string]struct {
		reason, reports, want string
		writes                int
	}{
		"Reported":     {"what is reported needs no keeping", "healthy job=1; healthy job=2; healthy job=3", "job=3", 0},
		"Lost":         {"what is not reported any more is kept", "healthy job=1; unhealthy", "job=1", 1},
		"Emptied":      {"an empty field is no state", "healthy job=1 /id=a; unhealthy job= /id=", "job=1 /id=a", 1},
		"StaysLost":    {"once", "healthy job=1; unhealthy; unhealthy; healthy; unhealthy", "job=1", 1},
		"ComesAndGoes": {"also if it comes back and goes again", "healthy job=1; unhealthy; healthy job=1; unhealthy", "job=1", 1},
		"Newer":        {"the newest counts", "healthy job=1; unhealthy; healthy job=2; unhealthy", "job=2", 2},
		"NewerNow":     {"also the one that is reported now", "healthy job=1; unhealthy; unhealthy job=2", "job=2", 1},
		"EachLabel":    {"each rule has its own", "healthy job=1 path=x; unhealthy path=y; unhealthy job=2", "job=2 path=y", 2},
		"Values":       {"the values of a script are kept together", "healthy /id=a /path=x; unhealthy", "/id=a /path=x", 1},
		"Replaced":     {"a healthy copy that names fewer means it", "healthy /id=a /path=x; healthy /id=a", "/id=a", 0},
		"Incomplete":   {"another does not know them all any more", "healthy /id=a /path=x; unhealthy /id=b", "/id=a /path=x", 1},
		"Complete":     {"unless it has them all", "healthy /id=a /path=x; unhealthy /id=b /path=y", "/id=b /path=y", 0},
		"OutOfDate":    {"what a healthy copy withdrew does not come back", "healthy /id=a /path=x; unhealthy; healthy /id=a; unhealthy /id=a; unhealthy", "/id=a", 2},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b := fixture.Binding(fixture.Gadget("space", "one", nil))
			writes, last := 0, Report{Cluster: "a"}
			for i, text := range strings.Split(tc.reports, ";") {
				r := reportSaid("a", text)
				kept := Keep(KeptStates(b), []Report{last, r}, []Report{r}, func(string) bool { return true }, now.Add(time.Duration(i)*time.Minute))
				was := b.GetAnnotations()[KeptStateAnnotation]
				if left, err := SetKeptStates(b, kept); err != nil || len(left) > 0 {
					t.Fatalf("%s: left %v, %v", tc.reason, left, err)
				}
				if was != b.GetAnnotations()[KeptStateAnnotation] {
					writes++
				}
				last = r
			}
			if got := newestSaid(b, last); got != tc.want || writes != tc.writes {
				t.Errorf("%s: got %q in %d writes, want %q in %d; kept is %s", tc.reason, got, writes, tc.want, tc.writes, b.GetAnnotations()[KeptStateAnnotation])
			}
		})
	}
}

// TestKeepSeen loses a report that was seen and is too large to be stored.
func TestKeepSeen(t *testing.T) {
	r := reportSaid("a", "healthy job=1")
	kept := Keep(nil, []Report{{Cluster: "a"}, r}, nil, func(string) bool { return true }, now)
	if len(kept) != 1 || kept[0].Labels[0].Value != "1" {
		t.Errorf("what is seen and not stored must be kept, got %+v", kept)
	}
}

func TestKeepOfSeveral(t *testing.T) {
	a, b := reportSaid("a", "healthy job=1"), reportSaid("b", "healthy job=2")
	all := func(string) bool { return true }
	kept := Keep(nil, []Report{a, b}, []Report{reportSaid("a", "unhealthy"), reportSaid("b", "unhealthy")}, all, now)
	if got := clustersOf(kept); got != "a:1 b:2" {
		t.Fatalf("each copy has its own state, got %s", got)
	}
	kept = Keep(kept, nil, nil, func(cluster string) bool { return cluster != "a" }, now)
	if got := clustersOf(kept); got != "b:2" {
		t.Errorf("that of a copy which is gone goes, got %s", got)
	}
}

func clustersOf(kept []Kept) string {
	var all []string
	for _, k := range kept {
		all = append(all, k.Cluster+":"+k.Labels[0].Value)
	}
	return strings.Join(all, " ")
}

func TestNewestStateOfAnEditedPolicy(t *testing.T) {
	b := fixture.Binding(fixture.Gadget("space", "one", nil))
	kept := Keep(nil, []Report{reportSaid("a", "healthy job=1 path=x")}, []Report{{Cluster: "a"}}, func(string) bool { return true }, now)
	if _, err := SetKeptStates(b, kept); err != nil {
		t.Fatal(err)
	}
	edited := &policyv1alpha1.StatePreservation{Rules: []policyv1alpha1.StatePreservationRule{
		{AliasLabelName: "job", JSONPath: "{.other}"}, {AliasLabelName: "path", JSONPath: "{.path}"},
	}}
	got := NewestState(b, edited, Report{Cluster: "a"}).Labels
	if want := map[string]string{"path": "x"}; !maps.Equal(got, want) {
		t.Errorf("what another path named is not the state of this rule: got %v, want %v", got, want)
	}
}

func TestKeptStatesAreBounded(t *testing.T) {
	state := func(cluster string, size int) Kept {
		return Kept{Cluster: cluster, Values: map[string]string{"x": strings.Repeat("v", size)}}
	}
	var many []Kept
	for i := range 10 {
		many = append(many, state(fmt.Sprintf("c%d", i), 12<<10-i))
	}
	cases := map[string]struct {
		reason     string
		all        []Kept
		left, kept int
		first      string
	}{
		"Fits":     {reason: "what fits is kept", all: []Kept{state("a", 4096), state("b", 4096)}, kept: 2},
		"OneLarge": {reason: "one that is too large is left out", all: []Kept{state("a", 17<<10), state("b", 10)}, left: 1, kept: 1, first: "a"},
		"Many":     {reason: "the largest of too many are", all: many, left: 3, kept: 7, first: "c0"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b := fixture.Binding(fixture.Gadget("space", "one", nil))
			left, err := SetKeptStates(b, tc.all)
			if err != nil || len(left) != tc.left || len(KeptStates(b)) != tc.kept || tc.left > 0 && left[0] != tc.first {
				t.Errorf("%s: left out %v, kept %d, error %v", tc.reason, left, len(KeptStates(b)), err)
			}
			if n := len(b.GetAnnotations()[KeptStateAnnotation]); n > maxKept {
				t.Errorf("%s: the annotation has %d bytes", tc.reason, n)
			}
		})
	}
}

// TestTakenOverStateIsKept: what a healthy copy was made with is its newest state until it
// reports its own.
func TestTakenOverStateIsKept(t *testing.T) {
	const begin = "targets a; evict a job=1; targets b; assess; healthy b; assess"
	cases := map[string]struct{ reason, reports, want string }{
		"NoneYet": {"a copy that fails before it has state goes on with that of the one before", "unhealthy", "job=1"},
		"Own":     {"its own is newer", "unhealthy job=2", "job=2"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			h := history{t, fixture.Binding(fixture.Gadget("space", "one", nil)).(*workv1alpha2.ResourceBinding)}
			h.b.Spec.Failover = &policyv1alpha1.FailoverBehavior{Application: &policyv1alpha1.ApplicationFailoverBehavior{}}
			h.run(begin)
			if got := newestSaid(h.b, reportSaid("b", tc.reports)); got != tc.want {
				t.Errorf("%s: got %q, want %q", tc.reason, got, tc.want)
			}
			h.run("leave b")
			if got := KeptStates(h.b); len(got) > 0 {
				t.Errorf("a cluster that leaves takes it along: %v", got)
			}
		})
	}
}

// BenchmarkKeep is what a report costs that changes nothing that must be kept.
func BenchmarkKeep(b *testing.B) {
	bound := fixture.Binding(fixture.Gadget("space", "one", nil))
	r, all := reportSaid("a", "healthy job=1 path=x /id=a"), func(string) bool { return true }
	b.ReportAllocs()
	for b.Loop() {
		Keep(KeptStates(bound), []Report{r, r}, []Report{r}, all, now)
	}
}
