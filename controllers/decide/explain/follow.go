// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/decide/skip"
)

// IsNamespace reports whether an object is a namespace. One that no policy propagates goes
// where what is in it goes, and has Works without a binding.
func (in Input) IsNamespace() bool { return in.Template.GroupVersionKind() == skip.Namespace }

// followPolicy explains why a namespace needs no policy, or why it does.
func (in Input) followPolicy() Link {
	n := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: in.Template.GetName(), Labels: in.Template.GetLabels()}}
	if skip.NamespaceFollows(n, nil) {
		return Link{Name: "policy", Finding: Finding{
			State: OK, Reason: "Follows", Message: "no policy selects it; it goes where something in it goes",
		}}
	}
	f := Finding{State: Broken, Reason: "NotPropagated", Message: "no policy selects it, and it does not follow what is in it: every cluster has a namespace of this name"}
	f.Advice = "nothing, if the clusters have it; otherwise create a policy that selects it"
	if label := policyv1alpha1.NamespaceSkipAutoPropagationLabel; strings.EqualFold(n.Labels[label], "true") {
		f.Message = fmt.Sprintf("no policy selects it, and its label %s keeps it from following what is in it", label)
		f.Advice = "remove the label, or create a policy that selects it"
	}
	return Link{Name: "policy", Finding: f}
}

// followed explains the Works of a namespace that has no binding.
func (in Input) followed() []Link {
	if len(in.Works) == 0 {
		const why = "nothing in it goes to a cluster"
		return []Link{
			unreached("binding", "a namespace that follows has none"), unreached("clusters", why),
			unreached("works", why), unreached("members", why), unreached("status", why),
		}
	}
	clusters, works := Link{Name: "clusters", Finding: Finding{State: OK}}, Link{Name: "works", Finding: Finding{State: OK}}
	for _, cluster := range sorted(in.Works) {
		clusters.Items = append(clusters.Items, Finding{State: OK, Subject: cluster})
		works.Items = append(works.Items, in.work(cluster, in.Works[cluster], true, nil))
	}
	clusters.Message = strings.Join(sorted(in.Works), ", ")
	works.conclude("%s")
	return []Link{
		unreached("binding", "a namespace that follows has none"), clusters, works, in.members(),
		unreached("status", "the status of a namespace is not collected"),
	}
}
