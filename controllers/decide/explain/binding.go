// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/api/names"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/claim"
	"github.com/dragoman-io/dragoman/controllers/decide/placement"
	"github.com/dragoman-io/dragoman/controllers/decide/scope"
)

// noBinding explains that there is no binding, because of an earlier link or not.
func (in Input) noBinding(expected bool) Link {
	if expected {
		return unreached("binding", "an earlier link keeps it from being created")
	}
	name := names.Binding(in.Template.GetKind(), in.Template.GetName())
	return Link{Name: "binding", Finding: Finding{
		State: Waiting, Reason: "NotCreated",
		Message: name + " does not exist yet",
		Advice:  "if this stays, look whether the manager runs, and at the events of the template",
	}}
}

// binding explains whether the binding is there and up to date.
func (in Input) binding() Link {
	b := in.Binding
	l := Link{Name: "binding", Finding: Finding{State: OK, Subject: bindingTitle(b)}}
	owner, spec := metav1.GetControllerOf(b), b.GetSpec()
	fingerprint, err := claim.Fingerprint(in.Template)
	noted := b.GetAnnotations()[workv1alpha2.TemplateFingerprintAnnotation]
	switch {
	case b.GetDeletionTimestamp() != nil:
		l.State, l.Reason, l.Since = Waiting, "Deleting", b.GetDeletionTimestamp()
		l.Message = "it is being deleted" + held(b)
		l.Advice = "look whether the controllers of these finalizers run"
	case owner != nil && owner.UID != in.Template.GetUID():
		l.State, l.Reason = Waiting, "EarlierObject"
		l.Message = "it belongs to an earlier object of this name and is being removed"
		l.Advice = "wait for the garbage collector, or delete the binding"
	case b.GetAnnotations()[workv1alpha2.DeferredPolicyAnnotation] != "":
		l.State, l.Reason = Waiting, "Lazy"
		l.Message = fmt.Sprintf("generation %s of the policy waits for the next change of the template", b.GetAnnotations()[workv1alpha2.DeferredPolicyAnnotation])
		l.Advice = "change the template, or remove spec.activationPreference from the policy"
	case find(b.GetStatus().Conditions, workv1alpha2.WithinQuota) != nil:
		c := find(b.GetStatus().Conditions, workv1alpha2.WithinQuota)
		l.State, l.Reason, l.Message, l.Since = Broken, c.Reason, c.Message, &c.LastTransitionTime
		l.Advice = quotaAdvice + "; its copies stay as they were admitted"
	case err == nil && noted != "" && noted != fingerprint && spec.Placement != nil && in.Template.GetDeletionTimestamp() == nil:
		l.State, l.Reason = Waiting, "Stale"
		l.Message = "the template changed, and the binding does not have the change yet"
		l.Advice = "if this stays, look at the events of the template: a script that fails or a quota may refuse the change"
	}
	if l.State == OK {
		in.reported(&l)
	}
	l.Items = append(in.requiredBy(), in.dependsOn()...)
	return l
}

// reported sets a link to what is wrong with a binding by those of its conditions that no other link is
// about.
func (in Input) reported(l *Link) {
	for _, of := range []struct {
		kind   string
		state  State
		advice string
	}{
		{workv1alpha2.DependenciesResolved, Broken, "mend the script or the reference that the message names; what the template depends on does not go along until then"},
		{workv1alpha2.PriorityResolved, Waiting, "create the PriorityClass, or name another in the policy"},
		{workv1alpha2.StatePreserved, Waiting, "mend the rule or the script that the message names; a failover would lose that state"},
	} {
		if c := find(in.Binding.GetStatus().Conditions, of.kind); c != nil && c.Status == metav1.ConditionFalse {
			l.State, l.Reason, l.Message, l.Advice, l.Since = of.state, c.Reason, c.Message, of.advice, &c.LastTransitionTime
			return
		}
	}
}

// quotaAdvice is what ends the wait for a quota.
const quotaAdvice = "raise the quota, or scale down or delete something of the namespace; it goes on by itself"

// holders are what the finalizers of a binding wait for.
var holders = map[string]string{
	workv1alpha2.BindingFinalizer:        "until its Works are deleted",
	workv1alpha2.ClusterBindingFinalizer: "until its Works are deleted",
	workv1alpha2.DependenciesFinalizer:   "until the bindings of its dependencies no longer name it",
	workv1alpha2.ExecutionFinalizer:      "until its objects are deleted on the member",
}

