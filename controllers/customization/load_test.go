// SPDX-License-Identifier: Apache-2.0

package customization

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/internal/activation"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/engine"
)

func TestExisting(t *testing.T) {
	gone := aged("gone", 9)
	gone.DeletionTimestamp = &metav1.Time{}
	var names []string
	for _, cr := range existing([]configv1alpha1.ResourceInterpreterCustomization{*aged("b", 1), *aged("old", 9), *gone, *aged("a", 1)}) {
		names = append(names, cr.Name)
	}
	if diff := cmp.Diff([]string{"old", "a", "b"}, names); diff != "" {
		t.Errorf("the oldest first, of one second by name (-want +got):\n%s", diff)
	}
}

func TestLater(t *testing.T) {
	of := func(bytes int) *configv1alpha1.ResourceInterpreterCustomization {
		cr := aged("c", 1)
		cr.Spec.Customizations.Retention = &configv1alpha1.Script{LuaScript: strings.Repeat("x", bytes)}
		return cr
	}
	compiler := &engine.Compiler{}
	bound := compiler.MaxProgramMemory(of(50)) + compiler.MaxProgramMemory(of(49)) + compiler.MaxProgramMemory(of(1))
	i := engine.NewInterpreter(engine.Options{ProgramMemory: bound})
	c := New(base.Deps{Compiler: compiler, Activator: activation.New(i, &activation.Observer{}, nil)})
	cases := map[string]struct {
		reason string
		bytes  []int
		want   []time.Duration
	}{
		"None":   {"there is nothing", nil, []time.Duration{}},
		"Fits":   {"all fit, to the last byte", []int{50, 49, 1}, []time.Duration{0, 0, 0}},
		"Newest": {"the newest do not, and wait for all that is older", []int{50, 600, 1, 1}, []time.Duration{0, time.Hour, 2 * time.Hour, 3 * time.Hour}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var all []*configv1alpha1.ResourceInterpreterCustomization
			for _, bytes := range tc.bytes {
				all = append(all, of(bytes))
			}
			if diff := cmp.Diff(tc.want, c.later(all)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestInOrder(t *testing.T) {
	of := func(name string, bytes int, later time.Duration) attempt {
		cr := aged(name, 1)
		cr.Spec.Customizations.Retention = &configv1alpha1.Script{LuaScript: strings.Repeat("x", bytes)}
		return attempt{cr: cr, later: later}
	}
	var names []string
	for _, a := range inOrder([]attempt{of("long", 900, 0), of("late", 1, time.Hour), of("old", 5, 0), of("young", 5, 0), of("short", 2, 0)}) {
		names = append(names, a.cr.Name)
	}
	if diff := cmp.Diff([]string{"short", "old", "young", "long", "late"}, names); diff != "" {
		t.Errorf("the shortest first, then the oldest, and last what may not fit (-want +got):\n%s", diff)
	}
}

func TestExpectedCountsBothLanguages(t *testing.T) {
	cr := aged("c", 1)
	cr.Spec.Customizations.Retention = &configv1alpha1.Script{LuaScript: strings.Repeat("x", 100)}
	cr.Spec.Customizations.HealthInterpretation = &configv1alpha1.Script{CELExpression: strings.Repeat("x", 300)}
	if got, want := expected(cr), 500*time.Microsecond; got != want {
		t.Errorf("got %s; want %s", got, want)
	}
}
