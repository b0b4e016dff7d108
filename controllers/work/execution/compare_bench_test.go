// SPDX-License-Identifier: Apache-2.0

package execution

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// BenchmarkCompare compares a Deployment as it is to be with one that an API server has
// filled in.
func BenchmarkCompare(b *testing.B) {
	want, have := &unstructured.Unstructured{}, &unstructured.Unstructured{}
	for o, text := range map[*unstructured.Unstructured]string{want: `{"apiVersion":"apps/v1","kind":"Deployment",
		"metadata":{"name":"d","namespace":"n","labels":{"app":"d","managed":"true"},"annotations":{"a":"1","b":"2","c":"3"}},
		"spec":{"replicas":2,"selector":{"matchLabels":{"app":"d"}},"template":{"metadata":{"labels":{"app":"d"}},
		"spec":{"containers":[{"name":"c","image":"i","ports":[{"containerPort":80}],"resources":{"requests":{"cpu":"1","memory":"1Gi"}}}]}}}}`, have: `{"apiVersion":"apps/v1","kind":"Deployment",
		"metadata":{"name":"d","namespace":"n","labels":{"app":"d","managed":"true"},"annotations":{"a":"1","b":"2","c":"3"}},
		"spec":{"replicas":2,"progressDeadlineSeconds":600,"revisionHistoryLimit":10,"selector":{"matchLabels":{"app":"d"}},
		"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxSurge":"25%","maxUnavailable":"25%"}},"template":{"metadata":{"labels":{"app":"d"}},
		"spec":{"containers":[{"name":"c","image":"i","imagePullPolicy":"Always","ports":[{"containerPort":80,"protocol":"TCP"}],
		"resources":{"requests":{"cpu":"1","memory":"1Gi"}},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File"}],
		"dnsPolicy":"ClusterFirst","restartPolicy":"Always","schedulerName":"default-scheduler","securityContext":{},"terminationGracePeriodSeconds":30}}}}`} {
		if err := o.UnmarshalJSON([]byte(text)); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		compare(want, have, nil)
	}
}
