// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/engine/script"
)

// Pending returns a rule set that stands for a customization until it is compiled. It has
// a rule for each operation of the customization, so that no rule of another layer
// answers meanwhile; each answer is a *script.Error of code Pending. A customization
// whose target is not valid has no rules.
func Pending(cr *configv1alpha1.ResourceInterpreterCustomization) RuleSet {
	kind, errs := targetKind(cr.Spec.Target)
	if len(errs) > 0 {
		return RuleSet{Name: cr.Name}
	}
	rules := Rules{}
	for field, s := range cr.Spec.Customizations.Scripts() {
		if op := operationOf(field); s != nil && op != nil {
			rules[op.Name] = &Rule{Program: &pending{cr.Name}, Origin: "customization " + cr.Name, Customization: cr.Name}
		}
	}
	return RuleSet{Name: cr.Name, Kinds: map[schema.GroupVersionKind]Rules{kind: rules}}
}

// operationOf returns the operation of a field of a customization, or nil.
func operationOf(field string) *Operation {
	for _, e := range operations {
		if op := e.describe(); op.Field == field {
			return op
		}
	}
	return nil
}

// pending is the program of a customization that is not compiled yet.
type pending struct{ customization string }

// Run returns an error of code Pending. It reads nothing.
func (p *pending) Run(*script.Call, script.Decoder) (script.Usage, error) {
	return script.Usage{}, script.Errorf(script.Pending, "customization %s is not compiled yet", p.customization)
}

// Size is 0: it keeps nothing.
func (*pending) Size() int64 { return 0 }
