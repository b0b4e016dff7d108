// SPDX-License-Identifier: Apache-2.0

package scripts

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// prunable describes a kind whose templates are pruned.
type prunable struct {
	kind schema.GroupVersionKind
	// paths are where a test puts values: what the servers own, and fields beside it.
	paths []string
	// owned reports whether the servers of the control plane may have written the value at
	// a path of an object; "*" stands for an item of a list.
	owned func(o map[string]any, path string, value any) bool
}

func among(paths ...string) func(map[string]any, string, any) bool {
	return func(_ map[string]any, path string, _ any) bool { return slices.Contains(paths, path) }
}

func core(kind string) schema.GroupVersionKind {
	return schema.GroupVersionKind{Version: "v1", Kind: kind}
}

const podLabels = "/spec/template/metadata/labels/"

var generatedLabels = []string{"controller-uid", "job-name", "batch.kubernetes.io~1controller-uid", "batch.kubernetes.io~1job-name"}

var prunables = []prunable{
	{
		kind:  core("Service"),
		paths: []string{"/spec/clusterIP", "/spec/clusterIPs", "/spec/clusterIPs/0", "/spec/type", "/spec/ports/0/nodePort", "/spec/ports/0/port", "/spec/healthCheckNodePort"},
		owned: func(o map[string]any, path string, _ any) bool {
			return at(o, "spec", "clusterIP") != "None" && among("/spec/clusterIP", "/spec/clusterIPs")(nil, path, nil)
		},
	},
	{
		kind:  core("ServiceAccount"),
		paths: []string{"/secrets", "/secrets/0/name", "/secrets/1/name", "/secrets/0/kind", "/imagePullSecrets/0/name"},
		owned: func(o map[string]any, path string, value any) bool {
			return path == "/secrets/*" && hasPrefix(at(value, "name"), text(at(o, "metadata", "name"))+"-token-") || path == "/secrets" && isEmpty(o, path)
		},
	},
	{
		kind:  core("Secret"),
		paths: []string{"/type", "/data", "/data/token", "/metadata/annotations/kubernetes.io~1service-account.uid", "/metadata/annotations/kubernetes.io~1service-account.name", "/metadata/labels/kubernetes.io~1legacy-token-last-used"},
		owned: func(o map[string]any, path string, _ any) bool {
			return o["type"] == "kubernetes.io/service-account-token" && among("/data", "/metadata/annotations/kubernetes.io~1service-account.uid",
				"/metadata/labels/kubernetes.io~1legacy-token-last-used", "/metadata/labels/kubernetes.io~1legacy-token-invalid-since")(nil, path, nil)
		},
	},
	{
		kind:  core("Pod"),
		paths: []string{"/spec/nodeName", "/spec/priority", "/spec/overhead/cpu", "/spec/volumes/0/name", "/spec/volumes/0/projected/sources", "/spec/volumes/1/name", "/spec/containers/0/volumeMounts/0/name", "/spec/containers/0/volumeMounts/1/name", "/spec/initContainers/0/volumeMounts", "/spec/tolerations", "/spec/ephemeralContainers"},
		owned: ownedOfPod,
	},
	{
		kind:  core("PersistentVolume"),
		paths: []string{"/spec/claimRef/uid", "/spec/claimRef/resourceVersion", "/spec/claimRef/name", "/spec/claimRef", "/metadata/annotations/pv.kubernetes.io~1bound-by-controller", "/metadata/annotations/mine"},
		owned: among("/spec/claimRef/uid", "/spec/claimRef/resourceVersion", "/metadata/annotations/pv.kubernetes.io~1bound-by-controller"),
	},
	{
		kind:  core("PersistentVolumeClaim"),
		paths: []string{"/spec/volumeName", "/spec/storageClassName", "/metadata/annotations/pv.kubernetes.io~1bound-by-controller", "/metadata/annotations/pv.kubernetes.io~1bind-completed", "/metadata/annotations/mine", "/metadata/annotations"},
		owned: func(o map[string]any, path string, _ any) bool {
			return strings.HasPrefix(path, "/metadata/annotations/pv.kubernetes.io~1b") || path == "/spec/volumeName" && at(o, "metadata", "annotations", "pv.kubernetes.io/bound-by-controller") != nil
		},
	},
	{
		kind:  schema.GroupVersionKind{Group: "batch", Version: "v1", Kind: "Job"},
		paths: []string{"/spec/selector", "/spec/selector/matchLabels/a", "/spec/manualSelector", "/spec/ttlSecondsAfterFinished", "/spec/completions", podLabels + "job-name", podLabels + "app", podLabels + "batch.kubernetes.io~1controller-uid", "/metadata/labels/job-name", "/metadata/labels/batch.kubernetes.io~1controller-uid"},
		owned: ownedOfJob,
	},
	{
		kind:  schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"},
		paths: []string{"/metadata/annotations/deployment.kubernetes.io~1revision", "/metadata/annotations", "/metadata/annotations/mine", "/spec/replicas"},
		owned: among("/metadata/annotations/deployment.kubernetes.io~1revision", "/metadata/annotations/deployment.kubernetes.io~1revision-history"),
	},
	{
		kind:  schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "DaemonSet"},
		paths: []string{"/metadata/annotations/deprecated.daemonset.template.generation", "/metadata/annotations/mine", "/spec/minReadySeconds"},
		owned: among("/metadata/annotations/deprecated.daemonset.template.generation"),
	},
	injectable("admissionregistration.k8s.io", "ValidatingWebhookConfiguration", "/webhooks/0/clientConfig", "/webhooks/*/clientConfig"),
	injectable("admissionregistration.k8s.io", "MutatingWebhookConfiguration", "/webhooks/0/clientConfig", "/webhooks/*/clientConfig"),
	injectable("apiextensions.k8s.io", "CustomResourceDefinition", "/spec/conversion/webhook/clientConfig", "/spec/conversion/webhook/clientConfig"),
	injectable("apiregistration.k8s.io", "APIService", "/spec", "/spec"),
}

