// SPDX-License-Identifier: Apache-2.0

package failover

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/dragoman-io/dragoman/api/names"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/test/fixture"
	"github.com/dragoman-io/dragoman/test/shared"
)

// jobPolicy is a policy of a job, by apiVersion, kind and name, for one cluster at a time.
const jobPolicy = `
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: job}
spec:
  propagateDeps: true
  resourceSelectors: [{apiVersion: %s, kind: %s, name: %s}]
  placement: {spreadConstraints: [{spreadByField: cluster, minGroups: 1, maxGroups: 1}]}
  failover:
    application: {decisionConditions: {tolerationSeconds: 15}, purgeMode: Directly}
    cluster: {purgeMode: Directly}
`

// job is a job of an operator that runs in one member at a time.
type job struct{ template *unstructured.Unstructured }

// submit creates the objects of a file as their project publishes them, the job first, but
// for the namespace and what edit changes of the job.
func submit(ctx context.Context, file string, edit func(*unstructured.Unstructured)) job {
	GinkgoHelper()
	text, err := os.ReadFile(filepath.Join(shared.Folder(GinkgoTB(), "real"), file))
	Expect(err).NotTo(HaveOccurred())
	space := env.Namespace(ctx)
	var j job
	for written := range strings.SplitSeq(string(text), "\n---\n") {
		o := fixture.Document(written)
		o.SetNamespace(space)
		if j.template == nil {
			j.template = o
			edit(o)
			env.Apply(ctx, space, fmt.Sprintf(jobPolicy, o.GetAPIVersion(), o.GetKind(), o.GetName()))
		}
		Expect(env.Hub.Create(ctx, o)).To(Succeed())
	}
	return j
}

// in reads the copy of the job in a member.
func (j job) in(ctx context.Context, g Gomega, member string) *unstructured.Unstructured {
	o := fixture.Object(j.template.GroupVersionKind(), j.template.GetNamespace(), j.template.GetName(), nil)
	g.Expect(env.At(member).Get(ctx, client.ObjectKeyFromObject(o), o)).To(Succeed())
	return o
}

// runs waits until the job is healthy in its only cluster, which is not another one, and
// returns that.
func (j job) runs(ctx context.Context, not string) string {
	GinkgoHelper()
	var member string
	Eventually(func(g Gomega) {
		b, err := env.Binding(ctx, j.template.GetNamespace(), names.Binding(j.template.GetKind(), j.template.GetName()))()
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(b.Spec.Clusters).To(HaveLen(1))
		member = b.Spec.Clusters[0].Name
		g.Expect(member).NotTo(Equal(not))
		g.Expect(b.Status.AggregatedStatus).To(ConsistOf(And(HaveField("ClusterName", member), HaveField("Health", workv1alpha2.ResourceHealthy))))
		g.Expect(b.Spec.GracefulEvictionTasks).To(BeEmpty())
	}).Should(Succeed())
	return member
}

