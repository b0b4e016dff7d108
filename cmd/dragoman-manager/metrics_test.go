// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	dto "github.com/prometheus/client_model/go"
	"sigs.k8s.io/yaml"

	"github.com/dragoman-io/dragoman/controllers/decide/capacity/inventory"
	"github.com/dragoman-io/dragoman/controllers/estimator/server"
	"github.com/dragoman-io/dragoman/docs"
)

// recording is a registry that keeps what was registered.
type recording struct {
	*prometheus.Registry
	mu sync.Mutex
	// labels are those of each metric, joined.
	labels map[string]string
	help   map[string]string
}

var described = regexp.MustCompile(`^Desc\{fqName: "([^"]*)", help: "([^"]*)", (?:unit: "[^"]*", )?constLabels: \{([^}]*)\}, variableLabels: \{([^}]*)\}\}$`)

// Register implements prometheus.Registerer.
func (r *recording) Register(c prometheus.Collector) error {
	descs := make(chan *prometheus.Desc)
	go func() {
		c.Describe(descs)
		close(descs)
	}()
	r.mu.Lock()
	defer r.mu.Unlock()
	for d := range descs {
		parts := described.FindStringSubmatch(d.String())
		if parts == nil {
			return fmt.Errorf("read %s", d)
		}
		var labels []string
		for label := range strings.SplitSeq(parts[3]+","+parts[4], ",") {
			if name, _, _ := strings.Cut(label, "="); name != "" {
				labels = append(labels, name)
			}
		}
		slices.Sort(labels)
		r.labels[parts[1]], r.help[parts[1]] = strings.Join(labels, " "), parts[2]
	}
	return r.Registry.Register(c)
}

// newRecording returns a registry that has the metrics of an estimator.
func newRecording(t *testing.T) *recording {
	t.Helper()
	r := &recording{Registry: prometheus.NewRegistry(), labels: map[string]string{}, help: map[string]string{}}
	if _, err := server.NewMetrics(r, inventory.New()); err != nil {
		t.Fatal(err)
	}
	return r
}

// lint checks what is served now: a manager that runs and leads.
func (r *recording) lint(t *testing.T) {
	t.Helper()
	families, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(families, func(f *dto.MetricFamily) bool { return f.GetName() == "dragoman_clusters" }) {
		t.Error("the manager serves no dragoman_clusters")
	}
	problems, err := promlint.NewWithMetricFamilies(families).Lint()
	if err != nil || len(problems) > 0 {
		t.Errorf("the metrics do not follow the conventions: %v, %v", problems, err)
	}
}

// compare compares docs/metrics.md with what was registered, and what the rules of alerts ask for.
func (r *recording) compare(t *testing.T) {
	t.Helper()
	page, err := docs.Page("metrics")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]string{}
	quoted := regexp.MustCompile("`([a-z_]+)`")
	for line := range strings.Lines(page) {
		cells := strings.Split(line, "|")
		if len(cells) < 4 || !strings.HasPrefix(cells[1], " `dragoman_") {
			continue
		}
		var labels []string
		for _, label := range quoted.FindAllStringSubmatch(cells[2], -1) {
			labels = append(labels, label[1])
		}
		slices.Sort(labels)
		documented[quoted.FindStringSubmatch(cells[1])[1]] = strings.Join(labels, " ")
	}
	ours := maps.Clone(r.labels)
	maps.DeleteFunc(ours, func(name, _ string) bool { return !strings.HasPrefix(name, "dragoman_") })
	if diff := cmp.Diff(ours, documented); diff != "" {
		t.Errorf("docs/metrics.md does not have the metrics with their labels that are served (-served +documented):\n%s", diff)
	}
	if _, ok := r.labels["workqueue_depth"]; !ok {
		t.Error("the queue to members has no workqueue_depth")
	}
	for name := range ours {
		// Tenants are many, and choose their names.
		if labels := " " + ours[name] + " "; strings.Contains(labels, " namespace ") || strings.Contains(labels, " binding ") || strings.Contains(labels, " template ") {
			t.Errorf("%s has a label by tenants: %s", name, labels)
		}
		if r.help[name] == "" {
			t.Errorf("%s has no help text", name)
		}
	}

	text, err := os.ReadFile("../../examples/alerts/rules.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var rules struct {
		Groups []struct {
			Rules []struct{ Alert, Expr string }
		}
	}
	if err := yaml.Unmarshal(text, &rules); err != nil {
		t.Fatal(err)
	}
	if len(rules.Groups) != 1 || len(rules.Groups[0].Rules) != 4 {
		t.Fatalf("got %+v, want four alerts", rules)
	}
	for _, rule := range rules.Groups[0].Rules {
		for _, name := range regexp.MustCompile(`dragoman_[a-z_]+`).FindAllString(rule.Expr, -1) {
			if _, ok := ours[name]; !ok {
				t.Errorf("alert %s asks for %s, which nothing serves", rule.Alert, name)
			}
		}
	}
}

// TestAddressesAreServedByDefault compares the defaults of addresses with those that are published.
func TestAddressesAreServedByDefault(t *testing.T) {
	cmd := newCommand(nil, prometheus.NewRegistry())
	for flag, want := range map[string]string{"metrics-bind-address": ":8080", "health-probe-bind-address": ":10357"} {
		if got := cmd.Flags().Lookup(flag).DefValue; got != want {
			t.Errorf("--%s is %s by default, want %s", flag, got, want)
		}
	}
}
