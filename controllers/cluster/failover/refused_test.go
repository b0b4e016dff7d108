// SPDX-License-Identifier: Apache-2.0

package failover

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/dragoman-io/dragoman/api"
	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/features"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// indexer has a fake client list by the fields of the cache.
type indexer struct{ *fake.ClientBuilder }

func (i indexer) IndexField(_ context.Context, o client.Object, field string, of client.IndexerFunc) error {
	i.WithIndex(o, field, of)
	return nil
}

// tainted is a ready cluster with a NoExecute taint, with a time or without one.
func tainted(name string, at *metav1.Time) *clusterv1alpha1.Cluster {
	return &clusterv1alpha1.Cluster{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       clusterv1alpha1.ClusterSpec{Taints: []corev1.Taint{{Key: "down", Effect: corev1.TaintEffectNoExecute, TimeAdded: at}}},
		Status:     clusterv1alpha1.ClusterStatus{Conditions: []metav1.Condition{{Type: clusterv1alpha1.ClusterConditionReady, Status: metav1.ConditionTrue}}},
	}
}

// in is a binding in a cluster that it leaves when the cluster has a NoExecute taint.
func in(cluster, name string) *workv1alpha2.ResourceBinding {
	b := &workv1alpha2.ResourceBinding{ObjectMeta: metav1.ObjectMeta{
		Namespace: "space", Name: name, Labels: map[string]string{policyv1alpha1.PropagationPolicyPermanentIDLabel: "1"},
	}}
	b.Spec.Clusters, b.Spec.Placement = fixture.Targets(cluster), &policyv1alpha1.Placement{}
	return b
}

// returning has the binding be nowhere, since it began to leave clusters.
func returning(b *workv1alpha2.ResourceBinding, from ...string) *workv1alpha2.ResourceBinding {
	b.Spec.Resource.APIVersion, b.Spec.Resource.Kind, b.Spec.Clusters = "v1", "ConfigMap", nil
	for _, cluster := range from {
		b.Spec.GracefulEvictionTasks = append(b.Spec.GracefulEvictionTasks, workv1alpha2.GracefulEvictionTask{
			FromCluster: cluster, Reason: workv1alpha2.EvictionReasonTaintUntolerated, Producer: workv1alpha2.EvictionProducerTaintManager, PurgeMode: policyv1alpha1.PurgeModeGracefully,
		})
	}
	return b
}

