// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestClusterSetDefaults(t *testing.T) {
	now := metav1.NewTime(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	earlier := metav1.NewTime(now.Add(-time.Hour))
	models := []ResourceModel{grade(0, between("cpu", "0", noEnd))}
	cases := map[string]struct {
		reason       string
		change, want func(*Cluster)
	}{
		"Zone": {
			reason: "a zone is a list of one",
			change: func(c *Cluster) { c.Spec.Zone, c.Spec.ResourceModels = "z1", models },
			want:   func(c *Cluster) { c.Spec.Zones, c.Spec.ResourceModels = []string{"z1"}, models },
		},
		"Models": {
			reason: "a cluster without models has the default ones",
			change: func(*Cluster) {},
			want:   func(c *Cluster) { c.Spec.ResourceModels = DefaultResourceModels() },
		},
		"Taints": {
			reason: "a taint that evicts has a time, the one it came with if any",
			change: func(c *Cluster) {
				c.Spec.ResourceModels = models
				c.Spec.Taints = []corev1.Taint{
					{Key: "a", Effect: corev1.TaintEffectNoExecute},
					{Key: "b", Effect: corev1.TaintEffectNoExecute, TimeAdded: &earlier},
					{Key: "c", Effect: corev1.TaintEffectNoSchedule},
				}
			},
			want: func(c *Cluster) {
				c.Spec.ResourceModels = models
				c.Spec.Taints = []corev1.Taint{
					{Key: "a", Effect: corev1.TaintEffectNoExecute, TimeAdded: &now},
					{Key: "b", Effect: corev1.TaintEffectNoExecute, TimeAdded: &earlier},
					{Key: "c", Effect: corev1.TaintEffectNoSchedule},
				}
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, want := cluster(tc.change), cluster(tc.want)
			got.SetDefaults(now)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestDefaultResourceModels(t *testing.T) {
	var got []string
	for _, model := range DefaultResourceModels() {
		cpu, memory := model.Ranges[0], model.Ranges[1]
		got = append(got, cpu.Min.String()+" "+memory.Min.String())
	}
	want := []string{"0 0", "1 4Gi", "2 16Gi", "4 32Gi", "8 64Gi", "16 128Gi", "32 256Gi", "64 512Gi", "128 1Ti"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("each grade starts where Karmada's does (-want +got):\n%s", diff)
	}
}
