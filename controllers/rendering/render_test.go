// SPDX-License-Identifier: Apache-2.0

package rendering

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/reference"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// stored returns a gadget as the API server has it.
func stored(namespace string) *unstructured.Unstructured {
	o := fixture.Gadget(namespace, "one", map[string]any{"replicas": int64(5), "parts": []any{"x"}})
	o.SetLabels(map[string]string{"app": "one"})
	o.SetAnnotations(map[string]string{"note": "mine"})
	o.SetUID("uid")
	o.SetResourceVersion("7")
	o.SetGeneration(3)
	o.SetFinalizers([]string{"f"})
	o.SetOwnerReferences([]metav1.OwnerReference{{Name: "owner"}})
	o.SetManagedFields([]metav1.ManagedFieldsEntry{{Manager: "m"}})
	o.SetCreationTimestamp(metav1.Unix(1, 0))
	o.Object["status"] = map[string]any{"ok": true}
	return o
}

// snapshot returns the rules of a real engine.
func snapshot(t *testing.T) engine.Snapshot {
	t.Helper()
	rules, err := fixture.Interpreter()
	if err != nil {
		t.Fatal(err)
	}
	return rules.Snapshot()
}

// bound returns the binding of a gadget.
func bound(o *unstructured.Unstructured, with ...func(*workv1alpha2.ResourceBindingSpec)) *workv1alpha2.ResourceBinding {
	b := fixture.Binding(o).(*workv1alpha2.ResourceBinding)
	b.Spec.Replicas = 5
	for _, w := range with {
		w(&b.Spec)
	}
	return b
}

func movedWithState(s *workv1alpha2.ResourceBindingSpec) {
	task := workv1alpha2.GracefulEvictionTask{FromCluster: "a", PurgeMode: policyv1alpha1.PurgeModeDirectly}
	task.PreservedLabelState = map[string]string{"app": "overwritten", "job": "1"}
	task.PreservedState = map[string]string{fixture.StateKey: "42"}
	task.ClustersBeforeFailover = []string{"a"}
	s.Clusters, s.GracefulEvictionTasks = fixture.Targets("b"), []workv1alpha2.GracefulEvictionTask{task}
}

func TestRender(t *testing.T) {
	workload := func(s *workv1alpha2.ResourceBindingSpec) {}
	cases := map[string]struct {
		reason  string
		off     bool // the gate for state is off
		change  func(*unstructured.Unstructured)
		with    func(*workv1alpha2.ResourceBindingSpec)
		cluster workv1alpha2.TargetCluster
		labels  map[string]any
		spec    map[string]any
	}{
		"Replicas": {
			reason: "the share of the cluster is set", with: workload, cluster: workv1alpha2.TargetCluster{Name: "b", Replicas: 2},
			labels: map[string]any{"app": "one"}, spec: map[string]any{"replicas": int64(2), "parts": []any{"x"}},
		},
		"Pruned": {
			reason: "what belongs to the control plane alone does not go along",
			change: func(o *unstructured.Unstructured) { o.Object["spec"].(map[string]any)["allocated"] = "10.96.0.7" },
			with:   workload, cluster: workv1alpha2.TargetCluster{Name: "b", Replicas: 2},
			labels: map[string]any{"app": "one"}, spec: map[string]any{"replicas": int64(2), "parts": []any{"x"}},
		},
		"NoWorkload": {
			reason: "what has no replicas is left as it is", cluster: workv1alpha2.TargetCluster{Name: "b"},
			with:   func(s *workv1alpha2.ResourceBindingSpec) { s.Replicas = 0 },
			labels: map[string]any{"app": "one"}, spec: map[string]any{"replicas": int64(5), "parts": []any{"x"}},
		},
		"Components": {
			reason: "what has components is left as it is", cluster: workv1alpha2.TargetCluster{Name: "b"},
			with: func(s *workv1alpha2.ResourceBindingSpec) {
				s.Replicas, s.Components = 0, []workv1alpha2.Component{{Name: "c", Replicas: 1}}
			},
			labels: map[string]any{"app": "one"}, spec: map[string]any{"replicas": int64(5), "parts": []any{"x"}},
		},
		"State": {
			reason: "state goes into labels, over those of the template, and through the script", with: movedWithState,
			cluster: workv1alpha2.TargetCluster{Name: "b", Replicas: 2},
			labels:  map[string]any{"app": "overwritten", "job": "1"},
			spec:    map[string]any{"replicas": int64(2), "parts": []any{"x"}, "resumeFrom": "42"},
		},
		"GateOff": {
			reason: "with the gate off no state goes along", off: true, with: movedWithState,
			cluster: workv1alpha2.TargetCluster{Name: "b", Replicas: 2},
			labels:  map[string]any{"app": "one"}, spec: map[string]any{"replicas": int64(2), "parts": []any{"x"}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			object := stored("space")
			if tc.change != nil {
				tc.change(object)
			}
			before := object.DeepCopy()
			in := renderInput{template: object, binding: bound(object, tc.with), rules: snapshot(t), injectState: !tc.off}
			result, err := render(&in, tc.cluster, nil, "")
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]any{
				"apiVersion": "spec.dragoman.io/v1", "kind": "Gadget", "spec": tc.spec,
				"metadata": map[string]any{
					"namespace": "space", "name": "one", "labels": tc.labels, "annotations": map[string]any{"note": "mine"},
				},
			}
			if diff := cmp.Diff(want, result.Object.Object); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(before.Object, object.Object); diff != "" {
				t.Errorf("the template was changed:\n%s", diff)
			}
		})
	}
}

