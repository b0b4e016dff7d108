// SPDX-License-Identifier: Apache-2.0

package status

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
)

// list makes a ResourceList of cpu, and further names each with its quantity.
func list(cpu string, more ...string) corev1.ResourceList {
	l := corev1.ResourceList{}
	if cpu != "" {
		l[corev1.ResourceCPU] = resource.MustParse(cpu)
	}
	for i := 0; i+1 < len(more); i += 2 {
		l[corev1.ResourceName(more[i])] = resource.MustParse(more[i+1])
	}
	return l
}

func container(requests corev1.ResourceList) corev1.Container {
	return corev1.Container{Resources: corev1.ResourceRequirements{Requests: requests}}
}

// pod makes a pod on a node, or a waiting one where node is empty.
func pod(node string, phase corev1.PodPhase, containers ...corev1.Container) corev1.Pod {
	return corev1.Pod{Spec: corev1.PodSpec{NodeName: node, Containers: containers}, Status: corev1.PodStatus{Phase: phase}}
}

func node(ready corev1.ConditionStatus, allocatable corev1.ResourceList) corev1.Node {
	return corev1.Node{Status: corev1.NodeStatus{
		Allocatable: allocatable,
		Conditions: []corev1.NodeCondition{
			{Type: corev1.NodeDiskPressure, Status: corev1.ConditionTrue}, {Type: corev1.NodeReady, Status: ready},
		},
	}}
}

