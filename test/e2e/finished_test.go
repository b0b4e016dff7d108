// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"fmt"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// onceJob is a Job as users write it, with one pod that kwok lets succeed after a second.
func onceJob(namespace string, ttl *int32) *batchv1.Job {
	return &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "once"},
		Spec: batchv1.JobSpec{
			TTLSecondsAfterFinished: ttl,
			Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
				RestartPolicy: corev1.RestartPolicyNever,
				Containers:    []corev1.Container{{Name: "once", Image: "busybox"}},
			}},
		},
	}
}

// jobsSeen returns the UIDs of all Jobs that a namespace of a member has had since the call,
// in the order of their creation.
func jobsSeen(ctx context.Context, member, namespace string) func() []types.UID {
	GinkgoHelper()
	w, err := env.At(member).Watch(ctx, &batchv1.JobList{}, client.InNamespace(namespace))
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(w.Stop)
	var (
		mu   sync.Mutex
		uids []types.UID
	)
	go func() {
		for event := range w.ResultChan() {
			if job, ok := event.Object.(*batchv1.Job); ok && event.Type == watch.Added {
				mu.Lock()
				uids = append(uids, job.UID)
				mu.Unlock()
			}
		}
	}()
	return func() []types.UID {
		mu.Lock()
		defer mu.Unlock()
		return append([]types.UID(nil), uids...)
	}
}

// awaitComplete waits until the control plane reports the Job as complete.
func awaitComplete(ctx context.Context, job *batchv1.Job) {
	GinkgoHelper()
	Eventually(func(g Gomega) {
		g.Expect(env.Hub.Get(ctx, client.ObjectKeyFromObject(job), job)).To(Succeed())
		var conditions []string
		for _, c := range job.Status.Conditions {
			conditions = append(conditions, fmt.Sprintf("%s=%s", c.Type, c.Status))
		}
		g.Expect(conditions).To(ContainElement("Complete=True"))
		g.Expect(job.Status.Succeeded).To(BeEquivalentTo(1))
	}).Should(Succeed())
}

var _ = Describe("a Job", func() {
	It("runs in its member, once", func(ctx SpecContext) {
		space := env.Namespace(ctx)
		seen := jobsSeen(ctx, "member1", space)
		env.Apply(ctx, space, placing("batch/v1", "Job", "once", toMember1))
		job := onceJob(space, nil)
		Expect(env.Hub.Create(ctx, job)).To(Succeed())
		awaitComplete(ctx, job)

		copied := &batchv1.Job{}
		Expect(env.At("member1").Get(ctx, client.ObjectKeyFromObject(job), copied)).To(Succeed())
		Expect(copied.Spec.Selector.MatchLabels).To(Equal(map[string]string{batchv1.ControllerUidLabel: string(copied.UID)}))
		Expect(copied.Labels).NotTo(HaveKey(batchv1.ControllerUidLabel), "which would be that of the template")
		Eventually(seen).Should(Equal([]types.UID{copied.UID}))
		Consistently(func(g Gomega) {
			g.Expect(seen()).To(Equal([]types.UID{copied.UID}))
			var pods corev1.PodList
			g.Expect(env.At("member1").List(ctx, &pods, client.InNamespace(space))).To(Succeed())
			g.Expect(pods.Items).To(HaveLen(1))
		}, 2*time.Second, 500*time.Millisecond).Should(Succeed())
	}, NodeTimeout(10*time.Minute))

	It("with a time to live runs once all the same", func(ctx SpecContext) {
		space := env.Namespace(ctx)
		seen := jobsSeen(ctx, "member1", space)
		env.Apply(ctx, space, placing("batch/v1", "Job", "once", toMember1))
		job := onceJob(space, new(int32(1)))
		Expect(env.Hub.Create(ctx, job)).To(Succeed())
		awaitComplete(ctx, job)
		copied := &batchv1.Job{}
		Expect(env.At("member1").Get(ctx, client.ObjectKeyFromObject(job), copied)).To(Succeed())
		Expect(copied.Spec.TTLSecondsAfterFinished).To(BeNil(), "the copy would go, and what goes is created again")
		Eventually(seen).Should(HaveLen(1))
		Consistently(seen, 4*time.Second, 500*time.Millisecond).Should(HaveLen(1))
	}, NodeTimeout(10*time.Minute))

	It("that is finished is created again when its template changes, and not before", func(ctx SpecContext) {
		space := env.Namespace(ctx)
		seen := jobsSeen(ctx, "member1", space)
		env.Apply(ctx, space, placing("batch/v1", "Job", "once", toMember1))
		job := onceJob(space, nil)
		Expect(env.Hub.Create(ctx, job)).To(Succeed())
		awaitComplete(ctx, job)
		Eventually(seen).Should(HaveLen(1))

		copied := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: job.Name}}
		Expect(env.At("member1").Delete(ctx, copied, client.PropagationPolicy(metav1.DeletePropagationBackground))).To(Succeed())
		Consistently(seen, 4*time.Second, 500*time.Millisecond).Should(HaveLen(1))
		err := env.At("member1").Get(ctx, client.ObjectKeyFromObject(copied), copied)
		Expect(apierrors.IsNotFound(err)).To(BeTrue(), "got error %v", err)

		changed := client.RawPatch(types.MergePatchType, []byte(`{"spec":{"backoffLimit":3}}`))
		Expect(env.Hub.Patch(ctx, job, changed)).To(Succeed())
		Eventually(seen).Should(HaveLen(2))
	}, NodeTimeout(10*time.Minute))
})

