// SPDX-License-Identifier: Apache-2.0

package model

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
)

// ledger is what the rules remember of a run. No decision reads it.
type ledger struct {
	// owed is the state of copies that were evicted Directly, by value, until a healthy
	// copy has taken it over.
	owed map[string]debt
	// unneeded are states that were owed until all copies were well without them.
	unneeded map[string]bool
	// leaving are the copies that were evicted Directly and are not gone.
	leaving map[string]departure
	// bornOf is what each Work was created for.
	bornOf map[string]birth
	// known are the jobs of copies that the binding has reported to be healthy with them, or
	// that their Works had and do not have any more.
	known map[*copied]string
	// read are the versions of the Works by which it was last decided whether copies are evicted.
	read map[string]string
	// reported are the events about what cannot be done.
	reported map[string]bool
}

// debt is a state that is owed: of which copy.
type debt struct {
	from string
	of   *copied
}

type departure struct {
	of *copied
	at int
}

// birth is a version of the binding, and the copies that stay beside those of its targets, although
// they were evicted Directly: a cluster refused the one in their place, and none other takes it.
type birth struct {
	version int
	held    []string
}

func newLedger() ledger {
	return ledger{
		owed: map[string]debt{}, unneeded: map[string]bool{}, leaving: map[string]departure{}, bornOf: map[string]birth{}, known: map[*copied]string{}, reported: map[string]bool{},
	}
}

func taskOf(b *workv1alpha2.ResourceBinding, cluster string) *workv1alpha2.GracefulEvictionTask {
	for i := range b.Spec.GracefulEvictionTasks {
		if t := &b.Spec.GracefulEvictionTasks[i]; t.FromCluster == cluster {
			return t
		}
	}
	return nil
}

func isDirect(t *workv1alpha2.GracefulEvictionTask) bool {
	return t.PurgeMode == policyv1alpha1.PurgeModeDirectly
}

// sawTargets looks at a write of the binding's spec.
func (m *run) sawTargets(was, b *workv1alpha2.ResourceBinding) {
	if len(b.Spec.GracefulEvictionTasks) > len(was.Spec.GracefulEvictionTasks) && !binding.IsMovable(was) {
		m.fail("a copy is evicted while scheduling is suspended, so that nothing replaces it")
	}
	m.note("  targets %v -> %v, tasks %v, carried %s", binding.TargetNames(&was.Spec), binding.TargetNames(&b.Spec), tasks(b), b.Annotations[binding.CarriedStateAnnotation])
	for _, t := range was.Spec.Clusters {
		task := taskOf(b, t.Name)
		if isTarget(b, t.Name) || task == nil || taskOf(was, t.Name) != nil || !isDirect(task) {
			continue
		}
		m.sawEviction(was, b, t.Name)
	}
	for _, t := range b.Spec.Clusters {
		delete(m.leaving, t.Name)
	}
	m.checkOwed()
}

// sawEviction notes what the copy of a cluster that is evicted Directly is owed.
func (m *run) sawEviction(was, b *workv1alpha2.ResourceBinding, cluster string) {
	c := m.copies[cluster]
	if c == nil {
		return
	}
	m.leaving[cluster] = departure{c, m.version}
	carried := map[string]bool{}
	for _, s := range binding.CarriedStates(b) {
		carried[s.Labels[label]] = true
	}
	m.checkReported(b, cluster, c, carried)
	if c.madeWith != "" && !c.wasHealthy {
		if !carried[c.madeWith] && !m.taken[c.madeWith] && !m.unneeded[c.madeWith] {
			m.fail("the copy in %s was never healthy, and the state %s that it was made with is lost", cluster, c.madeWith)
		}
		return
	}
	if !c.wasHealthy || !m.knew(was, cluster) {
		return
	}
	for _, job := range slices.Backward(append([]string{c.madeWith}, c.jobs...)) {
		if carried[job] && job != "" {
			if known := m.known[c]; slices.Index(c.jobs, job) < slices.Index(c.jobs, known) {
				m.fail("the copy in %s was healthy with the state %s, and the older %s is carried", cluster, known, job)
			}
			m.owed[job] = debt{cluster, c}
			return
		}
	}
	if _, pending := binding.PendingState(was, cluster); pending && m.profile.isEdited() {
		return // a copy that Never or Gracefully kept has the state of the last one to take over
	}
	if f := b.Spec.Failover; f.Application.StatePreservation != nil && f.Cluster.StatePreservation != nil {
		m.fail("the copy in %s was evicted, and none of its states %v is carried", cluster, c.jobs)
	}
}

