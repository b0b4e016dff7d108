// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// at returns a time some seconds after now.
func at(seconds float64) time.Time { return now.Add(time.Duration(seconds * float64(time.Second))) }

// in is at as it is recorded.
func in(seconds float64) *metav1.MicroTime { return microTime(at(seconds)) }

var ignoreOthers = cmpopts.IgnoreUnexported(Record{})

// failing returns an eviction of an application from a cluster at a time.
func failing(cluster string, seconds float64, mode policyv1alpha1.PurgeMode, state State) Eviction {
	return Eviction{
		Cluster: cluster, Producer: "tester", Reason: workv1alpha2.EvictionReasonApplicationFailure, Message: "it failed",
		PurgeMode: mode, State: state, Since: at(seconds - 3), Time: at(seconds),
	}
}

// story is a binding that goes through a failover, by the functions of the controllers.
type story struct {
	t *testing.T
	b *workv1alpha2.ResourceBinding
}

func begin(t *testing.T, clusters ...string) *story {
	t.Helper()
	b := &workv1alpha2.ResourceBinding{}
	b.Generation, b.Status.SchedulerObservedGeneration = generation, generation
	b.Spec.Placement = &policyv1alpha1.Placement{}
	b.Spec.Clusters = fixture.Targets(clusters...)
	return &story{t, b}
}

func (s *story) evict(e Eviction) {
	s.t.Helper()
	if len(e.Before) == 0 {
		e.Before = TargetNames(&s.b.Spec)
	}
	if err := Evict(s.b, e); err != nil {
		s.t.Fatal(err)
	}
}

func (s *story) place(seconds float64, targets ...workv1alpha2.TargetCluster) {
	s.t.Helper()
	before := s.b.Spec.Clusters
	s.b.Spec.Clusters = targets
	if err := RecordPlacement(s.b, before, at(seconds)); err != nil {
		s.t.Fatal(err)
	}
}

// assess ends what is over by the reports of the clusters.
func (s *story) assess(seconds float64, seen Observed, of map[string]workv1alpha2.ResourceHealth) bool {
	s.t.Helper()
	s.b.Status.AggregatedStatus = reports(of)
	v := Assess(s.b, timeout, at(seconds))
	history, ended := v.Progress(s.b, seen, at(seconds))
	changed, err := v.Apply(s.b)
	if err != nil {
		s.t.Fatal(err)
	}
	if !changed && !ended {
		return false
	}
	if err := SetHistory(s.b, history); err != nil {
		s.t.Fatal(err)
	}
	return true
}

func (s *story) want(records ...Record) {
	s.t.Helper()
	for i := range records {
		r := &records[i]
		if r.Reason == "" {
			r.Reason, r.Producer, r.Message = workv1alpha2.EvictionReasonApplicationFailure, "tester", "it failed"
		}
		r.Detected = microTime(r.Evicted.Add(-3 * time.Second))
	}
	if diff := cmp.Diff(records, History(s.b), ignoreOthers); diff != "" {
		s.t.Errorf("history (-want +got):\n%s", diff)
	}
}

