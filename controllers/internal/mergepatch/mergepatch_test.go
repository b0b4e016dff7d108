// SPDX-License-Identifier: Apache-2.0

package mergepatch

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// work returns a Work as the API server has it, with a manifest of the size of a small
// Deployment.
func work() *workv1alpha1.Work {
	w := &workv1alpha1.Work{ObjectMeta: metav1.ObjectMeta{
		Namespace: "karmada-es-one", Name: "w", ResourceVersion: "7", Generation: 1,
		CreationTimestamp: metav1.NewTime(time.Unix(1e9, 0)), Labels: map[string]string{"a": "1", "b": "2"},
		ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "m", FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:x":{}}}`)}},
	}}
	w.Spec.Workload.Manifests = []workv1alpha1.Manifest{{RawExtension: runtime.RawExtension{Raw: []byte(manifest)}}}
	w.Status.ManifestStatuses = []workv1alpha1.ManifestStatus{{Health: "Healthy"}}
	w.Status.Conditions = []metav1.Condition{{Type: "Applied", Status: metav1.ConditionTrue, LastTransitionTime: metav1.NewTime(time.Unix(1e9, 0))}}
	return w
}

const manifest = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d","namespace":"n","labels":{"app":"d"},"annotations":{"a":"<&>","b":"2"}},` +
	`"spec":{"replicas":2,"selector":{"matchLabels":{"app":"d"}},"template":{"metadata":{"labels":{"app":"d"}},"spec":{"containers":[{"name":"c",` +
	`"image":"registry.example/c:1","ports":[{"containerPort":8080}],"resources":{"requests":{"cpu":"100m","memory":"64Mi"}}}]}}}}`

func binding() *workv1alpha2.ResourceBinding {
	b := &workv1alpha2.ResourceBinding{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "b", ResourceVersion: "7", Annotations: map[string]string{"x": "1"}}}
	b.Spec.Resource = workv1alpha2.ObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: "d"}
	b.Spec.ReplicaRequirements = &workv1alpha2.ReplicaRequirements{ResourceRequest: corev1.ResourceList{"cpu": resource.MustParse("100m")}}
	b.Spec.Clusters = []workv1alpha2.TargetCluster{{Name: "one", Replicas: 1}}
	return b
}

func deployment() *unstructured.Unstructured {
	o := &unstructured.Unstructured{}
	if err := o.UnmarshalJSON([]byte(manifest)); err != nil {
		panic(err)
	}
	o.SetResourceVersion("7")
	return o
}

// changes are what controllers do to objects.
func changes() map[string]struct {
	object client.Object
	status bool
	change func(client.Object)
	want   string
} {
	type change = func(client.Object)
	asWork := func(f func(*workv1alpha1.Work)) change { return func(o client.Object) { f(o.(*workv1alpha1.Work)) } }
	asBinding := func(f func(*workv1alpha2.ResourceBinding)) change {
		return func(o client.Object) { f(o.(*workv1alpha2.ResourceBinding)) }
	}
	asObject := func(f func(map[string]any)) change {
		return func(o client.Object) { f(o.(*unstructured.Unstructured).Object) }
	}
	return map[string]struct {
		object client.Object
		status bool
		change func(client.Object)
		want   string
	}{
		"Nothing":     {work(), false, func(client.Object) {}, `{"metadata":{"resourceVersion":"7"}}`},
		"NothingInIt": {work(), true, func(client.Object) {}, `{"metadata":{"resourceVersion":"7"}}`},
		"Label":       {work(), false, func(o client.Object) { o.SetLabels(map[string]string{"b": "3", "c": "4"}) }, `{"metadata":{"labels":{"a":null,"b":"3","c":"4"},"resourceVersion":"7"}}`},
		"NoLabels":    {work(), false, func(o client.Object) { o.SetLabels(nil) }, `{"metadata":{"labels":null,"resourceVersion":"7"}}`},
		"Finalizer":   {work(), false, func(o client.Object) { o.SetFinalizers([]string{"f"}) }, `{"metadata":{"finalizers":["f"],"resourceVersion":"7"}}`},
		"Manifest":    {work(), false, asWork(func(w *workv1alpha1.Work) { w.Spec.Workload.Manifests[0].Raw = []byte(`{"kind":"Other"}`) }), `{"metadata":{"resourceVersion":"7"},"spec":{"workload":{"manifests":[{"kind":"Other"}]}}}`},
		"Suspended":   {work(), false, asWork(func(w *workv1alpha1.Work) { w.Spec.SuspendDispatching = new(true) }), `{"metadata":{"resourceVersion":"7"},"spec":{"suspendDispatching":true}}`},
		"Status": {work(), true, asWork(func(w *workv1alpha1.Work) {
			w.Status.ManifestStatuses = []workv1alpha1.ManifestStatus{{Health: "Healthy", Status: &runtime.RawExtension{Raw: []byte(`{"n":1,"half":0.5,"none":null}`)}}}
		}), ""},
		"Conditions":   {work(), true, asWork(func(w *workv1alpha1.Work) { w.Status.Conditions[0].Status = metav1.ConditionFalse }), ""},
		"NoConditions": {work(), true, asWork(func(w *workv1alpha1.Work) { w.Status.Conditions = nil }), ""},
		"Targets": {binding(), false, asBinding(func(b *workv1alpha2.ResourceBinding) {
			b.Spec.Clusters = append(b.Spec.Clusters, workv1alpha2.TargetCluster{Name: "two"})
		}), `{"metadata":{"resourceVersion":"7"},"spec":{"clusters":[{"name":"one","replicas":1},{"name":"two"}]}}`},
		"Requests": {binding(), false, asBinding(func(b *workv1alpha2.ResourceBinding) {
			b.Spec.ReplicaRequirements.ResourceRequest = corev1.ResourceList{"memory": resource.MustParse("1Gi")}
		}), `{"metadata":{"resourceVersion":"7"},"spec":{"replicaRequirements":{"resourceRequest":{"cpu":null,"memory":"1Gi"}}}}`},
		"Secret":         {&corev1.Secret{ObjectMeta: metav1.ObjectMeta{ResourceVersion: "7"}, Data: map[string][]byte{"a": []byte("1")}}, false, func(o client.Object) { o.(*corev1.Secret).Data["a"] = []byte("2") }, `{"data":{"a":"Mg=="},"metadata":{"resourceVersion":"7"}}`},
		"TemplateClaim":  {deployment(), false, func(o client.Object) { o.SetAnnotations(map[string]string{"a": "<&>", "claimed": "p"}) }, `{"metadata":{"annotations":{"b":null,"claimed":"p"},"resourceVersion":"7"}}`},
		"TemplateStatus": {deployment(), true, asObject(func(o map[string]any) { o["status"] = map[string]any{"replicas": int64(2)} }), `{"metadata":{"resourceVersion":"7"},"status":{"replicas":2}}`},
		"Lists": {deployment(), false, asObject(func(o map[string]any) {
			_ = unstructured.SetNestedSlice(o, []any{map[string]any{"name": "other"}}, "spec", "template", "spec", "containers")
		}), `{"metadata":{"resourceVersion":"7"},"spec":{"template":{"spec":{"containers":[{"name":"other"}]}}}}`},
		"OtherType": {deployment(), false, asObject(func(o map[string]any) { o["spec"] = "text" }), `{"metadata":{"resourceVersion":"7"},"spec":"text"}`},
	}
}