// readWorks returns the Works by which it is decided whether copies are evicted.
func (m *run) readWorks() []workv1alpha1.Work {
	works := m.sortedWorks()
	m.read = map[string]string{}
	for i := range works {
		m.read[binding.ClusterOf(&works[i])] = works[i].ResourceVersion
	}
	return works
}

// checkReported fails if a copy is evicted with an older state than its Work reported of it while it is
// healthy, also where the binding has not been told yet. What is reported between the decision and its
// write is renewed later.
func (m *run) checkReported(b *workv1alpha2.ResourceBinding, cluster string, c *copied, carried map[string]bool) {
	w, f := m.works[cluster], b.Spec.Failover
	if w == nil || m.read[cluster] != w.ResourceVersion || m.profile.isEdited() || f.Application.StatePreservation == nil || f.Cluster.StatePreservation == nil {
		return
	}
	job, healthy := m.jobIn(w)
	of := slices.Index(c.jobs, job)
	if !healthy || of < 0 {
		return
	}
	if !slices.ContainsFunc(c.jobs[of:], func(job string) bool { return carried[job] }) {
		m.fail("the copy in %s is evicted without the state %s, with which its Work reports it to be healthy", cluster, job)
	}
}

// sawStatus looks at a write of the binding's status.
func (m *run) sawStatus(b *workv1alpha2.ResourceBinding) {
	for cluster, c := range m.copies {
		item := itemOf(b.Status.AggregatedStatus, cluster)
		if isTarget(b, cluster) && healthyIn(b, cluster) && c.job != "" && string(item.Status.Raw) == fmt.Sprintf(`{"job":%q}`, c.job) {
			m.known[c] = c.job
		}
	}
}

// sawReport looks at a write of what a copy reports, over what its Work had before. Whoever reports knows
// that state must survive once the Work says so.
func (m *run) sawReport(c *copied, before, after *workv1alpha1.Work) {
	was, wasHealthy := m.jobIn(before)
	is, _ := m.jobIn(after)
	mustSurvive := m.b.Spec.Failover != nil && before.Annotations[workv1alpha2.FailoverAnnotation] != ""
	if c != nil && mustSurvive && wasHealthy && is == "" && slices.Index(c.jobs, was) > slices.Index(c.jobs, m.known[c]) {
		m.known[c] = was
	}
}

// jobIn returns the job that a Work reports, and whether its copy is healthy.
func (m *run) jobIn(w *workv1alpha1.Work) (job string, healthy bool) {
	if len(w.Status.ManifestStatuses) == 0 {
		return "", false
	}
	s := w.Status.ManifestStatuses[0]
	m.must(json.Unmarshal(s.Status.Raw, &struct{ Job *string }{&job}))
	return job, s.Health == workv1alpha2.ResourceHealthy
}

// knew reports whether the binding knew the state of the copy in a cluster: that of an earlier
// one there is not.
func (m *run) knew(b *workv1alpha2.ResourceBinding, cluster string) bool {
	if c := m.copies[cluster]; c != nil && c.job == "" {
		return m.known[c] != ""
	}
	w := m.works[cluster]
	return slices.ContainsFunc(b.Status.AggregatedStatus, func(i workv1alpha2.AggregatedStatusItem) bool {
		return i.ClusterName == cluster && (w == nil || i.Copy == "" || i.Copy == w.UID) && i.Status != nil && string(i.Status.Raw) != `{"job":"never"}`
	})
}

