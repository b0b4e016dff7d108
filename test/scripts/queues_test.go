// SPDX-License-Identifier: Apache-2.0

package scripts

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/dragoman-io/dragoman/engine"
)

// queued is a kind that Kueue starts and stops (kubernetes-sigs/kueue, pkg/controller/jobs).
type queued struct {
	// object is as small as one can be.
	object string
	// suspend is the path of the field by which Kueue stops it, pod that of a pod template
	// into which it writes where it has admitted it (podset.Merge); "" where it does not.
	suspend, pod string
	// omits reports whether the field is left out where it is false.
	omits bool
}

// queues are the kinds of the bundles that a queue of Kueue can hold.
var queues = map[string]queued{
	"Job":              {"{apiVersion: batch/v1, kind: Job, spec: {template: {spec: {containers: []}}}}", "spec.suspend", "spec.template", false},
	"JobSet":           {"{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, spec: {replicatedJobs: [{name: a, template: {spec: {template: {spec: {containers: []}}}}}]}}", "spec.suspend", "spec.replicatedJobs.0.template.spec.template", false},
	"RayCluster":       {"{apiVersion: ray.io/v1, kind: RayCluster, spec: {workerGroupSpecs: [{groupName: w, template: {spec: {containers: []}}}]}}", "spec.suspend", "spec.workerGroupSpecs.0.template", false},
	"head":             {"{apiVersion: ray.io/v1, kind: RayCluster, spec: {headGroupSpec: {template: {spec: {containers: []}}}}}", "spec.suspend", "spec.headGroupSpec.template", false},
	"RayJob":           {"{apiVersion: ray.io/v1, kind: RayJob, spec: {rayClusterSpec: {headGroupSpec: {template: {spec: {containers: []}}}}}}", "spec.suspend", "spec.rayClusterSpec.headGroupSpec.template", true},
	"submitter":        {"{apiVersion: ray.io/v1, kind: RayJob, spec: {submitterPodTemplate: {spec: {containers: []}}, rayClusterSpec: {}}}", "spec.suspend", "spec.submitterPodTemplate", true},
	"PyTorchJob":       {"{apiVersion: kubeflow.org/v1, kind: PyTorchJob, spec: {pytorchReplicaSpecs: {Worker: {template: {spec: {containers: []}}}}}}", "spec.runPolicy.suspend", "spec.pytorchReplicaSpecs.Worker.template", false},
	"TFJob":            {"{apiVersion: kubeflow.org/v1, kind: TFJob, spec: {tfReplicaSpecs: {PS: {template: {spec: {containers: []}}}}}}", "spec.runPolicy.suspend", "spec.tfReplicaSpecs.PS.template", false},
	"XGBoostJob":       {"{apiVersion: kubeflow.org/v1, kind: XGBoostJob, spec: {xgbReplicaSpecs: {Master: {template: {spec: {containers: []}}}}}}", "spec.runPolicy.suspend", "spec.xgbReplicaSpecs.Master.template", false},
	"PaddleJob":        {"{apiVersion: kubeflow.org/v1, kind: PaddleJob, spec: {paddleReplicaSpecs: {Worker: {template: {spec: {containers: []}}}}}}", "spec.runPolicy.suspend", "spec.paddleReplicaSpecs.Worker.template", false},
	"JAXJob":           {"{apiVersion: kubeflow.org/v1, kind: JAXJob, spec: {jaxReplicaSpecs: {Worker: {template: {spec: {containers: []}}}}}}", "spec.runPolicy.suspend", "spec.jaxReplicaSpecs.Worker.template", false},
	"MPIJob":           {"{apiVersion: kubeflow.org/v2beta1, kind: MPIJob, spec: {mpiReplicaSpecs: {Worker: {template: {spec: {containers: []}}}}}}", "spec.runPolicy.suspend", "spec.mpiReplicaSpecs.Worker.template", false},
	"TrainJob":         {"{apiVersion: trainer.kubeflow.org/v1alpha1, kind: TrainJob, spec: {}}", "spec.suspend", "", false},
	"SparkApplication": {"{apiVersion: sparkoperator.k8s.io/v1beta2, kind: SparkApplication, spec: {executor: {template: {spec: {containers: []}}}}}", "spec.suspend", "spec.executor.template", false},
	"AppWrapper":       {"{apiVersion: workload.codeflare.dev/v1beta2, kind: AppWrapper, spec: {components: []}}", "spec.suspend", "", true},
}