func TestRenderOfBrokenScript(t *testing.T) {
	object := stored("space")
	in := renderInput{template: object, binding: bound(object), rules: snapshot(t), injectState: true}
	_, err := render(&in, workv1alpha2.TargetCluster{Name: "b", Replicas: 13}, nil, "")
	if err == nil || !strings.Contains(err.Error(), "13 is not a number of replicas") {
		t.Errorf("the error of the script is the error: %v", err)
	}
}

func TestTie(t *testing.T) {
	object := stored("space")
	m := sanitize(object)
	setOwnership(m, bound(object), object, "karmada-es-b", "one-abc", "work-id", "abort")
	wantLabels := map[string]string{
		"app": "one", "resourcebinding.karmada.io/permanent-id": "one-gadget", "work.karmada.io/permanent-id": "work-id",
		"karmada.io/managed": "true",
	}
	if diff := cmp.Diff(wantLabels, m.GetLabels()); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}
	wantAnnotations := map[string]string{
		"note":                                       "mine",
		"resourcebinding.karmada.io/namespace":       "space",
		"resourcebinding.karmada.io/name":            "one-gadget",
		"resourcetemplate.karmada.io/uid":            "uid",
		"resourcetemplate.karmada.io/generation":     "3",
		"work.karmada.io/namespace":                  "karmada-es-b",
		"work.karmada.io/name":                       "one-abc",
		"work.karmada.io/conflict-resolution":        "abort",
		"resourcetemplate.karmada.io/managed-labels": "app,karmada.io/managed,resourcebinding.karmada.io/permanent-id,work.karmada.io/permanent-id",
		"resourcetemplate.karmada.io/managed-annotations": strings.Join([]string{
			"note", "resourcebinding.karmada.io/name", "resourcebinding.karmada.io/namespace", "resourcetemplate.karmada.io/generation",
			"resourcetemplate.karmada.io/managed-annotations", "resourcetemplate.karmada.io/managed-labels", "resourcetemplate.karmada.io/uid",
			"work.karmada.io/conflict-resolution", "work.karmada.io/name", "work.karmada.io/namespace",
		}, ","),
	}
	if diff := cmp.Diff(wantAnnotations, m.GetAnnotations()); diff != "" {
		t.Errorf("annotations; the lists name themselves (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(stored("space").Object, object.Object); diff != "" {
		t.Errorf("the template was changed:\n%s", diff)
	}
}

func TestTieWide(t *testing.T) {
	object := stored("")
	object.SetGeneration(0)
	m := sanitize(object)
	setOwnership(m, fixture.Binding(object), object, "karmada-es-b", "one-abc", "work-id", "abort")
	if got := m.GetAnnotations()["clusterresourcebinding.karmada.io/name"]; got != "one-widegadget" {
		t.Errorf("a cluster-wide binding is named by its own annotation; got %q", got)
	}
	if got := m.GetLabels()["clusterresourcebinding.karmada.io/permanent-id"]; got != "one-widegadget" {
		t.Errorf("and its own label; got %q", got)
	}
	if value, there := m.GetAnnotations()["resourcetemplate.karmada.io/generation"]; there {
		t.Errorf("an object without generation is not given one; got %q", value)
	}
}