// checkOwed fails if a state is neither carried nor taken over.
func (m *run) checkOwed() {
	if len(m.owed) == 0 {
		return
	}
	carried := map[string]bool{}
	for _, s := range binding.CarriedStates(m.b) {
		carried[s.Labels[label]] = true
	}
	for _, value := range slices.Sorted(maps.Keys(m.owed)) {
		d := m.owed[value]
		newer := slices.IndexFunc(d.of.jobs, func(job string) bool {
			return carried[job] && slices.Index(d.of.jobs, job) > slices.Index(d.of.jobs, value)
		})
		switch {
		case m.isPaid(value):
			delete(m.owed, value)
		case newer >= 0: // the copy ran on
			delete(m.owed, value)
			m.owed[d.of.jobs[newer]] = d
		case !carried[value]:
			m.fail("the state %s of the copy in %s is lost: no healthy copy has it, and it is not carried", value, m.owed[value].from)
		}
	}
}

// isPaid reports whether a copy that was made with a state became healthy, or the copy that
// it is of runs on, or all copies are well, or reported to be, and nobody needs it.
func (m *run) isPaid(value string) bool {
	d := m.owed[value]
	if well := slices.DeleteFunc(binding.TargetNames(&m.b.Spec), func(t string) bool { return !m.isHealthy(t) && !healthyIn(m.b, t) }); len(well) >= m.profile.most() {
		m.unneeded[value] = true
		return true
	}
	if m.taken[value] {
		return true // also if that copy is gone since: what it did after that is the newer state
	}
	for cluster, c := range m.copies {
		if c == d.of && isTarget(m.b, cluster) {
			return true
		}
	}
	return false
}

// sawCreation looks at a copy that was just created.
func (m *run) sawCreation(cluster string) {
	c := m.copies[cluster]
	m.note("  created in %s with state %q", cluster, c.madeWith)
	if !m.profile.isEdited() {
		if running := m.running(); len(running) > m.profile.most() {
			m.fail("copies run in %v", running)
		}
	}
	for _, old := range slices.Sorted(maps.Keys(m.leaving)) {
		d := m.leaving[old]
		if old != cluster && m.copies[old] == d.of && !d.of.excepted && m.bornOf[cluster].version > d.at && !slices.Contains(m.bornOf[cluster].held, old) {
			m.fail("a copy was created in %s while the one in %s still runs, which was evicted Directly", cluster, old)
		}
	}
	m.checkOwed()
	switch {
	case c.madeWith != "" && c.madeWith != "never" && !m.isJob(c.madeWith):
		m.fail("the copy in %s was created with the state %s, which nobody left behind", cluster, c.madeWith)
	case m.profile == single && c.madeWith == "" && len(m.owed) > 0:
		m.fail("the copy in %s was created without the state %v", cluster, slices.Sorted(maps.Keys(m.owed)))
	}
}

// heldOf returns the clusters whose copies, which were evicted Directly, stay since a cluster refused
// the one in their place, and none other takes it, or scheduling is suspended.
func heldOf(b *workv1alpha2.ResourceBinding, p binding.Plan) []string {
	var held []string
	if len(binding.Refusals(b)) > 0 || !binding.IsMovable(b) {
		for _, w := range p.Held {
			held = append(held, binding.ClusterOf(w))
		}
	}
	return held
}

// planWorks returns what is to become of the Works.
func (m *run) planWorks() binding.Plan {
	return binding.PlanWorks(m.b, m.sortedWorks(), func(cluster string) bool {
		return m.clusters[cluster] != nil && binding.IsFenced(m.clusters[cluster])
	})
}

// isJob reports whether a state is one that some copy had.
func (m *run) isJob(value string) bool {
	n, err := strconv.Atoi(value)
	return err == nil && n <= m.jobs
}

// most returns how many copies may run at once at most.
func (p profile) most() int {
	if p == divided {
		return 1
	}
	return p.copies()
}

