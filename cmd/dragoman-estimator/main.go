// SPDX-License-Identifier: Apache-2.0

// Command dragoman-estimator runs beside one member cluster and answers how much of a
// workload still fits there.
package main

import (
	"fmt"
	"os"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

func main() {
	if err := newCommand(shareLogger, metrics.Registry).ExecuteContext(ctrl.SetupSignalHandler()); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(2)
	}
}

// shareLogger has the libraries write to the same log. It is called once, before they run.
func shareLogger(log logr.Logger) {
	ctrl.SetLogger(log)
	klog.SetLoggerWithOptions(log, klog.ContextualLogger(true))
}
