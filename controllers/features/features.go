// SPDX-License-Identifier: Apache-2.0

// Package features names the feature gates. The names are those that users of the
// published control plane know; two of them default to on here, because what they
// gate is what this project is for.
package features

import (
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/component-base/featuregate"
)

const (
	// MultiplePodTemplatesScheduling: a workload of several pod templates is seen as
	// components, each with its own replicas and requests. On: without it the
	// requests of a Flink or Ray job are wrong.
	MultiplePodTemplatesScheduling featuregate.Feature = "MultiplePodTemplatesScheduling"
	// StatefulFailoverInjection: the state of a failed application goes along to the
	// next cluster. On: without it a failover loses the job.
	StatefulFailoverInjection featuregate.Feature = "StatefulFailoverInjection"
	// GracefulEviction: purge modes other than Directly are carried out.
	GracefulEviction featuregate.Feature = "GracefulEviction"
)

// New returns the gates at their defaults.
func New() featuregate.MutableVersionedFeatureGate {
	gates := featuregate.NewVersionedFeatureGate(version.MajorMinor(1, 0))
	one := version.MajorMinor(1, 0)
	for name, spec := range map[featuregate.Feature]featuregate.VersionedSpecs{
		MultiplePodTemplatesScheduling: {{Version: one, Default: true, PreRelease: featuregate.Beta}},
		StatefulFailoverInjection:      {{Version: one, Default: true, PreRelease: featuregate.Beta}},
		GracefulEviction:               {{Version: one, Default: true, PreRelease: featuregate.Beta}},
	} {
		if err := gates.AddVersioned(map[featuregate.Feature]featuregate.VersionedSpecs{name: spec}); err != nil {
			panic(err) // two gates of one name: a bug of ours
		}
	}
	return gates
}
