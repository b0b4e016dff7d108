// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/dragoman-io/dragoman/test/fixture"
	"github.com/dragoman-io/dragoman/test/scenario/operator"
)

var _ = Describe("the stand-in for the Flink operator", func() {
	It("fails a job that is to begin from a directory without _metadata, and takes savepoints of one that runs", func(ctx SpecContext) {
		const space = "operator"
		ns := fixture.Object(schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}, "", space, nil)
		Expect(client.IgnoreAlreadyExists(env.At("member3").Create(ctx, ns))).To(Succeed())
		job := func(name, path string) *unstructured.Unstructured {
			kind := schema.GroupVersionKind{Group: "flink.apache.org", Version: "v1beta1", Kind: "FlinkDeployment"}
			spec := map[string]any{"parallelism": int64(1)}
			if path != "" {
				spec["initialSavepointPath"] = path
			}
			o := fixture.Object(kind, space, name, map[string]any{"spec": map[string]any{
				"job":                spec,
				"flinkConfiguration": map[string]any{"state.savepoints.dir": "s3://b/sp", "kubernetes.operator.periodic.savepoint.interval": "1 s"},
			}})
			Expect(env.At("member3").Create(ctx, o)).To(Succeed())
			DeferCleanup(func(ctx SpecContext) { Expect(env.At("member3").Delete(ctx, o)).To(Succeed()) })
			return o
		}
		status := func(o *unstructured.Unstructured) func() map[string]any {
			return func() map[string]any {
				Expect(env.At("member3").Get(ctx, client.ObjectKeyFromObject(o), o)).To(Succeed())
				status, _ := o.Object["status"].(map[string]any)
				return status
			}
		}
		begun := job("begun", "")
		Eventually(status(begun)).Should(HaveKeyWithValue("jobStatus", HaveKeyWithValue("state", "RUNNING")))
		id := operator.JobID(begun.GetUID())
		Eventually(func() string { return env.Flink.Newest(id) }).Should(HavePrefix("s3://b/sp/savepoint-" + id[:6] + "-"))

		resumed, guessed := job("resumed", env.Flink.Newest(id)), job("guessed", "s3://b/ckp/"+id)
		Eventually(status(resumed)).Should(HaveKeyWithValue("jobStatus", HaveKeyWithValue("state", "RUNNING")))
		Eventually(status(guessed)).Should(And(
			HaveKeyWithValue("jobStatus", HaveKeyWithValue("state", "FAILED")), HaveKeyWithValue("lifecycleState", "FAILED"),
			HaveKeyWithValue("error", ContainSubstring("Cannot find meta data file '_metadata' in directory 's3://b/ckp/"+id+"'")),
		))
	}, NodeTimeout(10*time.Minute))
})
