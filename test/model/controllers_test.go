// SPDX-License-Identifier: Apache-2.0

package model

import (
	"cmp"
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
	"github.com/dragoman-io/dragoman/controllers/decide/rendering"
	"github.com/dragoman-io/dragoman/controllers/decide/schedule"
	"github.com/dragoman-io/dragoman/controllers/decide/status"
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
	case "trial":
		return m.answer(cluster)
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
	works := m.sortedWorks()
	items := binding.Aggregate(works, func(cluster string) bool {
		c := m.clusters[cluster]
		return c == nil || !isReady(c)
	})
	t, took := &turn{}, before.DeepCopy()
	if binding.MayTakeOver(took) {
		changed, err := status.TakeOver(took, items, works)
		m.must(err)
		if changed {
			t.writes = append(t.writes, func() error { return m.writeSpec(before, took) })
		}
	}
	b := took.DeepCopy()
	kept, err := status.Decide(b, status.View{
		Before: took, Items: items, Works: works, Carries: true,
		Observe: func(item *workv1alpha2.AggregatedStatusItem) (binding.Report, []binding.Problem, error) {
			return observe(b, *item), nil, nil
		},
	}, m.now)
	m.must(err)
	last := took
	if kept.Changes(took) {
		last = took.DeepCopy()
		if last.Annotations[binding.KeptStateAnnotation] = kept.Annotation; kept.Annotation == "" {
			delete(last.Annotations, binding.KeptStateAnnotation)
		}
		t.writes = append(t.writes, func() error { return m.writeSpec(took, last) })
	}
	t.writes = append(t.writes, func() error { return m.writeStatus(last, b) })
	return t
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
	if !binding.IsMovable(before) {
		return &turn{}
	}
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

// rendering writes and deletes Works.
func (m *run) rendering() *turn {
	before := m.b
	b := before.DeepCopy()
	p, err := rendering.Decide(b, rendering.View{
		Works: m.sortedWorks(), Cluster: func(name string) *clusterv1alpha1.Cluster { return m.clusters[name] },
	})
	m.must(err)
	if len(p.Reverted) > 0 {
		return &turn{writes: []func() error{func() error { return m.writeSpec(before, b) }}}
	}
	t, decided := &turn{}, b.DeepCopy() // a cluster that refuses is no target any more after that
	for _, w := range p.Remove {
		t.writes = append(t.writes, m.remove(decided, w, false))
	}
	for _, target := range p.Render {
		if m.clusters[target.Name] != nil { // else its namespace is gone
			t.writes = append(t.writes, m.ensure(b, target, p.Plan))
		}
	}
	o := m.exchange(t, b, before, &p)
	if len(o.Refused) > 0 {
		return t
	}
	m.block(t, p, o)
	return t
}

// exchange deletes old copies for new ones, or takes targets away that refused these.
func (m *run) exchange(t *turn, b, before *workv1alpha2.ResourceBinding, p *rendering.Plan) rendering.Outcome {
	if len(p.Replace) == 0 {
		m.unreadSince = time.Time{}
		clear(m.trials)
		return rendering.Outcome{}
	}
	answers := map[string]rendering.Answer{}
	for _, target := range binding.Targets(&b.Spec) {
		if slices.Contains(p.Waiting, target.Name) {
			answers[target.Name] = m.ask(b, target)
		}
	}
	read := b.DeepCopy()
	o, err := p.Exchange(b, rendering.Trial{
		Answers: answers, Clip: func(why string) string { return why }, Carries: true, NamesState: noScript, UnreadSince: m.unreadSince,
	}, m.now)
	m.must(err)
	m.unreadSince, t.wait = o.UnreadSince, o.Wait
	for _, cluster := range o.Ask {
		m.trials[cluster].again = m.now.Add(askAgain)
		t.wait = min(cmp.Or(t.wait, askAgain), askAgain)
	}
	if len(o.Refused) > 0 {
		clear(m.trials)
		t.writes = append(t.writes, func() error { return m.writeSpec(before, m.patched(before, read, b)) })
	}
	for _, w := range o.Delete {
		t.writes = append(t.writes, m.remove(b, w, o.Exact))
	}
	return o
}

// block writes the condition Rendered where new copies have waited for long.
func (m *run) block(t *turn, p rendering.Plan, o rendering.Outcome) {
	if len(p.Waiting) == 0 {
		m.blockedSince = time.Time{}
	} else if m.blockedSince.IsZero() {
		m.blockedSince = m.now
	}
	if left := rendering.Patience - m.now.Sub(m.blockedSince); len(p.Waiting) > 0 && left > 0 {
		t.wait = min(cmp.Or(t.wait, left), left)
		return
	}
	before := m.b
	t.writes = append(t.writes, func() error {
		after := before.DeepCopy()
		c := metav1.Condition{Type: workv1alpha2.Rendered, Status: metav1.ConditionTrue, Reason: "Rendered", LastTransitionTime: metav1.NewTime(m.now)}
		if len(binding.Refusals(before)) > 0 {
			c.Status, c.Reason = metav1.ConditionFalse, workv1alpha2.TargetRefusedReason
		} else if why := p.Blocked(o); why != "" {
			c.Status, c.Reason = metav1.ConditionFalse, why
		}
		meta.SetStatusCondition(&after.Status.Conditions, c)
		return m.writeStatus(before, after)
	})
}

// patched returns a binding as a patch leaves it that has the difference between two others.
func (m *run) patched(of, from, to *workv1alpha2.ResourceBinding) *workv1alpha2.ResourceBinding {
	after := of.DeepCopy()
	after.Spec = to.Spec
	for key, value := range to.Annotations {
		if from.Annotations[key] != value {
			after.Annotations[key] = value
		}
	}
	for key := range from.Annotations {
		if _, stays := to.Annotations[key]; !stays {
			delete(after.Annotations, key)
		}
	}
	return after
}

// remove returns the deletion of a Work. One that is exact must not have changed.
func (m *run) remove(b *workv1alpha2.ResourceBinding, w *workv1alpha1.Work, exact bool) func() error {
	cluster := binding.ClusterOf(w)
	return func() error {
		now := m.works[cluster]
		switch {
		case now == nil || now.UID != w.UID || now.DeletionTimestamp != nil:
			return nil
		case exact && now.ResourceVersion != w.ResourceVersion:
			return errConflict
		}
		after := now.DeepCopy()
		after.DeletionTimestamp = new(metav1.NewTime(m.now))
		m.sawRemoval(b, cluster)
		return m.writeWork(cluster, now, after)
	}
}

// render returns the manifest for a target whose Work was made with a state, if it is there.
func (m *run) render(b *workv1alpha2.ResourceBinding, target workv1alpha2.TargetCluster, madeWith string) []byte {
	raw, err := json.Marshal(manifest{
		Template: m.template, Bad: m.bad, State: binding.StateFor(b, target.Name, madeWith).Labels[label], Replicas: target.Replicas,
	})
	m.must(err)
	return raw
}

// ensure returns the write of the Work of a target.
func (m *run) ensure(b *workv1alpha2.ResourceBinding, target workv1alpha2.TargetCluster, p binding.Plan) func() error {
	existing, held := p.Existing[target.Name], heldOf(b, p)
	m.created++
	id, madeWith := fmt.Sprint(m.created), binding.RestoredFrom(b, target.Name)
	if existing != nil {
		madeWith = existing.Annotations[workv1alpha2.RestoredFromAnnotation]
	}
	raw := m.render(b, target, madeWith)
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
			m.bornOf[target.Name] = birth{version(b), held}
		}
		delete(w.Annotations, workv1alpha2.FailoverAnnotation)
		if b.Spec.Failover != nil {
			w.Annotations[workv1alpha2.FailoverAnnotation] = workv1alpha2.FailoverState
		}
		w.Spec.SuspendDispatching = new(binding.Suspended(&b.Spec, target.Name))
		w.Spec.Workload.Manifests = []workv1alpha1.Manifest{{RawExtension: runtime.RawExtension{Raw: raw}}}
		return m.writeWork(target.Name, existing, w)
	}
}

func version(b *workv1alpha2.ResourceBinding) int {
	n, _ := strconv.Atoi(b.ResourceVersion)
	return n
}
