// SPDX-License-Identifier: Apache-2.0

package demand

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime/schema"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/script"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// requests returns requirements of so much CPU.
func requests(cpu string) *workv1alpha2.ReplicaRequirements {
	return &workv1alpha2.ReplicaRequirements{ResourceRequest: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu)}}
}

func TestEqual(t *testing.T) {
	base := Demand{Replicas: 2, Requirements: requests("1")}
	parts := Demand{Components: []workv1alpha2.Component{{Name: "a", Replicas: 1}}}
	for _, tc := range []struct {
		reason string
		a, b   Demand
		want   bool
	}{
		{"the same", base, Demand{Replicas: 2, Requirements: requests("1")}, true},
		{"a quantity may be written in several ways", base, Demand{Replicas: 2, Requirements: requests("1000m")}, true},
		{"more replicas", base, Demand{Replicas: 3, Requirements: requests("1")}, false},
		{"more of a resource", base, Demand{Replicas: 2, Requirements: requests("2")}, false},
		{"no requirements any more", base, Demand{Replicas: 2}, false},
		{"components in place of replicas", base, parts, false},
		{"more of a component", parts, Demand{Components: []workv1alpha2.Component{{Name: "a", Replicas: 2}}}, false},
		{"no pods", Demand{}, In(&workv1alpha2.ResourceBindingSpec{}), true},
	} {
		if got := tc.a.Equal(tc.b); got != tc.want {
			t.Errorf("%s: Equal is %t, want %t", tc.reason, got, tc.want)
		}
		var spec workv1alpha2.ResourceBindingSpec
		if tc.a.Set(&spec); !In(&spec).Equal(tc.a) {
			t.Errorf("%s: a binding returns %+v of %+v", tc.reason, In(&spec), tc.a)
		}
	}
}

func TestSetNamesTheNamespace(t *testing.T) {
	elsewhere := requests("1")
	elsewhere.Namespace = "elsewhere"
	for _, tc := range []struct {
		reason, namespace string
		needs             *workv1alpha2.ReplicaRequirements
		want              string
	}{
		{"the namespace is that of the template", "team", requests("1"), "team"},
		{"a script may name another", "team", elsewhere, "elsewhere"},
		{"a template without a namespace has none", "", requests("1"), ""},
	} {
		spec := workv1alpha2.ResourceBindingSpec{Resource: workv1alpha2.ObjectReference{Namespace: tc.namespace}}
		was := tc.needs.DeepCopy()
		demand := Demand{Replicas: 1, Requirements: tc.needs}
		if demand.Set(&spec); spec.ReplicaRequirements.Namespace != tc.want {
			t.Errorf("%s: the requirements name %q, want %q", tc.reason, spec.ReplicaRequirements.Namespace, tc.want)
		}
		if !demand.Equal(In(&spec)) || !In(&spec).Equal(demand) {
			t.Errorf("%s: the binding does not need what was written into it", tc.reason)
		}
		if tc.needs.Namespace != was.Namespace {
			t.Errorf("%s: the answer of the script was changed to %v", tc.reason, tc.needs)
		}
	}
	spec := workv1alpha2.ResourceBindingSpec{Resource: workv1alpha2.ObjectReference{Namespace: "team"}}
	if (Demand{Replicas: 1}).Set(&spec); spec.ReplicaRequirements != nil {
		t.Errorf("what needs nothing has the requirements %v", spec.ReplicaRequirements)
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
