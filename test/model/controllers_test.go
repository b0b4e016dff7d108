// SPDX-License-Identifier: Apache-2.0

package model

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/api/names"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/eviction"
	"github.com/dragoman-io/dragoman/controllers/decide/failover"
	departing "github.com/dragoman-io/dragoman/controllers/decide/leave"
	"github.com/dragoman-io/dragoman/controllers/decide/placement"
	"github.com/dragoman-io/dragoman/controllers/decide/schedule"
)

// label is the label that the rules of the policy put the job into.
const label = "job"

// decide has a controller read everything and decide.
func (m *run) decide(name string) *turn {
	what, cluster, _ := strings.Cut(name, " ")
	switch what {
	case "status":
		return m.status()
	case "failover":
		return m.failover()
	case "taints":
		return m.evictByTaints()
	case "eviction":
		return m.eviction()
	case "scheduling":
		return m.scheduling()
	case "rendering":
		return m.rendering()
	case "probe":
		return m.probe(cluster)
	case "execution":
		return m.execution(cluster)
	case "member":
		return m.member(cluster)
	}
	panic(name)
}

func (m *run) sortedWorks() []workv1alpha1.Work {
	var works []workv1alpha1.Work
	for _, cluster := range memberNames {
		if w := m.works[cluster]; w != nil {
			works = append(works, *w)
		}
	}
	return works
}

func (m *run) sortedClusters() []*clusterv1alpha1.Cluster {
	var all []*clusterv1alpha1.Cluster
	for _, name := range memberNames {
		if c := m.clusters[name]; c != nil {
			all = append(all, c)
		}
	}
	return all
}

// status writes what the Works report.
func (m *run) status() *turn {
	before := m.b
	items := binding.Aggregate(m.sortedWorks(), func(cluster string) bool {
		c := m.clusters[cluster]
		return c == nil || !isReady(c)
	})
	t, took := &turn{}, before.DeepCopy()
	var changed []string
	for _, cluster := range memberNames {
		if !same(itemOf(before.Status.AggregatedStatus, cluster), itemOf(items, cluster)) {
			changed = append(changed, cluster)
		}
	}
	tookOver, err := binding.TakeOver(took, changed...)
	m.must(err)
	kept := m.keep(took, items, changed)
	if tookOver || kept {
		t.writes = append(t.writes, func() error { return m.writeSpec(before, took) })
	}
	t.writes = append(t.writes, func() error {
		b := took.DeepCopy()
		b.Status.AggregatedStatus = items
		return m.writeStatus(took, b)
	})
	return t
}

// keep has a binding keep the state that its next status does not have any more.
func (m *run) keep(b *workv1alpha2.ResourceBinding, items []workv1alpha2.AggregatedStatusItem, changed []string) bool {
	was := b.Annotations[binding.KeptStateAnnotation]
	if !binding.WantsState(b) {
		delete(b.Annotations, binding.KeptStateAnnotation)
		return was != ""
	}
	evicting := binding.Evicting(&b.Spec)
	var reported, written []binding.Report
	for _, cluster := range changed {
		if _, pending := binding.PendingState(b, cluster); pending || !isTarget(b, cluster) && !evicting[cluster] {
			continue
		}
		now := observe(b, itemOf(items, cluster))
		now.Cluster = cluster
		last := observe(b, itemOf(b.Status.AggregatedStatus, cluster))
		last.Cluster = cluster
		reported, written = append(reported, last, now), append(written, now)
	}
	_, err := binding.SetKeptStates(b, binding.Keep(binding.KeptStates(b), reported, written, func(cluster string) bool {
		return isTarget(b, cluster) || evicting[cluster] || itemOf(items, cluster).ClusterName != ""
	}, m.now))
	m.must(err)
	return b.Annotations[binding.KeptStateAnnotation] != was
}

