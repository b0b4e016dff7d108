// SPDX-License-Identifier: Apache-2.0

package model

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
)

// readAgain is the time between two looks at whether the binding has a report.
const readAgain = 50 * time.Millisecond

// probe writes whether a cluster can be reached, and its taints.
func (m *run) probe(name string) *turn {
	if m.clusters[name] == nil {
		return &turn{}
	}
	ready := !m.cut[name]
	return &turn{writes: []func() error{func() error {
		m.editCluster(name, func(c *clusterv1alpha1.Cluster) { setReady(c, ready, m.full[name], m.now) })
		return nil
	}}}
}

func setReady(c *clusterv1alpha1.Cluster, ready, full bool, now time.Time) {
	status := metav1.ConditionFalse
	if ready {
		status = metav1.ConditionTrue
	}
	meta.SetStatusCondition(&c.Status.Conditions, metav1.Condition{
		Type: clusterv1alpha1.ClusterConditionReady, Status: status, Reason: "Probed", LastTransitionTime: metav1.NewTime(now),
	})
	c.Spec.Taints = slices.DeleteFunc(slices.Clone(c.Spec.Taints), func(t corev1.Taint) bool { return t.Key == clusterv1alpha1.TaintClusterNotReady })
	if !ready {
		c.Spec.Taints = append(c.Spec.Taints, corev1.Taint{Key: clusterv1alpha1.TaintClusterNotReady, Effect: corev1.TaintEffectNoSchedule})
	}
	if ready {
		c.Status.ResourceSummary = summary(full)
	}
}

// execution does in the member what the Work asks for.
func (m *run) execution(cluster string) *turn {
	w := m.works[cluster]
	if w == nil || m.cut[cluster] {
		return &turn{}
	}
	reach := func(do func() error) func() error {
		return func() error {
			if m.cut[cluster] {
				return errCut
			}
			return do()
		}
	}
	if w.DeletionTimestamp == nil && *w.Spec.SuspendDispatching {
		return &turn{}
	}
	if w.DeletionTimestamp != nil {
		if c := m.copies[cluster]; c != nil {
			return &turn{writes: []func() error{reach(func() error {
				if c.deleting {
					delete(m.copies, cluster)
					m.sawGone(cluster)
				}
				c.deleting = true
				m.enqueue("execution " + cluster)
				return nil
			})}}
		}
		return &turn{writes: []func() error{func() error { return m.writeWork(cluster, w, nil) }}}
	}
	var wanted manifest
	m.must(json.Unmarshal(w.Spec.Workload.Manifests[0].Raw, &wanted))
	after := w.DeepCopy()
	applied := metav1.Condition{Type: workv1alpha1.WorkApplied, Status: metav1.ConditionTrue, Reason: "Applied", ObservedGeneration: w.Generation, LastTransitionTime: metav1.NewTime(m.now)}
	refused := m.refuses[cluster]
	if refused {
		applied.Status, applied.Reason, applied.Message = metav1.ConditionFalse, "AppliedFailed", errAdmission.Error()
	}
	meta.SetStatusCondition(&after.Status.Conditions, applied)
	t := &turn{writes: []func() error{reach(func() error {
		if refused {
			return nil
		}
		c := m.copies[cluster]
		if c == nil {
			c = &copied{madeWith: wanted.State}
			m.jobs++
			c.job = ""
			m.copies[cluster] = c
			m.sawCreation(cluster)
		}
		c.template, c.bad = wanted.Template, wanted.Bad
		m.world.evolve()
		return nil
	})}}
	if m.isUnread(w, after) {
		t.wait = readAgain
		return t
	}
	t.writes = append(t.writes, func() error {
		m.enqueue("member " + cluster)
		return m.writeWork(cluster, w, after)
	})
	return t
}

// isUnread reports whether something that a Work reports would be lost if it were written over now.
func (m *run) isUnread(before, after *workv1alpha1.Work) bool {
	unread, err := binding.Unread(m.b, before, after, func(i *workv1alpha2.AggregatedStatusItem) (binding.Report, error) {
		return observe(m.b, *i), nil
	})
	m.must(err)
	return unread
}

// member reports the copy of a member in its Work.
func (m *run) member(cluster string) *turn {
	w, c := m.works[cluster], m.copies[cluster]
	if w == nil || w.DeletionTimestamp != nil || m.cut[cluster] || !reported(w) {
		return &turn{}
	}
	after := w.DeepCopy()
	after.Status.ManifestStatuses = nil
	if c != nil && !c.deleting {
		s := workv1alpha1.ManifestStatus{Health: workv1alpha2.ResourceUnhealthy, Status: &runtime.RawExtension{}}
		if m.isHealthy(cluster) {
			s.Health = workv1alpha2.ResourceHealthy
		}
		if s.Status.Raw = fmt.Appendf(nil, `{"job":%q}`, cmp.Or(c.job, "never")); c.wasHealthy && c.job == "" {
			s.Status.Raw = []byte(`{}`)
		}
		after.Status.ManifestStatuses = []workv1alpha1.ManifestStatus{s}
	}
	if m.isUnread(w, after) {
		return &turn{wait: readAgain}
	}
	return &turn{writes: []func() error{func() error {
		err := m.writeWork(cluster, w, after)
		if err == nil {
			m.sawReport(c, w, after)
		}
		return err
	}}}
}
