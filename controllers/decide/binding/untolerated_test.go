// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// noExecute is a NoExecute taint that was added that many seconds ago; less than 0 is one
// without a time.
func noExecute(key string, age int) corev1.Taint {
	t := corev1.Taint{Key: key, Effect: corev1.TaintEffectNoExecute}
	if age >= 0 {
		t.TimeAdded = ptr.To(metav1.NewTime(now.Add(-time.Duration(age) * time.Second)))
	}
	return t
}

// tolerates tolerates a key for some seconds; less than 0 is without a bound.
func tolerates(key string, seconds int64) corev1.Toleration {
	t := corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists}
	if seconds >= 0 {
		t.Effect, t.TolerationSeconds = corev1.TaintEffectNoExecute, &seconds
	}
	return t
}

func TestFindUntolerated(t *testing.T) {
	ago := func(seconds int) time.Time { return now.Add(-time.Duration(seconds) * time.Second) }
	leaves := func(cluster string, taint corev1.Taint, since, due time.Time) Untolerated {
		return Untolerated{Cluster: cluster, Taint: taint, Since: since, Due: due}
	}
	old, young, bare := noExecute("old", 100), noExecute("young", 10), noExecute("bare", -1)
	negative := tolerates("old", 0)
	negative.TolerationSeconds = ptr.To[int64](-5)
	least := tolerates("old", 0)
	least.TolerationSeconds = ptr.To[int64](math.MinInt64)
	const longest = math.MaxInt64 / time.Second * time.Second
	cases := map[string]struct {
		reason      string
		taints      map[string][]corev1.Taint
		tolerations []corev1.Toleration
		want        []Untolerated
	}{
		"None": {reason: "a cluster without taints stays a target"},
		"NoSchedule": {
			reason: "only NoExecute is about what runs already",
			taints: map[string][]corev1.Taint{"a": {{Key: "k", Effect: corev1.TaintEffectNoSchedule}, {Key: "k", Effect: corev1.TaintEffectPreferNoSchedule}}},
		},
		"Untolerated": {
			reason: "no toleration covers it, so it leaves at once",
			taints: map[string][]corev1.Taint{"a": {old}}, tolerations: []corev1.Toleration{tolerates("other", -1)},
			want: []Untolerated{leaves("a", old, ago(100), ago(100))},
		},
		"Tolerated": {
			reason: "a toleration without a time holds for ever",
			taints: map[string][]corev1.Taint{"a": {old}}, tolerations: []corev1.Toleration{tolerates("old", -1)},
		},
		"Waits": {
			reason: "the time counts from when the taint was added",
			taints: map[string][]corev1.Taint{"a": {young}}, tolerations: []corev1.Toleration{tolerates("young", 30)},
			want: []Untolerated{leaves("a", young, ago(10), now.Add(20*time.Second))},
		},
		"Over": {
			reason: "the time has passed",
			taints: map[string][]corev1.Taint{"a": {old}}, tolerations: []corev1.Toleration{tolerates("old", 30)},
			want: []Untolerated{leaves("a", old, ago(100), ago(70))},
		},
		"Zero": {
			reason: "0 seconds are none",
			taints: map[string][]corev1.Taint{"a": {old}}, tolerations: []corev1.Toleration{tolerates("old", 0)},
			want: []Untolerated{leaves("a", old, ago(100), ago(100))},
		},
		"Negative": {
			reason: "less than 0 seconds is as 0",
			taints: map[string][]corev1.Taint{"a": {old}}, tolerations: []corev1.Toleration{negative},
			want: []Untolerated{leaves("a", old, ago(100), ago(100))},
		},
		"Ages": {
			reason: "more seconds than a time.Duration holds are as many as it holds",
			taints: map[string][]corev1.Taint{"a": {old}, "b": {old}}, tolerations: []corev1.Toleration{tolerates("old", 10_000_000_000)},
			want: []Untolerated{leaves("a", old, ago(100), ago(100).Add(longest)), leaves("b", old, ago(100), ago(100).Add(longest))},
		},
		"Most": {
			reason: "so is the greatest number",
			taints: map[string][]corev1.Taint{"a": {old}}, tolerations: []corev1.Toleration{tolerates("old", math.MaxInt64)},
			want: []Untolerated{leaves("a", old, ago(100), ago(100).Add(longest))},
		},
		"Least": {
			reason: "the least is as 0",
			taints: map[string][]corev1.Taint{"a": {old}}, tolerations: []corev1.Toleration{least},
			want: []Untolerated{leaves("a", old, ago(100), ago(100))},
		},
		"FirstToleration": {
			reason: "the first that covers the taint counts, as published, also if a later one lasts longer",
			taints: map[string][]corev1.Taint{"a": {young}}, tolerations: []corev1.Toleration{tolerates("young", 30), tolerates("", -1)},
			want: []Untolerated{leaves("a", young, ago(10), now.Add(20*time.Second))},
		},
		"ShortestTaint": {
			reason: "of several taints the one whose time is over first counts",
			taints: map[string][]corev1.Taint{"a": {old, young}}, tolerations: []corev1.Toleration{tolerates("old", 200), tolerates("young", 30)},
			want: []Untolerated{leaves("a", young, ago(10), now.Add(20*time.Second))},
		},
		"OneUntolerated": {
			reason: "one taint that is not tolerated is enough",
			taints: map[string][]corev1.Taint{"a": {old, young}}, tolerations: []corev1.Toleration{tolerates("old", -1)},
			want: []Untolerated{leaves("a", young, ago(10), ago(10))},
		},
		"WithoutTime": {
			reason: "a taint without a time was added now",
			taints: map[string][]corev1.Taint{"a": {bare}}, tolerations: []corev1.Toleration{tolerates("bare", 30)},
			want: []Untolerated{leaves("a", bare, now, now.Add(30*time.Second))},
		},
		"Several": {
			reason: "each target is decided by itself, and what is no target does not matter",
			taints: map[string][]corev1.Taint{"a": {old}, "b": {young}, "c": {old}}, tolerations: []corev1.Toleration{tolerates("young", 30)},
			want: []Untolerated{leaves("a", old, ago(100), ago(100)), leaves("b", young, ago(10), now.Add(20*time.Second))},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			spec := &workv1alpha2.ResourceBindingSpec{
				Clusters: fixture.Targets("a", "b"), Placement: &policyv1alpha1.Placement{ClusterTolerations: tc.tolerations},
			}
			got := FindUntolerated(spec, func(cluster string) []corev1.Taint { return tc.taints[cluster] }, now)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			for _, cluster := range []string{"a", "b"} {
				want := slices.ContainsFunc(tc.want, func(u Untolerated) bool { return u.Cluster == cluster })
				if got := Leaves(spec, tc.taints[cluster]); got != want {
					t.Errorf("%s: leaves cluster %s: got %v, want %v", tc.reason, cluster, got, want)
				}
			}
			spec.Placement = nil
			if got := FindUntolerated(spec, func(string) []corev1.Taint { return []corev1.Taint{old} }, now); got != nil {
				t.Errorf("without a placement nothing is known to be untolerated, got %v", got)
			}
		})
	}
}

