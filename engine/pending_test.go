// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"errors"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/engine/script"
)

func TestPendingRulesKeepOthersFromAnswering(t *testing.T) {
	i := answering(InterpretReplica, counting(t, "3"))
	cr := customizationOf(configv1alpha1.CustomizationRules{ReplicaResource: luaScript("this is not looked at")})
	cr.Spec.Target.APIVersion, cr.Spec.Target.Kind = siteKind.ToAPIVersionAndKind()
	set(i, Customizations, Pending(cr))
	_, err := i.Snapshot().Replicas(site(nil))
	var failure *script.Error
	if !errors.As(err, &failure) || failure.Code != script.Pending {
		t.Fatalf("got %v; want an error of code Pending", err)
	}
	if want := "InterpretReplica by customization nginx: customization nginx is not compiled yet"; err.Error() != want {
		t.Errorf("got %q; want %q", err, want)
	}
	if i.Snapshot().Supports(siteKind, InterpretHealth) {
		t.Error("an operation that the customization does not have is pending")
	}
	i.Remove(Customizations, "nginx")
	if got, err := i.Snapshot().Replicas(site(nil)); err != nil || got.Count != 3 {
		t.Errorf("got %d, error %v; want 3 of the bundle again", got.Count, err)
	}
}

// Each operation of a customization is pending, each as an error that its caller sees.
func TestEveryOperationCanBePending(t *testing.T) {
	all := configv1alpha1.CustomizationRules{}
	some := luaScript("x")
	all.ReplicaResource, all.ComponentResource, all.ReplicaRevision, all.Retention = some, some, some, some
	all.StatusReflection, all.StatusAggregation, all.HealthInterpretation, all.DependencyInterpretation = some, some, some, some
	cr := customizationOf(all)
	cr.Spec.Target.APIVersion, cr.Spec.Target.Kind = siteKind.ToAPIVersionAndKind()
	i := NewInterpreter(Options{})
	set(i, Customizations, Pending(cr))
	asked := 0
	for field, s := range cr.Spec.Customizations.Scripts() {
		if s == nil {
			continue
		}
		asked++
		op := operationOf(field)
		_, err := i.Snapshot().Evaluate(Request{Operation: op.Name, Object: site(nil), Observed: site(nil)})
		var failure *script.Error
		if !errors.As(err, &failure) || failure.Code != script.Pending {
			t.Errorf("%s: got %v; want an error of code Pending", op.Name, err)
		}
	}
	if asked != 8 {
		t.Errorf("asked %d operations; want 8", asked)
	}
}

func TestPendingRulesOfAnInvalidTarget(t *testing.T) {
	cr := customizationOf(configv1alpha1.CustomizationRules{Retention: luaScript("x")})
	cr.Spec.Target = configv1alpha1.CustomizationTarget{}
	if got := Pending(cr); got.Name != "nginx" || len(got.Kinds) != 0 {
		t.Errorf("got %+v; want no rules", got)
	}
}

func TestKnows(t *testing.T) {
	i := answering(InterpretReplica, counting(t, "3"))
	other := siteKind
	other.Kind = "Other"
	for _, tc := range []struct {
		reason string
		got    bool
		want   bool
	}{
		{"a rule of the kind", i.Snapshot().Knows(siteKind, InterpretReplica), true},
		{"another operation", i.Snapshot().Knows(siteKind, InterpretHealth), false},
		{"another kind", i.Snapshot().Knows(other, InterpretReplica), false},
		{"no operation", i.Snapshot().Knows(siteKind, "None"), false},
	} {
		if tc.got != tc.want {
			t.Errorf("%s: it is known: %t, want %t", tc.reason, tc.got, tc.want)
		}
	}
	i = NewInterpreter(Options{})
	set(i, Embedded, RuleSet{Name: "generic", Kinds: map[schema.GroupVersionKind]Rules{AnyKind: {InterpretHealth: {Program: &pending{"x"}}}}})
	if !i.Snapshot().Supports(siteKind, InterpretHealth) || i.Snapshot().Knows(siteKind, InterpretHealth) {
		t.Error("a rule of any kind is known of a kind, or does not answer")
	}
}
