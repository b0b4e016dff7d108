// SPDX-License-Identifier: Apache-2.0

// Package buildinfo serves how a program was built as a metric, which dashboards join others with. It is apart
// from package version for the programs that serve none.
package buildinfo

import (
	"fmt"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/dragoman-io/dragoman/cmd/internal/version"
)

// Register has a registry serve dragoman_build_info, which is always 1.
func Register(r prometheus.Registerer) error {
	b := version.Read()
	err := r.Register(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "dragoman_build_info", Help: "1, with the version, the commit and the toolchain of the program.",
		ConstLabels: prometheus.Labels{"version": b.Version, "commit": b.Commit, "go_version": b.Go},
	}, func() float64 { return 1 }))
	if err != nil {
		return fmt.Errorf("register the metric of the build: %w", err)
	}
	return nil
}
