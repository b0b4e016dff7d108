// SPDX-License-Identifier: Apache-2.0

package policy_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers"
	"github.com/dragoman-io/dragoman/controllers/internal/templates"
	"github.com/dragoman-io/dragoman/test/fixture"
	"github.com/dragoman-io/dragoman/test/suite"
)

// gate is a transport that holds some requests until it is opened. Those that it held are
// listed in their order.
type gate struct {
	holds func(*http.Request) bool
	open  chan struct{}

	mu   sync.Mutex
	held []string
}

func newGate(holds func(*http.Request) bool) *gate {
	g := &gate{holds: holds, open: make(chan struct{})}
	DeferCleanup(g.let)
	return g
}

// let opens the gate; it may be called more than once.
func (g *gate) let() {
	g.mu.Lock()
	defer g.mu.Unlock()
	select {
	case <-g.open:
	default:
		close(g.open)
	}
}

func (g *gate) seen() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.held)
}

func (g *gate) wrap(next http.RoundTripper) http.RoundTripper {
	return roundTrip(func(r *http.Request) (*http.Response, error) {
		if g.holds(r) {
			g.mu.Lock()
			g.held = append(g.held, r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:])
			g.mu.Unlock()
			select {
			case <-g.open:
			case <-r.Context().Done():
				return nil, r.Context().Err()
			}
		}
		return next.RoundTrip(r)
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// writes are the requests that changed something.
func writes(r *suite.Requests) []string {
	return slices.DeleteFunc(withoutEvents(r.Made()), func(one string) bool { return strings.HasPrefix(one, http.MethodGet) })
}

// withoutEvents lists what is no event: events of success have a budget, and a time, of their own.
func withoutEvents(made []string) []string {
	return slices.DeleteFunc(slices.Clone(made), func(one string) bool { return strings.HasPrefix(one, "POST /apis/events.k8s.io/") })
}

func gadget(name string) *unstructured.Unstructured { return fixture.Gadget(space, name, nil) }

var _ = Describe("a new template", func() {
	It("costs one PATCH of itself, one POST of its binding and a look for new policies, and a restart costs nothing", func(ctx SpecContext) {
		var requests suite.Requests
		d, stop := start(nil, requests.Wrap)
		p := fixture.Policy(space, "p", fixture.All(fixture.GadgetKind))
		create(ctx, p)
		prepared(ctx, p)
		Eventually(func() bool { return d.Templates.Watched(fixture.GadgetKind) }).WithContext(ctx).Should(BeTrue())
		before := len(withoutEvents(requests.Made()))
		for _, name := range []string{"one", "two"} {
			create(ctx, gadget(name))
			bound(ctx, gadget(name))
		}
		gadgets := "/apis/spec.dragoman.io/v1/namespaces/" + space + "/gadgets/"
		bindings := "/apis/work.karmada.io/v1alpha2/namespaces/" + space + "/resourcebindings"
		policies := "/apis/policy.karmada.io/v1alpha1/"
		wide, spaced := "GET "+policies+"clusterpropagationpolicies", "GET "+policies+"namespaces/"+space+"/propagationpolicies"
		Expect(withoutEvents(requests.Made())[before:]).To(Equal([]string{
			wide, spaced, "PATCH " + gadgets + "one", "POST " + bindings, wide, spaced, "PATCH " + gadgets + "two", "POST " + bindings,
		}))
		stop()

		var again suite.Requests
		start(nil, again.Wrap)
		create(ctx, gadget("three"))
		bound(ctx, gadget("three"))
		Expect(writes(&again)).To(Equal([]string{"PATCH " + gadgets + "three", "POST " + bindings}))
		Expect(again.Made(gadgets+"one")).To(BeEmpty(), "nothing is read that the cache has")
	})
})

var _ = Describe("a start", func() {
	It("has a controller that listens late hear of the templates that were listed before", func(ctx SpecContext) {
		create(ctx, fixture.Policy(space, "p", fixture.All(fixture.GadgetKind)), gadget("one"))
		d, _ := start(nil)
		bound(ctx, gadget("one"))
		heard := make(chan templates.Key, 100)
		d.Templates.Listen(func(k templates.Key, _ templates.Cause) { heard <- k })
		Eventually(heard).WithContext(ctx).Should(Receive(Equal(templates.KeyOf(gadget("one")))))
	})

	It("reads no template from the API server that a policy selects, however early it is read", func(ctx SpecContext) {
		create(ctx, fixture.Policy(space, "p", fixture.All(fixture.GadgetKind)), gadget("one"))
		var requests suite.Requests
		d, _ := start(nil, requests.Wrap)
		object, err := d.Templates.Get(ctx, templates.KeyOf(gadget("one")))
		Expect(err).NotTo(HaveOccurred())
		Expect(object.GetUID()).NotTo(BeEmpty())
		Expect(requests.Made("GET", "/gadgets/one")).To(BeEmpty())
		Eventually(func() []schema.GroupVersionKind { return d.Templates.Wanted("policy at the start") }).WithContext(ctx).Should(BeEmpty(), "the policy wants the kind itself")
		Expect(d.Templates.Watched(fixture.GadgetKind)).To(BeTrue())
	})

	It("reads templates that no policy selects from the API server", func(ctx SpecContext) {
		create(ctx, gadget("one"))
		var requests suite.Requests
		d, _ := start(nil, requests.Wrap)
		_, err := d.Templates.Get(ctx, templates.KeyOf(gadget("one")))
		Expect(err).NotTo(HaveOccurred())
		Expect(requests.Made("GET", "/gadgets/one")).To(HaveLen(1))
	})

	It("is no failure, however long it takes until a kind is listed", func(ctx SpecContext) {
		create(ctx, fixture.Policy(space, "p", fixture.All(fixture.GadgetKind)), gadget("one"))
		errors := func() float64 {
			return counter("controller_runtime_reconcile_errors_total", "template") + counter("controller_runtime_reconcile_errors_total", "policy")
		}
		before := errors()
		held := newGate(func(r *http.Request) bool {
			return strings.HasSuffix(r.URL.Path, "/gadgets") && !r.URL.Query().Has("limit")
		})
		start(nil, held.wrap)
		Eventually(held.seen).WithContext(ctx).ShouldNot(BeEmpty())
		other := fixture.Object(corev1.SchemeGroupVersion.WithKind("ConfigMap"), space, "other", nil)
		create(ctx, other, fixture.Policy(space, "q", fixture.Named(other.GroupVersionKind(), "other")))
		bound(ctx, other)
		Consistently(errors).WithContext(ctx).WithTimeout(6 * time.Second).Should(Equal(before))
		held.let()
		bound(ctx, gadget("one"))
		Expect(errors()).To(Equal(before))
	})

	It("reconciles what changes before what it lists", func(ctx SpecContext) {
		var old []string
		for i := range 20 {
			old = append(old, fmt.Sprintf("old-%d", i))
			create(ctx, gadget(old[i]))
		}
		create(ctx, fixture.Policy(space, "p", fixture.All(fixture.GadgetKind)))
		held := newGate(func(r *http.Request) bool {
			return r.Method == http.MethodPatch && strings.Contains(r.URL.Path, "/"+space+"/gadgets/")
		})
		d, _ := start(func(d *controllers.Deps) { d.Workers = map[string]int{"template": 1} }, held.wrap)
		Eventually(held.seen).WithContext(ctx).Should(HaveLen(1))
		notified := watchFor(d, "new")
		create(ctx, gadget("new"))
		Eventually(notified).WithContext(ctx).Should(BeClosed())
		held.let()
		// A template may be patched again that the cache has as it was.
		Eventually(held.seen).WithContext(ctx).Should(ContainElements(append(old, "new")))
		Expect(held.seen()[1]).To(Equal("new"))
	})

	It("activates nothing that lazy activation deferred", func(ctx SpecContext) {
		_, stop := start(nil)
		p := fixture.Policy(space, "p", fixture.All(fixture.GadgetKind))
		p.GetSpec().ActivationPreference = policyv1alpha1.LazyActivation
		create(ctx, p, gadget("one"))
		before := bound(ctx, gadget("one"))
		prepared(ctx, p)
		stop()
		p.GetSpec().ConflictResolution = policyv1alpha1.ConflictOverwrite
		Expect(hub.Update(ctx, p)).To(Succeed())
		start(nil)
		create(ctx, gadget("two"))
		Expect(bound(ctx, gadget("two")).Spec.ConflictResolution).To(Equal(policyv1alpha1.ConflictOverwrite))
		Eventually(func(g Gomega) {
			b := bound(ctx, gadget("one"))
			g.Expect(b.Annotations).To(HaveKeyWithValue("propagation.dragoman.io/deferred-policy-generation", "2"))
			g.Expect(b.Generation).To(Equal(before.Generation))
		}).WithContext(ctx).Should(Succeed())
	})
})

// watchFor returns a channel that is closed when a template of this name is new.
func watchFor(d controllers.Deps, name string) chan struct{} {
	notified := make(chan struct{})
	var once sync.Once
	listen(d, func(seen string) {
		if seen == name {
			once.Do(func() { close(notified) })
		}
	})
	return notified
}

var _ = Describe("the watch of a kind", func() {
	It("ends with the last policy that selects it, and begins again with the next", func(ctx SpecContext) {
		d, _ := start(nil)
		watched := func() bool { return d.Templates.Watched(fixture.GadgetKind) }
		first, second := fixture.Policy(space, "first", fixture.Named(fixture.GadgetKind, "one")), fixture.Policy(space, "second", fixture.Named(fixture.GadgetKind, "two"))
		create(ctx, gadget("one"), first, second)
		b := bound(ctx, gadget("one"))
		prepared(ctx, second)
		for _, p := range []policyv1alpha1.Policy{first, second} {
			Expect(watched()).To(BeTrue())
			Expect(hub.Delete(ctx, p)).To(Succeed())
			Eventually(func() bool { return apierrors.IsNotFound(hub.Get(ctx, client.ObjectKeyFromObject(p), p)) }).WithContext(ctx).Should(BeTrue())
		}
		Eventually(watched).WithContext(ctx).Should(BeFalse())
		Expect(bound(ctx, gadget("one")).UID).To(Equal(b.UID), "the binding stays")

		create(ctx, gadget("three"), fixture.Policy(space, "third", fixture.Labelled(fixture.GadgetKind, "app", "x"), fixture.Named(fixture.GadgetKind, "three")))
		bound(ctx, gadget("three"))
		later := gadget("later")
		later.SetLabels(map[string]string{"app": "x"})
		create(ctx, later)
		bound(ctx, later)
	})

	It("ends with the CRD, and begins again when that is back", func(ctx SpecContext) {
		d, _ := start(nil)
		kind := schema.GroupVersionKind{Group: space + ".dragoman.io", Version: "v1", Kind: "Gadget"}
		crd := fixture.Definition(kind, apiextensionsv1.NamespaceScoped)
		create(ctx, fixture.Policy(space, "p", fixture.All(kind)))
		serve(ctx, crd)
		o := fixture.Object(kind, space, "one", nil)
		create(ctx, o)
		bound(ctx, o)
		Expect(hub.Delete(ctx, crd)).To(Succeed())
		Eventually(func() bool { return d.Templates.Watched(kind) }).WithContext(ctx).Should(BeFalse())
		Eventually(func() bool { return apierrors.IsNotFound(hub.Get(ctx, client.ObjectKeyFromObject(crd), crd)) }).WithContext(ctx).Should(BeTrue())
		serve(ctx, fixture.Definition(kind, apiextensionsv1.NamespaceScoped))
		two := fixture.Object(kind, space, "two", nil)
		create(ctx, two)
		bound(ctx, two)
	})

	It("costs nothing when the CRD of another kind comes", func(ctx SpecContext) {
		var requests suite.Requests
		d, _ := start(nil, requests.Wrap)
		p := fixture.Policy(space, "p", fixture.All(fixture.GadgetKind))
		create(ctx, gadget("one"), p)
		bound(ctx, gadget("one"))
		prepared(ctx, p)
		Eventually(func(g Gomega) { // what the manager wrote has come back to it
			held := p.DeepCopyObject().(policyv1alpha1.Policy)
			g.Expect(d.Client.Get(ctx, client.ObjectKeyFromObject(p), held)).To(Succeed())
			g.Expect(held.GetResourceVersion()).To(Equal(p.GetResourceVersion()))
			o, err := d.Templates.Get(ctx, templates.KeyOf(gadget("one")))
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(o.GetLabels()).To(HaveKey(policyv1alpha1.PropagationPolicyPermanentIDLabel))
		}).WithContext(ctx).Should(Succeed())
		reconciled := func() float64 { return counter("controller_runtime_reconcile_total", "policy") }
		atRest(ctx, func() float64 { return reconciled() + float64(len(requests.Made())) })
		seen := counter("controller_runtime_reconcile_total", "template.kinds")
		before, made := reconciled(), len(requests.Made())
		serve(ctx, fixture.Definition(schema.GroupVersionKind{Group: "other-" + space + ".dragoman.io", Version: "v1", Kind: "Thing"}, apiextensionsv1.NamespaceScoped))
		Eventually(func() float64 { return counter("controller_runtime_reconcile_total", "template.kinds") }).WithContext(ctx).Should(BeNumerically(">", seen+1))
		Expect(reconciled()).To(Equal(before))
		Expect(requests.Made()[made:]).To(BeEmpty())
	})
})

var _ = Describe("a policy that is deleted", func() {
	It("does not hold up others while its templates are released", func(ctx SpecContext) {
		held := newGate(func(r *http.Request) bool {
			return r.Method == http.MethodPatch && strings.Contains(r.URL.Path, "/"+space+"/") && strings.Contains(r.URL.Path, "/old-")
		})
		closed := make(chan struct{})
		start(func(d *controllers.Deps) { d.Workers = map[string]int{"policy": 1} }, func(next http.RoundTripper) http.RoundTripper {
			through := held.wrap(next)
			return roundTrip(func(r *http.Request) (*http.Response, error) {
				select {
				case <-closed:
					return through.RoundTrip(r)
				default:
					return next.RoundTrip(r)
				}
			})
		})
		p := fixture.Policy(space, "p", fixture.All(fixture.GadgetKind))
		create(ctx, p)
		for i := range 10 {
			o := gadget(fmt.Sprintf("old-%d", i))
			create(ctx, o)
			bound(ctx, o)
		}
		close(closed)
		Expect(hub.Delete(ctx, p)).To(Succeed())
		Eventually(held.seen).WithContext(ctx).ShouldNot(BeEmpty())
		other := fixture.Policy(space, "other", fixture.Named(fixture.GadgetKind, "other"))
		create(ctx, other)
		prepared(ctx, other)
		held.let()
		Eventually(func() bool { return apierrors.IsNotFound(hub.Get(ctx, client.ObjectKeyFromObject(p), p)) }).WithContext(ctx).Should(BeTrue())
		for i := range 10 {
			expectReleased(ctx, gadget(fmt.Sprintf("old-%d", i)))
		}
	})
})

var _ = Describe("a template whose binding is being written", func() {
	It("is enqueued without waiting for that write", func(ctx SpecContext) {
		held := newGate(func(r *http.Request) bool {
			return r.Method == http.MethodPatch && strings.HasSuffix(r.URL.Path, "/resourcebindings/one-gadget")
		})
		d, _ := start(nil, held.wrap)
		p, one := fixture.Policy(space, "p", fixture.All(fixture.GadgetKind)), gadget("one")
		create(ctx, p, one)
		bound(ctx, one)
		Expect(hub.Delete(ctx, p)).To(Succeed())
		Eventually(held.seen).WithContext(ctx).ShouldNot(BeEmpty())
		enqueued := make(chan struct{})
		go func() {
			defer close(enqueued)
			d.Templates.Enqueue(templates.Listed, templates.KeyOf(one))
		}()
		Eventually(enqueued).WithContext(ctx).Should(BeClosed())
		held.let()
		Eventually(func() bool { return apierrors.IsNotFound(hub.Get(ctx, client.ObjectKeyFromObject(p), p)) }).WithContext(ctx).Should(BeTrue())
		expectReleased(ctx, one)
	})
})

// expectReleased expects no claim on a template and on its binding, which is there.
func expectReleased(ctx context.Context, o *unstructured.Unstructured) {
	GinkgoHelper()
	b := bound(ctx, o)
	Expect(hub.Get(ctx, client.ObjectKeyFromObject(o), o)).To(Succeed())
	for _, object := range []client.Object{o, b} {
		Expect(object.GetLabels()).NotTo(HaveKey(policyv1alpha1.PropagationPolicyPermanentIDLabel))
		Expect(object.GetAnnotations()).NotTo(HaveKey(policyv1alpha1.PropagationPolicyNameAnnotation))
	}
}
