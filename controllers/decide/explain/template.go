// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/api/names"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/claim"
	"github.com/dragoman-io/dragoman/controllers/decide/scope"
	"github.com/dragoman-io/dragoman/controllers/decide/selector"
	"github.com/dragoman-io/dragoman/controllers/decide/skip"
)

// template explains the object itself.
func (in Input) template() Link {
	o := in.Template
	l := Link{Name: "template", Finding: Finding{State: OK, Subject: title(o.GetKind(), o)}}
	switch {
	case o.GetDeletionTimestamp() != nil:
		l.State, l.Reason, l.Since = Waiting, "Deleting", o.GetDeletionTimestamp()
		l.Message = "it is being deleted" + holding(o.GetFinalizers())
		l.Advice = "the owner of each finalizer has to remove it; look whether that controller runs"
	case (*skip.Rules)(nil).Kind(o.GroupVersionKind()):
		l.State, l.Reason = Broken, "KindNotPropagated"
		l.Message = fmt.Sprintf("%s of %s is never propagated: it is the control plane's own", o.GetKind(), o.GetAPIVersion())
		l.Advice = "explain the object that is propagated, and not what propagates it"
	case in.Binding == nil && (*skip.Rules)(nil).Object(o.GroupVersionKind(), o.GetNamespace(), o.GetName()):
		l.State, l.Reason = Broken, "NotPropagated"
		l.Message = "unless --skipped-propagating-namespaces was changed, it is not propagated: its namespace is that of Kubernetes or of the control plane"
		l.Advice = "move the object to another namespace"
		if in.IsNamespace() {
			l.Message, l.Advice = "unless --skipped-propagating-namespaces was changed, it is not propagated: it is Kubernetes' or the control plane's own", "use another namespace"
		}
	case in.Binding == nil && len(badName(o)) > 0:
		l.State, l.Reason = Broken, "NameNotPropagated"
		l.Message = fmt.Sprintf("its binding would have the name %s, which is no valid name: %s", names.Binding(o.GetKind(), o.GetName()), strings.Join(badName(o), "; "))
		l.Advice = "give the object a name that is shorter, or has none of the characters that are refused"
	case o.GetLabels()[policyv1alpha1.ClaimedByLabel] != "":
		l.State, l.Reason = Broken, "ClaimedByOther"
		l.Message = fmt.Sprintf("the label %s: %s leaves it to another controller, and no policy applies", policyv1alpha1.ClaimedByLabel, o.GetLabels()[policyv1alpha1.ClaimedByLabel])
		l.Advice = "remove the label if that controller is gone"
	}
	return l
}

// badName returns what is wrong with the name that the binding of an object would have; nothing
// where it can be made.
func badName(o *unstructured.Unstructured) []string {
	return validation.NameIsDNSSubdomain(names.Binding(o.GetKind(), o.GetName()), false)
}

// holding names the finalizers of an object that is being deleted.
func holding(finalizers []string) string {
	if len(finalizers) == 0 {
		return ""
	}
	return ", held by " + strings.Join(finalizers, ", ")
}

// policy explains which policy applies and why the others do not.
func (in Input) policy(chosen policyv1alpha1.Policy) Link {
	lost := claim.WhyLost(in.Policies, in.Template, chosen)
	if chosen == nil {
		return in.noPolicy(lost)
	}
	l := Link{Name: "policy", Finding: Finding{State: OK, Subject: scope.PolicyTitle(chosen)}}
	switch missing := in.Missing[chosen]; {
	case len(missing) > 0:
		l.State, l.Reason, l.Message = Waiting, "DependentOverrides", strings.TrimPrefix(scope.WaitsForOverrides(chosen, missing), scope.PolicyTitle(chosen)+": ")
	case in.Binding == nil && in.Template.GetAnnotations()[claim.DeferredAnnotation] != "":
		l.State, l.Reason = Waiting, "Lazy"
		l.Message = "spec.activationPreference is Lazy: the policy applies from the next change of the template on"
		l.Advice = "change the template, or remove spec.activationPreference"
	case !claim.Names(in.Template, chosen):
		l.State, l.Reason = Waiting, "NotClaimed"
		l.Message = "it selects the template and has not claimed it yet"
		l.Advice = "if this stays, look whether the manager runs, and at the events of the template"
	}
	for _, p := range lost {
		if p.Cause != claim.NotSelected {
			l.Items = append(l.Items, lostTo(p, chosen))
		}
	}
	return l
}