// owners are where the label stands by which an object is known to be in a queue.
var owners = map[string]struct{ template, observed string }{
	"the template has the queue": {"kueue.x-k8s.io/queue-name: team", "kueue.x-k8s.io/queue-name: team"},
	"the member has the queue":   {"", "kueue.x-k8s.io/queue-name: team"},
	"Kueue manages it":           {"", `kueue.x-k8s.io/managed: "true"`},
}

// written is what Kueue writes into a pod template.
const written = `
metadata: {labels: {kueue.x-k8s.io/podset: main}, annotations: {kueue.x-k8s.io/workload: w}}
spec:
  containers: []
  nodeSelector: {pool: gpu}
  tolerations: [{key: gpu, operator: Exists}]
  schedulingGates: [{name: kueue.x-k8s.io/topology}]
`

// TestQueues checks that what a queue of Kueue decides in the member stays: whether an object
// is suspended, and what it wrote into the pods of one that is not.
func TestQueues(t *testing.T) {
	known := interpreter(t).Snapshot()
	for name, q := range queues {
		for where, labels := range owners {
			t.Run(name+"/"+where, func(t *testing.T) {
				q.checkStopped(t, q.retained(t, known, labels.template, labels.observed, true))
				q.checkAdmitted(t, q.retained(t, known, labels.template, labels.observed, false))
			})
		}
		t.Run(name+"/in no queue", func(t *testing.T) {
			if got := valueAt(q.retained(t, known, "", "", true), q.suspend); got == true {
				t.Error("somebody in the member suspended it, and the template does not count")
			}
		})
	}
}

func (q queued) checkStopped(t *testing.T, kept map[string]any) {
	t.Helper()
	if got := valueAt(kept, q.suspend); got != true {
		t.Errorf("stopped by the queue: want %s to stay, got %v", q.suspend, got)
	}
	if q.pod == "" {
		return
	}
	spec := q.pod + ".spec"
	if d := cmp.Diff(valueAt(parse(t, q.object), spec), valueAt(kept, spec)); d != "" {
		t.Errorf("stopped by the queue: the pods are not those of the template, want -, got +:\n%s", d)
	}
}

func (q queued) checkAdmitted(t *testing.T, kept map[string]any) {
	t.Helper()
	if got := valueAt(kept, q.suspend); got == true {
		t.Errorf("admitted by the queue: %s came back from the template", q.suspend)
	}
	if q.pod == "" {
		return
	}
	if d := cmp.Diff(parse(t, written), valueAt(kept, q.pod)); d != "" {
		t.Errorf("admitted by the queue: want -, got +:\n%s", d)
	}
}

// retained returns the object as Retain has it, where the member has it suspended or not, with
// what Kueue writes into its pods.
func (q queued) retained(t *testing.T, known engine.Snapshot, template, observed string, suspended bool) map[string]any {
	t.Helper()
	desired, there := q.labeled(t, template), q.labeled(t, observed)
	setAt(desired.Object, q.suspend, !suspended)
	if suspended || !q.omits {
		setAt(there.Object, q.suspend, suspended)
	}
	if q.pod != "" {
		setAt(there.Object, q.pod, parse(t, written))
	}
	answer, err := known.Evaluate(engine.Request{Operation: engine.Retain, Object: desired, Observed: there})
	if err != nil {
		t.Fatal(err)
	}
	return answer[0].(*unstructured.Unstructured).Object
}

// labeled returns the object with a label.
func (q queued) labeled(t *testing.T, label string) *unstructured.Unstructured {
	t.Helper()
	object := parse(t, q.object)
	object["metadata"] = parse(t, "{name: a, namespace: b, labels: {"+label+"}}")
	return &unstructured.Unstructured{Object: object}
}

func parse(t *testing.T, text string) map[string]any {
	t.Helper()
	var object map[string]any
	if err := yaml.Unmarshal([]byte(text), &object); err != nil {
		t.Fatal(err)
	}
	return object
}

// valueAt returns what is at a path, whose key 0 is the first item of a list.
func valueAt(object any, path string) any {
	for key := range strings.SplitSeq(path, ".") {
		switch x := object.(type) {
		case map[string]any:
			object = x[key]
		case []any:
			object = x[0]
		default:
			return nil
		}
	}
	return object
}

// setAt sets what is at a path, with the maps above it.
func setAt(object map[string]any, path string, value any) {
	keys := strings.Split(path, ".")
	for _, key := range keys[:len(keys)-1] {
		if key == "0" {
			continue
		}
		switch x := object[key].(type) {
		case []any:
			object = x[0].(map[string]any)
		case map[string]any:
			object = x
		default:
			below := map[string]any{}
			object[key] = below
			object = below
		}
	}
	object[keys[len(keys)-1]] = value
}
