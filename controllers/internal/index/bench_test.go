// SPDX-License-Identifier: Apache-2.0

package index

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
)

// BenchmarkNamespace looks up what the reconcile of one namespace needs, its own Works and
// those of what is in it, among many namespaces with ten objects each: the time must not
// grow with them.
func BenchmarkNamespace(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		b.Run(fmt.Sprintf("namespaces=%d,bindings=%d", n, 10*n), func(b *testing.B) {
			indexer := toolscache.NewIndexer(toolscache.MetaNamespaceKeyFunc, toolscache.Indexers{workSpace: func(o any) ([]string, error) {
				return spacesOf(o.(client.Object)), nil
			}})
			for i := range n {
				space := fmt.Sprintf("team-%d", i)
				works := []*workv1alpha1.Work{workOf(space, "propagation.dragoman.io/namespace", space)}
				for j := range 10 {
					w := workOf(fmt.Sprintf("%s-%d", space, j), "resourcebinding.karmada.io/namespace", space)
					w.Annotations["resourcebinding.karmada.io/name"] = w.Name
					works = append(works, w)
				}
				for _, w := range works {
					if err := indexer.Add(w); err != nil {
						b.Fatal(err)
					}
				}
			}
			for b.Loop() {
				own, err := indexer.ByIndex(workSpace, spaceKey("team-7"))
				content, failed := indexer.ByIndex(workSpace, contentKey("team-7"))
				if err != nil || failed != nil || len(own) != 1 || len(content) != 10 {
					b.Fatalf("found %d and %d works, want 1 and 10: %v, %v", len(own), len(content), err, failed)
				}
			}
		})
	}
}

// BenchmarkTaint decides which bindings leave one of 100 clusters that is tainted, among those
// of all: the time must follow what that cluster has.
func BenchmarkTaint(b *testing.B) {
	taints := []corev1.Taint{{Key: "down", Effect: corev1.TaintEffectNoExecute}}
	for _, n := range []struct{ here, elsewhere int }{{50, 0}, {50, 450}, {50, 4950}, {50, 49950}, {500, 4500}} {
		b.Run(fmt.Sprintf("here=%d,elsewhere=%d", n.here, n.elsewhere), func(b *testing.B) {
			indexer := toolscache.NewIndexer(toolscache.MetaNamespaceKeyFunc, toolscache.Indexers{bindingCluster: func(o any) ([]string, error) {
				return clustersOf(o.(client.Object)), nil
			}})
			for i := range n.here + n.elsewhere {
				cluster := "member-0"
				if i >= n.here {
					cluster = fmt.Sprintf("member-%d", 1+i%99)
				}
				o := &workv1alpha2.ResourceBinding{ObjectMeta: metav1.ObjectMeta{Namespace: "space", Name: fmt.Sprint(i)}}
				o.Spec.Placement = &policyv1alpha1.Placement{}
				o.Spec.Clusters = []workv1alpha2.TargetCluster{{Name: cluster}}
				if err := indexer.Add(o); err != nil {
					b.Fatal(err)
				}
			}
			for b.Loop() {
				found, err := indexer.ByIndex(bindingCluster, "member-0")
				if err != nil || len(found) != n.here {
					b.Fatalf("found %d bindings, want %d: %v", len(found), n.here, err)
				}
				for _, o := range found {
					spec := o.(workv1alpha2.Binding).GetSpec()
					if len(binding.FindUntolerated(spec, func(string) []corev1.Taint { return taints }, time.Time{})) != 1 {
						b.Fatal("a binding does not leave")
					}
				}
			}
		})
	}
}

func workOf(name, annotation, value string) *workv1alpha1.Work {
	return &workv1alpha1.Work{ObjectMeta: metav1.ObjectMeta{Namespace: "karmada-es-one", Name: name, Annotations: map[string]string{annotation: value}}}
}
