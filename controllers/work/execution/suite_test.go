// SPDX-License-Identifier: Apache-2.0

package execution_test

import (
	"context"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/uuid"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/api/names"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/member"
	"github.com/dragoman-io/dragoman/controllers/work/execution"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/test/fixture"
	"github.com/dragoman-io/dragoman/test/suite"
)

var (
	// hub has one member, which many Cluster objects are made for.
	hub *suite.Suite
	// interpreter has the bundles of this program.
	interpreter *engine.Interpreter
	// onMember is a direct client of the member.
	onMember client.WithWatch

	// owner names the control plane of the specs.
	owner = "hub"

	configMaps  = schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}
	deployments = schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}
)

func TestExecution(t *testing.T) { suite.Specs(t, "Execution") }

var _ = BeforeSuite(func(ctx SpecContext) {
	hub = suite.Begin(ctx, "one")
	Expect(hub.Run()).To(Succeed())
	interpreter, onMember = suite.Rules(), hub.OnMember()
})

// setup is a cluster that is ready, a namespace in the member, and a controller that
// the spec calls by itself.
type setup struct {
	cluster, namespace string
	controller         *execution.Controller
	members            *member.Registry
	events             *fixture.Events
}

func newSetup(ctx context.Context, at suite.Address) *setup {
	GinkgoHelper()
	b := &setup{cluster: "c-" + string(uuid.NewUUID())[:8], events: &fixture.Events{}}
	b.namespace = b.cluster
	_, err := hub.Join(ctx, b.cluster, at)
	Expect(err).NotTo(HaveOccurred())
	c := hub.Manager.GetClient()
	Expect(c.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: names.ExecutionSpace(b.cluster)}})).To(Succeed())
	Expect(onMember.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: b.namespace}})).To(Succeed())
	b.ready(ctx, metav1.ConditionTrue)
	b.restart()
	b.connect(ctx)
	return b
}

// restart creates a new controller, which knows nothing and is not connected.
func (b *setup) restart() {
	b.members = member.NewRegistry(hub.Manager.GetClient())
	DeferCleanup(b.members.Close)
	b.forget()
}

// forget creates a new controller, which knows nothing.
func (b *setup) forget() {
	b.controller = execution.New(base.Deps{Client: hub.Manager.GetClient(), Members: b.members, Interpreter: interpreter, Events: b.events, Owner: owner})
}

// connect connects to the member, as the cluster controller does.
func (b *setup) connect(ctx context.Context) {
	GinkgoHelper()
	_, err := b.members.Connect(ctx, b.object(ctx))
	Expect(err).NotTo(HaveOccurred())
}

// ready sets whether the cluster is ready.
func (b *setup) ready(ctx context.Context, status metav1.ConditionStatus) {
	GinkgoHelper()
	cluster := b.object(ctx)
	meta.SetStatusCondition(&cluster.Status.Conditions, metav1.Condition{Type: "Ready", Status: status, Reason: "Spec", Message: "said by a spec"})
	Expect(hub.Manager.GetClient().Status().Update(ctx, cluster)).To(Succeed())
}

// object reads the Cluster.
func (b *setup) object(ctx context.Context) *clusterv1alpha1.Cluster {
	GinkgoHelper()
	cluster := &clusterv1alpha1.Cluster{}
	Expect(hub.Manager.GetClient().Get(ctx, types.NamespacedName{Name: b.cluster}, cluster)).To(Succeed())
	return cluster
}

// create makes a Work of the name w.
func (b *setup) create(ctx context.Context, object *unstructured.Unstructured) *workv1alpha1.Work {
	GinkgoHelper()
	w := fixture.Work(b.cluster, "w", object)
	Expect(hub.Manager.GetClient().Create(ctx, w)).To(Succeed())
	return w
}

// change changes the Work, whoever writes its status meanwhile.
func (b *setup) change(ctx context.Context, f func(*workv1alpha1.Work)) {
	GinkgoHelper()
	w := b.work(ctx)
	before := w.DeepCopy()
	f(w)
	Expect(hub.Manager.GetClient().Patch(ctx, w, client.MergeFrom(before))).To(Succeed())
}

// work reads the Work.
func (b *setup) work(ctx context.Context) *workv1alpha1.Work {
	GinkgoHelper()
	w := &workv1alpha1.Work{}
	Expect(hub.Manager.GetClient().Get(ctx, b.key(), w)).To(Succeed())
	return w
}

