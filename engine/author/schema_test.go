// SPDX-License-Identifier: Apache-2.0

package author

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/dragoman-io/dragoman/api/crds"
)

// TestRulesOfTheSchemas lists the CEL rules of the schemas, which a check does not run:
// the Validate of their kind has each of them. Rules about an update are left out. The list
// is testdata/rules.txt.
func TestRulesOfTheSchemas(t *testing.T) {
	definitions, err := crds.All()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, d := range definitions {
		for _, v := range d.Spec.Versions {
			collectRules(v.Schema.OpenAPIV3Schema, found)
		}
	}
	got := strings.Join(slices.Sorted(maps.Keys(found)), "\n") + "\n"
	golden := filepath.Join("testdata", "rules.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("add a new rule to Validate, break it in testdata/check, and then update the list: want -, got +:\n%s", d)
	}
}

func collectRules(s *apiextensionsv1.JSONSchemaProps, found map[string]bool) {
	for _, rule := range s.XValidations {
		if !strings.Contains(rule.Rule, "oldSelf") {
			found[rule.Message] = true
		}
	}
	for _, property := range s.Properties {
		collectRules(&property, found)
	}
	if s.Items != nil && s.Items.Schema != nil {
		collectRules(s.Items.Schema, found)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		collectRules(s.AdditionalProperties.Schema, found)
	}
}
