// SPDX-License-Identifier: Apache-2.0

package taintpolicy

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
)

func TestDescribe(t *testing.T) {
	for want, taints := range map[string][]corev1.Taint{
		"cluster now does not have taints":                                           nil,
		"cluster now has taints([{Key:a,Effect:NoSchedule}])":                        {{Key: "a", Effect: corev1.TaintEffectNoSchedule}},
		"cluster now has taints([{Key:a,Value:v,Effect:NoExecute},{Key:b,Effect:}])": {{Key: "a", Value: "v", Effect: corev1.TaintEffectNoExecute}, {Key: "b"}},
	} {
		if got := describe(taints); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
