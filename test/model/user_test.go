// SPDX-License-Identifier: Apache-2.0

package model

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
)

// toleration is for how long the application may be unhealthy at the beginning, in seconds.
const toleration = 60

// wellRules name the state that each healthy copy has.
var wellRules = &policyv1alpha1.StatePreservation{Rules: []policyv1alpha1.StatePreservationRule{{AliasLabelName: label, JSONPath: "{ .job }"}}}

func wellFailover() *policyv1alpha1.FailoverBehavior {
	return &policyv1alpha1.FailoverBehavior{
		Application: &policyv1alpha1.ApplicationFailoverBehavior{
			DecisionConditions: policyv1alpha1.DecisionConditions{TolerationSeconds: ptr.To[int32](toleration)},
			PurgeMode:          policyv1alpha1.PurgeModeDirectly, StatePreservation: wellRules,
		},
		Cluster: &policyv1alpha1.ClusterFailoverBehavior{PurgeMode: policyv1alpha1.PurgeModeDirectly, StatePreservation: wellRules},
	}
}

// happen has an event happen.
func (m *run) happen(e event) {
	cluster := memberNames[e.cluster]
	m.note("%s %s %d (rests %t)", e.kind, cluster, e.n, e.rests)
	switch e.kind {
	case pass:
		m.pass(time.Duration(e.n)*time.Second, e.rests)
	case broken:
		m.broken[cluster] = !m.broken[cluster]
		m.enqueue("member " + cluster)
	case crash:
		if c := m.copies[cluster]; c != nil {
			c.crashed = e.n%2 == 0
			m.enqueue("member " + cluster)
		}
	case cut:
		m.setCut(cluster, !m.cut[cluster])
	case full:
		m.full[cluster] = !m.full[cluster]
		m.enqueue("probe " + cluster)
	case refuse:
		m.refuses[cluster] = !m.refuses[cluster]
		m.enqueue("execution " + cluster)
	case suspend:
		m.edit(func(b *workv1alpha2.ResourceBinding) { b.Spec.Suspension = suspension(e.n, cluster) })
	case place:
		if m.profile.isEdited() {
			m.edit(func(b *workv1alpha2.ResourceBinding) { b.Spec.Placement.ClusterAffinity = affinity(e.n, cluster) })
		}
	case template:
		m.editTemplate(e.n%3 == 0)
	case fence:
		m.fence(cluster)
	case leave:
		m.leave(cluster)
	case join:
		m.join()
	case taint:
		m.editCluster(cluster, func(c *clusterv1alpha1.Cluster) { c.Spec.Taints = m.toggled(c.Spec.Taints, maintenance) })
	case drain:
		m.editCluster(cluster, func(c *clusterv1alpha1.Cluster) { c.Spec.Taints = m.toggled(c.Spec.Taints, draining) })
	case policy:
		if m.profile.isEdited() {
			m.edit(func(b *workv1alpha2.ResourceBinding) { editFailover(b, e.n) })
			if m.b.Spec.Failover == nil {
				clear(m.known) // no state must survive now
			}
		}
	case confirm:
		m.confirm(cluster)
	case turbulence:
		m.turbulence(2 * e.n)
	case restart:
		m.restart()
	case outage:
		m.outage(cluster, e.n)
	case renew:
		if m.isHealthy(cluster) {
			m.world.begin(m.copies[cluster])
			m.enqueue("member " + cluster)
		}
	case silent:
		m.silence(cluster, e.n%2 == 0)
	}
}

// silence has the copy in a cluster fail, and report its job no longer; in a flash it has
// reported another one right before.
func (m *run) silence(cluster string, flash bool) {
	c, reports := m.copies[cluster], "member "+cluster
	if c == nil {
		return
	}
	if flash && m.isHealthy(cluster) && m.begun[reports] == nil {
		m.world.begin(c)
		m.begin(reports)
		m.finish(reports, -1)
	}
	c.crashed, c.job = true, ""
	m.enqueue(reports)
}