func (b *setup) key() types.NamespacedName {
	return types.NamespacedName{Namespace: names.ExecutionSpace(b.cluster), Name: "w"}
}

// gone reports whether the Work is not there any more.
func (b *setup) gone(ctx context.Context) bool {
	return apierrors.IsNotFound(hub.Client.Get(ctx, b.key(), &workv1alpha1.Work{}))
}

// reconcile calls the controller once, as its queue would.
func (b *setup) reconcile(ctx context.Context) (reconcile.Result, error) {
	return reconcile.AsReconciler(hub.Manager.GetClient(), b.controller).Reconcile(ctx, reconcile.Request{NamespacedName: b.key()})
}

// apply calls the controller once, and returns the Applied condition in a line.
func (b *setup) apply(ctx context.Context) string {
	GinkgoHelper()
	_, _ = b.reconcile(ctx) // the result is in the condition
	return b.condition(ctx, workv1alpha1.WorkApplied)
}

// condition returns a condition of the Work in a line.
func (b *setup) condition(ctx context.Context, kind string) string {
	GinkgoHelper()
	c := meta.FindStatusCondition(b.work(ctx).Status.Conditions, kind)
	if c == nil {
		return "none"
	}
	return string(c.Status) + " " + c.Reason + ": " + c.Message
}

const applied = "True AppliedSuccessful: Manifest has been successfully applied"

// configMap makes the ConfigMap m with one value.
func (b *setup) configMap(value string) *unstructured.Unstructured {
	return fixture.Object(configMaps, b.namespace, "m", map[string]any{"data": map[string]any{"key": value}})
}

// read reads the object m of a kind from the member; nil where it is not there.
func (b *setup) read(ctx context.Context, kind schema.GroupVersionKind) *unstructured.Unstructured {
	GinkgoHelper()
	o := fixture.Object(kind, "", "", nil)
	err := onMember.Get(ctx, types.NamespacedName{Namespace: b.namespace, Name: "m"}, o)
	if apierrors.IsNotFound(err) {
		return nil
	}
	Expect(err).NotTo(HaveOccurred())
	return o
}

// value returns the value in the member's ConfigMap m.
func (b *setup) value(ctx context.Context) string {
	GinkgoHelper()
	o := b.read(ctx, configMaps)
	if o == nil {
		return "gone"
	}
	value, _, _ := unstructured.NestedString(o.Object, "data", "key")
	return value
}

// edit changes the object m of a kind in the member, as somebody else would, whoever writes it
// meanwhile.
func (b *setup) edit(ctx context.Context, kind schema.GroupVersionKind, f func(*unstructured.Unstructured)) {
	GinkgoHelper()
	o := b.read(ctx, kind)
	Expect(o).NotTo(BeNil(), "there is no object to edit")
	before := o.DeepCopy()
	f(o)
	Expect(onMember.Patch(ctx, o, client.MergeFrom(before))).To(Succeed())
}

func setValue(value string) func(*unstructured.Unstructured) {
	return func(o *unstructured.Unstructured) { o.Object["data"] = map[string]any{"key": value} }
}

// watched waits until the controller reads the kind from its watch, as it is now.
func (b *setup) watched(ctx context.Context, kind schema.GroupVersionKind) {
	GinkgoHelper()
	m, ok := b.members.Get(b.cluster)
	Expect(ok).To(BeTrue())
	Eventually(func() (string, error) {
		o, err := m.Get(kind, types.NamespacedName{Namespace: b.namespace, Name: "m"})
		if apierrors.IsNotFound(err) {
			return "", nil
		}
		if err != nil {
			return "", err
		}
		return o.GetResourceVersion(), nil
	}).Should(Equal(version(b.read(ctx, kind))))
}

// version returns the resource version of a managed object.
func version(o *unstructured.Unstructured) string {
	if o == nil || o.GetLabels()["karmada.io/managed"] != "true" {
		return ""
	}
	return o.GetResourceVersion()
}

// one is the address of the member.
func one() suite.Address { return suite.At(hub.Fleet.Members[0]) }

// newProxy stands before the member.
func newProxy() *suite.Proxy {
	GinkgoHelper()
	g, err := suite.NewProxy(hub.Fleet.Members[0])
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(g.Close)
	return g
}

// writes counts the requests that came through a gate to change an object.
func writes(g *suite.Proxy) int {
	return g.Count("POST ") + g.Count("PUT ") + g.Count("PATCH ") + g.Count("DELETE ")
}
