// SPDX-License-Identifier: Apache-2.0

package override_test

import (
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/decide/override"
)

var update = flag.Bool("update", false, "rewrite the expected files in testdata")

// readYAML reads a file of testdata; a missing one leaves the value as it is.
func readYAML(t testing.TB, file string, into any) {
	t.Helper()
	data, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.UnmarshalStrict(data, into); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

// policiesOf reads the documents of a file of policies.
func policiesOf(t testing.TB, file string) override.Policies {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var all override.Policies
	for text := range strings.SplitSeq(string(data), "\n---\n") {
		if strings.Contains(text, "kind: ClusterOverridePolicy") {
			p := &policyv1alpha1.ClusterOverridePolicy{}
			if err := yaml.UnmarshalStrict([]byte(text), p); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			all.ClusterWide = append(all.ClusterWide, p)
			continue
		}
		p := &policyv1alpha1.OverridePolicy{}
		if err := yaml.UnmarshalStrict([]byte(text), p); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all.Namespaced = append(all.Namespaced, p)
	}
	return all
}

// golden is what Apply makes of a case for one cluster.
type golden struct {
	Cluster     string                     `json:"cluster"`
	Error       string                     `json:"error,omitempty"`
	Object      *unstructured.Unstructured `json:"object,omitempty"`
	ClusterWide []override.Applied         `json:"clusterWide,omitempty"`
	Namespaced  []override.Applied         `json:"namespaced,omitempty"`
}

// TestGolden applies the policies of each folder of testdata/golden to its object, for each
// of its clusters, and compares object and annotations.
func TestGolden(t *testing.T) {
	folders, err := filepath.Glob("testdata/golden/*")
	if err != nil || len(folders) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, folder := range folders {
		t.Run(filepath.Base(folder), func(t *testing.T) {
			object := &unstructured.Unstructured{}
			readYAML(t, filepath.Join(folder, "object.yaml"), &object.Object)
			object.Object = whole(object.Object).(map[string]any)
			clusters := []clusterv1alpha1.Cluster{}
			readYAML(t, filepath.Join(folder, "clusters.yaml"), &clusters)
			p := policiesOf(t, filepath.Join(folder, "policies.yaml"))
			before, policiesBefore := object.DeepCopy(), marshal(t, p)
			var all []string
			for i := range clusters {
				all = append(all, marshal(t, apply(object, &clusters[i], p)))
			}
			if d := cmp.Diff(before, object); d != "" {
				t.Errorf("Apply changed the object that it got (-before +after):\n%s", d)
			}
			if d := cmp.Diff(policiesBefore, marshal(t, p)); d != "" {
				t.Errorf("Apply changed the policies that it got (-before +after):\n%s", d)
			}
			compare(t, filepath.Join(folder, "want.yaml"), strings.Join(all, "---\n"))
		})
	}
}

// apply returns what Apply makes of an object for a cluster.
func apply(object *unstructured.Unstructured, cluster *clusterv1alpha1.Cluster, p override.Policies) golden {
	r, err := override.Apply(object, cluster, p)
	g := golden{Cluster: cluster.Name, Object: r.Object, ClusterWide: r.ClusterWide, Namespaced: r.Namespaced}
	if err != nil {
		g.Error = err.Error()
	}
	return g
}

// whole returns a value with whole numbers as int64.
func whole(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for k, v := range value {
			value[k] = whole(v)
		}
	case []any:
		for i, v := range value {
			value[i] = whole(v)
		}
	case float64:
		if value == float64(int64(value)) {
			return int64(value)
		}
	}
	return value
}

func marshal(t testing.TB, v any) string {
	t.Helper()
	data, err := yaml.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func compare(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got):\n%s", file, d)
	}
}

// object reads an object from YAML.
func object(t testing.TB, text string) *unstructured.Unstructured {
	t.Helper()
	data, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	o := &unstructured.Unstructured{}
	if err := o.UnmarshalJSON(data); err != nil {
		t.Fatal(err)
	}
	return o
}

// policyOf returns a policy named p in the object's namespace with one rule for all clusters.
func policyOf(t testing.TB, overriders string) override.Policies {
	t.Helper()
	p := &policyv1alpha1.OverridePolicy{}
	p.Namespace, p.Name = "ns", "p"
	p.Spec.OverrideRules = []policyv1alpha1.RuleWithCluster{{}}
	if err := yaml.UnmarshalStrict([]byte(overriders), &p.Spec.OverrideRules[0].Overriders); err != nil {
		t.Fatal(err)
	}
	return override.Policies{Namespaced: []*policyv1alpha1.OverridePolicy{p}}
}

func member(name string) *clusterv1alpha1.Cluster {
	c := &clusterv1alpha1.Cluster{}
	c.Name = name
	return c
}

// requirement returns a field selector's requirement with a key.
func requirement(key string) corev1.NodeSelectorRequirement {
	return corev1.NodeSelectorRequirement{Key: key, Operator: corev1.NodeSelectorOpIn, Values: []string{"x"}}
}

// malformed returns a label selector that cannot be read.
func malformed() *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "a", Operator: "Like"}}}
}

// fuzzed returns an object and a policy from texts; false if they are none.
func fuzzed(objectText, overriders string) (*unstructured.Unstructured, override.Policies, bool) {
	data, err := yaml.YAMLToJSON([]byte(objectText))
	o := &unstructured.Unstructured{}
	if err != nil || o.UnmarshalJSON(data) != nil || o.IsList() {
		return nil, override.Policies{}, false
	}
	p := &policyv1alpha1.OverridePolicy{}
	p.Namespace, p.Name = o.GetNamespace(), "p"
	p.Spec.OverrideRules = []policyv1alpha1.RuleWithCluster{{}}
	if yaml.Unmarshal([]byte(overriders), &p.Spec.OverrideRules[0].Overriders) != nil {
		return nil, override.Policies{}, false
	}
	return o, override.Policies{Namespaced: []*policyv1alpha1.OverridePolicy{p}}, true
}

func toJSON(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
