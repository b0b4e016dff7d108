// SPDX-License-Identifier: Apache-2.0

package status_test

import (
	"context"
	"fmt"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// named returns the maker of an object that is written as YAML, as m in a namespace.
func named(text string) func(namespace string) *unstructured.Unstructured {
	return func(namespace string) *unstructured.Unstructured {
		o := fixture.Document(text)
		o.SetNamespace(namespace)
		o.SetName("m")
		return o
	}
}

const (
	podSpec     = `{restartPolicy: Never, containers: [{name: c, image: nginx}]}`
	podTemplate = `{metadata: {labels: {app: m}}, spec: {containers: [{name: c, image: nginx}]}}`
	workload    = `spec: {selector: {matchLabels: {app: m}}, template: ` + podTemplate + `}`

	aJob         = `{apiVersion: batch/v1, kind: Job, spec: {completions: 2, parallelism: 2, template: {spec: ` + podSpec + `}}}`
	anIndexedJob = `{apiVersion: batch/v1, kind: Job, spec: {completions: 2, parallelism: 2, completionMode: Indexed, template: {spec: ` + podSpec + `}}}`
)

// What members of Kubernetes 1.30 and of 1.31 report of a Job.
const (
	running      = `{"active":1,"startTime":"2026-11-28T04:00:00Z"}`
	oldComplete  = `{"succeeded":1,"startTime":"2026-11-28T04:00:00Z","completionTime":"2026-11-28T04:01:00Z","conditions":[{"type":"Complete","status":"True","lastTransitionTime":"2026-11-28T04:01:00Z"}]}`
	newComplete  = `{"succeeded":1,"startTime":"2026-11-28T04:00:00Z","completionTime":"2026-11-28T04:02:00Z","conditions":[{"type":"SuccessCriteriaMet","status":"True","lastTransitionTime":"2026-11-28T04:02:00Z"},{"type":"Complete","status":"True","lastTransitionTime":"2026-11-28T04:02:00Z"}]}`
	oldFailed    = `{"failed":1,"startTime":"2026-11-28T04:00:00Z","conditions":[{"type":"Failed","status":"True","lastTransitionTime":"2026-11-28T04:01:00Z"}]}`
	neverStarted = `{"conditions":[{"type":"Failed","status":"True","lastTransitionTime":"2026-11-28T04:01:00Z"}]}`
	newFailed    = `{"failed":1,"startTime":"2026-11-28T04:00:00Z","conditions":[{"type":"FailureTarget","status":"True","lastTransitionTime":"2026-11-28T04:02:00Z"},{"type":"Failed","status":"True","lastTransitionTime":"2026-11-28T04:02:00Z"}]}`
	beforeStart  = `{"succeeded":1,"startTime":"2026-11-28T03:00:00Z","completionTime":"2026-11-28T03:01:00Z","conditions":[{"type":"Complete","status":"True","lastTransitionTime":"2026-11-28T03:01:00Z"}]}`
)

// aggregate calls the controller until it has nothing to wait for. Any error is the end.
func (s *sum) aggregate(ctx context.Context) {
	GinkgoHelper()
	Eventually(func(g Gomega) {
		result, err := s.reconcile(ctx, s.read(ctx))
		if err != nil {
			StopTrying("the status is refused").Wrap(err).Now()
		}
		s.pass(result.RequeueAfter)
		g.Expect(result.RequeueAfter).To(BeZero(), "it waits for the cache, or for further reports")
	}).Should(Succeed())
	s.pass(time.Second)
}

// trueConditions returns the types of the conditions of an object that are true.
func trueConditions(o *unstructured.Unstructured) []string {
	conditions, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
	var types []string
	for _, c := range conditions {
		if c := c.(map[string]any); c["status"] == "True" {
			types = append(types, c["type"].(string))
		}
	}
	return types
}

var _ = Describe("The API server of the control plane accepts the status that comes from members", func() {
	// Each step has what the members a and b report.
	DescribeTable("of a Job", func(ctx SpecContext, object string, steps [][2]string, want ...string) {
		s := newSum(ctx, interpreter, named(object))
		for _, step := range steps {
			for i, letter := range []string{"a", "b"} {
				s.report(ctx, letter, metav1.ConditionTrue, workv1alpha2.ResourceHealthy, step[i])
			}
			s.aggregate(ctx)
		}
		Expect(trueConditions(s.live(ctx))).To(ConsistOf(want))
	},
		Entry("complete in old members", aJob, [][2]string{{oldComplete, oldComplete}}, "Complete", "SuccessCriteriaMet"),
		Entry("complete in an old member and a new one", aJob, [][2]string{{oldComplete, running}, {oldComplete, newComplete}}, "Complete", "SuccessCriteriaMet"),
		Entry("complete in a new member and an old one, indexed", anIndexedJob, [][2]string{{newComplete, running}, {newComplete, oldComplete}}, "Complete", "SuccessCriteriaMet"),
		Entry("complete in new members", aJob, [][2]string{{newComplete, newComplete}}, "Complete", "SuccessCriteriaMet"),
		Entry("failed in old members", aJob, [][2]string{{oldFailed, oldFailed}}, "Failed", "FailureTarget"),
		Entry("failed in an old member, while a new one runs", aJob, [][2]string{{oldFailed, running}}, "FailureTarget"),
		Entry("failed in an old member, and then in a new one", aJob, [][2]string{{oldFailed, running}, {oldFailed, newFailed}}, "Failed", "FailureTarget"),
		Entry("failed in a new member, complete in an old one", aJob, [][2]string{{newFailed, running}, {newFailed, oldComplete}}, "Failed", "FailureTarget"),
		Entry("failed before it started", aJob, [][2]string{{neverStarted, neverStarted}}, "Failed", "FailureTarget"),
		Entry("about to fail, and complete after it moved", aJob, [][2]string{{newFailed, running}, {oldComplete, newComplete}}, "Failed", "FailureTarget"),
		Entry("about to fail, and running after it moved", aJob, [][2]string{{newFailed, running}, {running, running}}, "FailureTarget"),
		Entry("complete earlier than it started by the clock of the other", aJob, [][2]string{{running, running}, {beforeStart, beforeStart}}, "Complete", "SuccessCriteriaMet"),
	)

	It("of a Pod to run once, of which a container is done in one member while another runs", func(ctx SpecContext) {
		const (
			load    = `{"name":"load","image":"nginx","imageID":"","ready":false,"restartCount":0,"state":{"terminated":{"exitCode":%d}}}`
			working = `{"name":"%s","image":"nginx","imageID":"","ready":true,"restartCount":0,"state":{"running":{"startedAt":"2026-11-28T04:00:00Z"}}}`
			podOf   = `{"phase":"Running","containerStatuses":[%s,%s]}`
		)
		s := newSum(ctx, interpreter, named(`{apiVersion: v1, kind: Pod, spec: {restartPolicy: Never, containers: [{name: load, image: nginx}, {name: work, image: nginx}]}}`))
		loads, works := fmt.Sprintf(working, "load"), fmt.Sprintf(working, "work")
		starts := strings.Replace(works, `"ready":true`, `"ready":false`, 1)
		for _, step := range [][2]string{{loads, starts}, {loads, works}, {fmt.Sprintf(load, 0), works}} {
			s.report(ctx, "a", metav1.ConditionTrue, workv1alpha2.ResourceHealthy, fmt.Sprintf(podOf, fmt.Sprintf(load, 1), works))
			s.report(ctx, "b", metav1.ConditionTrue, workv1alpha2.ResourceHealthy, fmt.Sprintf(podOf, step[0], step[1]))
			s.aggregate(ctx)
		}
		statuses, _, err := unstructured.NestedSlice(s.live(ctx).Object, "status", "containerStatuses")
		Expect(err).NotTo(HaveOccurred())
		Expect(statuses).To(HaveExactElements(
			And(HaveKeyWithValue("name", "load"), HaveKeyWithValue("ready", false), HaveKeyWithValue("state", HaveKeyWithValue("terminated", HaveKeyWithValue("exitCode", BeEquivalentTo(1))))),
			And(HaveKeyWithValue("name", "work"), HaveKeyWithValue("ready", true)),
		), "each container once, as kubectl get pod counts them")
	})

	DescribeTable("of old members", func(ctx SpecContext, object string, reports ...string) {
		s := newSum(ctx, interpreter, named(object))
		for _, report := range reports {
			s.report(ctx, "a", metav1.ConditionTrue, workv1alpha2.ResourceHealthy, report)
			s.report(ctx, "b", metav1.ConditionTrue, workv1alpha2.ResourceHealthy, report)
			s.aggregate(ctx)
		}
		Expect(s.live(ctx).Object["status"]).NotTo(BeEmpty())
	},
		Entry("a Deployment without availableReplicas", `{apiVersion: apps/v1, kind: Deployment, `+workload+`}`,
			`{"replicas":2,"readyReplicas":2,"updatedReplicas":1}`, `{"replicas":1}`),
		Entry("a ReplicaSet without fullyLabeledReplicas", `{apiVersion: apps/v1, kind: ReplicaSet, `+workload+`}`,
			`{"replicas":2,"readyReplicas":2,"availableReplicas":2}`, `{"replicas":1}`),
		Entry("a StatefulSet without availableReplicas", `{apiVersion: apps/v1, kind: StatefulSet, `+workload+`}`,
			`{"replicas":2,"readyReplicas":2,"currentReplicas":2,"updatedReplicas":2}`, `{"replicas":1}`),
		Entry("a DaemonSet", `{apiVersion: apps/v1, kind: DaemonSet, `+workload+`}`,
			`{"desiredNumberScheduled":2,"currentNumberScheduled":2,"numberReady":1,"numberMisscheduled":0}`),
		Entry("a CronJob", `{apiVersion: batch/v1, kind: CronJob, spec: {schedule: "* * * * *", jobTemplate: {spec: {template: {spec: `+podSpec+`}}}}}`,
			`{"active":[{"kind":"Job","namespace":"n","name":"m-1","apiVersion":"batch/v1"}],"lastScheduleTime":"2026-11-28T04:00:00Z"}`),
		Entry("a Pod without the fields of today", `{apiVersion: v1, kind: Pod, spec: `+podSpec+`}`,
			`{"phase":"Running","containerStatuses":[{"name":"c","image":"nginx","imageID":"","ready":true,"restartCount":0,"state":{"running":{"startedAt":"2026-11-28T04:00:00Z"}}}]}`),
		Entry("a load balancer without ipMode", `{apiVersion: v1, kind: Service, spec: {type: LoadBalancer, ports: [{port: 80}]}}`,
			`{"loadBalancer":{"ingress":[{"ip":"10.0.0.1"},{"hostname":"a.example.com","ports":[{"port":80,"protocol":"TCP"}]}]}}`),
		Entry("an Ingress", `{apiVersion: networking.k8s.io/v1, kind: Ingress, spec: {defaultBackend: {service: {name: s, port: {number: 80}}}}}`,
			`{"loadBalancer":{"ingress":[{"ip":"10.0.0.1"}]}}`),
		Entry("a PersistentVolumeClaim", `{apiVersion: v1, kind: PersistentVolumeClaim, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}`,
			`{"phase":"Pending"}`, `{"phase":"Bound","accessModes":["ReadWriteOnce"],"capacity":{"storage":"1Gi"}}`),
		Entry("a PodDisruptionBudget that counts nothing yet", `{apiVersion: policy/v1, kind: PodDisruptionBudget, spec: {maxUnavailable: 1}}`,
			`{"disruptionsAllowed":0}`, `{"currentHealthy":1,"desiredHealthy":1,"disruptionsAllowed":1,"expectedPods":2,"disruptedPods":{"m-1":"2026-11-28T04:00:00Z"}}`),
		Entry("a HorizontalPodAutoscaler without conditions", `{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, spec: {maxReplicas: 3, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: m}}}`,
			`{"currentReplicas":1,"desiredReplicas":2}`, `{"desiredReplicas":0}`),
	)
})
