// SPDX-License-Identifier: Apache-2.0

package gather_test

import (
	"context"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	appsv1alpha1 "github.com/dragoman-io/dragoman/api/apps/v1alpha1"
	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers"
	"github.com/dragoman-io/dragoman/controllers/decide/explain"
	"github.com/dragoman-io/dragoman/controllers/decide/schedule"
	"github.com/dragoman-io/dragoman/controllers/gather"
	"github.com/dragoman-io/dragoman/controllers/policy"
	"github.com/dragoman-io/dragoman/controllers/rendering"
	"github.com/dragoman-io/dragoman/controllers/scheduling"
	"github.com/dragoman-io/dragoman/controllers/template"
	"github.com/dragoman-io/dragoman/controllers/template/kinds"
	"github.com/dragoman-io/dragoman/test/fixture"
	"github.com/dragoman-io/dragoman/test/suite"
)

func TestGather(t *testing.T) { suite.Specs(t, "gather") }

var (
	control  *suite.Suite
	hub      client.WithWatch
	requests suite.Requests
	// reader is the client that is counted.
	reader client.Client
)

var _ = BeforeSuite(func(ctx SpecContext) {
	control = suite.Begin(ctx)
	hub = control.Client
	rules := control.ServeGadgets(ctx)
	stop, err := control.Manage(nil, func(ctx context.Context, mgr ctrl.Manager) error {
		d, err := controllers.NewDeps(mgr, controllers.Environment{Interpreter: rules})
		if err != nil {
			return err
		}
		for _, c := range []controllers.Controller{
			template.New(d), kinds.New(d), policy.New[*policyv1alpha1.PropagationPolicy](d), policy.New[*policyv1alpha1.ClusterPropagationPolicy](d),
			scheduling.New[*workv1alpha2.ResourceBinding](d, &schedule.Assumptions{}), rendering.New[*workv1alpha2.ResourceBinding](d),
		} {
			if err := c.Register(ctx, mgr); err != nil {
				return err
			}
		}
		return nil
	})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func() { Expect(stop()).To(Succeed()) })
	config := rest.CopyConfig(control.Fleet.ControlPlane.RESTConfig())
	config.Wrap(requests.Wrap)
	reader, err = client.New(config, client.Options{Scheme: hub.Scheme()})
	Expect(err).NotTo(HaveOccurred())
}, NodeTimeout(10*time.Minute))

// explained explains an object as it is now.
func explained(ctx context.Context, o *unstructured.Unstructured) *explain.Chain {
	GinkgoHelper()
	Expect(hub.Get(ctx, client.ObjectKeyFromObject(o), o)).To(Succeed())
	in, err := gather.Input(ctx, reader, o)
	Expect(err).NotTo(HaveOccurred())
	return explain.Explain(in)
}

// reason returns a function with the first broken link of an object and its reason.
func reason(ctx context.Context, o *unstructured.Unstructured) func() string {
	return func() string {
		first := explained(ctx, o).First()
		if first == nil {
			return ""
		}
		return first.Name + " " + first.Reason
	}
}

var _ = Describe("an object", func() {
	It("is explained from the missing policy to the healthy copy", func(ctx SpecContext) {
		space, err := control.Namespace(ctx)
		Expect(err).NotTo(HaveOccurred())
		object := fixture.Gadget(space, "web", map[string]any{})
		Expect(hub.Create(ctx, object)).To(Succeed())
		Expect(hub.Create(ctx, fixture.Policy(space, "other", fixture.Named(fixture.GadgetKind, "web2")))).To(Succeed())
		chain := explained(ctx, object)
		Expect(chain.Broken).To(Equal("policy"))
		Expect(chain.First().Items).To(HaveLen(1))
		Expect(chain.First().Items[0].Message).To(Equal("spec.resourceSelectors[0].name is web2, the object is web"))

		Expect(hub.Create(ctx, fixture.Policy(space, "p", fixture.Named(fixture.GadgetKind, "web")))).To(Succeed())
		Eventually(reason(ctx, object)).WithContext(ctx).Should(Equal("clusters NoClusterFit"))

		cluster := fixture.Cluster("m1", fixture.GadgetKind)
		status := cluster.Status.DeepCopy()
		Expect(hub.Create(ctx, cluster)).To(Succeed())
		cluster.Status = *status
		Expect(hub.Status().Update(ctx, cluster)).To(Succeed())
		other := fixture.Cluster("m2")
		Expect(hub.Create(ctx, other)).To(Succeed())
		Expect(hub.Create(ctx, executionSpace("karmada-es-m1"))).To(Succeed())
		Eventually(reason(ctx, object)).WithContext(ctx).Should(Equal("members ClusterNotReady"))

		cluster.Status.Conditions = []metav1.Condition{{Type: clusterv1alpha1.ClusterConditionReady, Status: "True", Reason: "Spec", LastTransitionTime: metav1.Now()}}
		Expect(hub.Status().Update(ctx, cluster)).To(Succeed())
		Eventually(reason(ctx, object)).WithContext(ctx).Should(Equal("members NotApplied"))

		in, err := gather.Input(ctx, reader, object)
		Expect(err).NotTo(HaveOccurred())
		for _, w := range in.Works {
			w.Status.Conditions = []metav1.Condition{{Type: workv1alpha1.WorkApplied, Status: "True", Reason: "Spec", ObservedGeneration: w.Generation, LastTransitionTime: metav1.Now()}}
			Expect(hub.Status().Update(ctx, w)).To(Succeed())
		}
		Expect(reason(ctx, object)()).To(Equal("status NotReported"))
		b := in.Binding.(*workv1alpha2.ResourceBinding)
		written := b.DeepCopy()
		written.Status.AggregatedStatus = []workv1alpha2.AggregatedStatusItem{{ClusterName: "m1", Applied: true, Health: workv1alpha2.ResourceHealthy}}
		Expect(hub.Status().Patch(ctx, written, client.MergeFrom(b))).To(Succeed(), "the scheduler writes this status, too")

		before := len(requests.Made())
		chain = explained(ctx, object)
		Expect(chain.Broken).To(BeEmpty())
		made := requests.Made()[before:]
		Expect(made).To(HaveLen(9), "two lists of policies, customizations, the two names of the binding, clusters, placement rules, rebalancers, and one Work")
		Expect(made).To(HaveEach(HavePrefix("GET ")))
		Expect(chain.Links[3].Items).To(Equal([]explain.Finding{
			{State: explain.OK, Subject: "m1"}, {State: explain.Lost, Subject: "m2", Reason: "NeverReady", Message: "did not have the API resource; the cluster was never probed, so what it serves is not known"},
		}))

		By("asking for it to be placed again, which no controller of this suite does")
		for name, workload := range map[string]string{"again-" + space: "web", "other-" + space: "web2"} {
			r := &appsv1alpha1.WorkloadRebalancer{ObjectMeta: metav1.ObjectMeta{Name: name}}
			r.Spec.Workloads = []appsv1alpha1.ObjectReference{{APIVersion: object.GetAPIVersion(), Kind: object.GetKind(), Namespace: space, Name: workload}}
			Expect(hub.Create(ctx, r)).To(Succeed())
		}
		chain = explained(ctx, object)
		Expect(chain.Broken).To(Equal("clusters"))
		Expect(chain.First().Finding).To(And(HaveField("Reason", "RebalanceRequested"), HaveField("Subject", "WorkloadRebalancer again-"+space)))
	}, NodeTimeout(time.Minute))
})

func executionSpace(name string) *corev1.Namespace {
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
}
