// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/spf13/pflag"

	"github.com/dragoman-io/dragoman/controllers/cluster/failover"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
)

const evictUsage = `evict what runs in a cluster with a NoExecute taint that it does not tolerate. Without this,
such a taint only keeps new objects away`

const purgeModeUsage = `how a cluster is left where the policy has no spec.failover.cluster: Gracefully, or Directly`

const evictionRateUsage = `evictions a second because of taints, in all of the control plane; 0 evicts nothing. Bindings
of a higher priority go first, then those with the older taint`

const unhealthyUsage = `share of the clusters, from 0 to 1, above which nothing is evicted because of taints while more
of them look unhealthy: not ready, or with a NoExecute taint of a ClusterTaintPolicy. 1 never
stops evictions`

const (
	backoffUsage       = `how long a cluster is not chosen in which an application failed, or that refused it; it doubles with each further failure there`
	backoffMaxUsage    = `how long a cluster is not chosen at most in which an application failed often`
	backoffForgetUsage = `how long a failure in a cluster counts; more than --failover-backoff-max`
)

// addBackoffFlags adds the flags of the clusters in which applications failed, at their
// defaults.
func addBackoffFlags(s *pflag.FlagSet, o *binding.Backoff) {
	*o = binding.DefaultBackoff()
	s.DurationVar(&o.First, binding.BackoffFirstFlag, o.First, backoffUsage)
	s.DurationVar(&o.Last, binding.BackoffLastFlag, o.Last, backoffMaxUsage)
	s.DurationVar(&o.Forget, binding.BackoffForgetFlag, o.Forget, backoffForgetUsage)
}

// addFailoverFlags adds the flags of cluster failover, at their defaults.
func addFailoverFlags(s *pflag.FlagSet, o *failover.Options) {
	*o = failover.DefaultOptions()
	s.BoolVar(&o.Evict, "enable-no-execute-taint-eviction", o.Evict, evictUsage)
	s.StringVar((*string)(&o.PurgeMode), "no-execute-taint-eviction-purge-mode", string(o.PurgeMode), purgeModeUsage)
	s.Float64Var(&o.Rate, "resource-eviction-rate", o.Rate, evictionRateUsage)
	s.Float64Var(&o.UnhealthyShare, "unhealthy-cluster-threshold", o.UnhealthyShare, unhealthyUsage)
}
