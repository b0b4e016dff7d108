// SPDX-License-Identifier: Apache-2.0

package status_test

import (
	"context"
	"encoding/json"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
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
	"github.com/dragoman-io/dragoman/controllers/work/status"
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

	configMaps  = schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}
	deployments = schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}
)

func TestStatus(t *testing.T) { suite.Specs(t, "Work status") }

var _ = BeforeSuite(func(ctx SpecContext) {
	hub = suite.Begin(ctx, "one")
	Expect(hub.Run()).To(Succeed())
	interpreter, onMember = suite.Rules(), hub.OnMember()
})

// setup is a cluster that is connected, a namespace in the member, and a controller
// that the spec calls by itself.
type setup struct {
	cluster, namespace string
	controller         *status.Controller
	interpreter        *engine.Interpreter
	members            *member.Registry
	events             *fixture.Events
}

func newSetup(ctx context.Context) *setup {
	GinkgoHelper()
	b := &setup{cluster: "c-" + string(uuid.NewUUID())[:8], events: &fixture.Events{}}
	b.namespace = b.cluster
	_, err := hub.Join(ctx, b.cluster, suite.At(hub.Fleet.Members[0]))
	Expect(err).NotTo(HaveOccurred())
	Expect(hub.Manager.GetClient().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: names.ExecutionSpace(b.cluster)}})).To(Succeed())
	Expect(onMember.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: b.namespace}})).To(Succeed())
	b.members = member.NewRegistry(hub.Manager.GetClient())
	DeferCleanup(b.members.Close)
	b.use(interpreter)
	b.connect(ctx)
	return b
}

// use has a new controller ask rules.
func (b *setup) use(rules *engine.Interpreter) {
	b.interpreter = rules
	b.controller = status.New(base.Deps{Client: hub.Manager.GetClient(), Members: b.members, Interpreter: rules, Events: b.events})
}

// connect connects to the member, as the cluster controller does.
func (b *setup) connect(ctx context.Context) {
	GinkgoHelper()
	cluster := &clusterv1alpha1.Cluster{}
	Expect(hub.Client.Get(ctx, types.NamespacedName{Name: b.cluster}, cluster)).To(Succeed())
	_, err := b.members.Connect(ctx, cluster)
	Expect(err).NotTo(HaveOccurred())
}

// create makes the Work w, and its object in the member as the execution controller
// would, with a status if there is one.
func (b *setup) create(ctx context.Context, object *unstructured.Unstructured) *workv1alpha1.Work {
	GinkgoHelper()
	w := fixture.Work(b.cluster, "w", object)
	Expect(hub.Manager.GetClient().Create(ctx, w)).To(Succeed())
	b.put(ctx, w)
	return w
}

// put makes the objects of a Work, and reports that they are applied.
func (b *setup) put(ctx context.Context, w *workv1alpha1.Work) {
	GinkgoHelper()
	b.place(ctx, w)
	b.report(ctx, w)
}

// place makes the objects of a Work.
func (b *setup) place(ctx context.Context, w *workv1alpha1.Work) {
	GinkgoHelper()
	for _, m := range w.Spec.Workload.Manifests {
		o := &unstructured.Unstructured{}
		Expect(o.UnmarshalJSON(m.Raw)).To(Succeed())
		Expect(onMember.Create(ctx, o)).To(Succeed())
	}
}

// report reports that a Work, if it exists, is applied in its current generation.
func (b *setup) report(ctx context.Context, w *workv1alpha1.Work) {
	GinkgoHelper()
	c, live := hub.Manager.GetClient(), &workv1alpha1.Work{}
	if err := c.Get(ctx, client.ObjectKeyFromObject(w), live); err != nil {
		Expect(client.IgnoreNotFound(err)).To(Succeed())
		return
	}
	fixture.SetApplied(live, metav1.ConditionTrue)
	Expect(c.Status().Update(ctx, live)).To(Succeed())
}

// setStatus writes the status of the object m, as its controller in the member would.
func (b *setup) setStatus(ctx context.Context, kind schema.GroupVersionKind, status map[string]any) {
	GinkgoHelper()
	o := fixture.Object(kind, "", "", nil)
	Expect(onMember.Get(ctx, types.NamespacedName{Namespace: b.namespace, Name: "m"}, o)).To(Succeed())
	o.Object["status"] = status
	Expect(onMember.Status().Update(ctx, o)).To(Succeed())
}

func (b *setup) key() types.NamespacedName {
	return types.NamespacedName{Namespace: names.ExecutionSpace(b.cluster), Name: "w"}
}

// work reads the Work.
func (b *setup) work(ctx context.Context) *workv1alpha1.Work {
	GinkgoHelper()
	w := &workv1alpha1.Work{}
	Expect(hub.Manager.GetClient().Get(ctx, b.key(), w)).To(Succeed())
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

// reconcile calls the controller once, as its queue would.
func (b *setup) reconcile(ctx context.Context) error {
	_, err := reconcile.AsReconciler(hub.Manager.GetClient(), b.controller).Reconcile(ctx, reconcile.Request{NamespacedName: b.key()})
	return err
}

// reconciled calls the controller once and lists what the Work reports of its objects, each as
// "name health status". The watch may lag behind the member.
func (b *setup) reconciled(ctx context.Context) func() []string {
	return func() []string {
		GinkgoHelper()
		Expect(b.reconcile(ctx)).To(Succeed())
		return statuses(b.work(ctx))
	}
}

func statuses(w *workv1alpha1.Work) []string {
	var lines []string
	for _, s := range w.Status.ManifestStatuses {
		line := s.Identifier.Name + " " + string(s.Health)
		if s.Status != nil {
			line += " " + string(s.Status.Raw)
		}
		lines = append(lines, line)
	}
	return lines
}

// configMap makes the ConfigMap m.
func (b *setup) configMap() *unstructured.Unstructured {
	return fixture.Object(configMaps, b.namespace, "m", nil)
}

func parsed(text string) map[string]any {
	GinkgoHelper()
	m := map[string]any{}
	Expect(json.Unmarshal([]byte(text), &m)).To(Succeed())
	return m
}
