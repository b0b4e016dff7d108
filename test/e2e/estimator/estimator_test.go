// SPDX-License-Identifier: Apache-2.0

// Package estimator tests, on a whole fleet with an estimator beside each member, that
// workloads go where the nodes of members still have room for them.
package estimator

import (
	"context"
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/dragoman-io/dragoman/api/names"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/cmd/dragoman-fleet/fleet"
	"github.com/dragoman-io/dragoman/test/environment"
	"github.com/dragoman-io/dragoman/test/fixture"
	"github.com/dragoman-io/dragoman/test/programs"
	"github.com/dragoman-io/dragoman/test/suite"
)

func TestEstimator(t *testing.T) { suite.Specs(t, "estimators beside members") }

var (
	env *environment.Environment
	// beside are the estimators of the members.
	beside = map[string]*exec.Cmd{}
)

// free is what each node of a member has free, in CPUs, besides 31Gi of memory or more. By hand:
//
//	what                                  member1    member2      member3    goes to
//	free on nodes                         1, 1, 1    2, 1         0.5, 0.5
//	the sum of that                       3          3            1
//	Deployment of 2 CPUs                  0          1            0          member2
//	PyTorchJob, master 1, 2 workers of 1  1          1            0          either
//	RayJob, head 2, worker and submitter  0          1            0          member2
//	of 0.5 each
//	FlinkDeployment, jm 1, 2 tm of 1      1          1            0          either
//	volcano Job, 3 tasks of 1             1          1            0          either
//	Deployment of 0.5 CPU, 6 replicas     6          6            2          as it is divided
var free = map[string][]string{"member1": {"1", "1", "1"}, "member2": {"2", "1"}, "member3": {"500m", "500m"}}

var _ = BeforeSuite(func(ctx SpecContext) {
	var flags []string
	reserved := map[string]net.Listener{} // so that the fleet does not get their ports
	for member := range free {
		port, err := fleet.FreePort()
		Expect(err).NotTo(HaveOccurred())
		reserved[member], err = net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		Expect(err).NotTo(HaveOccurred())
		flags = append(flags, "--scheduler-estimator-address", fmt.Sprintf("%s=%s", member, reserved[member].Addr()))
	}
	env = environment.Begin(ctx, nil, append(flags, "--enable-scheduler-estimator", "--enable-descheduler", "--descheduling-interval", "1s", "--unschedulable-threshold", "1s")...)
	_, err := programs.Dir(ctx, env.Bin, "dragoman-estimator")
	Expect(err).NotTo(HaveOccurred())
	for _, m := range env.Members {
		take(ctx, m.Name)
		Expect(reserved[m.Name].Close()).To(Succeed())
		estimate(m, reserved[m.Name].Addr().(*net.TCPAddr).Port)
	}
	env.Join(ctx)
	for _, m := range env.Members {
		awaitEstimator(ctx, m.Name)
	}
})

var _ = AfterEach(func() { env.ReportLog() })

// estimate runs the estimator of a member until the end.
func estimate(m *fleet.Cluster, port int) {
	GinkgoHelper()
	cmd := exec.Command(filepath.Join(env.Bin, "dragoman-estimator"), "--cluster-name", m.Name, "--kubeconfig", m.Kubeconfig, //nolint:gosec // what was just built
		"--bind-address", "127.0.0.1", "--port", fmt.Sprint(port), "--health-probe-bind-address", "0", "--metrics-bind-address", "0")
	cmd.Stdout, cmd.Stderr = GinkgoWriter, GinkgoWriter
	Expect(cmd.Start()).To(Succeed())
	beside[m.Name] = cmd
	DeferCleanup(func() {
		_ = cmd.Process.Kill() // a spec may have done that
		_ = cmd.Wait()
	})
}

// take leaves of the nodes of a member what the table has: its own go, so that its resource
// summary has the sums of the table, and others have a pod that uses the rest of 8 CPUs.
func take(ctx context.Context, member string) {
	GinkgoHelper()
	c := env.At(member)
	Expect(c.DeleteAllOf(ctx, &corev1.Node{})).To(Succeed())
	for i, cpu := range free[member] {
		n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("%s-small%d", member, i), Labels: map[string]string{"kubernetes.io/hostname": fmt.Sprintf("small%d", i)}}}
		n.Status.Allocatable = corev1.ResourceList{"cpu": resource.MustParse("8"), "memory": resource.MustParse("32Gi"), "pods": resource.MustParse("110")}
		n.Status.Capacity = n.Status.Allocatable
		Expect(c.Create(ctx, n)).To(Succeed())
		used := resource.MustParse("8")
		used.Sub(resource.MustParse(cpu))
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: n.Name}}
		pod.Spec.NodeName = n.Name
		pod.Spec.Containers = []corev1.Container{{Name: "c", Image: "x", Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{"cpu": used}}}}
		Eventually(func() error { return c.Create(ctx, pod) }).Should(Succeed(), "the account of pods is there soon")
	}
}

