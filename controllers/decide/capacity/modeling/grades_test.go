// SPDX-License-Identifier: Apache-2.0

package modeling

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
)

// resources reads "cpu=4 memory=8Gi".
func resources(s string) corev1.ResourceList {
	list := corev1.ResourceList{}
	for _, f := range strings.Fields(s) {
		name, quantity, _ := strings.Cut(f, "=")
		list[corev1.ResourceName(name)] = resource.MustParse(quantity)
	}
	return list
}

// models makes grades from their minimums, the smallest first.
func models(minimums ...string) []clusterv1alpha1.ResourceModel {
	out := make([]clusterv1alpha1.ResourceModel, len(minimums))
	for i, m := range minimums {
		out[i].Grade = uint(i)
		for _, name := range []corev1.ResourceName{"cpu", "memory", "nvidia.com/gpu"} {
			if q, ok := resources(m)[name]; ok {
				out[i].Ranges = append(out[i].Ranges, clusterv1alpha1.ResourceModelRange{Name: name, Min: q})
			}
		}
	}
	return out
}

func TestIndex(t *testing.T) {
	own := models("cpu=0 memory=0", "cpu=1 memory=1Gi", "cpu=4 memory=2Gi")
	cases := map[string]struct {
		reason string
		grades Grades
		free   string
		want   int
	}{
		"Exact":          {"a minimum is included", own, "cpu=4 memory=2Gi", 2},
		"JustBelow":      {"a byte less is the grade below", own, "cpu=4 memory=2147483647", 1},
		"Scarcest":       {"the scarcest resource counts", own, "cpu=64 memory=512Mi", 0},
		"Nothing":        {"a node without free resources is in the first grade", own, "", 0},
		"Overcommitted":  {"and so is one whose pods request too much", own, "cpu=-1 memory=8Gi", 0},
		"OtherFormat":    {"1000m are 1, 1048576Ki are 1Gi", own, "cpu=1000m memory=1048576Ki", 1},
		"Decimal":        {"1G is less than 1Gi", own, "cpu=8 memory=1G", 0},
		"MissingGPU":     {"a node without a resource of the models is in the first grade", models("cpu=0 nvidia.com/gpu=0", "cpu=1 nvidia.com/gpu=1"), "cpu=8", 0},
		"NoZero":         {"less than the smallest minimum is no grade", models("cpu=1", "cpu=2"), "cpu=500m", none},
		"DefaultFourTo8": {"4 cores and 8Gi are the second default grade, for the memory", Of(nil), "cpu=4 memory=8Gi", 1},
		"DefaultLargest": {"128 cores and 1Ti are the last default grade", Of(nil), "cpu=128 memory=1Ti", 8},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := tc.grades.index(resources(tc.free)); got != tc.want {
				t.Errorf("index of %q = %d, want %d: %s", tc.free, got, tc.want, tc.reason)
			}
		})
	}
}

func TestOf(t *testing.T) {
	sorted := models("cpu=0", "cpu=1", "cpu=2")
	mixed := []clusterv1alpha1.ResourceModel{sorted[2], sorted[0], sorted[1]}
	if got := Of(mixed); !got.Equal(Of(sorted)) {
		t.Errorf("Of does not sort by grade: %v", got)
	}
	if mixed[0].Grade != 2 {
		t.Error("Of sorted the models that it was given")
	}
	if got := Of(nil); !got.Equal(clusterv1alpha1.DefaultResourceModels()) {
		t.Errorf("no models are not the default ones: %v", got)
	}
}

func TestEqual(t *testing.T) {
	if !Of(models("cpu=0", "cpu=1")).Equal(models("cpu=0", "cpu=1000m")) {
		t.Error("1 and 1000m are the same")
	}
	for name, other := range map[string]Grades{
		"fewer grades": models("cpu=0"), "another minimum": models("cpu=0", "cpu=2"), "another resource": models("memory=0", "memory=1"),
		"more resources": models("cpu=0 memory=0", "cpu=1 memory=1"), "other numbers": models("cpu=0", "cpu=1", "cpu=2")[1:],
	} {
		if Of(models("cpu=0", "cpu=1")).Equal(other) {
			t.Errorf("%s are the same", name)
		}
	}
}
