// SPDX-License-Identifier: Apache-2.0

package review

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/decide/quota"
	"github.com/dragoman-io/dragoman/controllers/decide/schema/schemapath"
)

// kinds has a FlinkDeployment, and no other kind.
func kinds(t *testing.T) Schemas {
	t.Helper()
	s, err := schemapath.OfDefinition([]byte(`{"type": "object", "properties": {
		"spec": {"type": "object", "properties": {"image": {"type": "string"}, "parallelism": {"type": "integer"}}},
		"status": {"type": "object", "properties": {"jobStatus": {"type": "object", "properties": {"jobId": {"type": "string"}}}}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	return func(k schema.GroupVersionKind) *schemapath.Schema {
		if k.Kind == "FlinkDeployment" {
			return s
		}
		return nil
	}
}

const selectors = `
  resourceSelectors:
  - {apiVersion: flink.apache.org/v1beta1, kind: FlinkDeployment, name: a}
  - {apiVersion: flink.apache.org/v1beta1, kind: FlinkDeployment, name: b}
  - {apiVersion: apps/v1, kind: Deployment}
`

func TestWarnings(t *testing.T) {
	cases := map[string]struct {
		reason string
		object runtime.Object
		spec   string
		want   []string
	}{
		"Seed": {
			reason: "the job of a FlinkDeployment is called jobId",
			object: &policyv1alpha1.PropagationPolicy{},
			spec:   `failover: {application: {statePreservation: {rules: [{aliasLabelName: a, jsonPath: "{ .jobStatus.jobID }"}]}}}`,
			want:   []string{"spec.failover.application.statePreservation.rules[0].jsonPath: the schema of FlinkDeployment has no status.jobStatus.jobID; did you mean jobId?"},
		},
		"Good": {
			reason: "a path that is there is fine, as is what bundles add",
			object: &policyv1alpha1.PropagationPolicy{},
			spec:   `failover: {application: {statePreservation: {rules: [{aliasLabelName: a, jsonPath: "{ .jobStatus.jobId }"}, {aliasLabelName: b, jsonPath: "{ .generation }"}]}}}`,
		},
		"Cluster": {
			reason: "both kinds of failover have rules, both kinds of policy too",
			object: &policyv1alpha1.ClusterPropagationPolicy{},
			spec:   `failover: {cluster: {statePreservation: {rules: [{aliasLabelName: a, jsonPath: "{ .state }"}]}}}`,
			want:   []string{"spec.failover.cluster.statePreservation.rules[0].jsonPath: the schema of FlinkDeployment has no status.state"},
		},
		"NoBraces": {
			reason: "text outside of braces stands for itself",
			object: &policyv1alpha1.PropagationPolicy{},
			spec:   `failover: {application: {statePreservation: {rules: [{aliasLabelName: a, jsonPath: .jobStatus.jobId}]}}}`,
			want:   []string{`spec.failover.application.statePreservation.rules[0].jsonPath: there is no path in braces, so the state is the text ".jobStatus.jobId" itself; write { .jobStatus.jobId }`},
		},
		"Broken": {
			reason: "what does not parse is an error, not a warning",
			object: &policyv1alpha1.PropagationPolicy{},
			spec:   `failover: {application: {statePreservation: {rules: [{aliasLabelName: a, jsonPath: "{ .a["}]}}}`,
		},
		"Plaintext": {
			reason: "an override names a field of the object",
			object: &policyv1alpha1.OverridePolicy{},
			spec:   `overrideRules: [{overriders: {plaintext: [{path: /spec/paralelism, operator: replace, value: 2}]}}]`,
			want:   []string{"spec.overrideRules[0].overriders.plaintext[0].path: the schema of FlinkDeployment has no spec.paralelism; did you mean parallelism?"},
		},
		"Field": {
			reason: "a document is in a text",
			object: &policyv1alpha1.ClusterOverridePolicy{},
			spec:   `overrideRules: [{overriders: {fieldOverrider: [{fieldPath: /spec/parallelism}, {fieldPath: /spec/image}]}}]`,
			want:   []string{"spec.overrideRules[0].overriders.fieldOverrider[0].fieldPath: the field has to be text, but in the schema of FlinkDeployment it is of type integer"},
		},
		"Image": {
			reason: "an image may be anywhere in an object",
			object: &policyv1alpha1.OverridePolicy{},
			spec:   `overrideRules: [{overriders: {imageOverrider: [{predicate: {path: /spec/imag}}]}}]`,
			want:   []string{"spec.overrideRules[0].overriders.imageOverrider[0].predicate.path: the schema of FlinkDeployment has no spec.imag; did you mean image?"},
		},
		"OldForm": {
			reason: "overriders without a rule are honored",
			object: &policyv1alpha1.OverridePolicy{},
			spec:   `overriders: {plaintext: [{path: /spce, operator: remove}]}`,
			want:   []string{"spec.overriders.plaintext[0].path: the schema of FlinkDeployment has no spce; did you mean spec?"},
		},
		"Quota": {
			reason: "bindings have no limits, and a cluster counts what is assigned to it",
			object: &policyv1alpha1.FederatedResourceQuota{},
			spec: `overall: {cpu: 1, requests.memory: 1Gi, limits.cpu: 1, limits.memory: 1Gi}
  staticAssignments: [{clusterName: m, hard: {limits.memory: 1Gi}}]`,
			want: []string{"spec.overall[limits.cpu]: " + quota.WhyUncounted},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if err := yaml.Unmarshal([]byte("spec:"+selectors+"  "+tc.spec), tc.object); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, w := range Warnings(tc.object, kinds(t)) {
				got = append(got, w.String())
			}
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Errorf("%s: want -, got +:\n%s", tc.reason, d)
			}
		})
	}
}

func TestWarningsAskForNoSchemaInVain(t *testing.T) {
	asked := func(k schema.GroupVersionKind) *schemapath.Schema {
		t.Errorf("the schema of %s was asked for", k)
		return nil
	}
	for _, object := range []runtime.Object{&policyv1alpha1.PropagationPolicy{}, &policyv1alpha1.OverridePolicy{}} {
		if err := yaml.Unmarshal([]byte("spec:"+selectors), object); err != nil {
			t.Fatal(err)
		}
		Warnings(object, asked)
	}
}

func TestValidate(t *testing.T) {
	policy := &policyv1alpha1.ClusterPropagationPolicy{}
	text := `{spec: {failover: {application: {statePreservation: {rules: [{jsonPath: "{ .a }"}, {jsonPath: "{ .a[ }"}]}}, cluster: {statePreservation: {rules: [{jsonPath: "{ .a"}, {jsonPath: ""}]}}}}}`
	if err := yaml.Unmarshal([]byte(text), policy); err != nil {
		t.Fatal(err)
	}
	want := []string{ // an open brace is reported by the validation of the kind
		`spec.failover.application.statePreservation.rules[1].jsonPath: Invalid value: "{ .a[ }": is not a JSONPath: unterminated array; write the path of a field of the status in braces, such as { .jobStatus.jobId }`,
	}
	var got []string
	for _, err := range Validate(policy) {
		got = append(got, err.Error())
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("want -, got +:\n%s", d)
	}
}