// held names the finalizers of an object that is being deleted and what they wait for.
func held(o metav1.Object) string {
	var parts []string
	for _, f := range o.GetFinalizers() {
		if until := holders[f]; until != "" {
			f += " " + until
		}
		parts = append(parts, f)
	}
	return holding(parts)
}

// requiredBy lists the bindings that depend on this one.
func (in Input) requiredBy() []Finding {
	var all []Finding
	for _, by := range binding.Dependents(in.Binding.GetSpec()) {
		b := scope.EmptyBinding(by.Namespace, by.Name)
		all = append(all, Finding{
			State: OK, Subject: bindingTitle(b), Reason: "RequiredBy",
			Message: "depends on it, and adds " + format(by.Clusters, in.Binding.GetSpec().IsWorkload()),
		})
	}
	return all
}

// format returns targets as in member1 (2), member2: with their replicas if the object has
// any.
func format(targets []workv1alpha2.TargetCluster, replicas bool) string {
	if len(targets) == 0 {
		return "no cluster"
	}
	parts := make([]string, len(targets))
	for i, t := range targets {
		parts[i] = t.Name
		if replicas && t.Replicas > 0 {
			parts[i] += fmt.Sprintf(" (%d)", t.Replicas)
		}
	}
	return strings.Join(parts, ", ")
}

// clusters explains where the binding goes and why not elsewhere.
func (in Input) clusters() Link {
	l := Link{Name: "clusters", Finding: in.scheduled()}
	spec := in.Binding.GetSpec()
	for _, t := range binding.Targets(spec) {
		f := Finding{State: OK, Subject: t.Name}
		if spec.IsWorkload() && t.Replicas > 0 {
			f.Message = fmt.Sprintf("%d replica(s)", t.Replicas)
		}
		if l.State == Broken && l.Reason != workv1alpha2.BindingReasonQuotaExceeded {
			f.Message = join(", ", f.Message, "it stays there, since no other cluster fits")
		}
		l.Items = append(l.Items, f)
	}
	leaving := map[string]bool{}
	departures := binding.Departures(spec)
	for _, d := range departures {
		leaving[d.Cluster] = true
		l.Items = append(l.Items, evicted(d))
	}
	if l.State == OK && len(leaving) > 0 {
		l.State, l.Reason, l.Message = Waiting, "Evicting", "it is leaving "+departures[0].Cluster
		l.Advice = "it ends once the new copies are healthy, or when the task times out"
		if c := find(in.Binding.GetStatus().Conditions, workv1alpha2.FailedOver); c != nil {
			l.Reason, l.Message, l.Since = c.Reason, c.Message, &c.LastTransitionTime
			l.Advice = "the message has what ends it; docs/failover.md has a table of all waits"
		}
	}
	running := in.failovers()
	if l.State == OK && len(running) > 0 {
		l.Finding = running[0]
	}
	pending := in.pending()
	if l.State == OK && len(pending) > 0 {
		l.Finding = pending[0]
	}
	l.Items = append(append(l.Items, running...), pending...)
	if l.Reason != workv1alpha2.BindingReasonQuotaExceeded { // the clusters are not why
		l.Items = append(l.Items, in.rejected(leaving)...)
	}
	return l
}

// failovers lists the failovers that have not ended, with what each waits for.
func (in Input) failovers() []Finding {
	var all []Finding
	for _, r := range binding.History(in.Binding) {
		if !r.IsOpen() {
			continue
		}
		f := Finding{State: Waiting, Subject: r.From, Reason: "Failover", Message: fmt.Sprintf("the failover %s; `%s` shows its phases", r.Running(), in.historyCommand())}
		if r.Evicted != nil {
			f.Since = &metav1.Time{Time: r.Evicted.Time}
		}
		all = append(all, f)
	}
	return all
}

// historyCommand returns the command that shows the failovers of the template.
func (in Input) historyCommand() string {
	command := fmt.Sprintf("dragoman failover history %s/%s", strings.ToLower(in.Template.GetKind()), in.Template.GetName())
	if namespace := in.Template.GetNamespace(); namespace != "" {
		command += " -n " + namespace
	}
	return command
}

