// SPDX-License-Identifier: Apache-2.0

// Command dragoman is the tool of the script author: it evaluates scripts and runs
// their cases with the engine of the control plane. It needs no cluster, but for the verb
// explain, clusters, fence and unfence, which need a control plane.
//
// What it found goes to stdout, everything else to stderr. Its exit codes are in
// exit.go.
package main

import (
	"os"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
)

func main() {
	klog.SetLogger(logr.Discard()) // of client-go: what fails is returned, and reported once
	streams := Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}
	os.Exit(Execute(streams, os.Args[1:]))
}
