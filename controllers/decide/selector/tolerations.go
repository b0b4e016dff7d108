// SPDX-License-Identifier: Apache-2.0

package selector

import corev1 "k8s.io/api/core/v1"

// Tolerates reports whether the toleration covers the taint, by the rules of
// core/v1: an empty key or effect covers all, an empty operator is Equal. Lt and
// Gt are not for clusters and cover nothing.
func Tolerates(t *corev1.Toleration, taint *corev1.Taint) bool {
	if t.Effect != "" && t.Effect != taint.Effect {
		return false
	}
	if t.Key != "" && t.Key != taint.Key {
		return false
	}
	switch t.Operator {
	case corev1.TolerationOpExists:
		return true
	case "", corev1.TolerationOpEqual:
		return t.Value == taint.Value
	}
	return false
}

// Untolerated returns the first taint that keeps an object away: its effect is
// NoSchedule or NoExecute and no toleration covers it. Nil means that there is
// none. How long a toleration holds does not matter here.
func Untolerated(taints []corev1.Taint, tolerations []corev1.Toleration) *corev1.Taint {
	for i := range taints {
		taint := &taints[i]
		if taint.Effect != corev1.TaintEffectNoSchedule && taint.Effect != corev1.TaintEffectNoExecute {
			continue
		}
		if !tolerated(taint, tolerations) {
			return taint
		}
	}
	return nil
}

func tolerated(taint *corev1.Taint, tolerations []corev1.Toleration) bool {
	for i := range tolerations {
		if Tolerates(&tolerations[i], taint) {
			return true
		}
	}
	return false
}
