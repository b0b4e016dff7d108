// SPDX-License-Identifier: Apache-2.0

package failover

import (
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// application selects a Deployment with what serves it, of which nothing ever becomes ready here: no
// member has a controller for addresses, and the storage class waits for a consumer.
const application = `
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata:
  name: app
spec:
  resourceSelectors:
    - {apiVersion: apps/v1, kind: Deployment}
    - {apiVersion: v1, kind: PersistentVolumeClaim}
    - {apiVersion: networking.k8s.io/v1, kind: Ingress}
    - {apiVersion: v1, kind: Service}
  placement:
    clusterAffinity: {clusterNames: [member1, member2]}
    spreadConstraints: [{spreadByField: cluster, minGroups: 1, maxGroups: 1}]
  failover: {application: {decisionConditions: {tolerationSeconds: 15}, purgeMode: Directly}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec: {accessModes: [ReadWriteOnce], storageClassName: wait, resources: {requests: {storage: 1Gi}}}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: web}
spec: {rules: [{host: a.example.com, http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: web, port: {number: 80}}}}]}}]}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {type: LoadBalancer, selector: {app: nginx}, ports: [{port: 80}]}
`

var _ = Describe("an application whose address and volume never come", func() {
	It("stays whole where it runs, and goes along when its Deployment fails", func(ctx SpecContext) {
		space := env.Namespace(ctx)
		for _, o := range strings.Split(application, "\n---\n") {
			env.Apply(ctx, space, o)
		}
		Expect(env.Hub.Create(ctx, fixture.Nginx(space, 1))).To(Succeed())
		first := runsOn(ctx, space)
		served := map[string]client.Object{
			"data-persistentvolumeclaim": &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: "data"}},
			"web-ingress":                &networkingv1.Ingress{ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: "web"}},
			"web-service":                &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: "web"}},
		}
		at, uids := map[string]string{}, map[string]types.UID{}
		for name, o := range served {
			Eventually(func(g Gomega) {
				b, err := env.Binding(ctx, space, name)()
				g.Expect(err).NotTo(HaveOccurred())
				g.Expect(b.Status.AggregatedStatus).To(ConsistOf(And(
					HaveField("Health", workv1alpha2.ResourceUnhealthy), HaveField("HealthReason", workv1alpha2.HealthPending))))
				at[name] = b.Status.AggregatedStatus[0].ClusterName
				g.Expect(env.At(at[name]).Get(ctx, client.ObjectKeyFromObject(o), o)).To(Succeed())
				uids[name] = o.GetUID()
			}).Should(Succeed(), name)
		}

		By("having the Deployment fail for as long as they are not ready already")
		env.LosePods(ctx, first, space)
		second := runsOn(ctx, space, first)
		for name, o := range served {
			b, err := env.Binding(ctx, space, name)()
			Expect(err).NotTo(HaveOccurred())
			Expect(b.Spec.GracefulEvictionTasks).To(BeEmpty(), "%s is not moved by itself", name)
			Expect(b.Spec.Clusters).To(ConsistOf(HaveField("Name", at[name])), "%s stays where it was placed", name)
			Eventually(func() error { return env.At(second).Get(ctx, client.ObjectKeyFromObject(o), o) }).Should(Succeed(), "%s goes along", name)
			Expect(env.At(at[name]).Get(ctx, client.ObjectKeyFromObject(o), o)).To(Succeed(), "%s stays too", name)
			Expect(o.GetUID()).To(Equal(uids[name]))
		}

		By("adding something to the application later")
		late := &corev1.Service{
			ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: "late"},
			Spec:       corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 81}}},
		}
		Expect(env.Hub.Create(ctx, late)).To(Succeed())
		Eventually(func() error {
			return env.At(second).Get(ctx, client.ObjectKeyFromObject(late), &corev1.Service{})
		}).Should(Succeed())
	}, NodeTimeout(10*time.Minute))
})

// slowly has a rolling update of nginx take longer than its policy tolerates a failure.
const slowly = `
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata:
  name: nginx
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: nginx}]
  placement:
    clusterAffinity: {clusterNames: [member1, member2]}
    spreadConstraints: [{spreadByField: cluster, minGroups: 1, maxGroups: 1}]
  failover: {application: {decisionConditions: {tolerationSeconds: 25}, purgeMode: Directly}}
`

var _ = Describe("a rolling update that takes longer than its policy tolerates a failure", func() {
	It("moves nothing while the application serves", func(ctx SpecContext) {
		space := env.Namespace(ctx)
		env.Apply(ctx, space, slowly)
		d := fixture.Nginx(space, 3)
		d.Spec.MinReadySeconds = 10
		Expect(env.Hub.Create(ctx, d)).To(Succeed())
		first := runsOn(ctx, space)
		before := uidIn(ctx, first, space)

		fixture.Change(ctx, env.Hub, d, func(d *appsv1.Deployment) { d.Spec.Template.Spec.Containers[0].Image = "nginx:2" })
		reasons := map[workv1alpha2.HealthReason]bool{}
		Eventually(func(g Gomega) {
			name, b := target(ctx, g, space)
			Expect(name).To(Equal(first), "where it is placed")
			Expect(b.Spec.GracefulEvictionTasks).To(BeEmpty())
			for _, item := range b.Status.AggregatedStatus {
				reasons[item.HealthReason] = true
			}
			copied, err := deployment(ctx, first, space)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(copied.Spec.Template.Spec.Containers[0].Image).To(Equal("nginx:2"))
			g.Expect(copied.Status.ObservedGeneration).To(Equal(copied.Generation))
			g.Expect(copied.Status.UpdatedReplicas).To(BeEquivalentTo(3))
			g.Expect(copied.Status.Replicas).To(BeEquivalentTo(3))
			g.Expect(copied.Status.AvailableReplicas).To(BeEquivalentTo(3))
		}).Should(Succeed())
		Expect(reasons).To(HaveKey(workv1alpha2.HealthProgressing), "what was seen while it was updated")
		Expect(uidIn(ctx, runsOn(ctx, space), space)).To(Equal(before))
	}, NodeTimeout(10*time.Minute))
})
