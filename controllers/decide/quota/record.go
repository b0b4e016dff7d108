// SPDX-License-Identifier: Apache-2.0

package quota

import (
	"maps"
	"strconv"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
)

// AdmittedAnnotation is on a binding whose targets were written while copies of it were leaving
// clusters: how many replicas these targets have, or how many of them there are if it has
// components. The copies that were leaving have no place beside that.
const AdmittedAnnotation = "quota.dragoman.io/admitted"

// Record writes into a binding with new targets, which were admitted or need not be, that these
// are all that it has, if copies of it are leaving: from the spec alone nobody could tell those
// whose places were taken from those that have none yet. Without such copies there is no record.
// It is written with the targets, or not at all.
func Record(b workv1alpha2.Binding) {
	spec := b.GetSpec()
	_, had := b.GetAnnotations()[AdmittedAnnotation]
	needed := b.GetNamespace() != "" && spec.IsWorkload() && binding.IsEvicting(spec)
	if !had && !needed {
		return
	}
	annotations := maps.Clone(b.GetAnnotations())
	if annotations == nil {
		annotations = map[string]string{}
	}
	delete(annotations, AdmittedAnnotation)
	if needed {
		annotations[AdmittedAnnotation] = strconv.FormatInt(placedOf(spec), 10)
	}
	b.SetAnnotations(annotations)
}

// recordOf returns what Record wrote; false if there is no record, or none that can be read. Then
// no copy was leaving when the targets were written, so that those which are by now have their
// places still.
func recordOf(b workv1alpha2.Binding) (int64, bool) {
	n, err := strconv.ParseInt(b.GetAnnotations()[AdmittedAnnotation], 10, 64)
	return n, err == nil && n >= 0
}
