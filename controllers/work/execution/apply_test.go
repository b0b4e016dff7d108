// SPDX-License-Identifier: Apache-2.0

package execution

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/test/fixture"
)

var (
	configMaps    = schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}
	namespaceKind = schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}
)

// object makes a ConfigMap with labels, annotations and further fields.
func object(labels, annotations map[string]string, fields map[string]any) *unstructured.Unstructured {
	o := fixture.Object(configMaps, "ns", "c", fields)
	o.SetLabels(labels)
	o.SetAnnotations(annotations)
	return o
}

func TestOverlay(t *testing.T) {
	type m = map[string]string
	cases := map[string]struct {
		reason            string
		observed, desired m
		recorded          string
		want              m
	}{
		"Nothing":  {reason: "no keys make no map"},
		"New":      {reason: "what is wanted is set", desired: m{"a": "1"}, want: m{"a": "1"}},
		"Foreign":  {reason: "what others put there stays", observed: m{"b": "2"}, desired: m{"a": "1"}, recorded: "a", want: m{"a": "1", "b": "2"}},
		"Changed":  {reason: "what we want goes before what is there", observed: m{"a": "2"}, desired: m{"a": "1"}, want: m{"a": "1"}},
		"Dropped":  {reason: "what we once wrote and do not want goes", observed: m{"a": "1", "b": "2"}, recorded: "a,c", want: m{"b": "2"}},
		"Returned": {reason: "a recorded key that is wanted stays", observed: m{"a": "2"}, desired: m{"a": "1"}, recorded: "a", want: m{"a": "1"}},
		"Last":     {reason: "no keys left make no map", observed: m{"a": "1"}, recorded: "a"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, overlay(tc.observed, tc.desired, tc.recorded)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestJudge(t *testing.T) {
	work := func(name string) types.NamespacedName {
		return types.NamespacedName{Namespace: "karmada-es-one", Name: name}
	}
	ours := marks{managed: true, owner: "me", work: work("w")}
	cases := map[string]struct {
		reason string
		found  marks
		want   verdict
	}{
		"Own":            {reason: "it was written for this Work", found: ours, want: mine},
		"OfThePeer":      {reason: "the peer names no owner", found: marks{managed: true, work: work("w")}, want: mine},
		"WithoutLabel":   {reason: "someone took the label off; it is put back", found: marks{owner: "me", work: work("w")}, want: mine},
		"WithoutWork":    {reason: "an object of before the annotations is adopted", found: marks{managed: true}, want: mine},
		"Unmanaged":      {reason: "somebody made it", want: foreign},
		"OtherWork":      {reason: "another Work made it", found: marks{managed: true, owner: "me", work: work("v")}, want: ofWork},
		"OtherNamespace": {reason: "the namespace of the Work counts too", found: marks{managed: true, work: types.NamespacedName{Namespace: "karmada-es-two", Name: "w"}}, want: ofWork},
		"OtherOwner":     {reason: "two control planes may have a Work of one name", found: marks{managed: true, owner: "you", work: work("w")}, want: ofOwner},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := judge(ours, tc.found); got != tc.want {
				t.Errorf("%s: judge() = %d, want %d", tc.reason, got, tc.want)
			}
		})
	}
}

func TestAppliedCondition(t *testing.T) {
	cases := map[string]struct {
		reason    string
		err       error
		manifests int
		want      metav1.Condition
	}{
		"Done": {
			reason: "the words that tools know", manifests: 1,
			want: metav1.Condition{Type: "Applied", Status: "True", Reason: "AppliedSuccessful", Message: "Manifest has been successfully applied", ObservedGeneration: 3},
		},
		"Failed": {
			reason: "how many, and why", manifests: 1, err: errors.Join(errors.New("no room")),
			want: metav1.Condition{Type: "Applied", Status: "False", Reason: "AppliedFailed", Message: "Failed to apply all manifests (0/1): no room", ObservedGeneration: 3},
		},
		"Some": {
			reason: "those that were applied count", manifests: 3, err: errors.Join(errors.New("no room"), nil, errors.New("no kind")),
			want: metav1.Condition{Type: "Applied", Status: "False", Reason: "AppliedFailed", Message: "Failed to apply all manifests (1/3): no room\nno kind", ObservedGeneration: 3},
		},
		"Cluster": {
			reason: "where the cluster is away none is applied", manifests: 2, err: fmt.Errorf("%w: one", errClusterNotReady),
			want: metav1.Condition{Type: "Applied", Status: "False", Reason: "AppliedFailed", Message: "Failed to apply all manifests (0/2): cluster not ready: one", ObservedGeneration: 3},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, appliedCondition(tc.err, tc.manifests, 3)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestWithoutMarks(t *testing.T) {
	got := withoutMarks(map[string]string{
		"app": "web", "resourcetemplate.karmada.io/retain-replicas": "true", "karmada.io/managed-by": "me",
		"karmada.io/managed": "true", "work.karmada.io/name": "w", "work.karmada.io/permanent-id": "1", "work.karmada.io/conflict-resolution": "abort", "work.dragoman.io/owner": "me",
		"resourcebinding.karmada.io/name": "b", "resourcebinding.karmada.io/permanent-id": "2", "clusterresourcebinding.karmada.io/name": "b",
		"clusterresourcebinding.karmada.io/permanent-id": "3", "propagationpolicy.karmada.io/name": "p", "clusterpropagationpolicy.karmada.io/permanent-id": "4",
		"resourcetemplate.karmada.io/uid": "u", "resourcetemplate.karmada.io/generation": "1", "resourcetemplate.karmada.io/managed-labels": "a",
		"resourcetemplate.karmada.io/managed-annotations": "a", "resourcetemplate.karmada.io/claimed-by": "p",
	})
	want := map[string]string{"app": "web", "resourcetemplate.karmada.io/retain-replicas": "true", "karmada.io/managed-by": "me"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("only what ties the object to the control plane goes (-want +got):\n%s", diff)
	}
}

func TestMerged(t *testing.T) {
	compiler, err := engine.NewCompiler()
	if err != nil {
		t.Fatal(err)
	}
	program, err := compiler.Lua(engine.Script{File: "retain.lua", Operation: engine.Retain, Text: `function Retain(desired, observed)
		desired.data = observed.data
		return desired
	end`})
	if err != nil {
		t.Fatal(err)
	}
	interpreter := engine.NewInterpreter(engine.Options{})
	if err := interpreter.Set(engine.Embedded, engine.RuleSet{Name: "test", Kinds: map[schema.GroupVersionKind]engine.Rules{
		configMaps: {engine.Retain: {Program: program}},
	}}); err != nil {
		t.Fatal(err)
	}
	c := New(base.Deps{Interpreter: interpreter})

	observed := object(map[string]string{"foreign": "yes", "old": "1"}, map[string]string{
		workv1alpha2.ManagedLabelsAnnotation: "old", workv1alpha2.ManagedAnnotationsAnnotation: workv1alpha2.ManagedLabelsAnnotation + "," + workv1alpha2.ManagedAnnotationsAnnotation,
		"theirs": "yes",
	}, map[string]any{"data": map[string]any{"x": "theirs"}, "status": map[string]any{"phase": "Fine"}, "other": "gone"})
	observed.SetResourceVersion("7")
	observed.SetUID("u")
	observed.SetFinalizers([]string{"f"})
	observed.SetOwnerReferences([]metav1.OwnerReference{{Kind: "K", Name: "o", UID: "v"}})
	before := observed.DeepCopy()
	desired := object(map[string]string{"new": "2"}, map[string]string{workv1alpha2.ManagedLabelsAnnotation: "new"}, map[string]any{"data": map[string]any{"x": "ours"}})

	want := object(map[string]string{"foreign": "yes", "new": "2"}, map[string]string{workv1alpha2.ManagedLabelsAnnotation: "new", "theirs": "yes"},
		map[string]any{"data": map[string]any{"x": "theirs"}, "status": map[string]any{"phase": "Fine"}})
	want.SetResourceVersion("7")
	want.SetUID("u")
	want.SetFinalizers([]string{"f"})
	want.SetOwnerReferences([]metav1.OwnerReference{{Kind: "K", Name: "o", UID: "v"}})
	got, err := c.merged(desired, observed)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.Object, got.Object); diff != "" {
		t.Errorf("what the member keeps, what others put there, and what the script retains stays (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(before, observed); diff != "" {
		t.Errorf("the observed object is shared and must not change (-before +after):\n%s", diff)
	}
}

func TestDescribe(t *testing.T) {
	wide := fixture.Object(namespaceKind, "", "team", nil)
	if got, want := describe(wide)+", "+describe(object(nil, nil, nil)), "Namespace team, ConfigMap ns/c"; got != want {
		t.Errorf("describe() = %q, want %q", got, want)
	}
}

func TestDispatching(t *testing.T) {
	want := []metav1.Condition{
		{Type: workv1alpha1.WorkDispatching, Status: "True", Reason: "Dispatching", Message: "Work is being dispatched to the member cluster.", ObservedGeneration: 3},
		{Type: workv1alpha1.WorkDispatching, Status: "False", Reason: "SuspendDispatching", Message: "Work dispatching is in a suspended state.", ObservedGeneration: 3},
	}
	if diff := cmp.Diff(want, []metav1.Condition{dispatching(false, 3), dispatching(true, 3)}); diff != "" {
		t.Errorf("the words that tools know (-want +got):\n%s", diff)
	}
}
