// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// history runs steps on a binding, as the controllers would, each a word and names of
// clusters:
//
//	targets a b      the scheduler chooses these clusters
//	evict a job=1    the copy in a is evicted Directly; its state is job=1 unless it has one to take over
//	taint a job=1    the same, because of a taint of the cluster
//	gracefully a job=1   the same, Gracefully
//	healthy a        the copy in a is applied and healthy, others are not
//	assess           the tasks are assessed
//	refuse a         a would not take the new copy, and all old ones stay
//	forget           the binding loses its annotations
//	leave a          the cluster leaves the control plane
type history struct {
	t *testing.T
	b *workv1alpha2.ResourceBinding
}

func (h *history) run(steps string) {
	h.t.Helper()
	for step := range strings.SplitSeq(steps, ";") {
		words := strings.Fields(step)
		switch rest := words[1:]; words[0] {
		case "targets":
			h.b.Spec.Clusters = fixture.Targets(rest...)
			h.b.Status.AggregatedStatus = slices.DeleteFunc(h.b.Status.AggregatedStatus, func(i workv1alpha2.AggregatedStatusItem) bool { return !slices.Contains(rest, i.ClusterName) })
		case "evict":
			h.evict(rest, policyv1alpha1.PurgeModeDirectly, workv1alpha2.EvictionReasonApplicationFailure)
		case "taint":
			h.evict(rest, policyv1alpha1.PurgeModeDirectly, workv1alpha2.EvictionReasonTaintUntolerated)
		case "gracefully":
			h.evict(rest, policyv1alpha1.PurgeModeGracefully, workv1alpha2.EvictionReasonApplicationFailure)
		case "healthy":
			h.b.Status.AggregatedStatus = reports(map[string]workv1alpha2.ResourceHealth{rest[0]: healthy})
		case "assess":
			if _, err := Assess(h.b, timeout, now).Apply(h.b); err != nil {
				h.t.Fatal(err)
			}
		case "refuse":
			if err := (Backoff{}).Refuse(h.b, Refusal{Cluster: rest[0], Why: "no", Time: now, Stays: func(string) bool { return true }}); err != nil {
				h.t.Fatal(err)
			}
		case "forget":
			h.b.Annotations = nil
		case "leave":
			if err := Release(h.b, rest[0]); err != nil {
				h.t.Fatal(err)
			}
		default:
			h.t.Fatalf("there is no step %s", words[0])
		}
	}
}

func (h *history) evict(rest []string, mode policyv1alpha1.PurgeMode, reason string) {
	h.t.Helper()
	state, pending := PendingState(h.b, rest[0])
	if !pending && len(rest) > 1 {
		key, value, _ := strings.Cut(rest[1], "=")
		state = State{Labels: map[string]string{key: value}}
	}
	evict(h.t, h.b, Eviction{
		Cluster: rest[0], Reason: reason, PurgeMode: mode, State: state, Before: TargetNames(&h.b.Spec), Time: now,
	})
}

// state returns the labels that the copy in each cluster gets.
func (h *history) state(clusters ...string) string {
	var all []string
	for _, cluster := range clusters {
		labels := StateFor(h.b, cluster, "").Labels
		for _, key := range slices.Sorted(maps.Keys(labels)) {
			all = append(all, fmt.Sprintf("%s:%s=%s", cluster, key, labels[key]))
		}
	}
	return strings.Join(all, " ")
}