func TestHistoryOfADirectFailover(t *testing.T) {
	s := begin(t, "a")
	job := State{Labels: map[string]string{"job": "e6fd"}}
	s.evict(failing("a", 0, policyv1alpha1.PurgeModeDirectly, job))
	state := &RecordedState{Time: in(0), Labels: map[string]string{"job": "e6fd"}}
	s.want(Record{From: "a", PurgeMode: "Directly", State: state, Evicted: in(0)})
	s.place(0.1, fixture.Targets("b")...)
	s.want(Record{From: "a", To: []string{"b"}, PurgeMode: "Directly", State: state, Evicted: in(0), Placed: in(0.1)})

	s.assess(0.2, Observed{}, nil) // which target gets the state is written
	if s.assess(0.25, Observed{}, nil) {
		t.Error("nothing is to be written while the new copy does not exist")
	}
	seen := Observed{Gone: map[string]time.Time{"a": at(0.3)}, Started: map[string]time.Time{"b": at(0.6)}}
	if !s.assess(0.7, seen, map[string]workv1alpha2.ResourceHealth{"b": unknown}) {
		t.Error("the timeout began, which is written with the phases")
	}
	s.want(Record{From: "a", To: []string{"b"}, PurgeMode: "Directly", State: state, Evicted: in(0), Placed: in(0.1), Gone: in(0.3), Started: in(0.6)})
	if s.assess(0.8, seen, map[string]workv1alpha2.ResourceHealth{"b": unknown}) {
		t.Error("nothing changed")
	}
	s.assess(5, Observed{}, map[string]workv1alpha2.ResourceHealth{"b": healthy})
	s.want(Record{
		From: "a", To: []string{"b"}, PurgeMode: "Directly", State: state,
		Evicted: in(0), Placed: in(0.1), Gone: in(0.3), Started: in(0.6), Ended: in(5), Outcome: Succeeded,
	})
	took := map[Phase]string{}
	for _, phase := range Phases() {
		d, known := History(s.b)[0].Duration(phase)
		took[phase] = fmt.Sprint(d, " ", known)
	}
	want := map[Phase]string{"detect": "3s true", "place": "100ms true", "evict": "300ms true", "start": "300ms true", "recover": "4.4s true"}
	if diff := cmp.Diff(want, took); diff != "" {
		t.Errorf("durations (-want +got):\n%s", diff)
	}
}

// The new copy of the first failover fails too: its record ends, and the state of the first
// copy goes on with the time from which it is.
func TestHistoryOfAChain(t *testing.T) {
	s := begin(t, "a")
	s.evict(failing("a", 0, policyv1alpha1.PurgeModeDirectly, State{Values: map[string]string{"job": "e6fd"}}))
	s.place(1, fixture.Targets("b")...)
	s.assess(2, Observed{}, map[string]workv1alpha2.ResourceHealth{"b": unhealthy})
	pending, _ := PendingState(s.b, "b")
	s.evict(failing("b", 10, policyv1alpha1.PurgeModeDirectly, pending))
	s.place(11, fixture.Targets("c")...)
	s.assess(12, Observed{}, map[string]workv1alpha2.ResourceHealth{"c": healthy})
	state := &RecordedState{Time: in(0), Values: map[string]string{"job": "e6fd"}}
	s.want(
		Record{
			From: "a", To: []string{"b"}, PurgeMode: "Directly", State: state,
			Evicted: in(0), Placed: in(1), Started: in(2), Ended: in(10), Outcome: Superseded,
		},
		Record{
			From: "b", To: []string{"c"}, PurgeMode: "Directly", State: state,
			Evicted: in(10), Placed: in(11), Started: in(12), Ended: in(12), Outcome: Succeeded,
		},
	)
}

