// SPDX-License-Identifier: Apache-2.0

package fleet_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"github.com/dragoman-io/dragoman/cmd/dragoman-fleet/fleet"
)

var flinkDeployments = schema.GroupVersionResource{Group: "flink.apache.org", Version: "v1beta1", Resource: "flinkdeployments"}

var _ = Describe("the stand-in for the Flink operator", Ordered, func() {
	var jobs dynamic.ResourceInterface

	BeforeAll(func(ctx SpecContext) {
		member := whole.Members[0]
		createFlinkCRD(ctx, member) // after the stand-in: it waits for the kind
		client, err := dynamic.NewForConfig(member.RESTConfig())
		Expect(err).NotTo(HaveOccurred())
		jobs = client.Resource(flinkDeployments).Namespace("default")
	})

	It("reports a running job whose id is its own and stays", func(ctx SpecContext) {
		first, second := createFlink(ctx, jobs, "first"), createFlink(ctx, jobs, "second")
		Eventually(statusOf(ctx, jobs, "first")).WithTimeout(timeout).Should(And(
			HaveKeyWithValue("jobManagerDeploymentStatus", "READY"),
			HaveKeyWithValue("lifecycleState", "STABLE"),
			HaveKeyWithValue("observedGeneration", int64(1)),
			HaveKeyWithValue("jobStatus", And(
				HaveKeyWithValue("state", "RUNNING"),
				HaveKeyWithValue("jobId", jobID(first)),
				HaveKeyWithValue("jobID", jobID(first)),
				HaveKeyWithValue("jobName", "first"),
				HaveKeyWithValue("startTime", MatchRegexp(`^\d{13}$`)),
			)),
		))
		Expect(jobID(first)).To(MatchRegexp("^[0-9a-f]{32}$"))
		Expect(jobID(first)).NotTo(Equal(jobID(second)))

		patchFlink(ctx, jobs, "first", `{"spec":{"job":{"parallelism":5}}}`)
		Eventually(statusOf(ctx, jobs, "first")).WithTimeout(timeout).Should(And(
			HaveKeyWithValue("observedGeneration", int64(2)),
			HaveKeyWithValue("jobStatus", HaveKeyWithValue("jobId", jobID(first))),
			HaveKeyWithValue("taskManager", HaveKeyWithValue("replicas", int64(5))),
		))
	})

	It("reports a lost job, with its id, as long as the annotation is set", func(ctx SpecContext) {
		job := createFlink(ctx, jobs, "third")
		running := HaveKeyWithValue("jobStatus", And(
			HaveKeyWithValue("state", "RUNNING"), HaveKeyWithValue("jobId", jobID(job))))
		Eventually(statusOf(ctx, jobs, "third")).WithTimeout(timeout).Should(running)

		patchFlink(ctx, jobs, "third", `{"metadata":{"annotations":{"stand-in.dragoman.io/fail":"true"}}}`)
		Eventually(statusOf(ctx, jobs, "third")).WithTimeout(timeout).Should(And(
			HaveKeyWithValue("jobManagerDeploymentStatus", "ERROR"),
			HaveKeyWithValue("error", Not(BeEmpty())),
			HaveKeyWithValue("jobStatus", And(
				HaveKeyWithValue("state", "RECONCILING"), HaveKeyWithValue("jobId", jobID(job)))),
		))

		patchFlink(ctx, jobs, "third", `{"metadata":{"annotations":{"stand-in.dragoman.io/fail":null}}}`)
		Eventually(statusOf(ctx, jobs, "third")).WithTimeout(timeout).Should(And(running, Not(HaveKey("error"))))
	})
})

