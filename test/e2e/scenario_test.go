// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/dragoman-io/dragoman/test/scenario"
)

var _ = Describe("a FlinkDeployment that fails on its member", Ordered, func() {
	It("continues in another cluster with its state", func(ctx SpecContext) {
		s := &scenario.Scenario{Fleet: running, Out: GinkgoWriter}
		Expect(s.Run(ctx)).To(Succeed())
	}, NodeTimeout(3*time.Minute))
})
