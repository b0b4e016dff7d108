// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/customization"
	"github.com/dragoman-io/dragoman/engine"
)

// Customize registers the controller of customizations with a manager, so that they
// give rules to an engine, and returns what tells of these.
func Customize(mgr ctrl.Manager, rules *engine.Interpreter) (*customization.Changes, error) {
	compiler, err := engine.NewCompiler()
	if err != nil {
		return nil, err
	}
	c := &customization.Controller{
		Client: mgr.GetClient(), Compiler: compiler, Rules: rules, Failures: &customization.Failures{}, Changes: &customization.Changes{},
	}
	return c.Changes, c.Register(mgr)
}

// Customization returns a customization of a kind.
func Customization(name string, kind schema.GroupVersionKind, rules configv1alpha1.CustomizationRules) *configv1alpha1.ResourceInterpreterCustomization {
	cr := &configv1alpha1.ResourceInterpreterCustomization{}
	cr.Name, cr.Spec.Customizations = name, rules
	cr.Spec.Target.APIVersion, cr.Spec.Target.Kind = kind.ToAPIVersionAndKind()
	return cr
}