// fails has the operator of a member report the job as failed.
func (j job) fails(ctx context.Context, member string) {
	GinkgoHelper()
	patch := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"annotations":{"stand-in.dragoman.io/fail":"true"}}}`))
	Expect(env.At(member).Patch(ctx, j.in(ctx, Default, member), patch)).To(Succeed())
}

// leaves taints the cluster of the job, and returns the one where it is healthy then: not one
// where it failed.
func (j job) leaves(ctx context.Context, failed string) string {
	GinkgoHelper()
	member := j.runs(ctx, failed)
	By("tainting " + member)
	env.SetTaints(ctx, member, "fail-test")
	to := j.runs(ctx, member)
	Expect(to).NotTo(Equal(failed))
	Eventually(func() (bool, error) { return env.Present(ctx, member, j.template.DeepCopy()) }).Should(BeFalse())
	env.SetTaints(ctx, member)
	return to
}

// field reads a field of an object by its path; nil where it is not there.
func field(o *unstructured.Unstructured, path ...string) any {
	v, _, _ := unstructured.NestedFieldNoCopy(o.Object, path...)
	return v
}

// resumes is what the copy of a PyTorchJob has that goes on from a path: the variable in
// each container.
func resumes(g Gomega, o *unstructured.Unstructured, path string) {
	for _, role := range []string{"Master", "Worker"} {
		containers, _, err := unstructured.NestedSlice(o.Object, "spec", "pytorchReplicaSpecs", role, "template", "spec", "containers")
		g.Expect(err).NotTo(HaveOccurred())
		variable := HaveKeyWithValue("env", ContainElement(Equal(map[string]any{"name": "RESUME_FROM_CHECKPOINT", "value": path})))
		if path == "" {
			variable = Not(HaveKey("env"))
		}
		g.Expect(containers).To(ConsistOf(variable), role)
	}
}

// The jobs fail at once, so that their toleration passes once. The last specs taint members, which
// all jobs there leave.
var _ = Describe("a job of an operator that its project publishes, by the CRD of that operator", Ordered, ContinueOnFailure, func() {
	const path, location = "s3://models/mnist", "s3://own/pi"
	setting := []string{"spec", "sparkConf", "spark.sql.streaming.checkpointLocation"}
	var (
		pytorch, ray, spark job
		rayID               any
		failed              = map[string]string{} // the members where the jobs failed, by their kinds
	)
	// The copy of each job that goes on: what is asserted of it in the members to which it moves.
	goesOn := func(g Gomega, o *unstructured.Unstructured) { resumes(g, o, path) }
	hasID := func(g Gomega, o *unstructured.Unstructured) {
		g.Expect([]any{field(o, "spec", "jobId"), field(o, "status", "jobId")}).To(Equal([]any{rayID, rayID}))
	}
	hasLocation := func(g Gomega, o *unstructured.Unstructured) {
		g.Expect(field(o, setting...)).To(Equal(location))
		g.Expect(o.GetAnnotations()).To(HaveKeyWithValue("sparkoperator.k8s.io/restored-from", location))
	}

	BeforeAll(serveJobs, NodeTimeout(10*time.Minute))

	BeforeAll(func(ctx SpecContext) {
		pytorch = submit(ctx, "kubeflow/simple.yaml", func(o *unstructured.Unstructured) {
			o.SetAnnotations(map[string]string{"kubeflow.org/checkpoint-path": path})
		})
		ray = submit(ctx, "ray/ray-job.sample.yaml", func(*unstructured.Unstructured) {})
		spark = submit(ctx, "spark/spark-pi.yaml", func(o *unstructured.Unstructured) {
			Expect(unstructured.SetNestedField(o.Object, "s3://all/pi", setting...)).To(Succeed())
		})
		all := []job{pytorch, ray, spark}
		for _, j := range all {
			failed[j.template.GetKind()] = j.runs(ctx, "")
		}
		resumes(Default, pytorch.in(ctx, Default, failed["PyTorchJob"]), "")
		rayID = field(ray.in(ctx, Default, failed["RayJob"]), "status", "jobId")
		Expect(rayID).To(HavePrefix("rayjob-sample-"))
		env.Apply(ctx, spark.template.GetNamespace(), fmt.Sprintf(sparkLocation, failed["SparkApplication"]))
		Eventually(func(g Gomega) {
			b, err := env.Binding(ctx, spark.template.GetNamespace(), "spark-pi-sparkapplication")()
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(b.Status.AggregatedStatus).To(ConsistOf(HaveField("State", HaveKeyWithValue("sparkoperator.k8s.io/checkpoint-location", location))))
		}).Should(Succeed())
		for _, j := range all {
			j.fails(ctx, failed[j.template.GetKind()])
		}
	}, NodeTimeout(10*time.Minute))

	It("as a PyTorchJob is told the path of its checkpoints", func(ctx SpecContext) {
		second := pytorch.runs(ctx, failed["PyTorchJob"])
		goesOn(Default, pytorch.in(ctx, Default, second))
		Expect(pytorch.in(ctx, Default, second).GetAnnotations()).To(HaveKeyWithValue("kubeflow.org/restored-from", path))
		pytorch.keeps(ctx, second, goesOn)
	}, NodeTimeout(10*time.Minute))

	It("as a RayJob is submitted under the id that it had, with what it depends on", func(ctx SpecContext) {
		first := failed["RayJob"]
		second := ray.runs(ctx, first)
		hasID(Default, ray.in(ctx, Default, second))
		code := fixture.Object(schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}, ray.template.GetNamespace(), "ray-job-code-sample", nil)
		Eventually(func() (bool, error) { return env.Present(ctx, second, code) }).Should(BeTrue())
		Eventually(func() (bool, error) { return env.Present(ctx, first, code) }).Should(BeFalse())
		ray.keeps(ctx, second, hasID)
	}, NodeTimeout(10*time.Minute))

	It("as a SparkApplication has its streams go on from the location that it had", func(ctx SpecContext) {
		second := spark.runs(ctx, failed["SparkApplication"])
		hasLocation(Default, spark.in(ctx, Default, second))
		spark.keeps(ctx, second, hasLocation)
	}, NodeTimeout(10*time.Minute))

	It("takes that along when its cluster is tainted", func(ctx SpecContext) {
		goesOn(Default, pytorch.in(ctx, Default, pytorch.leaves(ctx, failed["PyTorchJob"])))
		hasID(Default, ray.in(ctx, Default, ray.leaves(ctx, failed["RayJob"])))
		hasLocation(Default, spark.in(ctx, Default, spark.leaves(ctx, failed["SparkApplication"])))
	}, NodeTimeout(10*time.Minute))
})

// serveJobs has all clusters serve the kinds of the jobs.
func serveJobs(ctx SpecContext) {
	real := shared.Folder(GinkgoTB(), "real")
	var kinds []*apiextensionsv1.CustomResourceDefinition
	for _, file := range []string{"kubeflow/crd-pytorchjobs.yaml", "ray/crd-rayjobs.yaml"} {
		text, err := os.ReadFile(filepath.Join(real, file))
		Expect(err).NotTo(HaveOccurred())
		crd := &apiextensionsv1.CustomResourceDefinition{}
		Expect(yaml.Unmarshal(text, crd)).To(Succeed())
		kinds = append(kinds, crd)
	}
	spark := schema.GroupVersionKind{Group: "sparkoperator.k8s.io", Version: "v1beta2", Kind: "SparkApplication"}
	crd := fixture.Definition(spark, apiextensionsv1.NamespaceScoped) // that of the operator is not among the data
	crd.Annotations = map[string]string{"api-approved.kubernetes.io": "unapproved, as in a test"}
	env.Serve(ctx, append(kinds, crd)...)
}

// sparkLocation is an override by which one cluster has a bucket of its own.
const sparkLocation = `
apiVersion: policy.karmada.io/v1alpha1
kind: OverridePolicy
metadata: {name: spark}
spec:
  resourceSelectors: [{apiVersion: sparkoperator.k8s.io/v1beta2, kind: SparkApplication, name: spark-pi}]
  overrideRules:
    - targetCluster: {clusterNames: [%s]}
      overriders: {plaintext: [{path: /spec/sparkConf/spark.sql.streaming.checkpointLocation, operator: replace, value: "s3://own/pi"}]}
`

// keeps asserts that the copy in a member has something still after the user has edited the
// template, and the copy with it.
func (j job) keeps(ctx context.Context, member string, what func(Gomega, *unstructured.Unstructured)) {
	GinkgoHelper()
	patch := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"labels":{"edited":"true"}}}`))
	Expect(env.Hub.Patch(ctx, j.template, patch)).To(Succeed())
	Eventually(func(g Gomega) {
		o := j.in(ctx, g, member)
		g.Expect(o.GetLabels()).To(HaveKeyWithValue("edited", "true"))
		what(g, o)
	}).Should(Succeed())
}
