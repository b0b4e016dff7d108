// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"github.com/dragoman-io/dragoman/controllers"
)

func TestWorkers(t *testing.T) {
	all := concurrencies()
	s := pflag.NewFlagSet("", pflag.ContinueOnError)
	addFlags(s, all)
	defaults := map[string]string{}
	s.VisitAll(func(f *pflag.Flag) { defaults[f.Name] = f.DefValue })
	want := map[string]string{
		"concurrent-work-syncs": "5", "concurrent-resourcebinding-syncs": "5", "concurrent-clusterresourcebinding-syncs": "5",
		"concurrent-resource-template-syncs": "5", "concurrent-propagation-policy-syncs": "1", "concurrent-cluster-propagation-policy-syncs": "1",
		"concurrent-cluster-syncs": "5", "concurrent-namespace-syncs": "1", "concurrent-dependent-resource-syncs": "2",
	}
	if diff := cmp.Diff(want, defaults); diff != "" {
		t.Errorf("the published names and defaults (-want +got):\n%s", diff)
	}
	if err := s.Parse([]string{"--concurrent-work-syncs=20"}); err != nil {
		t.Fatal(err)
	}
	workers := workersOf(all)
	if workers["work.execution"] != 20 || workers["work.status"] != 20 || workers["policy"] != 1 {
		t.Errorf("got %v, want 20 for work.execution and work.status, and 1 for policy", workers)
	}
	if err := s.Parse([]string{"--concurrent-work-syncs=0"}); err == nil || !strings.Contains(err.Error(), `"0" is no number of at least 1`) {
		t.Errorf("got %v, want an error: without a worker nothing is ever reconciled", err)
	}
}

// TestWorkersOfAllControllers fails when a controller is added that no flag is for.
func TestWorkersOfAllControllers(t *testing.T) {
	hub, err := controllers.Hub(controllers.Deps{}, controllers.Options{})
	if err != nil {
		t.Fatal(err)
	}
	workers := workersOf(concurrencies())
	for _, name := range controllers.Names(hub) {
		switch name {
		case "bundle", "customization", "scriptbundle", "scriptbundle.source", "scriptbundle.shadow", "placementrule", "bundle.scale": // they compile, one at a time, or follow the few CRDs
			continue
		case "admission": // it answers requests, and keeps a few objects of its own up to date
			continue
		case "metrics": // it counts events and reconciles nothing
			continue
		case "federatedquota.status", "federatedquota.assignment": // as published, they have no flag: quotas are few
			continue
		case "policy.status", "clusterpolicy.status": // each policy has one turn in five seconds
			continue
		case "cluster.failover", "rebalancer": // one at a time: evictions have a pace, and rebalancers are rare
			continue
		}
		if workers[name] == 0 {
			t.Errorf("no flag sets the workers of controller %s", name)
		}
	}
}
