// SPDX-License-Identifier: Apache-2.0

package execution

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
)

// advise returns what a person can do about fields that another writer on the member sets each time
// that they are written, as one sentence without a stop. kept reports whether members keep a field by
// the label retain-replicas on the template.
//
// A field of the template is never to be dropped, but for a label or an annotation: the API server of
// the control plane fills in what it has a default for, and that is written to the members instead.
func advise(lost []difference, kept func(path string) bool) string {
	var marks, replicas, others bool
	for i := range lost {
		switch {
		case lost[i].isMark() && lost[i].Want != nil:
			marks = true
		case kept(lost[i].Path):
			replicas = true
		default:
			others = true
		}
	}
	var steps []string
	if replicas {
		steps = append(steps, fmt.Sprintf(`set the label %s: "true" on the template, with which each member keeps its replicas`, policyv1alpha1.RetainReplicasLabel))
	}
	if marks {
		steps = append(steps, "drop the labels and annotations from the template, or from the override policy that sets them, and those of the member stay")
	}
	switch {
	case others && len(steps) > 0:
		steps = append(steps, "have a Retain script of the kind keep the other fields")
	case others:
		steps = append(steps, "have a Retain script of the kind keep the fields")
	}
	advice := strings.Join(steps, "; ") + "; or stop the other writer"
	return strings.ToUpper(advice[:1]) + advice[1:]
}

// isMark reports whether a difference is in the labels or annotations of the object itself.
func (d *difference) isMark() bool {
	return len(d.elements) > 1 && d.elements[0] == "f:metadata" && (d.elements[1] == "f:labels" || d.elements[1] == "f:annotations")
}

// keptByLabel returns which differences from an observed object end by the label retain-replicas on the
// template: it asks the scripts of the kind, since they have where the replicas are. There are none if a
// script fails.
func (a *application) keptByLabel(observed *unstructured.Unstructured) func(path string) bool {
	labeled := a.desired.DeepCopy()
	base.SetLabel(labeled, policyv1alpha1.RetainReplicasLabel, "true")
	next, err := a.merged(labeled, observed)
	if err != nil {
		return func(string) bool { return false }
	}
	differing := paths(compare(next, observed, nil))
	return func(path string) bool { return !slices.Contains(differing, path) }
}

// listed joins names, in about so many bytes at most. Those that are left out are counted.
func listed(names []string, most int) string {
	n := len(names)
	for n > 1 && len(strings.Join(names[:n], ", ")) > most {
		n--
	}
	text := strings.Join(names[:n], ", ")
	if n < len(names) {
		text += fmt.Sprintf(" and %d more", len(names)-n)
	}
	return text
}
