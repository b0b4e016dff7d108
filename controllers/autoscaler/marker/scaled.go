// SPDX-License-Identifier: Apache-2.0

package marker

import (
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dragoman-io/dragoman/controllers/internal/templates"
)

// target is an object that autoscalers scale, in whichever version of its kind.
type target struct {
	schema.GroupKind
	types.NamespacedName
}

// targetOf returns the target of a key.
func targetOf(k templates.Key) target { return target{k.GroupKind(), k.NamespacedName} }

// isAutoscaler reports whether templates of a kind are autoscalers.
func isAutoscaler(kind schema.GroupKind) bool {
	return kind == schema.GroupKind{Group: "autoscaling", Kind: "HorizontalPodAutoscaler"}
}

// scaleTarget returns the key of what an autoscaler scales, which is in its namespace; the zero key if it
// names nothing.
func scaleTarget(autoscaler *unstructured.Unstructured) templates.Key {
	field := func(name string) string {
		text, _, _ := unstructured.NestedString(autoscaler.Object, "spec", "scaleTargetRef", name)
		return text
	}
	k := templates.Key{GroupVersionKind: schema.FromAPIVersionAndKind(field("apiVersion"), field("kind"))}
	if k.Name = field("name"); k.Kind == "" || k.Name == "" {
		return templates.Key{}
	}
	k.Namespace = autoscaler.GetNamespace()
	return k
}

// scaled has what each propagated autoscaler that was seen scales. It is safe for many goroutines; the
// zero value is ready.
type scaled struct {
	mu sync.Mutex
	// targets are by the name of the autoscaler, by has the number of autoscalers of each.
	targets map[types.NamespacedName]templates.Key
	by      map[target]int
}

// set records what an autoscaler scales, the zero key for nothing, and returns what it scaled before.
func (s *scaled) set(autoscaler types.NamespacedName, next templates.Key) (before templates.Key) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.targets == nil {
		s.targets, s.by = map[types.NamespacedName]templates.Key{}, map[target]int{}
	}
	before = s.targets[autoscaler]
	delete(s.targets, autoscaler)
	if t := targetOf(before); before.Name != "" {
		if s.by[t]--; s.by[t] == 0 {
			delete(s.by, t)
		}
	}
	if next.Name != "" {
		s.targets[autoscaler] = next
		s.by[targetOf(next)]++
	}
	return before
}

// has reports whether an autoscaler that was seen scales an object.
func (s *scaled) has(t target) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.by[t] > 0
}
