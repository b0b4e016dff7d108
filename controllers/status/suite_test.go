// SPDX-License-Identifier: Apache-2.0

package status_test

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/test/fixture"
	"github.com/dragoman-io/dragoman/test/suite"
)

var (
	// hub has no members: Clusters and Works exist in name only.
	hub *suite.Suite
	// interpreter has the bundles of this program.
	interpreter *engine.Interpreter

	configMaps  = schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}
	deployments = schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}
)

func TestStatus(t *testing.T) { suite.Specs(t, "Status") }

var _ = BeforeSuite(func(ctx SpecContext) {
	var err error
	hub = suite.Begin(ctx)
	Expect(hub.Run()).To(Succeed())
	interpreter, err = fixture.Interpreter()
	Expect(err).NotTo(HaveOccurred())
})

// deployment makes a Deployment of two replicas.
func deployment(namespace, name string) *unstructured.Unstructured {
	return fixture.Object(deployments, namespace, name, map[string]any{"spec": map[string]any{
		"replicas": int64(2),
		"selector": map[string]any{"matchLabels": map[string]any{"app": "m"}},
		"template": map[string]any{
			"metadata": map[string]any{"labels": map[string]any{"app": "m"}},
			"spec":     map[string]any{"containers": []any{map[string]any{"name": "c", "image": "nginx"}}},
		},
	}})
}

// answering returns an interpreter with one script for a kind.
func answering(kind schema.GroupVersionKind, operation engine.Op, source string) *engine.Interpreter {
	GinkgoHelper()
	i := engine.NewInterpreter(engine.Options{})
	Expect(i.Set(engine.Embedded, sourceOf(kind, operation, source))).To(Succeed())
	return i
}

// sourceOf returns a source with one script for a kind.
func sourceOf(kind schema.GroupVersionKind, operation engine.Op, source string) engine.RuleSet {
	GinkgoHelper()
	compiler, err := engine.NewCompiler()
	Expect(err).NotTo(HaveOccurred())
	described, err := engine.Describe(operation)
	Expect(err).NotTo(HaveOccurred())
	program, err := compiler.Lua(engine.Script{File: described.File + ".lua", Operation: operation, Text: source})
	Expect(err).NotTo(HaveOccurred())
	return engine.RuleSet{Name: "spec", Kinds: map[schema.GroupVersionKind]engine.Rules{
		kind: {operation: {Program: program, Origin: "bundle spec"}},
	}}
}

// setApplied sets whether a Work is applied.
func setApplied(w *workv1alpha1.Work, value metav1.ConditionStatus) {
	meta.SetStatusCondition(&w.Status.Conditions, metav1.Condition{Type: workv1alpha1.WorkApplied, Status: value, Reason: "Spec", Message: "said by a spec"})
}
