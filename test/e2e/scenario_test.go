// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/dragoman-io/dragoman/test/scenario"
)

var _ = Describe("the demo", Ordered, func() {
	It("shows a FlinkDeployment that fails on its member and continues in another cluster with its state", func(ctx SpecContext) {
		env.Manager.Stop()
		DeferCleanup(func() {
			env.RestartManager()
		})
		m, err := scenario.Lab{Fleet: env.Fleet, Binary: env.Binary, Log: env.Log, Flink: env.Flink}.Demo(ctx, GinkgoWriter)
		if m != nil {
			env.Manager = m
		}
		Expect(err).NotTo(HaveOccurred())
	}, NodeTimeout(10*time.Minute))
})
