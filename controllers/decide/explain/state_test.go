// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"

	appsv1alpha1 "github.com/dragoman-io/dragoman/api/apps/v1alpha1"
	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/claim"
)

var (
	now     = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	earlier = metav1.NewTime(now.Add(-5 * time.Minute))
)

// state is the state of a control plane that a case changes. All is well in it.
type state struct {
	Input
	policy  *policyv1alpha1.PropagationPolicy
	binding *workv1alpha2.ResourceBinding
}

func policy(name string) *policyv1alpha1.PropagationPolicy {
	return &policyv1alpha1.PropagationPolicy{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name, Labels: map[string]string{policyv1alpha1.PropagationPolicyPermanentIDLabel: name}},
		Spec: policyv1alpha1.PropagationSpec{
			ResourceSelectors: []policyv1alpha1.ResourceSelector{{APIVersion: "apps/v1", Kind: "Deployment", Namespace: "shop", Name: "web"}},
			Placement:         policyv1alpha1.Placement{ClusterAffinity: &policyv1alpha1.ClusterAffinity{ClusterNames: []string{"m1", "m2"}}},
		},
	}
}

func widePolicy(name string) *policyv1alpha1.ClusterPropagationPolicy {
	return &policyv1alpha1.ClusterPropagationPolicy{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: policy(name).Spec}
}

func member(name string) *clusterv1alpha1.Cluster {
	return &clusterv1alpha1.Cluster{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Status: clusterv1alpha1.ClusterStatus{
			Conditions:     []metav1.Condition{{Type: "Ready", Status: "True"}},
			APIEnablements: []clusterv1alpha1.APIEnablement{{GroupVersion: "apps/v1", Resources: []clusterv1alpha1.APIResource{{Name: "deployments", Kind: "Deployment"}}}},
		},
	}
}

func workIn(cluster string) *workv1alpha1.Work {
	return &workv1alpha1.Work{
		ObjectMeta: metav1.ObjectMeta{Namespace: "karmada-es-" + cluster, Name: "web-1", Generation: 1},
		Status:     workv1alpha1.WorkStatus{Conditions: []metav1.Condition{{Type: "Applied", Status: "True", ObservedGeneration: 1}}},
	}
}

func well(t *testing.T) *state {
	t.Helper()
	s := &state{policy: policy("p")}
	s.Template = &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment",
		"metadata": map[string]any{"namespace": "shop", "name": "web", "uid": "u1", "generation": int64(2), "labels": map[string]any{"app": "web"}},
		"spec":     map[string]any{"replicas": int64(4)},
		"status":   map[string]any{"observedGeneration": int64(2)},
	}}
	fingerprint, err := claim.Fingerprint(s.Template)
	if err != nil {
		t.Fatal(err)
	}
	claim.Of(s.policy).Set(s.Template)
	s.Policies = []policyv1alpha1.Policy{s.policy}
	s.Clusters = []*clusterv1alpha1.Cluster{member("m1"), member("m2"), member("m3")}
	s.Works = map[string]*workv1alpha1.Work{"m1": workIn("m1"), "m2": workIn("m2")}
	s.binding = &workv1alpha2.ResourceBinding{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "shop", Name: "web-deployment", Generation: 3, Finalizers: []string{workv1alpha2.BindingFinalizer},
			Annotations:     map[string]string{workv1alpha2.TemplateFingerprintAnnotation: fingerprint},
			OwnerReferences: []metav1.OwnerReference{{UID: "u1", Controller: ptr.To(true)}},
		},
		Spec: workv1alpha2.ResourceBindingSpec{
			Resource:  workv1alpha2.ObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Namespace: "shop", Name: "web"},
			Placement: &s.policy.Spec.Placement, Replicas: 4,
			Clusters: []workv1alpha2.TargetCluster{{Name: "m1", Replicas: 4}, {Name: "m2", Replicas: 4}},
		},
		Status: workv1alpha2.ResourceBindingStatus{
			Conditions: []metav1.Condition{{Type: workv1alpha2.Scheduled, Status: "True", ObservedGeneration: 3}},
			AggregatedStatus: []workv1alpha2.AggregatedStatusItem{
				{ClusterName: "m1", Applied: true, Health: workv1alpha2.ResourceHealthy, Status: &runtime.RawExtension{Raw: []byte(`{"readyReplicas":4}`)}},
				{ClusterName: "m2", Applied: true, Health: workv1alpha2.ResourceHealthy},
			},
		},
	}
	s.Binding = s.binding
	return s
}

// unbound is well without binding and Works.
func (s *state) unbound() *state {
	s.Binding, s.Works = nil, nil
	return s
}

