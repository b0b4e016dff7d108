// SPDX-License-Identifier: Apache-2.0

package autoscaler_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers"
	"github.com/dragoman-io/dragoman/controllers/autoscaler/marker"
	"github.com/dragoman-io/dragoman/controllers/autoscaler/replicas"
	"github.com/dragoman-io/dragoman/controllers/policy"
	"github.com/dragoman-io/dragoman/controllers/template"
	"github.com/dragoman-io/dragoman/controllers/template/kinds"
	"github.com/dragoman-io/dragoman/test/fixture"
	"github.com/dragoman-io/dragoman/test/suite"
)

func TestAutoscaler(t *testing.T) { suite.Specs(t, "Autoscaler") }

var (
	control *suite.Suite
	hub     client.WithWatch
	// space is the namespace of the spec.
	space string
	// stop ends the manager that runs.
	stop func() error
)

// start runs a manager with the controllers from the policy to the binding, and those of autoscalers.
func start(wrap func(http.RoundTripper) http.RoundTripper) {
	GinkgoHelper()
	var err error
	stop, err = control.Manage(nil, func(ctx context.Context, mgr ctrl.Manager) error {
		d, err := controllers.NewDeps(mgr, controllers.Environment{Interpreter: suite.Rules()})
		if err != nil {
			return err
		}
		for _, c := range []controllers.Controller{
			template.New(d), kinds.New(d), policy.New[*policyv1alpha1.PropagationPolicy](d), policy.New[*policyv1alpha1.ClusterPropagationPolicy](d),
			marker.New(d), replicas.New(d),
		} {
			if err := c.Register(ctx, mgr); err != nil {
				return err
			}
		}
		return nil
	}, wrap)
	Expect(err).NotTo(HaveOccurred())
}

var _ = BeforeSuite(func(ctx SpecContext) {
	control = suite.Begin(ctx)
	hub = control.Client
}, NodeTimeout(10*time.Minute))

var _ = BeforeEach(func(ctx SpecContext) {
	var err error
	space, err = control.Namespace(ctx)
	Expect(err).NotTo(HaveOccurred())
	start(func(next http.RoundTripper) http.RoundTripper { return next })
	DeferCleanup(func() { Expect(stop()).To(Succeed()) })
})

// create creates objects; a policy goes at the end of the spec.
func create(ctx context.Context, objects ...client.Object) {
	GinkgoHelper()
	for _, o := range objects {
		Expect(hub.Create(ctx, o)).To(Succeed())
		if _, is := o.(policyv1alpha1.Policy); is {
			DeferCleanup(func(ctx SpecContext) { Expect(client.IgnoreNotFound(hub.Delete(ctx, o))).To(Succeed()) })
		}
	}
}

// selecting returns a policy that selects kinds, and divides replicas.
func selecting(kinds ...string) *policyv1alpha1.PropagationPolicy {
	p := &policyv1alpha1.PropagationPolicy{ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: "p"}}
	for _, kind := range kinds {
		version := "apps/v1"
		if kind == "HorizontalPodAutoscaler" {
			version = "autoscaling/v2"
		}
		p.Spec.ResourceSelectors = append(p.Spec.ResourceSelectors, policyv1alpha1.ResourceSelector{APIVersion: version, Kind: kind})
	}
	p.Spec.Placement.ReplicaScheduling = &policyv1alpha1.ReplicaSchedulingStrategy{
		ReplicaSchedulingType: policyv1alpha1.ReplicaSchedulingTypeDivided, ReplicaDivisionPreference: policyv1alpha1.ReplicaDivisionPreferenceAggregated,
	}
	return p
}

func deployment(name string) *appsv1.Deployment {
	d := fixture.Nginx(space, 5)
	d.Name = name
	return d
}

