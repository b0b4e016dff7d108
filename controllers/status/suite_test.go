// SPDX-License-Identifier: Apache-2.0

package status_test

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/test/suite"
)

var (
	// hub has no members: Clusters and Works exist in name only.
	hub *suite.Suite
	// interpreter has the bundles of this program.
	interpreter *engine.Interpreter

	configMaps  = schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}
	deployments = schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}
)

func TestStatus(t *testing.T) { suite.Specs(t, "Status") }

var _ = BeforeSuite(func(ctx SpecContext) {
	hub = suite.Begin(ctx)
	Expect(hub.Run()).To(Succeed())
	interpreter = suite.Rules()
})