var _ = Describe("a stand-in", func() {
	It("is loaded by name or from a file", func() {
		Expect(fleet.StandInNames()).To(ContainElement("flink"))
		embedded, err := fleet.LoadStandIn("flink")
		Expect(err).NotTo(HaveOccurred())

		path := filepath.Join(GinkgoT().TempDir(), "mine.yaml")
		Expect(os.WriteFile(path, embedded.Stages, 0o600)).To(Succeed())
		loaded, err := fleet.LoadStandIn(path)
		Expect(err).NotTo(HaveOccurred())
		Expect(loaded.Name).To(Equal("mine"))
		Expect(loaded.Stages).To(Equal(embedded.Stages))

		_, err = fleet.LoadStandIn("unknown")
		Expect(err).To(MatchError(ContainSubstring("want one of flink")))
	})

	DescribeTable("is refused before anything starts",
		func(ctx SpecContext, s fleet.StandIn, want string) {
			_, err := fleet.StartAPIServers(ctx, fleet.Options{StandIns: []fleet.StandIn{s}})
			Expect(err).To(MatchError(ContainSubstring(want)))
		},
		Entry("without stages", fleet.StandIn{Name: "empty"}, "no stages"),
		Entry("for nodes", fleet.StandIn{Name: "nodes", Stages: []byte("kind: Stage\nspec: {resourceRef: {apiGroup: v1, kind: Node}}")}, "custom resource"),
		Entry("of another kind", fleet.StandIn{Name: "other", Stages: []byte("kind: ConfigMap")}, "want Stages"),
		Entry("with a name that is no file name", fleet.StandIn{Name: "a/b"}, "RFC 1123 label"),
	)
})

// createFlinkCRD creates a CRD of no more than the kind with a status.
func createFlinkCRD(ctx context.Context, c *fleet.Cluster) {
	GinkgoHelper()
	client, err := apiextensions.NewForConfig(c.RESTConfig())
	Expect(err).NotTo(HaveOccurred())
	anything := true
	crd := &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "flinkdeployments.flink.apache.org"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: flinkDeployments.Group,
			Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Kind: "FlinkDeployment", Plural: flinkDeployments.Resource},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: flinkDeployments.Version, Served: true, Storage: true,
				Subresources: &apiextensionsv1.CustomResourceSubresources{Status: &apiextensionsv1.CustomResourceSubresourceStatus{}},
				Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
					Type: "object", XPreserveUnknownFields: &anything,
				}},
			}},
		},
	}
	crds := client.ApiextensionsV1().CustomResourceDefinitions()
	_, err = crds.Create(ctx, crd, metav1.CreateOptions{})
	Expect(err).NotTo(HaveOccurred())
	Eventually(func() []apiextensionsv1.CustomResourceDefinitionCondition {
		crd, err := crds.Get(ctx, crd.Name, metav1.GetOptions{})
		Expect(err).NotTo(HaveOccurred())
		return crd.Status.Conditions
	}).WithTimeout(timeout).Should(ContainElement(And(
		HaveField("Type", apiextensionsv1.Established), HaveField("Status", apiextensionsv1.ConditionTrue))))
}

func createFlink(ctx context.Context, jobs dynamic.ResourceInterface, name string) *unstructured.Unstructured {
	GinkgoHelper()
	job := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "flink.apache.org/v1beta1",
		"kind":       "FlinkDeployment",
		"metadata":   map[string]any{"name": name},
		"spec":       map[string]any{"job": map[string]any{"parallelism": int64(2)}},
	}}
	var created *unstructured.Unstructured
	Eventually(func() (err error) { // established, but some handler may not know it yet
		created, err = jobs.Create(ctx, job, metav1.CreateOptions{})
		return err
	}).WithTimeout(timeout).Should(Succeed())
	return created
}

func patchFlink(ctx context.Context, jobs dynamic.ResourceInterface, name, patch string) {
	GinkgoHelper()
	_, err := jobs.Patch(ctx, name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	Expect(err).NotTo(HaveOccurred())
}

// statusOf returns a function that reads the status; missing counts as empty.
func statusOf(ctx context.Context, jobs dynamic.ResourceInterface, name string) func() map[string]any {
	return func() map[string]any {
		job, err := jobs.Get(ctx, name, metav1.GetOptions{})
		Expect(err).NotTo(HaveOccurred())
		status, _, err := unstructured.NestedMap(job.Object, "status")
		Expect(err).NotTo(HaveOccurred())
		return status
	}
}

// jobID is the id that the stand-in must set.
func jobID(job *unstructured.Unstructured) string {
	return strings.ReplaceAll(string(job.GetUID()), "-", "")
}