// autoscaler returns one that scales a Deployment.
func autoscaler(name, scales string) *autoscalingv2.HorizontalPodAutoscaler {
	return &autoscalingv2.HorizontalPodAutoscaler{ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: name}, Spec: autoscalingv2.HorizontalPodAutoscalerSpec{
		MaxReplicas: 9, ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: scales},
	}}
}

// change writes what by changes of an object.
func change[T client.Object](ctx context.Context, o T, by func(T)) {
	GinkgoHelper()
	Eventually(func(g Gomega) {
		g.Expect(hub.Get(ctx, client.ObjectKeyFromObject(o), o)).To(Succeed())
		by(o)
		g.Expect(hub.Update(ctx, o)).To(Succeed())
	}).WithContext(ctx).Should(Succeed())
}

// marks returns a function with the label and the annotation of a Deployment.
func marks(ctx context.Context, name string) func() [2]string {
	return func() [2]string {
		d := &appsv1.Deployment{}
		if err := hub.Get(ctx, client.ObjectKey{Namespace: space, Name: name}, d); err != nil {
			return [2]string{err.Error()}
		}
		return [2]string{d.Labels[policyv1alpha1.RetainReplicasLabel], d.Annotations[marker.Annotation]}
	}
}

var marked, unmarked = [2]string{"true", "hpaScaleTargetMarker"}, [2]string{}

// bound waits for the binding of an object, and returns it.
func bound(ctx context.Context, name string) *workv1alpha2.ResourceBinding {
	GinkgoHelper()
	b := &workv1alpha2.ResourceBinding{}
	Eventually(func() error { return hub.Get(ctx, client.ObjectKey{Namespace: space, Name: name}, b) }).WithContext(ctx).Should(Succeed())
	return b
}

// claimed waits until a Deployment has its claim, and its binding.
func claimed(ctx context.Context, name string) {
	GinkgoHelper()
	bound(ctx, name+"-deployment")
	Eventually(func(g Gomega) {
		d := &appsv1.Deployment{}
		g.Expect(hub.Get(ctx, client.ObjectKey{Namespace: space, Name: name}, d)).To(Succeed())
		g.Expect(d.Labels).To(HaveKey(policyv1alpha1.PropagationPolicyPermanentIDLabel))
	}).WithContext(ctx).Should(Succeed())
}

// refusesOnce answers the first request that takes the mark of a template away with a conflict, as where
// somebody else has written that, and sends its path.
type refusesOnce struct {
	next    http.RoundTripper
	once    sync.Once
	refused chan string
}

func (r *refusesOnce) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Method != http.MethodPatch {
		return r.next.RoundTrip(request)
	}
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return nil, err
	}
	request.Body = io.NopCloser(bytes.NewReader(body))
	refuse := false
	if bytes.Contains(body, []byte(marker.Annotation+`":null`)) {
		r.once.Do(func() { refuse = true })
	}
	if refuse {
		r.refused <- request.URL.Path
		answer := httptest.NewRecorder()
		answer.Header().Set("Content-Type", "application/json")
		answer.WriteHeader(http.StatusConflict)
		err := json.NewEncoder(answer).Encode(apierrors.NewConflict(schema.GroupResource{Group: "apps", Resource: "deployments"}, "web", errors.New("changed")).Status())
		return answer.Result(), err
	}
	return r.next.RoundTrip(request)
}

// end deletes an autoscaler with its binding: there is no garbage collector.
func end(ctx context.Context, name string) {
	GinkgoHelper()
	Expect(hub.Delete(ctx, autoscaler(name, ""))).To(Succeed())
	b := bound(ctx, name+"-horizontalpodautoscaler")
	change(ctx, b, func(b *workv1alpha2.ResourceBinding) { b.Finalizers = nil })
	Expect(hub.Delete(ctx, b)).To(Succeed())
}

