// SPDX-License-Identifier: Apache-2.0

package failover

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/dragoman-io/dragoman/cmd/dragoman-fleet/fleet"
	"github.com/dragoman-io/dragoman/test/fixture"
	"github.com/dragoman-io/dragoman/test/scenario"
)

var _ = Describe("a FlinkDeployment of which the control plane knows no path", Ordered, needsAdmissionPolicies, func() {
	It("starts from the job before it by the admission policy of its member", func(ctx SpecContext) {
		Expect(scenario.InstallFlink(ctx, env.Fleet)).To(Succeed())
		root, err := fleet.Root()
		Expect(err).NotTo(HaveOccurred())
		file, err := os.ReadFile(filepath.Join(root, "examples", "members", "flink-savepoint-admission.yaml"))
		Expect(err).NotTo(HaveOccurred())
		for _, text := range strings.Split(string(file), "\n---\n") {
			o := fixture.Document(text)
			Expect(env.At("member2").Create(ctx, o)).To(Succeed())
			DeferCleanup(func(ctx SpecContext) { Expect(client.IgnoreNotFound(env.At("member2").Delete(ctx, o))).To(Succeed()) })
		}
		member, err := dynamic.NewForConfig(env.Members[1].RESTConfig())
		Expect(err).NotTo(HaveOccurred())
		Expect(scenario.AdmissionActive(ctx, member)).To(Succeed())

		s := &scenario.Scenario{Fleet: env.Fleet, Out: GinkgoWriter, Storage: env.Flink}
		Expect(s.RunResume(ctx)).To(Succeed())
	}, NodeTimeout(10*time.Minute))
})
