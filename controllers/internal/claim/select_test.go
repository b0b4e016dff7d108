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
		if got := Select(all, o); got.GetName() != want {
			t.Errorf("a template that %s claimed goes by %s, want %s", name, got.GetName(), want)
		}
	}
	if got := Select([]policyv1alpha1.Policy{other}, object); got != nil {
		t.Errorf("a template that nobody selects goes by %s", got.GetName())
	}
}
