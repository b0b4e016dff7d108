// SPDX-License-Identifier: Apache-2.0

// Package features names the feature gates. The names are those of the published control
// plane; two of them default to on here, because what they gate is the purpose of this
// project.
package features

import (
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/component-base/featuregate"
)

const (
	// MultiplePodTemplatesScheduling: a workload with several pod templates is described
	// by components, each with its own replicas and requests. On, since without it the
	// requests of a Flink or Ray job are wrong.
	MultiplePodTemplatesScheduling featuregate.Feature = "MultiplePodTemplatesScheduling"
	// StatefulFailoverInjection: the state of a failed application is carried over to the
	// next cluster. On, since without it a failover loses the job.
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