func TestClusterPurgeMode(t *testing.T) {
	cluster := func(m policyv1alpha1.PurgeMode) *policyv1alpha1.FailoverBehavior {
		return &policyv1alpha1.FailoverBehavior{Cluster: &policyv1alpha1.ClusterFailoverBehavior{PurgeMode: m}}
	}
	cases := map[string]struct {
		reason          string
		failover        *policyv1alpha1.FailoverBehavior
		otherwise, want policyv1alpha1.PurgeMode
	}{
		"NoFailover":  {"the control plane decides", nil, "Directly", "Directly"},
		"Application": {"so it does where only applications fail over", &policyv1alpha1.FailoverBehavior{Application: &policyv1alpha1.ApplicationFailoverBehavior{PurgeMode: "Never"}}, "Gracefully", "Gracefully"},
		"Policy":      {"the policy decides", cluster("Directly"), "Gracefully", "Directly"},
		"OldName":     {"by today's name", cluster("Immediately"), "Gracefully", "Directly"},
		"Empty":       {"a policy that leaves it open means Gracefully", cluster(""), "Directly", "Gracefully"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := ClusterPurgeMode(&workv1alpha2.ResourceBindingSpec{Failover: tc.failover}, tc.otherwise); got != tc.want {
				t.Errorf("%s: got %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}

func TestIsMovable(t *testing.T) {
	cases := map[string]struct {
		reason string
		change func(*workv1alpha2.ResourceBinding)
		want   bool
	}{
		"Placed": {"a policy places it", func(*workv1alpha2.ResourceBinding) {}, true},
		"Managed": {"another controller has it placed", func(b *workv1alpha2.ResourceBinding) {
			b.Labels = map[string]string{workv1alpha2.BindingManagedByLabel: "x"}
		}, true},
		"NoPolicy":    {"its policy is deleted: no scheduler looks at it", func(b *workv1alpha2.ResourceBinding) { b.Labels = nil }, false},
		"NoPlacement": {"it follows other bindings", func(b *workv1alpha2.ResourceBinding) { b.Spec.Placement = nil }, false},
		"Suspended": {"no scheduler looks at it now", func(b *workv1alpha2.ResourceBinding) {
			b.Spec.Suspension = &workv1alpha2.Suspension{Scheduling: ptr.To(true)}
		}, false},
		"Deleted": {"it goes anyway", func(b *workv1alpha2.ResourceBinding) { b.DeletionTimestamp = ptr.To(metav1.NewTime(now)) }, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b := fixture.Binding(fixture.Gadget("space", "one", nil)).(*workv1alpha2.ResourceBinding)
			tc.change(b)
			if got := IsMovable(b); got != tc.want {
				t.Errorf("%s: got %t, want %t", tc.reason, got, tc.want)
			}
		})
	}
}
