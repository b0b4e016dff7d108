// SPDX-License-Identifier: Apache-2.0

package quota

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// list returns resources of a text such as "cpu=1 memory=2Gi".
func list(text string) corev1.ResourceList {
	out := corev1.ResourceList{}
	for field := range strings.FieldsSeq(text) {
		name, quantity, _ := strings.Cut(field, "=")
		out[corev1.ResourceName(name)] = resource.MustParse(quantity)
	}
	return out
}

// text returns resources as list reads them, sorted, as they are written to the API.
func text(l corev1.ResourceList) string {
	var parts []string
	for _, name := range sorted(l) {
		q := l[name]
		parts = append(parts, string(name)+"="+q.String())
	}
	return strings.Join(parts, " ")
}

// spec returns the spec of a binding.
func spec(with ...func(*workv1alpha2.ResourceBindingSpec)) *workv1alpha2.ResourceBindingSpec {
	s := &workv1alpha2.ResourceBindingSpec{Placement: &policyv1alpha1.Placement{}}
	for _, w := range with {
		w(s)
	}
	return s
}

// replicas has a binding want replicas with these requests.
func replicas(n int32, requests string) func(*workv1alpha2.ResourceBindingSpec) {
	return func(s *workv1alpha2.ResourceBindingSpec) {
		s.Replicas = n
		s.ReplicaRequirements = &workv1alpha2.ReplicaRequirements{ResourceRequest: list(requests)}
	}
}

// component gives a binding a component.
func component(name string, n int32, requests string) func(*workv1alpha2.ResourceBindingSpec) {
	return func(s *workv1alpha2.ResourceBindingSpec) {
		s.Components = append(s.Components, workv1alpha2.Component{
			Name: name, Replicas: n, ReplicaRequirements: &workv1alpha2.ComponentReplicaRequirements{ResourceRequest: list(requests)},
		})
	}
}

// to places replicas in a cluster.
func to(cluster string, n int32) func(*workv1alpha2.ResourceBindingSpec) {
	return func(s *workv1alpha2.ResourceBindingSpec) {
		s.Clusters = append(s.Clusters, workv1alpha2.TargetCluster{Name: cluster, Replicas: n})
	}
}

// leaving has replicas leave a cluster.
func leaving(cluster string, n int32) func(*workv1alpha2.ResourceBindingSpec) {
	return func(s *workv1alpha2.ResourceBindingSpec) {
		task := workv1alpha2.GracefulEvictionTask{FromCluster: cluster, Reason: "ApplicationFailure", Producer: "spec"}
		if n > 0 {
			task.Replicas = &n
		}
		s.GracefulEvictionTasks = append(s.GracefulEvictionTasks, task)
	}
}

func divided(s *workv1alpha2.ResourceBindingSpec) {
	s.Placement.ReplicaScheduling = &policyv1alpha1.ReplicaSchedulingStrategy{ReplicaSchedulingType: policyv1alpha1.ReplicaSchedulingTypeDivided}
}

func oneCluster(s *workv1alpha2.ResourceBindingSpec) {
	s.Placement.SpreadConstraints = []policyv1alpha1.SpreadConstraint{{SpreadByField: policyv1alpha1.SpreadByFieldCluster, MinGroups: 1, MaxGroups: 1}}
}

