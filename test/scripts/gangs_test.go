// SPDX-License-Identifier: Apache-2.0

package scripts

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/engine"
)

// TestGangsAreNotDivided checks that no script revises the replicas of a kind whose pods work
// on one thing together: half of them in another cluster would do it a second time, or wait
// for the others.
func TestGangsAreNotDivided(t *testing.T) {
	kinds := []schema.GroupVersionKind{
		{Group: "kubeflow.org", Version: "v1", Kind: "PyTorchJob"},
		{Group: "kubeflow.org", Version: "v1", Kind: "TFJob"},
		{Group: "kubeflow.org", Version: "v1", Kind: "XGBoostJob"},
		{Group: "kubeflow.org", Version: "v1", Kind: "PaddleJob"},
		{Group: "kubeflow.org", Version: "v1", Kind: "JAXJob"},
		{Group: "kubeflow.org", Version: "v2beta1", Kind: "MPIJob"},
		{Group: "trainer.kubeflow.org", Version: "v1alpha1", Kind: "TrainJob"},
		{Group: "jobset.x-k8s.io", Version: "v1alpha2", Kind: "JobSet"},
		{Group: "batch.volcano.sh", Version: "v1alpha1", Kind: "Job"},
		{Group: "postgresql.cnpg.io", Version: "v1", Kind: "Cluster"},
		{Group: "kafka.strimzi.io", Version: "v1beta2", Kind: "Kafka"},
		{Group: "kafka.strimzi.io", Version: "v1beta2", Kind: "KafkaNodePool"},
		{Group: "tekton.dev", Version: "v1", Kind: "PipelineRun"},
	}
	known := interpreter(t).Snapshot()
	for _, kind := range kinds {
		if !known.Supports(kind, engine.InterpretReplica) {
			t.Errorf("%s: no script tells its replicas", kind)
		}
		if known.Supports(kind, engine.ReviseReplica) {
			t.Errorf("%s: %s revises its replicas, a gang has no such script", kind, known.Origin(kind, engine.ReviseReplica))
		}
	}
}
