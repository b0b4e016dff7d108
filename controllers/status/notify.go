// SPDX-License-Identifier: Apache-2.0

package status

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/reference"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/memory"
)

// Published reasons of the events about a template.
const (
	syncSucceeded      = "SyncWorkSucceed"
	syncFailed         = "SyncWorkFailed"
	aggregateSucceeded = "AggregateStatusSucceed"
	aggregateFailed    = "AggregateStatusFailed"
)

// notifySync records events about the template for what changed between two statuses of
// its binding: what could not be applied, or that all that could not be is. One that is applied
// without trouble has events of success, also about its binding.
func (c *Controller[B]) notifySync(b, before B) {
	was, is := failures(before.GetStatus().AggregatedStatus), failures(b.GetStatus().AggregatedStatus)
	c.Succeeded(b, base.Success{Reason: aggregateSucceeded, Action: "AggregateStatus", Note: "Collected what the copies report."})
	switch {
	case slices.Equal(was, is):
		if newlyApplied(before, b) {
			c.SucceededBinding(b, base.Success{Reason: syncSucceeded, Action: "Apply", Note: "Applied in all clusters: %s.", Args: []any{strings.Join(clustersOf(b), ", ")}})
		}
	case len(is) > 0:
		c.Warn(reference.Template(b), syncFailed, "Apply", fmt.Errorf("not applied in %s", strings.Join(is, "; in ")))
	default:
		c.Events.Eventf(reference.Template(b), nil, corev1.EventTypeNormal, syncSucceeded, "Apply", "applied in the clusters where it could not be before")
	}
}

// newlyApplied reports whether a binding is fully applied by its present spec, and was not before.
func newlyApplied(before, after workv1alpha2.Binding) bool {
	was := meta.FindStatusCondition(before.GetStatus().Conditions, workv1alpha2.FullyApplied)
	is := meta.FindStatusCondition(after.GetStatus().Conditions, workv1alpha2.FullyApplied)
	return is != nil && is.Status == metav1.ConditionTrue && (was == nil || was.Status != is.Status || was.ObservedGeneration != is.ObservedGeneration)
}

// clustersOf lists the clusters that a binding has a status of.
func clustersOf(b workv1alpha2.Binding) []string {
	items := b.GetStatus().AggregatedStatus
	clusters := make([]string, len(items))
	for i := range items {
		clusters[i] = items[i].ClusterName
	}
	return clusters
}

// failures lists the clusters in which a binding could not be applied, with the reason.
func failures(items []workv1alpha2.AggregatedStatusItem) []string {
	var failed []string
	for i := range items {
		item := &items[i]
		if !item.Applied && item.AppliedMessage != "" && !binding.Expected(item) {
			failed = append(failed, item.ClusterName+": "+item.AppliedMessage)
		}
	}
	return failed
}

// notifyAggregate records an event about a template whose script failed, or works again.
func (c *Controller[B]) notifyAggregate(template *unstructured.Unstructured, err error) {
	switch changed := c.failed.changed(template.GetUID(), err); {
	case changed && err != nil:
		c.Warn(template, aggregateFailed, "AggregateStatus", err)
	case changed:
		c.Events.Eventf(template, nil, corev1.EventTypeNormal, aggregateSucceeded, "AggregateStatus", "the status is aggregated again")
	}
}

// failed holds the errors of scripts that failed last, by template. It is safe for many
// goroutines; the zero value is ready.
type failed struct {
	text memory.Of[types.UID, string]
}

// changed records an error, or nil, and reports whether it differs from the one before.
func (f *failed) changed(id types.UID, err error) (changed bool) {
	f.text.Update(id, func(was string, known bool) (string, bool) {
		if err == nil {
			changed = known
			return "", false
		}
		is := err.Error()
		changed = is != was
		return is, true
	})
	return changed
}
