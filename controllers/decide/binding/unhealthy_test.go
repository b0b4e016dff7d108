// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// ago counts back from now.
func ago(seconds int) time.Time { return now.Add(-time.Duration(seconds) * time.Second) }

// These stand for a health of Unhealthy with the reason Progressing, by two statuses, and Pending.
const (
	progressing workv1alpha2.ResourceHealth = "1 of 3 are updated"
	further     workv1alpha2.ResourceHealth = "2 of 3 are updated"
	pending     workv1alpha2.ResourceHealth = "Pending"
)

// seenOf is what is remembered of such a status.
func seenOf(h workv1alpha2.ResourceHealth) string {
	return statusSeen(&health(map[string]workv1alpha2.ResourceHealth{"a": h})[0])
}

// health returns the items of clusters, by name.
func health(of map[string]workv1alpha2.ResourceHealth) []workv1alpha2.AggregatedStatusItem {
	var items []workv1alpha2.AggregatedStatusItem
	for name, h := range of {
		item := workv1alpha2.AggregatedStatusItem{ClusterName: name, Health: h}
		switch h {
		case progressing, further:
			item.Health, item.HealthReason = unhealthy, workv1alpha2.HealthProgressing
			item.Status = &runtime.RawExtension{Raw: []byte(h)}
		case pending:
			item.Health, item.HealthReason = unhealthy, workv1alpha2.HealthPending
		}
		items = append(items, item)
	}
	return items
}

