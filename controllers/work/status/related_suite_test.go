// SPDX-License-Identifier: Apache-2.0

package status_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/api/names"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/member"
	"github.com/dragoman-io/dragoman/controllers/internal/related"
	"github.com/dragoman-io/dragoman/controllers/internal/rulechange"
	"github.com/dragoman-io/dragoman/controllers/work/status"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/test/fixture"
	"github.com/dragoman-io/dragoman/test/suite"
)

// archive is a setup whose ConfigMap m has Backups, which the script of its state sees.
type archive struct {
	*setup
	watches *related.Watches
	backups schema.GroupVersionKind
}

// newArchive runs the controller on a Work of a ConfigMap that failover wants the state of.
// The member serves the kind of the backups where that is served.
func newArchive(ctx context.Context, served bool) *archive {
	GinkgoHelper()
	b := newSetup(ctx)
	a := &archive{setup: b, watches: &related.Watches{}}
	a.backups = schema.GroupVersionKind{Group: b.cluster + ".example.io", Version: "v1", Kind: "Backup"}
	if served {
		a.serve(ctx)
	}
	rules := fixture.RuleSet(configMaps, engine.InterpretState,
		"function GetState(o, related) return { size = o.data and o.data.size, path = related[1] and related[1].spec.path, seen = #related } end")
	rules.Kinds[configMaps][engine.InterpretState].Related = []engine.Related{{
		Kind: a.backups, Refers: engine.Reference{Name: "spec.of"}, Where: []engine.FieldCondition{{Field: "spec.phase", Is: "Complete"}},
		Time: "spec.at", Fields: []string{"spec.path"}, Most: 10,
	}}
	i := engine.NewInterpreter(engine.Options{})
	Expect(i.Set(engine.Embedded, rules)).To(Succeed())
	b.use(i)
	w := fixture.Work(b.cluster, "w", b.configMap())
	w.Annotations = map[string]string{workv1alpha2.FailoverAnnotation: workv1alpha2.FailoverState}
	Expect(hub.Manager.GetClient().Create(ctx, w)).To(Succeed())
	b.put(ctx, w)
	return a
}

func (a *archive) serve(ctx context.Context) {
	GinkgoHelper()
	Expect(suite.Install(ctx, onMember, fixture.Definition(a.backups, apiextensionsv1.NamespaceScoped))).To(Succeed())
}

// run runs the controller.
func (a *archive) run(ctx context.Context) {
	GinkgoHelper()
	stop, err := hub.Manage(map[client.Object]cache.ByObject{
		&workv1alpha1.Work{}: {Namespaces: map[string]cache.Config{names.ExecutionSpace(a.cluster): {}}},
	}, func(ctx context.Context, mgr ctrl.Manager) error {
		a.members = member.NewRegistry(hub.Client)
		d := base.Deps{
			Client: mgr.GetClient(), Members: a.members, Related: a.watches, Interpreter: a.interpreter,
			Changes: &rulechange.Changes{}, Clock: clock.RealClock{}, Events: a.events,
		}
		return errors.Join(mgr.Add(a.members), status.New(d).Register(ctx, mgr))
	})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func() { Expect(stop()).To(Succeed()) })
	a.connect(ctx)
}

// back makes a backup of an object, complete at a second of a minute.
func (a *archive) back(ctx context.Context, name, of string, second int) *unstructured.Unstructured {
	GinkgoHelper()
	o := fixture.Object(a.backups, a.namespace, name, map[string]any{"spec": map[string]any{
		"of": of, "phase": "Complete", "path": "s3://" + name, "at": fmt.Sprintf("2026-01-02T03:04:%02dZ", second),
	}})
	Expect(onMember.Create(ctx, o)).To(Succeed())
	return o
}

// state returns what the Work reports.
func (a *archive) state(ctx context.Context) func() map[string]string {
	return func() map[string]string {
		GinkgoHelper()
		w := a.work(ctx)
		if len(w.Status.ManifestStatuses) == 0 {
			return nil
		}
		return w.Status.ManifestStatuses[0].State
	}
}

