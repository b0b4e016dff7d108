// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dragoman-io/dragoman/api/names"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// observer passes the changes of the store that matter on to a ledger: the copies in the
// members, what the control plane reports of them, and its lease.
type observer struct {
	ledger *ledger
	// hub is the name of the control plane in the store.
	hub string
}

// gadget is what matters of a copy.
type gadget struct {
	Metadata struct {
		UID    types.UID         `json:"uid"`
		Labels map[string]string `json:"labels"`
	} `json:"metadata"`
	Status gadgetStatus `json:"status"`
}

// gadgetStatus is the status of a copy, in a member and as it is reported.
type gadgetStatus struct {
	OK  bool   `json:"ok"`
	Job string `json:"job"`
}

// take handles one change. Keys are /CLUSTER/GROUP/RESOURCE/NAMESPACE/NAME.
func (o *observer) take(c change) {
	parts := strings.Split(strings.TrimPrefix(c.key, "/"), "/")
	at := moment{c.revision, c.seen}
	if parts[0] == o.hub && parts[len(parts)-1] == "dragoman-manager" && strings.Contains(c.key, "/leases/") {
		o.ledger.led(at)
	}
	if len(parts) != 5 {
		return
	}
	cluster, resource, space, name := parts[0], parts[2], parts[3], parts[4]
	switch {
	case resource == gadgets.Resource && cluster != o.hub && space == namespace:
		o.copy(cluster, name, c, at)
	case cluster != o.hub || c.value == nil:
	case resource == "resourcebindings" && space == namespace:
		o.binding(c, at)
	case resource == "works":
		if member, ok := names.Cluster(space); ok {
			o.work(member, c, at)
		}
	}
}

func (o *observer) copy(member, name string, c change, at moment) {
	if c.value == nil {
		o.ledger.gone(at, member, name)
		return
	}
	g := &gadget{}
	if err := json.Unmarshal(c.value, g); err != nil {
		o.ledger.misread(c.key, err)
		return
	}
	o.ledger.saw(at, member, name, sight{uid: g.Metadata.UID, state: g.Metadata.Labels[jobLabel], mode: g.Metadata.Labels[modeLabel], ok: g.Status.OK, job: g.Status.Job})
}

func (o *observer) binding(c change, at moment) {
	b := &workv1alpha2.ResourceBinding{}
	if err := json.Unmarshal(c.value, b); err != nil {
		o.ledger.misread(c.key, err)
		return
	}
	var targets []string
	for i := range b.Spec.Clusters {
		targets = append(targets, b.Spec.Clusters[i].Name)
	}
	o.ledger.bound(at, b.Spec.Resource.Name, targets)
	for i := range b.Status.AggregatedStatus {
		item := &b.Status.AggregatedStatus[i]
		o.ledger.reported(byBinding, b.Spec.Resource.Name, item.ClusterName, reportOf(item.Status, item.Health))
	}
}

func (o *observer) work(member string, c change, at moment) {
	w := &workv1alpha1.Work{}
	if err := json.Unmarshal(c.value, w); err != nil {
		o.ledger.misread(c.key, err)
		return
	}
	for i := range w.Status.ManifestStatuses {
		m := &w.Status.ManifestStatuses[i]
		if m.Identifier.Kind == fixture.GadgetKind.Kind && m.Identifier.Namespace == namespace {
			o.ledger.reported(byWork, m.Identifier.Name, member, reportOf(m.Status, m.Health))
		}
	}
}

// report is what the control plane has stored of a copy.
type report struct {
	job  string
	well bool
}

func reportOf(raw *runtime.RawExtension, health workv1alpha2.ResourceHealth) report {
	s := gadgetStatus{}
	if raw != nil {
		_ = json.Unmarshal(raw.Raw, &s) // what cannot be read reports no job
	}
	return report{job: s.Job, well: health == workv1alpha2.ResourceHealthy}
}