func TestUsage(t *testing.T) {
	jobManager, taskManager := component("jobmanager", 1, "cpu=1 memory=1.024"), component("taskmanager", 1, "cpu=2 memory=2.048")
	for _, tc := range []struct {
		reason string
		spec   *workv1alpha2.ResourceBindingSpec
		want   string
	}{
		{"what is not placed uses nothing", spec(replicas(3, "cpu=1"), divided), ""},
		{"replicas of all clusters count", spec(replicas(5, "cpu=100m memory=1Gi"), divided, to("a", 2), to("b", 3)), "cpu=500m memory=5Gi pods=5"},
		{"what is placed counts, and not what is wanted", spec(replicas(9, "cpu=1"), divided, to("a", 2)), "cpu=2 pods=2"},
		{"each copy counts", spec(replicas(2, "cpu=1"), to("a", 2), to("b", 2)), "cpu=4 pods=4"},
		{"pods count without requests", spec(func(s *workv1alpha2.ResourceBindingSpec) { s.Replicas = 2 }, to("a", 2)), "pods=2"},
		{"what has no pods uses nothing", spec(to("a", 0)), ""},
		{"the document's FlinkDeployment, digit by digit", spec(jobManager, taskManager, to("a", 0)), "cpu=3 memory=3072m pods=2"},
		{"components count in each cluster", spec(jobManager, component("taskmanager", 3, "cpu=2"), to("a", 0), to("b", 0)), "cpu=14 memory=2048m pods=8"},
		{"a component may have no pods", spec(component("a", 0, "cpu=1"), component("b", 1, "cpu=1"), to("a", 0)), "cpu=1 pods=1"},
		{"resources of any name count", spec(replicas(2, "nvidia.com/gpu=1 hugepages-2Mi=4Mi"), divided, to("a", 2)), "hugepages-2Mi=8Mi nvidia.com/gpu=2 pods=2"},
		{"a divided workload that leaves keeps its place", spec(replicas(3, "cpu=1"), divided, leaving("a", 3)), "cpu=3 pods=3"},
		{"and is not counted twice when it has another", spec(replicas(3, "cpu=1"), divided, to("b", 3), leaving("a", 3)), "cpu=3 pods=3"},
		{"part of it is counted once too", spec(replicas(5, "cpu=1"), divided, to("b", 3), leaving("a", 3)), "cpu=5 pods=5"},
		{"a place that was not there is not kept", spec(replicas(9, "cpu=1"), divided, leaving("a", 3)), "cpu=3 pods=3"},
		{"nor one that is not wanted any more", spec(replicas(1, "cpu=1"), divided, leaving("a", 3)), "cpu=1 pods=1"},
		{"copies beside others keep their places too", spec(replicas(2, "cpu=1"), to("b", 2), leaving("a", 2)), "cpu=4 pods=4"},
		{"so do the last copies", spec(replicas(2, "cpu=1"), leaving("a", 2), leaving("b", 2)), "cpu=4 pods=4"},
		{"components that leave keep one place if they are for one cluster", spec(jobManager, oneCluster, leaving("a", 0), leaving("b", 0)), "cpu=1 memory=1024m pods=1"},
		{"each of them otherwise", spec(jobManager, leaving("a", 0), leaving("b", 0)), "cpu=2 memory=2048m pods=2"},
		{"and not twice", spec(jobManager, oneCluster, to("b", 0), leaving("a", 0)), "cpu=1 memory=1024m pods=1"},
		{"many digits are exact", spec(replicas(3, "memory=4611686018427387904"), divided, to("a", 3)), "memory=13835058055282163712 pods=3"},
	} {
		before := tc.spec.DeepCopy()
		if got := text(Usage(bound(tc.spec, ""))); got != tc.want {
			t.Errorf("%s: got %q, want %q", tc.reason, got, tc.want)
		}
		if diff := cmp.Diff(before, tc.spec); diff != "" {
			t.Errorf("%s: the spec was changed (-before +after):\n%s", tc.reason, diff)
		}
	}
}

// bound returns a binding with a spec, and with a record unless that is empty.
func bound(s *workv1alpha2.ResourceBindingSpec, recorded string) *workv1alpha2.ResourceBinding {
	b := &workv1alpha2.ResourceBinding{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "b"}, Spec: *s}
	if recorded != "" {
		b.Annotations = map[string]string{AdmittedAnnotation: recorded}
	}
	return b
}

