// SPDX-License-Identifier: Apache-2.0

package features

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/component-base/featuregate"
)

func TestDefaults(t *testing.T) {
	gates := New()
	got := map[featuregate.Feature]bool{}
	for name := range gates.GetAll() {
		if name != "AllAlpha" && name != "AllBeta" {
			got[name] = gates.Enabled(name)
		}
	}
	want := map[featuregate.Feature]bool{
		MultiplePodTemplatesScheduling: true, StatefulFailoverInjection: true, GracefulEviction: true, Failover: true, PropagateDeps: true,
		PropagationPolicyPreemption: false, PriorityBasedScheduling: true, PriorityBasedPreemptiveScheduling: false, ControllerPriorityQueue: true, FederatedQuotaEnforcement: false, WorkloadAffinity: false, CustomizedClusterResourceModeling: true,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the names that users know, all on (-want +got):\n%s", diff)
	}
}

func TestSet(t *testing.T) {
	gates := New()
	if err := gates.Set("GracefulEviction=false"); err != nil {
		t.Fatal(err)
	}
	if gates.Enabled(GracefulEviction) || !gates.Enabled(StatefulFailoverInjection) {
		t.Error("a gate that is switched off stays on, or takes another with it")
	}
	if New().Enabled(GracefulEviction) == false {
		t.Error("two sets of gates share their values")
	}
	if err := gates.Set("Nonsense=true"); err == nil {
		t.Error("a gate that there is not can be set")
	}
}