// injectable is a kind whose CA bundle, in the map at a path, an injector writes where an
// annotation asks for it; place is the path as owned has it.
func injectable(group, kind, path, place string) prunable {
	const annotation = "/metadata/annotations/cert-manager.io~1inject-ca-from"
	return prunable{
		kind:  schema.GroupVersionKind{Group: group, Version: "v1", Kind: kind},
		paths: []string{path + "/caBundle", path, path + "/service/name", annotation, "/metadata/annotations/mine"},
		owned: func(o map[string]any, at string, _ any) bool {
			annotations, _ := o["metadata"].(map[string]any)["annotations"].(map[string]any)
			return annotations["cert-manager.io/inject-ca-from"] != nil && at == place+"/caBundle"
		},
	}
}

func ownedOfJob(o map[string]any, path string, _ any) bool {
	labels := func(prefix string) bool {
		return slices.ContainsFunc(generatedLabels, func(l string) bool { return path == prefix+l })
	}
	generated := at(o, "spec", "manualSelector") != true && (path == "/spec/selector" || labels(podLabels))
	copied := at(o, "metadata", "labels", "batch.kubernetes.io/controller-uid") != nil && labels("/metadata/labels/")
	return path == "/spec/ttlSecondsAfterFinished" || generated || copied
}

func ownedOfPod(o map[string]any, path string, value any) bool {
	const token = "kube-api-access-"
	switch path {
	case "/spec/volumes/*":
		return hasPrefix(at(value, "name"), token) && at(value, "projected") != nil
	case "/spec/containers/*/volumeMounts/*", "/spec/initContainers/*/volumeMounts/*":
		return hasPrefix(at(value, "name"), token)
	case "/spec/volumes", "/spec/containers/*/volumeMounts", "/spec/initContainers/*/volumeMounts":
		list, _ := value.([]any)
		return len(list) == 0 || !slices.ContainsFunc(list, func(v any) bool { return !hasPrefix(at(v, "name"), token) })
	}
	return among("/spec/nodeName", "/spec/priority", "/spec/overhead", "/spec/preemptionPolicy", "/spec/ephemeralContainers")(o, path, nil)
}

// FuzzPrune prunes objects of all kinds that have a rule, with values of any type at the
// fields that matter. Nothing is added or changed, nothing that the servers do not own is
// removed, and pruning twice is pruning once.
func FuzzPrune(f *testing.F) {
	rules := interpreter(f).Snapshot()
	for i := range prunables {
		f.Add(uint8(i), []byte{0, 3, 1, 4, 2, 5, 3, 6, 4, 7, 5, 3, 6, 4, 7, 5})
		f.Add(uint8(i), []byte{0, 0, 1, 0, 2, 0, 3, 9, 4, 10, 5, 11, 6, 8})
	}
	f.Fuzz(func(t *testing.T, which uint8, choices []byte) {
		p := prunables[int(which)%len(prunables)]
		o := generated(p, choices[:min(len(choices), 64)])
		before := o.DeepCopy()
		pruned, err := rules.Prune(o)
		if diff := cmp.Diff(before.Object, o.Object); diff != "" {
			t.Fatalf("the template was changed:\n%s", diff)
		}
		if err != nil {
			return // a value of the wrong type
		}
		c := comparison{t, func(path string, value any) bool { return p.owned(o.Object, path, value) }}
		for _, r := range c.removed("", o.Object, pruned.Object) {
			if !c.owned(r.path, r.value) {
				t.Errorf("%s %v was removed, which the user wrote, from\n%v", r.path, r.value, o.Object)
			}
		}
		twice, err := rules.Prune(pruned)
		if err != nil {
			t.Fatalf("pruning again: %v", err)
		}
		if diff := cmp.Diff(pruned.Object, twice.Object); diff != "" {
			t.Errorf("pruning twice (-once +twice):\n%s", diff)
		}
	})
}

