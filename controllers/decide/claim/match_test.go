// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/decide/selector"
	"github.com/dragoman-io/dragoman/test/fixture"
)

var (
	kind    = fixture.GadgetKind
	byName  = fixture.Named(kind, "one")
	byLabel = fixture.Labelled(kind, "app", "one")
	byAll   = fixture.All(kind)
)

// prior returns a policy a priority.
func prior(p policyv1alpha1.Policy, priority int32) policyv1alpha1.Policy {
	p.GetSpec().Priority = &priority
	return p
}

// ending marks a policy as being deleted.
func ending(p policyv1alpha1.Policy) policyv1alpha1.Policy {
	p.SetDeletionTimestamp(&metav1.Time{Time: time.Unix(1, 0)})
	return p
}

func TestSelects(t *testing.T) {
	cases := map[string]struct {
		reason string
		policy policyv1alpha1.Policy
		want   selector.Specificity
	}{
		"Closest": {
			reason: "the closest of its selectors counts, wherever it stands",
			policy: fixture.Policy("space", "p", byAll, byName, byLabel), want: selector.MatchName,
		},
		"OtherNamespace": {
			reason: "a namespaced policy sees only its own namespace",
			policy: fixture.Policy("elsewhere", "p", byName),
		},
		"Wide": {
			reason: "a cluster-wide policy sees every namespace",
			policy: fixture.Policy("", "p", byName), want: selector.MatchName,
		},
		"None": {
			reason: "without selectors it selects nothing",
			policy: fixture.Policy("space", "p"),
		},
	}
	object := fixture.Gadget("space", "one", nil)
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := selects(tc.policy, object)
			if err != nil || got != tc.want {
				t.Errorf("%s: selects = %d, %v; want %d", tc.reason, got, err, tc.want)
			}
		})
	}
}

func TestChoose(t *testing.T) {
	broken := byAll
	broken.LabelSelector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "app", Operator: "Like"}}}
	policy, wide := fixture.Policy, func(name string, s ...policyv1alpha1.ResourceSelector) policyv1alpha1.Policy {
		return fixture.Policy("", name, s...)
	}
	cases := map[string]struct {
		reason   string
		policies []policyv1alpha1.Policy
		want     string
	}{
		"NamespacedFirst": {
			reason:   "a namespaced policy beats a cluster-wide one, whatever the priority",
			policies: []policyv1alpha1.Policy{prior(wide("wide", byName), 100), prior(policy("space", "near", byAll), -100)},
			want:     "near",
		},
		"Priority": {
			reason:   "the higher priority beats the closer selector",
			policies: []policyv1alpha1.Policy{policy("space", "named", byName), prior(policy("space", "high", byAll), 1)},
			want:     "high",
		},
		"NoPriorityIsZero": {
			reason:   "a nil priority is 0 and beats a negative one",
			policies: []policyv1alpha1.Policy{prior(policy("space", "low", byName), -1), policy("space", "none", byAll)},
			want:     "none",
		},
		"NameBeatsLabels": {
			reason:   "of equal priority the name beats labels",
			policies: []policyv1alpha1.Policy{policy("space", "a", byLabel), policy("space", "b", byName)},
			want:     "b",
		},
		"LabelsBeatAll": {
			reason:   "and labels beat all",
			policies: []policyv1alpha1.Policy{policy("space", "a", byAll), policy("space", "b", byLabel)},
			want:     "b",
		},
		"SmallerName": {
			reason:   "of equally close ones the smaller name is taken, in whatever order they come",
			policies: []policyv1alpha1.Policy{policy("space", "b", byName), policy("space", "a", byName), policy("space", "c", byName)},
			want:     "a",
		},
		"Deleting": {
			reason:   "a policy that is being deleted is passed over",
			policies: []policyv1alpha1.Policy{ending(prior(policy("space", "a", byName), 9)), policy("space", "b", byAll)},
			want:     "b",
		},
		"OnlyDeleting": {
			reason:   "even where there is no other",
			policies: []policyv1alpha1.Policy{ending(policy("space", "a", byName))},
		},
		"Broken": {
			reason:   "a policy that cannot be read is passed over",
			policies: []policyv1alpha1.Policy{policy("space", "a", broken), wide("b", byAll)},
			want:     "b",
		},
		"NoneSelects": {
			reason:   "a policy that does not select the object is none",
			policies: []policyv1alpha1.Policy{policy("space", "a", fixture.Named(kind, "two")), policy("elsewhere", "b", byName)},
		},
		"None": {reason: "without policies there is none"},
	}
	object := fixture.Gadget("space", "one", nil)
	object.SetLabels(map[string]string{"app": "one"})
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := ""
			if p := bestPolicy(tc.policies, object); p != nil {
				got = p.GetName()
			}
			if got != tc.want {
				t.Errorf("%s: chose %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}
