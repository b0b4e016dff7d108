// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"context"
	"net"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	pb "github.com/dragoman-io/dragoman/api/estimator"
	"github.com/dragoman-io/dragoman/controllers/estimator/server"
	"github.com/dragoman-io/dragoman/test/suite"
)

func TestServer(t *testing.T) { suite.Specs(t, "estimator/server") }

var (
	running *suite.Suite
	// member is the API server that the estimator watches.
	member    client.WithWatch
	published pb.EstimatorClient
)

var _ = BeforeSuite(func(ctx SpecContext) {
	running = suite.Begin(ctx)
	member = running.Client
	mgr, err := ctrl.NewManager(running.Fleet.ControlPlane.RESTConfig(), ctrl.Options{
		Scheme: running.Manager.GetScheme(), Cache: server.CacheOptions(), Metrics: metricsserver.Options{BindAddress: "0"},
	})
	Expect(err).NotTo(HaveOccurred())
	l, err := net.Listen("tcp", "127.0.0.1:0")
	Expect(err).NotTo(HaveOccurred())
	Expect(server.Register(ctx, mgr, server.Options{Cluster: "member1", Listener: l, Registry: prometheus.NewRegistry()})).To(Succeed())
	work, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- mgr.Start(work) }()
	DeferCleanup(func() {
		cancel()
		Expect(<-done).To(Succeed())
	})
	conn, err := grpc.NewClient(l.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(conn.Close)
	published = pb.NewEstimatorClient(conn)
}, NodeTimeout(10*time.Minute))

// space is the namespace of the spec, and the pool of its nodes.
var space string

var _ = BeforeEach(func(ctx SpecContext) {
	var err error
	space, err = running.Namespace(ctx)
	Expect(err).NotTo(HaveOccurred())
	// The API server takes pods only where this is; its controller does not run.
	Expect(member.Create(ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: "default"}})).To(Succeed())
})

func amounts(pairs ...string) corev1.ResourceList {
	l := corev1.ResourceList{}
	for i := 0; i < len(pairs); i += 2 {
		l[corev1.ResourceName(pairs[i])] = resource.MustParse(pairs[i+1])
	}
	return l
}

// node creates a node of the spec's pool.
func node(ctx context.Context, name string, pairs ...string) *corev1.Node {
	GinkgoHelper()
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: space + "-" + name, Labels: map[string]string{"pool": space}}}
	Expect(member.Create(ctx, n)).To(Succeed())
	DeferCleanup(func(ctx SpecContext) { Expect(client.IgnoreNotFound(member.Delete(ctx, n))).To(Succeed()) })
	n.Status.Allocatable = amounts(append([]string{"pods", "110"}, pairs...)...)
	Expect(member.Status().Update(ctx, n)).To(Succeed())
	untaint(ctx, n)
	return n
}

// untaint removes what admission adds to a new node.
func untaint(ctx context.Context, n *corev1.Node) {
	GinkgoHelper()
	n.Spec.Taints = nil
	Expect(member.Update(ctx, n)).To(Succeed())
}

// pod creates a pod, on a node or waiting for one.
func pod(ctx context.Context, name string, on *corev1.Node, with ...func(*corev1.Pod)) *corev1.Pod {
	GinkgoHelper()
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: name}}
	p.Spec.Containers = []corev1.Container{{Name: "main", Image: "none", Resources: corev1.ResourceRequirements{Requests: amounts("cpu", "1")}}}
	if on != nil {
		p.Spec.NodeName = on.Name
	}
	for _, change := range with {
		change(p)
	}
	Expect(member.Create(ctx, p)).To(Succeed())
	DeferCleanup(func(ctx SpecContext) { remove(ctx, p) })
	return p
}

// remove deletes a pod without waiting for a kubelet.
func remove(ctx context.Context, p *corev1.Pod) {
	GinkgoHelper()
	Expect(client.IgnoreNotFound(member.Delete(ctx, p, client.GracePeriodSeconds(0)))).To(Succeed())
}