// sawRemoval looks at the deletion of a Work that was decided for a version of the binding:
// without a target it goes only by a task that says so, of the user or of a copy that another
// one has replaced.
func (m *run) sawRemoval(b *workv1alpha2.ResourceBinding, cluster string) {
	m.note("  work of %s deleted", cluster)
	released := slices.ContainsFunc(b.Spec.GracefulEvictionTasks, func(t workv1alpha2.GracefulEvictionTask) bool {
		return t.FromCluster == cluster && t.SuppressDeletion != nil && !*t.SuppressDeletion
	})
	if len(b.Spec.Clusters) == 0 && !released {
		m.fail("the Work of %s is deleted while there is no target", cluster)
	}
	fenced := m.clusters[cluster] != nil && binding.IsFenced(m.clusters[cluster])
	if task := taskOf(b, cluster); task != nil && isDirect(task) && !released && !fenced && !binding.IsMovable(b) {
		replaced := slices.ContainsFunc(b.Spec.Clusters, func(t workv1alpha2.TargetCluster) bool { return m.works[t.Name] == nil })
		// One that was evicted Gracefully may be a target again, with the copy that it has.
		enough := m.profile.isEdited() && len(b.Spec.Clusters) >= max(1, len(task.ClustersBeforeFailover))
		if !replaced && !enough && !binding.IsDecided(b) {
			m.fail("the Work of %s is deleted while scheduling is suspended, and nothing is to replace it", cluster)
		}
	}
}

// sawGone looks at a copy that is gone.
func (m *run) sawGone(cluster string) {
	m.note("  gone from %s", cluster)
	delete(m.leaving, cluster)
}

// sawEnd looks at tasks that ended: the user confirmed that, their time is over, or all
// targets have copies that were healthy.
func (m *run) sawEnd(b *workv1alpha2.ResourceBinding, done []string) {
	for _, cluster := range done {
		task := taskOf(b, cluster)
		if task == nil || task.SuppressDeletion != nil {
			continue
		}
		if len(b.Spec.Clusters) < len(task.ClustersBeforeFailover) && m.profile != divided && !binding.IsMovable(b) && !binding.IsDecided(b) && !isTarget(b, cluster) && m.works[cluster] != nil {
			m.fail("the eviction from %s ended while scheduling is suspended, with fewer targets than before", cluster)
		}
		patient := timeout
		if task.GracePeriodSeconds != nil {
			patient = time.Duration(*task.GracePeriodSeconds) * time.Second
		}
		if !task.CreationTimestamp.IsZero() && m.now.Sub(task.CreationTimestamp.Time) >= patient {
			continue
		}
		for _, t := range b.Spec.Clusters {
			if c := m.copies[t.Name]; c == nil || !c.wasHealthy {
				m.fail("the eviction from %s ended in time, but the copy in %s was never healthy", cluster, t.Name)
			}
		}
	}
}

// waitReasons are the reasons of the condition Rendered while new copies wait for old ones.
var waitReasons = []string{workv1alpha2.OldCopyReason, workv1alpha2.TargetNotTriedReason, workv1alpha2.TargetRefusedReason}

// atRest fails if something is missing and nothing says why.
func (m *run) atRest() {
	if m.failure != "" {
		return
	}
	m.checkOwed()
	b := m.b
	if len(b.Spec.Clusters) == 0 {
		if !binding.IsMovable(b) {
			return
		}
		if c := meta.FindStatusCondition(b.Status.Conditions, workv1alpha2.Scheduled); c == nil || c.Status != "False" {
			m.fail("there is no target, and no condition says why")
		}
		return
	}
	p := m.planWorks()
	if len(p.Waiting) > 0 {
		c := meta.FindStatusCondition(b.Status.Conditions, workv1alpha2.Rendered)
		if _, soon := m.timers["rendering"]; !soon && (c == nil || !slices.Contains(waitReasons, c.Reason)) {
			m.fail("no copy is created in %v because of %v, and no condition says so", p.Waiting, p.BlockedBy)
		}
	}
	for _, cluster := range p.BlockedBy {
		w, replaced := m.works[cluster], slices.ContainsFunc(p.Replace, func(w *workv1alpha1.Work) bool { return binding.ClusterOf(w) == cluster })
		if _, decides := m.timers["scheduling"]; len(p.Waiting) > 0 && w != nil && w.DeletionTimestamp == nil && !replaced && !decides {
			m.fail("new copies wait for the one in %s, which nobody asked to go", cluster)
		}
		if c := m.clusters[cluster]; c != nil && binding.IsFenced(c) {
			m.fail("new copies wait for the one in %s, which is fenced", cluster)
		}
	}
	for _, t := range b.Spec.Clusters {
		if c := m.copies[t.Name]; c != nil && m.clusters[t.Name] != nil && !binding.IsFenced(m.clusters[t.Name]) {
			c.excepted = false
		}
		if m.copies[t.Name] == nil && !binding.Suspended(&b.Spec, t.Name) && !m.cut[t.Name] && !m.refuses[t.Name] && !slices.Contains(p.Waiting, t.Name) {
			m.fail("%s is a target without a copy, and nothing waits for it", t.Name)
		}
	}
	for _, cluster := range slices.Sorted(maps.Keys(m.works)) {
		_, soon := m.timers["rendering"]
		suspended := slices.ContainsFunc(p.Waiting, func(target string) bool { return binding.Suspended(&b.Spec, target) })
		asked := (soon || suspended) && slices.ContainsFunc(p.Replace, func(w *workv1alpha1.Work) bool { return binding.ClusterOf(w) == cluster })
		if !m.cut[cluster] && !asked && !binding.CopiesOf(&b.Spec).Wanted(cluster) && !slices.Contains(heldOf(b, p), cluster) {
			m.fail("the Work of %s is not wanted, and still there", cluster)
		}
	}
	m.tasksAtRest(p)
}

