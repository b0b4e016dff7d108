// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"

	pb "github.com/dragoman-io/dragoman/api/estimator"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/capacity/inventory"
	"github.com/dragoman-io/dragoman/controllers/decide/placement"
	"github.com/dragoman-io/dragoman/controllers/decide/schedule"
	estimator "github.com/dragoman-io/dragoman/controllers/estimator/client"
	"github.com/dragoman-io/dragoman/controllers/estimator/server"
	"github.com/dragoman-io/dragoman/test/fixture"
	"github.com/dragoman-io/dragoman/test/fixture/site"
)

// answers are what estimators answer to every question, by cluster; the others do not answer.
type answers struct {
	clock  *clocktesting.FakePassiveClock
	mu     sync.Mutex
	counts map[string]int32
	asked  []map[string]estimator.Request
}

// set sets what an estimator answers from now on, when what it answered before is not fresh any more.
func (a *answers) set(cluster string, count int32) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.counts[cluster] = count
	a.clock.SetTime(a.clock.Now().Add(estimator.Fresh))
}

// requests returns what was asked so far.
func (a *answers) requests() []map[string]estimator.Request {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.asked)
}

// end has an estimator answer no more, when what it answered before is not fresh any more.
func (a *answers) end(cluster string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.counts, cluster)
	a.clock.SetTime(a.clock.Now().Add(estimator.Fresh))
}

func (a *answers) Estimate(_ context.Context, requests map[string]estimator.Request) map[string][]estimator.Answer {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.asked = append(a.asked, requests)
	all := map[string][]estimator.Answer{}
	for name, r := range requests {
		for range r.Questions {
			answer := estimator.Answer{Count: a.counts[name]}
			if _, ok := a.counts[name]; !ok {
				answer.Err = context.DeadlineExceeded
			}
			all[name] = append(all[name], answer)
		}
	}
	return all
}

func (a *answers) Forget(string) error { return nil }

// estimated returns a site whose clusters have estimators.
func estimated(t *testing.T, counts map[string]int32) (*site.Site, *answers) {
	s := site.New(t)
	a := &answers{clock: s.Clock, counts: counts}
	estimators := NewEstimators(a, &s.Assumed)
	estimators.Clock = s.Clock
	s.Estimates = func(b workv1alpha2.Binding, clusters []string) schedule.Estimates {
		return estimators.ask(t.Context(), b, clusters)
	}
	return s, a
}

func TestEstimatesBoundTheRoom(t *testing.T) {
	s, a := estimated(t, map[string]int32{"a": 5, "b": 100})
	s.Wants("the nodes of a hold 5, whatever its summary has", site.Packed("one", 6, "a"), "")
	s.Wants("so many they hold", site.Packed("two", 5, "a"), "{a:5}")
	s.Wants("the estimator of b says nothing of what has been used", site.Packed("three", 5, "b"), "")
	a.set("a", 9)
	s.Wants("its summary has 10, of which 5 are assumed", site.Packed("four", 6, "a"), "")
	s.Wants("and 5 are left", site.Packed("five", 5, "a"), "{a:5}")
}

// Bindings that want the same are placed by one answer, as long as it is fresh: none gets room that
// another one has, also where the summary of the cluster shows meanwhile what was placed by it.
func TestEstimatesAreGivenAgain(t *testing.T) {
	s, a := estimated(t, map[string]int32{"a": 6})
	s.Wants("by the first answer", site.Packed("one", 2, "a"), "{a:2}")
	s.Wants("beside what is assumed", site.Packed("two", 2, "a"), "{a:2}")
	s.Wants("of which 2 are left", site.Packed("three", 3, "a"), "")
	if n := len(a.requests()); n != 1 {
		t.Errorf("%d requests for three bindings that want the same", n)
	}
	s.Used["a"] = "4"
	s.Wants("the summary has what was assumed, and the answer does not", site.Packed("four", 3, "a"), "")
	s.Wants("of the 6", site.Packed("five", 1, "a"), "{a:1}")
	if n := len(a.requests()); n != 1 {
		t.Errorf("%d requests for five bindings that want the same", n)
	}
	a.counts["a"] = 0
	waiting := site.Packed("three", 1, "a")
	waiting.Status.Conditions = []metav1.Condition{{Type: workv1alpha2.Scheduled, Status: metav1.ConditionFalse}}
	s.Wants("one that waits for room asks what there is now", waiting, "")
	if n := len(a.requests()); n != 2 {
		t.Errorf("%d requests", n)
	}
	a.set("a", 3)
	s.Wants("a new answer knows what was placed", site.Packed("six", 3, "a"), "{a:3}")
}

