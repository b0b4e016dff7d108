// SPDX-License-Identifier: Apache-2.0

package failover

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
)

var start = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

// leaves returns a departure of a priority for a taint that is that many seconds old.
func leaves(name string, priority int32, age int) departure {
	since := start.Add(-time.Duration(age) * time.Second)
	return departure{key: types.NamespacedName{Namespace: "space", Name: name}, priority: priority, since: since, due: since, clusters: []string{"one"}}
}

func TestOrder(t *testing.T) {
	late := leaves("late", 100, 1)
	late.due = start.Add(time.Minute)
	var w waiting
	for _, d := range []departure{leaves("b", 0, 10), leaves("a", 0, 10), leaves("young", 0, 5), leaves("important", 7, 1), late, leaves("gone", 9, 1)} {
		w.set(d)
	}
	w.remove(leaves("gone", 0, 0).key)
	var order []string
	for {
		d, found, wait := w.next(start)
		if !found {
			if wait != time.Minute {
				t.Errorf("what is not due yet is due in %v, want a minute", wait)
			}
			break
		}
		order = append(order, d.key.Name)
		w.remove(d.key)
	}
	if diff := cmp.Diff([]string{"important", "a", "b", "young"}, order); diff != "" {
		t.Errorf("by priority, then by the age of the taint, then by name (-want +got):\n%s", diff)
	}
	if d, found, _ := w.next(start.Add(time.Minute)); !found || d.key.Name != "late" {
		t.Errorf("got %v, want what is due now", d.key)
	}
	if _, found, wait := (&waiting{}).next(start); found || wait != 0 {
		t.Error("of nothing nothing is due, ever")
	}
}

func TestPostpone(t *testing.T) {
	var w waiting
	w.set(leaves("broken", 9, 10))
	w.set(leaves("fine", 0, 10))
	key, at := leaves("broken", 0, 0).key, start
	var waits []time.Duration
	for range 8 {
		w.postpone(key, at)
		if d, found, _ := w.next(at); !found || d.key.Name != "fine" {
			t.Fatalf("got %v, want the other one meanwhile", d.key)
		}
		only := waiting{all: map[types.NamespacedName]departure{key: w.all[key]}, retries: w.retries}
		_, _, wait := only.next(at)
		waits, at = append(waits, wait), at.Add(wait)
		if d, found, _ := w.next(at); !found || d.key != key {
			t.Fatalf("got %v, want the one that failed again after %v", d.key, wait)
		}
	}
	if !slices.Equal(waits, []time.Duration{1e9, 2e9, 4e9, 8e9, 16e9, 32e9, 60e9, 60e9}) {
		t.Errorf("waits %v", waits)
	}
	w.remove(key)
	w.set(leaves("broken", 9, 10))
	if d, _, _ := w.next(start); d.key != key {
		t.Error("what does not fail any more is not postponed")
	}
}

func TestDue(t *testing.T) {
	var w waiting
	one, two, late := leaves("one", 0, 1), leaves("two", 0, 1), leaves("late", 0, 1)
	two.clusters = []string{"one", "two"}
	late.clusters, late.due = []string{"three"}, start.Add(time.Hour)
	for _, d := range []departure{one, two, late} {
		w.set(d)
	}
	count, clusters, more := w.due(start)
	if diff := cmp.Diff(map[string]bool{"one": true, "two": true}, clusters); diff != "" || count != 2 || more != time.Hour {
		t.Errorf("got %d and more in %v (-want +got):\n%s", count, more, diff)
	}
}

func TestPace(t *testing.T) {
	p, at := newPace(10, start), start
	if p.wait(at) != 100*time.Millisecond {
		t.Errorf("the first waits %v after a start, want an interval", p.wait(at))
	}
	var evicted int
	for ; at.Before(start.Add(time.Minute)); at = at.Add(time.Millisecond) {
		if p.wait(at) == 0 {
			p.spend(1, at)
			evicted++
		}
	}
	if evicted != 599 {
		t.Errorf("%d evictions in a minute, want 10 a second but for the first interval", evicted)
	}
	if p.spend(5, at); p.wait(at) != 500*time.Millisecond {
		t.Errorf("after 5 at once the next waits %v, want 5 intervals", p.wait(at))
	}
	at = at.Add(time.Hour)
	if p.spend(1, at); p.wait(at) != 100*time.Millisecond {
		t.Error("an idle hour saves nothing up")
	}
	if !newPace(0, start).stopped() || p.stopped() {
		t.Error("0 stops, and nothing else does")
	}
}