// tasksAtRest fails if a task waits for nothing.
func (m *run) tasksAtRest(p binding.Plan) {
	for i := range m.b.Spec.GracefulEvictionTasks {
		t := &m.b.Spec.GracefulEvictionTasks[i]
		_, timed := m.timers["eviction"]
		if _, retried := m.timers["scheduling"]; (retried || !binding.IsMovable(m.b)) && slices.Contains(heldOf(m.b, p), t.FromCluster) {
			continue // another cluster is looked for
		}
		unreachable := slices.ContainsFunc(m.b.Spec.Clusters, func(t workv1alpha2.TargetCluster) bool {
			return m.cut[t.Name] || m.refuses[t.Name] || binding.Suspended(&m.b.Spec, t.Name)
		})
		remains := m.works[t.FromCluster] != nil && (m.cut[t.FromCluster] || !isDirect(t) && healthyIn(m.b, t.FromCluster))
		if !timed && t.SuppressDeletion == nil && len(p.Waiting) == 0 && !unreachable && !remains {
			m.fail("the eviction from %s waits for nothing", t.FromCluster)
		}
	}
}

// healthyIn reports whether the copy in a cluster is reported healthy.
func healthyIn(b *workv1alpha2.ResourceBinding, cluster string) bool {
	return slices.ContainsFunc(b.Status.AggregatedStatus, func(i workv1alpha2.AggregatedStatusItem) bool {
		return i.ClusterName == cluster && i.Applied && i.Health == workv1alpha2.ResourceHealthy
	})
}

// atEnd fails unless the application is well where it belongs, and nowhere else, and
// nothing is left over.
func (m *run) atEnd() {
	if m.failure != "" {
		return
	}
	targets := slices.Sorted(slices.Values(binding.TargetNames(&m.b.Spec)))
	want := m.profile.most()
	switch have := slices.Sorted(maps.Keys(m.copies)); {
	case len(targets) != want || !slices.Equal(targets, have):
		m.fail("at the end the targets are %v, want %d, and the copies are in %v", targets, want, have)
	case len(m.b.Spec.GracefulEvictionTasks) > 0:
		m.fail("at the end there are tasks: %v", tasks(m.b))
	case m.b.Annotations[binding.CarriedStateAnnotation] != "" || m.b.Annotations[binding.FailedClustersAnnotation] != "":
		m.fail("at the end there are annotations: %v", m.b.Annotations)
	}
	for _, cluster := range targets {
		if !m.isHealthy(cluster) {
			m.fail("at the end the copy in %s is not healthy", cluster)
		}
	}
	m.checkOwed()
	if len(m.owed) > 0 {
		m.fail("at the end nobody has the state %v", slices.Sorted(maps.Keys(m.owed)))
	}
}

func isTarget(b *workv1alpha2.ResourceBinding, cluster string) bool {
	return slices.Contains(binding.TargetNames(&b.Spec), cluster)
}

func tasks(b *workv1alpha2.ResourceBinding) []string {
	var all []string
	for i := range b.Spec.GracefulEvictionTasks {
		t := &b.Spec.GracefulEvictionTasks[i]
		all = append(all, t.FromCluster+" "+string(t.PurgeMode))
	}
	return all
}
