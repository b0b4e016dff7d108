// SPDX-License-Identifier: Apache-2.0

package rebalancer

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	appsv1alpha1 "github.com/dragoman-io/dragoman/api/apps/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// TriggeredByAnnotation is on a binding for which a rebalancer asked: the UID of the
// rebalancer, a slash, and its generation then. A rebalancer that could not write its
// status finds by it what it asked for already.
const TriggeredByAnnotation = "rebalancer.dragoman.io/triggered-by"

// isFinished reports whether each workload of the present list has its result.
func isFinished(r *appsv1alpha1.WorkloadRebalancer) bool {
	return r.Status.FinishTime != nil && r.Status.ObservedGeneration == r.Generation
}

// Observed returns the workloads of the list and those that have succeeded before, each once and
// sorted. One that has succeeded keeps its result; all others have none. What failed and is not in the
// list any more is dropped.
func Observed(r *appsv1alpha1.WorkloadRebalancer) []appsv1alpha1.ObservedWorkload {
	succeeded := map[appsv1alpha1.ObjectReference]bool{}
	workloads := slices.Clone(r.Spec.Workloads)
	for i := range r.Status.ObservedWorkloads {
		if o := &r.Status.ObservedWorkloads[i]; o.Result == appsv1alpha1.RebalanceSuccessful {
			succeeded[o.Workload] = true
			workloads = append(workloads, o.Workload)
		}
	}
	slices.SortFunc(workloads, compare)
	all := make([]appsv1alpha1.ObservedWorkload, 0, len(workloads))
	for _, w := range slices.Compact(workloads) {
		o := appsv1alpha1.ObservedWorkload{Workload: w}
		if succeeded[w] {
			o.Result = appsv1alpha1.RebalanceSuccessful
		}
		all = append(all, o)
	}
	return all
}

func compare(a, b appsv1alpha1.ObjectReference) int {
	return cmp.Or(
		cmp.Compare(a.APIVersion, b.APIVersion), cmp.Compare(a.Kind, b.Kind),
		cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name),
	)
}

// Trigger asks for a binding to be scheduled again, and reports whether it changed the
// binding. It does not if the rebalancer asked for it since its status was written last.
func Trigger(r *appsv1alpha1.WorkloadRebalancer, b workv1alpha2.Binding) bool {
	if triggeredSince(r, b.GetAnnotations()[TriggeredByAnnotation]) {
		return false
	}
	at := triggerTime(r, b)
	b.GetSpec().RescheduleTriggeredAt = &at
	annotations := maps.Clone(b.GetAnnotations())
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[TriggeredByAnnotation] = string(r.UID) + "/" + strconv.FormatInt(r.Generation, 10)
	b.SetAnnotations(annotations)
	return true
}

// triggeredSince reports whether the annotation is that of a try of the rebalancer whose
// status was not written.
func triggeredSince(r *appsv1alpha1.WorkloadRebalancer, annotation string) bool {
	uid, number, _ := strings.Cut(annotation, "/")
	generation, err := strconv.ParseInt(number, 10, 64)
	return err == nil && uid == string(r.UID) && generation > r.Status.ObservedGeneration
}

// triggerTime returns the time of the request: that of the rebalancer's creation, as
// published. The scheduler follows a request only if it is later than its last decision,
// in whole seconds. Where that was at the same time or later, as it may be for a workload
// that was added to the list, the time is one second after it. An earlier request that has
// a later time stays.
func triggerTime(r *appsv1alpha1.WorkloadRebalancer, b workv1alpha2.Binding) metav1.Time {
	at := r.CreationTimestamp
	if last := b.GetStatus().LastScheduledTime; last != nil && !at.After(last.Time) {
		at = metav1.NewTime(last.Truncate(time.Second).Add(time.Second))
	}
	if asked := b.GetSpec().RescheduleTriggeredAt; asked != nil && asked.After(at.Time) {
		at = *asked
	}
	return at
}