// scheduled explains the condition Scheduled.
func (in Input) scheduled() Finding {
	b := in.Binding
	spec, c := b.GetSpec(), find(b.GetStatus().Conditions, workv1alpha2.Scheduled)
	f := Finding{State: OK, Message: format(binding.Targets(spec), spec.IsWorkload())}
	switch {
	case spec.Placement == nil:
		switch {
		case len(binding.Dependents(spec)) == 0:
			f.State, f.Reason, f.Message = Broken, "NoPlacement", "the binding has no placement, and none depends on it"
			f.Advice = "look whether the policy was deleted; delete the binding if nothing should propagate the object"
		case len(binding.CopiesOf(spec).WantedClusters()) == 0:
			f.State, f.Reason, f.Message = Waiting, "NotPlacedYet", "it goes where what depends on it goes, and none of that has a cluster yet"
			f.Advice = "explain what depends on it"
		}
	case spec.Suspension != nil && ptr.Deref(spec.Suspension.Scheduling, false):
		f.State, f.Reason, f.Message = Waiting, "SchedulingSuspended", "spec.suspension.scheduling of the binding is true"
		f.Advice = "whoever set it, such as a job queue, has to remove it"
	case c != nil && c.Status == metav1.ConditionFalse:
		f.State, f.Reason, f.Message, f.Since = Broken, c.Reason, c.Message, &c.LastTransitionTime
		f.Advice = "change the placement of the policy, or the clusters, by the reasons below"
		if c.Reason == workv1alpha2.BindingReasonQuotaExceeded {
			f.Advice = quotaAdvice
		}
	case c == nil && spec.SchedulerName != "" && spec.SchedulerName != policyv1alpha1.DefaultScheduler:
		f.State, f.Reason, f.Message = Waiting, "OtherScheduler", "the scheduler "+spec.SchedulerName+" has to schedule it"
		f.Advice = "look whether that scheduler runs, or remove spec.schedulerName from the policy"
	case c == nil || c.ObservedGeneration < b.GetGeneration() && b.GetStatus().SchedulerObservedGeneration != b.GetGeneration():
		f.State, f.Reason, f.Message = Waiting, "NotScheduled", "the binding is not scheduled yet"
		f.Advice = "if this stays, look whether the manager runs"
	}
	return f
}

// evicted explains one eviction task.
func evicted(d binding.Departure) Finding {
	f := Finding{State: Waiting, Subject: d.Cluster, Reason: d.Reason, Since: d.Since}
	f.Message = "its copy is leaving"
	if d.PurgeMode != "" {
		f.Message += ", purge mode " + string(d.PurgeMode)
	}
	if d.Message != "" {
		f.Message += ": " + d.Message
	}
	if d.Unconfirmed {
		f.Advice = "confirm the deletion with suppressDeletion: false in the task of the binding"
	}
	return f
}

// withoutAPI is the message of a cluster that is not known to serve the kind.
const withoutAPI = "did not have the API resource"

// silent returns the message of a cluster that was not chosen, with the reason for which little is known of
// it, if there is one: it was never ready, nobody serves it, or it does not allow its free resources to be read.
func (in Input) silent(cluster, message string) (reason, full string) {
	i := slices.IndexFunc(in.Clusters, func(c *clusterv1alpha1.Cluster) bool { return c.Name == cluster })
	if i < 0 {
		return "", message
	}
	c := in.Clusters[i]
	if denied := find(c.Status.Conditions, clusterv1alpha1.ClusterConditionPermissionsComplete); denied != nil && denied.Status == metav1.ConditionFalse {
		return denied.Reason, message + "; " + denied.Message
	}
	switch ready := find(c.Status.Conditions, clusterv1alpha1.ClusterConditionReady); {
	case len(c.Status.APIEnablements) > 0 || message != withoutAPI || ready != nil && ready.Status == metav1.ConditionTrue:
		return "", message
	case ready == nil:
		return "NeverReady", message + "; the cluster was never probed, so what it serves is not known"
	default:
		return ready.Reason, message + "; what it serves is not known: " + ready.Message
	}
}

// rejected lists the clusters that were not chosen, sorted by name.
func (in Input) rejected(leaving map[string]bool) []Finding {
	spec := in.Binding.GetSpec()
	input := placement.Input{Spec: spec, Status: in.Binding.GetStatus(), Clusters: in.Clusters, Peers: in.Peers, Rules: in.Rules}
	if placement.NeedsCapacity(spec) {
		input.Capacity = placement.ModeledCapacity(spec, in.Clusters, nil)
	}
	reasons, err := placement.Rejected(input)
	if err != nil {
		return nil // the condition Scheduled has it
	}
	attached := binding.CopiesOf(spec)
	var all []Finding
	for _, name := range sorted(reasons) {
		if !leaving[name] && (attached.Stranded() || !attached.Wanted(name)) {
			f := Finding{State: Lost, Subject: name, Message: reasons[name]}
			f.Reason, f.Message = in.silent(name, f.Message)
			all = append(all, f)
		}
	}
	return all
}
