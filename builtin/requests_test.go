// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"
	podresource "k8s.io/component-helpers/resource"
)

// TestRequestsAreThoseOfKubernetes compares what pods of generated specs request with what
// the scheduler counts: resource.PodRequests, after the API server has filled in requests.
func TestRequestsAreThoseOfKubernetes(t *testing.T) {
	seen := map[string]int{}
	for seed := range uint64(2000) {
		pod := generatedPod(rand.New(rand.NewPCG(seed, 12)))
		plain, err := runtime.DefaultUnstructuredConverter.ToUnstructured(pod)
		if err != nil {
			t.Fatal(err)
		}
		tally(seen, pod)
		needs, err := call(t, "accuratePodRequirements", plain)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		got := mapAt(needs, "resourceRequest")
		if len(got) == 0 {
			got = map[string]any{}
		}
		if d := cmp.Diff(requested(pod), got); d != "" {
			t.Fatalf("seed %d: requests of %v (-want +got):\n%s", seed, plain["spec"], d)
		}
	}
	for _, what := range []string{"nothing", "sidecar", "init container", "request of the pod", "limit of the pod", "overhead"} {
		if seen[what] < 100 {
			t.Errorf("%d of the specs have %s, want at least 100", seen[what], what)
		}
	}
}

// tally counts what specs have.
func tally(seen map[string]int, pod *corev1.Pod) {
	if len(requested(pod)) == 0 {
		seen["nothing"]++
	}
	for _, c := range pod.Spec.InitContainers {
		if c.RestartPolicy != nil {
			seen["sidecar"]++
		} else {
			seen["init container"]++
		}
	}
	if r := pod.Spec.Resources; r != nil && len(r.Requests) > 0 {
		seen["request of the pod"]++
	}
	if r := pod.Spec.Resources; r != nil && len(r.Limits) > 0 {
		seen["limit of the pod"]++
	}
	if len(pod.Spec.Overhead) > 0 {
		seen["overhead"]++
	}
}

// requested returns what a scheduler counts for the pod, as texts, without zeros.
func requested(pod *corev1.Pod) map[string]any {
	pod = pod.DeepCopy()
	setDefaults(pod)
	texts := map[string]any{}
	for name, q := range podresource.PodRequests(pod, podresource.PodResourcesOptions{}) {
		format := resource.DecimalSI
		if name == corev1.ResourceMemory || name == corev1.ResourceEphemeralStorage || isHugePages(string(name)) {
			format = resource.BinarySI
		}
		rounded := resource.NewQuantity(q.Value(), format)
		if name == corev1.ResourceCPU {
			rounded = resource.NewMilliQuantity(q.MilliValue(), format)
		}
		if !rounded.IsZero() {
			texts[string(name)] = rounded.String()
		}
	}
	return texts
}

// setDefaults rounds and fills in requests as the API server does (Kubernetes 1.36,
// apis/core/v1, SetDefaults_ResourceList, SetDefaults_Pod, defaultHugePagePodLimits and
// defaultPodRequests).
func setDefaults(pod *corev1.Pod) {
	round(pod.Spec.Overhead)
	if whole := pod.Spec.Resources; whole != nil {
		round(whole.Requests)
		round(whole.Limits)
	}
	for _, list := range [][]corev1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for i := range list {
			round(list[i].Resources.Requests)
			round(list[i].Resources.Limits)
			fill(&list[i].Resources.Requests, list[i].Resources.Limits, nil)
		}
	}
	whole := pod.Spec.Resources
	if whole == nil || len(whole.Limits)+len(whole.Requests) == 0 {
		return
	}
	fill(&whole.Limits, podresource.AggregateContainerLimits(pod, podresource.PodResourcesOptions{}), func(name corev1.ResourceName) bool {
		_, asked := whole.Requests[name]
		return !asked && isHugePages(string(name))
	})
	if len(whole.Limits) == 0 {
		return
	}
	fill(&whole.Requests, podresource.AggregateContainerRequests(pod, podresource.PodResourcesOptions{}), func(name corev1.ResourceName) bool {
		return podresource.IsSupportedPodLevelResource(name) && !isHugePages(string(name))
	})
	fill(&whole.Requests, whole.Limits, podresource.IsSupportedPodLevelResource)
}

