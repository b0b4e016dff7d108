// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/test/fixture"
)

func TestAlong(t *testing.T) {
	of := func(namespace, name string) workv1alpha2.Binding {
		return fixture.Binding(fixture.Gadget(namespace, name, nil))
	}
	going := of("space", "going")
	going.SetDeletionTimestamp(&metav1.Time{Time: now})
	many := make([]workv1alpha2.Binding, MostAlong+1)
	for i := range many {
		many[i] = of("space", fmt.Sprint("many-", i))
	}
	noted := []Reference{{APIVersion: "v1", Kind: "Secret", Name: "noted"}}
	known := Reference{APIVersion: of("space", "b").GetSpec().Resource.APIVersion, Kind: of("space", "b").GetSpec().Resource.Kind, Name: "b"}
	for name, tc := range map[string]struct {
		reason   string
		noted    []Reference
		ofPolicy []workv1alpha2.Binding
		want     string
		tooMany  bool
	}{
		"Nothing":   {"a workload alone has its dependencies", noted, []workv1alpha2.Binding{of("space", "one")}, "noted", false},
		"Beside":    {"what the policy selects beside it goes along", noted, []workv1alpha2.Binding{of("space", "one"), of("space", "a"), of("space", "b")}, "noted a b", false},
		"Workloads": {"but no other workload", nil, []workv1alpha2.Binding{of("space", "runs"), of("space", "a")}, "a", false},
		"Elsewhere": {"nor what is in another namespace", nil, []workv1alpha2.Binding{of("other", "a")}, "", false},
		"Going":     {"nor what is being deleted", nil, []workv1alpha2.Binding{going, of("space", "a")}, "a", false},
		"Twice":     {"a dependency is not in it twice", []Reference{known}, []workv1alpha2.Binding{of("space", "b")}, "b", false},
		"Most":      {"a hundred go along", nil, many[:MostAlong], strings.TrimSpace(strings.Join(templateNames(many[:MostAlong]), " ")), false},
		"TooMany":   {"more are no application", noted, many, "noted", true},
	} {
		t.Run(name, func(t *testing.T) {
			runs := func(b workv1alpha2.Binding) bool { return b.GetSpec().Resource.Name == "runs" }
			all, fits := Along(of("space", "one"), tc.ofPolicy, runs, tc.noted)
			var got []string
			for _, r := range all {
				got = append(got, r.Name)
			}
			if strings.Join(got, " ") != tc.want || fits == tc.tooMany {
				t.Errorf("%s: got %v, fits %t; want %q", tc.reason, got, fits, tc.want)
			}
		})
	}
}

func templateNames(all []workv1alpha2.Binding) (names []string) {
	for _, b := range all {
		names = append(names, b.GetSpec().Resource.Name)
	}
	return names
}

func TestTakesAlong(t *testing.T) {
	b := fixture.Binding(fixture.Gadget("space", "one", nil))
	SetMoved(b, false)
	SetMoved(b, true)
	if TakesAlong(b) {
		t.Error("nothing goes along where the policy has no application failover")
	}
	b.GetSpec().Failover = &policyv1alpha1.FailoverBehavior{Application: &policyv1alpha1.ApplicationFailoverBehavior{}}
	if !TakesAlong(b) {
		t.Error("what was moved takes along what is beside it")
	}
	SetMoved(b, false)
	if _, noted := b.GetAnnotations()[MovedAnnotation]; noted || TakesAlong(b) {
		t.Error("the note is taken away")
	}
}
