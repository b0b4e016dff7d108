// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// leftBehind returns a state that a copy left behind in a cluster.
func leftBehind(from, uid, job string) Carried {
	return Carried{From: from, Copy: types.UID(uid), Gone: true, Time: metav1.NewTime(now), Copies: 2, Labels: map[string]string{"job": job}}
}

// carrying returns a binding with these targets that carries states over.
func carrying(t *testing.T, targets string, all ...Carried) *workv1alpha2.ResourceBinding {
	t.Helper()
	b := fixture.Binding(fixture.Gadget("space", "one", nil)).(*workv1alpha2.ResourceBinding)
	b.Spec.Clusters = fixture.Targets(strings.Fields(targets)...)
	if err := SetCarriedStates(b, all); err != nil {
		t.Fatal(err)
	}
	return b
}

// workIn returns the Work of a copy in a cluster, made with a state, "" for none.
func workIn(cluster, uid, madeWith string) workv1alpha1.Work {
	w := fixture.Work(cluster, "one", fixture.Gadget("space", "one", nil))
	w.UID = types.UID(uid)
	if w.Annotations = map[string]string{workv1alpha2.FailoverAnnotation: workv1alpha2.FailoverState}; madeWith != "" {
		w.Annotations[workv1alpha2.RestoredFromAnnotation] = madeWith
	}
	return *w
}

// report has a healthy copy in a cluster be reported.
func report(b *workv1alpha2.ResourceBinding, w workv1alpha1.Work) {
	cluster := ClusterOf(&w)
	w.Status.Conditions = []metav1.Condition{{Type: workv1alpha1.WorkApplied, Status: metav1.ConditionTrue}}
	w.Status.ManifestStatuses = []workv1alpha1.ManifestStatus{{Health: healthy}}
	b.Status.AggregatedStatus = append(slices.DeleteFunc(b.Status.AggregatedStatus, func(i workv1alpha2.AggregatedStatusItem) bool {
		return i.ClusterName == cluster
	}), Aggregate([]workv1alpha1.Work{w}, nil)...)
}

// jobs returns what is carried over, and where to.
func jobs(b workv1alpha2.Binding) string {
	var all []string
	for _, c := range CarriedStates(b) {
		all = append(all, fmt.Sprintf("%s:%s>%s", c.From, c.Labels["job"], c.To))
	}
	return strings.Join(all, " ")
}

// The copy in b was made with the state from c while a and b were targets. That b and c are now
// must neither swap the two states nor lose one.
func TestStateStaysWithTheCopyThatWasMadeWithIt(t *testing.T) {
	a, c := leftBehind("a", "a1", "2"), leftBehind("c", "c1", "6")
	a.To = "a"
	b := carrying(t, "b c", a, c)
	w := workIn("b", "b1", c.name())
	if got, want := jobs(b), "a:2>b c:6>c"; got != want {
		t.Fatalf("without knowing the copies: %s, want %s", got, want)
	}
	if changed, err := NoteCopies(b, []workv1alpha1.Work{w}); !changed || err != nil {
		t.Fatalf("changed %t, error %v", changed, err)
	}
	if got, want := jobs(b), "a:2>c c:6>b"; got != want {
		t.Errorf("by the Works: %s, want %s", got, want)
	}
	b = carrying(t, "b c", a, c)
	report(b, w)
	if got, want := jobs(b), "a:2>c c:6>b"; got != want {
		t.Errorf("by the status: %s, want %s", got, want)
	}
	if changed, err := TakeOver(b, "b"); !changed || err != nil {
		t.Fatalf("changed %t, error %v", changed, err)
	}
	if got, want := jobs(b), "a:2>c"; got != want {
		t.Errorf("once the copy in b was healthy: %s, want %s", got, want)
	}
}

