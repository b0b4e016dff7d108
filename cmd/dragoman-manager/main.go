// SPDX-License-Identifier: Apache-2.0

// Command dragoman-manager runs the controllers of the control plane.
package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/dragoman-io/dragoman/cmd/internal/printable"
)

func main() {
	errs := printable.NewWriter(os.Stderr) // what is logged and returned has texts of others in it
	command := newCommand(shareLogger, metrics.Registry)
	command.SetErr(errs)
	if err := command.ExecuteContext(ctrl.SetupSignalHandler()); err != nil {
		if !errors.Is(err, errLogged) {
			fmt.Fprintln(errs, "error:", err)
		}
		os.Exit(2)
	}
}

// shareLogger has the libraries write to the same log, in its form. It is called once,
// before they run.
func shareLogger(log logr.Logger) {
	ctrl.SetLogger(log)
	klog.SetLoggerWithOptions(log, klog.ContextualLogger(true)) // so that its names are the log's names
}