func TestBindingsThatEstimatorsPlaceNowhereAskAgain(t *testing.T) {
	for name, tc := range map[string]struct {
		waited time.Duration
		answer bool
		want   time.Duration
	}{
		"Soon":             {answer: true, want: 5 * time.Second},
		"AfterAWhile":      {waited: 20 * time.Second, answer: true, want: 20 * time.Second},
		"EachMinute":       {waited: time.Hour, answer: true, want: time.Minute},
		"WithoutEstimates": {waited: 20 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			counts := map[string]int32{}
			if tc.answer {
				counts["a"], counts["b"] = 0, 0
			}
			s, _ := estimated(t, counts)
			b := site.Packed("one", 50)
			if tc.waited > 0 {
				b.Status.Conditions = []metav1.Condition{{Type: workv1alpha2.Scheduled, Status: metav1.ConditionFalse, LastTransitionTime: metav1.NewTime(s.Clock.Now().Add(-tc.waited))}}
			}
			d, err := s.Assumed.Decide(b, s.Clock.Now(), s.View())
			if err != nil || d.Problem == nil {
				t.Fatalf("error %v, problem %v; want a problem", err, d.Problem)
			}
			if d.Wait != tc.want {
				t.Errorf("waits for %v, want %v", d.Wait, tc.want)
			}
		})
	}
}

func TestEstimatesOfClustersInPullMode(t *testing.T) {
	all, _ := estimated(t, map[string]int32{"a": 3, "b": 1})
	all.Pulls = map[string]bool{"b": true}
	all.Wants("both are asked", site.Packed("one", 4), "{a:3, b:1}")
	s, a := estimated(t, map[string]int32{"a": 3, "b": 1})
	s.Pulls, s.PushOnly = map[string]bool{"b": true}, true
	s.Wants("the summary of b tells what is free there", site.Packed("one", 4), "{b:4}")
	for _, r := range a.requests() {
		if _, asked := r["b"]; asked {
			t.Errorf("b was asked: %v", r)
		}
	}
}

func TestEstimatesOfClustersWithoutOne(t *testing.T) {
	s, _ := estimated(t, map[string]int32{"a": 3})
	s.Wants("that of b does not answer, and its summary tells", site.Packed("one", 4), "{b:4}")
	s.Wants("a has room for 3 by its estimator", site.Packed("two", 3), "{a:3}")
}

// A summary promises what no node has. So it does not take the place of an estimator that is away for a
// moment.
func TestEstimatorsThatAreSilentForAMoment(t *testing.T) {
	s, a := estimated(t, map[string]int32{"a": 5, "b": 1})
	s.Wants("it answers", site.Packed("one", 2, "a"), "{a:2}")
	a.end("a")
	s.Wants("nothing goes where it does not answer", site.Packed("two", 1, "a"), "")
	s.Wants("others harm nobody", site.Packed("three", 1), "{b:1}")
	s.Clock.SetTime(s.Clock.Now().Add(silentFor - time.Second))
	s.Wants("not for a moment", site.Packed("two", 1, "a"), "")
	s.Clock.SetTime(s.Clock.Now().Add(time.Second))
	s.Wants("then its summary tells", site.Packed("two", 1, "a"), "{a:1}")
	a.set("a", 1)
	s.Wants("until it answers", site.Packed("four", 2, "a"), "")
	a.end("a")
	s.Wants("and is silent again", site.Packed("five", 1, "a"), "")
}

// answering returns what answers the same about each binding.
func answering(e schedule.Estimates) func(workv1alpha2.Binding, []string) schedule.Estimates {
	return func(workv1alpha2.Binding, []string) schedule.Estimates { return e }
}

// Decisions by the same answers do not use the same room.
func TestEstimatesKnowWhatIsAssumedSince(t *testing.T) {
	s, _ := estimated(t, nil)
	s.Estimates = answering(schedule.Estimates{"a": {Fits: 6}})
	s.Wants("6 fit", site.Packed("one", 4, "a"), "{a:4}")
	s.Wants("of which 4 are taken since", site.Packed("two", 3, "a"), "")
	s.Wants("so that 2 are left", site.Packed("three", 2, "a"), "{a:2}")
	_, mark := s.Assumed.Described("a")
	s.Estimates = answering(schedule.Estimates{"a": {Fits: 4, Mark: mark}})
	s.Wants("a later answer has it off already", site.Packed("four", 4, "a"), "{a:4}")
}