func TestCarriedState(t *testing.T) {
	cases := map[string]struct{ reason, steps, want string }{
		"Moved":       {"the new copy gets the state", "targets a; evict a job=1; targets b", "b:job=1"},
		"TakenOver":   {"until it is healthy", "targets a; evict a job=1; targets b; assess; healthy b; assess", ""},
		"NotYet":      {"which it is not before it is applied there", "targets a; evict a job=1; targets b; assess", "b:job=1"},
		"Left":        {"also if the cluster that it is from has left", "targets a; evict a job=1; leave a; targets b; assess", "b:job=1"},
		"Rejoined":    {"or joined again, without the copy", "targets a; evict a job=1; assess; leave a; assess; targets a; assess", "a:job=1"},
		"Homeless":    {"nothing is injected while the copy stays where it is", "targets a; evict a job=1; assess", ""},
		"InPlace":     {"nor if it goes on there", "targets a; evict a job=1; assess; targets a; assess", ""},
		"Chain":       {"a copy that was never healthy hides no state", "targets a; evict a job=1; targets b; evict b job=2; targets c; assess", "c:job=1"},
		"ChainBack":   {"and brings it back to the first cluster, whose copy is gone", "targets a; evict a job=1; targets b; assess; evict b job=2; targets a; assess", "a:job=1"},
		"ChainStays":  {"nor does one that stays lose what it was made with", "targets a; evict a job=1; targets b; assess; evict b job=2; assess", "b:job=1"},
		"Healthy":     {"one that was healthy has state of its own", "targets a; evict a job=1; targets b; healthy b; assess; evict b job=2; targets c", "c:job=2"},
		"OneMissing":  {"one healthy copy is not enough where there were two since", "targets a; evict a job=1; targets b c; assess; evict b; healthy c; assess; targets c d", "d:job=1"},
		"Unnoted":     {"the copy went for targets that nobody noted but their eviction", "targets a; evict a job=1; targets b; gracefully b; targets a", "a:job=1"},
		"Neighbor":    {"a copy that ran beside it keeps its own", "targets a b; evict a job=1; targets b c", "c:job=1"},
		"Two":         {"each of two has the state of the one that it replaces", "targets a b; evict a job=1; targets b c; assess; evict b job=2; targets c d; assess", "c:job=1 d:job=2"},
		"TwoAtOnce":   {"also at once", "targets a b; evict a job=1; evict b job=2; targets c d; assess", "c:job=1 d:job=2"},
		"OneForTwo":   {"and the second waits for a cluster", "targets a b; evict a job=1; evict b job=2; targets c; assess; targets c d", "c:job=1 d:job=2"},
		"Split":       {"of two new copies for one the first gets it, not both", "targets a; evict a job=1; targets b c; assess", "b:job=1"},
		"TwoModes":    {"of two that fail at once only what was removed first is injected", "targets a b; evict a job=1; gracefully b job=2; targets c d; assess", "c:job=1"},
		"TwoHealthy":  {"the one of two that is healthy does not end the state of the other", "targets a b; evict a job=1; evict b job=2; targets c d; assess; healthy c; assess", "d:job=2"},
		"TwoAgain":    {"nor does one that fails again take it", "targets a b; evict a job=1; evict b job=2; targets c d; assess; evict c; targets d e; assess", "d:job=2 e:job=1"},
		"OneTaken":    {"what one took over is not offered to another", "targets a b; evict a job=1; targets b c; healthy c; assess; targets b c d; assess", ""},
		"Gracefully":  {"while the old copy may still run, its state does not go along", "targets a; gracefully a job=1; targets b; assess", ""},
		"ModeChanges": {"a chain that began Gracefully goes on with the first state", "targets a; gracefully a job=1; targets b; assess; evict b job=2; targets c", "c:job=1"},
		"Other":       {"a target that is chosen otherwise instead gets it", "targets a; evict a job=1; targets b; assess; targets c; assess", "c:job=1"},
		"Returned":    {"a cluster that is a target again gets what its copy left, which was removed", "targets a b; evict a job=1; targets b; assess; targets a b", "a:job=1"},
		"Waits":       {"the second does not go to the copy that took over the first", "targets a b; evict a job=1; evict b job=2; targets c; healthy c; assess; assess; targets c d", "d:job=2"},
		"Recovers":    {"nor to one that recovers where it is", "targets a b; evict a job=1; evict b job=2; healthy b; assess; assess; targets b c", "c:job=1"},
		"RunsOn":      {"nor to one that runs on where it was", "targets a b; evict a job=1; evict b job=2; targets a b; assess; targets b c", "c:job=1"},
		"Again":       {"a state that waits again does not go to a copy that runs meanwhile", "targets a b; evict a job=1; evict b job=2; targets c d; assess; evict c; targets d; healthy d; assess; assess; targets b d", "b:job=1"},
		"Unneeded":    {"what no copy needs does not go to a later one", "targets b; gracefully b job=1; targets a; assess; evict a job=2; healthy b; assess; assess; targets c", ""},
		"Refused":     {"a copy that is healthy where it stays goes on with its own, whoever refuses the next one", "targets a; evict a job=1; targets b; assess; evict b; targets c; assess; taint c; healthy c; assess; targets d; refuse d; targets c", ""},
		"Stateless":   {"without state there is none", "targets a; evict a; targets b; assess", ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			h := history{t, fixture.Binding(fixture.Gadget("space", "one", nil)).(*workv1alpha2.ResourceBinding)}
			h.run(tc.steps)
			if got := h.state("a", "b", "c", "d", "e"); got != tc.want {
				t.Errorf("%s: got %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}

func TestExcluded(t *testing.T) {
	const directly = policyv1alpha1.PurgeModeDirectly
	failed := func(seconds int, tries int, template string) Failure {
		f := Failure{Tries: tries, Template: template}
		f.Time.Time = now.Add(-time.Duration(seconds) * time.Second)
		return f
	}
	cases := map[string]struct {
		reason   string
		targets  []string
		tasks    []task
		failures map[string]Failure
		want     []string
		rested   []string
		wait     time.Duration
		// asked is what is excluded while somebody asks for another try.
		asked []string
	}{
		"Task":      {reason: "a cluster that is left is not chosen", targets: []string{"b"}, tasks: []task{leaving("a", directly)}, want: []string{"a"}, asked: []string{"a"}},
		"Homeless":  {reason: "without a target neither, where it is not known why", tasks: []task{leaving("a", directly)}, want: []string{"a"}, asked: []string{"a"}},
		"Failed":    {reason: "one where it failed rests", targets: []string{"b"}, failures: map[string]Failure{"a": failed(20, 1, "7")}, want: []string{"a"}, wait: 40 * time.Second},
		"Again":     {reason: "longer each time", failures: map[string]Failure{"a": failed(20, 3, "7")}, want: []string{"a"}, wait: 220 * time.Second},
		"Often":     {reason: "half an hour at most", failures: map[string]Failure{"a": failed(0, 40, "7")}, want: []string{"a"}, wait: 30 * time.Minute},
		"Rested":    {reason: "and then is one again", failures: map[string]Failure{"a": failed(60, 1, "7")}, rested: []string{"a"}},
		"Target":    {reason: "where it is, it stays", targets: []string{"a"}, failures: map[string]Failure{"a": failed(20, 1, "7")}},
		"Stays":     {reason: "also where its copy stays", tasks: []task{leaving("a", directly)}, failures: map[string]Failure{"a": failed(60, 1, "7")}, rested: []string{"a"}},
		"StaysMore": {reason: "but not while there is another copy", targets: []string{"b"}, tasks: []task{leaving("a", directly)}, failures: map[string]Failure{"a": failed(60, 1, "7")}, want: []string{"a"}, rested: []string{"a"}, asked: []string{"a"}},
		"Mended":    {reason: "another template is tried at once, where nothing else fits", tasks: []task{leaving("a", directly)}, failures: map[string]Failure{"a": failed(1, 9, "6")}, rested: []string{"a"}},
		"Both":      {reason: "one that it leaves and one where it failed", targets: []string{"c"}, tasks: []task{leaving("a", directly)}, failures: map[string]Failure{"b": failed(20, 1, "7")}, want: []string{"a", "b"}, wait: 40 * time.Second, asked: []string{"a"}},
		"First":     {reason: "the earliest end counts", failures: map[string]Failure{"a": failed(20, 1, "7"), "b": failed(50, 1, "7")}, want: []string{"a", "b"}, wait: 10 * time.Second},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b := fixture.Binding(fixture.Gadget("space", "one", nil))
			b.GetSpec().Resource.ResourceVersion = "7"
			b.GetSpec().Clusters, b.GetSpec().GracefulEvictionTasks = fixture.Targets(tc.targets...), tc.tasks
			if err := SetFailures(b, tc.failures); err != nil {
				t.Fatal(err)
			}
			got := Excluded(b, now)
			if clusters := slices.Sorted(maps.Keys(got.Clusters)); !slices.Equal(clusters, tc.want) || !slices.Equal(got.Rested, tc.rested) || got.Wait != tc.wait {
				t.Errorf("%s: got %v for %s, rested %v; want %v for %s, rested %v", tc.reason, clusters, got.Wait, got.Rested, tc.want, tc.wait, tc.rested)
			}
			asked := got.WithoutFailures()
			if clusters := slices.Sorted(maps.Keys(asked.Clusters)); !slices.Equal(clusters, tc.asked) || len(asked.Rested) > 0 || asked.Wait > 0 {
				t.Errorf("%s: without failures got %+v, want %v alone", tc.reason, asked, tc.asked)
			}
		})
	}
}

// What the status has of a copy that was healthy is written down before another report is
// written over it.
func TestTakeOver(t *testing.T) {
	cases := map[string]struct{ reason, steps, cluster, pending, kept string }{
		"Healthy":   {"a healthy copy took over the state", "targets a; evict a job=1; targets b; healthy b", "b", "", "b:job=1"},
		"NotYet":    {"another did not", "targets a; evict a job=1; targets b", "b", "b:job=1", ""},
		"Another":   {"nor is one asked that stays as it is", "targets a; evict a job=1; targets b; healthy b", "a", "b:job=1", ""},
		"Homeless":  {"where a healthy copy stays without a target, the state is its own", "targets a; evict a job=1; targets b; evict b; healthy b", "b", "", "b:job=1"},
		"Of two":    {"that of another copy goes on", "targets a b; evict a job=1; evict b job=2; targets c d; healthy c", "c", "d:job=2", "c:job=1"},
		"By a task": {"also where only a task of the published control plane has it", "targets a; evict a job=1; forget; targets b; healthy b", "b", "", "b:job=1"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			h := history{t, fixture.Binding(fixture.Gadget("space", "one", nil)).(*workv1alpha2.ResourceBinding)}
			h.b.Spec.Failover = &policyv1alpha1.FailoverBehavior{Application: &policyv1alpha1.ApplicationFailoverBehavior{}}
			h.run(tc.steps)
			want := tc.pending != h.state("b", "c", "d")
			changed, err := TakeOver(h.b, tc.cluster)
			if got := h.state("b", "c", "d"); err != nil || got != tc.pending || name != "Homeless" && changed != want {
				t.Errorf("%s: %q is carried and changed is %t, want %q and %t; error %v", tc.reason, got, changed, tc.pending, want, err)
			}
			var kept []string
			for _, k := range KeptStates(h.b) {
				kept = append(kept, fmt.Sprintf("%s:%s=%s", k.Cluster, k.Labels[0].Key, k.Labels[0].Value))
			}
			if got := strings.Join(kept, " "); got != tc.kept {
				t.Errorf("%s: %q is kept, want %q", tc.reason, got, tc.kept)
			}
			if again, err := TakeOver(h.b, tc.cluster); again || err != nil {
				t.Errorf("%s: the second time changed something, error %v", tc.reason, err)
			}
		})
	}
}

// TestRestoredCopyReportsAgain: the health of a copy from before its cluster is restored is not
// enough to drop what another copy left behind.
func TestRestoredCopyReportsAgain(t *testing.T) {
	h := history{t, fixture.Binding(fixture.Gadget("space", "one", nil)).(*workv1alpha2.ResourceBinding)}
	h.run("targets a; gracefully a; targets b; evict b job=6; healthy a; assess")
	if targets := TargetNames(&h.b.Spec); !slices.Equal(targets, []string{"a"}) || len(CarriedStates(h.b)) != 1 {
		t.Fatalf("a is restored, and the state of b stays until the next decision; got the targets %v, carried %v", targets, CarriedStates(h.b))
	}
	h.run("assess")
	if got := CarriedStates(h.b); len(got) != 0 {
		t.Errorf("a is healthy as a target, so nobody needs the state; carried %v", got)
	}
}

func TestMostCopies(t *testing.T) {
	by := func(field policyv1alpha1.SpreadFieldValue, least, most int) policyv1alpha1.SpreadConstraint {
		return policyv1alpha1.SpreadConstraint{SpreadByField: field, MinGroups: least, MaxGroups: most}
	}
	cases := map[string]struct {
		constraints []policyv1alpha1.SpreadConstraint
		want        int
	}{
		"None":                {nil, math.MaxInt},
		"Clusters":            {[]policyv1alpha1.SpreadConstraint{by(policyv1alpha1.SpreadByFieldCluster, 1, 2)}, 2},
		"WithoutField":        {[]policyv1alpha1.SpreadConstraint{by("", 1, 1)}, 1},
		"WithoutLimit":        {[]policyv1alpha1.SpreadConstraint{by(policyv1alpha1.SpreadByFieldCluster, 2, 0)}, math.MaxInt},
		"MoreRegionsThanThat": {[]policyv1alpha1.SpreadConstraint{by(policyv1alpha1.SpreadByFieldCluster, 1, 1), by(policyv1alpha1.SpreadByFieldRegion, 2, 3)}, 2},
		"ByLabel":             {[]policyv1alpha1.SpreadConstraint{{SpreadByLabel: "row", MinGroups: 1, MaxGroups: 1}}, math.MaxInt},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := mostCopies(&policyv1alpha1.Placement{SpreadConstraints: tc.constraints}); got != tc.want {
				t.Errorf("got %d, want %d", got, tc.want)
			}
		})
	}
	if got := mostCopies(nil); got != math.MaxInt {
		t.Errorf("without a placement: %d", got)
	}
}
