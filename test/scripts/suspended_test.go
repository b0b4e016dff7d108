// SPDX-License-Identifier: Apache-2.0

package scripts

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// resting are objects that their user has suspended, or asked no pods of, each by the field or
// the annotation that its controller knows. KEDA is not among them: a pause of scaling is no end of
// what is scaled, and Ready that is False is an error all the same.
var resting = map[string]string{
	"Deployment":                `{apiVersion: apps/v1, kind: Deployment, spec: {replicas: 0}}`,
	"ReplicaSet":                `{apiVersion: apps/v1, kind: ReplicaSet, spec: {replicas: 0}}`,
	"StatefulSet":               `{apiVersion: apps/v1, kind: StatefulSet, spec: {replicas: 0}}`,
	"Job":                       `{apiVersion: batch/v1, kind: Job, spec: {suspend: true}}`,
	"Job of no pods":            `{apiVersion: batch/v1, kind: Job, spec: {parallelism: 0}}`,
	"CronJob":                   `{apiVersion: batch/v1, kind: CronJob, spec: {suspend: true}}`,
	"Pod":                       `{apiVersion: v1, kind: Pod, spec: {schedulingGates: [{name: a}]}}`,
	"CloneSet":                  `{apiVersion: apps.kruise.io/v1alpha1, kind: CloneSet, spec: {replicas: 0}}`,
	"Kruise's StatefulSet":      `{apiVersion: apps.kruise.io/v1beta1, kind: StatefulSet, spec: {replicas: 0}}`,
	"UnitedDeployment":          `{apiVersion: apps.kruise.io/v1alpha1, kind: UnitedDeployment, spec: {replicas: 0}}`,
	"BroadcastJob":              `{apiVersion: apps.kruise.io/v1alpha1, kind: BroadcastJob, spec: {paused: true}}`,
	"LeaderWorkerSet":           `{apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet, spec: {replicas: 0}}`,
	"Rollout":                   `{apiVersion: argoproj.io/v1alpha1, kind: Rollout, spec: {replicas: 0}}`,
	"Workflow":                  `{apiVersion: argoproj.io/v1alpha1, kind: Workflow, spec: {suspend: true}}`,
	"CronWorkflow":              `{apiVersion: argoproj.io/v1alpha1, kind: CronWorkflow, spec: {suspend: true}}`,
	"JobSet":                    `{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, spec: {suspend: true}}`,
	"AppWrapper":                `{apiVersion: workload.codeflare.dev/v1beta2, kind: AppWrapper, spec: {suspend: true}}`,
	"Volcano's CronJob":         `{apiVersion: batch.volcano.sh/v1alpha1, kind: CronJob, spec: {suspend: true}}`,
	"RayCluster":                `{apiVersion: ray.io/v1, kind: RayCluster, spec: {suspend: true}}`,
	"RayJob":                    `{apiVersion: ray.io/v1, kind: RayJob, spec: {suspend: true}}`,
	"RayService":                `{apiVersion: ray.io/v1, kind: RayService, spec: {suspend: true}}`,
	"RayCronJob":                `{apiVersion: ray.io/v1, kind: RayCronJob, spec: {suspend: true}}`,
	"PyTorchJob":                `{apiVersion: kubeflow.org/v1, kind: PyTorchJob, spec: {runPolicy: {suspend: true}}}`,
	"MPIJob":                    `{apiVersion: kubeflow.org/v2beta1, kind: MPIJob, spec: {runPolicy: {suspend: true}}}`,
	"TrainJob":                  `{apiVersion: trainer.kubeflow.org/v1alpha1, kind: TrainJob, spec: {suspend: true}}`,
	"Notebook":                  `{apiVersion: kubeflow.org/v1, kind: Notebook, metadata: {annotations: {kubeflow-resource-stopped: "2026-03-01T10:00:00Z"}}}`,
	"SparkApplication":          `{apiVersion: sparkoperator.k8s.io/v1beta2, kind: SparkApplication, spec: {suspend: true}}`,
	"ScheduledSparkApplication": `{apiVersion: sparkoperator.k8s.io/v1beta2, kind: ScheduledSparkApplication, spec: {suspend: true}}`,
	"FlinkDeployment":           `{apiVersion: flink.apache.org/v1beta1, kind: FlinkDeployment, spec: {job: {state: suspended}}}`,
	"FlinkSessionJob":           `{apiVersion: flink.apache.org/v1beta1, kind: FlinkSessionJob, spec: {job: {state: suspended}}}`,
	"FlinkBlueGreenDeployment":  `{apiVersion: flink.apache.org/v1beta1, kind: FlinkBlueGreenDeployment, spec: {template: {spec: {job: {state: suspended}}}}}`,
	"Kustomization":             `{apiVersion: kustomize.toolkit.fluxcd.io/v1, kind: Kustomization, spec: {suspend: true}}`,
	"HelmRelease":               `{apiVersion: helm.toolkit.fluxcd.io/v2, kind: HelmRelease, spec: {suspend: true}}`,
	"GitRepository":             `{apiVersion: source.toolkit.fluxcd.io/v1, kind: GitRepository, spec: {suspend: true}}`,
	"InferenceService":          `{apiVersion: serving.kserve.io/v1beta1, kind: InferenceService, metadata: {annotations: {serving.kserve.io/stop: "true"}}}`,
	"Cluster":                   `{apiVersion: postgresql.cnpg.io/v1, kind: Cluster, metadata: {annotations: {cnpg.io/hibernation: "on"}}}`,
	"Kafka":                     `{apiVersion: kafka.strimzi.io/v1, kind: Kafka, metadata: {annotations: {strimzi.io/pause-reconciliation: "true"}}}`,
	"VirtualMachine":            `{apiVersion: kubevirt.io/v1, kind: VirtualMachine, spec: {runStrategy: Halted}}`,
	"PipelineRun":               `{apiVersion: tekton.dev/v1, kind: PipelineRun, spec: {status: PipelineRunPending}}`,
}

// statuses are those that a resting object may have, whose generation is 2.
var statuses = map[string]string{
	"no status":     `{}`,
	"an old status": `{status: {observedGeneration: 1, conditions: [{type: Ready, status: "False", reason: Failed, observedGeneration: 1}]}}`,
}

// TestRestingIsHealthy checks that what is suspended on purpose, or asks for no pods, is healthy
// whatever its status is (docs/knowledge.md): another cluster would change nothing.
func TestRestingIsHealthy(t *testing.T) {
	known := interpreter(t).Snapshot()
	for name, text := range resting {
		for status, more := range statuses {
			t.Run(name+"/"+status, func(t *testing.T) {
				object := &unstructured.Unstructured{Object: wholeNumbers(t, parse(t, text))}
				for field, value := range wholeNumbers(t, parse(t, more)) {
					object.Object[field] = value
				}
				object.SetName("a")
				object.SetNamespace("b")
				object.SetGeneration(2)
				if got := health(known, object, false); got != "true" {
					t.Errorf("want it healthy, got %s", got)
				}
			})
		}
	}
}