func TestEstimatorsAreAsked(t *testing.T) {
	s, a := estimated(t, map[string]int32{"a": 9, "b": 9})
	s.Wants("there is room", site.Packed("one", 2, "a"), "{a:2}")
	s.Wants("there is room", site.Packed("two", 3, "a"), "{a:3}")
	other := site.Packed("three", 1, "a")
	other.Spec.ReplicaRequirements = nil
	s.Wants("there is room", other, "{a:1}")
	sets := site.Packed("four", 0, "a", "b")
	sets.Spec.Components = []workv1alpha2.Component{{Name: "head", Replicas: 1}, {Name: "worker", Replicas: 2, ReplicaRequirements: &workv1alpha2.ComponentReplicaRequirements{
		ResourceRequest: corev1.ResourceList{"cpu": resource.MustParse("2")},
	}}}
	sets.Spec.Resource.Namespace = "default"
	sets.Spec.Placement.SpreadConstraints = []policyv1alpha1.SpreadConstraint{{SpreadByField: policyv1alpha1.SpreadByFieldCluster, MinGroups: 1, MaxGroups: 1}}
	a.set("a", 0)
	s.Wants("there is room", sets, "{b:0}")
	var first, last estimator.Request
	for _, requests := range a.requests()[:1] {
		first = requests["a"]
	}
	for _, requests := range a.requests() {
		if r, ok := requests["a"]; ok {
			last = r
		}
		if _, ok := requests["b"]; ok && requests["b"].Questions[0].GetComponentSet() == nil {
			t.Error("the estimator of a cluster was asked that its policy does not name")
		}
	}
	if q := first.Questions[0]; q.GetObject() != "kind=Deployment, name=one" || q.GetLimit() != 0 || q.GetReplicas() == nil || len(first.Assumed) != 0 {
		t.Errorf("first it is asked %v", first)
	}
	q := last.Questions[0]
	if set := q.GetComponentSet(); set.GetNamespace() != "default" || len(set.GetComponents()) != 2 || q.GetLimit() != mostSets {
		t.Errorf("of sets it is asked %v", q)
	}
	// 2 and 3 replicas are one workload, the one that requests nothing another.
	if len(last.Assumed) != 2 || last.Assumed[0].Components[0].GetReplicas() != 5 || last.Assumed[1].Components[0].GetReplicas() != 1 {
		t.Errorf("it is told of %v", last.Assumed)
	}
}

// fullRequirements has each field that says what a replica needs.
func fullRequirements(namespace string) *workv1alpha2.ReplicaRequirements {
	return &workv1alpha2.ReplicaRequirements{
		Namespace: namespace, PriorityClassName: "high", ResourceRequest: corev1.ResourceList{"cpu": resource.MustParse("1")},
		NodeClaim: &workv1alpha2.NodeClaim{
			NodeSelector: map[string]string{"disk": "ssd"}, Tolerations: []corev1.Toleration{{Key: "gpu"}},
			HardNodeAffinity: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{}}},
		},
	}
}

// What an estimator documents as an input of its answer, a binding that has it hands over.
func TestEstimatorsAreAskedWithAllThatABindingHas(t *testing.T) {
	for _, tc := range []struct {
		reason string
		change func(*workv1alpha2.ResourceBindingSpec)
		want   []string
	}{
		{"replicas have no limit", func(s *workv1alpha2.ResourceBindingSpec) { s.ReplicaRequirements = fullRequirements("team") }, []string{"dragoman.estimator.v1.Question.limit"}},
		{"an earlier version wrote no namespace", func(s *workv1alpha2.ResourceBindingSpec) { s.ReplicaRequirements = fullRequirements("") }, []string{"dragoman.estimator.v1.Question.limit"}},
		{"sets have all", func(s *workv1alpha2.ResourceBindingSpec) {
			full := fullRequirements("")
			s.Components = []workv1alpha2.Component{{Name: "head", Replicas: 1, ReplicaRequirements: &workv1alpha2.ComponentReplicaRequirements{
				NodeClaim: full.NodeClaim, ResourceRequest: full.ResourceRequest, PriorityClassName: full.PriorityClassName,
			}}}
		}, nil},
	} {
		b := site.Packed("one", 2, "a")
		b.Spec.Resource.Namespace = "team"
		tc.change(&b.Spec)
		q, err := questionOf(b)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tc.want, fixture.Unset(q)); diff != "" {
			t.Errorf("%s: the question leaves out (-want +got):\n%s", tc.reason, diff)
		}
		w := describe(&b.Spec, []workv1alpha2.TargetCluster{{Name: "a", Replicas: 2}}, "a")
		want := []string{pbPackage + "Component.name"} // replicas have no component that has one
		if len(b.Spec.Components) > 0 {
			want = nil
		}
		if diff := cmp.Diff(want, fixture.Unset(w.message)); diff != "" {
			t.Errorf("%s: the assumed workload leaves out (-want +got):\n%s", tc.reason, diff)
		}
	}
	nothing := site.Packed("one", 2, "a")
	nothing.Spec.Resource.Namespace, nothing.Spec.ReplicaRequirements = "team", nil
	if q, err := questionOf(nothing); err != nil || q.GetReplicas().GetNamespace() != "team" {
		t.Errorf("the question about pods that request nothing is %v, error %v; a quota may count pods", q, err)
	}
}