var _ = Describe("what an autoscaler scales", func() {
	It("is marked while the autoscaler is propagated, whichever comes first", func(ctx SpecContext) {
		create(ctx, selecting("Deployment", "HorizontalPodAutoscaler"), autoscaler("a", "web"))
		bound(ctx, "a-horizontalpodautoscaler")
		create(ctx, deployment("web"), deployment("other"))
		Eventually(marks(ctx, "web")).Should(Equal(marked))
		bound(ctx, "other-deployment")
		Expect(marks(ctx, "other")()).To(Equal(unmarked))

		end(ctx, "a")
		Eventually(marks(ctx, "web")).Should(Equal(unmarked))
	})

	It("stays as it is where the autoscaler is not propagated", func(ctx SpecContext) {
		create(ctx, selecting("Deployment"), autoscaler("a", "web"), deployment("web"), deployment("other"), autoscaler("b", "other"))
		bound(ctx, "web-deployment")
		bound(ctx, "other-deployment")
		Consistently(marks(ctx, "web")).WithTimeout(time.Second).Should(Equal(unmarked))
		create(ctx, func() client.Object { p := selecting("HorizontalPodAutoscaler"); p.Name = "later"; return p }())
		Eventually(marks(ctx, "web")).Should(Equal(marked))
		Eventually(marks(ctx, "other")).Should(Equal(marked))
	})

	It("is another object once the autoscaler names another one, unless a second one scales the first", func(ctx SpecContext) {
		first, second := autoscaler("a", "web"), autoscaler("b", "web")
		create(ctx, selecting("Deployment", "HorizontalPodAutoscaler"), deployment("web"), deployment("other"), first, second)
		Eventually(marks(ctx, "web")).Should(Equal(marked))
		bound(ctx, "b-horizontalpodautoscaler")
		change(ctx, first, func(a *autoscalingv2.HorizontalPodAutoscaler) { a.Spec.ScaleTargetRef.Name = "other" })
		Eventually(marks(ctx, "other")).Should(Equal(marked))
		Eventually(marks(ctx, "web")).MustPassRepeatedly(20).Should(Equal(marked))
		change(ctx, second, func(a *autoscalingv2.HorizontalPodAutoscaler) { a.Spec.ScaleTargetRef.Name = "other" })
		Eventually(marks(ctx, "web")).Should(Equal(unmarked))
		Expect(marks(ctx, "other")()).To(Equal(marked))
	})

	It("keeps a label that its author has set, and does not get back one that a person took away", func(ctx SpecContext) {
		own, web := deployment("own"), deployment("web")
		own.Labels = map[string]string{policyv1alpha1.RetainReplicasLabel: "true"}
		create(ctx, selecting("Deployment", "HorizontalPodAutoscaler"), own, web, autoscaler("a", "own"), autoscaler("b", "web"))
		Eventually(marks(ctx, "web")).Should(Equal(marked))
		change(ctx, web, func(d *appsv1.Deployment) { delete(d.Labels, policyv1alpha1.RetainReplicasLabel) })
		Consistently(marks(ctx, "web")).WithTimeout(time.Second).Should(Equal([2]string{"", "hpaScaleTargetMarker"}))
		// A file that replaces the whole object takes away both.
		change(ctx, web, func(d *appsv1.Deployment) { d.Annotations = nil })
		Eventually(marks(ctx, "web")).Should(Equal(marked))

		end(ctx, "a")
		end(ctx, "b")
		Eventually(marks(ctx, "web")).Should(Equal(unmarked))
		Expect(marks(ctx, "own")()).To(Equal([2]string{"true", ""}))
	})

	It("loses its label although somebody else writes it at that moment", func(ctx SpecContext) {
		Expect(stop()).To(Succeed())
		refusal := &refusesOnce{refused: make(chan string, 1)}
		start(func(next http.RoundTripper) http.RoundTripper {
			refusal.next = next
			return refusal
		})
		create(ctx, selecting("Deployment", "HorizontalPodAutoscaler"), deployment("web"), autoscaler("a", "web"))
		Eventually(marks(ctx, "web")).Should(Equal(marked))
		end(ctx, "a")
		Eventually(refusal.refused).Should(Receive(HaveSuffix("/deployments/web")))
		Eventually(marks(ctx, "web")).Should(Equal(unmarked))
	})

	It("costs a start nothing, which ends what ended meanwhile", func(ctx SpecContext) {
		create(ctx, selecting("Deployment", "HorizontalPodAutoscaler"), deployment("web"), deployment("gone"), autoscaler("a", "web"), autoscaler("b", "gone"))
		Eventually(marks(ctx, "web")).Should(Equal(marked))
		Eventually(marks(ctx, "gone")).Should(Equal(marked))
		claimed(ctx, "web") // or the next manager writes its claim
		Expect(stop()).To(Succeed())
		end(ctx, "b")
		var requests suite.Requests
		start(requests.Wrap)
		Eventually(marks(ctx, "gone")).Should(Equal(unmarked))
		Expect(requests.Made("/deployments/web")).To(BeEmpty())
		Expect(marks(ctx, "web")()).To(Equal(marked))
	})
})

