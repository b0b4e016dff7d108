// SPDX-License-Identifier: Apache-2.0

package template

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/claim"
	"github.com/dragoman-io/dragoman/controllers/decide/selection"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/test/fixture"
)

func TestDeferred(t *testing.T) {
	for _, tc := range []struct {
		reason   string
		eager    bool
		exists   bool
		bound    string // the fingerprint on the binding
		deferred string // that on the template
		claimed  bool
		edited   bool
		want     bool
	}{
		{reason: "an eager policy defers nothing", eager: true},
		{reason: "a template that was there before the policy waits", want: true},
		{reason: "one that came after it does not", edited: true},
		{reason: "one that waits goes on waiting", claimed: true, deferred: "now", want: true},
		{reason: "also if somebody wrote its claim again", claimed: true, deferred: "now", edited: true, want: true},
		{reason: "until its content changes", claimed: true, deferred: "before"},
		{reason: "one that was bound, and lost its binding, is bound again", claimed: true},
		{reason: "an unchanged template keeps its binding as it is", exists: true, bound: "now", claimed: true, want: true},
		{reason: "whoever had claimed it", exists: true, bound: "now", want: true},
		{reason: "a changed one does not", exists: true, bound: "before", claimed: true},
		{reason: "a binding of another control plane is taken as it is", exists: true, claimed: true, want: true},
		{reason: "unless its template changes", exists: true, claimed: true, edited: true},
	} {
		p := fixture.Policy("space", "p")
		if !tc.eager {
			p.GetSpec().ActivationPreference = policyv1alpha1.LazyActivation
		}
		p.SetLabels(map[string]string{policyv1alpha1.PropagationPolicyPermanentIDLabel: "id"})
		a := &applying{object: fixture.Gadget("space", "one", nil), policy: p, exists: tc.exists, fingerprint: "now", edited: tc.edited}
		a.binding = fixture.Binding(a.object)
		if tc.bound != "" {
			base.SetAnnotation(a.binding, workv1alpha2.TemplateFingerprintAnnotation, tc.bound)
		}
		if tc.claimed {
			claim.Of(p).Set(a.object)
		}
		if tc.deferred != "" {
			base.SetAnnotation(a.object, claim.DeferredAnnotation, tc.deferred)
		}
		if got := deferred(a); got != tc.want {
			t.Errorf("%s: deferred is %t, want %t", tc.reason, got, tc.want)
		}
	}
}

func TestCreatedSince(t *testing.T) {
	second := func(n int64) metav1.Time { return metav1.Time{Time: time.Unix(n, 0)} }
	for _, tc := range []struct {
		reason           string
		template, policy int64
		version, since   string
		want             bool
	}{
		{"a later second", 8, 7, "1", "2", true},
		{"an earlier second", 7, 8, "2", "1", false},
		{"a later version in the same second", 7, 7, "10", "9", true},
		{"an earlier version in the same second", 7, 7, "9", "10", false},
		{"the same second, and the policy was there at the start", 7, 7, "9", "", true},
		{"the same second, and versions that are no numbers", 7, 7, "b", "a", false},
	} {
		object, p := fixture.Gadget("space", "one", nil), fixture.Policy("space", "p")
		object.SetCreationTimestamp(second(tc.template))
		object.SetResourceVersion(tc.version)
		p.SetCreationTimestamp(second(tc.policy))
		if got := createdSince(object, []selection.Candidate{{Policy: p, Since: tc.since}}, p); got != tc.want {
			t.Errorf("%s: createdSince is %t, want %t", tc.reason, got, tc.want)
		}
	}
}
