// SPDX-License-Identifier: Apache-2.0

package status

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/binding"
)

// Published reasons of the events about a template.
const (
	syncSucceeded      = "SyncWorkSucceed"
	syncFailed         = "SyncWorkFailed"
	aggregateSucceeded = "AggregateStatusSucceed"
	aggregateFailed    = "AggregateStatusFailed"
)

// notifySync records events about the template for what changed between two statuses of
// its binding: what could not be applied, or that all that could not be is. An object that
// is applied without trouble needs no event, since the condition of its binding says so.
func (c *Controller[B]) notifySync(b B, before []workv1alpha2.AggregatedStatusItem) {
	was, is := failures(before), failures(b.GetStatus().AggregatedStatus)
	switch {
	case slices.Equal(was, is):
	case len(is) > 0:
		c.Warn(reference(b), syncFailed, "Apply", fmt.Errorf("not applied in %s", strings.Join(is, "; in ")))
	default:
		c.Events.Eventf(reference(b), nil, corev1.EventTypeNormal, syncSucceeded, "Apply", "applied in the clusters where it could not be before")
	}
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

// reference returns an object that names the template of a binding.
func reference(b workv1alpha2.Binding) *unstructured.Unstructured {
	r := &b.GetSpec().Resource
	o := &unstructured.Unstructured{}
	o.SetAPIVersion(r.APIVersion)
	o.SetKind(r.Kind)
	o.SetNamespace(r.Namespace)
	o.SetName(r.Name)
	o.SetUID(r.UID)
	return o
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
	mu   sync.Mutex
	text map[types.UID]string
}

// changed records an error, or nil, and reports whether it differs from the one before.
func (f *failed) changed(id types.UID, err error) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err == nil {
		_, was := f.text[id]
		delete(f.text, id)
		return was
	}
	if f.text == nil {
		f.text = map[types.UID]string{}
	}
	was := f.text[id]
	f.text[id] = err.Error()
	return was != f.text[id]
}
