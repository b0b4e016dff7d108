// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strconv"

	"github.com/spf13/pflag"
)

// concurrency is one flag of how many objects controllers reconcile at once.
type concurrency struct {
	flag string
	// objects are what is reconciled, and controllers who does so.
	objects     string
	controllers []string
	workers     count
}

// concurrencies returns the flags at their defaults. Names and defaults are those of the
// published control plane.
func concurrencies() []*concurrency {
	return []*concurrency{
		{"concurrent-work-syncs", "Works", []string{"work.execution", "work.status"}, 5},
		{"concurrent-resourcebinding-syncs", "ResourceBindings", []string{"scheduling", "rendering", "status", "failover", "eviction", "deploymentReplicasSyncer"}, 5},
		{"concurrent-clusterresourcebinding-syncs", "ClusterResourceBindings", []string{"clusterscheduling", "clusterrendering", "clusterstatus", "clusterfailover", "clustereviction"}, 5},
		{"concurrent-resource-template-syncs", "templates", []string{"template", "template.kinds", "hpaScaleTargetMarker"}, 5},
		{"concurrent-propagation-policy-syncs", "PropagationPolicies", []string{"policy"}, 1},
		{"concurrent-cluster-propagation-policy-syncs", "ClusterPropagationPolicies", []string{"clusterpolicy"}, 1},
		{"concurrent-cluster-syncs", "Clusters", []string{"cluster.lifecycle", "cluster.status", "cluster.taints", "cluster.orphans", "cluster.taintpolicy"}, 5},
		{"concurrent-namespace-syncs", "Namespaces", []string{"namespace"}, 1},
		{"concurrent-dependent-resource-syncs", "objects that templates depend on", []string{"dependencies", "clusterdependencies", "dependencies.attached"}, 2},
	}
}

// addFlags adds the flags.
func addFlags(s *pflag.FlagSet, all []*concurrency) {
	for _, c := range all {
		s.Var(&c.workers, c.flag, c.objects+" that each of their controllers reconciles at once")
	}
}

// workersOf returns how many workers each controller has.
func workersOf(all []*concurrency) map[string]int {
	workers := map[string]int{}
	for _, c := range all {
		for _, name := range c.controllers {
			workers[name] = int(c.workers)
		}
	}
	return workers
}

// count is a flag of a number of at least 1.
type count int

// String returns the number; with Set and Type, count is a flag.
func (c *count) String() string { return strconv.Itoa(int(*c)) }

// Set takes a number of at least 1.
func (c *count) Set(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return fmt.Errorf("%q is no number of at least 1", text)
	}
	*c = count(n)
	return nil
}

// Type names the kind of value in help.
func (c *count) Type() string { return "int" }
