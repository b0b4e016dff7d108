// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
)

// Dependency is what the template depends on.
type Dependency struct {
	binding.Reference
	// Attached is the binding of the object; nil if there is none, or if the reference is
	// by labels.
	Attached workv1alpha2.Binding
}

// dependsOn lists what goes along with the template. What is missing breaks no link: it may
// be optional, and the health of the copies shows whether it is.
func (in Input) dependsOn() []Finding {
	all := make([]Finding, 0, len(in.Dependencies))
	for _, d := range in.Dependencies {
		f := Finding{State: OK, Subject: d.title(), Reason: "DependsOn"}
		switch {
		case d.Name == "":
			f.Message = "those with the labels " + metav1.FormatLabelSelector(d.LabelSelector) + " go along"
		case d.Attached == nil:
			f.State, f.Message = Waiting, "it does not exist, or has no binding yet; it goes along once it is there"
		default:
			f.Message = "it goes along, with " + bindingTitle(d.Attached)
		}
		all = append(all, f)
	}
	return all
}

func (d Dependency) title() string {
	name := d.Name
	if name == "" {
		name = "*"
	}
	if d.Namespace != "" {
		name = fmt.Sprintf("%s/%s", d.Namespace, name)
	}
	return d.Kind + " " + name
}