// observe returns the state that an item reports.
func observe(b *workv1alpha2.ResourceBinding, item workv1alpha2.AggregatedStatusItem) binding.Report {
	r := binding.NewReport(item.ClusterName, item.Health == workv1alpha2.ResourceHealthy, nil)
	add := func(rules *policyv1alpha1.StatePreservation) {
		if rules == nil || item.Status == nil {
			return
		}
		labels, _ := binding.ExtractState(rules, item.Status.Raw)
		if labels[label] != "never" {
			r.Add(rules, labels)
		}
	}
	if f := b.Spec.Failover; f != nil && f.Application != nil {
		add(f.Application.StatePreservation)
	}
	if f := b.Spec.Failover; f != nil && f.Cluster != nil {
		add(f.Cluster.StatePreservation)
	}
	return r
}

// itemOf returns what is reported of a cluster; the zero value where that is nothing.
func itemOf(items []workv1alpha2.AggregatedStatusItem, cluster string) workv1alpha2.AggregatedStatusItem {
	for i := range items {
		if items[i].ClusterName == cluster {
			return items[i]
		}
	}
	return workv1alpha2.AggregatedStatusItem{}
}

// failover evicts from the clusters in which the application is unhealthy.
func (m *run) failover() *turn {
	before := m.b
	b := before.DeepCopy()
	plan, err := failover.Decide(b, failover.View{
		Works: m.readWorks(), Moves: true, Graceful: true,
		State: func(rules *policyv1alpha1.StatePreservation, cluster string) (binding.State, error) {
			return binding.ReportedState(b, rules, cluster)
		},
	}, m.now)
	m.must(err)
	t := &turn{wait: plan.Wait}
	if len(plan.Failed) > 0 { // events report them, and it is tried again
		m.reported["EvictWorkloadFromClusterFailed"] = true
		if t.wait == 0 {
			t.wait = time.Minute
		}
	}
	if plan.Write {
		t.writes = []func() error{func() error { return m.writeSpec(before, b) }}
	}
	return t
}

// evictByTaints evicts from clusters with a NoExecute taint, and takes that back.
func (m *run) evictByTaints() *turn {
	before := m.b
	b := before.DeepCopy()
	t := &turn{}
	t.writes = []func() error{func() error { return m.writeSpec(before, b) }}
	_, err := binding.RevertTainted(b, func(cluster string) bool {
		c := m.clusters[cluster]
		return placement.Fits(&before.Spec, &before.Status, c) && !binding.Leaves(&before.Spec, c.Spec.Taints)
	})
	m.must(err)
	taints := func(cluster string) []corev1.Taint { return departing.Taints(m.clusters[cluster]) }
	d, leaves := departing.Of(b, taints, m.now)
	if !leaves {
		return t
	}
	_, err = d.Evict(b, departing.Terms{
		Works:     m.readWorks(),
		PurgeMode: policyv1alpha1.PurgeModeGracefully,
		State: func(rules *policyv1alpha1.StatePreservation, cluster string) (binding.State, error) {
			return binding.ReportedState(b, rules, cluster)
		},
	}, m.now)
	if err != nil {
		m.reported["EvictWorkloadFromClusterFailed"] = true
		t.wait = time.Minute
	}
	if next, leaves := departing.Of(b, taints, m.now); leaves && next.Due().After(m.now) && (t.wait == 0 || next.Due().Sub(m.now) < t.wait) {
		t.wait = next.Due().Sub(m.now)
	}
	return t
}

// timeout is that of a task without a grace period.
const timeout = 10 * time.Minute

// noScript is that no script names the state of the kind.
func noScript() bool { return false }

func (m *run) eviction() *turn {
	before := m.b
	b := before.DeepCopy()
	plan, err := eviction.Decide(b, eviction.View{
		Works: m.sortedWorks(), Timeout: timeout, Carries: true, NamesState: noScript,
		Seen: func([]string) binding.Observed { return binding.Observed{} },
	}, m.now)
	m.must(err)
	t := &turn{wait: plan.Wait}
	if plan.Write {
		t.writes = []func() error{func() error {
			err := m.writeSpec(before, b)
			if err == nil {
				m.sawEnd(before, plan.Done)
			}
			return err
		}}
	}
	return t
}

