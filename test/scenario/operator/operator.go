// SPDX-License-Identifier: Apache-2.0

// Package operator stands in for the Flink Kubernetes operator, as the versions since 1.10
// behave towards its users. It starts no Flink. A job runs a moment after its FlinkDeployment
// appears, unless it is to begin from a path that holds no snapshot: then it ends FAILED. While
// it runs, savepoints are taken as FlinkStateSnapshots say, which the operator itself creates
// in the interval of the job. With the annotation stand-in.dragoman.io/fail the job manager is
// lost, as long as it is there.
//
// The id of a job is the uid of its object without dashes. The field jobID of the status is not
// the operator's: it is the spelling of Karmada's documentation.
package operator

import (
	"context"
	"fmt"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

// FailAnnotation has a job lose its job manager where it is "true".
const FailAnnotation = "stand-in.dragoman.io/fail"

// start is how long a job takes to start, and a savepoint to be taken.
const start = time.Second

var (
	deployments = schema.GroupVersionResource{Group: "flink.apache.org", Version: "v1beta1", Resource: "flinkdeployments"}
	snapshots   = schema.GroupVersionResource{Group: "flink.apache.org", Version: "v1beta1", Resource: "flinkstatesnapshots"}
)

// Operator is the one of a member.
type Operator struct {
	client  dynamic.Interface
	storage *Storage
	queue   workqueue.TypedRateLimitingInterface[key]

	informers []toolscache.SharedIndexInformer
	stores    map[schema.GroupVersionResource]toolscache.Store
}

// key names an object to reconcile.
type key struct {
	resource schema.GroupVersionResource
	object   types.NamespacedName
}

// New returns the operator of a member, whose API server must serve both kinds. The members of
// one storage share it.
func New(member *rest.Config, storage *Storage) (*Operator, error) {
	client, err := dynamic.NewForConfig(member)
	if err != nil {
		return nil, err
	}
	o := &Operator{
		client: client, storage: storage, stores: map[schema.GroupVersionResource]toolscache.Store{},
		queue: workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[key]()),
	}
	for _, resource := range []schema.GroupVersionResource{deployments, snapshots} {
		informer := dynamicinformer.NewFilteredDynamicInformer(client, resource, metav1.NamespaceAll, 0, nil, nil).Informer()
		o.stores[resource] = informer.GetStore()
		add := func(of any) {
			if object, ok := of.(*unstructured.Unstructured); ok {
				o.queue.Add(key{resource, types.NamespacedName{Namespace: object.GetNamespace(), Name: object.GetName()}})
			}
		}
		if _, err := informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{AddFunc: add, UpdateFunc: func(_, n any) { add(n) }}); err != nil {
			return nil, err
		}
		o.informers = append(o.informers, informer)
	}
	return o, nil
}

// Run plays the operator until ctx ends.
func (o *Operator) Run(ctx context.Context) {
	for _, informer := range o.informers {
		go informer.RunWithContext(ctx)
	}
	context.AfterFunc(ctx, o.queue.ShutDown)
	for {
		k, ended := o.queue.Get()
		if ended {
			return
		}
		o.next(ctx, k)
	}
}

// next reconciles an object.
func (o *Operator) next(ctx context.Context, k key) {
	defer o.queue.Done(k)
	found, exists, _ := o.stores[k.resource].GetByKey(k.object.String())
	if !exists {
		return
	}
	object := found.(*unstructured.Unstructured).DeepCopy()
	reconcile := o.deployment
	if k.resource == snapshots {
		reconcile = o.snapshot
	}
	switch after, err := reconcile(ctx, object); {
	case apierrors.IsNotFound(err):
	case err != nil:
		o.queue.AddRateLimited(k)
	case after > 0:
		o.queue.AddAfter(k, after)
	}
}

// deployment reconciles a FlinkDeployment, and returns when to do so again.
func (o *Operator) deployment(ctx context.Context, d *unstructured.Unstructured) (time.Duration, error) {
	if wait := start - time.Since(d.GetCreationTimestamp().Time); wait > 0 {
		return wait, nil
	}
	state := at(d, "status.jobStatus.state")
	path := at(d, "spec.job.initialSavepointPath")
	lost := d.GetAnnotations()[FailAnnotation] == "true"
	next := "RUNNING"
	switch {
	case state == "FAILED":
		next = "FAILED"
	case lost:
		next = "RECONCILING"
	case state == "" && path != "" && !o.storage.holds(path):
		next = "FAILED"
	}
	if state != next || at(d, "status.observedGeneration") != fmt.Sprint(d.GetGeneration()) {
		return 0, o.write(ctx, deployments, d, statusOf(d, next, path)) // its event brings the rest
	}
	if next != "RUNNING" {
		return 0, nil
	}
	return o.periodic(ctx, d)
}