// TestRefused has the API server refuse one read or write. What it is about waits, and nothing
// else does.
func TestRefused(t *testing.T) {
	began := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	at := &metav1.Time{Time: began.Add(-time.Hour)}
	old := &metav1.Time{Time: began.Add(-2 * time.Hour)}
	free := tainted("free", nil)
	free.Spec.Taints = nil
	free.Status.APIEnablements = []clusterv1alpha1.APIEnablement{{GroupVersion: "v1", Resources: []clusterv1alpha1.APIResource{{Name: "configmaps", Kind: "ConfigMap"}}}}
	stopped := tainted("free", nil)
	stopped.Spec.Taints = nil
	stopped.Status.Conditions = append(stopped.Status.Conditions, metav1.Condition{Type: clusterv1alpha1.ClusterConditionEvictionsStopped, Status: metav1.ConditionTrue})
	cases := map[string]struct {
		reason string
		// refuse is the verb and the name that is refused, until the last turn.
		refuse  string
		objects []client.Object
		// leave are the bindings that leave while it is refused, again what is looked at once more,
		// and waits has where bindings are once it is not refused any more.
		leave, again []string
		waits        map[string][]string
	}{
		"Stamp": {
			"the time of one taint cannot be written: its cluster is looked at again, and its taint was added now",
			"patch a",
			[]client.Object{tainted("a", nil), tainted("b", at), in("a", "one"), in("b", "two")},
			[]string{"two", "one"},
			[]string{"a"},
			nil,
		},
		"Revert": {
			"an eviction cannot be taken back", "patch back",
			[]client.Object{tainted("a", at), tainted("b", at), free, returning(in("a", "back"), "a", "free"), in("a", "one"), in("b", "two")},
			[]string{"one", "two"},
			[]string{"a"},
			map[string][]string{"back": {"free"}},
		},
		"Report": {
			"a status cannot be written", "status free",
			[]client.Object{tainted("a", at), stopped, in("a", "one")},
			[]string{"one"},
			nil, nil,
		},
		"Read": {
			"one whose turn it is cannot be read", "get one",
			[]client.Object{tainted("a", at), tainted("b", old), in("a", "two"), in("b", "one")},
			[]string{"two"},
			nil,
			map[string][]string{"one": nil},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			scheme := runtime.NewScheme()
			if err := api.AddToScheme(scheme); err != nil {
				t.Fatal(err)
			}
			refuse, left := tc.refuse, []string(nil)
			refused := func(verb string, name string) error {
				if refuse == verb+" "+name {
					return errors.New("refused")
				}
				return nil
			}
			builder := fake.NewClientBuilder().WithScheme(scheme).WithObjects(tc.objects...).WithStatusSubresource(&clusterv1alpha1.Cluster{})
			if err := index.Register(t.Context(), indexer{builder}); err != nil {
				t.Fatal(err)
			}
			hub := builder.WithInterceptorFuncs(interceptor.Funcs{
				Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, options ...client.GetOption) error {
					if err := refused("get", key.Name); err != nil {
						return err
					}
					return c.Get(ctx, key, o, options...)
				},
				Patch: func(ctx context.Context, c client.WithWatch, o client.Object, p client.Patch, options ...client.PatchOption) error {
					if err := refused("patch", o.GetName()); err != nil {
						return err
					}
					if b, ok := o.(*workv1alpha2.ResourceBinding); ok && len(b.Spec.Clusters) == 0 {
						left = append(left, b.Name)
					}
					return c.Patch(ctx, o, p, options...)
				},
				SubResourcePatch: func(ctx context.Context, c client.Client, sub string, o client.Object, p client.Patch, options ...client.SubResourcePatchOption) error {
					if err := refused(sub, o.GetName()); err != nil {
						return err
					}
					return c.SubResource(sub).Patch(ctx, o, p, options...)
				},
			}).Build()
			clock := clocktesting.NewFakePassiveClock(began)
			o := DefaultOptions()
			o.Evict = true
			c := New(base.Deps{Client: hub, Gates: features.New(), Clock: clock, Events: &fixture.Events{}}, o)
			var again []string
			c.enqueue = func(r request) {
				if r.subject == aboutCluster {
					again = append(again, r.Name)
				}
			}
			run := func() {
				left = nil
				for range 6 {
					if _, err := c.Reconcile(t.Context(), Next()); err != nil {
						t.Errorf("%s: got error %v, want none, since the next turn would wait for it", tc.reason, err)
					}
					clock.SetTime(clock.Now().Add(2 * time.Second))
				}
			}
			run()
			if diff := cmp.Diff(tc.leave, left); diff != "" {
				t.Errorf("%s: leave all the same (-want +got):\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.again, again); diff != "" {
				t.Errorf("%s: is looked at again (-want +got):\n%s", tc.reason, diff)
			}
			refuse = ""
			for _, name := range again {
				if _, err := c.Reconcile(t.Context(), AboutCluster(name)); err != nil {
					t.Error(err)
				}
			}
			clock.SetTime(clock.Now().Add(time.Hour))
			run()
			for name, where := range tc.waits {
				b := &workv1alpha2.ResourceBinding{}
				if err := hub.Get(t.Context(), types.NamespacedName{Namespace: "space", Name: name}, b); err != nil {
					t.Fatal(err)
				}
				var got []string
				for _, target := range b.Spec.Clusters {
					got = append(got, target.Name)
				}
				if diff := cmp.Diff(where, got); diff != "" {
					t.Errorf("%s: where %s is in the end (-want +got):\n%s", tc.reason, name, diff)
				}
			}
			for _, cluster := range []string{"a", "free"} {
				found, err := c.cluster(t.Context(), cluster)
				if err != nil || found == nil {
					continue
				}
				for _, condition := range found.Status.Conditions {
					if condition.Type == clusterv1alpha1.ClusterConditionEvictionsStopped {
						t.Errorf("%s: the status of cluster %s was not written later", tc.reason, cluster)
					}
				}
			}
		})
	}
}
