// SPDX-License-Identifier: Apache-2.0

package quota

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// limits returns quotas q1, q2 and so on of the namespace team.
func limits(hard ...string) []Limit {
	var all []Limit
	for i, h := range hard {
		all = append(all, Limit{Name: "team/q" + string(rune('1'+i)), Hard: list(h)})
	}
	return all
}

// said returns the message of an error, or nothing.
func said(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestDecide(t *testing.T) {
	for _, tc := range []struct {
		reason              string
		limits              []Limit
		used, before, after string
		want                string
	}{
		{"it fits exactly", limits("cpu=3"), "cpu=1", "", "cpu=2", ""},
		{"it does not", limits("cpu=3"), "cpu=2", "", "cpu=2", "FederatedResourceQuota(team/q1) exceeded for resource cpu: asked for 2 more, 1 of 3 left"},
		{"only what is added is asked for", limits("cpu=4"), "cpu=3", "cpu=2", "cpu=3", ""},
		{"what is not limited does not matter", limits("cpu=3"), "memory=9Gi", "", "cpu=1 memory=9Gi", ""},
		{"a decrease passes though too much is used", limits("cpu=1"), "cpu=9", "cpu=5", "cpu=4", ""},
		{"so does no change", limits("cpu=1"), "cpu=9", "cpu=5", "cpu=5", ""},
		{"too much of one resource does not hold up another", limits("cpu=4 memory=1Gi"), "cpu=1 memory=2Gi", "cpu=1 memory=2Gi", "cpu=2 memory=2Gi", ""},
		{"nothing is left where too much is used", limits("cpu=1"), "cpu=9", "", "cpu=1", "FederatedResourceQuota(team/q1) exceeded for resource cpu: asked for 1 more, 0 of 1 left"},
		{"requests.cpu is cpu", limits("requests.cpu=1"), "", "", "cpu=2", "FederatedResourceQuota(team/q1) exceeded for resource requests.cpu: asked for 2 more, 1 of 1 left"},
		{"pods are counted", limits("pods=3"), "pods=2", "", "pods=2", "FederatedResourceQuota(team/q1) exceeded for resource pods: asked for 2 more, 1 of 3 left"},
		{"limits are not", limits("limits.cpu=1 cpu=9"), "", "", "cpu=2", ""},
		{
			"all quotas and resources are named", limits("cpu=1 memory=1Gi", "cpu=9", "cpu=1"), "", "", "cpu=2 memory=2Gi",
			"FederatedResourceQuota(team/q1) exceeded for resource cpu: asked for 2 more, 1 of 1 left; " +
				"FederatedResourceQuota(team/q1) exceeded for resource memory: asked for 2Gi more, 1Gi of 1Gi left; " +
				"FederatedResourceQuota(team/q3) exceeded for resource cpu: asked for 2 more, 1 of 1 left",
		},
		{"no quota, no limit", nil, "cpu=9", "", "cpu=9", ""},
		{"a limit of 0 lets nothing pass", limits("nvidia.com/gpu=0"), "", "", "nvidia.com/gpu=1", "FederatedResourceQuota(team/q1) exceeded for resource nvidia.com/gpu: asked for 1 more, 0 of 0 left"},
	} {
		if got := said(Decide(tc.limits, list(tc.used), list(tc.before), list(tc.after))); got != tc.want {
			t.Errorf("%s:\n got %q\nwant %q", tc.reason, got, tc.want)
		}
	}
}

// ask returns one of a priority that waits since a second.
func ask(name string, priority int32, since int64, after string) Ask {
	return Ask{Name: name, Priority: priority, Since: time.Unix(since, 0), After: list(after)}
}

func TestAdmissible(t *testing.T) {
	asks := []Ask{ask("late", 0, 9, "cpu=1"), ask("large", 0, 1, "cpu=5"), ask("early", 0, 2, "cpu=2"), ask("urgent", 5, 9, "cpu=1")}
	for _, tc := range []struct {
		reason, hard string
		want         []string
	}{
		{"nothing fits", "cpu=0", nil},
		{"the highest priority first", "cpu=1", []string{"urgent"}},
		{"then the longest wait; one that does not fit holds up none", "cpu=3", []string{"urgent", "early"}},
		{"what fits behind it passes", "cpu=4", []string{"urgent", "early", "late"}},
		{"each counts for those behind it", "cpu=8", []string{"urgent", "large", "early"}},
		{"all", "cpu=9", []string{"urgent", "large", "early", "late"}},
	} {
		var got []string
		for _, a := range Admissible(limits(tc.hard), nil, asks) {
			got = append(got, a.Name)
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
		}
	}
}

func TestDecideBehind(t *testing.T) {
	waiting := []Ask{ask("first", 0, 1, "cpu=2"), ask("large", 0, 2, "cpu=9"), ask("low", -1, 1, "cpu=1")}
	for _, tc := range []struct {
		reason string
		ask    Ask
		want   string
	}{
		{"it fits beside what is before it", ask("new", 0, 5, "cpu=1"), ""},
		{"it would take what is another's", ask("new", 0, 5, "cpu=2"), "FederatedResourceQuota(team/q1) exceeded for resource cpu: asked for 2 more, 1 of 3 left after 1 that wait before it"},
		{"its priority is higher", ask("new", 1, 5, "cpu=3"), ""},
		{"it is itself among those that wait", ask("first", 0, 1, "cpu=2"), ""},
		{"one that cannot fit is not waited for", ask("new", 0, 5, "cpu=1"), ""},
		{"one of lower priority is not either", ask("later", 0, 9, "cpu=1"), ""},
		{"it fits nowhere", ask("new", 5, 5, "cpu=4"), "FederatedResourceQuota(team/q1) exceeded for resource cpu: asked for 4 more, 3 of 3 left"},
	} {
		if got := said(DecideBehind(limits("cpu=3"), nil, tc.ask, waiting)); got != tc.want {
			t.Errorf("%s:\n got %q\nwant %q", tc.reason, got, tc.want)
		}
	}
}

func BenchmarkUsage(b *testing.B) {
	s := bound(spec(component("jobmanager", 1, "cpu=1 memory=1Gi"), component("taskmanager", 3, "cpu=2 memory=2Gi"), to("a", 0)), "")
	sum := list("")
	for b.Loop() {
		Add(sum, Usage(s))
	}
}
