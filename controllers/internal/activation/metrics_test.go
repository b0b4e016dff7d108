// SPDX-License-Identifier: Apache-2.0

package activation

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr/funcr"
	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/script"
)

var (
	deployments = schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}
	widgets     = schema.GroupVersionKind{Version: "v1", Kind: "Widget"}
)

// served returns metrics and the registry that serves them.
func served(t testing.TB) (*metrics, *prometheus.Registry) {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	m, err := newMetrics(registry)
	if err != nil {
		t.Fatal(err)
	}
	return m, registry
}

// activate has metrics count the runs of a source.
func activate(m *metrics, layer engine.Layer, source engine.RuleSet, hash string) {
	m.begin(layer, source, hash)
	m.count(layer, resultActivated)
}

// healthy returns a source of the name c that answers for the health of Deployments.
func healthy(rule *engine.Rule) engine.RuleSet {
	return engine.RuleSet{Name: "c", Kinds: map[schema.GroupVersionKind]engine.Rules{deployments: {engine.InterpretHealth: rule}}}
}

// ran is a run of a rule for the health of Deployments.
func ran(rule *engine.Rule, gas int64, err error) engine.Run {
	return engine.Run{Operation: engine.InterpretHealth, Kind: deployments, Rule: rule, Usage: script.Usage{Gas: gas}, Duration: time.Duration(gas) * time.Microsecond, Err: err}
}

// serves asserts that a registry serves these series of a metric, and no others: each
// as its labels in the order of their names, and its value. That of a histogram is the
// number of its values, their sum, and how many are in each bucket or one before.
func serves(t *testing.T, r *prometheus.Registry, metric string, want ...string) {
	t.Helper()
	families, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range families {
		if f.GetName() != "dragoman_interpreter_"+metric {
			continue
		}
		for _, one := range f.GetMetric() {
			line := ""
			for _, l := range one.GetLabel() {
				line += l.GetValue() + " "
			}
			if h := one.GetHistogram(); h != nil {
				line += fmt.Sprint(h.GetSampleCount(), " ", h.GetSampleSum())
				for _, b := range h.GetBucket() {
					line += fmt.Sprintf(" %g:%d", b.GetUpperBound(), b.GetCumulativeCount())
				}
			} else {
				line += fmt.Sprint(one.GetCounter().GetValue() + one.GetGauge().GetValue())
			}
			got = append(got, line)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", metric, diff)
	}
}

func TestMetricsOfRuns(t *testing.T) {
	m, registry := served(t)
	rule := &engine.Rule{}
	activate(m, engine.Customizations, healthy(rule), "h1")
	m.observe(ran(rule, 20, nil))
	m.observe(ran(rule, 90, fmt.Errorf("run: %w", &script.Error{Code: script.Type})))
	m.observe(ran(rule, 500, errors.New("no script's")))
	m.observe(ran(&engine.Rule{}, 1, nil)) // of a rule that nobody activated
	serves(t, registry, "evaluations_total", "Deployment.apps customization InterpretHealth 3")
	serves(t, registry, "errors_total", "Invalid Deployment.apps customization InterpretHealth 1", "Type Deployment.apps customization InterpretHealth 1")
	serves(t, registry, "run_gas", "customization InterpretHealth 3 610 25:1 100:2 400:2 1600:3 6400:3 25600:3 102400:3 409600:3")
	serves(t, registry, "run_duration_seconds", "customization InterpretHealth 3 0.00061 1e-06:0 4e-06:0 1.6e-05:0 6.4e-05:1 0.000256:2 0.001024:3 0.004096:3 0.016384:3 0.065536:3 0.262144:3")
}

func TestMetricsOfSources(t *testing.T) {
	m, registry := served(t)
	first, second := &engine.Rule{}, &engine.Rule{}
	activate(m, engine.Customizations, healthy(first), "h1")
	activate(m, engine.Embedded, healthy(second), "h9")
	m.observe(ran(first, 1, nil))
	serves(t, registry, "active_revision", "customization c h1 1", "embedded c h9 1")

	next := &engine.Rule{}
	activate(m, engine.Customizations, healthy(next), "h2")
	m.count(engine.Customizations, resultRefused)
	m.observe(ran(first, 1, nil)) // it ends after it was replaced
	m.observe(ran(next, 1, nil))
	m.observe(ran(second, 1, errors.New("broken")))
	serves(t, registry, "active_revision", "customization c h2 1", "embedded c h9 1")
	serves(t, registry, "evaluations_total", "Deployment.apps customization InterpretHealth 2", "Deployment.apps embedded InterpretHealth 1")

	m.removed(engine.Embedded, "c")
	m.removed(engine.Embedded, "nobody")
	m.observe(ran(second, 1, errors.New("broken")))
	serves(t, registry, "active_revision", "customization c h2 1")
	serves(t, registry, "evaluations_total", "Deployment.apps customization InterpretHealth 2")
	serves(t, registry, "errors_total")
	serves(t, registry, "sources_total", "customization activated 2", "customization refused 1", "embedded activated 1", "embedded removed 1")
}

func TestMetricsOfASourceThatIsActivatedAgain(t *testing.T) {
	m, registry := served(t)
	rule := &engine.Rule{}
	activate(m, engine.Installed, healthy(rule), "h1")
	m.observe(ran(rule, 1, nil))
	activate(m, engine.Installed, healthy(rule), "h1")
	m.observe(ran(rule, 1, nil))
	serves(t, registry, "evaluations_total", "Deployment.apps installed InterpretHealth 2")
	serves(t, registry, "active_revision", "installed c h1 1")
}

func TestMetricsOfOneRuleForSeveralKinds(t *testing.T) {
	m, registry := served(t)
	rule, beta := &engine.Rule{}, deployments
	beta.Version = "v1beta1"
	activate(m, engine.Installed, engine.RuleSet{Name: "b", Kinds: map[schema.GroupVersionKind]engine.Rules{
		deployments: {engine.InterpretHealth: rule}, beta: {engine.InterpretHealth: rule}, widgets: {engine.InterpretHealth: rule},
	}}, "h")
	for _, kind := range []schema.GroupVersionKind{deployments, beta, widgets} {
		m.observe(engine.Run{Operation: engine.InterpretHealth, Kind: kind, Rule: rule})
	}
	serves(t, registry, "evaluations_total", "Deployment.apps installed InterpretHealth 2", "Widget installed InterpretHealth 1")
}

func TestMetricsWithoutAny(t *testing.T) {
	var m *metrics
	activate(m, engine.Embedded, healthy(&engine.Rule{}), "h")
	m.count(engine.Embedded, resultRefused)
	m.removed(engine.Embedded, "c")
	m.observe(ran(&engine.Rule{}, 1, nil))
}

func TestMetricsAreRegisteredOnce(t *testing.T) {
	_, registry := served(t)
	if _, err := newMetrics(registry); err == nil {
		t.Error("a second set of metrics under the same names is no error")
	}
}

func TestMetricsFromManyGoroutines(t *testing.T) {
	m, registry := served(t)
	rule := &engine.Rule{}
	activate(m, engine.Embedded, healthy(rule), "h")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 100 {
				m.observe(ran(rule, 1, nil))
			}
		})
		all.Go(func() {
			for i := range 100 {
				activate(m, engine.Customizations, healthy(&engine.Rule{}), fmt.Sprint(i))
			}
		})
	}
	all.Wait()
	serves(t, registry, "evaluations_total", "Deployment.apps customization InterpretHealth 0", "Deployment.apps embedded InterpretHealth 800")
}