func TestOutcomes(t *testing.T) {
	const directly, gracefully, never = policyv1alpha1.PurgeModeDirectly, policyv1alpha1.PurgeModeGracefully, policyv1alpha1.PurgeModeNever
	type is = map[string]workv1alpha2.ResourceHealth
	cases := map[string]struct {
		reason string
		run    func(s *story)
		want   Record
	}{
		"Reverted": {
			reason: "it is healthy again where it failed, and nothing else fits",
			run: func(s *story) {
				s.evict(failing("a", 0, directly, State{}))
				s.assess(5, Observed{}, is{"a": healthy})
			},
			want: Record{From: "a", PurgeMode: directly, Evicted: in(0), Ended: in(5), Outcome: Reverted},
		},
		"TargetAgain": {
			reason: "the scheduler chose the same cluster again",
			run: func(s *story) {
				s.evict(failing("a", 0, directly, State{}))
				s.place(60, fixture.Targets("a")...)
				s.assess(61, Observed{}, is{"a": unhealthy})
			},
			want: Record{From: "a", PurgeMode: directly, Evicted: in(0), Ended: in(61), Outcome: Reverted},
		},
		"TimedOut": {
			reason: "the new copy did not become healthy in time",
			run: func(s *story) {
				s.evict(failing("a", 0, gracefully, State{}))
				s.place(1, fixture.Targets("b")...)
				s.assess(2, Observed{}, is{"a": unhealthy})
				s.assess(3, Observed{Started: map[string]time.Time{"b": at(3)}}, is{"a": unhealthy, "b": unhealthy}) // its time begins
				s.assess(200, Observed{Started: map[string]time.Time{"b": at(3)}}, is{"a": unhealthy, "b": unhealthy})
			},
			want: Record{From: "a", To: []string{"b"}, PurgeMode: gracefully, Evicted: in(0), Placed: in(1), Started: in(3), Ended: in(200), Outcome: TimedOut},
		},
		"Confirmed": {
			reason: "a user had the old copy deleted",
			run: func(s *story) {
				s.evict(failing("a", 0, never, State{}))
				s.place(1, fixture.Targets("b")...)
				s.b.Spec.GracefulEvictionTasks[0].SuppressDeletion = new(false)
				s.assess(7, Observed{}, is{"a": unhealthy})
			},
			want: Record{From: "a", To: []string{"b"}, PurgeMode: never, Evicted: in(0), Placed: in(1), Ended: in(7), Outcome: Confirmed},
		},
		"NotReplaced": {
			reason: "the copy that there was besides goes on alone",
			run: func(s *story) {
				s.b.Spec.Clusters = fixture.Targets("a", "d")
				s.evict(failing("a", 0, directly, State{}))
				s.place(1, fixture.Targets("d")...)
				s.assess(2, Observed{Gone: map[string]time.Time{"a": at(1.5)}}, is{"d": healthy})
			},
			want: Record{From: "a", PurgeMode: directly, Evicted: in(0), Gone: in(1.5), Ended: in(2), Outcome: NotReplaced},
		},
		"MoreReplicas": {
			reason: "the copies that there are get its replicas",
			run: func(s *story) {
				s.b.Spec.Clusters = []workv1alpha2.TargetCluster{{Name: "a", Replicas: 1}, {Name: "d", Replicas: 1}}
				s.evict(failing("a", 0, directly, State{}))
				s.place(1, workv1alpha2.TargetCluster{Name: "d", Replicas: 2})
				s.assess(2, Observed{}, is{"d": healthy})
			},
			want: Record{From: "a", To: []string{"d"}, PurgeMode: directly, Evicted: in(0), Placed: in(1), Started: in(2), Ended: in(2), Outcome: Succeeded},
		},
		"ClusterLeaves": {
			reason: "the cluster that it left leaves the control plane: the failover goes on without its task",
			run: func(s *story) {
				s.evict(failing("a", 0, directly, State{}))
				if err := Release(s.b, "a"); err != nil {
					t.Fatal(err)
				}
				s.assess(1, Observed{}, is{})
				s.place(2, fixture.Targets("b")...)
				s.assess(3, Observed{}, is{"b": unknown})
				s.assess(4, Observed{Started: map[string]time.Time{"b": at(3)}}, is{"b": healthy})
			},
			want: Record{From: "a", To: []string{"b"}, PurgeMode: directly, Evicted: in(0), Placed: in(2), Started: in(3), Ended: in(4), Outcome: Succeeded},
		},
		"PlacedTwice": {
			reason: "the first new cluster left before its copy was healthy",
			run: func(s *story) {
				s.evict(failing("a", 0, directly, State{}))
				s.place(1, fixture.Targets("b")...)
				s.assess(2, Observed{}, is{"b": unknown})
				s.place(3, fixture.Targets("c")...)
				s.assess(4, Observed{}, is{"c": healthy})
			},
			want: Record{From: "a", To: []string{"c"}, PurgeMode: directly, Evicted: in(0), Placed: in(3), Started: in(4), Ended: in(4), Outcome: Succeeded},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := begin(t, "a")
			s.b.Status.SchedulerObservedGeneration = generation
			tc.run(s)
			t.Log(tc.reason)
			s.want(tc.want)
			if HasRunningFailover(s.b) {
				t.Error("it still runs")
			}
		})
	}
}

