// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/dragoman-io/dragoman/test/shared"
)

// conditionCase is what a case of AggregateStatus expects of conditions.
type conditionCase struct {
	Name        string `json:"name"`
	StatusItems []any  `json:"statusItems"`
	Output      struct {
		AggregatedStatus map[string]any `json:"aggregatedStatus"`
	} `json:"output"`
}

// TestMergeConditionsAsPublished compares the rule with the published cases of the
// kinds that have it.
func TestMergeConditionsAsPublished(t *testing.T) {
	folder := shared.Folder(t, "cases")
	for _, kind := range []string{
		"helm.toolkit.fluxcd.io/v2beta1/HelmRelease", "kustomize.toolkit.fluxcd.io/v1/Kustomization",
		"source.toolkit.fluxcd.io/v1/GitRepository", "kyverno.io/v1/ClusterPolicy",
	} {
		t.Run(filepath.Base(kind), func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(folder, kind, "aggregatestatus-test.yaml"))
			if err != nil {
				t.Fatal(err)
			}
			compared := 0
			for _, document := range bytes.Split(text, []byte("\n---\n")) {
				compared += compareConditions(t, document)
			}
			if compared == 0 {
				t.Error("no case has conditions")
			}
		})
	}
}

// compareConditions compares one case, and returns the number of conditions in it.
func compareConditions(t *testing.T, document []byte) int {
	t.Helper()
	var c conditionCase
	if err := yaml.Unmarshal(document, &c); err != nil {
		t.Fatal(err)
	}
	want := listAt(mapAt(c.Output.AggregatedStatus, "status"), "conditions")
	var items any
	if c.StatusItems != nil {
		items = c.StatusItems
	}
	got, err := call(t, "mergeConditions", items)
	if err != nil {
		t.Fatalf("%s: %v", c.Name, err)
	}
	if want == nil {
		want = []any{}
	}
	if d := cmp.Diff(any(want), got); d != "" {
		t.Errorf("%s (-want +got):\n%s", c.Name, d)
	}
	return len(want)
}
