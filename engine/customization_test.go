// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"errors"
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

// What a customization is for and called is in messages and labels of metrics.
func TestCustomizationBoundsTheLengthOfNames(t *testing.T) {
	long := func(n int) string { return strings.Repeat("a", n) }
	cases := map[string]struct {
		reason string
		change func(*configv1alpha1.ResourceInterpreterCustomization)
		want   string
	}{
		"Longest": {"what the API allows", func(cr *configv1alpha1.ResourceInterpreterCustomization) {
			cr.Name, cr.Spec.Target.Kind, cr.Spec.Target.APIVersion = long(253), long(63), long(253)+"/"+long(63)
		}, ""},
		"Name":       {"a name", func(cr *configv1alpha1.ResourceInterpreterCustomization) { cr.Name = long(254) }, `metadata.name: "` + long(40) + `"... has 254 bytes; at most 253 are allowed`},
		"Kind":       {"a kind", func(cr *configv1alpha1.ResourceInterpreterCustomization) { cr.Spec.Target.Kind = long(400_000) }, `spec.target.kind: "` + long(40) + `"... has 400000 bytes; at most 63 are allowed`},
		"APIVersion": {"both", func(cr *configv1alpha1.ResourceInterpreterCustomization) { cr.Spec.Target.APIVersion = long(400_000) }, `spec.target.apiVersion: "` + long(40) + `"... has 400000 bytes; at most 317 are allowed`},
		"Slashes": {"not even an error repeats it", func(cr *configv1alpha1.ResourceInterpreterCustomization) {
			cr.Spec.Target.APIVersion = strings.Repeat("/", 400_000)
		}, `spec.target.apiVersion: "` + strings.Repeat("/", 40) + `"... has 400000 bytes; at most 317 are allowed`},
		"Group": {"a group", func(cr *configv1alpha1.ResourceInterpreterCustomization) {
			cr.Spec.Target.APIVersion = long(254) + "/v1"
		}, `spec.target.apiVersion: the group: "` + long(40) + `"... has 254 bytes; at most 253 are allowed`},
		"Version": {"a version", func(cr *configv1alpha1.ResourceInterpreterCustomization) { cr.Spec.Target.APIVersion = "g/" + long(64) }, `spec.target.apiVersion: the version: "` + long(40) + `"... has 64 bytes; at most 63 are allowed`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			cr := customizationOf(configv1alpha1.CustomizationRules{HealthInterpretation: luaScript("function InterpretHealth(obj) return true end")})
			tc.change(cr)
			rules, errs := newCompiler(t).Customization(cr)
			got := ""
			if err := errors.Join(errs...); err != nil {
				got = err.Error()
			}
			if got != tc.want || (tc.want == "") != (len(rules.Kinds) == 1) {
				t.Errorf("%s: got error %q and %d kinds, want %q", tc.reason, got, len(rules.Kinds), tc.want)
			}
		})
	}
}
