// SPDX-License-Identifier: Apache-2.0

package explain

// HasRemains reports whether something of an object that is gone is left.
func (in Input) HasRemains() bool { return in.Binding != nil || len(in.Works) > 0 }

// gone follows what is left of an object that is gone: its binding and its Works, which end once
// their objects are deleted on the members.
func (in Input) gone() *Chain {
	c := &Chain{Object: title(in.Template.GetKind(), in.Template)}
	template := Link{Name: "template", Finding: Finding{
		State: OK, Reason: "Gone", Message: "there is no such object in the control plane; what it left is being removed",
	}}
	binding, works := unreached("binding", "it is gone"), unreached("works", "all are gone")
	if in.Binding != nil {
		binding = in.leftBinding()
	}
	if len(in.Works) > 0 {
		works = Link{Name: "works", Finding: Finding{State: OK}}
		for _, cluster := range sorted(in.Works) {
			works.Items = append(works.Items, in.work(cluster, in.Works[cluster], false, nil))
		}
		works.summarize()
	}
	c.Links = []Link{template, binding, works}
	c.Broken = c.find()
	return c
}

// leftBinding explains why the binding of an object that is gone is still there.
func (in Input) leftBinding() Link {
	b := in.Binding
	l := Link{Name: "binding", Finding: Finding{State: Waiting, Subject: bindingTitle(b)}}
	switch {
	case b.GetDeletionTimestamp() != nil:
		l.Reason, l.Since = "Deleting", b.GetDeletionTimestamp()
		l.Message = "it is being deleted" + held(b)
		l.Advice = "it ends with its Works"
	case len(b.GetOwnerReferences()) == 0:
		l.State, l.Reason = Broken, "Orphaned"
		l.Message = "the object was deleted with --cascade=orphan, so the binding stays, and the copies on the members with it"
		l.Advice = "delete the binding if the copies are to go; create the object again to change them"
	default:
		l.Reason = "OwnerGone"
		l.Message = "it waits for the garbage collector of the control plane"
		l.Advice = "if this stays, look whether kube-controller-manager runs and the kind of the object is still served; or delete the binding"
	}
	return l
}