// outage ends the manager while its controllers have work, and has the copy in a cluster
// fail before the next one starts.
func (m *run) outage(cluster string, turns int) {
	m.turbulence(turns)
	if c := m.copies[cluster]; c != nil {
		c.crashed = true
		m.enqueue("member " + cluster)
	}
	m.restart()
}

// setCut cuts a cluster off, or brings it back. Who brings it back takes back that nothing
// runs there.
func (m *run) setCut(cluster string, is bool) {
	m.cut[cluster] = is
	m.enqueue("probe " + cluster)
	if is {
		return
	}
	m.enqueue("execution "+cluster, "member "+cluster)
	m.connected(cluster)
	if c := m.copies[cluster]; c != nil {
		c.off = false
	}
	m.editCluster(cluster, func(c *clusterv1alpha1.Cluster) {
		c.Spec.Taints = slices.DeleteFunc(slices.Clone(c.Spec.Taints), func(t corev1.Taint) bool { return t.Key == binding.FencedTaint })
	})
}

// suspension returns what is suspended: nothing for most numbers.
func suspension(n int, cluster string) *workv1alpha2.Suspension {
	switch n {
	case 0, 1:
		return &workv1alpha2.Suspension{Scheduling: new(true)}
	case 2:
		return &workv1alpha2.Suspension{Suspension: policyv1alpha1.Suspension{Dispatching: new(true)}}
	case 3, 4, 5:
		return &workv1alpha2.Suspension{Suspension: policyv1alpha1.Suspension{
			DispatchingOnClusters: &policyv1alpha1.SuspendClusters{ClusterNames: []string{cluster}},
		}}
	}
	return nil
}

// affinity returns which clusters match: all but one, or all.
func affinity(n int, cluster string) *policyv1alpha1.ClusterAffinity {
	if n%2 == 0 {
		return &policyv1alpha1.ClusterAffinity{ExcludeClusters: []string{cluster}}
	}
	return nil
}

// fence confirms that nothing runs in a cluster; it is refused while the control plane
// reaches it.
func (m *run) fence(cluster string) {
	if c := m.clusters[cluster]; c == nil || !m.cut[cluster] || isReady(c) {
		return
	}
	if c := m.copies[cluster]; c != nil {
		c.off, c.excepted = true, true
	}
	m.editCluster(cluster, func(c *clusterv1alpha1.Cluster) {
		if !binding.IsFenced(c) {
			c.Spec.Taints = append(slices.Clone(c.Spec.Taints), corev1.Taint{Key: binding.FencedTaint, Effect: corev1.TaintEffectNoSchedule})
		}
	})
}

// The keys of taints that evict: maintenance at once, draining when the time is over for
// which the application tolerates it.
const (
	maintenance = "maintenance"
	draining    = "draining"
)

// tolerated is for how long, in seconds.
const tolerated = 90

// tolerations are those of the placement.
func tolerations() []corev1.Toleration {
	return []corev1.Toleration{{
		Key: draining, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: ptr.To[int64](tolerated),
	}}
}

// toggled returns taints without that of a key, or with it if there is none.
func (m *run) toggled(taints []corev1.Taint, key string) []corev1.Taint {
	rest := slices.DeleteFunc(slices.Clone(taints), func(t corev1.Taint) bool { return t.Key == key })
	if len(rest) < len(taints) {
		return rest
	}
	return append(rest, corev1.Taint{Key: key, Effect: corev1.TaintEffectNoExecute, TimeAdded: new(metav1.NewTime(m.now))})
}

func (m *run) editTemplate(bad bool) {
	m.template++
	m.bad = bad
	m.edit(func(b *workv1alpha2.ResourceBinding) { b.Spec.Resource.ResourceVersion = strconv.Itoa(m.template) })
}

