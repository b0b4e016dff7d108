// SPDX-License-Identifier: Apache-2.0

// Package crds tests on a real fleet what becomes of a control plane whose own CRDs are deleted
// and applied again while the manager runs, group by group. The fleet is its own, so that no
// other story loses its objects.
package crds

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/dragoman-io/dragoman/test/environment"
)

func TestCRDs(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "CRDs that are deleted and applied again")
}

var env *environment.Environment

var _ = BeforeSuite(func(ctx SpecContext) {
	env = environment.Begin(ctx, nil, "--feature-gates", "FederatedQuotaEnforcement=true")
	env.Join(ctx)
})

var _ = AfterEach(func() { env.ReportLog() })
