// SPDX-License-Identifier: Apache-2.0

package manifests_test

import (
	"bytes"
	"context"
	"io/fs"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/dragoman-io/dragoman/scripts"
	"github.com/dragoman-io/dragoman/test/fixture"
	"github.com/dragoman-io/dragoman/test/suite"
)

// bundled returns an object of each custom kind that the bundles of the program know, from
// their cases, as a user writes it.
func bundled() []*unstructured.Unstructured {
	var all []*unstructured.Unstructured
	seen := map[schema.GroupKind]bool{}
	err := fs.WalkDir(scripts.FS, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.Contains(path, "/testdata/") || strings.HasPrefix(path, "kubernetes/") {
			return err
		}
		text, err := fs.ReadFile(scripts.FS, path)
		if err != nil {
			return err
		}
		for _, o := range objectsOf(text) {
			if kind := o.GroupVersionKind().GroupKind(); !seen[kind] && o.GetName() != "" && strings.Contains(kind.Group, ".") {
				seen[kind] = true
				all = append(all, asWritten(o))
			}
		}
		return nil
	})
	if err != nil {
		panic(err) // the bundles are part of the program
	}
	return all
}

// objectsOf returns the objects of the cases in a file. A file in another form has none.
func objectsOf(text []byte) []*unstructured.Unstructured {
	var all []*unstructured.Unstructured
	documents := utilyaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096)
	for {
		var c struct {
			Desired  map[string]any `json:"desiredObj"`
			Observed map[string]any `json:"observedObj"`
		}
		if err := documents.Decode(&c); err != nil {
			return all
		}
		for _, o := range []map[string]any{c.Desired, c.Observed} {
			if _, well := o["metadata"].(map[string]any); well {
				all = append(all, &unstructured.Unstructured{Object: o})
			}
		}
	}
}

// asWritten returns an object without what an API server and controllers wrote.
func asWritten(o *unstructured.Unstructured) *unstructured.Unstructured {
	delete(o.Object, "status")
	metadata := o.Object["metadata"].(map[string]any)
	group, _, _ := strings.Cut(o.GroupVersionKind().Group, ".")
	kept := map[string]any{"name": "bundled-" + group, "namespace": space} // unlike all samples of the same kind
	for _, field := range []string{"labels", "annotations"} {
		if metadata[field] != nil {
			kept[field] = metadata[field]
		}
	}
	o.Object["metadata"] = kept
	return o
}

// install makes both API servers serve the kinds of objects. All are created before the
// first is waited for.
func install(ctx context.Context, all []*unstructured.Unstructured) {
	GinkgoHelper()
	servers := []client.WithWatch{running.Client, member}
	var definitions []*apiextensionsv1.CustomResourceDefinition
	for _, o := range all {
		crd := fixture.Definition(o.GroupVersionKind(), apiextensionsv1.NamespaceScoped)
		crd.Annotations = map[string]string{"api-approved.kubernetes.io": "unapproved, for a test"} // some groups are protected
		definitions = append(definitions, crd)
		for _, c := range servers {
			Expect(client.IgnoreAlreadyExists(c.Create(ctx, crd.DeepCopy()))).To(Succeed())
		}
	}
	for _, crd := range definitions {
		for _, c := range servers {
			Expect(suite.Install(ctx, c, crd)).To(Succeed())
		}
	}
}

var _ = Describe("an object of a custom kind of the bundles", func() {
	It("is in the member what the user wrote", func(ctx SpecContext) {
		all := bundled()
		Expect(len(all)).To(BeNumerically(">", 30), "the kinds of the bundles")
		install(ctx, all)
		for _, o := range all {
			By(o.GetAPIVersion() + " " + o.GetKind())
			compare(ctx, o)
		}
	})
})
