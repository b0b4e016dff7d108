// SPDX-License-Identifier: Apache-2.0

package placementrule

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/dragoman-io/dragoman/api"
	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	interpreterv1alpha1 "github.com/dragoman-io/dragoman/api/interpreter/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/engine"
)

// filterRule returns a rule with a filter.
func filterRule(name, filter string) *interpreterv1alpha1.PlacementRule {
	return &interpreterv1alpha1.PlacementRule{
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name), Generation: 1},
		Spec:       interpreterv1alpha1.PlacementRuleSpec{ClusterFilter: filter},
	}
}

// failuresOf returns what a registry serves of the metric, a series a line.
func failuresOf(t *testing.T, r *prometheus.Registry) []string {
	t.Helper()
	families, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, family := range families {
		if _, err := expfmt.MetricFamilyToText(&text, family); err != nil {
			t.Fatal(err)
		}
	}
	var lines []string
	for line := range strings.Lines(text.String()) {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "dragoman_placementrule_failures_total"); ok {
			lines = append(lines, rest)
		}
	}
	slices.Sort(lines)
	return lines
}

func TestMetricsCountFailures(t *testing.T) {
	compiler, err := engine.NewCompiler()
	if err != nil {
		t.Fatal(err)
	}
	rules, registry := New(compiler), prometheus.NewRegistry()
	if err := rules.metrics.register(registry); err != nil {
		t.Fatal(err)
	}
	failing, wrong, broken, good := filterRule("failing", "cluster.metadata.labels.zone == 'a'"), filterRule("wrong", "1"), filterRule("broken", "cluster."), filterRule("good", "true")
	all := []*interpreterv1alpha1.PlacementRule{failing, broken, good}
	decide := func(all []*interpreterv1alpha1.PlacementRule) {
		t.Helper()
		d, err := rules.Begin(all, &workv1alpha2.ResourceBinding{}, time.Unix(0, 0))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"m1", "m2"} {
			d.Reject(&clusterv1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: name}})
			d.Reject(&clusterv1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: name}}) // is not run again
		}
	}
	decide(all)
	decide(all)
	decide([]*interpreterv1alpha1.PlacementRule{wrong})
	want := []string{
		`{code="Result",rule="wrong"} 2`,
		`{code="Syntax",rule="broken"} 1`,
		`{code="Type",rule="failing"} 4`,
	}
	if diff := cmp.Diff(want, failuresOf(t, registry)); diff != "" {
		t.Errorf("each failed run of each rule counts, and a generation that does not compile once (-want +got):\n%s", diff)
	}

	scheme := runtime.NewScheme()
	if err := api.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	rules.keep(t.Context(), fake.NewClientBuilder().WithScheme(scheme).WithObjects([]client.Object{good, wrong}...).Build())
	if diff := cmp.Diff(want[:1], failuresOf(t, registry)); diff != "" {
		t.Errorf("the series of rules that are gone go too (-want +got):\n%s", diff)
	}
	rules.note(failing.UID, nil, "m1", errors.New("late"))
	if diff := cmp.Diff(want[:1], failuresOf(t, registry)); diff != "" {
		t.Errorf("a run that ends after its rule went counts nothing (-want +got):\n%s", diff)
	}
}
