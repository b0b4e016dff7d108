// SPDX-License-Identifier: Apache-2.0

// Package failover tests on a real fleet what becomes of workloads when they, their clusters
// or the manager fail.
//
// The stories of failover of the published end-to-end tests, with shorter times, and those
// that are missing there:
//
//	failover_test, clusters               cluster_failover_test.go
//	failover_test, applications           image_test.go; Never is in failover_test.go
//	clusteraffinities_test, [Failover]    carried_test.go; the others are in test/scheduling
//	unreachable cluster and Directly      unreachable_test.go
//	consecutive failover                  carried_test.go
//	label removal after Healthy           carried_test.go, image_test.go
//	missing JSONPath                      carried_test.go
//	Never confirmed                       failover_test.go
//	restart during the toleration         carried_test.go
//	no replacement when the time is up    carried_test.go
//	state of several clusters             carried_test.go
//	several components                    components_test.go
//	jobs with their bundles' own state    jobs_test.go
//	without a namespace                   wide_test.go
//	interrupted by others                 interrupted_test.go
//
// Where they differ on purpose: the last copy is not removed when its time is up.
package failover

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/dragoman-io/dragoman/cmd/dragoman-fleet/fleet"
	"github.com/dragoman-io/dragoman/test/environment"
)

func TestFailover(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "failover on a fleet")
}

var env *environment.Environment

var _ = BeforeSuite(func(ctx SpecContext) {
	jobs, err := fleet.LoadStandIn("./testdata/jobs.yaml")
	Expect(err).NotTo(HaveOccurred())
	env = environment.Begin(ctx, []fleet.StandIn{jobs}, "--resource-eviction-rate", "20")
	env.Join(ctx)
})

var _ = AfterEach(func() { env.ReportLog() })

// needsAdmissionPolicies is the label of stories that put admission policies into members, as Kubernetes
// serves them from 1.30 on, or those that change objects from 1.36 on. make old-member leaves these out.
var needsAdmissionPolicies = Label("admission policies")