// leave takes a cluster from the control plane. What runs there is of no concern any more, and
// nobody writes there: a cluster leaves once its Works are gone.
func (m *run) leave(cluster string) {
	was := m.clusters[cluster]
	if was == nil || len(m.clusters) <= 2 {
		return
	}
	delete(m.clusters, cluster)
	for _, name := range []string{"probe ", "execution ", "member "} {
		delete(m.begun, name+cluster)
	}
	m.onCluster(was, nil)
	delete(m.copies, cluster)
	delete(m.leaving, cluster)
	m.edit(func(b *workv1alpha2.ResourceBinding) { m.must(binding.Release(b, cluster)) })
	m.must(m.writeWork(cluster, m.works[cluster], nil))
}

func (m *run) join() {
	for _, name := range memberNames {
		if m.clusters[name] != nil {
			continue
		}
		c := newCluster(name)
		setReady(c, !m.cut[name], m.full[name], m.now)
		m.clusters[name] = c
		m.onCluster(nil, c)
	}
}

// editFailover edits the policy of the failover; n chooses how.
func editFailover(b *workv1alpha2.ResourceBinding, n int) {
	f := b.Spec.Failover
	if f == nil {
		b.Spec.Failover = wellFailover()
		return
	}
	modes := []policyv1alpha1.PurgeMode{policyv1alpha1.PurgeModeGracefully, policyv1alpha1.PurgeModeDirectly, policyv1alpha1.PurgeModeNever}
	switch a := f.Application; n {
	case 0, 1, 2:
		a.PurgeMode, a.GracePeriodSeconds = modes[n], nil
		if modes[n] == policyv1alpha1.PurgeModeGracefully {
			a.GracePeriodSeconds = ptr.To[int32](120)
		}
	case 3, 4:
		f.Cluster.PurgeMode = modes[n-3]
	case 5, 6, 7:
		a.DecisionConditions.TolerationSeconds = ptr.To([]int32{0, toleration, 600}[n-5])
	case 8:
		a.StatePreservation = &policyv1alpha1.StatePreservation{Rules: []policyv1alpha1.StatePreservationRule{{AliasLabelName: label, JSONPath: "{ .missing }"}}}
	case 9:
		a.StatePreservation = nil
	case 10:
		a.StatePreservation = wellRules
	default:
		b.Spec.Failover = nil
	}
}

// confirm has a user confirm the deletion of the copy that is evicted from a cluster.
func (m *run) confirm(cluster string) {
	m.edit(func(b *workv1alpha2.ResourceBinding) {
		for i := range b.Spec.GracefulEvictionTasks {
			t := &b.Spec.GracefulEvictionTasks[i]
			if t.FromCluster == cluster && t.SuppressDeletion != nil {
				t.SuppressDeletion = new(bool)
			}
		}
	})
}

// mend has all become well.
func (m *run) mend() {
	m.note("all is well")
	clear(m.broken)
	clear(m.full)
	clear(m.refuses)
	for _, cluster := range memberNames {
		m.setCut(cluster, false)
		m.enqueue("member " + cluster)
	}
	for _, c := range m.copies {
		c.crashed = false
	}
	m.join()
	for _, cluster := range slices.Sorted(maps.Keys(m.clusters)) {
		m.editCluster(cluster, func(c *clusterv1alpha1.Cluster) {
			c.Spec.Taints = slices.DeleteFunc(slices.Clone(c.Spec.Taints), func(t corev1.Taint) bool { return t.Key == maintenance || t.Key == draining })
		})
	}
	m.edit(func(b *workv1alpha2.ResourceBinding) {
		b.Spec.Failover, b.Spec.Suspension, b.Spec.Placement.ClusterAffinity = wellFailover(), nil, nil
	})
	m.editTemplate(false)
}

func newCluster(name string) *clusterv1alpha1.Cluster {
	c := &clusterv1alpha1.Cluster{}
	c.Name = name
	c.UID = typesUID(fmt.Sprint("cluster-", name))
	c.Spec.SyncMode = clusterv1alpha1.Push
	c.Status.APIEnablements = []clusterv1alpha1.APIEnablement{{
		GroupVersion: gadget.GetAPIVersion(), Resources: []clusterv1alpha1.APIResource{{Kind: gadget.GetKind()}},
	}}
	return c
}
