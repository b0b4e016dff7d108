// SPDX-License-Identifier: Apache-2.0

package taintpolicy

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// describe returns the published text about the taints of a cluster.
func describe(taints []corev1.Taint) string {
	if len(taints) == 0 {
		return "cluster now does not have taints"
	}
	return "cluster now has taints([" + list(taints) + "])"
}

// without returns the taints that are not among others, by key and effect.
func without(taints, others []corev1.Taint) []corev1.Taint {
	return slices.DeleteFunc(slices.Clone(taints), func(t corev1.Taint) bool {
		return slices.ContainsFunc(others, func(o corev1.Taint) bool { return o.MatchTaint(&t) })
	})
}

// list returns taints in the published form.
func list(taints []corev1.Taint) string {
	parts := make([]string, len(taints))
	for i, t := range taints {
		value := ""
		if t.Value != "" {
			value = ",Value:" + t.Value
		}
		parts[i] = fmt.Sprintf("{Key:%s%s,Effect:%s}", t.Key, value, t.Effect)
	}
	return strings.Join(parts, ",")
}