// awaitEstimator waits until the manager has an answer of the estimator of a member: a pod finds no
// room there that the sum of its nodes has, and that no node has. Until then the manager places what
// the sum has room for, as without estimators.
func awaitEstimator(ctx context.Context, member string) {
	GinkgoHelper()
	cpu := map[string]string{"member1": "2500m", "member2": "2500m", "member3": "750m"}[member]
	in := strings.Replace(onOne, "  placement:\n", "  placement:\n    clusterAffinity: {clusterNames: ["+member+"]}\n", 1)
	Eventually(func(g Gomega) {
		space, o := env.Namespace(ctx), fixture.Document(deployment(1, cpu))
		o.SetNamespace(space)
		env.Apply(ctx, space, fmt.Sprintf(in, o.GetAPIVersion(), o.GetKind()))
		Expect(env.Hub.Create(ctx, o)).To(Succeed())
		defer remove(ctx, o)
		var b *workv1alpha2.ResourceBinding
		g.Eventually(func(g Gomega) {
			var err error
			b, err = env.Binding(ctx, space, names.Binding(o.GetKind(), o.GetName()))()
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(b.Status.Conditions).To(ContainElement(And(HaveField("Type", "Scheduled"), Or(HaveField("Status", metav1.ConditionTrue), noRoom))))
		}).Should(Succeed())
		g.Expect(targetsOf(b)).To(BeEmpty(), "the estimator of %s does not answer yet", member)
	}).Should(Succeed())
}

// noRoom matches the condition of a binding of one replica that no node has room for.
var noRoom = And(HaveField("Reason", "Unschedulable"), HaveField("Message", ContainSubstring("have room for 0 of 1 replicas")))

// onOne is a policy that places what the estimators of clusters have room for on one of them.
const onOne = `
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: one}
spec:
  resourceSelectors: [{apiVersion: %s, kind: %s}]
  placement:
    spreadConstraints: [{spreadByField: cluster, minGroups: 1, maxGroups: 1}]
    replicaScheduling: {replicaSchedulingType: Divided, replicaDivisionPreference: Aggregated}
`

// pod is a template of a pod that requests CPUs.
func pod(cpu string) string {
	return fmt.Sprintf(`{spec: {containers: [{name: c, image: x, resources: {requests: {cpu: "%s"}}}]}}`, cpu)
}

var deployments = schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}

// deployment is one of replicas that request CPUs.
func deployment(replicas int, cpu string) string {
	return fmt.Sprintf(`{apiVersion: apps/v1, kind: Deployment, metadata: {name: foo}, spec: {replicas: %d, selector: {matchLabels: {app: foo}}, template: {metadata: {labels: {app: foo}}, %s`,
		replicas, strings.TrimPrefix(pod(cpu), "{")) + "}}"
}

// place creates a template and a policy for its kind, and returns its binding once it is decided
// as wanted: what the spec before used, and what is assumed, counts for some seconds.
func place(ctx context.Context, text, policy string, wanted OmegaMatcher) *workv1alpha2.ResourceBinding {
	GinkgoHelper()
	space, o := env.Namespace(ctx), fixture.Document(text)
	o.SetNamespace(space)
	env.Apply(ctx, space, fmt.Sprintf(policy, o.GetAPIVersion(), o.GetKind()))
	Expect(env.Hub.Create(ctx, o)).To(Succeed())
	DeferCleanup(func(ctx SpecContext) { remove(ctx, o) })
	var b *workv1alpha2.ResourceBinding
	Eventually(func(g Gomega) {
		var err error
		b, err = env.Binding(ctx, space, names.Binding(o.GetKind(), o.GetName()))()
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(b.Status.Conditions).To(ContainElement(HaveField("Type", "Scheduled")))
		g.Expect(b).To(wanted, "%v", b.Status.Conditions)
	}).Should(Succeed())
	return b
}

// at matches a binding by its targets.
func at(targets OmegaMatcher) OmegaMatcher { return WithTransform(targetsOf, targets) }

// nowhere matches a binding that no node has room for.
var nowhere = And(at(BeEmpty()), HaveField("Status.Conditions", ContainElement(noRoom)))

// remove deletes a template, and waits until its room is free.
func remove(ctx context.Context, template *unstructured.Unstructured) {
	GinkgoHelper()
	Expect(client.IgnoreNotFound(env.Hub.Delete(ctx, template))).To(Succeed())
	for _, m := range env.Members {
		Eventually(func() (bool, error) { return env.Present(ctx, m.Name, template.DeepCopy()) }).Should(BeFalse())
		Eventually(func(g Gomega) {
			var pods corev1.PodList
			g.Expect(env.At(m.Name).List(ctx, &pods, client.InNamespace(template.GetNamespace()))).To(Succeed())
			g.Expect(pods.Items).To(BeEmpty())
		}).Should(Succeed())
	}
}

// targetsOf are the clusters of a binding, with their replicas.
func targetsOf(b *workv1alpha2.ResourceBinding) []string {
	var all []string
	for _, t := range b.Spec.Clusters {
		all = append(all, fmt.Sprintf("%s:%d", t.Name, t.Replicas))
	}
	return all
}

