// SPDX-License-Identifier: Apache-2.0

// Package recording is what a run of scripts did, for people and tools. In goes a script.Recording; out come a Trace (trace.go), step
// by step, and the gas of each line, as a GasProfile and in the form of pprof (gas.go). It runs nothing.
package recording
