// SPDX-License-Identifier: Apache-2.0

package template

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/script"
	"github.com/dragoman-io/dragoman/test/fixture"
)

func TestSuspension(t *testing.T) {
	dispatching := policyv1alpha1.Suspension{Dispatching: ptr.To(true)}
	cases := map[string]struct {
		reason string
		old    *workv1alpha2.Suspension
		policy *policyv1alpha1.Suspension
		want   *workv1alpha2.Suspension
	}{
		"Nothing": {reason: "nobody suspends anything"},
		"Policy": {
			reason: "the policy's part is taken",
			policy: &dispatching, want: &workv1alpha2.Suspension{Suspension: dispatching},
		},
		"Scheduling": {
			reason: "what others said about scheduling stays",
			old:    &workv1alpha2.Suspension{Scheduling: ptr.To(true)}, want: &workv1alpha2.Suspension{Scheduling: ptr.To(true)},
		},
		"SchedulingFalse": {
			reason: "also when they said that it is not suspended",
			old:    &workv1alpha2.Suspension{Scheduling: ptr.To(false)}, want: &workv1alpha2.Suspension{Scheduling: ptr.To(false)},
		},
		"Both": {
			reason: "the two parts stand side by side",
			old:    &workv1alpha2.Suspension{Scheduling: ptr.To(true)}, policy: &dispatching,
			want: &workv1alpha2.Suspension{Suspension: dispatching, Scheduling: ptr.To(true)},
		},
		"PolicyEnds": {
			reason: "the policy's part goes with the policy's word",
			old:    &workv1alpha2.Suspension{Suspension: dispatching},
		},
		"PolicyEndsSchedulingStays": {
			reason: "and leaves the other part",
			old:    &workv1alpha2.Suspension{Suspension: dispatching, Scheduling: ptr.To(true)},
			want:   &workv1alpha2.Suspension{Scheduling: ptr.To(true)},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, suspension(tc.old, tc.policy)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestRefer(t *testing.T) {
	object := fixture.Gadget("space", "one", map[string]any{"replicas": int64(1)})
	object.SetUID("uid")
	object.SetResourceVersion("1")
	b := fixture.Binding(object)
	if err := setReference(b, object); err != nil {
		t.Fatal(err)
	}
	steps := []struct {
		reason  string
		version string
		change  func()
		want    string
	}{
		{"a status write does not move the version", "2", func() { object.Object["status"] = map[string]any{"ok": true} }, "1"},
		{"nor does what the API server keeps", "3", func() { object.SetGeneration(7) }, "1"},
		{"a new spec does", "4", func() { object.Object["spec"] = map[string]any{"replicas": int64(2)} }, "4"},
		{"a new label does", "5", func() { object.SetLabels(map[string]string{"a": "b"}) }, "5"},
		{"another object of the same name does", "6", func() { object.SetUID("other") }, "6"},
	}
	for _, step := range steps {
		step.change()
		object.SetResourceVersion(step.version)
		if err := setReference(b, object); err != nil {
			t.Fatal(err)
		}
		if got := b.GetSpec().Resource.ResourceVersion; got != step.want {
			t.Errorf("%s: the binding refers to version %s, want %s", step.reason, got, step.want)
		}
	}
}

// program is none that runs.
type program struct{ script.Program }

func (program) Size() int64 { return 0 }

func TestIndivisible(t *testing.T) {
	kind := fixture.Gadget("space", "one", nil).GroupVersionKind()
	one, three := workv1alpha2.Component{Name: "a", Replicas: 1}, workv1alpha2.Component{Name: "b", Replicas: 3}
	for _, tc := range []struct {
		reason     string
		components []workv1alpha2.Component
		operations []engine.Op
		want       bool
	}{
		{"without components nothing must stay together", nil, []engine.Op{engine.InterpretReplica}, false},
		{"several components stay together", []workv1alpha2.Component{one, three}, []engine.Op{engine.InterpretReplica, engine.ReviseReplica}, true},
		{"one that can be divided need not", []workv1alpha2.Component{three}, []engine.Op{engine.InterpretReplica, engine.ReviseReplica}, false},
		{"one of several pods that cannot must", []workv1alpha2.Component{three}, []engine.Op{engine.InterpretReplica}, true},
		{"one pod is never divided", []workv1alpha2.Component{one}, []engine.Op{engine.InterpretReplica}, false},
		{"what has no replicas goes to every cluster that is chosen", []workv1alpha2.Component{three}, nil, false},
	} {
		rules := engine.Rules{}
		for _, operation := range tc.operations {
			rules[operation] = &engine.Rule{Program: program{}}
		}
		i := engine.NewInterpreter(engine.Options{})
		if err := i.Set(engine.Embedded, engine.RuleSet{Name: "gadgets", Kinds: map[schema.GroupVersionKind]engine.Rules{kind: rules}}); err != nil {
			t.Fatal(err)
		}
		if got := indivisible(i.Snapshot(), kind, tc.components); got != tc.want {
			t.Errorf("%s: indivisible is %t, want %t", tc.reason, got, tc.want)
		}
	}
}
