// SPDX-License-Identifier: Apache-2.0

package execution_test

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/work/execution"
	"github.com/dragoman-io/dragoman/test/fixture"
	"github.com/dragoman-io/dragoman/test/suite"
)

var _ = Describe("The part of a Job that exists in a member", func() {
	It("takes what can change, keeps its completions, and its Work has what is missing", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		b.controller = execution.New(base.Deps{Client: hub.Manager.GetClient(), Members: b.members, Interpreter: suite.Rules(), Events: b.events, Owner: owner})
		kind := batchv1.SchemeGroupVersion.WithKind("Job")
		job := func(completions, parallelism int64, suspend bool) *unstructured.Unstructured {
			return fixture.Object(kind, b.namespace, "m", map[string]any{"spec": map[string]any{
				"completions": completions, "parallelism": parallelism, "suspend": suspend,
				"template": map[string]any{"spec": map[string]any{"restartPolicy": "Never", "containers": []any{map[string]any{"name": "c", "image": "busybox"}}}},
			}})
		}
		rendered := func(completions, parallelism int64, suspend bool) string {
			b.change(ctx, func(w *workv1alpha1.Work) { fixture.SetManifest(w, job(completions, parallelism, suspend)) })
			return b.apply(ctx)
		}
		there := func() string {
			spec := b.read(ctx, kind).Object["spec"].(map[string]any)
			return fmt.Sprint(spec["completions"], " ", spec["parallelism"], " ", spec["suspend"])
		}
		b.create(ctx, job(6, 2, false))
		Expect(b.apply(ctx)).To(Equal(applied))
		b.watched(ctx, kind)
		Expect(rendered(5, 3, false)).To(Equal(applied))
		Expect(there()).To(Equal("6 3 false"))
		b.watched(ctx, kind)

		missing := "False AppliedFailed: Failed to apply all manifests (0/1): update Job " + b.namespace + "/m in cluster " + b.cluster +
			": spec.completions stays 6 where 40 are wanted, for it cannot change in a Job that exists; 34 never run unless the Job is deleted in that cluster"
		Expect(rendered(40, 4, true)).To(Equal(missing))
		Expect(there()).To(Equal("6 4 true"), "what can change arrives")
		Expect(b.read(ctx, kind).GetAnnotations()).NotTo(HaveKey("work.dragoman.io/incomplete"))
		b.watched(ctx, kind)
		version := b.read(ctx, kind).GetResourceVersion()
		Expect(b.apply(ctx)).To(Equal(missing))
		Expect(b.read(ctx, kind).GetResourceVersion()).To(Equal(version), "it is not written again")
		Expect(rendered(6, 4, true)).To(Equal(applied))
	})
})