func TestBareWithoutMetadata(t *testing.T) {
	m := sanitize(&unstructured.Unstructured{Object: map[string]any{"kind": "Gadget"}})
	if diff := cmp.Diff(map[string]any{"kind": "Gadget", "metadata": map[string]any{}}, m.Object); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestResolution(t *testing.T) {
	cases := map[string]struct {
		reason     string
		annotation string
		policy     policyv1alpha1.ConflictResolution
		want       string
	}{
		"Default":    {reason: "nothing is taken over unless it is requested", want: "abort"},
		"Policy":     {reason: "the policy may request it", policy: policyv1alpha1.ConflictOverwrite, want: "overwrite"},
		"Abort":      {reason: "or not", policy: policyv1alpha1.ConflictAbort, want: "abort"},
		"Own":        {reason: "the template goes before the policy", annotation: "abort", policy: policyv1alpha1.ConflictOverwrite, want: "abort"},
		"OwnMore":    {reason: "in both directions", annotation: "overwrite", policy: policyv1alpha1.ConflictAbort, want: "overwrite"},
		"OwnStrange": {reason: "a word that is neither counts as none", annotation: "Overwrite", want: "abort"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			object := fixture.Gadget("space", "one", nil)
			if tc.annotation != "" {
				object.SetAnnotations(map[string]string{workv1alpha2.ConflictResolutionAnnotation: tc.annotation})
			}
			if got := resolution(object, &workv1alpha2.ResourceBindingSpec{ConflictResolution: tc.policy}); got != tc.want {
				t.Errorf("%s: got %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}

func TestWorkName(t *testing.T) {
	deployment := fixture.Object(fixture.GadgetKind, "space", "one", nil)
	deployment.SetAPIVersion("apps/v1")
	deployment.SetKind("Deployment")
	deployment.SetNamespace("default")
	deployment.SetName("nginx")
	if got, want := reference.WorkName(fixture.Binding(deployment)), "nginx-687f7fb96f"; got != want {
		t.Errorf("the name is that of the published control plane: got %q, want %q", got, want)
	}
	object := fixture.Gadget("space", "one", nil)
	namesake := fixture.Binding(object)
	namesake.SetName(namesake.GetName() + "-xyz")
	if reference.WorkName(namesake) == reference.WorkName(fixture.Binding(object)) {
		t.Error("two bindings of one kind and name must have Works of different names")
	}
}

func TestSameWork(t *testing.T) {
	work := func(change ...func(*workv1alpha1.Work)) *workv1alpha1.Work {
		w := &workv1alpha1.Work{}
		w.Spec.Workload.Manifests = []workv1alpha1.Manifest{{RawExtension: runtime.RawExtension{Raw: []byte(`{"a":1,"b":{"c":null}}`)}}}
		for _, c := range change {
			c(w)
		}
		return w
	}
	manifest := func(text string) func(*workv1alpha1.Work) {
		return func(w *workv1alpha1.Work) { w.Spec.Workload.Manifests[0].Raw = []byte(text) }
	}
	cases := map[string]struct {
		reason string
		other  *workv1alpha1.Work
		want   bool
	}{
		"Same":             {"a Work is as itself", work(), true},
		"OtherBytes":       {"the order of fields and spaces do not matter", work(manifest(`{ "b": {"c": null}, "a": 1 }`)), true},
		"OtherValue":       {"a value does", work(manifest(`{"a":2,"b":{"c":null}}`)), false},
		"OtherType":        {"so does its type", work(manifest(`{"a":"1","b":{"c":null}}`)), false},
		"NullIsNotNothing": {"and a null", work(manifest(`{"a":1,"b":{}}`)), false},
		"Broken":           {"what is no JSON is not the same", work(manifest(`{`)), false},
		"Labels":           {"labels matter", work(func(w *workv1alpha1.Work) { w.Labels = map[string]string{"x": "y"} }), false},
		"Annotations":      {"annotations matter", work(func(w *workv1alpha1.Work) { w.Annotations = map[string]string{"x": "y"} }), false},
		"Finalizers":       {"finalizers matter", work(func(w *workv1alpha1.Work) { w.Finalizers = []string{"x"} }), false},
		"Suspension":       {"suspension matters", work(func(w *workv1alpha1.Work) { w.Spec.SuspendDispatching = ptr.To(true) }), false},
		"Preserve":         {"so does preserving", work(func(w *workv1alpha1.Work) { w.Spec.PreserveResourcesOnDeletion = ptr.To(true) }), false},
		"Count":            {"and the number of manifests", work(func(w *workv1alpha1.Work) { w.Spec.Workload.Manifests = nil }), false},
		"Status":           {"status does not", work(func(w *workv1alpha1.Work) { w.Status.Conditions = []metav1.Condition{{}} }), true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := sameWork(work(), tc.other); got != tc.want {
				t.Errorf("%s: sameWork = %t, want %t", tc.reason, got, tc.want)
			}
		})
	}
}

func TestFill(t *testing.T) {
	object := stored("space")
	b := bound(object, movedWithState, func(s *workv1alpha2.ResourceBindingSpec) { s.PreserveResourcesOnDeletion = ptr.To(true) })
	w := &workv1alpha1.Work{ObjectMeta: metav1.ObjectMeta{Namespace: "karmada-es-b", Name: "one-abc", Labels: map[string]string{"own": "x"}}}
	in := renderInput{template: object, binding: b, rules: snapshot(t), injectState: true}
	ids := 0
	newID := func() types.UID { ids++; return types.UID(strconv.Itoa(ids)) }
	if err := setWork(w, &in, workv1alpha2.TargetCluster{Name: "b", Replicas: 2}, nil, newID); err != nil {
		t.Fatal(err)
	}
	first := w.DeepCopy()
	if err := setWork(w, &in, workv1alpha2.TargetCluster{Name: "b", Replicas: 2}, nil, newID); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(first, w); diff != "" {
		t.Errorf("filling again changes nothing, also not the id (-first +second):\n%s", diff)
	}
	if _, labelled := w.Labels["job"]; labelled || w.Labels["own"] != "x" {
		t.Errorf("state becomes labels of the object, never of the Work, which keeps its own: %v", w.Labels)
	}
	if !*w.Spec.PreserveResourcesOnDeletion || *w.Spec.SuspendDispatching {
		t.Errorf("preserve %t, suspend %t; want true, false", *w.Spec.PreserveResourcesOnDeletion, *w.Spec.SuspendDispatching)
	}
	var m map[string]any
	if err := json.Unmarshal(w.Spec.Workload.Manifests[0].Raw, &m); err != nil {
		t.Fatal(err)
	}
	id, _, _ := unstructured.NestedString(m, "metadata", "labels", workv1alpha2.WorkPermanentIDLabel)
	if id == "" || id != w.Labels[workv1alpha2.WorkPermanentIDLabel] {
		t.Errorf("Work and object have one id: %q and %q", w.Labels[workv1alpha2.WorkPermanentIDLabel], id)
	}
}

// job returns one that is to complete seven times, three at a time.
func job() *unstructured.Unstructured {
	return fixture.Object(schema.GroupVersionKind{Group: "batch", Version: "v1", Kind: "Job"}, "space", "pi", map[string]any{
		"spec": map[string]any{"parallelism": int64(3), "completions": int64(7)},
	})
}

// TestRenderDividesCompletions renders a Job for all clusters of a binding.
func TestRenderDividesCompletions(t *testing.T) {
	divided := &policyv1alpha1.ReplicaSchedulingStrategy{ReplicaSchedulingType: policyv1alpha1.ReplicaSchedulingTypeDivided}
	cases := map[string]struct {
		reason   string
		strategy *policyv1alpha1.ReplicaSchedulingStrategy
		uid      types.UID
		targets  []workv1alpha2.TargetCluster
		want     map[string]int64
	}{
		"Divided":    {"in the proportion of the replicas", divided, "a", []workv1alpha2.TargetCluster{{Name: "a", Replicas: 2}, {Name: "b", Replicas: 1}}, map[string]int64{"a": 5, "b": 2}},
		"Tie":        {"the odd one as the odd replica", divided, "a", []workv1alpha2.TargetCluster{{Name: "b", Replicas: 1}, {Name: "a", Replicas: 1}}, map[string]int64{"a": 4, "b": 3}},
		"TieByUID":   {"of half of all objects from the other end", divided, "b", []workv1alpha2.TargetCluster{{Name: "a", Replicas: 1}, {Name: "b", Replicas: 1}}, map[string]int64{"a": 3, "b": 4}},
		"Duplicated": {"each copy is whole", nil, "a", []workv1alpha2.TargetCluster{{Name: "a", Replicas: 3}, {Name: "b", Replicas: 3}}, map[string]int64{"a": 7, "b": 7}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			template := job()
			template.SetUID(tc.uid)
			b := bound(template, func(s *workv1alpha2.ResourceBindingSpec) {
				s.Placement, s.Resource.UID = &policyv1alpha1.Placement{ReplicaScheduling: tc.strategy}, tc.uid
				s.Clusters = tc.targets
			})
			in := renderInput{template: template, binding: b, rules: snapshot(t), shares: sharesOf(b.GetSpec())}
			got := map[string]int64{}
			for _, target := range tc.targets {
				result, err := render(&in, target, nil, "")
				if err != nil {
					t.Fatal(err)
				}
				spec := result.Object.Object["spec"].(map[string]any)
				if spec["parallelism"] != int64(target.Replicas) {
					t.Errorf("the parallelism in %s is %v, want %d", target.Name, spec["parallelism"], target.Replicas)
				}
				got[target.Name] = spec["completions"].(int64)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}