// statusOf returns the status of a job in a state.
func statusOf(d *unstructured.Unstructured, state, path string) map[string]any {
	id, now := JobID(d.GetUID()), fmt.Sprint(time.Now().UnixMilli())
	started := at(d, "status.jobStatus.startTime")
	if started == "" {
		started = now
	}
	status := map[string]any{
		"clusterInfo": map[string]any{}, "observedGeneration": d.GetGeneration(),
		"jobManagerDeploymentStatus": "READY", "lifecycleState": "STABLE", "error": nil,
		"reconciliationStatus": map[string]any{"state": "DEPLOYED"},
		"jobStatus": map[string]any{
			"jobID": id, "jobId": id, "jobName": d.GetName(), "state": state, "startTime": started, "updateTime": now,
			"checkpointInfo": map[string]any{"lastPeriodicCheckpointTimestamp": int64(0)},
			"savepointInfo":  map[string]any{"lastPeriodicSavepointTimestamp": int64(0), "savepointHistory": []any{}},
		},
	}
	switch state {
	case "RECONCILING":
		status["jobManagerDeploymentStatus"], status["lifecycleState"] = "MISSING", "DEPLOYED"
		status["error"] = `{"type":"org.apache.flink.kubernetes.operator.exception.MissingJobManagerException","message":"Missing JobManager deployment"}`
	case "FAILED":
		status["lifecycleState"] = "FAILED"
		status["error"] = fmt.Sprintf(`{"type":"org.apache.flink.util.SerializedThrowable","message":"java.io.FileNotFoundException: `+
			`Cannot find meta data file '_metadata' in directory '%s'."}`, path)
	}
	return status
}

// periodic creates a FlinkStateSnapshot for a job in its interval.
func (o *Operator) periodic(ctx context.Context, d *unstructured.Unstructured) (time.Duration, error) {
	interval, err := time.ParseDuration(strings.ReplaceAll(option(d, "kubernetes.operator.periodic.savepoint.interval"), " ", ""))
	if err != nil || interval == 0 {
		return 0, nil //nolint:nilerr // none, or one that the operator would refuse
	}
	var last time.Time
	for _, other := range o.stores[snapshots].List() {
		if s := other.(*unstructured.Unstructured); refersTo(s, d) && s.GetCreationTimestamp().After(last) {
			last = s.GetCreationTimestamp().Time
		}
	}
	if wait := interval - time.Since(last); wait > 0 {
		return wait, nil
	}
	s := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "flink.apache.org/v1beta1", "kind": "FlinkStateSnapshot",
		"metadata": map[string]any{
			"namespace": d.GetNamespace(), "generateName": d.GetName() + "-savepoint-periodic-",
			"labels": map[string]any{"snapshot.trigger-type": "PERIODIC"},
		},
		"spec": map[string]any{
			"jobReference": map[string]any{"kind": d.GetKind(), "name": d.GetName()},
			"savepoint":    map[string]any{"disposeOnDelete": false},
		},
	}}
	_, err = o.client.Resource(snapshots).Namespace(d.GetNamespace()).Create(ctx, s, metav1.CreateOptions{})
	return interval, err
}

// snapshot reconciles a FlinkStateSnapshot, and returns when to do so again.
func (o *Operator) snapshot(ctx context.Context, s *unstructured.Unstructured) (time.Duration, error) {
	switch at(s, "status.state") {
	case "":
		return start, o.write(ctx, snapshots, s, map[string]any{"state": "TRIGGER_PENDING"})
	case "COMPLETED", "ABANDONED", "FAILED":
		return 0, nil
	}
	if wait := start - time.Since(s.GetCreationTimestamp().Time); wait > 0 {
		return wait, nil
	}
	now := time.Now().UTC().Format("2006-01-02T15:04:05.000000000Z")
	found, exists, _ := o.stores[deployments].GetByKey(s.GetNamespace() + "/" + at(s, "spec.jobReference.name"))
	d, _ := found.(*unstructured.Unstructured)
	if !exists || !refersTo(s, d) || at(d, "status.jobStatus.state") != "RUNNING" {
		return 0, o.write(ctx, snapshots, s, map[string]any{"state": "ABANDONED", "resultTimestamp": now})
	}
	path := fmt.Sprintf("%s/savepoint-%s-%s", strings.TrimSuffix(option(d, "state.savepoints.dir"), "/"), JobID(d.GetUID())[:6], JobID(s.GetUID())[:12])
	o.storage.Write(path)
	return 0, o.write(ctx, snapshots, s, map[string]any{"state": "COMPLETED", "path": path, "resultTimestamp": now})
}

// refersTo reports whether a snapshot is of a job.
func refersTo(s, d *unstructured.Unstructured) bool {
	return d != nil && s.GetNamespace() == d.GetNamespace() &&
		at(s, "spec.jobReference.kind") == d.GetKind() && at(s, "spec.jobReference.name") == d.GetName()
}

// write writes the status of an object.
func (o *Operator) write(ctx context.Context, resource schema.GroupVersionResource, object *unstructured.Unstructured, status map[string]any) error {
	object.Object["status"] = status
	_, err := o.client.Resource(resource).Namespace(object.GetNamespace()).UpdateStatus(ctx, object, metav1.UpdateOptions{})
	return err
}

// JobID returns the id of the job of an object.
func JobID(uid types.UID) string { return strings.ReplaceAll(string(uid), "-", "") }

// option returns an option of a job; "" where it has none.
func option(d *unstructured.Unstructured, name string) string {
	value, _, _ := unstructured.NestedString(d.Object, "spec", "flinkConfiguration", name)
	return value
}

// at returns the text of a field; "" where there is none.
func at(o *unstructured.Unstructured, path string) string {
	value, found, err := unstructured.NestedFieldNoCopy(o.Object, strings.Split(path, ".")...)
	if err != nil || !found || value == nil {
		return ""
	}
	return fmt.Sprint(value)
}