func TestWhoTakesAStateOver(t *testing.T) {
	state := leftBehind("a", "a1", "2")
	state.To = "b"
	other := leftBehind("c", "c1", "6")
	for name, test := range map[string]struct {
		to   string
		w    workv1alpha1.Work
		took bool
	}{
		"the copy that was made with it":                  {"b", workIn("b", "b1", state.name()), true},
		"not one that was made with another":              {"b", workIn("b", "b1", other.name()), false},
		"one of a Work that an earlier version created":   {"b", workIn("b", "b1", ""), true},
		"not the copy that it is from, before that went":  {"a", workIn("a", "a1", ""), false},
		"a later copy in the cluster that it is from":     {"a", workIn("a", "a2", state.name()), true},
		"not a later copy that was made with another one": {"a", workIn("a", "a2", other.name()), false},
	} {
		t.Run(name, func(t *testing.T) {
			c := state
			c.To = test.to
			b := carrying(t, test.to, c)
			report(b, test.w)
			took := CarriedStates(b)[0].isTaken(&b.Status, []string{test.to})
			if took != test.took {
				t.Errorf("took it over: %t, want %t", took, test.took)
			}
		})
	}
}

// What a copy left behind is its own again where it runs on as a target, whatever it reports
// now; and what is left behind by an earlier copy in that cluster is not.
func TestCopyThatRunsOnHasItsOwnState(t *testing.T) {
	former, own := leftBehind("a", "a1", "2"), leftBehind("a", "a2", "6")
	former.To, own.To = "b", "a"
	b := carrying(t, "a b", former, own)
	works := []workv1alpha1.Work{workIn("a", "a2", ""), workIn("b", "b1", former.name())}
	if _, pending := PendingState(b, "a"); !pending {
		t.Fatal("nobody knows that the copy in a is still that one")
	}
	if _, err := NoteCopies(b, works); err != nil {
		t.Fatal(err)
	}
	if got, want := jobs(b), "a:2>b"; got != want {
		t.Errorf("carried: %s, want %s", got, want)
	}
	if !CarriedStates(b)[0].Former {
		t.Error("another copy is in a since")
	}
	report(b, works[0])
	evict(t, b, Eviction{Cluster: "a", PurgeMode: "Directly", State: State{Labels: map[string]string{"job": "9"}}, Time: now})
	all := CarriedStates(b)
	if got, want := jobs(b), "a:2>b a:9>"; got != want || all[1].Copy != "a2" {
		t.Errorf("carried: %s of copy %s, want %s of copy a2", got, all[1].Copy, want)
	}
}

func TestCopyThatLeavesAgainReplacesItsOwnState(t *testing.T) {
	own := leftBehind("a", "a1", "2")
	own.To = "a"
	b := carrying(t, "a b", own)
	report(b, workIn("a", "a1", ""))
	if _, pending := PendingState(b, "a"); pending {
		t.Error("the copy in a is that one: what it reports is newer than what it left behind")
	}
	evict(t, b, Eviction{Cluster: "a", PurgeMode: "Directly", State: State{Labels: map[string]string{"job": "9"}}, Time: now})
	if got, want := jobs(b), "a:9>"; got != want {
		t.Errorf("carried: %s, want %s", got, want)
	}
}

// A copy that Never kept, and that is a target again, gets no state: it runs already.
func TestKeptCopyGetsNoState(t *testing.T) {
	state := leftBehind("a", "a1", "2")
	for madeWith, want := range map[string]string{
		workv1alpha2.RestoredFromNone: "a:2>", "of another copy": "a:2>", state.name(): "a:2>b", "": "a:2>b",
	} {
		b := carrying(t, "b", state)
		report(b, workIn("b", "b1", madeWith))
		if got := jobs(b); got != want {
			t.Errorf("to a copy made with %q: %s, want %s", madeWith, got, want)
		}
	}
}

// Without a target, a state is that of the copy where it is to go only if it was made with it.
func TestStateOfACopyWithoutATarget(t *testing.T) {
	state := leftBehind("a", "a1", "2")
	state.To = "b"
	for madeWith, want := range map[string]string{workv1alpha2.RestoredFromNone: "a", "of another copy": "a", state.name(): "b", "": "b"} {
		b := carrying(t, "", state)
		report(b, workIn("b", "b1", madeWith))
		owned := ownedWhereItRuns([]Carried{state}, &b.Status, nil)
		if got := owned[0].From; got != want {
			t.Errorf("made with %q: the state is from %s, want %s", madeWith, got, want)
		}
	}
}

