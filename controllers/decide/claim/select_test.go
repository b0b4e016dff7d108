// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/test/fixture"
)

func TestSelectKeepsTheClaim(t *testing.T) {
	object := fixture.Gadget("space", "one", nil)
	policy := func(id string, s policyv1alpha1.ResourceSelector) policyv1alpha1.Policy {
		p := fixture.Policy("space", id, s)
		p.SetLabels(map[string]string{policyv1alpha1.PropagationPolicyPermanentIDLabel: id})
		return p
	}
	near, far, other := policy("near", byName), policy("far", byAll), policy("other", fixture.Named(kind, "two"))
	gone := policy("gone", byAll)
	gone.SetDeletionTimestamp(&metav1.Time{Time: time.Unix(1, 0)})
	all := []policyv1alpha1.Policy{near, far, other, gone}
	for claimed, want := range map[policyv1alpha1.Policy]string{nil: "near", near: "near", far: "far", other: "near", gone: "near"} {
		o, name := object.DeepCopy(), "nobody"
		if claimed != nil {
			Of(claimed).Set(o)
			name = claimed.GetName()
		}
		if got := Select(all, o, false).Policy; got.GetName() != want {
			t.Errorf("a template that %s claimed goes by %s, want %s", name, got.GetName(), want)
		}
	}
	if got := Select([]policyv1alpha1.Policy{other}, object, false).Policy; got != nil {
		t.Errorf("a template that nobody selects goes by %s", got.GetName())
	}
}

func TestSelectByNameAndNotByID(t *testing.T) {
	object := fixture.Gadget("space", "one", nil)
	victim, thief := fixture.Policy("space", "victim", byAll), fixture.Policy("space", "thief", byName)
	for _, p := range []policyv1alpha1.Policy{victim, thief} {
		p.SetLabels(map[string]string{policyv1alpha1.PropagationPolicyPermanentIDLabel: "same"})
	}
	Of(victim).Set(object)
	if got := Select([]policyv1alpha1.Policy{thief, victim}, object, false).Policy; got != victim {
		t.Errorf("a template of victim goes by %s, which copied its id", got.GetName())
	}
}

func TestSelectPreempts(t *testing.T) {
	always := func(p policyv1alpha1.Policy) policyv1alpha1.Policy {
		p.GetSpec().Preemption = policyv1alpha1.PreemptAlways
		return p
	}
	near := func(name string, by policyv1alpha1.ResourceSelector, priority int32) policyv1alpha1.Policy {
		return prior(fixture.Policy("space", name, by), priority)
	}
	wide := func(name string, by policyv1alpha1.ResourceSelector, priority int32) policyv1alpha1.Policy {
		return prior(fixture.Policy("", name, by), priority)
	}
	held, heldWide := near("held", byAll, 2), wide("held", byAll, 2)
	cases := map[string]struct {
		reason string
		holder policyv1alpha1.Policy
		others []policyv1alpha1.Policy
		off    bool
		want   string
	}{
		"Higher":        {"a higher priority preempts", held, []policyv1alpha1.Policy{always(near("p", byName, 3))}, false, "p"},
		"Off":           {"without the gate nothing does", held, []policyv1alpha1.Policy{always(near("p", byName, 3))}, true, "held"},
		"Equal":         {"an equal one does not", held, []policyv1alpha1.Policy{always(near("p", byName, 2))}, false, "held"},
		"Never":         {"nor does one that does not want to", held, []policyv1alpha1.Policy{near("p", byName, 3)}, false, "held"},
		"Unnamed":       {"nor one that does not name the template", held, []policyv1alpha1.Policy{always(near("p", byLabel, 3)), always(near("q", byAll, 9))}, false, "held"},
		"Ending":        {"nor one that is being deleted", held, []policyv1alpha1.Policy{ending(always(near("p", byName, 3)))}, false, "held"},
		"Highest":       {"the highest of several does", held, []policyv1alpha1.Policy{always(near("p", byName, 3)), always(near("q", byName, 5)), always(near("r", byName, 4))}, false, "q"},
		"OverWide":      {"a namespaced one preempts a cluster-wide one of any priority", heldWide, []policyv1alpha1.Policy{always(near("p", byName, -7))}, false, "p"},
		"WideOverWide":  {"a cluster-wide one preempts by priority", heldWide, []policyv1alpha1.Policy{always(wide("p", byName, 3))}, false, "p"},
		"WideEqual":     {"and not at an equal one", heldWide, []policyv1alpha1.Policy{always(wide("p", byName, 2))}, false, "held"},
		"WideOverNear":  {"a cluster-wide one never preempts a namespaced one", held, []policyv1alpha1.Policy{always(wide("p", byName, 9))}, false, "held"},
		"NearOverWider": {"of both kinds the namespaced one preempts", heldWide, []policyv1alpha1.Policy{always(wide("p", byName, 9)), always(near("q", byName, 0))}, false, "q"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			object := fixture.Gadget("space", "one", nil)
			tc.holder.SetLabels(map[string]string{
				policyv1alpha1.PropagationPolicyPermanentIDLabel: "id", policyv1alpha1.ClusterPropagationPolicyPermanentIDLabel: "id",
			})
			Of(tc.holder).Set(object)
			got := Select(append(tc.others, tc.holder), object, !tc.off)
			if got.Policy.GetName() != tc.want {
				t.Errorf("%s: the template goes by %s, want %s", tc.reason, got.Policy.GetName(), tc.want)
			}
			if preempted := got.Preempted != nil; preempted != (tc.want != "held") {
				t.Errorf("%s: preempted is %t", tc.reason, preempted)
			}
		})
	}
}
