// SPDX-License-Identifier: Apache-2.0

package author

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/dragoman-io/dragoman/api/crds"
)

// TestRulesOfTheSchemas lists the CEL rules of the schemas, which a check does not run:
// the Validate of their kind has each of them. Rules about an update are left out.
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
	want := []string{
		"clusterAffinity and clusterAffinities exclude each other; keep one",
		"give exactly one of luaScript and celExpression, and not an empty one; remove the whole field to leave the operation to the next source",
		"gracePeriodSeconds is only for the purgeMode Gracefully; remove one of them",
		"metadata.name must be a DNS label of at most 48 characters: lower-case letters, digits and dashes, with a letter or digit at both ends",
		"zone and zones exclude each other; move zone into zones",
	}
	if d := cmp.Diff(want, slices.Sorted(maps.Keys(found))); d != "" {
		t.Errorf("add a new rule to Validate, and break it in testdata/check: want -, got +:\n%s", d)
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

// TestDefaultsOfTheSchema checks that defaults reach lists and maps, that a null which
// the schema does not allow is as absent, and that a value stays.
func TestDefaultsOfTheSchema(t *testing.T) {
	known, err := newKinds()
	if err != nil {
		t.Fatal(err)
	}
	for kind, s := range known.schemas {
		if kind.Kind != "PropagationPolicy" {
			continue
		}
		object := map[string]any{"spec": map[string]any{
			"conflictResolution": nil,
			"dependentOverrides": nil,
			"priority":           int64(3),
			"failover":           map[string]any{"application": map[string]any{"decisionConditions": map[string]any{}}},
		}}
		s.setDefaults(object)
		want := map[string]any{"spec": map[string]any{
			"conflictResolution": "Abort",
			"preemption":         "Never",
			"priority":           int64(3),
			"schedulerName":      "default-scheduler",
			"failover": map[string]any{"application": map[string]any{
				"purgeMode": "Gracefully", "decisionConditions": map[string]any{"tolerationSeconds": int64(300)},
			}},
		}}
		if d := cmp.Diff(want, object); d != "" {
			t.Errorf("want -, got +:\n%s", d)
		}
	}
}