// lostTo returns why a policy that selects the template does not apply.
func lostTo(p claim.Lost, chosen policyv1alpha1.Policy) Finding {
	f := Finding{State: Lost, Subject: scope.PolicyTitle(p.Policy), Reason: string(p.Cause)}
	switch p.Cause {
	case claim.Scope:
		f.Message = "a policy of the namespace goes before it"
	case claim.Priority:
		f.Message = fmt.Sprintf("spec.priority is %d, that of the other %d", priority(p.Policy), priority(chosen))
	case claim.Selector:
		f.Message = "the priority is the same, and the other names the object more closely"
	case claim.Name:
		f.Message = "all else is the same, and the other has the smaller name"
	case claim.Claimed:
		f.Message = "it would go before the other, which claimed the template first and keeps it"
		f.Advice = "set spec.preemption: Always in it, and name the object in its selector"
	case claim.Preempts:
		f.Message = "it takes the template once the feature gate PropagationPolicyPreemption is on"
	case claim.Deleting:
		f.Message = "it is being deleted"
	case claim.Malformed:
		f.Message = p.Err.Error()
		f.Advice = "mend the label selector"
	}
	return f
}

func priority(p policyv1alpha1.Policy) int32 {
	if p.GetSpec().Priority == nil {
		return 0
	}
	return *p.GetSpec().Priority
}

// nearest is how many policies are named of those that do not select the template.
const nearest = 3

// noPolicy explains that no policy selects the template: the nearest ones and the field
// that does not match.
func (in Input) noPolicy(lost []claim.Lost) Link {
	l := Link{Name: "policy", Finding: Finding{
		State: Broken, Reason: "NoPolicy", Message: "no policy selects it",
		Advice: "create a policy that selects it, or mend the selector of the nearest one below",
	}}
	if in.Binding != nil && len(binding.Dependents(in.Binding.GetSpec())) > 0 {
		l.State, l.Reason, l.Message, l.Advice = OK, "Attached", "no policy selects it; it goes where the objects go that depend on it", ""
	}
	if in.Binding != nil && l.State == Broken {
		l.Message = "no policy selects it; the binding of an earlier policy stays, with its copies as they are"
	}
	closeness := map[string]int{}
	for _, p := range lost {
		if p.Cause != claim.NotSelected {
			l.Items = append(l.Items, lostTo(p, nil))
			continue
		}
		miss := selector.ClosestMiss(p.Policy.GetSpec().ResourceSelectors, in.Template)
		if miss.Closeness < selector.SameKind {
			continue
		}
		f := Finding{State: Lost, Subject: scope.PolicyTitle(p.Policy), Reason: string(p.Cause), Message: miss.Message}
		closeness[f.Subject] = miss.Closeness
		l.Items = append(l.Items, f)
	}
	slices.SortStableFunc(l.Items, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(closeness[b.Subject], closeness[a.Subject]), cmp.Compare(a.Subject, b.Subject))
	})
	l.Items = l.Items[:min(len(l.Items), nearest)]
	if len(l.Items) == 0 && l.State == Broken {
		l.Advice = "create a policy that selects it"
	}
	if len(l.Items) == 0 && l.State == Broken && in.Binding == nil {
		l.Message = fmt.Sprintf("no policy selects it, and no selector is for %s %s", in.Template.GetAPIVersion(), in.Template.GetKind())
	}
	return l
}

// scripts explains what answers for the kind: the customizations for it, and the generic rules.
func (in Input) scripts() Link {
	l := Link{Name: "scripts", Finding: Finding{State: OK}}
	for _, cr := range in.Customizations {
		l.Items = append(l.Items, customization(cr))
		l.Subject = title("ResourceInterpreterCustomization", cr)
	}
	if len(in.Customizations) > 1 {
		l.Subject = fmt.Sprintf("%d customizations", len(in.Customizations))
	}
	if in.Generic {
		l.Items = append(l.Items, in.generic())
	}
	if len(in.Customizations) == 0 {
		l.Finding = l.Items[0]
	}
	l.summarize()
	if len(l.Items) == 1 {
		l.Items = nil
	}
	return l
}

// generic explains a kind that no script of this program is about.
func (in Input) generic() Finding {
	kind := in.Template.GroupVersionKind()
	text := fmt.Sprintf("no script of this program is about %s %s", kind.GroupVersion(), kind.Kind)
	if len(in.Customizations) > 0 {
		text += ", and they answer what no customization does"
	}
	return Finding{State: OK, Subject: "the generic rules", Message: text}
}

// customization explains one of them.
func customization(cr *configv1alpha1.ResourceInterpreterCustomization) Finding {
	f := Finding{State: OK, Subject: title("ResourceInterpreterCustomization", cr)}
	for _, kind := range []string{configv1alpha1.ConditionActive, "Evaluated"} {
		c := meta.FindStatusCondition(cr.Status.Conditions, kind)
		if c != nil && c.ObservedGeneration != 0 && c.ObservedGeneration < cr.Generation {
			f.State, f.Reason, f.Message = Waiting, "NotCompiled", "what answers is from before its last change"
			f.Advice = "if this stays, look whether the manager runs"
			return f
		}
		if c == nil || c.Status == metav1.ConditionTrue {
			continue
		}
		f.State, f.Reason, f.Message, f.Since = Broken, c.Reason, c.Message, &c.LastTransitionTime
		f.Advice = "mend the script; dragoman eval runs it without a cluster"
		if c.Status == metav1.ConditionUnknown {
			f.State, f.Advice = Waiting, "if this stays, look whether the manager runs"
		}
		return f
	}
	return f
}