var _ = Describe("What estimators see of the nodes of members", Ordered, ContinueOnFailure, func() {
	BeforeAll(func(ctx SpecContext) {
		var kinds []*apiextensionsv1.CustomResourceDefinition
		for _, kind := range []schema.GroupVersionKind{
			{Group: "kubeflow.org", Version: "v1", Kind: "PyTorchJob"},
			{Group: "ray.io", Version: "v1", Kind: "RayJob"},
			{Group: "batch.volcano.sh", Version: "v1alpha1", Kind: "Job"},
		} {
			kinds = append(kinds, fixture.Definition(kind, apiextensionsv1.NamespaceScoped))
		}
		env.Serve(ctx, kinds...)
	}, NodeTimeout(10*time.Minute))

	DescribeTable("decides where a workload goes that hardly fits", func(ctx SpecContext, text string, where ...string) {
		b := place(ctx, text, onOne, at(HaveLen(1)))
		Expect(where).To(ContainElement(b.Spec.Clusters[0].Name))
	},
		Entry("a Deployment of 2 CPUs", deployment(1, "2"), "member2"),
		Entry("a FlinkDeployment of three pods of one CPU", `
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata: {name: foo}
spec:
  image: flink:1.20
  flinkVersion: v1_20
  flinkConfiguration: {taskmanager.numberOfTaskSlots: "1"}
  jobManager: {replicas: 1, resource: {cpu: 1, memory: 100m}}
  taskManager: {replicas: 2, resource: {cpu: 1, memory: 100m}}
  job: {jarURI: "local:///opt/job.jar", parallelism: 2}
`, "member1", "member2"),
		Entry("a PyTorchJob of three pods of one CPU", `
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: foo}
spec:
  pytorchReplicaSpecs:
    Master: {replicas: 1, template: `+pod("1")+`}
    Worker: {replicas: 2, template: `+pod("1")+`}
`, "member1", "member2"),
		Entry("a RayJob with a head of 2 CPUs", `
apiVersion: ray.io/v1
kind: RayJob
metadata: {name: foo}
spec:
  rayClusterSpec:
    headGroupSpec: {rayStartParams: {}, template: `+pod("2")+`}
    workerGroupSpecs: [{groupName: w, replicas: 1, minReplicas: 1, maxReplicas: 1, rayStartParams: {}, template: `+pod("500m")+`}]
`, "member2"),
		Entry("a Job of Volcano of three pods of one CPU", `
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: foo}
spec:
  minAvailable: 3
  schedulerName: volcano
  tasks: [{name: a, replicas: 3, template: `+pod("1")+`}]
`, "member1", "member2"),
	)

	It("says that a pod fits nowhere that no node has room for, although all nodes of a member have", func(ctx SpecContext) {
		place(ctx, deployment(1, "2500m"), onOne, nowhere)
	})

	It("divides replicas by it", func(ctx SpecContext) {
		divided := strings.Replace(onOne, "minGroups: 1, maxGroups: 1", "minGroups: 1, maxGroups: 3", 1)
		place(ctx, deployment(6, "1"), divided, at(ConsistOf("member1:3", "member2:3")))
	})
	It("is not waited for where an estimator hangs or is gone, which harms no other cluster", func(ctx SpecContext) {
		hanging := beside["member3"].Process
		for _, s := range []syscall.Signal{syscall.SIGSTOP, syscall.SIGKILL} {
			By("sending the estimator of member3 " + s.String())
			Expect(hanging.Signal(s)).To(Succeed())
			for range 3 {
				b := place(ctx, deployment(1, "2"), onOne, at(ConsistOf("member2:1")))
				remove(ctx, fixture.Object(deployments, b.Namespace, "foo", nil))
			}
			place(ctx, deployment(1, "2500m"), onOne, nowhere)
		}
	})

	It("moves replicas that find no node any more", func(ctx SpecContext) {
		b := place(ctx, deployment(4, "500m"), strings.Replace(onOne, "minGroups: 1, maxGroups: 1", "minGroups: 1, maxGroups: 3", 1), at(HaveLen(1)))
		from := b.Spec.Clusters[0].Name
		d := &appsv1.Deployment{}
		available := func(g Gomega, member string) int32 {
			g.Expect(env.At(member).Get(ctx, client.ObjectKey{Namespace: b.Namespace, Name: "foo"}, d)).To(Succeed())
			return d.Status.AvailableReplicas
		}
		Eventually(func(g Gomega) { g.Expect(available(g, from)).To(BeEquivalentTo(4)) }).Should(Succeed())

		env.CordonForSpec(ctx, from)
		Expect(env.At(from).DeleteAllOf(ctx, &corev1.Pod{}, client.InNamespace(b.Namespace))).To(Succeed())
		Eventually(func(g Gomega) {
			now, err := env.Binding(ctx, b.Namespace, b.Name)()
			g.Expect(err).NotTo(HaveOccurred())
			sum := int32(0)
			for _, t := range now.Spec.Clusters {
				g.Expect(t.Name).NotTo(Equal(from))
				g.Expect(available(g, t.Name)).To(Equal(t.Replicas))
				sum += t.Replicas
			}
			g.Expect(sum).To(BeEquivalentTo(4))
		}).Should(Succeed())
	})
})
