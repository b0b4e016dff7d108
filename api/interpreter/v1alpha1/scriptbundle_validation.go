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
	at := field.NewPath("spec", "source")
	var errs field.ErrorList
	if len(b.Name) > 63 {
		errs = append(errs, field.TooLong(field.NewPath("metadata", "name"), b.Name, 63))
	}
	source, n := b.Spec.Source, 0
	for _, given := range []bool{source.OCI != nil, source.ConfigMap != nil, source.Inline != nil} {
		if given {
			n++
		}
	}
	if n != 1 {
		errs = append(errs, field.Required(at, "give one of oci, configMap and inline"))
	}
	if source.OCI != nil && source.OCI.Interval != nil && source.OCI.Interval.Duration < MinInterval {
		errs = append(errs, field.Invalid(at.Child("oci", "interval"), source.OCI.Interval.Duration.String(), "must be at least "+MinInterval.String()))
	}
	if source.Inline != nil {
		for _, name := range slices.Sorted(maps.Keys(source.Inline.Files)) {
			if name == "." || !fs.ValidPath(name) {
				errs = append(errs, field.Invalid(at.Child("inline", "files").Key(name), name, "must be a path within the bundle, such as FlinkDeployment/health.lua"))
			}
		}
	}
	if len(b.Spec.Keys) > 0 && source.OCI == nil {
		errs = append(errs, field.Forbidden(field.NewPath("spec", "keys"), "keys verify what a registry serves; a ConfigMap and files in place are trusted as far as who may write them is"))
	}
	if b.Spec.Revision != "" && b.Spec.Mode == ModeShadow {
		errs = append(errs, field.Forbidden(field.NewPath("spec", "revision"), "in the mode Shadow what was active stays active; leave out the revision"))
	}
	return errs
}
