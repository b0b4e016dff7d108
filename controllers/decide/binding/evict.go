// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// Eviction describes how and why a copy is evicted from a cluster.
type Eviction struct {
	Cluster string
	// Producer names the controller that evicts, Reason its reason in one word.
	Producer, Reason string
	// PurgeMode may have a published older name.
	PurgeMode policyv1alpha1.PurgeMode
	// GracePeriodSeconds bounds a graceful eviction; nil leaves that to Assess.
	GracePeriodSeconds *int32
	// State is carried over to the next cluster.
	State State
	// Before are the clusters of the binding before the decision evicted any; they are
	// recorded if state is carried over, or if the reason is a taint.
	Before []string
	// Time is when that was decided.
	Time time.Time
	// Since is when the reason was first seen, and Message the reason in a sentence, for
	// the history; both may be empty.
	Since   time.Time
	Message string
	// Warn is called with a CarriedSizeError for each older state that does not fit beside
	// this one and is dropped; nil is nobody.
	Warn func(error)
}

// Evict removes a cluster from the targets and adds a task with how the old copy is
// removed, and which state is carried over; that of a copy which is removed Directly is
// kept beyond the task too. It changes nothing if the cluster is not a target, and no task
// that is there already. Assess sets the creation time when the timeout begins. The history
// of the binding gets a Record. It fails with a CarriedSizeError, and changes nothing, where
// the state is too large to be carried over.
func Evict(b workv1alpha2.Binding, e Eviction) error {
	spec := b.GetSpec()
	i := slices.IndexFunc(spec.Clusters, func(t workv1alpha2.TargetCluster) bool { return t.Name == e.Cluster })
	if i < 0 {
		return nil
	}
	collected := collectedAt(b, e.Cluster, e.Time)
	if err := setCarried(b, &e); err != nil {
		return err
	}
	task := workv1alpha2.GracefulEvictionTask{
		FromCluster: e.Cluster, PurgeMode: e.PurgeMode.Canonical(), Reason: e.Reason, Producer: e.Producer,
		PreservedLabelState: e.State.Labels, PreservedState: e.State.Values,
	}
	if n := spec.Clusters[i].Replicas; n > 0 {
		task.Replicas = &n
	}
	switch task.PurgeMode {
	case policyv1alpha1.PurgeModeNever:
		task.SuppressDeletion = new(true)
	case policyv1alpha1.PurgeModeDirectly:
	default:
		task.GracePeriodSeconds = e.GracePeriodSeconds
	}
	if !e.State.IsEmpty() || byTaint(&task) {
		task.ClustersBeforeFailover = e.Before
	}
	spec.Clusters = slices.Delete(slices.Clone(spec.Clusters), i, i+1)
	if Evicting(spec)[e.Cluster] {
		return nil
	}
	spec.GracefulEvictionTasks = append(slices.Clone(spec.GracefulEvictionTasks), task)
	return recordEviction(b, &e, &task, collected)
}

// setCarried writes the states that are carried over once a copy is evicted: with its own,
// if it is removed Directly.
func setCarried(b workv1alpha2.Binding, e *Eviction) error {
	if e.PurgeMode.Canonical() != policyv1alpha1.PurgeModeDirectly {
		if _, carries := b.GetAnnotations()[CarriedStateAnnotation]; !carries {
			return nil
		}
		// By the targets that were, which nobody could know any more: the copy that the state is
		// from may have gone for them.
		return SetCarriedStates(b, CarriedStates(b))
	}
	others := without(TargetNames(b.GetSpec()), e.Cluster)
	carried := carry(CarriedStates(b), Carried{
		From: e.Cluster, Copy: copyIn(b.GetStatus(), e.Cluster), Time: metav1.NewTime(e.Time), Labels: e.State.Labels, Values: e.State.Values, Others: others,
		Copies: copiesBeside(b, e),
		Gone:   len(others) > 0, // otherwise it stays until there is a target
	})
	fits, dropped, err := fitCarried(carried)
	if err != nil {
		return err
	}
	if err := SetCarriedStates(b, fits); err != nil {
		return err
	}
	for _, d := range dropped {
		if e.Warn != nil {
			e.Warn(d)
		}
	}
	return nil
}

// copiesBeside returns how many copies there were before one is evicted, with it. One that is
// evicted Directly and still there counts, unless its task knows that it was not beside this one:
// had it been replaced, it would have been gone before this one was made.
func copiesBeside(b workv1alpha2.Binding, e *Eviction) int {
	beside := map[string]bool{e.Cluster: true}
	for _, cluster := range append(TargetNames(b.GetSpec()), e.Before...) { // of several that leave at once, all but this may be gone
		beside[cluster] = true
	}
	for i := range b.GetSpec().GracefulEvictionTasks {
		t := &b.GetSpec().GracefulEvictionTasks[i]
		if known := t.ClustersBeforeFailover; isDirect(t) && copyIn(b.GetStatus(), t.FromCluster) != "" && (len(known) == 0 || slices.Contains(known, e.Cluster)) {
			beside[t.FromCluster] = true
		}
	}
	return len(beside)
}

// ReleaseGone releases the targets that are not among the clusters of the control plane, and
// reports whether there were any: a decision that was made before a cluster left may be written
// after it did, when nobody looks for bindings to release any more.
func ReleaseGone(b workv1alpha2.Binding, clusters []*clusterv1alpha1.Cluster) (bool, error) {
	var gone []string
	for _, target := range TargetNames(b.GetSpec()) {
		if !slices.ContainsFunc(clusters, func(c *clusterv1alpha1.Cluster) bool { return c.Name == target }) {
			gone = append(gone, target)
		}
	}
	for _, cluster := range gone {
		if err := Release(b, cluster); err != nil {
			return false, err
		}
	}
	return len(gone) > 0, nil
}

// Release removes a cluster that leaves the control plane from the targets and the
// evictions of a binding. The state of the copy that was there stays.
func Release(b workv1alpha2.Binding, cluster string) error {
	spec := b.GetSpec()
	carried := CarriedStates(b)
	for i := range carried {
		carried[i].Gone = carried[i].Gone || carried[i].From == cluster
		carried[i].Others = without(carried[i].Others, cluster)
		if carried[i].To == cluster {
			carried[i].Others = without(TargetNames(spec), cluster)
		}
	}
	if err := SetCarriedStates(b, carried); err != nil {
		return err
	}
	kept := slices.DeleteFunc(KeptStates(b), func(k Kept) bool { return k.Cluster == cluster })
	if _, err := SetKeptStates(b, kept); err != nil {
		return err
	}
	since := UnhealthySince(b)
	delete(since, cluster) // another copy may come there
	seen := ProgressSeen(b)
	delete(seen, cluster)
	if err := SetUnhealthySince(b, since, seen); err != nil {
		return err
	}
	spec.Clusters = slices.DeleteFunc(spec.Clusters, func(t workv1alpha2.TargetCluster) bool { return t.Name == cluster })
	spec.GracefulEvictionTasks = slices.DeleteFunc(spec.GracefulEvictionTasks, func(t workv1alpha2.GracefulEvictionTask) bool {
		return t.FromCluster == cluster
	})
	return nil
}
