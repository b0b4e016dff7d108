// SPDX-License-Identifier: Apache-2.0

package engine_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/scripts"
)

// flinkDeployment is an object of usual size.
const flinkDeployment = `{"apiVersion": "flink.apache.org/v1beta1", "kind": "FlinkDeployment",
"metadata": {"name": "basic", "namespace": "jobs", "uid": "u", "resourceVersion": "1", "generation": 4, "creationTimestamp": null, "labels": {"app": "basic"}, "annotations": {"resourcetemplate.karmada.io/generation": "4"}},
"spec": {"flinkConfiguration": {"taskmanager.numberOfTaskSlots": "2", "state.savepoints.dir": "s3://a/b"}, "flinkVersion": "v1_17", "image": "flink:1.17", "serviceAccount": "flink",
 "job": {"jarURI": "local:///opt/flink/a.jar", "parallelism": 4, "upgradeMode": "savepoint", "state": "running", "args": []},
 "jobManager": {"replicas": 1, "resource": {"cpu": 1, "memory": "2048m"}},
 "taskManager": {"resource": {"cpu": 0.5, "memory": "2048m"}, "podTemplate": {"spec": {"nodeSelector": {"zone": "a"}, "tolerations": [{"key": "a", "operator": "Exists"}]}}}},
"status": {"clusterInfo": {"flink-revision": "a1b2c3", "flink-version": "1.20.0", "total-cpu": "3.0", "total-memory": "6442450944"},
 "jobStatus": {"jobId": "44cc5573945d1d4925732d915c70b9ac", "jobName": "State machine", "startTime": "1717599166365", "state": "RUNNING", "updateTime": "1717599182544", "savepointInfo": {"lastPeriodicSavepointTimestamp": 0, "savepointHistory": []}, "checkpointInfo": {"lastPeriodicCheckpointTimestamp": 0}},
 "jobManagerDeploymentStatus": "READY", "lifecycleState": "STABLE", "observedGeneration": 4, "generation": 4, "resourceTemplateGeneration": 4,
 "reconciliationStatus": {"lastReconciledSpec": "x", "lastStableSpec": "y", "reconciliationTimestamp": 1717599148930, "state": "DEPLOYED"},
 "taskManager": {"labelSelector": "component=taskmanager,app=basic", "replicas": 1}}}`

// publishedFlink are scripts as customizations of users have them.
var publishedFlink = map[engine.Op]string{
	engine.InterpretStatus:  `function ReflectStatus(obj) return obj.status end`,
	engine.Retain:           `function Retain(desired, observed) return desired end`,
	engine.ReviseReplica:    `function ReviseReplica(obj, n) obj.spec.jobManager.replicas = n return obj end`,
	engine.InterpretReplica: `function GetReplicas(obj) return obj.spec.jobManager.replicas, {resourceRequest = obj.spec.jobManager.resource} end`,
}

// BenchmarkAnswers asks about a FlinkDeployment by the shipped scripts and by some of the
// published form.
func BenchmarkAnswers(b *testing.B) {
	c, err := engine.NewCompiler()
	if err != nil {
		b.Fatal(err)
	}
	flink, err := bundle.Loader{Compiler: c}.Load(scripts.FS, "flink", nil)
	if err != nil {
		b.Fatal(err)
	}
	object := &unstructured.Unstructured{}
	if err := utiljson.Unmarshal([]byte(flinkDeployment), &object.Object); err != nil {
		b.Fatal(err)
	}
	shipped := engine.NewInterpreter(engine.Options{})
	if err := shipped.Set(engine.Embedded, flink.Source); err != nil {
		b.Fatal(err)
	}
	published := engine.NewInterpreter(engine.Options{})
	kind := object.GroupVersionKind()
	rules := engine.Rules{}
	for op, text := range publishedFlink {
		set, err := c.Compile("published", kind, engine.Script{Operation: op, Text: text})
		if err != nil {
			b.Fatal(err)
		}
		rules[op] = set.Kinds[kind][op]
		rules[op].Compat = true
	}
	if err := published.Set(engine.Embedded, engine.RuleSet{Name: "published", Kinds: map[schema.GroupVersionKind]engine.Rules{kind: rules}}); err != nil {
		b.Fatal(err)
	}
	items := []any{map[string]any{"clusterName": "m1", "status": object.Object["status"]}, map[string]any{"clusterName": "m2", "status": object.Object["status"]}}
	for form, i := range map[string]*engine.Interpreter{"shipped": shipped, "published": published} {
		for _, op := range engine.Operations() {
			if !i.Snapshot().Supports(kind, op.Name) {
				continue
			}
			b.Run(form+"/"+string(op.Name), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					q := engine.Request{Operation: op.Name, Object: object, Observed: object, Items: items, Replicas: 3, State: map[string]string{"a": "b"}}
					if _, err := i.Snapshot().Evaluate(q); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