func TestSummarize(t *testing.T) {
	cordoned := node(corev1.ConditionTrue, list("2"))
	cordoned.Name, cordoned.Spec.Unschedulable = "cordoned", true
	always := corev1.ContainerRestartPolicyAlways
	sidecar := container(list("1"))
	sidecar.RestartPolicy = &always
	limited := corev1.Container{Resources: corev1.ResourceRequirements{Limits: list("8"), Requests: list("4")}}
	initial := pod("n", corev1.PodRunning, container(list("1")), container(list("1")))
	initial.Spec.InitContainers = []corev1.Container{container(list("5"))}
	helped := pod("n", corev1.PodRunning, container(list("1")))
	helped.Spec.InitContainers = []corev1.Container{sidecar}
	overhead := pod("n", corev1.PodRunning, container(list("1")))
	overhead.Spec.Overhead = list("250m")
	whole := pod("n", corev1.PodRunning, container(nil))
	whole.Spec.Resources = &corev1.ResourceRequirements{Requests: list("3")}

	cases := map[string]struct {
		reason    string
		nodes     []corev1.Node
		pods      []corev1.Pod
		wantNodes clusterv1alpha1.NodeSummary
		want      clusterv1alpha1.ResourceSummary
	}{
		"Nothing": {reason: "an empty cluster has nothing"},
		"Nodes": {
			reason:    "nodes that are not ready or are cordoned are nodes, and offer nothing",
			nodes:     []corev1.Node{node(corev1.ConditionTrue, list("4", "memory", "8Gi", "pods", "110")), node(corev1.ConditionFalse, list("2500m", "nvidia.com/gpu", "8")), cordoned},
			wantNodes: clusterv1alpha1.NodeSummary{TotalNum: 3, ReadyNum: 2},
			want:      clusterv1alpha1.ResourceSummary{Allocatable: list("4", "memory", "8Gi", "pods", "110", "nvidia.com/gpu", "0")},
		},
		"Closed": {
			reason: "what runs on a node that takes no pods does not take the room of the others, however much it requests",
			nodes:  []corev1.Node{node(corev1.ConditionTrue, list("4", "pods", "110")), cordoned},
			pods: []corev1.Pod{
				pod("n", corev1.PodRunning, container(list("1"))), pod("cordoned", corev1.PodRunning, container(list("3"))), pod("cordoned", corev1.PodSucceeded, container(list("1"))),
			},
			wantNodes: clusterv1alpha1.NodeSummary{TotalNum: 2, ReadyNum: 2},
			want:      clusterv1alpha1.ResourceSummary{Allocatable: list("7", "pods", "111"), Allocated: list("4", "pods", "2")},
		},
		"Bound": {
			reason: "what pods on nodes request, not what they may use, and their number",
			pods:   []corev1.Pod{pod("n", corev1.PodRunning, limited), pod("n", corev1.PodPending, container(list("500m", "nvidia.com/gpu", "1")))},
			want:   clusterv1alpha1.ResourceSummary{Allocated: list("4500m", "nvidia.com/gpu", "1", "pods", "2")},
		},
		"Waiting": {
			reason: "pods without a node ask and do not have",
			pods:   []corev1.Pod{pod("", corev1.PodPending, container(list("1"))), pod("n", corev1.PodRunning, container(list("2")))},
			want:   clusterv1alpha1.ResourceSummary{Allocating: list("1", "pods", "1"), Allocated: list("2", "pods", "1")},
		},
		"Ended": {
			reason: "pods that have ended hold nothing",
			pods:   []corev1.Pod{pod("n", corev1.PodSucceeded, container(list("1"))), pod("n", corev1.PodFailed, container(list("1")))},
		},
		"Init": {
			reason: "the larger of the init containers and the sum of the others",
			pods:   []corev1.Pod{initial}, want: clusterv1alpha1.ResourceSummary{Allocated: list("5", "pods", "1")},
		},
		"Sidecar": {
			reason: "an init container that stays counts beside the others",
			pods:   []corev1.Pod{helped}, want: clusterv1alpha1.ResourceSummary{Allocated: list("2", "pods", "1")},
		},
		"Overhead": {
			reason: "the sandbox costs too",
			pods:   []corev1.Pod{overhead}, want: clusterv1alpha1.ResourceSummary{Allocated: list("1250m", "pods", "1")},
		},
		"Whole": {
			reason: "a pod may request as a whole",
			pods:   []corev1.Pod{whole}, want: clusterv1alpha1.ResourceSummary{Allocated: list("3", "pods", "1")},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			for _, l := range []*corev1.ResourceList{&tc.want.Allocatable, &tc.want.Allocating, &tc.want.Allocated} {
				if *l == nil {
					*l = corev1.ResourceList{}
				}
			}
			for i := range tc.pods {
				trimmed, err := trim(&tc.pods[i])
				if err != nil {
					t.Fatal(err)
				}
				tc.pods[i] = *trimmed.(*corev1.Pod)
			}
			got := summarize(tc.nodes, tc.pods)
			if diff := cmp.Diff(&tc.wantNodes, got.nodes); diff != "" {
				t.Errorf("%s: nodes (-want +got):\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(&tc.want, got.resources); diff != "" {
				t.Errorf("%s: resources (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestTrim(t *testing.T) {
	p := pod("n", corev1.PodRunning, corev1.Container{Name: "c", Image: "nginx", Env: []corev1.EnvVar{{Name: "A"}}, Resources: corev1.ResourceRequirements{Requests: list("1")}})
	p.ObjectMeta = metav1.ObjectMeta{Namespace: "ns", Name: "p", UID: "u", ResourceVersion: "7", Annotations: map[string]string{"big": "text"}, ManagedFields: []metav1.ManagedFieldsEntry{{}}}
	want := pod("n", corev1.PodRunning, corev1.Container{Name: "c", Resources: corev1.ResourceRequirements{Requests: list("1")}})
	want.ObjectMeta = metav1.ObjectMeta{Namespace: "ns", Name: "p", UID: "u", ResourceVersion: "7"}
	want.Spec.InitContainers = []corev1.Container{}
	got, err := trim(&p)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&want, got); diff != "" {
		t.Errorf("what the sums do not need goes (-want +got):\n%s", diff)
	}
	n := node(corev1.ConditionTrue, list("4"))
	n.Spec.Unschedulable, n.Status.Images = true, []corev1.ContainerImage{{SizeBytes: 1}}
	wantNode := node(corev1.ConditionTrue, list("4"))
	wantNode.Spec.Unschedulable = true
	if got, err = trim(&n); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&wantNode, got); diff != "" {
		t.Errorf("a node keeps what it offers, and whether it is ready and takes pods (-want +got):\n%s", diff)
	}
	other := &corev1.ConfigMap{Data: map[string]string{"a": "b"}}
	if got, _ := trim(other); got != any(other) {
		t.Errorf("trim(%v) = %v, want it as it was: it is neither pod nor node", other, got)
	}
}
