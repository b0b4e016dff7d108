// SPDX-License-Identifier: Apache-2.0

// Command dragoman is the command line of script authors and of who runs a control plane: it checks and
// tests scripts with the engine of the control plane, ships bundles, and shows and changes what a control
// plane does. Its verbs are in package verbs.
//
// What it found goes to stdout, everything else to stderr. Its exit codes are those of package verb.
package main

import (
	"os"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"

	"github.com/dragoman-io/dragoman/cmd/internal/verbs"
	"github.com/dragoman-io/dragoman/cmd/internal/verbs/verb"
)

func main() {
	klog.SetLogger(logr.Discard()) // of client-go: what fails is returned, and reported once
	streams := verb.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}
	os.Exit(verb.Execute(streams, os.Args[1:], verbs.NewCommand))
}
