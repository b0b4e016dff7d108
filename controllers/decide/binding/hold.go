// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"slices"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// Hold keeps the Directly tasks of a binding that the verdict ends although the Work of the
// old copy is still there, also while it is being deleted: the other targets may be well
// without a new copy, and the next one must still wait for the old one. A task that the
// user confirmed ends. One of Withdraw stays until its Work is gone, which goes by it. The state of a
// copy stays with it until another one was made with it.
func (v *Verdict) Hold(spec *workv1alpha2.ResourceBindingSpec, works []workv1alpha1.Work) {
	kept := map[string]*workv1alpha2.GracefulEvictionTask{}
	for i := range v.Keep {
		kept[v.Keep[i].FromCluster] = &v.Keep[i]
	}
	stranded := CopiesOf(spec).Stranded()
	var keep []workv1alpha2.GracefulEvictionTask
	for i := range spec.GracefulEvictionTasks {
		t := spec.GracefulEvictionTasks[i]
		remains := slices.ContainsFunc(works, func(w workv1alpha1.Work) bool { return ClusterOf(&w) == t.FromCluster })
		switch {
		case kept[t.FromCluster] != nil:
			keep = append(keep, *kept[t.FromCluster])
		case !remains || !slices.Contains(v.Done, t.FromCluster):
		case isWithdrawn(&t) && stranded:
			keep = append(keep, t)
			v.Done = without(v.Done, t.FromCluster)
		case isDirect(&t) && t.SuppressDeletion == nil:
			if !slices.ContainsFunc(v.Carried, func(c Carried) bool { return c.From == t.FromCluster }) {
				t.PreservedLabelState, t.PreservedState = nil, nil // it was taken over
			}
			keep = append(keep, t)
			v.Done = without(v.Done, t.FromCluster)
		}
	}
	v.Keep = keep
	v.holdStates(TargetNames(spec), works)
}

// holdStates has state of a copy that is there and was not asked to go be given to no other
// cluster for good before that has a Work. One that is no target any more had its copy, and
// so does where the state is from if that is a target: what is there now is another one.
func (v *Verdict) holdStates(targets []string, works []workv1alpha1.Work) {
	going := map[string]bool{}
	for i := range works {
		going[ClusterOf(&works[i])] = works[i].DeletionTimestamp != nil
	}
	for i := range v.Carried {
		c := &v.Carried[i]
		leaves, exists := going[c.From]
		if _, made := going[c.To]; !c.Former && slices.Contains(targets, c.To) && !made && exists && !leaves && !slices.Contains(targets, c.From) {
			c.takeBack(true)
		}
	}
}
