// SPDX-License-Identifier: Apache-2.0

package schedule_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/schedule"
	"github.com/dragoman-io/dragoman/test/fixture/site"
)

func TestAssumptionKeepsRoom(t *testing.T) {
	s := site.New(t)
	s.Wants("there is room", site.Packed("one", 6, "a"), "{a:6}")
	s.Wants("4 CPUs are left", site.Packed("two", 6, "a"), "")
	s.Wants("they hold this one", site.Packed("three", 4, "a"), "{a:4}")
	s.Wants("the other cluster is free", site.Packed("four", 4), "{b:4}")
}

// TestAssumptionsHeedGrades places jobs of 4 CPUs in a cluster of 10 with one node of 4 and
// six of 1.
func TestAssumptionsHeedGrades(t *testing.T) {
	large := func(name string) *workv1alpha2.ResourceBinding {
		b := site.Packed(name, 1, "a")
		b.Spec.ReplicaRequirements.ResourceRequest["cpu"] = resource.MustParse("4")
		return b
	}
	s := site.New(t)
	s.Counts = []int{0, 6, 1}
	s.Wants("the large node holds one", large("one"), "{a:1}")
	s.Wants("and no second, which is not seen yet", large("two"), "")
	s.Wants("the small nodes hold small ones", site.Packed("three", 6, "a"), "{a:6}")

	s = site.New(t)
	s.Counts, s.Assumed.IgnoreGrades = []int{0, 10, 0}, true
	s.Wants("by the summary alone 4 of 10 CPUs are free", large("one"), "{a:1}")
}

func TestAssumptionOfCopies(t *testing.T) {
	s := site.New(t)
	copied := site.Packed("one", 6, "a")
	copied.Spec.Placement.ReplicaScheduling = nil
	s.Wants("copies ask for no room", copied, "{a:6}")
	s.Wants("but they take it", site.Packed("two", 6, "a"), "")
}

func TestAssumptionEndsWhenTheSummaryShowsIt(t *testing.T) {
	s := site.New(t)
	s.Wants("there is room", site.Packed("one", 6, "a"), "{a:6}")
	s.Used["a"] = "2"
	s.Wants("2 of 6 run, 4 are assumed", site.Packed("two", 5, "a"), "")
	s.Used["a"] = "6"
	s.Wants("all 6 run and are not counted twice", site.Packed("three", 4, "a"), "{a:4}")
	s.Wants("now it is full", site.Packed("four", 1, "a"), "")
	s.Used["a"] = "3"
	s.Wants("room that others leave is free, the 4 are assumed still", site.Packed("five", 3, "a"), "{a:3}")
	if n := schedule.Held(&s.Assumed, "a"); n != 2 {
		t.Errorf("%d assumptions are left, want those of three and five", n)
	}
}

func TestAssumptionEndsAfterABound(t *testing.T) {
	s := site.New(t)
	s.Wants("there is room", site.Packed("one", 6, "a"), "{a:6}")
	s.Clock.SetTime(s.Clock.Now().Add(schedule.AssumedFor - time.Second))
	s.Wants("it may still come", site.Packed("two", 6, "a"), "")
	s.Clock.SetTime(s.Clock.Now().Add(time.Second))
	s.Wants("it never came", site.Packed("two", 6, "a"), "{a:6}")
}

func TestAssumptionEndsWithItsBinding(t *testing.T) {
	s := site.New(t)
	one := site.Packed("one", 6, "a")
	s.Wants("there is room", one, "{a:6}")
	s.Assumed.Forget(types.NamespacedName{Namespace: "default", Name: "one"})
	s.Wants("its binding is gone", site.Packed("two", 10, "a"), "{a:10}")
}

func TestAssumptionIsTakenBack(t *testing.T) {
	s := site.New(t)
	s.Wants("there is room", site.Packed("one", 3, "a"), "{a:3}")
	s.Wants("there is room", site.Packed("two", 6, "a"), "{a:6}")()
	s.Wants("the second was not written, the first was", site.Packed("three", 7, "a"), "{a:7}")
	s.Wants("and stays", site.Packed("four", 1, "a"), "")
}

func TestAssumptionFollowsItsBinding(t *testing.T) {
	s := site.New(t)
	one := site.Packed("one", 4, "a", "b")
	s.Wants("the roomiest", one, "{a:4}")
	one.Spec.Replicas = 8
	s.Wants("more of it", one, "{a:8}")
	s.Wants("2 are left", site.Packed("two", 3, "a"), "")
	one.Spec.Replicas = 2
	s.Wants("less of it", one, "{a:2}")
	s.Wants("8 are left", site.Packed("three", 8, "a"), "{a:8}")
	one.Spec.Clusters = nil
	one.Spec.GracefulEvictionTasks = []workv1alpha2.GracefulEvictionTask{{FromCluster: "a"}}
	s.Wants("it moves", one, "{b:2}")
	s.Wants("and leaves its room", site.Packed("four", 2, "a"), "{a:2}")
	s.Wants("for the one that it takes", site.Packed("five", 3, "b"), "")
}

func TestAssumptionsChangeNothingOfTheirInput(t *testing.T) {
	s := site.New(t)
	all, err := s.Clusters()
	if err != nil {
		t.Fatal(err)
	}
	before, b := make([]*clusterv1alpha1.Cluster, len(all)), site.Packed("one", 6, "a")
	for i := range all {
		before[i] = all[i].DeepCopy()
	}
	spec := b.Spec.DeepCopy()
	for range 3 {
		if _, err := s.Assumed.Decide(b, s.Clock.Now(), schedule.View{Clusters: func() ([]*clusterv1alpha1.Cluster, error) { return all, nil }}); err != nil {
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
	s := site.New(t)
	var (
		wg     sync.WaitGroup
		mu     sync.Mutex
		placed int
	)
	for i := range 100 {
		wg.Go(func() {
			if _, err := s.Decide(site.Packed(fmt.Sprint(i), 6, "a")); err == nil {
				mu.Lock()
				placed++
				mu.Unlock()
			}
		})
		wg.Go(func() { s.Assumed.Forget(types.NamespacedName{Namespace: "default", Name: "none"}) })
	}
	wg.Wait()
	if placed != 1 {
		t.Errorf("%d of 100 workloads of 6 CPUs are placed on a cluster of 10, want 1", placed)
	}
}
