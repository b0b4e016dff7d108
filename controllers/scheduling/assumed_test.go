// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clocktesting "k8s.io/utils/clock/testing"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/placement"
)

// site are two clusters, a of 10 CPUs and b of 4, and what was assumed of them.
type site struct {
	t       *testing.T
	assumed Assumptions
	clock   *clocktesting.FakePassiveClock
	used    map[string]string
	// counts are the nodes of a by grade, of 0, 1 and 4 CPUs; nil counts none.
	counts []int
	// estimators are asked, if there are any; otherwise they have answered estimates.
	estimators *Estimators
	estimates  Estimates
	// pulls are the clusters in pull mode.
	pulls map[string]bool
}

// view is what the site has to show.
func (s *site) view() View {
	return View{Clusters: s.clusters, PushOnly: s.estimators != nil && s.estimators.PushOnly, Estimates: func(b workv1alpha2.Binding, clusters []string) Estimates {
		if s.estimators != nil {
			return s.estimators.ask(s.t.Context(), b, clusters)
		}
		return s.estimates
	}}
}

func newSite(t *testing.T) *site {
	return &site{
		t: t, clock: clocktesting.NewFakePassiveClock(time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)),
		used: map[string]string{"a": "0", "b": "0"},
	}
}

// clusters returns the clusters as they report themselves now.
func (s *site) clusters() ([]*clusterv1alpha1.Cluster, error) {
	var all []*clusterv1alpha1.Cluster
	for _, name := range []string{"a", "b"} {
		cpus := map[string]string{"a": "10", "b": "4"}[name]
		all = append(all, &clusterv1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: name}, Status: clusterv1alpha1.ClusterStatus{
			APIEnablements: []clusterv1alpha1.APIEnablement{{GroupVersion: "apps/v1", Resources: []clusterv1alpha1.APIResource{{Kind: "Deployment"}}}},
			ResourceSummary: &clusterv1alpha1.ResourceSummary{
				Allocatable: corev1.ResourceList{"cpu": resource.MustParse(cpus), "pods": resource.MustParse("110")},
				Allocating:  corev1.ResourceList{"cpu": resource.MustParse(s.used[name]), "pods": resource.MustParse(s.used[name])},
			},
		}})
	}
	for _, c := range all {
		if s.pulls[c.Name] {
			c.Spec.SyncMode = clusterv1alpha1.Pull
		}
	}
	for i, n := range s.counts {
		a := all[0]
		a.Spec.ResourceModels = append(a.Spec.ResourceModels, clusterv1alpha1.ResourceModel{Grade: uint(i), Ranges: []clusterv1alpha1.ResourceModelRange{
			{Name: "cpu", Min: resource.MustParse([]string{"0", "1", "4"}[i])},
		}})
		summary := a.Status.ResourceSummary
		summary.AllocatableModelings = append(summary.AllocatableModelings, clusterv1alpha1.AllocatableModeling{Grade: uint(i), Count: n})
	}
	return all, nil
}

// workload returns the binding of a Deployment of so many replicas of one CPU, which are
// packed into few of the clusters.
func workload(name string, replicas int32, clusters ...string) *workv1alpha2.ResourceBinding {
	b := &workv1alpha2.ResourceBinding{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}}
	b.Spec.Resource = workv1alpha2.ObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: name}
	b.Spec.Replicas = replicas
	b.Spec.ReplicaRequirements = &workv1alpha2.ReplicaRequirements{ResourceRequest: corev1.ResourceList{"cpu": resource.MustParse("1")}}
	b.Spec.Placement = &policyv1alpha1.Placement{
		ClusterAffinity: &policyv1alpha1.ClusterAffinity{ClusterNames: clusters},
		ReplicaScheduling: &policyv1alpha1.ReplicaSchedulingStrategy{
			ReplicaSchedulingType:     policyv1alpha1.ReplicaSchedulingTypeDivided,
			ReplicaDivisionPreference: policyv1alpha1.ReplicaDivisionPreferenceAggregated,
		},
	}
	return b
}

// decide decides about a binding, and returns a function that takes it back.
func (s *site) decide(b *workv1alpha2.ResourceBinding) (func(), error) {
	d, err := s.assumed.Decide(b, s.clock.Now(), s.view())
	if err != nil {
		return nil, err
	}
	if d.Problem == nil {
		b.Spec.Clusters = d.Clusters
	}
	return d.undo, d.Problem
}

// wants fails the test if a binding is not placed as wanted; "" is nowhere.
func (s *site) wants(reason string, b *workv1alpha2.ResourceBinding, want string) func() {
	s.t.Helper()
	undo, err := s.decide(b)
	got := ""
	if err == nil {
		got = format(b.Spec.Clusters)
	}
	if got != want {
		s.t.Errorf("%s is placed on %q (%v), want %q: %s", b.Name, got, err, want, reason)
	}
	return undo
}

func TestAssumptionKeepsRoom(t *testing.T) {
	s := newSite(t)
	s.wants("there is room", workload("one", 6, "a"), "{a:6}")
	s.wants("4 CPUs are left", workload("two", 6, "a"), "")
	s.wants("they hold this one", workload("three", 4, "a"), "{a:4}")
	s.wants("the other cluster is free", workload("four", 4), "{b:4}")
}