// TestAnEstimatorCountsTheQuotaOfTheNamespace puts the question about a binding to an estimator whose
// cluster has room for 8 replicas, and a quota for none of them.
func TestAnEstimatorCountsTheQuotaOfTheNamespace(t *testing.T) {
	i := inventory.New()
	allocatable := corev1.ResourceList{"cpu": resource.MustParse("8"), "pods": resource.MustParse("110")}
	i.SetNode(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}, Status: corev1.NodeStatus{
		Allocatable: allocatable, Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
	}})
	hard := corev1.ResourceList{"requests.cpu": resource.MustParse("500m")}
	i.SetQuota(&corev1.ResourceQuota{
		ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "q"}, Spec: corev1.ResourceQuotaSpec{Hard: hard}, Status: corev1.ResourceQuotaStatus{Hard: hard},
	})
	service := &server.Service{Cluster: "a", Inventory: i, Synced: func() bool { return true }, Clock: clocktesting.NewFakePassiveClock(time.Unix(0, 0))}
	for namespace, want := range map[string]int32{"team": 0, "other": 8} {
		b := site.Packed("one", 4, "a") // as an earlier version wrote it
		b.Spec.Resource.Namespace = namespace
		q, err := questionOf(b)
		if err != nil {
			t.Fatal(err)
		}
		r, err := service.Estimate(t.Context(), &pb.EstimateRequest{Cluster: "a", Questions: []*pb.Question{q}})
		if err != nil || r.GetAnswers()[0].GetCount() != want {
			t.Errorf("in namespace %s: %v, error %v; want %d", namespace, r.GetAnswers(), err, want)
		}
	}
}

const pbPackage = "github.com.karmada_io.karmada.pkg.estimator.pb."

// What needs no capacity asks nobody.
func TestEstimatorsAreNotAsked(t *testing.T) {
	s, a := estimated(t, map[string]int32{"a": 0, "b": 0})
	copied := site.Packed("one", 6)
	copied.Spec.Placement.ReplicaScheduling = nil
	s.Wants("it is copied", copied, "{a:6, b:6}")
	if len(a.requests()) != 0 {
		t.Errorf("they were asked %v", a.requests())
	}
	d, err := s.Assumed.Decide(copied, s.Clock.Now(), s.View())
	if err != nil || d.Cause == placement.NotNeeded && len(a.requests()) != 0 {
		t.Errorf("decided %v, error %v", d, err)
	}
}

// An estimator that sees pods which are still assumed counts them twice for a while.
func TestEstimatorsAreAskedAgain(t *testing.T) {
	s, a := estimated(t, map[string]int32{"a": 9})
	decide := func(b *workv1alpha2.ResourceBinding) schedule.Decision {
		d, err := s.Assumed.Decide(b, s.Clock.Now(), s.View())
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	waiting := func(name string) *workv1alpha2.ResourceBinding {
		b := site.Packed(name, 1, "a")
		b.Status.Conditions = []metav1.Condition{{Type: workv1alpha2.Scheduled, Status: metav1.ConditionFalse, LastTransitionTime: metav1.NewTime(s.Clock.Now().Add(-time.Hour))}}
		return b
	}
	a.set("a", 0)
	if d := decide(waiting("none")); d.Problem == nil || d.Wait != schedule.RetryAfter {
		t.Errorf("without assumptions: problem %v, waits %s, want %s", d.Problem, d.Wait, schedule.RetryAfter)
	}
	a.set("a", 9)
	s.Wants("there is room", site.Packed("one", 5, "a"), "{a:5}")
	a.set("a", 0)
	if d := decide(waiting("two")); d.Problem == nil || d.Wait != 5*time.Second {
		t.Errorf("beside what is assumed: problem %v, waits %s, want %s", d.Problem, d.Wait, 5*time.Second)
	}
}
