// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// reviewed are objects as users write them, and what the control plane writes if its user
// is not known.
var reviewed = map[string]string{
	"policy": `
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: web, namespace: default}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: web}]
  placement:
    clusterAffinity: {labelSelector: {matchLabels: {region: north}}}
    replicaScheduling:
      replicaSchedulingType: Divided
      replicaDivisionPreference: Weighted
      weightPreference: {staticWeightList: [{targetCluster: {clusterNames: [a]}, weight: 1}, {targetCluster: {clusterNames: [b]}, weight: 2}]}
  failover:
    application:
      decisionConditions: {tolerationSeconds: 60}
      purgeMode: Directly
      statePreservation: {rules: [{aliasLabelName: job, jsonPath: "{ .jobStatus.jobId }"}]}
`,
	"binding": `
apiVersion: work.karmada.io/v1alpha2
kind: ResourceBinding
metadata: {name: web-deployment, namespace: default}
spec:
  resource: {apiVersion: apps/v1, kind: Deployment, name: web, namespace: default}
  replicas: 3
  clusters: [{name: a, replicas: 1}, {name: b, replicas: 2}]
`,
	"customization": `
apiVersion: config.karmada.io/v1alpha1
kind: ResourceInterpreterCustomization
metadata: {name: health}
spec:
  target: {apiVersion: apps/v1, kind: Deployment}
  customizations:
    healthInterpretation:
      luaScript: |
        function InterpretHealth(obj)
          return obj.status ~= nil and obj.status.readyReplicas == obj.spec.replicas
        end
`,
}

// BenchmarkReview measures what the webhooks take for one new object: its defaults, its
// validation and the JSON, without the request.
func BenchmarkReview(b *testing.B) {
	w := newWebhooks(b)
	for name, text := range reviewed {
		object := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(text), &object.Object); err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if answer := w.create(b, object); !answer.Allowed {
					b.Fatal(answer.Result)
				}
			}
		})
	}
}
