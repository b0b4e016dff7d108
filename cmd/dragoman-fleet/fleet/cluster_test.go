// SPDX-License-Identifier: Apache-2.0

package fleet_test

import (
	"context"
	"os"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/dragoman-io/dragoman/cmd/dragoman-fleet/fleet"
)

var _ = Describe("a cluster", func() {
	It("is reached with its kubeconfig, which only the user can read", func(ctx SpecContext) {
		for _, c := range []*fleet.Cluster{whole.ControlPlane, whole.Members[0]} {
			config, err := clientcmd.BuildConfigFromFlags("", c.Kubeconfig)
			Expect(err).NotTo(HaveOccurred())
			Expect(config.Host).To(HavePrefix("https://127.0.0.1:"))
			client, err := kubernetes.NewForConfig(config)
			Expect(err).NotTo(HaveOccurred())
			_, err = client.CoreV1().Namespaces().Get(ctx, "default", metav1.GetOptions{})
			Expect(err).NotTo(HaveOccurred())

			info, err := os.Stat(c.Kubeconfig)
			Expect(err).NotTo(HaveOccurred())
			Expect(info.Mode().Perm()).To(Equal(os.FileMode(0o600)))
		}
	})

	It("refuses the token of another cluster, and none", func(ctx SpecContext) {
		for _, token := range []string{whole.Members[0].Token, ""} {
			config := whole.ControlPlane.RESTConfig()
			config.BearerToken = token
			client, err := kubernetes.NewForConfig(config)
			Expect(err).NotTo(HaveOccurred())
			_, err = client.CoreV1().Namespaces().Get(ctx, "default", metav1.GetOptions{})
			Expect(apierrors.IsUnauthorized(err)).To(BeTrue(), "want Unauthorized, got %v", err)
		}
	})

	It("is not trusted by the CA bundle of another cluster", func(ctx SpecContext) {
		config := whole.ControlPlane.RESTConfig()
		config.CAData = whole.Members[0].CA
		client, err := kubernetes.NewForConfig(config)
		Expect(err).NotTo(HaveOccurred())
		_, err = client.CoreV1().Namespaces().Get(ctx, "default", metav1.GetOptions{})
		Expect(err).To(MatchError(ContainSubstring("certificate signed by unknown authority")))
	})

	It("cannot be reached while it is cut off, and has its data afterwards", func(ctx SpecContext) {
		f := bare(ctx, fleet.Options{Members: []string{"west"}})
		west, client := f.Members[0], clientFor(f.Members[0])
		createNamespace(ctx, client, "kept")

		Expect(f.Restore(ctx, west)).To(MatchError(ContainSubstring("was not cut off")))
		Expect(f.Cut(west)).To(Succeed())
		_, err := clientFor(west).CoreV1().Namespaces().Get(ctx, "kept", metav1.GetOptions{}) // without a connection that breaks
		Expect(err).To(MatchError(ContainSubstring("connection refused")))
		Expect(f.Err()).NotTo(HaveOccurred())

		Expect(f.Restore(ctx, west)).To(Succeed())
		_, err = client.CoreV1().Namespaces().Get(ctx, "kept", metav1.GetOptions{})
		Expect(err).NotTo(HaveOccurred())
	})
})

var _ = Describe("the control plane", func() {
	It("finishes the deletion of namespaces but runs no workloads", func(ctx SpecContext) {
		client := clientFor(whole.ControlPlane)
		d := createDeployment(ctx, client, "template")

		createNamespace(ctx, client, "doomed")
		Expect(client.CoreV1().Namespaces().Delete(ctx, "doomed", metav1.DeleteOptions{})).To(Succeed())
		Eventually(func() bool {
			_, err := client.CoreV1().Namespaces().Get(ctx, "doomed", metav1.GetOptions{})
			return apierrors.IsNotFound(err)
		}).WithTimeout(timeout).Should(BeTrue())

		d, err := client.AppsV1().Deployments("default").Get(ctx, d.Name, metav1.GetOptions{})
		Expect(err).NotTo(HaveOccurred())
		Expect(d.Status).To(Equal(appsv1.DeploymentStatus{}))
	})
})

