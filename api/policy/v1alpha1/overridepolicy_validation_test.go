// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

func raw(text string) apiextensionsv1.JSON { return apiextensionsv1.JSON{Raw: []byte(text)} }

// override returns a policy in the namespace default whose only rule makes these
// changes on all clusters.
func override(o Overriders) *OverridePolicy {
	return &OverridePolicy{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "o"},
		Spec:       OverrideSpec{OverrideRules: []RuleWithCluster{{Overriders: o}}},
	}
}

func fields(items ...FieldOverrider) *OverridePolicy {
	return override(Overriders{FieldOverrider: items})
}

func TestValidateOverridePolicy(t *testing.T) {
	const rule = "spec.overrideRules[0].overriders"
	port := YAMLPatchOperation{SubPath: "/app/database/port", Operator: OverriderOpReplace, Value: raw(`"3306"`)}
	cases := map[string]struct {
		reason string
		policy *OverridePolicy
		want   []string
	}{
		"Field": {
			reason: "one place of a YAML document is replaced",
			policy: fields(FieldOverrider{FieldPath: "/data/config.yaml", YAML: []YAMLPatchOperation{port}}),
		},
		"FieldOfNeither": {
			reason: "an overrider without operations does nothing",
			policy: fields(FieldOverrider{FieldPath: "/data/config.yaml"}),
			want:   []string{"FieldValueRequired " + rule + ".fieldOverrider[0]"},
		},
		"FieldOfBoth": {
			reason: "a text is not JSON and YAML",
			policy: fields(FieldOverrider{
				FieldPath: "/data/x",
				JSON:      []JSONPatchOperation{{SubPath: "", Operator: OverriderOpRemove}},
				YAML:      []YAMLPatchOperation{port},
			}),
			want: []string{"FieldValueForbidden " + rule + ".fieldOverrider[0].yaml"},
		},
		"Pointers": {
			reason: "a pointer starts with a slash and escapes tildes; a field is below the root",
			policy: fields(
				FieldOverrider{FieldPath: "", YAML: []YAMLPatchOperation{port}},
				FieldOverrider{FieldPath: "data", JSON: []JSONPatchOperation{
					{SubPath: "/a~1b/~0", Operator: OverriderOpRemove},
					{SubPath: "/a~b", Operator: OverriderOpRemove},
				}},
			),
			want: []string{
				"FieldValueRequired " + rule + ".fieldOverrider[0].fieldPath",
				"FieldValueInvalid " + rule + ".fieldOverrider[1].fieldPath",
				"FieldValueInvalid " + rule + ".fieldOverrider[1].json[1].subPath",
			},
		},
		"Values": {
			reason: "add and replace have a value, remove has none",
			policy: fields(FieldOverrider{FieldPath: "/data/x", JSON: []JSONPatchOperation{
				{SubPath: "/a", Operator: OverriderOpAdd},
				{SubPath: "/a", Operator: OverriderOpReplace},
				{SubPath: "/a", Operator: OverriderOpRemove, Value: raw(`1`)},
			}}),
			want: []string{
				"FieldValueRequired " + rule + ".fieldOverrider[0].json[0].value",
				"FieldValueRequired " + rule + ".fieldOverrider[0].json[1].value",
				"FieldValueInvalid " + rule + ".fieldOverrider[0].json[2].value",
			},
		},
		"Labels": {
			reason: "labels and annotations follow the syntax of metadata",
			policy: override(Overriders{
				LabelsOverrider:      []LabelAnnotationOverrider{{Operator: OverriderOpAdd, Value: map[string]string{"a": "b c"}}},
				AnnotationsOverrider: []LabelAnnotationOverrider{{Operator: OverriderOpAdd, Value: map[string]string{"a": "b c", "-": "d"}}},
			}),
			want: []string{
				"FieldValueInvalid " + rule + ".labelsOverrider[0].value",
				"FieldValueInvalid " + rule + ".annotationsOverrider[0].value",
			},
		},
		"ImagePredicate": {
			reason: "a predicate is a pointer to a field",
			policy: override(Overriders{ImageOverrider: []ImageOverrider{
				{Component: Tag, Operator: OverriderOpReplace, Value: "1.2"},
				{Component: Tag, Operator: OverriderOpRemove, Predicate: &ImagePredicate{Path: "spec/image"}},
			}}),
			want: []string{"FieldValueInvalid " + rule + ".imageOverrider[1].predicate.path"},
		},
		"Plaintext": {
			reason: "a path that fails on every cluster is refused when it is written; a null value is allowed",
			policy: override(Overriders{Plaintext: []PlaintextOverrider{
				{Path: "/spec/replicas", Operator: OverriderOpReplace},
				{Path: "spec", Operator: OverriderOpRemove},
			}}),
			want: []string{"FieldValueInvalid " + rule + ".plaintext[1].path"},
		},
		"TargetCluster": {
			reason: "the clusters are chosen by a good affinity",
			policy: &OverridePolicy{Spec: OverrideSpec{OverrideRules: []RuleWithCluster{
				{TargetCluster: &ClusterAffinity{LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"-": ""}}}},
			}}},
			want: []string{"FieldValueInvalid spec.overrideRules[0].targetCluster.labelSelector.matchLabels"},
		},
		"OldForm": {
			reason: "the form without rules still works and is looked at too",
			policy: &OverridePolicy{Spec: OverrideSpec{
				TargetCluster: ptr.To(members("m1")),
				Overriders:    Overriders{FieldOverrider: []FieldOverrider{{FieldPath: "/data/x"}}},
			}},
			want: []string{"FieldValueRequired spec.overriders.fieldOverrider[0]"},
		},
		"OldFormWithRules": {
			reason: "the two forms exclude each other, for a fieldOverrider alone too",
			policy: &OverridePolicy{Spec: OverrideSpec{
				OverrideRules: []RuleWithCluster{{}},
				TargetCluster: ptr.To(members("m1")),
				Overriders:    Overriders{FieldOverrider: []FieldOverrider{{FieldPath: "/data/x", YAML: []YAMLPatchOperation{port}}}},
			}},
			want: []string{"FieldValueForbidden spec.targetCluster", "FieldValueForbidden spec.overriders"},
		},
		"OtherNamespace": {
			reason: "a namespaced policy stays in its namespace",
			policy: &OverridePolicy{
				ObjectMeta: metav1.ObjectMeta{Namespace: "default"},
				Spec:       OverrideSpec{ResourceSelectors: []ResourceSelector{{APIVersion: "v1", Kind: "Secret", Namespace: "other"}}},
			},
			want: []string{"FieldValueInvalid spec.resourceSelectors[0].namespace"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) { wantErrors(t, tc.reason, tc.policy.Validate(), tc.want...) })
	}
}

func TestValidateClusterOverridePolicy(t *testing.T) {
	p := &ClusterOverridePolicy{Spec: OverrideSpec{
		ResourceSelectors: []ResourceSelector{{APIVersion: "v1", Kind: "Secret", Namespace: "any"}},
		OverrideRules:     []RuleWithCluster{{Overriders: Overriders{FieldOverrider: []FieldOverrider{{FieldPath: "/data/x"}}}}},
	}}
	wantErrors(t, "the cluster-wide kind selects in any namespace and is for the rest like its twin", p.Validate(),
		"FieldValueRequired spec.overrideRules[0].overriders.fieldOverrider[0]")
}