func TestFindUnhealthy(t *testing.T) {
	type is = map[string]workv1alpha2.ResourceHealth
	type times = map[string]time.Time
	cases := map[string]struct {
		reason     string
		clusters   []string // a where it is not said
		toleration *int32   // 60 where it is not said
		unset      bool     // no toleration in the policy
		health     is
		since      times
		seen       map[string]string
		want       Unhealthy
	}{
		"Healthy":   {reason: "a healthy application stays", health: is{"a": healthy}},
		"NoReport":  {reason: "without a report nothing is known", health: is{}},
		"Unknown":   {reason: "an unknown health begins no time", health: is{"a": unknown}},
		"NoHealth":  {reason: "nor does an item without health", health: is{"a": ""}},
		"FirstSeen": {reason: "the time begins with the first unhealthy report", health: is{"a": unhealthy}, want: Unhealthy{Since: times{"a": now}, Wait: time.Minute}},
		"Within": {
			reason: "within the time it waits for the rest", health: is{"a": unhealthy}, since: times{"a": ago(20)},
			want: Unhealthy{Since: times{"a": ago(20)}, Wait: 40 * time.Second},
		},
		"TimeUp": {
			reason: "when the time is up it is evicted", health: is{"a": unhealthy}, since: times{"a": ago(60)},
			want: Unhealthy{Evict: []string{"a"}, Since: times{"a": ago(60)}},
		},
		"LongUp": {
			reason: "also when that was long ago, as after a restart", health: is{"a": unhealthy}, since: times{"a": ago(6000)},
			want: Unhealthy{Evict: []string{"a"}, Since: times{"a": ago(6000)}},
		},
		"HealthyResets": {reason: "a healthy report ends the time", health: is{"a": healthy}, since: times{"a": ago(59)}},
		"UnknownKeeps": {
			reason: "an unknown one does not", health: is{"a": unknown}, since: times{"a": ago(20)},
			want: Unhealthy{Since: times{"a": ago(20)}, Wait: 40 * time.Second},
		},
		"NoReportKeeps": {
			reason: "nor does the lack of one", health: is{}, since: times{"a": ago(20)},
			want: Unhealthy{Since: times{"a": ago(20)}, Wait: 40 * time.Second},
		},
		"UnknownTimeUp": {
			reason: "but what is unknown is not evicted: the next report decides", health: is{"a": unknown}, since: times{"a": ago(99)},
			want: Unhealthy{Since: times{"a": ago(99)}},
		},
		"Pending": {reason: "what waits for somebody begins no time", health: is{"a": pending}},
		"PendingTimeUp": {
			reason: "nor is it evicted if it had failed before", health: is{"a": pending}, since: times{"a": ago(99)},
			want: Unhealthy{Since: times{"a": ago(99)}},
		},
		"Progressing": {
			reason: "of what gets on it is noted how far it is", health: is{"a": progressing},
			want: Unhealthy{Since: times{"a": now}, Seen: map[string]string{"a": seenOf(progressing)}, Wait: time.Minute},
		},
		"ProgressingOn": {
			reason: "within the time nothing is written, whatever it does", health: is{"a": further}, since: times{"a": ago(20)}, seen: map[string]string{"a": seenOf(progressing)},
			want: Unhealthy{Since: times{"a": ago(20)}, Seen: map[string]string{"a": seenOf(progressing)}, Wait: 40 * time.Second},
		},
		"ProgressingFurther": {
			reason: "once that is up it has a new one if it has got on", health: is{"a": further}, since: times{"a": ago(60)}, seen: map[string]string{"a": seenOf(progressing)},
			want: Unhealthy{Since: times{"a": now}, Seen: map[string]string{"a": seenOf(progressing) + " " + seenOf(further)}, Wait: time.Minute},
		},
		"ProgressingInACircle": {
			reason: "a status that it had before is no progress", health: is{"a": progressing}, since: times{"a": ago(60)}, seen: map[string]string{"a": seenOf(progressing) + " " + seenOf(further)},
			want: Unhealthy{Evict: []string{"a"}, Since: times{"a": ago(60)}, Seen: map[string]string{"a": seenOf(progressing) + " " + seenOf(further)}},
		},
		"ProgressingForLong": {
			reason: "what is remembered is bounded", health: is{"a": further}, since: times{"a": ago(60)}, seen: map[string]string{"a": strings.Repeat("x ", mostSeen)},
			want: Unhealthy{Since: times{"a": now}, Seen: map[string]string{"a": strings.Repeat("x ", mostSeen-1) + seenOf(further)}, Wait: time.Minute},
		},
		"ProgressingStuck": {
			reason: "and is evicted if not", health: is{"a": further}, since: times{"a": ago(60)}, seen: map[string]string{"a": seenOf(further)},
			want: Unhealthy{Evict: []string{"a"}, Since: times{"a": ago(60)}, Seen: map[string]string{"a": seenOf(further)}},
		},
		"ProgressingAfterAFailure": {
			reason: "what had failed has the time to get on", health: is{"a": progressing}, since: times{"a": ago(60)},
			want: Unhealthy{Since: times{"a": now}, Seen: map[string]string{"a": seenOf(progressing)}, Wait: time.Minute},
		},
		"FailedAfterProgress": {
			reason: "what fails meanwhile has failed since then", health: is{"a": unhealthy}, since: times{"a": ago(60)}, seen: map[string]string{"a": seenOf(progressing)},
			want: Unhealthy{Evict: []string{"a"}, Since: times{"a": ago(60)}, Seen: map[string]string{"a": seenOf(progressing)}},
		},
		"ProgressingZero": {
			reason: "with a toleration of 0 it has the default one", toleration: ptr.To[int32](0), health: is{"a": progressing},
			want: Unhealthy{Since: times{"a": now}, Seen: map[string]string{"a": seenOf(progressing)}, Wait: defaultToleration},
		},
		"ZeroToleration": {
			reason: "a toleration of 0 evicts at first sight", toleration: ptr.To[int32](0), health: is{"a": unhealthy},
			want: Unhealthy{Evict: []string{"a"}, Since: times{"a": now}},
		},
		"Default": {
			reason: "without a toleration it is 300 seconds", unset: true, health: is{"a": unhealthy}, since: times{"a": ago(299)},
			want: Unhealthy{Since: times{"a": ago(299)}, Wait: time.Second},
		},
		"Several": {
			reason: "each cluster has a time of its own, and the first to end is waited for", clusters: []string{"a", "b", "c", "d"},
			health: is{"a": unhealthy, "b": unhealthy, "c": unhealthy, "d": healthy}, since: times{"a": ago(10), "b": ago(70), "c": ago(30)},
			want: Unhealthy{Evict: []string{"b"}, Since: times{"a": ago(10), "b": ago(70), "c": ago(30)}, Wait: 30 * time.Second},
		},
		"InOrder": {
			reason: "clusters are evicted in the order of the targets", clusters: []string{"c", "a", "b"}, toleration: ptr.To[int32](0),
			health: is{"a": unhealthy, "b": unhealthy, "c": unhealthy},
			want:   Unhealthy{Evict: []string{"c", "a", "b"}, Since: times{"a": now, "b": now, "c": now}},
		},
		"Left": {
			reason: "the time of a cluster that is no target any more is dropped",
			health: is{"a": healthy, "b": unhealthy}, since: times{"b": ago(10)},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if tc.clusters == nil {
				tc.clusters = []string{"a"}
			}
			if tc.toleration == nil && !tc.unset {
				tc.toleration = ptr.To[int32](60)
			}
			spec := &workv1alpha2.ResourceBindingSpec{
				Clusters: fixture.Targets(tc.clusters...),
				Failover: &policyv1alpha1.FailoverBehavior{Application: &policyv1alpha1.ApplicationFailoverBehavior{
					DecisionConditions: policyv1alpha1.DecisionConditions{TolerationSeconds: tc.toleration},
				}},
			}
			got := FindUnhealthy(spec, health(tc.health), tc.since, tc.seen, now)
			if diff := cmp.Diff(tc.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestUnhealthySince(t *testing.T) {
	b := fixture.Binding(fixture.Gadget("space", "one", nil))
	want := map[string]time.Time{"a": now, "b": ago(5)}
	if err := SetUnhealthySince(b, want, map[string]string{"a": "x"}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"a": "x"}, ProgressSeen(b)); diff != "" {
		t.Errorf("so is what was seen (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, UnhealthySince(b)); diff != "" {
		t.Errorf("what is remembered is read again (-want +got):\n%s", diff)
	}
	if err := SetUnhealthySince(b, nil, nil); err != nil {
		t.Fatal(err)
	}
	if value, there := b.GetAnnotations()[UnhealthySinceAnnotation]; there {
		t.Errorf("where nothing is unhealthy there is no annotation; got %q", value)
	}
	b.SetAnnotations(map[string]string{UnhealthySinceAnnotation: "yesterday"})
	if got := UnhealthySince(b); len(got) != 0 {
		t.Errorf("an annotation that cannot be read counts as none; got %v", got)
	}
}