// unwanted has failover want nothing of the Work any more.
func unwanted(w *workv1alpha1.Work) { delete(w.Annotations, workv1alpha2.FailoverAnnotation) }

var _ = Describe("The state that the status of a Work reports", func() {
	It("is read from the object and from those that are related to it", func(ctx SpecContext) {
		a := newArchive(ctx, true)
		a.back(ctx, "one", "m", 1)
		a.back(ctx, "other", "other", 5)
		a.run(ctx)
		Eventually(a.state(ctx)).Should(Equal(map[string]string{"path": "s3://one", "seen": "1"}))

		two := a.back(ctx, "two", "m", 2)
		Eventually(a.state(ctx)).Should(Equal(map[string]string{"path": "s3://two", "seen": "2"}))

		o := a.configMap()
		Expect(onMember.Get(ctx, client.ObjectKeyFromObject(o), o)).To(Succeed())
		o.Object["data"] = map[string]any{"size": "7"}
		Expect(onMember.Update(ctx, o)).To(Succeed())
		Eventually(a.state(ctx)).Should(Equal(map[string]string{"path": "s3://two", "seen": "2", "size": "7"}))

		Expect(onMember.Delete(ctx, two)).To(Succeed())
		Eventually(a.state(ctx)).Should(Equal(map[string]string{"path": "s3://one", "seen": "1", "size": "7"}))
	})

	It("is not written for what no script sees", func(ctx SpecContext) {
		a := newArchive(ctx, true)
		one := a.back(ctx, "one", "m", 1)
		a.run(ctx)
		Eventually(a.state(ctx)).Should(HaveKeyWithValue("path", "s3://one"))
		before := a.work(ctx).ResourceVersion
		a.back(ctx, "other", "other", 5)
		one.SetLabels(map[string]string{"a": "b"})
		Expect(onMember.Update(ctx, one)).To(Succeed())
		running := a.back(ctx, "running", "other", 9)
		Expect(onMember.Delete(ctx, running)).To(Succeed())
		a.back(ctx, "last", "m", 2) // what came before it was seen before it
		Eventually(a.state(ctx)).Should(HaveKeyWithValue("path", "s3://last"))
		Expect(a.written(ctx, before)).To(Equal(1), "it was written for the last backup alone")
	})

	It("is written about once a second in a storm", func(ctx SpecContext) {
		a := newArchive(ctx, true)
		a.run(ctx)
		Eventually(a.state(ctx)).Should(HaveKeyWithValue("seen", "0"))
		before, began := a.work(ctx).ResourceVersion, time.Now()
		for k := range 60 {
			a.back(ctx, fmt.Sprintf("b%02d", k), "m", k)
		}
		Eventually(a.state(ctx)).Should(HaveKeyWithValue("path", "s3://b59"))
		Expect(a.written(ctx, before)).To(BeNumerically("<=", int(time.Since(began)/time.Second)+1))
	})

	It("has the kind watched only while failover wants it, and while there is a Work", func(ctx SpecContext) {
		a := newArchive(ctx, true)
		a.back(ctx, "one", "m", 1)
		a.run(ctx)
		Eventually(a.state(ctx)).Should(HaveKeyWithValue("path", "s3://one"))
		Expect(a.watches.Watched(a.cluster)).To(Equal(1))

		a.change(ctx, unwanted)
		Eventually(a.state(ctx)).Should(BeNil())
		Expect(a.watches.Watched(a.cluster)).To(BeZero())

		a.change(ctx, func(w *workv1alpha1.Work) {
			w.Annotations = map[string]string{workv1alpha2.FailoverAnnotation: workv1alpha2.FailoverMoved + "," + workv1alpha2.FailoverState}
		})
		Eventually(a.state(ctx)).Should(HaveKeyWithValue("path", "s3://one"))
		Expect(a.watches.Watched(a.cluster)).To(Equal(1))

		a.change(ctx, func(w *workv1alpha1.Work) { w.Finalizers = nil }) // as when its object is gone
		Expect(hub.Manager.GetClient().Delete(ctx, a.work(ctx))).To(Succeed())
		Eventually(func() int { return a.watches.Watched(a.cluster) }).Should(BeZero())
	})

	It("is that of the object alone until the member serves the kind", func(ctx SpecContext) {
		a := newArchive(ctx, false)
		a.run(ctx)
		Eventually(a.state(ctx)).Should(Equal(map[string]string{"seen": "0"}))
		a.serve(ctx)
		a.back(ctx, "one", "m", 1)
		Eventually(a.state(ctx)).Should(Equal(map[string]string{"path": "s3://one", "seen": "1"}))
	})

	It("is that of the object alone where the member does not allow to read the kind", func(ctx SpecContext) {
		a := newArchive(ctx, true)
		a.back(ctx, "one", "m", 1)
		a.restrict(ctx)
		a.run(ctx)
		Eventually(a.state(ctx)).Should(Equal(map[string]string{"seen": "0"}))
	})

	It("stays when the script fails, with an event", func(ctx SpecContext) {
		a := newArchive(ctx, true)
		a.back(ctx, "one", "m", 1)
		a.run(ctx)
		Eventually(a.state(ctx)).Should(HaveKeyWithValue("path", "s3://one"))
		before := a.state(ctx)()
		broken := fixture.RuleSet(configMaps, engine.InterpretState, "function GetState(o)\n  error('no idea')\nend")
		Expect(a.interpreter.Set(engine.Customizations, broken)).To(Succeed())
		o := a.configMap()
		Expect(onMember.Get(ctx, client.ObjectKeyFromObject(o), o)).To(Succeed())
		o.Object["data"] = map[string]any{"size": "8"}
		Expect(onMember.Update(ctx, o)).To(Succeed())
		Eventually(func() []string { return a.events.About(a.key().Namespace, "w") }).
			Should(ContainElement(And(HavePrefix("Warning InterpretStateFailed: "), ContainSubstring("state.lua:2"))))
		Expect(a.state(ctx)()).To(Equal(before))
	})
})