func TestOutlook(t *testing.T) {
	cluster := func(ready metav1.ConditionStatus, taints ...corev1.Taint) *clusterv1alpha1.Cluster {
		c := &clusterv1alpha1.Cluster{Spec: clusterv1alpha1.ClusterSpec{Taints: taints}}
		if ready != "" {
			c.Status.Conditions = []metav1.Condition{{Type: "Ready", Status: ready}}
		}
		return c
	}
	down := corev1.Taint{Key: "down", Effect: corev1.TaintEffectNoExecute}
	soft := corev1.Taint{Key: "down", Effect: corev1.TaintEffectNoSchedule}
	drained := corev1.Taint{Key: "maintenance", Effect: corev1.TaintEffectNoExecute}
	policies := []*policyv1alpha1.ClusterTaintPolicy{{Spec: policyv1alpha1.ClusterTaintPolicySpec{Taints: []policyv1alpha1.Taint{
		{Key: "down", Effect: corev1.TaintEffectNoExecute}, {Key: "maintenance", Effect: corev1.TaintEffectNoSchedule},
	}}}}
	leaving := cluster("False")
	leaving.DeletionTimestamp = &metav1.Time{Time: start}
	cases := map[string]struct {
		reason  string
		cluster *clusterv1alpha1.Cluster
		want    outlook
	}{
		"Ready":    {"nothing is wrong", cluster("True"), outlook{0, 1}},
		"NotReady": {"it does not answer well", cluster("False"), outlook{1, 1}},
		"Unknown":  {"it does not answer", cluster("Unknown"), outlook{1, 1}},
		"New":      {"nobody has probed it", cluster(""), outlook{}},
		"Leaving":  {"it does not count", leaving, outlook{}},
		"Tainted":  {"a policy holds it for failed", cluster("True", down), outlook{1, 1}},
		"Soft":     {"the taint evicts nothing", cluster("True", soft), outlook{0, 1}},
		"Drained":  {"a person drains it", cluster("True", drained), outlook{0, 1}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := outlookOf([]*clusterv1alpha1.Cluster{tc.cluster}, policies); got != tc.want {
				t.Errorf("%s: got %+v, want %+v", tc.reason, got, tc.want)
			}
		})
	}
	for _, tc := range []struct {
		o     outlook
		share float64
		want  bool
	}{
		{outlook{0, 0}, 0.55, false},
		{outlook{1, 2}, 0.55, false},
		{outlook{2, 3}, 0.55, true},
		{outlook{55, 100}, 0.55, false},
		{outlook{56, 100}, 0.55, true},
		{outlook{3, 3}, 1, false},
		{outlook{1, 100}, 0, true},
		{outlook{0, 100}, 0, false},
	} {
		if got := tc.o.exceeds(tc.share); got != tc.want {
			t.Errorf("%+v exceeds %v: got %t, want %t", tc.o, tc.share, got, tc.want)
		}
	}
}

func TestValidateOptions(t *testing.T) {
	if err := DefaultOptions().Validate(); err != nil {
		t.Errorf("the defaults are refused: %v", err)
	}
	for want, change := range map[string]func(*Options){
		`--no-execute-taint-eviction-purge-mode is "Never"; use Gracefully or Directly`:              func(o *Options) { o.PurgeMode = "Never" },
		"--resource-eviction-rate is -1; use evictions a second, such as 0.5, or 0 for none":         func(o *Options) { o.Rate = -1 },
		"--unhealthy-cluster-threshold is 55; use a share of all clusters from 0 to 1, such as 0.55": func(o *Options) { o.UnhealthyShare = 55 },
	} {
		o := DefaultOptions()
		change(&o)
		if err := o.Validate(); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// BenchmarkNext finds the next of many departures, as before each eviction.
func BenchmarkNext(b *testing.B) {
	for _, n := range []int{50, 500, 5000} {
		b.Run(fmt.Sprintf("waiting=%d", n), func(b *testing.B) {
			var w waiting
			for i := range n {
				w.set(leaves(fmt.Sprint(i), int32(i%7), i))
			}
			for b.Loop() {
				if _, found, _ := w.next(start); !found {
					b.Fatal("nothing is due")
				}
			}
		})
	}
}
