// SPDX-License-Identifier: Apache-2.0

package assignment

import (
	"context"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/dragoman-io/dragoman/api"
	"github.com/dragoman-io/dragoman/api/names"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// indexer adds the indexes of the cache to a fake client.
type indexer struct{ builder *fake.ClientBuilder }

func (i indexer) IndexField(_ context.Context, o client.Object, name string, keys client.IndexerFunc) error {
	i.builder.WithIndex(o, name, keys)
	return nil
}

// process is the controller of a control plane with these objects.
func process(t *testing.T, objects ...client.Object) (*Controller, *fixture.Events) {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, api.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	builder := fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...)
	if err := index.Register(t.Context(), indexer{builder}); err != nil {
		t.Fatal(err)
	}
	events := &fixture.Events{}
	return New(base.Deps{Client: builder.Build(), Events: events}), events
}

// assigned returns the quota shop/team with an item for cluster one of each of these limits.
func assigned(cpu ...string) *policyv1alpha1.FederatedResourceQuota {
	q := &policyv1alpha1.FederatedResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "team"}}
	q.Spec.Overall = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("9")}
	for _, limit := range cpu {
		q.Spec.StaticAssignments = append(q.Spec.StaticAssignments, policyv1alpha1.StaticClusterAssignment{
			ClusterName: "one", Hard: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(limit)},
		})
	}
	return q
}

// reconciled reconciles the quota and returns its Work in cluster one as it is then.
func reconciled(t *testing.T, c *Controller) (*workv1alpha1.Work, reconcile.Result) {
	t.Helper()
	result, err := c.Reconcile(t.Context(), reconcile.Request{NamespacedName: client.ObjectKey{Namespace: "shop", Name: "team"}})
	if err != nil {
		t.Fatal(err)
	}
	w := &workv1alpha1.Work{}
	key := client.ObjectKey{Namespace: names.ExecutionSpace("one"), Name: names.Work(kind.Kind, "shop", "team")}
	if err := c.Client.Get(t.Context(), key, w); err != nil {
		t.Fatal(err)
	}
	return w, result
}

// TestOneItemOfACluster has a quota name a cluster more than once, as its schema allows.
func TestOneItemOfACluster(t *testing.T) {
	for _, tc := range []struct {
		reason string
		limits []string
		want   string
	}{
		{"one item is applied", []string{"2"}, `{"cpu":"2"}`},
		{"of two the first is applied", []string{"2", "3"}, `{"cpu":"2"}`},
		{"also where others are between", []string{"4", "3", "4", "1"}, `{"cpu":"4"}`},
	} {
		c, _ := process(t, fixture.Cluster("one"), assigned(tc.limits...))
		first, _ := reconciled(t, c)
		if raw := string(first.Spec.Workload.Manifests[0].Raw); !strings.Contains(raw, tc.want) {
			t.Errorf("%s: got %s, want %s", tc.reason, raw, tc.want)
		}
		if next, _ := reconciled(t, c); next.ResourceVersion != first.ResourceVersion {
			t.Errorf("%s: the Work is written again though nothing changed", tc.reason)
		}
	}
}

// TestATakenNameIsLookedAtAgain has the name of the Work be taken, and become free without an event
// that tells the quota.
func TestATakenNameIsLookedAtAgain(t *testing.T) {
	other := &workv1alpha1.Work{ObjectMeta: metav1.ObjectMeta{Namespace: names.ExecutionSpace("one"), Name: names.Work(kind.Kind, "shop", "team")}}
	c, events := process(t, fixture.Cluster("one"), assigned("2"), other)
	w, result := reconciled(t, c)
	if _, ours := index.QuotaOf(w); ours {
		t.Error("the Work of something else was taken over")
	}
	if result.RequeueAfter == 0 {
		t.Error("nothing has the quota looked at again once the name is free")
	}
	if got := events.About("shop", "team"); len(got) != 1 || !strings.HasPrefix(got[0], "Warning AssignmentConflict: ") {
		t.Errorf("got the events %q", got)
	}
	if err := c.Client.Delete(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	w, result = reconciled(t, c)
	if _, ours := index.QuotaOf(w); !ours {
		t.Error("the Work of the quota is not written though its name is free")
	}
	if result.RequeueAfter != 0 {
		t.Error("the quota is looked at again though it has its Work")
	}
}
