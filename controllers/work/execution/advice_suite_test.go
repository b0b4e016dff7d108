// SPDX-License-Identifier: Apache-2.0

package execution_test

import (
	"context"
	"strings"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	"github.com/dragoman-io/dragoman/test/fixture"
)

var _ = Describe("A Work whose replicas an autoscaler of the member sets", func() {
	It("advises the label that keeps them, with which an edit of the image leaves them alone", func(ctx SpecContext) {
		const label = "resourcetemplate.karmada.io/retain-replicas"
		b := newSetup(ctx, one())
		b.create(ctx, b.deployment("nginx", nil))
		b.manage(ctx)
		Eventually(func() string { return b.condition(ctx, "Applied") }).Should(Equal(applied))
		scale(ctx, b, 5)
		for _, about := range []string{b.key().Namespace + "/w", b.namespace + "/m"} {
			space, name, _ := strings.Cut(about, "/")
			Eventually(func() []string { return b.events.About(space, name) }).Should(ContainElement(And(
				HavePrefix("Warning FieldLeft: Deployment "+b.namespace+"/m in cluster "+b.cluster),
				HaveSuffix(`until the template changes: spec.replicas (autoscaler). Set the label `+label+`: "true" on the template, with which each member keeps its replicas; or stop the other writer`))))
		}
		Eventually(func() []workv1alpha1.ManifestDifferences { return b.work(ctx).Status.Differences }).Should(ConsistOf(
			HaveField("LeftFields", HaveExactElements(workv1alpha1.LeftField{Path: "spec.replicas", Manager: "autoscaler"}))))

		By("following the advice")
		seen := numbers(ctx, b)
		kept := map[string]string{label: "true"}
		b.change(ctx, func(w *workv1alpha1.Work) { fixture.SetManifest(w, b.deployment("nginx", kept)) })
		Eventually(func() map[string]string { return b.read(ctx, deployments).GetLabels() }).Should(HaveKeyWithValue(label, "true"))
		By("editing the image")
		b.change(ctx, func(w *workv1alpha1.Work) { fixture.SetManifest(w, b.deployment("caddy", kept)) })
		Eventually(seen).Should(HaveKey("caddy"))
		Expect(seen()).To(HaveEach(HaveEach(BeEquivalentTo(5))), "by the image: what the watch has shown until the edit was there")
	})
})

// scale stands in for an autoscaler of the member that has a Deployment m have so many replicas.
func scale(ctx context.Context, b *setup, replicas int32) {
	GinkgoHelper()
	w, err := onMember.Watch(ctx, &appsv1.DeploymentList{}, client.InNamespace(b.namespace), client.MatchingFields{"metadata.name": "m"})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(w.Stop)
	go func() {
		for e := range w.ResultChan() {
			d, ok := e.Object.(*appsv1.Deployment)
			if !ok || *d.Spec.Replicas == replicas {
				continue
			}
			s := &autoscalingv1.Scale{
				ObjectMeta: metav1.ObjectMeta{Namespace: d.Namespace, Name: d.Name, ResourceVersion: d.ResourceVersion},
				Spec:       autoscalingv1.ScaleSpec{Replicas: replicas},
			}
			_ = onMember.SubResource("scale").Update(ctx, d, client.WithSubResourceBody(s), client.FieldOwner("autoscaler")) // a conflict is another event
		}
	}()
}

// numbers watches the Deployment m of the member, and returns what replicas it had by its image.
func numbers(ctx context.Context, b *setup) func() map[string][]int32 {
	GinkgoHelper()
	w, err := onMember.Watch(ctx, &appsv1.DeploymentList{}, client.InNamespace(b.namespace), client.MatchingFields{"metadata.name": "m"})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(w.Stop)
	var mu sync.Mutex
	seen := map[string][]int32{}
	go func() {
		for e := range w.ResultChan() {
			if d, ok := e.Object.(*appsv1.Deployment); ok {
				mu.Lock()
				image := d.Spec.Template.Spec.Containers[0].Image
				seen[image] = append(seen[image], *d.Spec.Replicas)
				mu.Unlock()
			}
		}
	}()
	return func() map[string][]int32 {
		mu.Lock()
		defer mu.Unlock()
		all := map[string][]int32{}
		for image, replicas := range seen {
			all[image] = append([]int32(nil), replicas...)
		}
		return all
	}
}