// round rounds each quantity up to thousandths.
func round(list corev1.ResourceList) {
	for name, q := range list {
		q.RoundUp(resource.Milli)
		list[name] = q
	}
}

// fill adds what a list does not have from another, of the resources that may be taken.
func fill(list *corev1.ResourceList, other corev1.ResourceList, take func(corev1.ResourceName) bool) {
	for name, q := range other {
		if _, ok := (*list)[name]; ok || take != nil && !take(name) {
			continue
		}
		if *list == nil {
			*list = corev1.ResourceList{}
		}
		(*list)[name] = q.DeepCopy()
	}
}

// generatedPod returns a pod as the API server accepts it: the requests for huge pages are
// their limits.
func generatedPod(r *rand.Rand) *corev1.Pod {
	pod, always := &corev1.Pod{}, corev1.ContainerRestartPolicyAlways
	for range 1 + r.IntN(3) {
		pod.Spec.Containers = append(pod.Spec.Containers, corev1.Container{Name: "c", Resources: generatedResources(r)})
	}
	for range r.IntN(4) {
		c := corev1.Container{Name: "i", Resources: generatedResources(r)}
		if r.IntN(2) == 0 {
			c.RestartPolicy = &always
		}
		pod.Spec.InitContainers = append(pod.Spec.InitContainers, c)
	}
	if r.IntN(2) == 0 {
		whole := generatedResources(r)
		pod.Spec.Resources = &whole
	}
	if r.IntN(3) == 0 {
		pod.Spec.Overhead = generatedList(r)
	}
	if r.IntN(8) == 0 {
		pod.Spec.Containers, pod.Spec.InitContainers = []corev1.Container{{Name: "c"}}, nil
		pod.Spec.Resources, pod.Spec.Overhead = nil, nil
	}
	return pod
}

func generatedResources(r *rand.Rand) corev1.ResourceRequirements {
	var all corev1.ResourceRequirements
	if r.IntN(4) > 0 {
		all.Requests = generatedList(r)
	}
	if r.IntN(2) == 0 {
		all.Limits = generatedList(r)
	}
	for name := range all.Requests {
		if isHugePages(string(name)) {
			delete(all.Requests, name)
		}
	}
	if r.IntN(2) == 0 {
		for name, q := range all.Limits {
			if isHugePages(string(name)) && len(all.Requests) > 0 {
				all.Requests[name] = q
			}
		}
	}
	return all
}

var generatedNames = []corev1.ResourceName{
	"cpu", "cpu", "memory", "memory", "ephemeral-storage", "hugepages-2Mi", "hugepages-1Gi", "nvidia.com/gpu", "example.com/a", "example.com/b", "example.com/c",
}

func generatedList(r *rand.Rand) corev1.ResourceList {
	list := corev1.ResourceList{}
	for range r.IntN(5) {
		name := generatedNames[r.IntN(len(generatedNames))]
		list[name] = resource.MustParse(generatedQuantity(r, string(name)))
	}
	return list
}

// generatedQuantity returns a quantity of a form that users write for the resource; one in
// ten is 0.
func generatedQuantity(r *rand.Rand, name string) string {
	suffixes := []string{"", "m", "u", "n", "k"}
	switch {
	case r.IntN(10) == 0:
		return "0"
	case strings.Contains(name, "/"):
		suffixes = []string{""}
	case name != "cpu":
		suffixes = []string{"", "m", "k", "M", "G", "Ki", "Mi", "Gi", "e3"}
	}
	text := fmt.Sprint(r.IntN(3000))
	if r.IntN(4) == 0 && !strings.Contains(name, "/") {
		text += fmt.Sprintf(".%d", r.IntN(1000))
	}
	suffix := suffixes[r.IntN(len(suffixes))]
	return text + suffix
}
