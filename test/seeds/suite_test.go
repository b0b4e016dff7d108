// SPDX-License-Identifier: Apache-2.0

// Package seeds applies the YAML of the documents that describe the system asked for, each
// block unchanged, on a real fleet with webhooks, and tests that what the documents say
// of it happens. The durations are those of the documents, so the specs are ordered: what
// waits for two minutes begins first and ends last.
package seeds

import (
	"context"
	"fmt"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/dragoman-io/dragoman/cmd/dragoman-fleet/fleet"
	"github.com/dragoman-io/dragoman/controllers/admission"
	"github.com/dragoman-io/dragoman/test/environment"
	"github.com/dragoman-io/dragoman/test/shared"
)

var (
	env *environment.Environment
	// release, failover and clusters are the blocks of three documents, in their order. The
	// fourth, a translation of the third, is stored without the layout of its blocks.
	release, failover, clusters []string
	translation                 string
)

func TestSeeds(t *testing.T) {
	folder := shared.Folder(t, "seeds")
	release, failover, clusters = blocks(t, folder, "000_*.txt"), blocks(t, folder, "003_*.txt"), blocks(t, folder, "002_*.txt")
	translation = document(t, folder, "004_*.txt")
	RegisterFailHandler(Fail)
	RunSpecs(t, "the documents' YAML, unchanged")
}

var _ = BeforeSuite(func(ctx SpecContext) {
	port, err := fleet.FreePort()
	Expect(err).NotTo(HaveOccurred())
	env = environment.Begin(ctx, nil, "--webhook-bind-address", fmt.Sprintf("127.0.0.1:%d", port),
		"--feature-gates", "FederatedQuotaEnforcement=true", "--bundle-parameter", "flink.memoryUnits=quantity")
	awaitWebhooks(ctx)
	env.Join(ctx)
})

// awaitWebhooks waits until the API server calls the webhooks: a policy without an id gets
// one. The configurations may be there before the server serves.
func awaitWebhooks(ctx context.Context) {
	GinkgoHelper()
	Eventually(func(g Gomega) {
		for _, c := range []client.Object{&admissionregistrationv1.MutatingWebhookConfiguration{}, &admissionregistrationv1.ValidatingWebhookConfiguration{}} {
			g.Expect(env.Hub.Get(ctx, client.ObjectKey{Name: admission.ConfigurationName}, c)).To(Succeed())
		}
		probe := objects("apiVersion: policy.karmada.io/v1alpha1\nkind: PropagationPolicy\nmetadata: {name: probe, namespace: default}\nspec: {}\n")[0]
		g.Expect(env.Hub.Create(ctx, probe, client.DryRunAll)).To(Succeed())
		g.Expect(probe.GetLabels()).NotTo(BeEmpty())
	}).Should(Succeed())
}

var _ = AfterEach(func() { env.ReportLog() })

// namespace makes one in the control plane.
func namespace(ctx context.Context) string {
	GinkgoHelper()
	n := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "seed-"}}
	Expect(env.Hub.Create(ctx, n)).To(Succeed())
	return n.Name
}
