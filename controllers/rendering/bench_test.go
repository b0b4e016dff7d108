// SPDX-License-Identifier: Apache-2.0

package rendering

import (
	"strconv"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// deployment returns one of the size that users write.
func deployment(env int) *unstructured.Unstructured {
	var list []any
	for i := range env {
		list = append(list, map[string]any{"name": "NAME_" + strconv.Itoa(i), "value": "some value & more"})
	}
	o := fixture.Object(schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}, "space", "one", map[string]any{"spec": map[string]any{
		"replicas": int64(5), "selector": map[string]any{"matchLabels": map[string]any{"app": "one"}},
		"template": map[string]any{
			"metadata": map[string]any{"labels": map[string]any{"app": "one"}},
			"spec": map[string]any{"containers": []any{map[string]any{
				"name": "main", "image": "registry.local/one:1", "env": list,
				"resources": map[string]any{"requests": map[string]any{"cpu": "100m", "memory": "1Gi"}},
			}}},
		},
	}})
	o.SetUID("uid")
	return o
}

// BenchmarkManifest renders one Work and compares it with the one that is there.
func BenchmarkManifest(b *testing.B) {
	rules, err := fixture.Interpreter()
	if err != nil {
		b.Fatal(err)
	}
	object := deployment(30)
	bound := fixture.Binding(object)
	bound.GetSpec().Replicas = 5
	in := renderInput{template: object, binding: bound, rules: rules.Snapshot()}
	target := workv1alpha2.TargetCluster{Name: "b", Replicas: 2}
	newID := func() types.UID { return "id" }
	w := &workv1alpha1.Work{}
	if err := setWork(w, &in, target, nil, newID); err != nil {
		b.Fatal(err)
	}
	b.Logf("%d bytes", len(w.Spec.Workload.Manifests[0].Raw))
	b.Run("script", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, _ = render(&in, target, nil, "")
		}
	})
	b.Run("whole", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			again := w.DeepCopy()
			_ = setWork(again, &in, target, nil, newID)
			sameWork(w, again)
		}
	})
	other := w.DeepCopy()
	other.Spec.Workload.Manifests[0].Raw = append([]byte(" "), other.Spec.Workload.Manifests[0].Raw...)
	b.Run("parse", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			sameWork(w, other)
		}
	})
}