// unclaimed is the template without a claim.
func (s *state) unclaimed() *state {
	claim.Claim{}.Set(s.Template)
	return s
}

// unscheduled is a binding that no cluster fits.
func (s *state) unscheduled(reason, message string) {
	s.binding.Spec.Clusters, s.Works, s.binding.Status.AggregatedStatus = nil, nil, nil
	s.binding.Status.Conditions = []metav1.Condition{{Type: workv1alpha2.Scheduled, Status: "False", Reason: reason, Message: message, ObservedGeneration: 3, LastTransitionTime: earlier}}
}

func (s *state) condition(c metav1.Condition) {
	c.LastTransitionTime = earlier
	meta.SetStatusCondition(&s.binding.Status.Conditions, c)
}

// stopsEvictions has m2 be left because of a taint, by what has none of these tolerations,
// while nothing is evicted from it.
func (s *state) stopsEvictions(tolerations []corev1.Toleration) {
	s.binding.Labels = map[string]string{policyv1alpha1.PropagationPolicyPermanentIDLabel: "p"}
	s.policy.Spec.Placement.ClusterTolerations = tolerations
	s.Clusters[1].Spec.Taints = []corev1.Taint{{Key: "outage", Effect: corev1.TaintEffectNoExecute, TimeAdded: &earlier}}
	meta.SetStatusCondition(&s.Clusters[1].Status.Conditions, metav1.Condition{
		Type: clusterv1alpha1.ClusterConditionEvictionsStopped, Status: "True", Reason: "ClustersUnhealthy", LastTransitionTime: earlier,
		Message: "nothing is evicted from this cluster, since 2 of 3 clusters look unhealthy, more than --unhealthy-cluster-threshold=0.55 allows",
	})
}

// cleanup has the Work of m2 be deleted, which the member does not do for a reason.
func (s *state) cleanup(reason, message string) {
	w := s.Works["m2"]
	w.DeletionTimestamp, w.Finalizers = &earlier, []string{workv1alpha2.ExecutionFinalizer}
	w.Status.Conditions = append(w.Status.Conditions, metav1.Condition{
		Type: workv1alpha1.WorkCleanedUp, Status: "False", Reason: reason, Message: message, LastTransitionTime: earlier,
	})
}

// rebalancer returns one that asks for the template, in another version, to be placed again.
func (s *state) rebalancer(name string) *appsv1alpha1.WorkloadRebalancer {
	return &appsv1alpha1.WorkloadRebalancer{
		ObjectMeta: metav1.ObjectMeta{Name: name, CreationTimestamp: earlier},
		Spec:       appsv1alpha1.WorkloadRebalancerSpec{Workloads: []appsv1alpha1.ObjectReference{{APIVersion: "apps/v1beta1", Kind: "Deployment", Namespace: "shop", Name: "web"}}},
	}
}

// wide makes the template a ClusterRole with a cluster-wide policy and binding.
func (s *state) wide() *state {
	s.Template.SetGroupVersionKind(schema.GroupVersionKind{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "ClusterRole"})
	s.Template.SetNamespace("")
	s.Template.SetName("reader")
	delete(s.Template.Object, "spec")
	delete(s.Template.Object, "status")
	p := widePolicy("p")
	p.Labels = map[string]string{policyv1alpha1.ClusterPropagationPolicyPermanentIDLabel: "p"}
	p.Spec.ResourceSelectors[0] = policyv1alpha1.ResourceSelector{APIVersion: "rbac.authorization.k8s.io/v1", Kind: "ClusterRole", Name: "reader"}
	s.Policies = []policyv1alpha1.Policy{p}
	s.unclaimed()
	claim.Of(p).Set(s.Template)
	for _, c := range s.Clusters {
		c.Status.APIEnablements = []clusterv1alpha1.APIEnablement{{GroupVersion: "rbac.authorization.k8s.io/v1", Resources: []clusterv1alpha1.APIResource{{Name: "clusterroles", Kind: "ClusterRole"}}}}
	}
	b := s.binding
	b.Namespace, b.Name = "", "reader-clusterrole"
	delete(b.Annotations, workv1alpha2.TemplateFingerprintAnnotation)
	b.Spec.Resource = workv1alpha2.ObjectReference{APIVersion: "rbac.authorization.k8s.io/v1", Kind: "ClusterRole", Name: "reader"}
	b.Spec.Replicas, b.Spec.Clusters = 0, []workv1alpha2.TargetCluster{{Name: "m1"}, {Name: "m2"}}
	s.Binding = (*workv1alpha2.ClusterResourceBinding)(b)
	return s
}

// namespace makes the template a namespace that no policy selects.
func (s *state) namespace() *state {
	s.Template = &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": "shop"}}}
	s.Policies, s.Binding = nil, nil
	return s
}