// TestEveryPruneRuleIsFuzzed fails where a kind of Kubernetes has a rule that FuzzPrune
// does not know.
func TestEveryPruneRuleIsFuzzed(t *testing.T) {
	for _, b := range bundles(t) {
		for kind, rules := range b.Source.Kinds {
			known := slices.ContainsFunc(prunables, func(p prunable) bool { return p.kind == kind })
			if _, prunes := rules[engine.PruneTemplate]; prunes && !known {
				t.Errorf("%s has a PruneTemplate: add it to prunables", kind)
			}
		}
	}
}

// generated returns an object of a kind with values at some of its paths: two choices for
// each.
func generated(p prunable, choices []byte) *unstructured.Unstructured {
	o := fixture.Object(p.kind, "space", "one", nil)
	for ; len(choices) > 1; choices = choices[2:] {
		values := []any{
			nil, "", "None", "one-token-x", "kube-api-access-x", int64(7),
			map[string]any{},
			map[string]any{"a": "b"},
			true,
			[]any{},
			[]any{"x"},
			[]any{map[string]any{"name": "kube-api-access-x"}, map[string]any{"name": "mine"}},
			"kubernetes.io/service-account-token", 1.5, "x",
		}
		path := strings.Split(p.paths[int(choices[0])%len(p.paths)], "/")[1:]
		put(o.Object, path, values[int(choices[1])%len(values)])
	}
	o.SetGroupVersionKind(p.kind)
	return o
}

// put sets the value at a path, where what is there has the form for it.
func put(at any, path []string, value any) any {
	if len(path) == 0 {
		return value
	}
	key := strings.ReplaceAll(path[0], "~1", "/")
	if i, err := strconv.Atoi(key); err == nil {
		list, _ := at.([]any)
		for len(list) <= i {
			list = append(list, map[string]any{})
		}
		list[i] = put(list[i], path[1:], value)
		return list
	}
	m, ok := at.(map[string]any)
	if !ok {
		m = map[string]any{}
	}
	m[key] = put(m[key], path[1:], value)
	return m
}

// removal is a value that was removed, with its path as a pattern.
type removal struct {
	path  string
	value any
}

// comparison compares an object with what is left of it. owned reports whether a value at
// a path may be missing.
type comparison struct {
	t     *testing.T
	owned func(path string, value any) bool
}

// removed returns what is in before and not in after. What is in after alone, or differs,
// is an error.
func (c comparison) removed(path string, before, after any) []removal {
	c.t.Helper()
	var all []removal
	switch b := before.(type) {
	case map[string]any:
		a, _ := after.(map[string]any)
		for key, value := range b {
			below := path + "/" + strings.ReplaceAll(key, "/", "~1")
			next, there := a[key]
			if !there {
				all = append(all, removal{below, value})
				continue
			}
			all = append(all, c.removed(below, value, next)...)
		}
		for key := range a {
			if _, there := b[key]; !there {
				c.t.Errorf("%s/%s was added", path, key)
			}
		}
	case []any:
		a, _ := after.([]any)
		all = c.removedItems(path, b, a)
	default:
		if diff := cmp.Diff(before, after); diff != "" {
			c.t.Errorf("%s was changed:\n%s", path, diff)
		}
	}
	return all
}

// removedItems returns what is in the items before and not in those after. Of two items
// that may be the one that is left it is the same one, then the one that is not owned.
func (c comparison) removedItems(path string, before, after []any) []removal {
	c.t.Helper()
	path += "/*"
	var all []removal
	for i, item := range before {
		fewer := len(before)-i > len(after)
		switch {
		case len(after) == 0, fewer && !cmp.Equal(after[0], item) && c.owned(path, item), !isPartOf(after[0], item):
			all = append(all, removal{path, item})
		default:
			all = append(all, c.removed(path, item, after[0])...)
			after = after[1:]
		}
	}
	if len(after) > 0 {
		c.t.Errorf("%s: %v was added", path, after)
	}
	return all
}

// isPartOf reports whether a value is another without some fields of its maps and some
// items of its lists.
func isPartOf(part, whole any) bool {
	switch w := whole.(type) {
	case map[string]any:
		p, ok := part.(map[string]any)
		for key, value := range p {
			ok = ok && isPartOf(value, w[key])
		}
		return ok
	case []any:
		p, ok := part.([]any)
		for _, item := range w {
			if len(p) > 0 && isPartOf(p[0], item) {
				p = p[1:]
			}
		}
		return ok && len(p) == 0
	}
	return cmp.Equal(part, whole)
}

// at returns the value at a path of maps, nil where there is none.
func at(v any, path ...string) any {
	for _, key := range path {
		m, _ := v.(map[string]any)
		v = m[key]
	}
	return runtime.DeepCopyJSONValue(v)
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

func hasPrefix(v any, prefix string) bool { return strings.HasPrefix(text(v), prefix) }

// isEmpty reports whether the list in a field of an object keeps no item when it is pruned.
func isEmpty(o map[string]any, path string) bool {
	list, _ := o[path[1:]].([]any)
	prefix := fmt.Sprintf("%v-token-", at(o, "metadata", "name"))
	return !slices.ContainsFunc(list, func(v any) bool { return !hasPrefix(at(v, "name"), prefix) })
}
