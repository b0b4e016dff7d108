// SPDX-License-Identifier: Apache-2.0

package failovers_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/internal/failovers"
	"github.com/dragoman-io/dragoman/test/fixture"
)

var start = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

func after(d time.Duration) time.Time { return start.Add(d) }

// bound returns a scheduled binding of a name in clusters.
func bound(name string, clusters ...string) *workv1alpha2.ResourceBinding {
	b := fixture.Binding(fixture.Gadget("space", name, nil)).(*workv1alpha2.ResourceBinding)
	b.Generation, b.Status.SchedulerObservedGeneration = 1, 1
	b.Spec.Clusters = fixture.Targets(clusters...)
	return b
}

// fail moves a binding from a to b, each step counted, and returns how often it was counted.
func fail(t *testing.T, r *failovers.Recorder, b *workv1alpha2.ResourceBinding, reason string) {
	t.Helper()
	write := func(change func() error) {
		t.Helper()
		before := b.DeepCopy()
		if err := change(); err != nil {
			t.Fatal(err)
		}
		r.Wrote(before, b)
	}
	write(func() error {
		return binding.Evict(b, binding.Eviction{Cluster: "a", Reason: reason, PurgeMode: policyv1alpha1.PurgeModeDirectly, Since: after(-10 * time.Second), Time: start})
	})
	b.Spec.Clusters = fixture.Targets("b")
	write(func() error { return binding.RecordPlacement(b, nil, after(100*time.Millisecond)) })
	r.Gone(b, []string{"a"}, after(300*time.Millisecond))
	r.Gone(b, []string{"a"}, after(time.Minute))
	b.Status.AggregatedStatus = []workv1alpha2.AggregatedStatusItem{{ClusterName: "b", Applied: true, Health: workv1alpha2.ResourceUnknown}}
	r.Started(b, binding.AppliedTargets(b), after(700*time.Millisecond))
	b.Status.AggregatedStatus[0].Health = workv1alpha2.ResourceHealthy
	r.Started(b, binding.AppliedTargets(b), after(5*time.Second))
	write(func() error {
		v := binding.Assess(b, time.Minute, after(5*time.Second))
		history, ended := v.Progress(b, r.Observed(b), after(5*time.Second))
		if !ended {
			t.Error("the failover did not end")
		}
		if _, err := v.Apply(b); err != nil {
			return err
		}
		return binding.SetHistory(b, history)
	})
}

