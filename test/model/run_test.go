// SPDX-License-Identifier: Apache-2.0

package model

import (
	"fmt"
	"math/rand/v2"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/test/fixture"
)

type typesUID = types.UID

// gadget is the application.
var gadget = fixture.Gadget("space", "one", nil)

// run is one run of a history.
type run struct {
	history
	world
	plane
	ledger

	// templateVersion is that of the template, bad one that cannot become healthy.
	template int
	bad      bool
	// created counts Works.
	created int
	// blockedSince and unreadSince are what rendering remembers until a restart.
	blockedSince, unreadSince time.Time
	// trials are the questions to clusters whether they would take a new copy, until a restart.
	trials map[string]*trial

	tells   bool
	log     []string
	failure string
}

// newRun returns a run at its beginning. One that tells keeps a log.
func newRun(h history, tells bool) *run {
	m := &run{history: h, world: newWorld(), ledger: newLedger(), template: 1, tells: tells, trials: map[string]*trial{}, plane: plane{
		now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), works: map[string]*workv1alpha1.Work{}, clusters: map[string]*clusterv1alpha1.Cluster{},
		queued: map[string]bool{}, begun: map[string]*turn{}, timers: map[string]time.Time{}, random: rand.New(rand.NewPCG(0, 0)),
	}}
	m.b = fixture.Binding(gadget).(*workv1alpha2.ResourceBinding)
	m.b.ResourceVersion, m.b.Generation, m.b.Spec.Resource.ResourceVersion = "0", 1, "1"
	m.b.Spec.Failover, m.b.Spec.Replicas = wellFailover(), 2
	n := h.profile.copies()
	m.b.Spec.Placement = &policyv1alpha1.Placement{SpreadConstraints: []policyv1alpha1.SpreadConstraint{{
		SpreadByField: policyv1alpha1.SpreadByFieldCluster, MinGroups: n, MaxGroups: n,
	}}}
	if h.profile == divided {
		m.b.Spec.ReplicaRequirements = &workv1alpha2.ReplicaRequirements{ResourceRequest: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1")}}
		m.b.Spec.Placement = &policyv1alpha1.Placement{ReplicaScheduling: &policyv1alpha1.ReplicaSchedulingStrategy{
			ReplicaSchedulingType: policyv1alpha1.ReplicaSchedulingTypeDivided, ReplicaDivisionPreference: policyv1alpha1.ReplicaDivisionPreferenceAggregated,
		}}
	}
	m.b.Spec.Placement.ClusterTolerations = tolerations()
	m.join()
	m.enqueue(everyone()...)
	return m
}

// problem runs the history, and returns what went wrong, or "".
func (m *run) problem() string {
	m.rest()
	for _, e := range m.events {
		if m.failure != "" {
			break
		}
		m.random = rand.New(rand.NewPCG(e.order, 1))
		m.happen(e)
		m.world.evolve()
		if e.rests {
			m.rest()
		}
	}
	m.end()
	return m.failure
}

// end mends everything, and waits for as long as a failure is remembered.
func (m *run) end() {
	if m.failure != "" {
		return
	}
	m.mend()
	m.rest()
	for range 10 {
		for _, cluster := range memberNames {
			m.confirm(cluster)
		}
		m.pass(50*time.Minute, true)
		m.enqueue("failover") // what is too long ago is forgotten at the next event
		m.rest()
	}
	m.atEnd()
}

func (m *run) fail(format string, args ...any) {
	if m.failure == "" {
		m.failure = fmt.Sprintf(format, args...)
		m.note("FAILED")
	}
}

func (m *run) must(err error) {
	if err != nil {
		m.fail("%v", err)
	}
}

// note adds a line to the log of a run that tells.
func (m *run) note(format string, args ...any) {
	if m.tells {
		m.log = append(m.log, fmt.Sprintf("%9s ", m.now.Sub(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)))+fmt.Sprintf(format, args...))
	}
}

// summary is what a cluster has to give: room for the whole application, or none.
func summary(full bool) *clusterv1alpha1.ResourceSummary {
	list := func(cpu, pods string) corev1.ResourceList {
		return corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourcePods: resource.MustParse(pods)}
	}
	s := &clusterv1alpha1.ResourceSummary{Allocatable: list("2", "110"), Allocated: list("0", "0")}
	if full {
		s.Allocated = list("2", "2")
	}
	return s
}
