// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"context"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	ctrl "sigs.k8s.io/controller-runtime"
)

// Specs runs the specs of a package in a random order.
func Specs(t *testing.T, name string) {
	RegisterFailHandler(Fail)
	config, reporter := GinkgoConfiguration()
	config.RandomizeAllSpecs = true
	RunSpecs(t, name, config, reporter)
}

// Begin starts a Suite for the specs of a package, and stops it after the last. It is
// called in BeforeSuite; Run is left to the caller.
func Begin(ctx context.Context, members ...string) *Suite {
	GinkgoHelper()
	ctrl.SetLogger(GinkgoLogr)
	SetDefaultEventuallyTimeout(20 * time.Second)
	SetDefaultEventuallyPollingInterval(10 * time.Millisecond)
	s, err := Start(ctx, members...)
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func() { Expect(s.Stop()).To(Succeed()) })
	return s
}
