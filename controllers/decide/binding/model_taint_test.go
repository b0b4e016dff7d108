// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// TestModelOfTaints runs the histories of TestModel with clusters that are tainted, which
// the binding tolerates for some time, and with taints that go again.
func TestModelOfTaints(t *testing.T) {
	var evicted, reverted atomic.Int64
	runs := histories(t, func(seed uint64) string {
		m := &taintModel{model: newModel(seed), taints: map[string][]corev1.Taint{}}
		seconds := int64(seed % 3 * 30)
		m.b.Spec.Placement.ClusterTolerations = []corev1.Toleration{{Key: "down", Operator: "Exists", Effect: "NoExecute", TolerationSeconds: &seconds}}
		problem := m.run()
		evicted.Add(int64(m.evicted))
		reverted.Add(int64(m.reverted))
		return problem
	})
	t.Logf("%d histories with %d evictions, of which %d were taken back", runs, evicted.Load(), reverted.Load())
	if evicted.Load()*5 < int64(runs)*3 || reverted.Load()*5 < int64(runs) {
		t.Error("the histories do not show much: want 3 evictions and one taken back in 5 of them")
	}
}

type taintModel struct {
	*model
	taints            map[string][]corev1.Taint
	evicted, reverted int
}

func (m *taintModel) run() string {
	m.settle("begin")
	for range 60 {
		if m.random.IntN(4) > 0 {
			m.settle(m.event())
			continue
		}
		cluster := m.members[m.random.IntN(len(m.members))]
		if m.taints[cluster] == nil {
			m.taints[cluster] = []corev1.Taint{{Key: "down", Effect: corev1.TaintEffectNoExecute, TimeAdded: &metav1.Time{Time: m.now}}}
		} else {
			delete(m.taints, cluster)
		}
		m.settle(fmt.Sprintf("%s tainted %t", cluster, m.taints[cluster] != nil))
	}
	clear(m.taints)
	clear(m.cut)
	m.settle("no taints, and all clusters can be reached")
	return m.model.run(0)
}

// settle is that of the model with the controller of taints.
func (m *taintModel) settle(what string) {
	m.log = append(m.log, what)
	m.rest(m.member, m.failover, m.taint, m.assess, m.schedule, m.render)
}

// usable reports whether a cluster is there and has no taint.
func (m *taintModel) usable(cluster string) bool {
	return slices.Contains(m.members, cluster) && m.taints[cluster] == nil && !m.cut[cluster]
}

// taint evicts and takes back as the controller of clusters does.
func (m *taintModel) taint() {
	back, err := RevertTainted(m.b, m.usable)
	if err != nil {
		m.fail("revert: %v", err)
	}
	for _, cluster := range back {
		m.log = append(m.log, "  back to "+cluster)
		m.reverted++
		m.b.Generation++
	}
	for _, u := range FindUntolerated(&m.b.Spec, func(cluster string) []corev1.Taint { return m.taints[cluster] }, m.now) {
		if u.Due.After(m.now) {
			continue
		}
		state, pending := PendingState(m.b, u.Cluster)
		if c := m.copies[u.Cluster]; !pending && c != nil {
			state = State{Labels: map[string]string{"job": c.progress}}
			m.expected = c.progress
		}
		if err := Evict(m.b, Eviction{
			Cluster: u.Cluster, Reason: workv1alpha2.EvictionReasonTaintUntolerated, PurgeMode: policyv1alpha1.PurgeModeDirectly,
			State: state, Before: TargetNames(&m.b.Spec), Time: m.now,
		}); err != nil {
			m.fail("evict: %v", err)
		}
		m.b.Generation++
		m.evicted++
		m.log = append(m.log, "  evict "+u.Cluster+" because of a taint")
	}
}

// schedule chooses the first cluster that is usable and not excluded.
func (m *taintModel) schedule() {
	e := Excluded(m.b, m.now)
	for _, excluded := range []map[string]bool{e.Strict(), e.Clusters} {
		for _, cluster := range m.members {
			if len(m.b.Spec.Clusters) == 0 && !excluded[cluster] && m.usable(cluster) {
				m.b.Spec.Clusters = fixture.Targets(cluster)
				m.b.Generation++
				m.log = append(m.log, "  to "+cluster)
			}
		}
	}
	if len(m.b.Spec.Clusters) > 0 {
		m.b.Status.SchedulerObservedGeneration = m.b.Generation
	}
}
