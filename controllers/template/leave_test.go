// SPDX-License-Identifier: Apache-2.0

package template

import (
	"errors"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/dragoman-io/dragoman/api"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/reference"
	"github.com/dragoman-io/dragoman/controllers/decide/selection"
	"github.com/dragoman-io/dragoman/controllers/features"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/quotas"
	"github.com/dragoman-io/dragoman/controllers/internal/templates"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// waits is a template whose binding waits for a quota and names no PriorityClass that exists.
type waits struct {
	*Controller
	object   *unstructured.Unstructured
	binding  *workv1alpha2.ResourceBinding
	events   *fixture.Events
	registry *prometheus.Registry
}

// waiting returns a template that waits for a quota, with the first of its binding's names or that for a
// name that is taken.
func waiting(t *testing.T, taken bool) *waits {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := api.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	w := &waits{object: fixture.Gadget("shop", "web", nil), events: &fixture.Events{}, registry: prometheus.NewRegistry()}
	w.object.SetUID("u1")
	b := &workv1alpha2.ResourceBinding{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: reference.NameFor(w.object, taken), Generation: 1}}
	b.Spec.Resource = workv1alpha2.ObjectReference{APIVersion: w.object.GetAPIVersion(), Kind: w.object.GetKind(), Namespace: "shop", Name: "web", UID: "u1"}
	b.Spec.Clusters = []workv1alpha2.TargetCluster{{Name: "m", Replicas: 1}}
	b.Spec.Replicas = 1
	b.Status.Conditions = []metav1.Condition{
		{Type: workv1alpha2.WithinQuota, Status: metav1.ConditionFalse, Reason: workv1alpha2.BindingReasonQuotaExceeded, Message: "too much", ObservedGeneration: 1},
		{Type: PriorityResolved, Status: metav1.ConditionFalse, Reason: reasonNoClass, Message: "none", ObservedGeneration: 1},
		{Type: workv1alpha2.FullyApplied, Status: metav1.ConditionTrue, Reason: "FullyAppliedSuccess", ObservedGeneration: 1},
	}
	q := &policyv1alpha1.FederatedResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "team"}}
	q.Spec.Overall = corev1.ResourceList{corev1.ResourcePods: resource.MustParse("1")}
	c := fake.NewClientBuilder().WithScheme(scheme).WithStatusSubresource(b).WithObjects(b, w.object, q).Build()
	ledger, err := quotas.New(c, clocktesting.NewFakePassiveClock(time.Unix(0, 0)), w.registry)
	if err != nil {
		t.Fatal(err)
	}
	w.Controller = New(base.Deps{Client: c, Policies: &selection.Index{}, Gates: features.New(), Quotas: ledger, Events: w.events})
	w.binding = b
	w.read(t)
	larger := w.binding.DeepCopy()
	larger.Spec.Clusters[0].Replicas = 2
	if _, err := ledger.Admit(t.Context(), quotas.Request{Consumer: w.Name(), Binding: w.binding, After: larger, Notify: func() {}}); err == nil {
		t.Fatal("two pods are admitted by a quota of one")
	}
	if n := w.count(t); n != 1 {
		t.Fatalf("%v wait, want 1", n)
	}
	return w
}

// read reads the binding again.
func (w *waits) read(t *testing.T) {
	t.Helper()
	if err := w.Client.Get(t.Context(), client.ObjectKeyFromObject(w.binding), w.binding); err != nil {
		t.Fatal(err)
	}
}

// count returns how many changes wait for a quota.
func (w *waits) count(t *testing.T) float64 {
	t.Helper()
	families, err := w.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == "dragoman_quota_waiting_bindings" {
			return f.GetMetric()[0].GetGauge().GetValue()
		}
	}
	t.Fatal("nothing counts what waits")
	return 0
}

func TestLeaveQuota(t *testing.T) {
	gone := func(w *waits, t *testing.T) error {
		return errors.Join(w.Client.Delete(t.Context(), w.binding), w.Client.Delete(t.Context(), w.object), w.leaveQuotaOf(t.Context(), templates.KeyOf(w.object)))
	}
	noPolicy := func(w *waits, t *testing.T) error {
		_, err := w.propagate(t.Context(), w.object, false)
		return err
	}
	for _, tc := range []struct {
		reason string
		taken  bool
		do     func(w *waits, t *testing.T) error
		// released means that the binding is there, and says nothing of quota and priority.
		released bool
	}{
		{"no policy selects it", false, noPolicy, true},
		{"its binding has the other name", true, noPolicy, true},
		{"its policy cannot be applied", false, func(w *waits, t *testing.T) error {
			return w.refuse(t.Context(), w.object, fixture.Policy("shop", "p"), errors.New("it waits"))
		}, true},
		{"it is gone, with its binding", false, gone, false},
		{"it is gone, with a binding of the other name", true, gone, false},
		{"its binding is being deleted", false, func(w *waits, t *testing.T) error {
			w.binding.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)}
			return w.bind(t.Context(), &applying{object: w.object, binding: w.binding, exists: true}, false)
		}, false},
	} {
		w := waiting(t, tc.taken)
		if err := tc.do(w, t); err != nil {
			t.Errorf("%s: %v", tc.reason, err)
		}
		if n := w.count(t); n != 0 {
			t.Errorf("%s: %v wait still", tc.reason, n)
		}
		if !tc.released {
			continue
		}
		w.read(t)
		for _, kind := range []string{workv1alpha2.WithinQuota, PriorityResolved} {
			if c := meta.FindStatusCondition(w.binding.Status.Conditions, kind); c != nil {
				t.Errorf("%s: %s is %s still", tc.reason, kind, c.Status)
			}
		}
	}
}

// TestAnotherTemplateKeepsItsWait has a template end whose binding would have the name of that of
// another group.
func TestAnotherTemplateKeepsItsWait(t *testing.T) {
	w := waiting(t, false)
	other := templates.KeyOf(w.object)
	other.Group = "other.example.com"
	if err := w.leaveQuotaOf(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	if n := w.count(t); n != 1 {
		t.Errorf("%v wait, want 1", n)
	}
}

func TestAMissingPriorityClassIsOneEvent(t *testing.T) {
	w := waiting(t, false)
	a := &applying{object: w.object, policy: fixture.Policy("shop", "p"), binding: w.binding, exists: true}
	for _, tc := range []struct {
		reason     string
		generation int64
		class      string
		events     int
	}{
		{"it is new", 1, "high", 1},
		{"the binding was scaled", 2, "high", 1},
		{"another class is named", 3, "higher", 2},
	} {
		w.binding.Generation = tc.generation
		if err := w.reportPriority(t.Context(), a, tc.class); err != nil {
			t.Errorf("%s: %v", tc.reason, err)
		}
		if got := w.events.About("shop", "web"); len(got) != tc.events {
			t.Errorf("%s: got the events %q, want %d", tc.reason, got, tc.events)
		}
	}
	w.binding.ResourceVersion = "1"
	if err := w.reportPriority(t.Context(), a, "highest"); err == nil {
		t.Error("a status is written over a later one")
	}
	if got := w.events.About("shop", "web"); len(got) != 2 {
		t.Errorf("what is not written has an event: %q", got)
	}
}
