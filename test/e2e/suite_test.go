// SPDX-License-Identifier: Apache-2.0

// Package e2e tests the whole path on a real fleet: policy in, object out, status back. The
// stories of what fails are in test/e2e/failover, which has a fleet of its own, so that both
// can run at once.
package e2e

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/dragoman-io/dragoman/test/environment"
)

func TestEndToEnd(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "end to end")
}

var (
	env *environment.Environment
	// bundles is the manager's folder of bundles.
	bundles string
)

var _ = BeforeSuite(func(ctx SpecContext) {
	bundles = GinkgoT().TempDir()
	env = environment.Begin(ctx, nil, "--bundle-dir", bundles)
	env.Join(ctx)
})

var _ = AfterEach(func() { env.ReportLog() })
