// SPDX-License-Identifier: Apache-2.0

package crds

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
)

func TestAllKinds(t *testing.T) {
	want := []string{
		"workloadrebalancers.apps.karmada.io v1alpha1 WorkloadRebalancer Cluster wr status",
		"clusters.cluster.karmada.io v1alpha1 Cluster Cluster clu status",
		"resourceinterpretercustomizations.config.karmada.io v1alpha1 ResourceInterpreterCustomization Cluster ric status",
		"placementrules.interpreter.dragoman.io v1alpha1 PlacementRule Cluster plr status",
		"scriptbundles.interpreter.dragoman.io v1alpha1 ScriptBundle Cluster sb status",
		"clusteroverridepolicies.policy.karmada.io v1alpha1 ClusterOverridePolicy Cluster cop",
		"clusterpropagationpolicies.policy.karmada.io v1alpha1 ClusterPropagationPolicy Cluster cpp status",
		"clustertaintpolicies.policy.karmada.io v1alpha1 ClusterTaintPolicy Cluster ctp",
		"federatedresourcequotas.policy.karmada.io v1alpha1 FederatedResourceQuota Namespaced frq status",
		"overridepolicies.policy.karmada.io v1alpha1 OverridePolicy Namespaced op",
		"propagationpolicies.policy.karmada.io v1alpha1 PropagationPolicy Namespaced pp status",
		"clusterresourcebindings.work.karmada.io v1alpha2 ClusterResourceBinding Cluster crb status",
		"resourcebindings.work.karmada.io v1alpha2 ResourceBinding Namespaced rb status",
		"works.work.karmada.io v1alpha1 Work Namespaced wk status",
	}
	var got []string
	for _, definition := range all(t) {
		got = append(got, summary(definition))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("each kind has its definition, and no other is here (-want +got):\n%s", diff)
	}
}

func TestCategory(t *testing.T) {
	for _, definition := range all(t) {
		if diff := cmp.Diff([]string{"karmada-io"}, definition.Spec.Names.Categories); diff != "" {
			t.Errorf("kubectl get karmada-io shows %s (-want +got):\n%s", definition.Name, diff)
		}
	}
}

func TestConditionsAreKeyedByType(t *testing.T) {
	for _, definition := range all(t) {
		conditions, has := schema(definition).Properties["status"].Properties["conditions"]
		if !has {
			continue
		}
		if conditions.XListType == nil || *conditions.XListType != "map" || !slices.Equal(conditions.XListMapKeys, []string{"type"}) {
			t.Errorf("the conditions of a %s are not a map by their type", definition.Spec.Names.Kind)
		}
		wanted, fields := []string{"lastTransitionTime", "message", "reason", "status", "type"}, conditions.Items.Schema.Properties
		if definition.Spec.Names.Kind == "Cluster" { // other controllers write these too
			wanted = []string{"status", "type"}
			if fields["reason"].MinLength != nil || fields["reason"].Pattern != "" || !fields["lastTransitionTime"].Nullable {
				t.Errorf("a condition of a Cluster must have a reason, or a time: %+v", fields)
			}
		}
		if diff := cmp.Diff(wanted, conditions.Items.Schema.Required); diff != "" {
			t.Errorf("what a condition of a %s must have (-want +got):\n%s", definition.Spec.Names.Kind, diff)
		}
	}
}

func TestDefaults(t *testing.T) {
	policy := map[string]string{
		"preemption":                     `"Never"`,
		"priority":                       `0`,
		"schedulerName":                  `"default-scheduler"`,
		"conflictResolution":             `"Abort"`,
		"failover.application.purgeMode": `"Gracefully"`,
		"failover.application.decisionConditions.tolerationSeconds": `300`,
		"failover.cluster.purgeMode":                                `"Gracefully"`,
		"placement.replicaScheduling.replicaSchedulingType":         `"Divided"`,
	}
	binding := map[string]string{
		"conflictResolution":                                        `"Abort"`,
		"schedulePriority.priority":                                 `0`,
		"failover.application.purgeMode":                            `"Gracefully"`,
		"failover.application.decisionConditions.tolerationSeconds": `300`,
		"failover.cluster.purgeMode":                                `"Gracefully"`,
		"placement.replicaScheduling.replicaSchedulingType":         `"Divided"`,
	}
	want := map[string]map[string]string{
		"PropagationPolicy": policy, "ClusterPropagationPolicy": policy,
		"ResourceBinding": binding, "ClusterResourceBinding": binding,
		"PlacementRule": {"weight": "1"},
		"ScriptBundle":  {"mode": `"Active"`, "source.oci.interval": `"5m"`},
	}
	for _, definition := range all(t) {
		got := map[string]string{}
		spec := schema(definition).Properties["spec"]
		collectDefaults("", &spec, got)
		if len(got) == 0 {
			got = nil
		}
		if diff := cmp.Diff(want[definition.Spec.Names.Kind], got); diff != "" {
			t.Errorf("%s has the published defaults (-want +got):\n%s", definition.Name, diff)
		}
	}
}

