// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers"
	"github.com/dragoman-io/dragoman/controllers/customization"
	"github.com/dragoman-io/dragoman/engine"
)

// Customize registers the controller of customizations with a manager, so that they put
// rules into an engine. It returns the dependencies of other controllers of the same
// manager, which are notified of changed rules; their engine is this one.
func Customize(ctx context.Context, mgr ctrl.Manager, rules *engine.Interpreter) (controllers.Deps, error) {
	d, err := controllers.NewDeps(mgr, controllers.Environment{Interpreter: rules})
	if err != nil {
		return d, err
	}
	return d, customization.New(d).Register(ctx, mgr)
}

// Customization returns a customization of a kind.
func Customization(name string, kind schema.GroupVersionKind, rules configv1alpha1.CustomizationRules) *configv1alpha1.ResourceInterpreterCustomization {
	cr := &configv1alpha1.ResourceInterpreterCustomization{}
	cr.Name, cr.Spec.Customizations = name, rules
	cr.Spec.Target.APIVersion, cr.Spec.Target.Kind = kind.ToAPIVersionAndKind()
	return cr
}