func (m *run) scheduling() *turn {
	before := m.b
	b := before.DeepCopy()
	clusters, excluded := m.sortedClusters(), binding.Excluded(b, m.now)
	d, err := (&schedule.Assumptions{}).Decide(b, m.now, schedule.View{
		Clusters: func() ([]*clusterv1alpha1.Cluster, error) { return clusters, nil },
	})
	m.must(err)
	if d.Awaited > 0 {
		return &turn{wait: d.Awaited}
	}
	result, problem := d.Result, d.Problem
	if d.Cause == placement.NotNeeded {
		result = placement.Result{Clusters: b.Spec.Clusters}
	}
	t := &turn{}
	if problem != nil {
		t.wait = time.Minute
		if excluded.Wait > 0 {
			t.wait = min(t.wait, excluded.Wait)
		}
		_, err := binding.ReleaseGone(b, clusters)
		m.must(err)
		t.writes = append(t.writes, func() error { return m.writeSpec(before, b) })
	} else {
		raw, err := json.Marshal(b.Spec.Placement)
		m.must(err)
		b.Annotations[policyv1alpha1.AppliedPlacementAnnotation] = string(raw)
		b.Spec.Clusters = result.Clusters
		m.must(binding.RecordPlacement(b, before.Spec.Clusters, m.now))
		t.writes = append(t.writes, func() error { return m.writeSpec(before, b) })
	}
	t.writes = append(t.writes, func() error {
		after := b.DeepCopy()
		c := metav1.Condition{
			Type: workv1alpha2.Scheduled, Status: metav1.ConditionTrue, Reason: workv1alpha2.BindingReasonSuccess,
			ObservedGeneration: b.Generation, LastTransitionTime: metav1.NewTime(m.now),
		}
		if problem != nil {
			c.Status, c.Reason, c.Message = metav1.ConditionFalse, "NoClusterFit", problem.Error()
		} else {
			after.Status.SchedulerObservedGeneration = b.Generation
		}
		meta.SetStatusCondition(&after.Status.Conditions, c)
		return m.writeStatus(b, after)
	})
	return t
}

// manifest is what a Work has of the template.
type manifest struct {
	Template int    `json:"template"`
	Bad      bool   `json:"bad"`
	State    string `json:"state,omitempty"`
	Replicas int32  `json:"replicas"`
}

// patience is how long a blocked copy waits before a condition reports it.
const patience = 5 * time.Second

func (m *run) rendering() *turn {
	before := m.b
	b := before.DeepCopy()
	binding.DropGone(b, m.sortedWorks())
	_, err := binding.NoteCopies(b, m.sortedWorks())
	m.must(err)
	p := binding.PlanWorks(b, m.sortedWorks(), func(cluster string) bool {
		c := m.clusters[cluster]
		return c != nil && binding.IsFenced(c)
	})
	t := &turn{}
	unread := m.unread(b, &p)
	if unread > 0 {
		p.Replace = nil
	}
	for _, w := range append(p.Remove, p.Replace...) { // each cluster takes what it is asked to
		t.writes = append(t.writes, m.remove(b, w, slices.Contains(p.Replace, w)))
	}
	for _, target := range p.Render {
		if m.clusters[target.Name] == nil {
			continue // its namespace is gone
		}
		t.writes = append(t.writes, m.ensure(b, target, p.Existing[target.Name]))
	}
	if len(p.Waiting) == 0 {
		m.blockedSince = time.Time{}
	} else if m.blockedSince.IsZero() {
		m.blockedSince = m.now
	}
	after := before.DeepCopy()
	c := metav1.Condition{Type: workv1alpha2.Rendered, Status: metav1.ConditionTrue, Reason: "Rendered", LastTransitionTime: metav1.NewTime(m.now)}
	if left := patience - m.now.Sub(m.blockedSince); len(p.Waiting) > 0 && left > 0 {
		t.wait = left
		return t
	} else if len(p.Waiting) > 0 {
		c.Status, c.Reason = metav1.ConditionFalse, workv1alpha2.OldCopyReason
	}
	meta.SetStatusCondition(&after.Status.Conditions, c)
	t.writes = append(t.writes, func() error { return m.writeStatus(before, after) })
	return t
}