func TestPurgeModesOfBothGenerations(t *testing.T) {
	want := map[string][]string{
		"application": {`"Directly"`, `"Gracefully"`, `"Never"`, `"Immediately"`, `"Graciously"`},
		"cluster":     {`"Directly"`, `"Gracefully"`, `"Immediately"`, `"Graciously"`},
	}
	for _, definition := range all(t) {
		failover := schema(definition).Properties["spec"].Properties["failover"]
		for part, modes := range failover.Properties {
			var got []string
			for _, mode := range modes.Properties["purgeMode"].Enum {
				got = append(got, string(mode.Raw))
			}
			if diff := cmp.Diff(want[part], got); diff != "" {
				t.Errorf("%s, failover.%s.purgeMode (-want +got):\n%s", definition.Name, part, diff)
			}
		}
	}
}

func TestRawFieldsKeepWhatTheyHold(t *testing.T) {
	for _, definition := range all(t) {
		root := schema(definition)
		var raw []apiextensionsv1.JSONSchemaProps
		switch definition.Spec.Names.Kind {
		case "OverridePolicy", "ClusterOverridePolicy":
			overriders := root.Properties["spec"].Properties["overrideRules"].Items.Schema.Properties["overriders"]
			field := overriders.Properties["fieldOverrider"].Items.Schema.Properties
			raw = append(raw,
				overriders.Properties["plaintext"].Items.Schema.Properties["value"],
				field["json"].Items.Schema.Properties["value"],
				field["yaml"].Items.Schema.Properties["value"])
		case "Work":
			raw = append(raw, *root.Properties["spec"].Properties["workload"].Properties["manifests"].Items.Schema,
				root.Properties["status"].Properties["manifestStatuses"].Items.Schema.Properties["status"])
		case "ResourceBinding", "ClusterResourceBinding":
			raw = append(raw, root.Properties["status"].Properties["aggregatedStatus"].Items.Schema.Properties["status"])
		}
		for i, props := range raw {
			if props.XPreserveUnknownFields == nil || !*props.XPreserveUnknownFields {
				t.Errorf("%s: raw field %d loses what its schema does not name", definition.Name, i)
			}
		}
	}
}

func TestScriptRule(t *testing.T) {
	for _, definition := range all(t) {
		if definition.Spec.Names.Kind != "ResourceInterpreterCustomization" {
			continue
		}
		operations := schema(definition).Properties["spec"].Properties["customizations"].Properties
		var rules configv1alpha1.CustomizationRules
		for field := range rules.Scripts() {
			if _, ok := operations[field]; !ok {
				t.Errorf("the schema has no field %s", field)
			}
		}
		for name, operation := range operations {
			if len(operation.XValidations) != 1 {
				t.Errorf("%s takes any number of scripts: it has no rule", name)
			}
		}
	}
}

func all(t *testing.T) []*apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	definitions, err := All()
	if err != nil {
		t.Fatal(err)
	}
	return definitions
}

func schema(definition *apiextensionsv1.CustomResourceDefinition) *apiextensionsv1.JSONSchemaProps {
	return definition.Spec.Versions[0].Schema.OpenAPIV3Schema
}

// summary returns name, versions, kind, scope, short names and subresources.
func summary(definition *apiextensionsv1.CustomResourceDefinition) string {
	text := definition.Name
	for _, version := range definition.Spec.Versions {
		text += " " + version.Name
	}
	text += " " + definition.Spec.Names.Kind + " " + string(definition.Spec.Scope)
	for _, short := range definition.Spec.Names.ShortNames {
		text += " " + short
	}
	if s := definition.Spec.Versions[0].Subresources; s != nil && s.Status != nil {
		text += " status"
	}
	return text
}

// collectDefaults fills found with path and default, as JSON, of each property
// below props that has one.
func collectDefaults(path string, props *apiextensionsv1.JSONSchemaProps, found map[string]string) {
	if props.Default != nil {
		found[path] = string(props.Default.Raw)
	}
	if path != "" {
		path += "."
	}
	for name, property := range props.Properties {
		collectDefaults(path+name, &property, found)
	}
	if props.Items != nil {
		collectDefaults(path+"items", props.Items.Schema, found)
	}
}

// TestFieldsSpecify looks for words of kubectl explain that are wrong for what a user sets: a field of a
// spec specifies something, and only a status reports.
func TestFieldsSpecify(t *testing.T) {
	reports := regexp.MustCompile(`\b(reports?|says?)\b`)
	for _, definition := range all(t) {
		kind := definition.Spec.Names.Kind
		for path, text := range descriptions(kind, schema(definition)) {
			switch {
			case strings.HasPrefix(path, kind+".status"):
			case reports.MatchString(text):
				t.Errorf("%s: write what it specifies: %s", path, text)
			}
			if text == "" && !strings.HasSuffix(path, "[]") && path != kind+".metadata" {
				t.Errorf("%s has no description", path)
			}
		}
	}
}

// descriptions returns the description of each field below a schema, and its own, by path.
func descriptions(path string, s *apiextensionsv1.JSONSchemaProps) map[string]string {
	all := map[string]string{path: s.Description}
	for name := range s.Properties {
		field := s.Properties[name]
		maps.Copy(all, descriptions(path+"."+name, &field))
	}
	if s.Items != nil && s.Items.Schema != nil {
		maps.Copy(all, descriptions(path+"[]", s.Items.Schema))
	}
	return all
}