func TestObserveAllocatesNothing(t *testing.T) {
	m, _ := served(t)
	rule := &engine.Rule{}
	activate(m, engine.Embedded, healthy(rule), "h")
	run := ran(rule, 1, nil)
	if n := testing.AllocsPerRun(1000, func() { m.observe(run) }); n != 0 {
		t.Errorf("observe allocates %v times a run, want 0", n)
	}
}

func BenchmarkObserve(b *testing.B) {
	m, _ := served(b)
	rule := &engine.Rule{}
	activate(m, engine.Embedded, healthy(rule), "h")
	run := ran(rule, 100, nil)
	b.ReportAllocs()
	for b.Loop() {
		m.observe(run)
	}
}

// TestAbandonedRuns are counted until they end, and logged with what finds the defect.
func TestAbandonedRuns(t *testing.T) {
	registry := prometheus.NewPedanticRegistry()
	o, err := NewObserver(registry)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	log := funcr.NewJSON(func(line string) { lines = append(lines, line) }, funcr.Options{})
	failure := &script.Error{
		Code: script.Deadline, Position: script.Position{File: "c/health.lua"}, Message: "took longer",
		Trace: []script.Frame{{Position: script.Position{File: "index.go", Line: 7}, Function: "strings.Index"}},
	}
	run := engine.AbandonedRun{
		Operation: engine.InterpretHealth, Kind: deployments, Rule: &engine.Rule{Origin: "customization c"},
		Entry: "InterpretHealth", Namespace: "web", Name: "home", Err: failure,
	}
	abandoned := o.Abandoned(log)
	first := abandoned(run)
	abandoned(run)
	serves(t, registry, "abandoned_runs_total", "InterpretHealth 2")
	serves(t, registry, "abandoned_runs", "2")
	first()
	serves(t, registry, "abandoned_runs_total", "InterpretHealth 2")
	serves(t, registry, "abandoned_runs", "1")

	want := `{"logger":"","msg":"abandoned a run that did not end","error":"c/health.lua: took longer",` +
		`"operation":"InterpretHealth","kind":"apps/v1, Kind=Deployment","namespace":"web","name":"home",` +
		`"rule":"customization c","script":"c/health.lua","function":"InterpretHealth","stack":"\tindex.go:7: in strings.Index\n"}`
	if diff := cmp.Diff([]string{want, want}, lines); diff != "" {
		t.Errorf("the log (-want +got):\n%s", diff)
	}

	m, registry := served(t)
	rule := &engine.Rule{}
	activate(m, engine.Customizations, healthy(rule), "h1")
	m.observe(ran(rule, 0, failure))
	serves(t, registry, "errors_total", "Deadline Deployment.apps customization InterpretHealth 1")
	var none *metrics
	none.abandon(engine.InterpretHealth)()
}