// What was seen before the eviction is about an earlier one.
func TestObservedOfAnEarlierEviction(t *testing.T) {
	s := begin(t, "a")
	s.evict(failing("a", 10, policyv1alpha1.PurgeModeDirectly, State{}))
	s.place(11, fixture.Targets("b")...)
	s.assess(12, Observed{Gone: map[string]time.Time{"a": at(9)}, Started: map[string]time.Time{"b": at(2)}}, map[string]workv1alpha2.ResourceHealth{"b": unknown})
	s.want(Record{From: "a", To: []string{"b"}, PurgeMode: "Directly", Evicted: in(10), Placed: in(11), Started: in(11)})
}

// A program that begins when the new copy runs already finds the old one gone, and does not
// know since when.
func TestGoneSeenTooLate(t *testing.T) {
	s := begin(t, "a")
	s.evict(failing("a", 0, policyv1alpha1.PurgeModeDirectly, State{}))
	s.place(1, fixture.Targets("b")...)
	s.assess(3, Observed{}, map[string]workv1alpha2.ResourceHealth{"b": unknown})
	s.assess(9, Observed{Gone: map[string]time.Time{"a": at(8)}}, map[string]workv1alpha2.ResourceHealth{"b": healthy})
	s.want(Record{From: "a", To: []string{"b"}, PurgeMode: "Directly", Evicted: in(0), Placed: in(1), Started: in(3), Ended: in(9), Outcome: Succeeded})
}

