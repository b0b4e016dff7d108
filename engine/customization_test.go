// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
)

func customizationOf(rules configv1alpha1.CustomizationRules) *configv1alpha1.ResourceInterpreterCustomization {
	return &configv1alpha1.ResourceInterpreterCustomization{
		ObjectMeta: metav1.ObjectMeta{Name: "nginx"},
		Spec: configv1alpha1.ResourceInterpreterCustomizationSpec{
			Target:         configv1alpha1.CustomizationTarget{APIVersion: "apps/v1", Kind: "Deployment"},
			Customizations: rules,
		},
	}
}

func luaScript(source string) *configv1alpha1.Script {
	return &configv1alpha1.Script{LuaScript: source}
}

func TestCustomizationBecomesRules(t *testing.T) {
	source, errs := newCompiler(t).Customization(customizationOf(configv1alpha1.CustomizationRules{
		HealthInterpretation: luaScript("function InterpretHealth(obj) return true end"),
		ReplicaRevision:      &configv1alpha1.Script{CELExpression: "{'spec': {'replicas': replicas}}"},
	}))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	rules := source.Kinds[schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}]
	if source.Name != "nginx" || len(rules) != 2 {
		t.Fatalf("got source %q with %d rules; want nginx with 2", source.Name, len(rules))
	}
	health, revise := rules[InterpretHealth], rules[ReviseReplica]
	if !health.Compat || health.Expression || health.Origin != "customization nginx" {
		t.Errorf("health: got %+v; want a published rule of customization nginx", health)
	}
	if revise.Compat || !revise.Expression {
		t.Errorf("revise: got %+v; want an expression", revise)
	}
}

func TestCustomizationNamesEveryBrokenField(t *testing.T) {
	cr := customizationOf(configv1alpha1.CustomizationRules{
		HealthInterpretation: luaScript("function InterpretHealth(obj)\n  return obj.\nend"),
		ReplicaResource:      luaScript("function GetReplicas(obj)\n  while true do end\nend"),
		ReplicaRevision:      &configv1alpha1.Script{CELExpression: "replicaz"},
		Retention:            &configv1alpha1.Script{LuaScript: "x", CELExpression: "y"},
		StatusReflection:     &configv1alpha1.Script{},
		StatusAggregation:    luaScript("function AggregateStatus(obj, items) return obj end"),
	})
	cr.Spec.Target = configv1alpha1.CustomizationTarget{}
	source, errs := newCompiler(t).Customization(cr)
	if len(source.Kinds) > 0 {
		t.Error("got rules beside errors; a customization is all or nothing")
	}
	var got strings.Builder
	for _, err := range errs {
		got.WriteString(err.Error() + "\n")
	}
	for _, want := range []string{
		"spec.target.apiVersion: a customization must name",
		"spec.target.kind: a customization must name",
		"spec.customizations.healthInterpretation.luaScript: line 3: syntax error",
		"spec.customizations.replicaResource.luaScript: line 2: the run needs more than",
		"spec.customizations.replicaRevision.celExpression: line 1: undeclared reference to 'replicaz'",
		"spec.customizations.retention: give luaScript or celExpression, not both",
		"spec.customizations.statusReflection: there is neither luaScript nor celExpression",
	} {
		if !strings.Contains(got.String(), want) {
			t.Errorf("there is no error %q in:\n%s", want, got.String())
		}
	}
	if len(errs) != 7 {
		t.Errorf("got %d errors; want 7:\n%s", len(errs), got.String())
	}
}

// The fields of a customization and the operations of the table are the same.
func TestEveryOperationHasAFieldAndEveryFieldAnOperation(t *testing.T) {
	var want, got []string
	for field := range (&configv1alpha1.CustomizationRules{}).Scripts() {
		got = append(got, field)
	}
	for _, op := range Operations() {
		want = append(want, op.Field)
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the fields of the operations are those of a customization (-operations +fields):\n%s", diff)
	}
}
