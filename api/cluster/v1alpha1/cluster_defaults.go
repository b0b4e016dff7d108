// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"math"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// SetDefaults sets what the schema cannot: a zone moves into zones, taints
// with the effect NoExecute get the time of now where they have none, and empty
// resource models become DefaultResourceModels.
func (c *Cluster) SetDefaults(now metav1.Time) {
	if c.Spec.Zone != "" && len(c.Spec.Zones) == 0 {
		c.Spec.Zones = []string{c.Spec.Zone}
		c.Spec.Zone = ""
	}
	for i := range c.Spec.Taints {
		taint := &c.Spec.Taints[i]
		if taint.Effect == corev1.TaintEffectNoExecute && taint.TimeAdded == nil {
			taint.TimeAdded = now.DeepCopy()
		}
	}
	if len(c.Spec.ResourceModels) == 0 {
		c.Spec.ResourceModels = DefaultResourceModels()
	}
}

// DefaultResourceModels returns nine grades. The first has less than 1 core or
// less than 4Gi of memory free, the last 128 cores or more and 1024Gi or more;
// between them each grade ends at twice its start, but for memory in grade 1,
// from 4Gi to 16Gi. They equal those that Karmada's API server fills in.
func DefaultResourceModels() []ResourceModel {
	const gi = int64(1) << 30
	cores := []int64{0, 1, 2, 4, 8, 16, 32, 64, 128, math.MaxInt64}
	memory := []int64{0, 4 * gi, 16 * gi, 32 * gi, 64 * gi, 128 * gi, 256 * gi, 512 * gi, 1024 * gi, math.MaxInt64}
	models := make([]ResourceModel, len(cores)-1)
	for i := range models {
		models[i] = ResourceModel{Grade: uint(i), Ranges: []ResourceModelRange{
			{
				Name: corev1.ResourceCPU,
				Min:  *resource.NewQuantity(cores[i], resource.DecimalSI),
				Max:  *resource.NewQuantity(cores[i+1], resource.DecimalSI),
			},
			{
				Name: corev1.ResourceMemory,
				Min:  *resource.NewQuantity(memory[i], resource.BinarySI),
				Max:  *resource.NewQuantity(memory[i+1], resource.BinarySI),
			},
		}}
	}
	return models
}
