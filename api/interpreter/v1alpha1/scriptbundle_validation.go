// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"io/fs"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// MinInterval is how often a registry is asked at most.
const MinInterval = 10 * time.Second

// Validate returns what is wrong with the bundle beyond what the schema refuses. The list is empty
// for a good one. It reads no source, and no script.
func (b *ScriptBundle) Validate() field.ErrorList {
	var errs field.ErrorList
	if len(b.Name) > 63 {
		errs = append(errs, field.TooLong(field.NewPath("metadata", "name"), b.Name, 63))
	}
	source := b.Spec.Source
	errs = append(errs, source.validate(field.NewPath("spec", "source"))...)
	if len(b.Spec.Keys) > 0 && source.OCI == nil {
		errs = append(errs, field.Forbidden(field.NewPath("spec", "keys"), "keys verify what a registry serves; a ConfigMap and files in place are trusted as far as who may write them is"))
	}
	if b.Spec.Revision != "" && b.Spec.Mode == ModeShadow {
		errs = append(errs, field.Forbidden(field.NewPath("spec", "revision"), "in the mode Shadow what was active stays active; leave out the revision"))
	}
	return errs
}

// validate returns what is wrong with a source.
func (s *BundleSource) validate(at *field.Path) (errs field.ErrorList) {
	n := 0
	for _, given := range []bool{s.OCI != nil, s.ConfigMap != nil, s.Inline != nil} {
		if given {
			n++
		}
	}
	if n != 1 {
		errs = append(errs, field.Required(at, "give one of oci, configMap and inline"))
	}
	if s.OCI != nil && s.OCI.Interval != nil && s.OCI.Interval.Duration < MinInterval {
		errs = append(errs, field.Invalid(at.Child("oci", "interval"), s.OCI.Interval.Duration.String(), "must be at least "+MinInterval.String()))
	}
	if s.Inline == nil {
		return errs
	}
	for _, name := range slices.Sorted(maps.Keys(s.Inline.Files)) {
		if name == "." || !fs.ValidPath(name) {
			errs = append(errs, field.Invalid(at.Child("inline", "files").Key(name), name, "must be a path within the bundle, such as FlinkDeployment/health.lua"))
		}
	}
	return errs
}
