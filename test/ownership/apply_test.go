// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

var _ = Describe("server-side apply and update", func() {
	It("both remove what is no longer desired", func(ctx SpecContext) {
		Expect(apply(ctx, settings(map[string]any{"a": "1", "b": "2"}))).To(Succeed())
		Expect(apply(ctx, settings(map[string]any{"a": "1"}))).To(Succeed())
		Expect(dataOf(ctx)).To(Equal(map[string]string{"a": "1"}))
		Expect(update(ctx, settings(map[string]any{"b": "2"}))).To(Succeed())
		Expect(dataOf(ctx)).To(Equal(map[string]string{"b": "2"}))
	})

	It("differ in what a controller of the member added", func(ctx SpecContext) {
		Expect(apply(ctx, settings(map[string]any{"a": "1"}))).To(Succeed())
		merge(ctx, settings(nil), member, `{"data":{"bundle":"x"}}`)
		Expect(apply(ctx, settings(map[string]any{"a": "1"}))).To(Succeed())
		Expect(dataOf(ctx)).To(HaveKey("bundle"), "apply leaves it")
		Expect(update(ctx, settings(map[string]any{"a": "1"}))).To(Succeed())
		Expect(dataOf(ctx)).NotTo(HaveKey("bundle"), "update takes it out, and the controller adds it again")
	})

	It("both fight for a field that is desired", func(ctx SpecContext) {
		Expect(apply(ctx, settings(map[string]any{"a": "1"}))).To(Succeed())
		merge(ctx, settings(nil), member, `{"data":{"a":"2"}}`)
		err := apply(ctx, settings(map[string]any{"a": "1"}))
		Expect(apierrors.IsConflict(err)).To(BeTrue(), "got %v", err)
		Expect(err.Error()).To(ContainSubstring("member-controller"), "it names the writer")
		Expect(apply(ctx, settings(map[string]any{"a": "1"}), client.ForceOwnership)).To(Succeed())
		Expect(dataOf(ctx)).To(HaveKeyWithValue("a", "1"))
		merge(ctx, settings(nil), member, `{"data":{"a":"2"}}`)
		Expect(update(ctx, settings(map[string]any{"a": "1"}))).To(Succeed())
		Expect(dataOf(ctx)).To(HaveKeyWithValue("a", "1"))
	})

	It("differ in a take-over: apply leaves what the template lacks", func(ctx SpecContext) {
		Expect(server.Create(ctx, deployment(2, container("shop"), container("debug")), user)).To(Succeed())
		desired := deployment(2, container("shop"))
		Expect(apply(ctx, desired, client.ForceOwnership)).To(Succeed())
		Expect(containers(read(ctx, desired))).To(Equal("shop debug"))
		Expect(apply(ctx, desired, client.ForceOwnership)).To(Succeed())
		Expect(containers(read(ctx, desired))).To(Equal("shop debug"), "also the next time")
		Expect(update(ctx, desired)).To(Succeed())
		Expect(containers(read(ctx, desired))).To(Equal("shop"))
	})

	It("differ in replicas that an autoscaler of the member owns", func(ctx SpecContext) {
		Expect(apply(ctx, deployment(2, container("shop")))).To(Succeed())
		Expect(apply(ctx, deployment(0, container("shop")))).To(Succeed())
		Expect(read(ctx, deployment(0)).Object["spec"]).To(HaveKeyWithValue("replicas", int64(1)), "what nobody owns any more is defaulted")
		merge(ctx, deployment(0), member, `{"spec":{"replicas":7}}`)
		Expect(apply(ctx, deployment(0, container("shop")))).To(Succeed())
		Expect(read(ctx, deployment(0)).Object["spec"]).To(HaveKeyWithValue("replicas", int64(7)))
		Expect(update(ctx, deployment(0, container("shop")))).To(Succeed())
		Expect(read(ctx, deployment(0)).Object["spec"]).To(HaveKeyWithValue("replicas", int64(1)), "Retain must name it")
	})

	It("both write nothing when nothing changes", func(ctx SpecContext) {
		desired := deployment(2, container("shop"))
		Expect(apply(ctx, desired)).To(Succeed())
		version := read(ctx, desired).GetResourceVersion()
		Expect(apply(ctx, desired)).To(Succeed())
		Expect(read(ctx, desired).GetResourceVersion()).To(Equal(version))
		Expect(update(ctx, desired)).To(Succeed())
		updated := read(ctx, desired).GetResourceVersion()
		Expect(update(ctx, desired)).To(Succeed())
		Expect(read(ctx, desired).GetResourceVersion()).To(Equal(updated))
	})

	// With OWNERSHIP_WRITES=300 the figures are those of controllers/work/RATIONALE.md.
	It("cost the API server this much", func(ctx SpecContext) {
		writes := 20
		if n, err := strconv.Atoi(os.Getenv("OWNERSHIP_WRITES")); err == nil {
			writes = n
		}
		main := container("shop")
		var env []any
		for i := range 30 {
			env = append(env, map[string]any{"name": fmt.Sprint("NAME_", i), "value": "some value"})
		}
		main["env"] = env
		desired := deployment(2, main)
		Expect(server.Create(ctx, desired.DeepCopy(), ours)).To(Succeed())
		whole := read(ctx, desired)
		AddReportEntry("update: bytes of managedFields", bytesOwned(whole))
		AddReportEntry("update: CPU seconds for 1000 writes", cpuOf(ctx, writes, func(i int) error {
			whole.SetAnnotations(map[string]string{"n": fmt.Sprint(i)})
			return server.Update(ctx, whole, ours)
		}))
		Expect(server.Delete(ctx, desired)).To(Succeed())
		AddReportEntry("apply: CPU seconds for 1000 writes", cpuOf(ctx, writes, func(i int) error {
			desired.SetAnnotations(map[string]string{"n": fmt.Sprint(i)})
			return apply(ctx, desired)
		}))
		AddReportEntry("apply: bytes of managedFields", bytesOwned(read(ctx, desired)))
		AddReportEntry("apply, no change: CPU seconds for 1000 requests", cpuOf(ctx, writes, func(int) error { return apply(ctx, desired) }))
	})
})

// containers lists the names of the containers of a Deployment.
func containers(o *unstructured.Unstructured) string {
	GinkgoHelper()
	list, _, err := unstructured.NestedSlice(o.Object, "spec", "template", "spec", "containers")
	Expect(err).NotTo(HaveOccurred())
	var names []string
	for _, c := range list {
		names = append(names, c.(map[string]any)["name"].(string))
	}
	return strings.Join(names, " ")
}

// cpuOf returns the CPU seconds of the API server for 1000 writes, from n of them.
func cpuOf(ctx context.Context, n int, write func(i int) error) string {
	GinkgoHelper()
	before := cpuSeconds(ctx)
	for i := range n {
		Expect(write(i)).To(Succeed())
	}
	return fmt.Sprintf("%.2f", (cpuSeconds(ctx)-before)*1000/float64(n))
}

// cpuSeconds reads how much CPU the API server has used.
func cpuSeconds(ctx context.Context) float64 {
	GinkgoHelper()
	set, err := kubernetes.NewForConfig(config)
	Expect(err).NotTo(HaveOccurred())
	text, err := set.RESTClient().Get().AbsPath("/metrics").DoRaw(ctx)
	Expect(err).NotTo(HaveOccurred())
	_, figure, found := strings.Cut(string(text), "\nprocess_cpu_seconds_total ")
	Expect(found).To(BeTrue())
	var seconds float64
	_, err = fmt.Sscan(figure, &seconds)
	Expect(err).NotTo(HaveOccurred())
	return seconds
}