var _ = Describe("the replicas of a template", func() {
	// settle writes into a binding what scheduling and the members would.
	settle := func(ctx context.Context, counts ...string) {
		GinkgoHelper()
		b := bound(ctx, "web-deployment")
		change(ctx, b, func(b *workv1alpha2.ResourceBinding) {
			b.Spec.Clusters = []workv1alpha2.TargetCluster{{Name: "one", Replicas: 2}, {Name: "two", Replicas: 3}}
		})
		Eventually(func(g Gomega) {
			g.Expect(hub.Get(ctx, client.ObjectKeyFromObject(b), b)).To(Succeed())
			b.Status.SchedulerObservedGeneration = b.Generation
			meta.SetStatusCondition(&b.Status.Conditions, metav1.Condition{Type: workv1alpha2.FullyApplied, Status: "True", Reason: "Spec", ObservedGeneration: b.Generation})
			b.Status.AggregatedStatus = nil
			for i, count := range counts {
				b.Status.AggregatedStatus = append(b.Status.AggregatedStatus, workv1alpha2.AggregatedStatusItem{
					ClusterName: b.Spec.Clusters[i].Name, Applied: true, Status: &runtime.RawExtension{Raw: []byte(count)},
				})
			}
			g.Expect(hub.Status().Update(ctx, b)).To(Succeed())
		}).WithContext(ctx).Should(Succeed())
	}
	count := func(ctx context.Context) func() int32 {
		return func() int32 {
			d := &appsv1.Deployment{}
			Expect(hub.Get(ctx, client.ObjectKey{Namespace: space, Name: "web"}, d)).To(Succeed())
			return *d.Spec.Replicas
		}
	}

	It("follow those of its copies, once all have reported", func(ctx SpecContext) {
		create(ctx, selecting("Deployment", "HorizontalPodAutoscaler"), deployment("web"), autoscaler("a", "web"))
		Eventually(marks(ctx, "web")).Should(Equal(marked))
		settle(ctx, `{"replicas":3,"updatedReplicas":3}`)
		Consistently(count(ctx)).WithTimeout(time.Second).Should(BeEquivalentTo(5))
		settle(ctx, `{"replicas":3,"updatedReplicas":3}`, `{"replicas":4,"updatedReplicas":4}`)
		Eventually(count(ctx)).Should(BeEquivalentTo(7))
		Eventually(func() int32 { return bound(ctx, "web-deployment").Spec.Replicas }).Should(BeEquivalentTo(7))
	})

	It("are its author's where no autoscaler scales it", func(ctx SpecContext) {
		create(ctx, selecting("Deployment"), deployment("web"))
		settle(ctx, `{"replicas":3,"updatedReplicas":3}`, `{"replicas":4,"updatedReplicas":4}`)
		Consistently(count(ctx)).WithTimeout(time.Second).Should(BeEquivalentTo(5))
	})
})