var _ = Describe("a member", func() {
	It("runs a Deployment until its node is cordoned and its pods are deleted", func(ctx SpecContext) {
		client := clientFor(whole.Members[0])
		d := createDeployment(ctx, client, "web")
		available := func() int32 {
			d, err := client.AppsV1().Deployments("default").Get(ctx, d.Name, metav1.GetOptions{})
			Expect(err).NotTo(HaveOccurred())
			return d.Status.AvailableReplicas
		}
		Eventually(available).WithTimeout(timeout).Should(Equal(int32(2)))

		cordon(ctx, client, "east-node1", true)
		DeferCleanup(func(ctx SpecContext) { cordon(ctx, client, "east-node1", false) })
		awaitUnschedulable(ctx, client)
		pods := client.CoreV1().Pods("default")
		Expect(pods.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "app=web"})).To(Succeed())
		Eventually(func() []string {
			list, err := pods.List(ctx, metav1.ListOptions{LabelSelector: "app=web"})
			Expect(err).NotTo(HaveOccurred())
			var reasons []string
			for _, pod := range list.Items {
				for _, c := range pod.Status.Conditions {
					if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse {
						reasons = append(reasons, c.Reason)
					}
				}
			}
			return reasons
		}).WithTimeout(timeout).Should(Equal([]string{"Unschedulable", "Unschedulable"}))
		Eventually(available).WithTimeout(timeout).Should(Equal(int32(0)))
	})

	It("runs a Deployment right after its controllers were restarted", func(ctx SpecContext) {
		east, before := whole.Members[0], processes(ctx, whole.Dir())
		Expect(whole.RestartControllers(ctx, east)).To(Succeed())
		after := processes(ctx, whole.Dir())
		for _, name := range []string{"east-kube-controller-manager", "east-kube-scheduler", "east-kwok"} {
			Expect(after).To(HaveKeyWithValue(name, Not(Equal(before[name]))))
		}
		Expect(after["east-kube-apiserver"]).To(Equal(before["east-kube-apiserver"]))
		Expect(whole.Err()).NotTo(HaveOccurred(), "they were asked to end")

		client := clientFor(east)
		d := createDeployment(ctx, client, "again")
		Eventually(func() int32 {
			d, err := client.AppsV1().Deployments("default").Get(ctx, d.Name, metav1.GetOptions{})
			Expect(err).NotTo(HaveOccurred())
			return d.Status.AvailableReplicas
		}).WithTimeout(timeout).Should(Equal(int32(2)))
	})
})

func createNamespace(ctx context.Context, client kubernetes.Interface, name string) {
	GinkgoHelper()
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
	_, err := client.CoreV1().Namespaces().Create(ctx, ns, metav1.CreateOptions{})
	Expect(err).NotTo(HaveOccurred())
}

// createDeployment creates one of two replicas in the namespace default.
func createDeployment(ctx context.Context, client kubernetes.Interface, name string) *appsv1.Deployment {
	GinkgoHelper()
	replicas, labels := int32(2), map[string]string{"app": name}
	d := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "none"}}},
			},
		},
	}
	d, err := client.AppsV1().Deployments("default").Create(ctx, d, metav1.CreateOptions{})
	Expect(err).NotTo(HaveOccurred())
	return d
}

func cordon(ctx context.Context, client kubernetes.Interface, node string, on bool) {
	GinkgoHelper()
	patch := []byte(`{"spec":{"unschedulable":false}}`)
	if on {
		patch = []byte(`{"spec":{"unschedulable":true}}`)
	}
	_, err := client.CoreV1().Nodes().Patch(ctx, node, types.MergePatchType, patch, metav1.PatchOptions{})
	Expect(err).NotTo(HaveOccurred())
}

// awaitUnschedulable waits until the scheduler has seen that all nodes are cordoned: it watches nodes
// and pods apart, so that it may place a pod that is newer than that.
func awaitUnschedulable(ctx context.Context, client kubernetes.Interface) {
	GinkgoHelper()
	pods := client.CoreV1().Pods("default")
	Eventually(func(g Gomega) {
		probe, err := pods.Create(ctx, &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{GenerateName: "probe-"},
			Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "none"}}},
		}, metav1.CreateOptions{})
		g.Expect(err).NotTo(HaveOccurred())
		defer func() { _ = pods.Delete(ctx, probe.Name, metav1.DeleteOptions{}) }()
		g.Eventually(func(g Gomega) {
			probe, err = pods.Get(ctx, probe.Name, metav1.GetOptions{})
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(probe.Status.Conditions).To(ContainElement(HaveField("Type", corev1.PodScheduled)))
		}).WithTimeout(timeout).Should(Succeed())
		g.Expect(probe.Status.Conditions).To(ContainElement(HaveField("Reason", corev1.PodReasonUnschedulable)))
	}).WithTimeout(timeout).Should(Succeed())
}