// scrape returns the lines of the metrics of failovers that have a value, sorted.
func scrape(t *testing.T, registry *prometheus.Registry) []string {
	t.Helper()
	server := httptest.NewServer(promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	defer server.Close()
	response, err := http.Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.SplitSeq(string(text), "\n") {
		if strings.HasPrefix(line, "dragoman_failover_") && !strings.Contains(line, "_bucket") {
			lines = append(lines, line)
		}
	}
	slices.Sort(lines)
	return lines
}

func TestMetrics(t *testing.T) {
	registry := prometheus.NewRegistry()
	r, err := failovers.New(registry)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		fail(t, r, bound(fmt.Sprint("job-", i), "a"), workv1alpha2.EvictionReasonApplicationFailure)
	}
	fail(t, r, bound("tainted", "a"), workv1alpha2.EvictionReasonTaintUntolerated)
	for i := range 5 {
		fail(t, r, bound(fmt.Sprint("foreign-", i), "a"), fmt.Sprint("Reason", i))
	}
	want := []string{
		`dragoman_failover_ended_total{outcome="Succeeded",purge_mode="Directly",reason="ApplicationFailure"} 20`,
		`dragoman_failover_ended_total{outcome="Succeeded",purge_mode="Directly",reason="Other"} 5`,
		`dragoman_failover_ended_total{outcome="Succeeded",purge_mode="Directly",reason="TaintUntolerated"} 1`,
		`dragoman_failover_evictions_total{purge_mode="Directly",reason="ApplicationFailure"} 20`,
		`dragoman_failover_evictions_total{purge_mode="Directly",reason="Other"} 5`,
		`dragoman_failover_evictions_total{purge_mode="Directly",reason="TaintUntolerated"} 1`,
		`dragoman_failover_phase_duration_seconds_count{phase="detect",purge_mode="Directly"} 26`,
		`dragoman_failover_phase_duration_seconds_count{phase="evict",purge_mode="Directly"} 26`,
		`dragoman_failover_phase_duration_seconds_count{phase="place",purge_mode="Directly"} 26`,
		`dragoman_failover_phase_duration_seconds_count{phase="recover",purge_mode="Directly"} 26`,
		`dragoman_failover_phase_duration_seconds_count{phase="start",purge_mode="Directly"} 26`,
	}
	var got []string
	sums := map[string]float64{}
	for _, line := range scrape(t, registry) {
		name, value, _ := strings.Cut(line, " ")
		if !strings.Contains(name, "_sum") {
			got = append(got, line)
			continue
		}
		var sum float64
		if _, err := fmt.Sscan(value, &sum); err != nil {
			t.Fatal(err)
		}
		_, phase, _ := strings.Cut(name, `phase="`)
		phase, _, _ = strings.Cut(phase, `"`)
		sums[phase] = float64(time.Duration(sum/26*float64(time.Second)).Round(time.Millisecond)) / float64(time.Second)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("no series has the name of a binding or of a cluster (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]float64{"detect": 10, "place": 0.1, "evict": 0.3, "start": 0.4, "recover": 4.3}, sums); diff != "" {
		t.Errorf("seconds of each phase (-want +got):\n%s", diff)
	}
	if _, err := failovers.New(registry); err == nil {
		t.Error("the metrics are registered twice")
	}
}

// What a failed write would have ended is not counted, and nothing is counted twice.
func TestWroteCountsOnce(t *testing.T) {
	registry := prometheus.NewRegistry()
	r, err := failovers.New(registry)
	if err != nil {
		t.Fatal(err)
	}
	b := bound("job", "a")
	fail(t, r, b, workv1alpha2.EvictionReasonApplicationFailure)
	once := scrape(t, registry)
	later := b.DeepCopy()
	later.Annotations["other"] = "x"
	r.Wrote(b, later)
	if diff := cmp.Diff(once, scrape(t, registry)); diff != "" {
		t.Errorf("a write of something else counts (-before +after):\n%s", diff)
	}
}

func TestObserved(t *testing.T) {
	r, err := failovers.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	one, two := bound("one"), bound("two")
	r.Gone(one, []string{"a"}, start)
	r.Gone(one, []string{"a", "b"}, after(time.Second))
	r.Started(two, []string{"c"}, start)
	want := binding.Observed{Gone: map[string]time.Time{"a": start, "b": after(time.Second)}}
	if diff := cmp.Diff(want, r.Observed(one)); diff != "" {
		t.Errorf("each cluster keeps its first time (-want +got):\n%s", diff)
	}
	r.Gone(one, []string{"b"}, after(time.Minute))
	r.Gone(one, []string{"a", "b"}, after(time.Hour))
	want.Gone = map[string]time.Time{"a": after(time.Hour), "b": after(time.Second)}
	if diff := cmp.Diff(want, r.Observed(one)); diff != "" {
		t.Errorf("a copy that was there again went again (-want +got):\n%s", diff)
	}
	r.Forget(one)
	r.Started(two, nil, start)
	for _, b := range []*workv1alpha2.ResourceBinding{one, two} {
		if diff := cmp.Diff(binding.Observed{}, r.Observed(b)); diff != "" {
			t.Errorf("%s is forgotten (-want +got):\n%s", b.Name, diff)
		}
	}
	var none *failovers.Recorder
	none.Gone(one, []string{"a"}, start)
	none.Wrote(one, two)
	if diff := cmp.Diff(binding.Observed{}, none.Observed(one)); diff != "" {
		t.Errorf("nil observes nothing (-want +got):\n%s", diff)
	}
}
