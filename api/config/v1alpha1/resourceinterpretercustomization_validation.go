// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Validate returns what is wrong with the customization beyond what the schema
// refuses. The list is empty for a good one. It neither compiles a script nor
// compares the customization with others for the same kind.
func (c *ResourceInterpreterCustomization) Validate() field.ErrorList {
	path := field.NewPath("spec")
	errs := c.Spec.Target.validate(path.Child("target"))
	return append(errs, c.Spec.Customizations.validate(path.Child("customizations"))...)
}

func (t *CustomizationTarget) validate(path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if t.APIVersion == "" {
		errs = append(errs, field.Required(path.Child("apiVersion"), "give the group and version of the kind, for example apps/v1"))
	} else if gv, err := schema.ParseGroupVersion(t.APIVersion); err != nil || gv.Version == "" {
		errs = append(errs, field.Invalid(path.Child("apiVersion"), t.APIVersion, "must be <group>/<version>, or v1 for the core group"))
	}
	if t.Kind == "" {
		errs = append(errs, field.Required(path.Child("kind"), "give the kind, for example Deployment"))
	}
	return errs
}

func (r *CustomizationRules) validate(path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for name, script := range r.Scripts() {
		if script != nil {
			errs = append(errs, script.validate(path.Child(name))...)
		}
	}
	return errs
}

func (s *Script) validate(path *field.Path) field.ErrorList {
	lua, cel := strings.TrimSpace(s.LuaScript) != "", strings.TrimSpace(s.CELExpression) != ""
	switch {
	case lua && cel:
		return field.ErrorList{field.Forbidden(path.Child("celExpression"), "luaScript and celExpression exclude each other; keep one")}
	case !lua && !cel:
		return field.ErrorList{field.Required(path, "give a luaScript or a celExpression; remove the whole field to leave the operation to the next source")}
	}
	return nil
}
