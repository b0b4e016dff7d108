// SPDX-License-Identifier: Apache-2.0

// Package bundle reads bundles: folders of scripts for some kinds, with a manifest.
// In goes a file system, out comes a source of rules for an interpreter, or every
// error of the folder with file and line.
//
//	flink/bundle.yaml                     what the bundle is, its kinds and parameters
//	flink/FlinkDeployment/health.lua      a script: <Kind>/<operation>.lua or .cel
//	flink/FlinkDeployment/testdata/*.yaml its cases, see package cases
//	flink/lib/memory.lua                  a module: what scripts share, as require("lib.memory")
//
// Where a function of a module is the whole answer, the manifest names it and there is no
// file: see Mapping.
//
// Nothing in a folder is ignored in silence: a file that is no script, a folder that
// is no kind, a module that is not used, and a key that is not known are
// errors; only texts (.md) and hidden files are left aside.
//
// A Store brings the revisions of bundles into an engine while it runs, each through
// the same stages: Fetched, Verified, Compiled, Checked, SmokeTested, Active. One that
// fails at a stage leaves the revision before in place, and the other bundles alone.
// Where the revisions come from is not known here; see package watch.
package bundle