var _ = Describe("a Service", func() {
	It("gets another address where that of the template is taken, and keeps it", func(ctx SpecContext) {
		space := env.Namespace(ctx)
		shop := &corev1.Service{
			ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: "shop"},
			Spec:       corev1.ServiceSpec{Selector: map[string]string{"app": "shop"}, Ports: []corev1.ServicePort{{Name: "web", Port: 80}}},
		}
		Expect(env.Hub.Create(ctx, shop)).To(Succeed())
		Expect(shop.Spec.ClusterIP).NotTo(BeEmpty())
		taken := shop.DeepCopy()
		taken.ObjectMeta = metav1.ObjectMeta{Namespace: space, Name: "taken"}
		Expect(env.At("member1").Create(ctx, taken)).To(Succeed())
		env.Apply(ctx, space, placing("v1", "Service", "shop", toMember1))

		copied := &corev1.Service{}
		Eventually(func() error { return env.At("member1").Get(ctx, client.ObjectKeyFromObject(shop), copied) }).Should(Succeed())
		Expect(copied.Spec.ClusterIP).NotTo(Or(BeEmpty(), Equal(shop.Spec.ClusterIP)))
		address, version := copied.Spec.ClusterIP, copied.ResourceVersion
		Consistently(func(g Gomega) {
			g.Expect(env.At("member1").Get(ctx, client.ObjectKeyFromObject(shop), copied)).To(Succeed())
			g.Expect(copied.ResourceVersion).To(Equal(version))
		}, 2*time.Second, 500*time.Millisecond).Should(Succeed())

		more := client.RawPatch(types.MergePatchType, []byte(`{"spec":{"ports":[{"name":"web","port":80},{"name":"admin","port":81}]}}`))
		Expect(env.Hub.Patch(ctx, shop, more)).To(Succeed())
		Eventually(func(g Gomega) {
			g.Expect(env.At("member1").Get(ctx, client.ObjectKeyFromObject(shop), copied)).To(Succeed())
			g.Expect(copied.Spec.Ports).To(HaveLen(2))
			g.Expect(copied.Spec.ClusterIP).To(Equal(address))
		}).Should(Succeed())
	}, NodeTimeout(10*time.Minute))
})
