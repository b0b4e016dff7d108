// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import corev1 "k8s.io/api/core/v1"

// IsTaintOfReadiness reports whether a taint of this key and effect is one that the control plane
// itself adds and removes by the condition Ready.
func IsTaintOfReadiness(key string, effect corev1.TaintEffect) bool {
	return effect == corev1.TaintEffectNoSchedule && (key == TaintClusterNotReady || key == TaintClusterUnreachable)
}