// unread returns how long old copies still wait until the state that is carried over is that of
// their last reports. The controller polls meanwhile; here the events must be enough.
func (m *run) unread(b *workv1alpha2.ResourceBinding, p *binding.Plan) time.Duration {
	if len(p.Replace) == 0 || !binding.WantsState(b) {
		m.unreadSince = time.Time{}
		return 0
	}
	hasRead := !slices.ContainsFunc(p.Replace, func(w *workv1alpha1.Work) bool { return !binding.HasReport(b, w) })
	if hasRead {
		renewed, _, _, err := eviction.Renew(b.DeepCopy(), m.sortedWorks(), noScript, m.now)
		m.must(err)
		hasRead = !renewed
	}
	if hasRead {
		m.unreadSince = time.Time{}
		return 0
	}
	if m.unreadSince.IsZero() {
		m.unreadSince = m.now
	}
	return max(0, patience-m.now.Sub(m.unreadSince))
}

// remove returns the deletion of a Work. One that a new copy replaces must not have changed.
func (m *run) remove(b *workv1alpha2.ResourceBinding, w *workv1alpha1.Work, replaced bool) func() error {
	cluster := binding.ClusterOf(w)
	return func() error {
		now := m.works[cluster]
		switch {
		case now == nil || now.UID != w.UID || now.DeletionTimestamp != nil:
			return nil
		case replaced && m.unreadSince.IsZero() && binding.WantsState(b) && now.ResourceVersion != w.ResourceVersion:
			return errConflict
		}
		after := now.DeepCopy()
		after.DeletionTimestamp = new(metav1.NewTime(m.now))
		m.sawRemoval(b, cluster)
		return m.writeWork(cluster, now, after)
	}
}

// ensure returns the write of the Work of a target.
func (m *run) ensure(b *workv1alpha2.ResourceBinding, target workv1alpha2.TargetCluster, existing *workv1alpha1.Work) func() error {
	raw, err := json.Marshal(manifest{
		Template: m.template, Bad: m.bad, State: binding.StateFor(b, target.Name).Labels[label], Replicas: target.Replicas,
	})
	m.must(err)
	m.created++
	id, madeWith := fmt.Sprint(m.created), binding.RestoredFrom(b, target.Name)
	return func() error {
		if existing != nil && existing.DeletionTimestamp != nil {
			return nil
		}
		if m.clusters[target.Name] == nil {
			return nil
		}
		w := &workv1alpha1.Work{ObjectMeta: metav1.ObjectMeta{Namespace: names.ExecutionSpace(target.Name), Name: "one"}}
		w.UID = "work-" + typesUID(id)
		w.Annotations = map[string]string{workv1alpha2.RestoredFromAnnotation: madeWith}
		if existing != nil {
			w = existing.DeepCopy()
		} else if m.works[target.Name] == nil {
			m.bornOf[target.Name] = version(b)
		}
		delete(w.Annotations, workv1alpha2.FailoverAnnotation)
		if b.Spec.Failover != nil {
			w.Annotations[workv1alpha2.FailoverAnnotation] = workv1alpha2.FailoverState
		}
		w.Spec.Workload.Manifests = []workv1alpha1.Manifest{{RawExtension: runtime.RawExtension{Raw: raw}}}
		return m.writeWork(target.Name, existing, w)
	}
}

func version(b *workv1alpha2.ResourceBinding) int {
	n, _ := strconv.Atoi(b.ResourceVersion)
	return n
}