func TestEndedUsage(t *testing.T) {
	manager := component("jobmanager", 1, "cpu=1")
	two := spec(replicas(5, "cpu=1"), divided, to("a", 2), to("b", 3))
	for _, tc := range []struct {
		reason   string
		spec     *workv1alpha2.ResourceBindingSpec
		recorded string
		ended    []string
		want     string
		// within is how many replicas it may have where a quota refuses more.
		within int32
	}{
		{"nothing has ended", two, "", nil, "cpu=5 pods=5", 5},
		{"one part has ended", two, "", []string{"a"}, "cpu=3 pods=3", 5},
		{"all have ended, and stay where they are", two, "", []string{"a", "b"}, "", 5},
		{"what ended where it is not any more", two, "", []string{"c"}, "cpu=5 pods=5", 5},
		{"copies end one by one", spec(replicas(2, "cpu=1"), to("a", 2), to("b", 2)), "", []string{"b"}, "cpu=2 pods=2", 4},
		{"components end with their cluster", spec(manager, to("a", 0), to("b", 0)), "", []string{"a"}, "cpu=1 pods=1", 2},
		{"what leaves and has ended has no place to keep", spec(replicas(5, "cpu=1"), divided, to("b", 3), leaving("a", 2)), "", []string{"a"}, "cpu=3 pods=3", 3},
		{"nor beside what took it, and would run again", spec(replicas(5, "cpu=1"), divided, to("b", 3), to("c", 2), leaving("a", 2)), "5", []string{"a"}, "cpu=5 pods=5", 5},
		{"what has ended stays while another part leaves", spec(replicas(5, "cpu=1"), divided, to("a", 2), leaving("b", 3)), "", []string{"a"}, "cpu=3 pods=3", 5},
		{"and is not counted beside its new place", spec(replicas(5, "cpu=1"), divided, to("a", 2), to("c", 3), leaving("b", 3)), "5", []string{"a"}, "cpu=3 pods=3", 5},
		{"more has ended than a record has", spec(replicas(5, "cpu=1"), divided, to("a", 2)), "1", []string{"a"}, "", 1},
	} {
		b := bound(tc.spec, tc.recorded)
		for _, cluster := range []string{"a", "b", "c"} {
			b.Status.AggregatedStatus = append(b.Status.AggregatedStatus, workv1alpha2.AggregatedStatusItem{ClusterName: cluster, Finished: slices.Contains(tc.ended, cluster)})
		}
		if got := text(Usage(b)); got != tc.want {
			t.Errorf("%s: it uses %q, want %q", tc.reason, got, tc.want)
		}
		if got := DividedWithin(b); got != tc.within {
			t.Errorf("%s: it may have %d replicas, want %d", tc.reason, got, tc.within)
		}
	}
}

func TestCounted(t *testing.T) {
	for name, want := range map[corev1.ResourceName]corev1.ResourceName{
		"cpu": "cpu", "requests.cpu": "cpu", "memory": "memory", "requests.memory": "memory",
		"ephemeral-storage": "ephemeral-storage", "requests.ephemeral-storage": "ephemeral-storage", "pods": "pods",
		"nvidia.com/gpu": "nvidia.com/gpu", "requests.nvidia.com/gpu": "nvidia.com/gpu",
		"hugepages-2Mi": "hugepages-2Mi", "requests.hugepages-2Mi": "hugepages-2Mi",
		"limits.cpu": "", "limits.memory": "", "limits.ephemeral-storage": "", "requests.storage": "", "requests.pods": "",
		"services": "", "secrets": "", "persistentvolumeclaims": "", "services.nodeports": "", "count/deployments.apps": "",
		"gold.storageclass.storage.k8s.io/requests.storage": "",
		"limits.nvidia.com/gpu":                             "", "limits.hugepages-2Mi": "",
		"gpu.deviceclass.resource.k8s.io/devices": "", "deviceclass.resource.kubernetes.io/gpu": "deviceclass.resource.kubernetes.io/gpu",
	} {
		got, ok := Counted(name)
		if ok != (want != "") || ok && got != want {
			t.Errorf("%s: got %q, %t, want %q", name, got, ok, want)
		}
	}
}

func TestOf(t *testing.T) {
	used := list("cpu=3 memory=3072m pods=2 nvidia.com/gpu=1")
	for _, tc := range []struct{ reason, hard, want string }{
		{"only what is limited", "cpu=10 memory=20Gi", "cpu=3 memory=3072m"},
		{"under the names of the quota", "requests.cpu=10 requests.nvidia.com/gpu=4 pods=5", "pods=2 requests.cpu=3 requests.nvidia.com/gpu=1"},
		{"both names of one resource", "cpu=10 requests.cpu=5", "cpu=3 requests.cpu=3"},
		{"what is not used is left out", "ephemeral-storage=1Gi pods=9", "pods=2"},
		{"and what cannot be counted", "limits.cpu=10 services=1 cpu=1", "cpu=3"},
	} {
		if got := text(Of(used, list(tc.hard))); got != tc.want {
			t.Errorf("%s: got %q, want %q", tc.reason, got, tc.want)
		}
	}
}

func TestUncounted(t *testing.T) {
	s := &policyv1alpha1.FederatedResourceQuotaSpec{
		Overall:           list("cpu=1 limits.cpu=1 limits.memory=1Gi services=3"),
		StaticAssignments: []policyv1alpha1.StaticClusterAssignment{{ClusterName: "a", Hard: list("limits.memory=1Gi")}},
	}
	if diff := cmp.Diff([]corev1.ResourceName{"limits.cpu", "services"}, Uncounted(s)); diff != "" {
		t.Errorf("an assignment is counted by its cluster (-want +got):\n%s", diff)
	}
}