// TestData compares each patch with that of the library, which compares whole objects.
func TestData(t *testing.T) {
	for name := range changes() {
		for _, locked := range []bool{true, false} {
			t.Run(name, func(t *testing.T) {
				tc := changes()[name]
				before, after := tc.object.DeepCopyObject().(client.Object), tc.object
				tc.change(after)
				patch, library := From(before), client.MergeFrom(before)
				if tc.status {
					patch = StatusFrom(before)
				}
				if locked {
					library = client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
				} else {
					patch = patch.Unlocked()
				}
				got, want := data(t, patch, after), data(t, library, after)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("other than the library's patch (-library +this):\n%s", diff)
				}
				if raw, err := patch.Data(after); locked && tc.want != "" && (err != nil || string(raw) != tc.want) {
					t.Errorf("the patch is %s, %v, want %s", raw, err, tc.want)
				}
				if patch.Type() != library.Type() {
					t.Errorf("the type is %s", patch.Type())
				}
			})
		}
	}
}

// TestEachRequestHasItsPart checks that a request has nothing of what it cannot change.
func TestEachRequestHasItsPart(t *testing.T) {
	before := work()
	after := before.DeepCopy()
	after.Spec.SuspendDispatching, after.Status.Conditions = new(true), nil
	if diff := cmp.Diff(map[string]any{"spec": map[string]any{"suspendDispatching": true}}, data(t, From(before).Unlocked(), after)); diff != "" {
		t.Errorf("the patch of a Work (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]any{"status": map[string]any{"conditions": nil}}, data(t, StatusFrom(before).Unlocked(), after)); diff != "" {
		t.Errorf("the patch of its status (-want +got):\n%s", diff)
	}
}

func data(t *testing.T, patch client.Patch, after client.Object) map[string]any {
	t.Helper()
	raw, err := patch.Data(after)
	if err != nil {
		t.Fatal(err)
	}
	var values map[string]any
	if err := json.Unmarshal(raw, &values); err != nil {
		t.Fatal(err)
	}
	return values
}

// BenchmarkData is a status of a Work, as execution writes it, and as the library does.
func BenchmarkData(b *testing.B) {
	before := work()
	after := before.DeepCopy()
	after.Status.Conditions[0].Status = metav1.ConditionFalse
	object := deployment()
	claimed := object.DeepCopy()
	claimed.SetLabels(map[string]string{"claimed": "yes"})
	for name, tc := range map[string]struct {
		patch client.Patch
		after client.Object
	}{
		"WorkStatus":        {StatusFrom(before), after},
		"WorkStatusLibrary": {client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}), after},
		"Template":          {From(object), claimed},
		"TemplateLibrary":   {client.MergeFromWithOptions(object, client.MergeFromWithOptimisticLock{}), claimed},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := tc.patch.Data(tc.after); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