// A cluster that left and comes back has another copy: for how long that before it was unhealthy
// does not count.
func TestReleaseForgetsSinceWhenACopyWasUnhealthy(t *testing.T) {
	b := carrying(t, "a b")
	if err := SetUnhealthySince(b, map[string]time.Time{"a": now, "b": now}, nil); err != nil {
		t.Fatal(err)
	}
	if err := Release(b, "a"); err != nil {
		t.Fatal(err)
	}
	if since := UnhealthySince(b); len(since) != 1 || since["b"].IsZero() {
		t.Errorf("unhealthy are %v, want b", since)
	}
}

// What is reported of a copy that is gone says nothing about the next one there.
func TestDropGone(t *testing.T) {
	b := carrying(t, "a b c")
	for _, w := range []workv1alpha1.Work{workIn("a", "a1", ""), workIn("b", "b1", ""), workIn("c", "c1", "")} {
		report(b, w)
	}
	published := workv1alpha2.AggregatedStatusItem{ClusterName: "d"}
	b.Status.AggregatedStatus = append(b.Status.AggregatedStatus, published)
	going := workIn("c", "c1", "")
	going.DeletionTimestamp = new(metav1.NewTime(now))
	works := []workv1alpha1.Work{workIn("a", "a1", ""), workIn("b", "b2", ""), going}
	if !DropGone(b, works) || DropGone(b, works) {
		t.Error("the first time something is dropped, and then nothing")
	}
	var left []string
	for _, item := range b.Status.AggregatedStatus {
		left = append(left, item.ClusterName)
	}
	if want := []string{"a", "d"}; !slices.Equal(left, want) {
		t.Errorf("left are %v, want %v", left, want)
	}
}

// Only what is reported of a binding whose policy asks for state names its copy: others are not
// written for it.
func TestReportsNameTheirCopy(t *testing.T) {
	w := workIn("a", "a1", "a state")
	if item := Aggregate([]workv1alpha1.Work{w}, nil)[0]; item.Copy != "a1" || item.RestoredFrom != "a state" {
		t.Errorf("got %+v", item)
	}
	w.Annotations[workv1alpha2.FailoverAnnotation] = workv1alpha2.FailoverMoved
	if item := Aggregate([]workv1alpha1.Work{w}, nil)[0]; item.Copy != "" || item.RestoredFrom != "" {
		t.Errorf("got %+v", item)
	}
}

// Two states have one name only if they are the same: from one copy, collected at one time.
func TestNamesOfStates(t *testing.T) {
	first := leftBehind("a", "a1", "2")
	for what, change := range map[string]func(*Carried){
		"another copy":                func(c *Carried) { c.Copy = "a2" },
		"a state without a known one": func(c *Carried) { c.Copy = "" },
		"a later eviction":            func(c *Carried) { c.Time = metav1.NewTime(now.Add(timeout)) },
		"other labels":                func(c *Carried) { c.Labels = map[string]string{"job": "3"} },
		"other values":                func(c *Carried) { c.Values = map[string]string{"job": "2"} },
	} {
		c := first
		if change(&c); c.name() == first.name() {
			t.Errorf("%s has the same name %s", what, c.name())
		}
	}
	c := first
	c.To, c.Made, c.Gone, c.Former, c.Others = "b", "c", false, true, []string{"d"}
	if c.name() != first.name() {
		t.Errorf("the name is %s, and that of the same state elsewhere %s", first.name(), c.name())
	}
}

// What an earlier version of the manager stored is read as it was meant.
func TestStatesOfAnEarlierVersion(t *testing.T) {
	b := carrying(t, "b")
	b.Annotations = map[string]string{CarriedStateAnnotation: `[{"from":"a","to":"b","gone":true,"time":"2026-01-01T00:00:00Z","others":["c"],"copies":1,"labels":{"job":"2"}}]`}
	works := []workv1alpha1.Work{workIn("b", "b1", "")}
	if changed, err := NoteCopies(b, works); changed || err != nil {
		t.Fatalf("changed %t, error %v", changed, err)
	}
	if got := StateFor(b, "b", "").Labels["job"]; got != "2" {
		t.Errorf("the copy in b gets the job %q, want 2", got)
	}
	report(b, works[0])
	if changed, err := TakeOver(b, "b"); !changed || err != nil {
		t.Fatalf("changed %t, error %v", changed, err)
	}
	if got := jobs(b); got != "" {
		t.Errorf("the copy in b took it over, and %s is carried", got)
	}
}
