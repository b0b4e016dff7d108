// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/test/fixture"
)

func TestWhyLost(t *testing.T) {
	preempts := prior(fixture.Policy("space", "preempts", byName), 3)
	preempts.GetSpec().Preemption = policyv1alpha1.PreemptAlways
	chosen := prior(fixture.Policy("space", "p", byName), 1)
	all := []policyv1alpha1.Policy{
		chosen,
		fixture.Policy("", "wide", byName),
		fixture.Policy("space", "low", byName),
		prior(fixture.Policy("space", "all", byAll), 1),
		prior(fixture.Policy("space", "q", byName), 1),
		prior(fixture.Policy("space", "high", byName), 2),
		preempts,
		ending(fixture.Policy("space", "ending", byName)),
		fixture.Policy("space", "other", fixture.Named(kind, "two")),
	}
	want := map[string]Cause{
		"wide": Scope, "low": Priority, "all": Selector, "q": Name, "high": Claimed, "preempts": Preempts,
		"ending": Deleting, "other": NotSelected,
	}
	got := map[string]Cause{}
	for _, lost := range WhyLost(all, fixture.Gadget("space", "one", nil), chosen) {
		got[lost.Policy.GetName()] = lost.Cause
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
