// SPDX-License-Identifier: Apache-2.0

// Package scenario runs the main job of the project on real servers: a FlinkDeployment is
// placed on a member cluster, fails there, and continues in another with its state. The
// demo prints it; an end-to-end test asserts it. Each step ends when it was seen, or
// fails with what was seen instead.
package scenario

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/dragoman-io/dragoman/cmd/dragoman-fleet/fleet"
	"github.com/dragoman-io/dragoman/test/scenario/operator"
)

//go:embed manifests/crd.yaml
var crdYAML []byte

//go:embed manifests/flinkdeployment.yaml
var flinkYAML []byte

// policyYAML is the policy of the user's document on state preservation, to the letter.
//
//go:embed manifests/policy.yaml
var policyYAML []byte

// failoverLabel is the label that the policy names for the state it preserves.
const failoverLabel = "application.karmada.io/failover-jobid"

// toleration replaces the policy's 60 seconds, to keep the scenario short.
const toleration = 5

var (
	flinks   = schema.GroupVersionResource{Group: "flink.apache.org", Version: "v1beta1", Resource: "flinkdeployments"}
	policies = schema.GroupVersionResource{Group: "policy.karmada.io", Version: "v1alpha1", Resource: "propagationpolicies"}
	bindings = schema.GroupVersionResource{Group: "work.karmada.io", Version: "v1alpha2", Resource: "resourcebindings"}
	clusters = schema.GroupVersionResource{Group: "cluster.karmada.io", Version: "v1alpha1", Resource: "clusters"}
)

// Scenario is one run. Fleet is a running fleet, whose controllers run already.
type Scenario struct {
	Fleet *fleet.Fleet
	// Out takes a line for each step.
	Out io.Writer
	// Policy is applied unchanged, with its toleration; nil is that of the documentation,
	// whose toleration is then shortened. It is about FlinkDeployment foo.
	Policy []byte
	// Storage is that of the stand-ins for the Flink operator that play already on the members,
	// as PlayFlink returns it. With nil the scenario has them played as long as it runs.
	Storage *operator.Storage

	began time.Time
	hub   dynamic.Interface
	// playing ends with the run.
	playing context.Context //nolint:containedctx // the life of the stand-ins
}

// step is one thing to do or to see.
type step struct {
	what string
	do   func(ctx context.Context) (string, error)
}

// Run runs all steps in order; the first that fails ends the scenario.
func (s *Scenario) Run(ctx context.Context) error {
	return s.run(ctx, append(s.setUp(), s.failoverSteps()...))
}

// run runs steps in order; the first that fails ends the scenario.
func (s *Scenario) run(ctx context.Context, steps []step) error {
	s.began = time.Now()
	hub, err := dynamic.NewForConfig(s.Fleet.ControlPlane.RESTConfig())
	if err != nil {
		return err
	}
	s.hub = hub
	playing, stop := context.WithCancel(ctx)
	defer stop()
	s.playing = playing
	for _, st := range steps {
		seen, err := st.do(ctx)
		if err != nil {
			s.printf("FAILED  %s: %v", st.what, err)
			return fmt.Errorf("%s: %w", st.what, err)
		}
		s.printf("%s", st.what)
		if seen != "" {
			s.detail(seen)
		}
	}
	return nil
}

// printf prints a line with the time since the start.
func (s *Scenario) printf(format string, args ...any) {
	fmt.Fprintf(s.Out, "%6.1fs  %s\n", time.Since(s.began).Seconds(), fmt.Sprintf(format, args...))
}
