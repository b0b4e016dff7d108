// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"reflect"
	"testing"
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