// replicas asks for replicas of 1 CPU in the pool of the spec.
func replicas(ctx context.Context) func() (int32, error) {
	request := &pb.MaxAvailableReplicasRequest{Cluster: "member1", ReplicaRequirements: &pb.ReplicaRequirements{
		Namespace: space, NodeClaim: &pb.NodeClaim{NodeSelector: map[string]string{"pool": space}},
		ResourceRequestBytes: requests(GinkgoTB(), "cpu", "1"),
	}}
	return func() (int32, error) {
		r, err := published.MaxAvailableReplicas(ctx, request)
		return r.GetMaxReplicas(), err
	}
}

var _ = Describe("an estimator", func() {
	It("follows nodes and pods", func(ctx SpecContext) {
		a := node(ctx, "a", "cpu", "4")
		Eventually(ctx, replicas(ctx)).Should(BeEquivalentTo(4))
		node(ctx, "b", "cpu", "2")
		Eventually(ctx, replicas(ctx)).Should(BeEquivalentTo(6))
		sidecar := pod(ctx, "sidecar", a, func(p *corev1.Pod) {
			p.Spec.InitContainers = []corev1.Container{{
				Name: "sidecar", Image: "none", RestartPolicy: ptr.To(corev1.ContainerRestartPolicyAlways),
				Resources: corev1.ResourceRequirements{Requests: amounts("cpu", "1")},
			}}
		})
		Eventually(ctx, replicas(ctx)).Should(BeEquivalentTo(4))
		remove(ctx, sidecar)
		Eventually(ctx, replicas(ctx)).Should(BeEquivalentTo(6))

		ended := pod(ctx, "ended", a)
		Eventually(ctx, replicas(ctx)).Should(BeEquivalentTo(5))
		ended.Status.Phase = corev1.PodSucceeded
		Expect(member.Status().Update(ctx, ended)).To(Succeed())
		Eventually(ctx, replicas(ctx)).Should(BeEquivalentTo(6))

		Expect(member.Get(ctx, client.ObjectKeyFromObject(a), a)).To(Succeed())
		a.Spec.Unschedulable = true
		Expect(member.Update(ctx, a)).To(Succeed())
		Eventually(ctx, replicas(ctx)).Should(BeEquivalentTo(2))
		Expect(member.Delete(ctx, a)).To(Succeed())
		node(ctx, "a", "cpu", "1")
		Eventually(ctx, replicas(ctx)).Should(BeEquivalentTo(3))
	})

	It("follows the quotas of the namespace", func(ctx SpecContext) {
		node(ctx, "a", "cpu", "8")
		Eventually(ctx, replicas(ctx)).Should(BeEquivalentTo(8))
		q := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: "cpu"}}
		q.Spec.Hard = amounts("requests.cpu", "5")
		Expect(member.Create(ctx, q)).To(Succeed())
		q.Status.Hard, q.Status.Used = q.Spec.Hard, amounts("requests.cpu", "1500m")
		Expect(member.Status().Update(ctx, q)).To(Succeed())
		Eventually(ctx, replicas(ctx)).Should(BeEquivalentTo(3))
		Expect(member.Delete(ctx, q)).To(Succeed())
		Eventually(ctx, replicas(ctx)).Should(BeEquivalentTo(8))
	})

	It("counts the pods of a Deployment that find no node", func(ctx SpecContext) {
		count := func() (int32, error) {
			r, err := published.GetUnschedulableReplicas(ctx, &pb.UnschedulableReplicasRequest{
				Cluster: "member1", UnschedulableThreshold: int64(time.Hour),
				Resource: &pb.ObjectReference{ApiVersion: "apps/v1", Kind: "Deployment", Namespace: space, Name: "web"},
			})
			return r.GetUnschedulableReplicas(), err
		}
		for name, ago := range map[string]time.Duration{"long": 2 * time.Hour, "longer": 3 * time.Hour, "short": 0} {
			p := pod(ctx, name, nil, func(p *corev1.Pod) {
				p.Labels = map[string]string{"pod-template-hash": "5d8f"}
				p.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "web-5d8f", UID: "1", Controller: ptr.To(true)}}
			})
			p.Status.Conditions = []corev1.PodCondition{{
				Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable, LastTransitionTime: metav1.NewTime(time.Now().Add(-ago)),
			}}
			Expect(member.Status().Update(ctx, p)).To(Succeed())
		}
		Eventually(ctx, count).Should(BeEquivalentTo(2))
	})
})
