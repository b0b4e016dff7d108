// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/placement"
	"github.com/dragoman-io/dragoman/controllers/decide/reference"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
)

// mostLeft is how many clusters that are left for one reason an event lists.
const mostLeft = 8

// leftFor returns which clusters a binding leaves for new targets and why, for an event; "" if it
// leaves none. It is called before they are written.
func (c *Controller[B]) leftFor(ctx context.Context, b B, result placement.Result) (string, error) {
	if len(leftTargets(b.GetSpec(), result.Clusters)) == 0 {
		return "", nil
	}
	clusters, err := c.clusters(ctx)
	if err != nil {
		return "", err
	}
	return describeLeft(placement.Input{Spec: b.GetSpec(), Status: b.GetStatus(), Clusters: clusters}, result), nil
}

// notifyLeft records that a binding left clusters, about it and about its template; "" is nothing. That a
// copy is taken away is no success that may be dropped. A binding that refers to an object of another
// namespace is not that of its template.
func (c *Controller[B]) notifyLeft(b B, left string) {
	if left == "" {
		return
	}
	const reason, action = "ClusterLeft", "Schedule"
	note := base.Clip(left, base.MaxNote)
	c.Events.Eventf(b, nil, corev1.EventTypeNormal, reason, action, "%s", note)
	if b.GetSpec().Resource.Namespace == b.GetNamespace() {
		// The recorder counts events of the same objects as one for minutes, whatever their notes are.
		// The binding has another version at each write, which keeps the next cluster from being lost.
		c.Events.Eventf(reference.Template(b), b, corev1.EventTypeNormal, reason, action, "%s", note)
	}
}

// leftTargets returns the targets of a binding that are not among new ones, sorted by name. Those that
// keep their copy for a binding that depends on this one are not left, and those that are evicted have
// events of their own.
func leftTargets(spec *workv1alpha2.ResourceBindingSpec, targets []workv1alpha2.TargetCluster) []workv1alpha2.TargetCluster {
	after := *spec
	after.Clusters = targets
	stay, evicted := binding.TargetNames(&after), binding.EvictedFrom(spec)
	left := slices.DeleteFunc(slices.Clone(spec.Clusters), func(t workv1alpha2.TargetCluster) bool {
		return slices.Contains(stay, t.Name) || evicted[t.Name]
	})
	slices.SortFunc(left, func(a, b workv1alpha2.TargetCluster) int { return strings.Compare(a.Name, b.Name) })
	return left
}

// leftReason is why clusters are left: in words about one, and about several.
type leftReason struct{ one, many string }

// about returns a reason that has the same words about one cluster and about several.
func about(words string) leftReason { return leftReason{words, words} }

// describeLeft returns which targets of a binding are not in its next result, and why, by the spec and
// the status that it has before that; "" if all are. It lists the clusters of each reason, as in
// "member1 is left: it has no replicas any more".
func describeLeft(in placement.Input, result placement.Result) string {
	left := leftTargets(in.Spec, result.Clusters)
	if len(left) == 0 {
		return ""
	}
	in.Excluded = map[string]bool{} // none of them is evicted
	why := reasonsLeft(in, result)
	var reasons []leftReason
	clusters := map[leftReason][]string{}
	for _, t := range left {
		r := why(t)
		if clusters[r] == nil {
			reasons = append(reasons, r)
		}
		clusters[r] = append(clusters[r], t.Name)
	}
	parts := make([]string, len(reasons))
	for i, r := range reasons {
		parts[i] = r.format(clusters[r])
	}
	return strings.Join(parts, "; ")
}

// format returns a reason with the clusters that are left for it.
func (r leftReason) format(clusters []string) string {
	if len(clusters) == 1 {
		return clusters[0] + " is left: " + r.one
	}
	names := strings.Join(clusters[:min(len(clusters), mostLeft)], ", ")
	if more := len(clusters) - mostLeft; more > 0 {
		names += fmt.Sprintf(" and %d more", more)
	}
	return names + " are left: " + r.many
}

// reasonsLeft returns why a target is not in a result.
func reasonsLeft(in placement.Input, result placement.Result) func(workv1alpha2.TargetCluster) leftReason {
	unmatched, outside, fit := placement.Unmatched(in), placement.Unmatched(inGroup(in, result.AffinityName)), placement.Candidates(in)
	return func(t workv1alpha2.TargetCluster) leftReason {
		at := slices.IndexFunc(in.Clusters, func(c *clusterv1alpha1.Cluster) bool { return c.Name == t.Name })
		switch {
		case at < 0:
			return leftReason{"it is no member any more", "they are no members any more"}
		case !in.Clusters[at].DeletionTimestamp.IsZero():
			return leftReason{"it is being deleted", "they are being deleted"}
		case slices.Contains(unmatched, t.Name):
			return leftReason{"the placement of the policy does not match it any more", "the placement of the policy does not match them any more"}
		case slices.Contains(outside, t.Name):
			return about("affinity group " + result.AffinityName + " is chosen, which has others")
		case placement.RescheduleAsked(in.Spec, in.Status):
			return about("others were chosen when rescheduling was requested")
		case !slices.Contains(fit, t.Name):
			return leftReason{"it does not pass the spread constraints any more", "they do not pass the spread constraints any more"}
		case t.Replicas > 0 && !placement.Copies(in.Spec):
			return leftReason{"it has no replicas any more", "they have no replicas any more"}
		}
		return about("others are chosen")
	}
}

// inGroup returns an input whose placement has only one of its affinity groups; the same if it has none
// of this name.
func inGroup(in placement.Input, name string) placement.Input {
	for _, g := range in.Spec.Placement.ClusterAffinities {
		if g.AffinityName == name {
			spec, p := *in.Spec, *in.Spec.Placement
			p.ClusterAffinities = []policyv1alpha1.ClusterAffinityTerm{g}
			spec.Placement, in.Spec = &p, &spec
			return in
		}
	}
	return in
}
