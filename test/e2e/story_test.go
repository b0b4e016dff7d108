// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/registry"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/tools/txtar"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	interpreterv1alpha1 "github.com/dragoman-io/dragoman/api/interpreter/v1alpha1"
	"github.com/dragoman-io/dragoman/test/fixture"
)

const story = "testdata/story.txtar"

// scripted lets a spec run a testscript.
type scripted struct{}

func (scripted) Skip(args ...any)                       { Skip(fmt.Sprint(args...)) }
func (scripted) Fatal(args ...any)                      { Fail(fmt.Sprint(args...)) }
func (scripted) Parallel()                              {}
func (scripted) Log(args ...any)                        { GinkgoWriter.Println(args...) }
func (scripted) FailNow()                               { Fail("the script failed; its log is above") }
func (scripted) Verbose() bool                          { return true }
func (s scripted) Run(_ string, f func(t testscript.T)) { f(s) }

// oneCache is an object of the kind of the story, in one member.
const (
	oneCache = `
apiVersion: cache.example.com/v1
kind: Cache
metadata: {name: one}
spec: {engine: redis, size: 2}
`
	cachePolicy = `
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: caches}
spec:
  resourceSelectors: [{apiVersion: cache.example.com/v1, kind: Cache}]
  placement: {clusterAffinity: {clusterNames: [member1]}}
`
)

var _ = Describe("a person with the CRD of their kind", func() {
	It("ends with a tested, signed, pushed, shadowed and active bundle in ten commands", func(ctx SpecContext) {
		archive, err := txtar.ParseFile(story)
		Expect(err).NotTo(HaveOccurred())
		crd := &apiextensionsv1.CustomResourceDefinition{}
		for _, f := range archive.Files {
			if f.Name == "crd.yaml" {
				Expect(yaml.UnmarshalStrict(f.Data, crd)).To(Succeed())
			}
		}
		env.Serve(ctx, crd)
		space := env.Namespace(ctx)
		env.Apply(ctx, space, cachePolicy)
		env.Apply(ctx, space, oneCache)
		object := fixture.Document(oneCache)
		object.SetNamespace(space)
		key := client.ObjectKeyFromObject(object)
		Eventually(func(g Gomega) { // the control plane may write the object meanwhile
			g.Expect(env.At("member1").Get(ctx, key, object)).To(Succeed())
			g.Expect(unstructured.SetNestedField(object.Object, "Broken", "status", "phase")).To(Succeed())
			g.Expect(env.At("member1").Status().Update(ctx, object)).To(Succeed())
		}).Should(Succeed())

		server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
		DeferCleanup(server.Close)
		DeferCleanup(func(ctx SpecContext) {
			b := &interpreterv1alpha1.ScriptBundle{}
			b.Name = "cache"
			Expect(client.IgnoreNotFound(env.Hub.Delete(ctx, b))).To(Succeed())
			Eventually(func() (string, error) { return env.Metrics(ctx) }).ShouldNot(ContainSubstring(`active_revision{layer="installed",name="cache"`), "no spec after this has its rules")
		})
		testscript.RunT(scripted{}, testscript.Params{
			Files: []string{story},
			Setup: func(e *testscript.Env) error {
				e.Setenv("PATH", env.Bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
				e.Setenv("KUBECONFIG", env.ControlPlane.Kubeconfig)
				e.Setenv("space", space)
				e.Setenv("registry", strings.TrimPrefix(server.URL, "http://"))
				return nil
			},
		})
	}, SpecTimeout(10*time.Minute))

	It("finds the same commands in the README", func() {
		archive, err := txtar.ParseFile(story)
		Expect(err).NotTo(HaveOccurred())
		readme, err := os.ReadFile("../../README.md")
		Expect(err).NotTo(HaveOccurred())
		_, text, found := strings.Cut(string(readme), "## From a CRD to an active bundle")
		Expect(found).To(BeTrue())
		text, _, _ = strings.Cut(text, "\n## ")
		Expect(commands(text, "dragoman ")).To(And(HaveLen(10), Equal(commands(string(archive.Comment), "exec dragoman ")[:10])))
	})
})

// commands lists the commands of the lines that begin with a mark, or with ! before it, as a user
// types them.
func commands(text, mark string) []string {
	var all []string
	for _, line := range strings.Split(text, "\n") {
		command, found := strings.CutPrefix(strings.TrimPrefix(line, "! "), mark)
		if !found {
			continue
		}
		command, _, _ = strings.Cut(command, " #")
		command = strings.TrimRight(command, " ")
		command = strings.ReplaceAll(command, "$registry", "registry.example.com")
		all = append(all, strings.ReplaceAll(command, " --plain-http", ""))
	}
	return all
}