// written counts the writes of the Work since a version.
func (a *archive) written(ctx context.Context, version string) int {
	GinkgoHelper()
	end := a.work(ctx).ResourceVersion
	events, err := hub.Client.Watch(ctx, &workv1alpha1.WorkList{}, client.InNamespace(a.key().Namespace),
		&client.ListOptions{Raw: &metav1.ListOptions{ResourceVersion: version}})
	Expect(err).NotTo(HaveOccurred())
	defer events.Stop()
	for count := 0; ; {
		e := <-events.ResultChan()
		if w, ok := e.Object.(*workv1alpha1.Work); ok && w.Name == "w" {
			if count++; w.ResourceVersion == end {
				return count
			}
		}
	}
}

// restrict has the member be reached by an account that may read ConfigMaps alone.
func (a *archive) restrict(ctx context.Context) {
	GinkgoHelper()
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: a.namespace, Name: "restricted"}}
	Expect(onMember.Create(ctx, account)).To(Succeed())
	role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: a.namespace}, Rules: []rbacv1.PolicyRule{
		{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"*"}},
	}}
	Expect(onMember.Create(ctx, role)).To(Succeed())
	Expect(onMember.Create(ctx, &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: a.namespace},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role.Name},
		Subjects:   []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: account.Namespace, Name: account.Name}},
	})).To(Succeed())
	request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: new(int64(3600))}}
	Expect(onMember.SubResource("token").Create(ctx, account, request)).To(Succeed())
	secret := &corev1.Secret{}
	Expect(hub.Client.Get(ctx, client.ObjectKey{Namespace: names.ClusterNamespace, Name: a.cluster}, secret)).To(Succeed())
	secret.Data[clusterv1alpha1.SecretTokenKey] = []byte(request.Status.Token)
	Expect(hub.Client.Update(ctx, secret)).To(Succeed())
}