// TestAssumptionsHeedGrades places jobs of 4 CPUs in a cluster of 10 with one node of 4 and
// six of 1.
func TestAssumptionsHeedGrades(t *testing.T) {
	large := func(name string) *workv1alpha2.ResourceBinding {
		b := workload(name, 1, "a")
		b.Spec.ReplicaRequirements.ResourceRequest["cpu"] = resource.MustParse("4")
		return b
	}
	s := newSite(t)
	s.counts = []int{0, 6, 1}
	s.wants("the large node holds one", large("one"), "{a:1}")
	s.wants("and no second, which is not seen yet", large("two"), "")
	s.wants("the small nodes hold small ones", workload("three", 6, "a"), "{a:6}")

	s = newSite(t)
	s.counts, s.assumed.IgnoreGrades = []int{0, 10, 0}, true
	s.wants("by the summary alone 4 of 10 CPUs are free", large("one"), "{a:1}")
}

func TestAssumptionOfCopies(t *testing.T) {
	s := newSite(t)
	copied := workload("one", 6, "a")
	copied.Spec.Placement.ReplicaScheduling = nil
	s.wants("copies ask for no room", copied, "{a:6}")
	s.wants("but they take it", workload("two", 6, "a"), "")
}

func TestAssumptionEndsWhenTheSummaryShowsIt(t *testing.T) {
	s := newSite(t)
	s.wants("there is room", workload("one", 6, "a"), "{a:6}")
	s.used["a"] = "2"
	s.wants("2 of 6 run, 4 are assumed", workload("two", 5, "a"), "")
	s.used["a"] = "6"
	s.wants("all 6 run and are not counted twice", workload("three", 4, "a"), "{a:4}")
	s.wants("now it is full", workload("four", 1, "a"), "")
	s.used["a"] = "3"
	s.wants("room that others leave is free, the 4 are assumed still", workload("five", 3, "a"), "{a:3}")
	if n := len(s.assumed.clusters["a"].all); n != 2 {
		t.Errorf("%d assumptions are left, want those of three and five", n)
	}
}

func TestAssumptionEndsAfterABound(t *testing.T) {
	s := newSite(t)
	s.wants("there is room", workload("one", 6, "a"), "{a:6}")
	s.clock.SetTime(s.clock.Now().Add(assumedFor - time.Second))
	s.wants("it may still come", workload("two", 6, "a"), "")
	s.clock.SetTime(s.clock.Now().Add(time.Second))
	s.wants("it never came", workload("two", 6, "a"), "{a:6}")
}

func TestAssumptionEndsWithItsBinding(t *testing.T) {
	s := newSite(t)
	one := workload("one", 6, "a")
	s.wants("there is room", one, "{a:6}")
	s.assumed.forget(types.NamespacedName{Namespace: "default", Name: "one"})
	s.wants("its binding is gone", workload("two", 10, "a"), "{a:10}")
}

func TestAssumptionIsTakenBack(t *testing.T) {
	s := newSite(t)
	s.wants("there is room", workload("one", 3, "a"), "{a:3}")
	s.wants("there is room", workload("two", 6, "a"), "{a:6}")()
	s.wants("the second was not written, the first was", workload("three", 7, "a"), "{a:7}")
	s.wants("and stays", workload("four", 1, "a"), "")
}

func TestAssumptionFollowsItsBinding(t *testing.T) {
	s := newSite(t)
	one := workload("one", 4, "a", "b")
	s.wants("the roomiest", one, "{a:4}")
	one.Spec.Replicas = 8
	s.wants("more of it", one, "{a:8}")
	s.wants("2 are left", workload("two", 3, "a"), "")
	one.Spec.Replicas = 2
	s.wants("less of it", one, "{a:2}")
	s.wants("8 are left", workload("three", 8, "a"), "{a:8}")
	one.Spec.Clusters = nil
	one.Spec.GracefulEvictionTasks = []workv1alpha2.GracefulEvictionTask{{FromCluster: "a"}}
	s.wants("it moves", one, "{b:2}")
	s.wants("and leaves its room", workload("four", 2, "a"), "{a:2}")
	s.wants("for the one that it takes", workload("five", 3, "b"), "")
}

func TestAssumptionsChangeNothingOfTheirInput(t *testing.T) {
	s := newSite(t)
	all, err := s.clusters()
	if err != nil {
		t.Fatal(err)
	}
	before, b := make([]*clusterv1alpha1.Cluster, len(all)), workload("one", 6, "a")
	for i := range all {
		before[i] = all[i].DeepCopy()
	}
	spec := b.Spec.DeepCopy()
	in := placement.Input{Spec: &b.Spec, Status: &b.Status}
	for range 3 {
		if _, err := s.assumed.place(b, in, nil, s.clock.Now(), View{Clusters: func() ([]*clusterv1alpha1.Cluster, error) { return all, nil }}); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(before, all); diff != "" {
		t.Errorf("the clusters are shared with the cache (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(*spec, b.Spec); diff != "" {
		t.Errorf("the spec is written by the caller (-before +after):\n%s", diff)
	}
}

// TestAssumptionsOfManyWorkers decides about a hundred workloads of 6 CPUs at once, of
// which one fits on a cluster of 10; the others are forgotten or taken back as they come.
func TestAssumptionsOfManyWorkers(t *testing.T) {
	s := newSite(t)
	var (
		wg     sync.WaitGroup
		mu     sync.Mutex
		placed int
	)
	for i := range 100 {
		wg.Go(func() {
			if _, err := s.decide(workload(fmt.Sprint(i), 6, "a")); err == nil {
				mu.Lock()
				placed++
				mu.Unlock()
			}
		})
		wg.Go(func() { s.assumed.forget(types.NamespacedName{Namespace: "default", Name: "none"}) })
	}
	wg.Wait()
	if placed != 1 {
		t.Errorf("%d of 100 workloads of 6 CPUs are placed on a cluster of 10, want 1", placed)
	}
}
