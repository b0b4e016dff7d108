// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"reflect"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func TestValidateResourceInterpreterCustomization(t *testing.T) {
	deployment := CustomizationTarget{APIVersion: "apps/v1", Kind: "Deployment"}
	cases := map[string]struct {
		reason string
		spec   ResourceInterpreterCustomizationSpec
		want   []string
	}{
		"Good": {
			reason: "each operation in the language that suits it",
			spec: ResourceInterpreterCustomizationSpec{Target: deployment, Customizations: CustomizationRules{
				HealthInterpretation: &Script{CELExpression: "true"},
				Retention:            &Script{LuaScript: "function Retain(desired, observed) return desired end"},
			}},
		},
		"Target": {
			reason: "the target is one kind",
			want:   []string{"FieldValueRequired spec.target.apiVersion", "FieldValueRequired spec.target.kind"},
		},
		"TargetVersion": {
			reason: "of one group and version",
			spec:   ResourceInterpreterCustomizationSpec{Target: CustomizationTarget{APIVersion: "a/b/c", Kind: "D"}},
			want:   []string{"FieldValueInvalid spec.target.apiVersion"},
		},
		"Scripts": {
			reason: "one script in one language",
			spec: ResourceInterpreterCustomizationSpec{Target: deployment, Customizations: CustomizationRules{
				StateInterpretation: &Script{LuaScript: "x", CELExpression: "y"},
				StateRestoration:    &Script{LuaScript: " \n"},
			}},
			want: []string{
				"FieldValueForbidden spec.customizations.stateInterpretation.celExpression",
				"FieldValueRequired spec.customizations.stateRestoration",
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := &ResourceInterpreterCustomization{Spec: tc.spec}
			wantErrors(t, tc.reason, c.Validate(), tc.want...)
		})
	}
}

func TestValidateLooksAtEveryOperation(t *testing.T) {
	var rules CustomizationRules
	value := reflect.ValueOf(&rules).Elem()
	for i := range value.NumField() {
		value.Field(i).Set(reflect.ValueOf(&Script{}))
	}
	if got, want := len(rules.validate(nil)), value.NumField(); got != want {
		t.Errorf("%d of %d empty scripts were found; is a field missing in Scripts?", got, want)
	}
}

func TestValidateDependentObjectReference(t *testing.T) {
	cases := map[string]struct {
		reason    string
		reference DependentObjectReference
		want      []string
	}{
		"ByName":     {reason: "one object", reference: DependentObjectReference{APIVersion: "v1", Kind: "Secret", Name: "a"}},
		"BySelector": {reason: "all that match", reference: DependentObjectReference{APIVersion: "v1", Kind: "Secret", LabelSelector: &metav1.LabelSelector{}}},
		"Empty": {
			reason: "nothing is named",
			want:   []string{"FieldValueRequired [0].apiVersion", "FieldValueRequired [0].kind", "FieldValueRequired [0].name"},
		},
		"BadSelector": {
			reason: "a selector that nothing can match",
			reference: DependentObjectReference{APIVersion: "v1", Kind: "Secret", LabelSelector: &metav1.LabelSelector{
				MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "a", Operator: "Is"}},
			}},
			want: []string{"FieldValueInvalid [0].labelSelector.matchExpressions[0].operator"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var root *field.Path
			wantErrors(t, tc.reason, tc.reference.Validate(root.Index(0)), tc.want...)
		})
	}
}
