// SPDX-License-Identifier: Apache-2.0

package scripts

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/engine/bundle/cases"
)

func TestCasesOfBundles(t *testing.T) {
	all := bundles(t)
	runner := &cases.Runner{Bundles: all}
	for _, b := range all {
		for _, c := range casesOf(t, b) {
			t.Run(b.Name+"/"+c.Name, func(t *testing.T) { check(t, runner.Run(c)) })
		}
	}
}

func check(t *testing.T, result cases.Result) {
	t.Helper()
	for _, f := range result.Failures {
		t.Errorf("%s: %s: want %s, got %s", result.Case.Where(), f.Path, f.Want, f.Got)
	}
}

func TestEveryScriptHasCases(t *testing.T) {
	for _, b := range bundles(t) {
		if err := cases.Gaps(b, casesOf(t, b)); err != nil {
			t.Error(err)
		}
	}
}

func TestLawsHold(t *testing.T) {
	all := bundles(t)
	runner := &cases.Runner{Bundles: all}
	checked := 0
	for _, b := range all {
		found := casesOf(t, b)
		for _, c := range found {
			n, broken := runner.CheckLaws(c, found...)
			checked += n
			for _, breach := range broken {
				t.Errorf("%s: law %q: %v", c.Where(), breach.Law.Name, breach.Failures)
			}
		}
	}
	if checked == 0 {
		t.Error("no law was checked")
	}
}

// TestNumbersOfKarmada115 checks the text of a component, which is what a user sees in
// a ResourceBinding. A case compares quantities by value.
func TestNumbersOfKarmada115(t *testing.T) {
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "flink.apache.org/v1beta1",
		"kind":       "FlinkDeployment",
		"spec": map[string]any{
			"jobManager":  map[string]any{"replicas": int64(1), "resource": map[string]any{"cpu": int64(1), "memory": "1024m"}},
			"taskManager": map[string]any{"replicas": int64(1), "resource": map[string]any{"cpu": int64(2), "memory": "2048m"}},
		},
	}}
	for choice, want := range map[string]string{
		"flink.memoryUnits=quantity": `[` +
			`{"name":"jobmanager","replicas":1,"replicaRequirements":{"resourceRequest":{"cpu":"1","memory":"1.024"}}},` +
			`{"name":"taskmanager","replicas":1,"replicaRequirements":{"resourceRequest":{"cpu":"2","memory":"2.048"}}}]`,
		"flink.memoryUnits=flink": `[` +
			`{"name":"jobmanager","replicas":1,"replicaRequirements":{"resourceRequest":{"cpu":"1","memory":"1Gi"}}},` +
			`{"name":"taskmanager","replicas":1,"replicaRequirements":{"resourceRequest":{"cpu":"2","memory":"2Gi"}}}]`,
	} {
		components, err := interpreter(t, choice).Snapshot().Components(object)
		if err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(components)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, string(got)); d != "" {
			t.Errorf("%s: want -, got +:\n%s", choice, d)
		}
	}
}