func TestRunning(t *testing.T) {
	for want, r := range map[string]Record{
		"waits for a cluster": {PurgeMode: "Directly"},
		"waits until the old copy is gone, before the one in b is created": {PurgeMode: "Directly", To: []string{"b"}, Placed: in(1)},
		"waits until the copy in b, c is applied":                          {PurgeMode: "Gracefully", To: []string{"b", "c"}, Placed: in(1)},
		"waits until the copy in b is healthy":                             {PurgeMode: "Directly", To: []string{"b"}, Placed: in(1), Gone: in(2), Started: in(3)},
	} {
		if got := r.Running(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestHistoryIsBounded(t *testing.T) {
	s := begin(t, "a")
	long := State{Labels: map[string]string{}, Values: map[string]string{}}
	for i := range 30 {
		long.Labels[fmt.Sprintf("example.com/label-%02d", i)] = strings.Repeat("l", 63)
		long.Values[fmt.Sprintf("value-%02d", i)] = strings.Repeat("é", 4000)
	}
	for i := range 15 {
		from, to := fmt.Sprintf("c%d", i), fmt.Sprintf("c%d", i+1)
		s.b.Spec.Clusters = fixture.Targets(from)
		state := State{}
		if i%2 == 0 {
			state = long
		}
		s.evict(failing(from, float64(10*i), policyv1alpha1.PurgeModeGracefully, state))
		s.place(float64(10*i+1), fixture.Targets(to)...)
	}
	if text := s.b.Annotations[HistoryAnnotation]; len(text) > maxHistory {
		t.Errorf("the annotation has %d bytes", len(text))
	}
	all := History(s.b)
	if len(all) < 5 || len(all) > maxRecords {
		t.Errorf("%d records are kept", len(all))
	}
	newest := all[len(all)-1]
	if newest.From != "c14" {
		t.Errorf("the newest is that from %s", newest.From)
	}
	if n := len(newest.State.Labels) + len(newest.State.Values); n != maxEntries || newest.State.Omitted != 60-maxEntries {
		t.Errorf("%d entries are recorded, and %d are counted", n, newest.State.Omitted)
	}

	huge := State{Values: map[string]string{strings.Repeat("k", 9000): "v", "small": "v"}}
	s.b.Spec.Clusters = fixture.Targets("last")
	s.evict(failing("last", 500, policyv1alpha1.PurgeModeGracefully, huge))
	want := &RecordedState{Time: in(500), Omitted: 2}
	if all := History(s.b); len(all) != 1 || cmp.Diff(want, all[0].State) != "" || len(s.b.Annotations[HistoryAnnotation]) > maxHistory {
		t.Errorf("got %d records, the newest with the state %v", len(all), all[len(all)-1].State)
	}
}

func TestClipKeepsCharacters(t *testing.T) {
	if got := clip(strings.Repeat("é", 100), 21); got != strings.Repeat("é", 9)+"…" {
		t.Errorf("got %q", got)
	}
	if got := clip("short", 5); got != "short" {
		t.Errorf("got %q", got)
	}
}

// A later version may write fields that this one does not know.
func TestHistoryKeepsUnknownFields(t *testing.T) {
	s := begin(t, "b")
	s.b.Annotations = map[string]string{
		"mine":            "kept",
		HistoryAnnotation: `[{"from":"a","to":["b"],"evicted":"2026-05-04T12:00:00.000000Z","outcome":"Succeeded","cost":{"pods":3}}]`,
	}
	s.evict(failing("b", 60, policyv1alpha1.PurgeModeDirectly, State{}))
	var got []map[string]any
	if err := json.Unmarshal([]byte(s.b.Annotations[HistoryAnnotation]), &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"from": "a", "to": []any{"b"}, "evicted": "2026-05-04T12:00:00.000000Z", "outcome": "Succeeded", "cost": map[string]any{"pods": 3.0}}
	if len(got) != 2 || cmp.Diff(want, got[0]) != "" || s.b.Annotations["mine"] != "kept" {
		t.Errorf("got %v", s.b.Annotations)
	}
}

func TestHistoryThatCannotBeParsed(t *testing.T) {
	s := begin(t, "a")
	s.b.Annotations = map[string]string{HistoryAnnotation: `[{"from":`}
	if _, err := ParseHistory(s.b); err == nil || !strings.Contains(err.Error(), "metadata.annotations["+HistoryAnnotation+"]") {
		t.Errorf("got %v, want an error with the field", err)
	}
	if HasRunningFailover(s.b) {
		t.Error("it has a failover")
	}
	s.evict(failing("a", 0, policyv1alpha1.PurgeModeDirectly, State{}))
	s.want(Record{From: "a", PurgeMode: "Directly", Evicted: in(0)})
}

func TestHistoryDifference(t *testing.T) {
	s := begin(t, "a")
	s.evict(failing("a", 0, policyv1alpha1.PurgeModeDirectly, State{}))
	s.place(1, fixture.Targets("b")...)
	before := s.b.DeepCopy()
	s.evict(failing("b", 10, policyv1alpha1.PurgeModeDirectly, State{}))
	began, ended := HistoryDifference(before, s.b)
	if len(began) != 1 || began[0].From != "b" || len(ended) != 1 || ended[0].From != "a" || ended[0].Outcome != Superseded {
		t.Errorf("began %v, ended %v", began, ended)
	}
	began, ended = HistoryDifference(s.b, s.b.DeepCopy())
	if len(began)+len(ended) > 0 {
		t.Errorf("nothing changed: began %v, ended %v", began, ended)
	}
}

func BenchmarkHasRunningFailover(b *testing.B) {
	s := begin(&testing.T{}, "a")
	all := make([]Record, maxRecords)
	for i := range all {
		all[i] = Record{
			From: "member1", To: []string{"member2"}, Reason: "ApplicationFailure", Message: "the application was unhealthy", PurgeMode: "Directly",
			State:    &RecordedState{Time: in(0), Labels: map[string]string{"job": "e6fd"}},
			Detected: in(0), Evicted: in(1), Placed: in(2), Gone: in(3), Started: in(4), Ended: in(5), Outcome: Succeeded,
		}
	}
	if err := SetHistory(s.b, all); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(len(s.b.Annotations[HistoryAnnotation])), "bytes")
	for b.Loop() {
		if HasRunningFailover(s.b) {
			b.Fatal("none runs")
		}
	}
}
